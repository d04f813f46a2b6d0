//! Models side by side as JSON.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::nuisance::Explained;
use super::training::{Change, GroupNumbers};
use super::{BestOf, ByMargin, Estimated, Grouping, ModelComparison, ModelPair};

impl Serialize for ModelComparison {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("prompts", &self.prompts)?;
        map.serialize_entry("responses", &self.responses)?;
        map.serialize_entry("single", &self.single)?;
        map.serialize_entry("repeated", &self.repeated)?;
        map.serialize_entry("returning", &self.returning)?;
        let names: Vec<&str> = self.models.iter().map(|model| model.name.as_str()).collect();
        map.serialize_entry("models", &names)?;
        map.serialize_entry("summaries", &self.models)?;
        map.serialize_entry("level", &self.level)?;
        map.serialize_entry("unpaired", &self.unpaired)?;
        let by = self.grouping.as_ref().map(|grouping| match grouping {
            Grouping::Criterion(column) | Grouping::Step(column) => column,
        });
        map.serialize_entry("by", &by)?;
        map.serialize_entry("pairs", &self.pairs)?;
        map.end()
    }
}

/// An interval as a list of its two ends.
fn ends(estimated: &Estimated) -> Option<[f64; 2]> {
    estimated.interval.map(|range| [range.low, range.high])
}

impl Serialize for ModelPair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("a", &self.a)?;
        map.serialize_entry("b", &self.b)?;
        map.serialize_entry("prompts", &self.prompts)?;
        map.serialize_entry("responses", &self.responses)?;
        let numbers =
            [("distance", &self.distance), ("accuracy", &self.accuracy), ("tau_b", &self.tau_b), ("top1", &self.top1)];
        for (name, estimated) in numbers {
            map.serialize_entry(name, &estimated.value)?;
        }
        let by_n = |of: fn(&BestOf) -> Option<f64>| -> std::collections::BTreeMap<usize, Option<f64>> {
            self.best_of_n.iter().map(|best| (best.n, of(best))).collect()
        };
        map.serialize_entry("best_of_n", &by_n(|best| best.loss.value))?;
        map.serialize_entry("best_of_n_by_b", &by_n(|best| best.loss_of_a.value))?;
        let divergence = by_n(|best| Some(best.divergence));
        map.serialize_entry("divergence", &divergence)?;
        let mut intervals = intervals_of(&numbers);
        for best in &self.best_of_n {
            intervals.insert(format!("best_of_n.{}", best.n), ends(&best.loss));
            intervals.insert(format!("best_of_n_by_b.{}", best.n), ends(&best.loss_of_a));
        }
        map.serialize_entry("intervals", &intervals)?;
        map.serialize_entry("by_margin", &self.by_margin)?;
        map.serialize_entry("disagreements", &self.disagreements)?;
        let explained: std::collections::BTreeMap<&str, &Explained> =
            self.explained.iter().map(|explained| (explained.by, explained)).collect();
        map.serialize_entry("explained", &explained)?;
        map.serialize_entry("groups", &self.groups)?;
        map.serialize_entry("changes", &self.changes)?;
        map.end()
    }
}

fn intervals_of(numbers: &[(&str, &Estimated)]) -> std::collections::BTreeMap<String, Option<[f64; 2]>> {
    numbers.iter().map(|(name, estimated)| ((*name).to_owned(), ends(estimated))).collect()
}

impl Serialize for ByMargin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("least", &self.least)?;
        map.serialize_entry("pairs", &self.pairs)?;
        map.serialize_entry("accuracy", &self.accuracy.value)?;
        map.serialize_entry("interval", &ends(&self.accuracy))?;
        map.end()
    }
}

impl Serialize for Explained {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("share", &self.share.value)?;
        map.serialize_entry("interval", &ends(&self.share))?;
        if let Some([a, b]) = self.correlations {
            map.serialize_entry("correlation_a", &a)?;
            map.serialize_entry("correlation_b", &b)?;
        }
        map.end()
    }
}

impl Serialize for GroupNumbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        if let Some([first, last]) = self.steps {
            map.serialize_entry("first", &first)?;
            map.serialize_entry("last", &last)?;
        }
        map.serialize_entry("prompts", &self.prompts)?;
        map.serialize_entry("responses", &self.responses)?;
        let numbers =
            [("distance", &self.distance), ("accuracy", &self.accuracy), ("tau_b", &self.tau_b), ("top1", &self.top1)];
        for (name, estimated) in numbers {
            map.serialize_entry(name, &estimated.value)?;
        }
        map.serialize_entry("intervals", &intervals_of(&numbers))?;
        map.end()
    }
}

impl Serialize for Change {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("at", &self.at)?;
        map.serialize_entry("before", &self.before.value)?;
        map.serialize_entry("before_interval", &ends(&self.before))?;
        map.serialize_entry("after", &self.after.value)?;
        map.serialize_entry("after_interval", &ends(&self.after))?;
        map.serialize_entry("p_value", &self.p_value)?;
        map.end()
    }
}
