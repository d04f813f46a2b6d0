use super::super::DuplicateCounts;
use super::*;

fn build(rows: &[(&str, &str, &str, f64)], duplicates: Duplicates) -> Result<RewardSample, SampleError> {
    RewardSample::from_rows(rows.iter().copied(), duplicates)
}

#[test]
fn several_rewards_of_the_same_rows_are_samples_of_their_own() {
    for repeats in [false, true] {
        let push = |rewards: [f64; 4]| {
            let mut builder = SampleBuilder::new();
            for (i, (s, reward)) in ["b", "a", "c", if repeats { "a" } else { "d" }].iter().zip(rewards).enumerate() {
                builder.push(Token::text(s), Token::int(i as i64 % 2), Token::text("b"), reward).unwrap();
            }
            builder
        };
        let (first, second) = ([1.0, 2.0, 3.0, 4.0], [-0.0, 5.0, 6.0, 8.0]);
        let (samples, _) = push(first).build_each(vec![second.to_vec()], Duplicates::Mean).unwrap();
        assert_eq!(samples, [first, second].map(|rewards| push(rewards).build(Duplicates::Mean).unwrap()));
        let wrong = push(first).build_each(vec![vec![1.0]], Duplicates::Mean).unwrap_err();
        assert_eq!(wrong, (1, SampleError::WrongLength { expected: 4, found: 1 }));
        let refused = push(first).build_each(vec![second.to_vec(), vec![f64::NAN; 4]], Duplicates::Mean);
        assert!(matches!(refused, Err((2, SampleError::NotFinite { row: 0, .. }))));
    }
}

#[test]
fn of_rows_without_a_reward_only_the_others_count() {
    let build = |rewards: [f64; 5], duplicates: Duplicates| {
        let mut builder = SampleBuilder::new();
        for state in ["b", "a", "c", "a", "b"] {
            builder.push(Token::text(state), Token::int(0), Token::text("b"), 0.0).unwrap();
        }
        let (mut samples, _) = builder.build_scored(vec![rewards.to_vec()], duplicates)?;
        let (sample, scored) = samples.remove(1);
        Ok::<_, (usize, SampleError)>((sample.rewards().to_vec(), scored))
    };
    let gap = f64::NAN;
    let some = |rewards: [f64; 3], scored: [bool; 3]| Ok((rewards.to_vec(), Some(scored.to_vec())));
    assert_eq!(build([1.0, gap, gap, 4.0, 3.0], Duplicates::Mean), some([4.0, 2.0, 0.0], [true, true, false]));
    assert_eq!(build([gap, gap, 2.0, gap, 3.0], Duplicates::First), some([0.0, 3.0, 2.0], [false, true, true]));
    assert_eq!(build([gap; 5], Duplicates::Mean), some([0.0; 3], [false; 3]));
    assert_eq!(build([1.0, 2.0, 3.0, 2.0, 1.0], Duplicates::Error), Ok((vec![2.0, 1.0, 3.0], None)));
    let conflict = build([gap, 2.0, gap, 4.0, gap], Duplicates::Error).unwrap_err();
    assert!(matches!(conflict, (1, SampleError::Conflict { first_row: 1, second_row: 3, .. })), "{conflict:?}");
    assert!(matches!(
        build([f64::INFINITY, gap, gap, gap, gap], Duplicates::Mean),
        Err((1, SampleError::NotFinite { row: 0, .. }))
    ));
}

#[test]
fn rows_in_any_order_give_the_same_sample() {
    let mut rows = vec![
        ("b", "go", "a", 1.0),
        ("a", "go", "b", 2.0),
        ("a", "stay", "a", 0.1),
        ("a", "go", "a", 3.0),
        ("a", "stay", "a", 0.7),
        ("a", "stay", "a", 0.2),
    ];
    let expected = build(&rows, Duplicates::Mean).unwrap();
    assert_eq!(expected.len(), 4);
    assert_eq!(expected.duplicates(), DuplicateCounts { rows: 6, repeated: 2, averaged: 1, policy: Duplicates::Mean });
    for _ in 0..rows.len() {
        rows.rotate_left(1);
        let rotated = build(&rows, Duplicates::Mean).unwrap();
        let bits = |s: &RewardSample| s.rewards().iter().map(|r| r.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&rotated), bits(&expected));
        assert_eq!(rotated, expected);
    }
    let listed: Vec<String> =
        expected.transitions().map(|t| format!("{} {} {}", t.state, t.action, t.next_state)).collect();
    assert_eq!(listed, ["a go a", "a stay a", "a go b", "b go a"]);
    for (i, transition) in expected.transitions().enumerate() {
        assert_eq!(expected.transition(i), transition);
    }
}

#[test]
fn duplicates_are_merged_as_asked() {
    let rows =
        [("s", "a", "t", 1.0), ("s", "a", "t", 5.0), ("s", "a", "t", 3.0), ("s", "a", "u", 3.0), ("s", "a", "u", 3.0)];
    let reward = |d| build(&rows, d).map(|s| s.rewards()[0]);
    assert_eq!(reward(Duplicates::Mean), Ok(3.0));
    assert_eq!(reward(Duplicates::First), Ok(1.0));
    assert_eq!(reward(Duplicates::Last), Ok(3.0));
    let error = reward(Duplicates::Error).unwrap_err();
    assert_eq!(error.to_string(), "rows 0 and 1 give the transition (s, a, t) two rewards, 1 and 5");
    assert_eq!(build(&rows[3..], Duplicates::Error).unwrap().duplicates().repeated, 1);
}

