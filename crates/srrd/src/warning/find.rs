//! What there is to warn of, found in samples, pairs and distances.

use super::Warning;
use crate::advise::ENOUGH_FREEDOM;
use crate::compare::{Distance, Pair};
use crate::gamma::GammaEstimate;
use crate::metric::Metric;
use crate::sample::NamedSample;
use crate::settings::{EndRule, FEW_COMMON};

impl Warning {
    /// What there is to say of samples by themselves: what was merged, and what looks wrong. More than two samples of a kind are told in
    /// one sentence.
    pub(crate) fn of_samples(samples: &[&NamedSample]) -> Vec<Warning> {
        let averaged = samples.iter().filter(|named| named.sample.duplicates().averaged > 0);
        let constant = samples.iter().filter(|named| {
            let rewards = named.sample.rewards();
            rewards.len() > 1 && rewards.iter().all(|r| *r == rewards[0])
        });
        let mut warnings = told_together(averaged.copied().collect(), |some| Warning::Averaged {
            sample: some[0].name.clone(),
            samples: some.len(),
            transitions: some.iter().map(|named| named.sample.duplicates().averaged).sum(),
            taken: some[0].sample.duplicates().policy,
        });
        warnings.extend(told_together(constant.copied().collect(), |some| Warning::ConstantReward {
            sample: some[0].name.clone(),
            samples: some.len(),
            reward: some[0].sample.rewards()[0],
        }));
        warnings.extend(samples.iter().filter_map(|named| Warning::of_next_states(named)).take(2));
        warnings
    }

    /// Which distances of a pair are undefined or mostly noise.
    pub(crate) fn of_distances(distances: &[(Metric, Distance)], min_common: usize) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for &(metric, distance) in distances {
            if let Some(why) = distance.undefined() {
                warnings.push(Warning::Undefined { metric, why, common: distance.common, min_common });
            }
        }
        let defined = || distances.iter().filter(|(_, distance)| distance.distance().is_some());
        if let Some((_, distance)) = defined().next()
            && distance.common < FEW_COMMON
        {
            warnings.push(Warning::FewCommon { common: distance.common });
        }
        for &(metric, distance) in defined() {
            if let Some(shaping) = distance.shaping
                && shaping.degrees_of_freedom < ENOUGH_FREEDOM
            {
                let degrees_of_freedom = shaping.degrees_of_freedom;
                warnings.push(Warning::FewDegreesOfFreedom { metric, degrees_of_freedom });
            }
        }
        warnings
    }

    /// Whether it is open for some of many samples where episodes end.
    pub(crate) fn of_open_ends(samples: &[&NamedSample], rule: EndRule) -> Option<Warning> {
        let open = |named: &&&NamedSample| {
            !named.sample.ends().are_known() && !named.one_step && named.sample.terminal_states().next().is_some()
        };
        let count = if rule == EndRule::Auto { samples.iter().filter(open).count() } else { 0 };
        (count > 0).then_some(Warning::EndsOpen { samples: count })
    }

    /// Whether states with features are so many that they hardly repeat: nine of ten shared transitions start in one of their own.
    pub(crate) fn of_states(pair: &Pair<'_>) -> Option<Warning> {
        let common = pair.common.len();
        pair.a.states().arity()?;
        if common < FEW_COMMON {
            let hardly = |sample: &crate::RewardSample| {
                let sources = sample.initial_states().count();
                sample.len() >= FEW_COMMON && sample.states().arity().is_some() && 10 * sources >= 9 * sample.len()
            };
            return (hardly(pair.a) && hardly(pair.b)).then_some(Warning::InOneSpace { common });
        }
        let (mut states, mut last) = (0, None);
        let mut ids = pair.a.ids().enumerate();
        for &(i, _) in &pair.common {
            // Both are ascending, and transitions are sorted by state.
            let state = ids.find(|(index, _)| *index == i as usize).map(|(_, (state, _, _))| state);
            states += usize::from(state != last);
            last = state;
        }
        (10 * states >= 9 * common).then_some(Warning::StatesHardlyRepeat { common, states })
    }

    /// What there is to say of an estimated γ.
    pub(crate) fn of_gamma(estimate: &GammaEstimate) -> Option<Warning> {
        let GammaEstimate { low, high, why_not, degrees_of_freedom, .. } = *estimate;
        if let Some(why) = why_not {
            return Some(Warning::GammaUnknown { low, high, why, used: estimate.taken().get() });
        }
        (degrees_of_freedom < FEW_COMMON).then_some(Warning::GammaFromFew { degrees_of_freedom })
    }
}

/// One warning per sample, or one for all of them where there are more than two.
fn told_together(samples: Vec<&NamedSample>, warning: impl Fn(&[&NamedSample]) -> Warning) -> Vec<Warning> {
    if samples.len() > 2 {
        return vec![warning(&samples)];
    }
    samples.iter().map(|named| warning(std::slice::from_ref(named))).collect()
}
