//! What all answers tell: the settings that were used, and tokens that outlive their samples.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::compare::Correlation;
use crate::gamma::{GammaEstimate, NotIdentified, rounded};
use crate::metric::Metric;
use crate::question::{Question, Settled};
use crate::sample::{Duplicates, Token};
use crate::settings::{Batch, Choice, Regression, Settings};

/// The settings that an answer was found with.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Used {
    /// The settings, γ included.
    pub settings: Settings,
    /// What predicted rewards.
    pub regression: Option<Regression>,
    /// What the estimate of γ came to, where it was found from the samples.
    pub gamma: Option<GammaEstimate>,
    /// How duplicates were merged; `None` where samples differ in it.
    pub duplicates: Option<Duplicates>,
}

/// What there is to know about an estimated γ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GammaSummary {
    /// The lower end of the 95 % interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Whether the data can tell.
    pub identified: bool,
    /// Why the data cannot tell it.
    pub why_not: Option<NotIdentified>,
    /// On so many degrees of freedom.
    pub degrees_of_freedom: usize,
}

impl From<&GammaEstimate> for GammaSummary {
    fn from(estimate: &GammaEstimate) -> Self {
        let GammaEstimate { low, high, why_not, degrees_of_freedom, .. } = *estimate;
        let identified = why_not.is_none();
        GammaSummary { low: rounded(low), high: rounded(high), identified, why_not, degrees_of_freedom }
    }
}

impl Used {
    /// What a settled question uses.
    pub fn new(question: &Question, settled: &Settled<'_>) -> Self {
        let mut policies = settled.samples.iter().map(|named| named.sample.duplicates().policy);
        let first = policies.next().unwrap_or_default();
        Used {
            settings: settled.settings,
            regression: question.regression(),
            gamma: settled.gamma.clone(),
            duplicates: policies.all(|policy| policy == first).then_some(first),
        }
    }

    /// The name of the estimator.
    pub fn estimator(&self) -> &'static str {
        self.settings.estimator.called(self.regression).name()
    }

    /// The estimator, as people say it.
    pub fn estimator_in_words(&self) -> String {
        self.settings.estimator.in_words(self.regression, self.settings.seed)
    }

    /// The settings as entries of an answer's object, but for the kind of correlation: an answer's `correlation` is ρ.
    pub(super) fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let Settings { gamma, estimator, seed, min_common, support, potential, .. } = self.settings;
        map.serialize_entry("gamma", &gamma.get())?;
        map.serialize_entry("gamma_estimate", &self.gamma.as_ref().map(GammaSummary::from))?;
        map.serialize_entry("support", support.name())?;
        map.serialize_entry("potential", &potential.to_string())?;
        map.serialize_entry("estimator", self.estimator())?;
        map.serialize_entry("regression", &self.regression.map(Choice::name))?;
        let (actions, batch) = estimator.double().unzip();
        map.serialize_entry("actions", actions.unwrap_or_default().name())?;
        match batch {
            Some(Batch::Size(size)) => map.serialize_entry("batch", &size)?,
            Some(Batch::All) => map.serialize_entry("batch", "all")?,
            None => map.serialize_entry("batch", &())?,
        }
        map.serialize_entry("seed", &seed)?;
        map.serialize_entry("min_common", &min_common)?;
        map.serialize_entry("duplicates", &self.duplicates.map(Choice::name))
    }
}

/// All settings, the kind of correlation included.
impl Serialize for Used {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entries(&mut map)?;
        map.serialize_entry("correlation", self.settings.correlation.name())?;
        map.serialize_entry("ends", self.settings.ends.name())?;
        map.serialize_entry("dynamics", self.settings.dynamics.name())?;
        map.end()
    }
}

/// A name of a state or an action that outlives its sample.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum TokenValue {
    /// An integer.
    Int(i64),
    /// A text.
    Text(String),
    /// A tuple of features.
    Features(Vec<f64>),
}

impl From<Token<'_>> for TokenValue {
    fn from(token: Token<'_>) -> Self {
        match (token.as_int(), token.as_features()) {
            (Some(value), _) => TokenValue::Int(value),
            (None, Some(features)) => TokenValue::Features(features.to_vec()),
            (None, None) => TokenValue::Text(token.to_string()),
        }
    }
}

impl TokenValue {
    /// The token.
    pub fn token(&self) -> Token<'_> {
        match self {
            TokenValue::Int(value) => Token::int(*value),
            TokenValue::Text(text) => Token::text(text),
            TokenValue::Features(features) => Token::features(features),
        }
    }
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Names, for those who make tables of settings.
impl Used {
    /// The kind of correlation.
    pub fn correlation(&self) -> Correlation {
        self.settings.correlation
    }
}