#[test]
fn arrays_give_the_same_sample_as_rows() {
    for scale in [1, 1000] {
        let ids = |k: u32| (0..40u32).map(|i| (i * i + k * i) % 11 * scale + k).collect::<Vec<u32>>();
        let (s, a, t) = (ids(1), ids(2), ids(3));
        let r: Vec<f64> = (0..40).map(|i| f64::from(i % 7)).collect();
        let mut builder = SampleBuilder::new();
        for i in 0..40 {
            builder.push(s[i].into(), a[i].into(), t[i].into(), r[i]).unwrap();
        }
        let expected = builder.build_with_placement(Duplicates::Mean);
        assert_eq!(RewardSample::from_ids(&s, &a, &t, &r, Duplicates::Mean), expected);
        let error = RewardSample::from_ids(&s, &a, &t[1..], &r, Duplicates::Mean).unwrap_err();
        assert_eq!(error.to_string(), "there are 39 entries where 40 are needed");
        let mut bad = r.clone();
        bad[3] = f64::NAN;
        let error = RewardSample::from_ids(&s, &a, &t, &bad, Duplicates::Mean).unwrap_err();
        assert!(matches!(error, SampleError::NotFinite { row: 3, .. }));
    }
}

#[test]
fn any_integer_is_an_id() {
    let ids = [u32::MAX, 0, u32::MAX - 1];
    let (sample, placement) = RewardSample::from_ids(&ids, &ids, &ids, &[1.0, 2.0, 3.0], Duplicates::Mean).unwrap();
    assert_eq!(
        sample.states().iter().map(|token| token.to_string()).collect::<Vec<_>>(),
        ["0", "4294967294", "4294967295"]
    );
    assert_eq!(placement.transition, [2, 0, 1]);
}

#[test]
fn builders_appended_are_rows_pushed_one_by_one() {
    let tuples = [[0.5], [1.5], [-0.0], [0.0]];
    let token = |i: usize, kind: usize| match kind {
        0 => Token::from((i * i % 13) as i64 - 3),
        1 => Token::from((i as i64 % 5) << 40),
        2 => Token::text(["b", "a", "7", "c", "x y"][i * 7 % 5]),
        _ => Token::features(&tuples[i * 3 % 4]),
    };
    let row = |i: usize| (token(i, i / 4 % 3), token(i, i % 4), token(i + 1, i % 3), (i % 11) as f64);
    let mut expected = SampleBuilder::new();
    let mut joined = SampleBuilder::new();
    let mut part = SampleBuilder::new();
    for i in 0..300 {
        let (s, a, t, r) = row(i);
        expected.push(s, a, t, r).unwrap();
        part.push(s, a, t, r).unwrap();
        if i % 37 == 0 {
            joined.append(&mut part).unwrap();
            assert_eq!(part.rows(), 0);
        }
    }
    joined.append(&mut part).unwrap();
    joined.append(&mut part).unwrap();
    let expected = expected.build_with_placement(Duplicates::Mean).unwrap();
    assert_eq!(joined.build_with_placement(Duplicates::Mean).unwrap(), expected);

    let mut one = SampleBuilder::new();
    one.push(Token::features(&[1.0]), Token::int(0), Token::features(&[1.0]), 0.0).unwrap();
    part.push(Token::features(&[1.0, 2.0]), Token::int(0), Token::features(&[1.0, 3.0]), 0.0).unwrap();
    let error = one.append(&mut part).unwrap_err();
    assert_eq!(error, SampleError::FeatureCount { row: 1, what: "state", expected: 1, found: 2 });
}

#[test]
fn placement_tells_where_every_row_went() {
    let mut builder = SampleBuilder::new();
    for (s, t) in [(2, 1), (1, 2), (2, 1), (0, 1)] {
        builder.push(Token::int(s), Token::int(0), Token::int(t), 1.0).unwrap();
    }
    let (sample, placement) = builder.build_with_placement(Duplicates::Mean).unwrap();
    assert_eq!(sample.len(), 3);
    assert_eq!(placement.transition, [2, 1, 2, 0]);
}

#[test]
fn bad_rows_are_refused() {
    assert_eq!(build(&[], Duplicates::Mean), Err(SampleError::Empty));
    for value in [f64::NAN, f64::INFINITY] {
        let error = build(&[("s", "a", "t", 0.0), ("s", "a", "t", value)], Duplicates::Mean).unwrap_err();
        assert!(matches!(error, SampleError::NotFinite { row: 1, what: "reward", .. }));
    }
    let mut builder = SampleBuilder::new();
    let (one, two) = ([1.0], [1.0, 2.0]);
    let error = builder.push(Token::features(&one), Token::int(0), Token::features(&two), 0.0);
    assert!(matches!(error, Err(SampleError::FeatureCount { expected: 1, found: 2, .. })));
    let nan = [f64::NAN];
    let error = builder.push(Token::features(&nan), Token::int(0), Token::features(&one), 0.0);
    assert!(matches!(error, Err(SampleError::NotFinite { what: "state", .. })));
}

#[test]
fn rewards_that_would_overflow_are_refused() {
    let error = build(&[("s", "a", "t", 1e141)], Duplicates::Mean).unwrap_err();
    assert_eq!(
        error.to_string(),
        "row 0: the reward 1e141 is larger than 1e140 in magnitude: divide all rewards by a constant (distances do not \
         change)"
    );
}
