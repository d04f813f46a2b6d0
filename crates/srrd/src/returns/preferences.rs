//! How well a reward agrees with preferences: pairs of episodes of which someone said which is better.

use serde::Serialize;

use super::kendall::PairCounts;
use super::{Estimate, NoNumber, ReturnSettings, ReturnsError, Walks, interval, rounding};

/// That one episode is better than another, by their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preference {
    /// The better one.
    pub better: String,
    /// The worse one.
    pub worse: String,
}

/// How well a reward agrees with preferences.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Preferences {
    /// The name of the reward.
    pub reward: String,
    /// How many preferences there are; one that occurs twice counts twice.
    pub pairs: usize,
    /// How many the reward agrees with: the better episode has the larger return.
    pub agreed: u64,
    /// How many it contradicts.
    pub contradicted: u64,
    /// How many are about episodes with equal returns.
    pub tied: u64,
    /// Those it agrees with among all, ties counting half.
    pub accuracy: f64,
    /// Kendall's τ_b over these pairs.
    pub tau_b: Estimate,
}

/// Compares the returns of a reward with preferences. O(episodes + preferences), and as much for every draw of the interval.
///
/// ```
/// use srrd::returns::{Preference, ReturnSettings, Walks, compare_preferences};
/// use srrd::trajectories::{End, Trajectories};
/// let mut builder = Trajectories::builder();
/// for reward in [0.0, 2.0, 1.0] {
///     builder.push_episode(&["start", "home"], &["go"], Some(&[reward]), End::Terminated)?;
/// }
/// let walks = Walks::numbered(builder.build());
/// let said = [("1", "0"), ("1", "2"), ("0", "2")].map(|(better, worse)| Preference {
///     better: better.to_owned(),
///     worse: worse.to_owned(),
/// });
/// let found = compare_preferences(&walks, &said, &ReturnSettings::default())?;
/// assert_eq!((found.agreed, found.contradicted), (2, 1));
/// assert_eq!(found.tau_b.value, Ok(1.0 / 3.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When rewards are missing, there are no preferences, or one names an episode that is not there.
pub fn compare_preferences(
    walks: &Walks,
    preferences: &[Preference],
    settings: &ReturnSettings,
) -> Result<Preferences, ReturnsError> {
    if preferences.is_empty() {
        return Err(ReturnsError::NoPreferences);
    }
    let returns = walks.returns(settings.gamma)?;
    let places = walks.places()?;
    let mut pairs = Vec::with_capacity(preferences.len());
    for (row, Preference { better, worse }) in (1..).zip(preferences) {
        let place = |name: &String| {
            let unknown = || ReturnsError::Unknown { row, episode: name.clone() };
            places.get(name.as_str()).copied().ok_or_else(unknown)
        };
        let pair = (place(better)?, place(worse)?);
        if pair.0 == pair.1 {
            return Err(ReturnsError::Itself { row, episode: better.clone() });
        }
        pairs.push(pair);
    }
    let noise = rounding(&returns);
    let counts = |times: &dyn Fn(usize) -> u64| {
        let mut counts = PairCounts::default();
        for &(better, worse) in &pairs {
            let (times, ahead) = (times(better) * times(worse), returns[better] - returns[worse]);
            match ahead {
                _ if ahead.abs() <= noise => counts.tied_second += times,
                _ if ahead > 0.0 => counts.concordant += times,
                _ => counts.discordant += times,
            }
        }
        counts
    };
    let found = counts(&|_| 1);
    let value = found.tau_b().ok_or(NoNumber::Constant);
    // Only episodes that someone compared are drawn.
    let mut named: Vec<usize> = pairs.iter().flat_map(|&(better, worse)| [better, worse]).collect();
    named.sort_unstable_by_key(|&place| &walks.episodes[place]);
    named.dedup();
    let mut drawn = vec![0; walks.episodes.len()];
    named.iter().enumerate().for_each(|(number, &place)| drawn[place] = number);
    let draw = |times: &[u32], _: &mut ()| counts(&|place| u64::from(times[drawn[place]])).tau_b();
    let interval = value.ok().and_then(|_| interval(named.len(), named.len(), settings, draw));
    Ok(Preferences {
        reward: walks.trajectories.name().to_owned(),
        pairs: pairs.len(),
        agreed: found.concordant,
        contradicted: found.discordant,
        tied: found.tied_second,
        accuracy: (found.concordant as f64 + 0.5 * found.tied_second as f64) / pairs.len() as f64,
        tau_b: Estimate { value, interval },
    })
}
