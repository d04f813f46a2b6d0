use super::*;

fn matrix(n: usize, distance: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    (0..n * n).map(|cell| distance(cell / n, cell % n)).collect()
}

fn order(n: usize, distances: &[f64]) -> Vec<usize> {
    ClusterTree::average(n, distances).unwrap().order().to_vec()
}

/// Numbers without pattern, symmetric, between 0 and 1.
fn scrambled(n: usize, seed: usize) -> Vec<f64> {
    matrix(n, |a, b| {
        let (a, b) = (a.min(b), a.max(b));
        if a == b { 0.0 } else { ((a * 7919 + b * 104_729 + seed * 31 + a * b * 13) % 1009) as f64 / 1009.0 }
    })
}

fn is_permutation(order: &[usize], n: usize) -> bool {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    sorted.into_iter().eq(0..n)
}

#[test]
fn orders_are_permutations() {
    for n in 0..40 {
        let distances = matrix(n, |a, b| match (a * 7919 + b * 104_729) % 13 {
            0 => f64::NAN,
            rest => rest as f64 / 13.0,
        });
        let found = order(n, &distances);
        assert!(is_permutation(&found, n), "{found:?}");
        assert_eq!(found, order(n, &distances));
    }
}

#[test]
fn blocks_come_together_and_are_found() {
    let class = |sample: usize| sample % 3;
    let blocks = matrix(30, |a, b| if class(a) == class(b) { 0.1 } else { 0.8 });
    let found = order(30, &blocks);
    let borders = found.windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count();
    assert_eq!(borders, 2, "{found:?}");
    let clusters = cluster(30, &blocks, ClusterCount::Auto).unwrap();
    assert_eq!(clusters.count, 3);
    assert_eq!(clusters.labels, (0..30).map(|sample| class(sample) + 1).collect::<Vec<_>>());
    assert!((clusters.silhouette - 0.875).abs() < 1e-12);
    assert_eq!(clusters.medoids, [0, 1, 2]);
}

#[test]
fn points_on_a_line_come_in_line() {
    let places = [0.9, 0.1, 0.52, 0.3, 0.0, 0.7, 0.18, 0.77];
    let line = matrix(8, |a, b| f64::abs(places[a] - places[b]));
    let along: Vec<f64> = order(8, &line).into_iter().map(|sample| places[sample]).collect();
    assert!(along.is_sorted_by(|a, b| a >= b), "{along:?}");
}

#[test]
fn ties_keep_the_given_order() {
    assert_eq!(order(2, &[0.0, 0.4, 0.4, 0.0]), [0, 1]);
    assert_eq!(order(5, &matrix(5, |_, _| 0.5))[..2], [0, 1]);
}

#[test]
fn undefined_counts_as_far() {
    let far = matrix(4, |a, b| match (a.min(b), a.max(b)) {
        (a, b) if a == b => 0.0,
        (0, 2) | (1, 3) => 0.2,
        _ => f64::NAN,
    });
    let filled: Vec<f64> = far.iter().map(|&value| if value.is_nan() { 1.0 } else { value }).collect();
    assert_eq!(order(4, &far), order(4, &filled));
    assert_eq!(order(4, &far), [0, 2, 1, 3]);
    assert_eq!(cluster(4, &far, ClusterCount::Auto).unwrap().labels, [1, 2, 1, 2]);
}

/// Silhouettes along the tree are those of the definition, for every number of groups.
#[test]
fn silhouettes_agree_with_the_definition() {
    for n in [3, 7, 24, 130] {
        let distances = scrambled(n, n);
        for count in (1..=n).step_by(1 + n / 30) {
            let found = cluster(n, &distances, ClusterCount::Given(count)).unwrap();
            let literal = silhouettes_of(n, &distances, &found.labels);
            for (sample, (fast, slow)) in found.silhouettes.iter().zip(&literal).enumerate() {
                assert!((fast - slow).abs() < 1e-12, "{n} {count} {sample}: {fast} {slow}");
            }
            assert_eq!(found.labels.iter().copied().max(), Some(count));
        }
        if n > 30 {
            continue;
        }
        let auto = cluster(n, &distances, ClusterCount::Auto).unwrap();
        let best = (2..n.min(101)).map(|k| cluster(n, &distances, ClusterCount::Given(k)).unwrap().silhouette);
        let best = best.fold(f64::NEG_INFINITY, f64::max);
        assert!(auto.silhouette == best || best < CLEAR, "{n}: {} {best}", auto.silhouette);
    }
}

#[test]
fn where_there_are_no_groups_all_are_one_or_each_is_its_own() {
    let labels = |n, distance: f64| {
        let distances = matrix(n, |a, b| if a == b { 0.0 } else { distance });
        cluster(n, &distances, ClusterCount::Auto).unwrap().labels
    };
    // Copies, up to rounding; alike; unrelated.
    assert_eq!(labels(5, 1e-9), [1; 5]);
    assert_eq!(labels(5, 0.2), [1; 5]);
    assert_eq!(labels(5, 0.71), [1, 2, 3, 4, 5]);
    assert_eq!(labels(2, 0.1), [1, 1]);
    assert_eq!(labels(2, 0.7), [1, 2]);
    assert_eq!(labels(1, 0.0), [1]);
    // Copies at distances that are nothing but rounding have no groups either.
    let rounding = matrix(6, |a, b| if a == b { 0.0 } else { 1e-10 * (1 + (a * b) % 5) as f64 });
    assert_eq!(cluster(6, &rounding, ClusterCount::Auto).unwrap().count, 1);
}

#[test]
fn the_largest_group_is_the_first() {
    let class = |sample: usize| usize::from(sample >= 2);
    let found =
        cluster(6, &matrix(6, |a, b| if class(a) == class(b) { 0.1 } else { 0.7 }), ClusterCount::Auto).unwrap();
    assert_eq!(found.labels, [2, 2, 1, 1, 1, 1]);
    assert_eq!(found.members(2).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn what_cannot_be_is_refused() {
    assert_eq!(
        cluster(2, &[0.0; 4], ClusterCount::Given(3)).unwrap_err().to_string(),
        "3 clusters of 2 samples cannot be made; name at most 2, or auto"
    );
    assert!(matches!(cluster(3, &[0.0; 8], ClusterCount::Auto), Err(ClusterError::Shape { samples: 3, values: 8 })));
    assert!(ClusterTree::average(usize::MAX, &[]).is_err());
    assert_eq!(
        "two".parse::<ClusterCount>().unwrap_err().to_string(),
        "'two' is neither `auto` nor a whole number from 1 up"
    );
}
