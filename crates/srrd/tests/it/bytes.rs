//! Samples as bytes: what comes back is what was written, and nothing else is taken for a sample.

use proptest::prelude::*;
use srrd::regress::RewardTable;
use srrd::sample::Ends;
use srrd::settings::{Actions, Batch, Estimator, Regression, TreeLimits};
use srrd::*;

/// A token of one of the kinds there are: integers of all sizes, texts of all scripts.
#[derive(Clone, Debug)]
enum Name {
    Int(i64),
    Text(String),
}

impl Name {
    fn token(&self) -> Token<'_> {
        match self {
            Name::Int(value) => Token::int(*value),
            Name::Text(text) => Token::text(text),
        }
    }
}

fn name() -> impl Strategy<Value = Name> {
    prop_oneof![
        (-3..5i64).prop_map(Name::Int),
        any::<i64>().prop_map(Name::Int),
        "[a-c]{0,2}".prop_map(Name::Text),
        "\\PC{0,4}".prop_map(Name::Text),
    ]
}

fn named() -> impl Strategy<Value = RewardSample> {
    let row = (name(), name(), name(), -9.0..9.0f64);
    (prop::collection::vec(row, 1..40), 0..3u32).prop_map(|(rows, which)| {
        let mut builder = SampleBuilder::new();
        rows.iter().for_each(|(s, a, t, r)| builder.push(s.token(), a.token(), t.token(), *r).unwrap());
        let sample = builder.build(Duplicates::Mean).unwrap();
        let (n, m) = (sample.states().len(), sample.actions().len());
        let cells = |count: usize| (0..count).map(|i| i as f64 / 7.0).collect::<Vec<_>>();
        match which {
            0 => sample,
            1 => sample.with_reward_table(RewardTable::marginal(n, cells(n * n)).unwrap()).unwrap(),
            _ => sample.with_reward_table(RewardTable::joint(n, m, cells(n * m * n)).unwrap()).unwrap(),
        }
    })
}

fn featured() -> impl Strategy<Value = RewardSample> {
    let row = ((-2..3i32, -1..2i32), 0..3u32, (-2..3i32, -1..2i32), -9.0..9.0f64);
    (prop::collection::vec(row, 1..40), 0..4usize).prop_map(|(rows, which)| {
        let mut builder = SampleBuilder::new();
        let features = |(x, y): (i32, i32)| [f64::from(x) / 2.0, -f64::from(y)];
        for &(s, a, t, r) in &rows {
            builder.push(Token::features(&features(s)), Token::from(a), Token::features(&features(t)), r).unwrap();
        }
        let sample = builder.build(Duplicates::Last).unwrap();
        match which {
            0 => sample,
            1 => sample.with_regression(Regression::Linear).unwrap(),
            _ => sample.with_regression(Regression::Tree(TreeLimits::new(which, 7).unwrap())).unwrap(),
        }
    })
}

fn any_sample() -> impl Strategy<Value = RewardSample> {
    let ends = prop_oneof![Just(Ends::unknown()), Just(Ends::all()), Just(Ends::marked(vec![false]))];
    (prop_oneof![named(), featured()], prop::option::of(prop::collection::vec(any::<bool>(), 1..9)), ends).prop_map(
        |(sample, marks, ends)| {
            let ends = match marks {
                Some(marks) => Ends::marked((0..sample.len()).map(|i| marks[i % marks.len()]).collect()),
                None => ends,
            };
            sample.with_ends(ends).unwrap()
        },
    )
}

/// Puts the right checksum at the end, so that damage is met by what reads the bytes.
fn seal(bytes: &mut [u8]) {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let Some((content, end)) = bytes.split_last_chunk_mut::<8>() else { return };
    let (words, rest) = content.as_chunks::<8>();
    let sum = words.iter().fold(FACTOR ^ content.len() as u64, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    let sum = rest.iter().fold(sum, |sum, &byte| mix(sum, u64::from(byte)));
    *end = mix(sum ^ sum >> 32, FACTOR).to_le_bytes();
}

/// Uses all of a sample, so that one that is not valid shows.
fn exercise(sample: &RewardSample) {
    let again = RewardSample::from_bytes(&sample.to_bytes()).unwrap();
    assert_eq!(&again, sample);
    assert_eq!(sample.transitions().count(), sample.len());
    for (id, token) in (0..).zip(sample.states().iter()) {
        assert_eq!(sample.states().find(token), Some(id));
    }
    let settings =
        Settings { estimator: Estimator::Double { actions: Actions::Joint, batch: Batch::All }, ..Settings::default() };
    for metric in Metric::ALL {
        distance(sample, &again, metric, &settings);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(sample in any_sample()) {
        let bytes = sample.to_bytes();
        let read = RewardSample::from_bytes(&bytes).unwrap();
        prop_assert_eq!(&read, &sample);
        prop_assert_eq!(read.duplicates(), sample.duplicates());
        prop_assert_eq!(read.regression(), sample.regression());
        prop_assert_eq!(read.to_bytes(), bytes);
        let canonical = |s: &RewardSample| canonicalize(s, Metric::Srrd, &Settings::default());
        prop_assert_eq!(canonical(&read), canonical(&sample));
    }

    #[test]
    fn damage_is_noticed(sample in any_sample(), place in any::<prop::sample::Index>(), flip in 1..=255u8) {
        let mut bytes = sample.to_bytes();
        let cut = place.index(bytes.len());
        prop_assert!(RewardSample::from_bytes(&bytes[..cut]).is_err());
        bytes[cut] ^= flip;
        prop_assert!(RewardSample::from_bytes(&bytes).is_err());
    }

    #[test]
    fn what_is_made_up_is_refused_or_valid(
        sample in any_sample(), changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        huge in any::<bool>(), cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = sample.to_bytes();
        if let Some(cut) = cut {
            bytes.truncate(20 + cut.index(bytes.len() - 20));
        }
        for (place, value) in changes {
            let place = 12 + place.index(bytes.len() - 12);
            bytes[place] = value;
            if huge {
                // A count that no memory holds.
                let end = bytes.len().min(place + 7);
                bytes[place..end].fill(0x7f);
            }
        }
        seal(&mut bytes);
        if let Ok(sample) = RewardSample::from_bytes(&bytes) {
            exercise(&sample);
        }
    }

    #[test]
    fn noise_is_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..200), header in any::<bool>()) {
        if header && bytes.len() > 20 {
            bytes[..12].copy_from_slice(b"SRRDsamp\x03\0\0\0");
            seal(&mut bytes);
        }
        prop_assert!(RewardSample::from_bytes(&bytes).is_err());
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let bytes = RewardSample::from_rows([("a", 0, "b", 1.0)].map(|(s, a, t, r)| (s, a, t, r)), Duplicates::Mean)
        .unwrap()
        .to_bytes();
    let message = |bytes: &[u8]| RewardSample::from_bytes(bytes).unwrap_err().to_string();
    assert_eq!(message(b"a,b"), "these bytes are no reward sample: they do not start with SRRDsamp");
    let mut newer = bytes.clone();
    newer[8] = 4;
    assert!(message(&newer).starts_with("the sample has version 4 of its form, and only version 3 can be read"));
    assert!(message(&bytes[..bytes.len() - 1]).ends_with("not all there: their checksum is wrong"));
    let mut nan = bytes.clone();
    let reward = nan.windows(8).position(|window| window == 1f64.to_le_bytes()).unwrap();
    nan[reward..reward + 8].copy_from_slice(&f64::NAN.to_le_bytes());
    seal(&mut nan);
    assert_eq!(message(&nan), "the bytes are no valid sample: a reward is not a finite number, or too large");
}
