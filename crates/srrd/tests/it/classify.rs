//! k-NN over reward samples: against scikit-learn, against a literal vote, and against leaks.

use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;
use srrd::answer::{Classification, ClassifyOptions, ClassifyPlan, classify, label};
use srrd::classify::{Classes, GammaDistances, Grid, RewardKnn, Splits, choose, evaluate, welch};
use srrd::compare::{Correlation, common_transitions, cross_distances, overlap_distances};
use srrd::settings::{Shrinkage, Support};
use srrd::{
    Choice, Duplicates, FrontEnd, Gamma, Metric, NamedSample, Options, RewardSample, Settings, distance, pairwise,
};

fn gammas(values: &[f64]) -> Vec<Gamma> {
    values.iter().map(|&value| Gamma::new(value).unwrap()).collect()
}

/// Symmetric distances of points in a plane whose place depends on the class.
fn points(size: usize, classes: usize, spread: f64, rng: &mut ChaCha8Rng) -> (Vec<f64>, Vec<String>) {
    let labels: Vec<usize> = (0..size).map(|_| rng.random_range(0..classes)).collect();
    let at = |class: usize, rng: &mut ChaCha8Rng| {
        [0, 1].map(|axis| (if axis == 0 { class % 3 } else { class / 3 }) as f64 + spread * rng.random_range(-1.0..1.0))
    };
    let places: Vec<[f64; 2]> = labels.iter().map(|&class| at(class, rng)).collect();
    let mut matrix = vec![0.0; size * size];
    for i in 0..size {
        for j in 0..size {
            matrix[i * size + j] = (places[i][0] - places[j][0]).hypot(places[i][1] - places[j][1]) / 10.0;
        }
    }
    (matrix, labels.iter().map(|class| format!("class {class}")).collect())
}

/// Rounds distances, so that many are equal, and makes some undefined: symmetric, as distances are.
fn coarse(matrix: &mut [f64], size: usize, undefined: f64, rng: &mut ChaCha8Rng) {
    for i in 0..size {
        for j in 0..i {
            let rounded = (matrix[i * size + j] * 40.0).round() / 40.0;
            let distance = if rng.random_bool(undefined) { f64::NAN } else { rounded };
            matrix[i * size + j] = distance;
            matrix[j * size + i] = distance;
        }
    }
}

/// The prediction of one sample, by the rules as they are written.
fn literal_vote(matrix: &[f64], size: usize, classes: &Classes, reference: &[u32], sample: u32, k: usize) -> usize {
    let d = |j: u32| matrix[sample as usize * size + j as usize];
    let mut distances: Vec<f64> = reference.iter().map(|&j| d(j)).filter(|d| !d.is_nan()).collect();
    distances.sort_by(f64::total_cmp);
    let last = distances.get(k.min(distances.len()).wrapping_sub(1)).copied();
    let standing = |class: usize| {
        let of_class = reference.iter().filter(|&&j| classes.of()[j as usize] == class);
        let Some(last) = last else { return (of_class.count(), 0.0, 0.0) };
        let mut own: Vec<f64> = of_class.map(|&j| d(j)).filter(|&d| d <= last).collect();
        own.sort_by(f64::total_cmp);
        (own.len(), own.first().copied().unwrap_or(f64::INFINITY), own.iter().sum())
    };
    let mut best = 0;
    for class in 1..classes.names().len() {
        let ((n, near, sum), (most, nearest, least)) = (standing(class), standing(best));
        if n > most || n == most && (near < nearest || near == nearest && sum < least) {
            best = class;
        }
    }
    best
}

#[test]
fn predictions_are_those_of_scikit_learn_where_no_tie_decides() {
    let golden: serde_json::Value = serde_json::from_str(include_str!("../data/knn.json")).unwrap();
    let numbers = |value: &serde_json::Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
    };
    let (size, train) = (golden["size"].as_u64().unwrap() as usize, golden["train"].as_u64().unwrap() as u32);
    let matrix = numbers(&golden["distances"]);
    let labels: Vec<String> = numbers(&golden["labels"]).iter().map(|label| label.to_string()).collect();
    let classes = Classes::new(&labels);
    let reference: Vec<u32> = (0..train).collect();
    let mut compared = 0;
    for case in golden["cases"].as_array().unwrap() {
        let k = case["k"].as_u64().unwrap() as usize;
        for (i, predicted) in numbers(&case["predicted"]).iter().enumerate() {
            if case["decided"][i].as_bool().unwrap() {
                let found = literal_vote(&matrix, size, &classes, &reference, train + i as u32, k);
                assert_eq!(classes.names()[found], predicted.to_string(), "k = {k}, sample {i}");
                compared += 1;
            }
        }
    }
    assert!(compared > 60);
}

#[test]
fn an_evaluation_is_what_its_definition_says() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut guessed = 0;
    for round in 0..24 {
        let (size, kinds) = (rng.random_range(9..40), rng.random_range(2..6));
        let (mut first, labels) = points(size, kinds, 0.9, &mut rng);
        let (mut other, _) = points(size, kinds, 2.0, &mut rng);
        if round % 2 == 1 {
            let undefined = [0.0, 0.3, 0.95][round as usize / 2 % 3];
            [&mut first, &mut other].into_iter().for_each(|matrix| coarse(matrix, size, undefined, &mut rng));
        }
        let classes = Classes::new(&labels);
        if classes.names().len() < 2 {
            continue;
        }
        let matrices = vec![other, first];
        let distances = GammaDistances::from_matrices(size, gammas(&[0.0, 0.5]), matrices.clone());
        let ks = [1, 3, 4, 50];
        let splits = Splits::new(0.6, 5, round).unwrap();
        let evaluation = evaluate(&distances, &classes, &Grid::new(&ks).unwrap(), &splits).unwrap();
        assert_eq!(evaluation.repeats.len(), 5);
        for (number, repeat) in evaluation.repeats.iter().enumerate() {
            let split = splits.split(number, &classes);
            let (train, test, [one, two]) = (split.train(), &split.test, &split.folds);
            let mut best = (0, 0, 0);
            for (g, matrix) in matrices.iter().enumerate() {
                for k in ks {
                    let right = |reference: &[u32], asked: &[u32]| {
                        let hit = |&&s: &&u32| {
                            literal_vote(matrix, size, &classes, reference, s, k) == classes.of()[s as usize]
                        };
                        asked.iter().filter(hit).count()
                    };
                    let hits = right(one, two) + right(two, one);
                    if hits > best.0 {
                        best = (hits, g, k);
                    }
                }
            }
            if best.0 > 0 {
                assert_eq!((repeat.gamma, repeat.k), (best.1, best.2));
            }
            assert_eq!(repeat.validation, best.0 as f64 / train.len() as f64);
            let matrix = &matrices[repeat.gamma];
            let hits = test
                .iter()
                .filter(|&&s| literal_vote(matrix, size, &classes, &train, s, repeat.k) == classes.of()[s as usize]);
            assert_eq!(repeat.scores.accuracy, hits.count() as f64 / test.len() as f64);
            let alone = |&&s: &&u32| train.iter().all(|&j| matrix[s as usize * size + j as usize].is_nan());
            assert_eq!(repeat.guessed, test.iter().filter(alone).count());
            guessed += repeat.guessed;
        }
        let together = evaluation.confusion().unwrap();
        let tested: u64 = together.as_slice().iter().sum();
        assert_eq!(tested as usize, 5 * (size - splits.train_size(&classes)));
    }
    assert!(guessed > 0, "the test should meet samples without neighbours");
}

#[test]
fn shuffled_labels_leave_chance() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let (size, kinds) = (300, 5);
    let (matrix, mut labels) = points(size, kinds, 0.6, &mut rng);
    let splits = Splits::new(0.7, 60, 0).unwrap();
    let grid = Grid::new(&[5, 10, 20]).unwrap();
    let distances = GammaDistances::from_matrices(size, gammas(&[0.5]), vec![matrix]);
    let accuracy = |labels: &[String]| {
        let evaluation = evaluate(&distances, &Classes::new(labels), &grid, &splits).unwrap();
        evaluation.spread(|scores| scores.accuracy).mean
    };
    assert!(accuracy(&labels) > 0.8);
    labels.shuffle(&mut rng);
    let chance = 1.0 / kinds as f64;
    assert!((accuracy(&labels) - chance).abs() < 0.06, "{}", accuracy(&labels));
}

/// What happens to the test part must not change what is chosen.
#[test]
fn hyper_parameters_never_see_the_test_part() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let size = 60;
    let (matrix, labels) = points(size, 4, 1.2, &mut rng);
    let (second, _) = points(size, 4, 1.2, &mut rng);
    let classes = Classes::new(&labels);
    let grid = Grid::new(&[1, 2, 3, 5, 9]).unwrap();
    let splits = Splits::new(0.7, 1, 8).unwrap();
    let test = splits.split(0, &classes).test;
    let choice = |matrices: Vec<Vec<f64>>| {
        let distances = GammaDistances::from_matrices(size, gammas(&[0.1, 0.9]), matrices);
        let repeat = evaluate(&distances, &classes, &grid, &splits).unwrap().repeats.remove(0);
        (repeat.gamma, repeat.k, repeat.validation)
    };
    let before = choice(vec![matrix.clone(), second.clone()]);
    let mut scrambled = [matrix, second];
    for matrix in &mut scrambled {
        for &s in &test {
            for j in 0..size {
                let d = rng.random_range(0.0..1.0);
                matrix[s as usize * size + j] = d;
                matrix[j * size + s as usize] = d;
            }
        }
    }
    assert_eq!(before, choice(scrambled.to_vec()));
}

/// Distances that know nothing of the labels, most of them undefined as where samples hardly share transitions: neither may lie below chance.
#[test]
fn labels_that_mean_nothing_are_at_chance_whatever_share_of_pairs_has_a_distance() {
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    let (kinds, each) = (4, 21);
    let size = kinds * each;
    let grid = Grid::new(&[1, 5, 20]).unwrap();
    let mut labels: Vec<usize> = (0..size).map(|sample| sample % kinds).collect();
    for undefined in [0.0, 0.9, 0.99, 1.0] {
        let mut accuracies = Vec::new();
        for round in 0..60 {
            let (mut matrix, _) = points(size, kinds, 1.0, &mut rng);
            coarse(&mut matrix, size, undefined, &mut rng);
            labels.shuffle(&mut rng);
            let names: Vec<String> = labels.iter().map(|label| label.to_string()).collect();
            let distances = GammaDistances::from_matrices(size, gammas(&[0.5]), vec![matrix]);
            let splits = Splits::new(0.7, 10, round).unwrap();
            let evaluation = evaluate(&distances, &Classes::new(&names), &grid, &splits).unwrap();
            accuracies.push(evaluation.spread(|scores| scores.accuracy).mean);
        }
        let n = accuracies.len() as f64;
        let mean = accuracies.iter().sum::<f64>() / n;
        let error = (accuracies.iter().map(|a| (a - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
        assert!((mean - 0.25).abs() <= 3.0 * error + 1e-12, "{undefined}: {mean} ± {error}");
        // Without any distance the first class is taken, which is a quarter of every test part.
        assert!(undefined < 1.0 || error < 1e-12);
    }
}

#[test]
fn splits_take_the_promised_share_of_every_class_and_differ() {
    let labels: Vec<&str> = std::iter::repeat_n("a", 20).chain(std::iter::repeat_n("b", 15)).chain(["c"; 2]).collect();
    let classes = Classes::new(&[&labels[..], &["d"]].concat());
    let splits = Splits::new(0.7, 10, 4).unwrap();
    assert_eq!(splits.train_size(&classes), 14 + 11 + 1 + 1);
    let mut seen = Vec::new();
    for repeat in 0..10 {
        let split = splits.split(repeat, &classes);
        let counts = |part: &[u32]| {
            [0, 1, 2, 3].map(|class| part.iter().filter(|&&s| classes.of()[s as usize] == class).count())
        };
        assert_eq!(counts(&split.folds[0]), [7, 5, 0, 0]);
        assert_eq!(counts(&split.folds[1]), [7, 6, 1, 1]);
        assert_eq!(counts(&split.test), [6, 4, 1, 0]);
        let mut all = [split.train(), split.test.clone()].concat();
        all.sort_unstable();
        assert_eq!(all, (0..38).collect::<Vec<_>>());
        assert!(!seen.contains(&split));
        seen.push(split);
    }
    assert_ne!(Splits::new(0.7, 10, 5).unwrap().split(0, &classes), seen[0]);
    // Both parts have samples of every class that has two.
    assert_eq!(Splits::new(0.99, 1, 0).unwrap().train_size(&classes), 19 + 14 + 1 + 1);
    assert_eq!(Splits::new(0.01, 1, 0).unwrap().train_size(&classes), 4);
}

fn random_samples(count: usize, rng: &mut ChaCha8Rng) -> Vec<RewardSample> {
    let sample = |rng: &mut ChaCha8Rng| {
        let rows: Vec<(u32, u32, u32, f64)> = (0..rng.random_range(20..60))
            .map(|_| {
                (rng.random_range(0..6), rng.random_range(0..2), rng.random_range(0..6), rng.random_range(-1.0..1.0))
            })
            .collect();
        RewardSample::from_rows(rows, Duplicates::First).unwrap()
    };
    (0..count).map(|_| sample(rng)).collect()
}

#[test]
fn distances_for_many_gammas_are_the_single_ones() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let samples = random_samples(9, &mut rng);
    let references: Vec<&RewardSample> = samples.iter().collect();
    let tried = gammas(&[0.0, 0.3, 1.0]);
    for (metric, correlation) in Metric::ALL.into_iter().flat_map(|m| Correlation::ALL.iter().map(move |&c| (m, c))) {
        let shrinkage = Shrinkage::new(if correlation == Correlation::Pearson { 0.0 } else { 7.0 }).unwrap();
        let settings = Settings { min_common: 15, correlation, shrinkage, ..Settings::default() };
        let distances = GammaDistances::new(&references, metric, &tried, &settings);
        let mut undefined = 0;
        for (g, &gamma) in tried.iter().enumerate() {
            undefined = 0;
            for i in 0..samples.len() {
                for j in 0..samples.len() {
                    let single = distance(&samples[i], &samples[j], metric, &Settings { gamma, ..settings }).distance();
                    undefined += usize::from(i < j && single.is_none());
                    let found = Some(distances.matrix(g)[i * samples.len() + j]).filter(|d| !d.is_nan());
                    assert_eq!(found, single, "{metric}");
                }
            }
            assert_eq!(distances.undefined(g), undefined);
        }
        assert!(undefined > 0, "the test should meet undefined distances");
    }
}

#[test]
fn the_classifier_votes_as_the_evaluation_does() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let samples = random_samples(25, &mut rng);
    let labels: Vec<String> = (0..25).map(|i| format!("{}", i % 3)).collect();
    let classes = Classes::new(&labels);
    let references: Vec<&RewardSample> = samples.iter().collect();
    for (metric, min_common) in [(Metric::Direct, 3), (Metric::Direct, 14), (Metric::Srrd, 16), (Metric::Projected, 3)]
    {
        let settings = Settings { min_common, shrinkage: Shrinkage::OF_NEIGHBOURS, ..Settings::default() };
        let distances = GammaDistances::new(&references, metric, &[settings.gamma], &settings);
        let train: Vec<u32> = (0..18).collect();
        for k in [1, 4, 40] {
            let knn = RewardKnn::new(k, metric, settings).unwrap().fit(&samples[..18], &labels[..18]).unwrap();
            for (i, prediction) in knn.predict(&references[18..]).iter().enumerate() {
                let expected = literal_vote(distances.matrix(0), 25, &classes, &train, 18 + i as u32, k);
                assert_eq!(prediction.label, classes.names()[expected]);
                // Who is as near as the k-th votes, too.
                let expected = k.min(18 - prediction.undefined);
                assert!(prediction.neighbours.len() >= expected);
                let last = prediction.neighbours.last().map(|neighbour| neighbour.distance);
                assert!(prediction.neighbours.iter().skip(expected.max(1) - 1).all(|n| Some(n.distance) == last));
                assert_eq!(prediction.votes.iter().map(|(_, count)| count).sum::<usize>(), prediction.neighbours.len());
                assert!(prediction.neighbours.is_sorted_by(|a, b| a.distance <= b.distance));
            }
        }
    }
}

#[test]
fn the_order_of_the_training_samples_decides_no_vote() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    // Everyone is there three times, under two or three names: many are equally near.
    let samples: Vec<RewardSample> =
        random_samples(12, &mut rng).into_iter().flat_map(|s| [s.clone(), s.clone(), s]).collect();
    let labels: Vec<String> = (0..samples.len()).map(|_| format!("{}", rng.random_range(0..4))).collect();
    let asked = random_samples(10, &mut rng);
    let asked: Vec<&RewardSample> = asked.iter().chain(&samples[..6]).collect();
    let mut order: Vec<usize> = (0..samples.len()).collect();
    order.shuffle(&mut rng);
    let moved: Vec<RewardSample> = order.iter().map(|&i| samples[i].clone()).collect();
    let renamed: Vec<&String> = order.iter().map(|&i| &labels[i]).collect();
    for (metric, k) in [Metric::Direct, Metric::Srrd].into_iter().flat_map(|m| [1, 2, 4, 7, 50].map(|k| (m, k))) {
        let settings = Settings { min_common: 12, ..Settings::default() };
        let knn = || RewardKnn::new(k, metric, settings).unwrap();
        let one = knn().fit(&samples, &labels).unwrap().predict(&asked);
        let other = knn().fit(&moved, &renamed).unwrap().predict(&asked);
        for (one, other) in one.iter().zip(&other) {
            assert_eq!((&one.label, &one.votes), (&other.label, &other.votes));
            assert!(one.neighbours.len() >= k.min(samples.len() - one.undefined));
        }
    }
}

#[test]
fn mistakes_are_errors() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let samples = random_samples(3, &mut rng);
    let message = |result: Result<(), srrd::classify::ClassifyError>| result.unwrap_err().to_string();
    let knn = |k| RewardKnn::new(k, Metric::Srrd, Settings::default());
    assert!(message(knn(0).map(|_| ())).contains("at least 1"));
    assert!(message(knn(1).unwrap().fit(&samples, &["a"]).map(|_| ())).contains("3 samples and 1 labels"));
    assert!(message(knn(1).unwrap().fit::<&str>(&[], &[]).map(|_| ())).contains("nothing to learn from"));
    assert!(message(Grid::new(&[]).map(|_| ())).contains("no number of neighbours"));
    assert!(message(Splits::new(1.0, 5, 0).map(|_| ())).contains("between 0 and 1"));
    assert!(message(Splits::new(f64::NAN, 5, 0).map(|_| ())).contains("between 0 and 1"));
    assert!(message(Splits::new(0.5, 0, 0).map(|_| ())).contains("at least one repeat"));
    let of = |size: usize| GammaDistances::from_matrices(size, gammas(&[0.5]), vec![vec![0.5; size * size]]);
    let labels = |labels: &[&str]| Classes::new(labels);
    let (grid, splits) = (Grid::default(), Splits::default());
    assert!(message(evaluate(&of(2), &labels(&["a", "b"]), &grid, &splits).map(|_| ())).contains("2 samples"));
    assert!(message(evaluate(&of(9), &labels(&["a"; 9]), &grid, &splits).map(|_| ())).contains("label 'a'"));
    assert!(message(evaluate(&of(9), &labels(&["a"; 8]), &grid, &splits).map(|_| ())).contains("8 labels"));
    assert!(message(choose(&of(1), &labels(&["a"]), &grid, 0).map(|_| ())).contains("1 samples"));
    assert_eq!(welch(&[1.0], &[1.0, 2.0]), None);
}

#[test]
fn shrinkage_is_what_its_formula_says_wherever_distances_are_taken() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let samples = random_samples(7, &mut rng);
    let all: Vec<&RewardSample> = samples.iter().collect();
    let lambda = 12.5;
    for metric in Metric::ALL {
        for (correlation, support) in [(0, Support::Pair), (1, Support::Pair), (0, Support::Own)] {
            let correlation = Correlation::ALL[correlation];
            let plain = Settings { correlation, support, ..Settings::default() };
            let shrunk = Settings { shrinkage: Shrinkage::new(lambda).unwrap(), ..plain };
            let (matrix, block) =
                (pairwise(&all, metric, &shrunk), cross_distances(&all, &all, metric, &shrunk).distances);
            for i in 0..all.len() {
                for j in 0..all.len() {
                    let found = distance(all[i], all[j], metric, &shrunk);
                    let before = distance(all[i], all[j], metric, &plain);
                    assert_eq!(matrix.get(i, j), found.distance(), "{metric}");
                    assert_eq!(Some(block[i * all.len() + j]).filter(|d| !d.is_nan()), found.distance(), "{metric}");
                    let Some(rho) = before.correlation() else { continue };
                    let n = before.shaping.map_or(before.common, |shaping| shaping.degrees_of_freedom) as f64;
                    let expected = rho * n / (n + lambda);
                    assert!((found.correlation().unwrap() - expected).abs() < 1e-12, "{metric}");
                    if metric != Metric::Npec {
                        let expected = ((1.0 - expected) / 2.0).sqrt();
                        assert!((found.distance().unwrap() - expected).abs() < 1e-12, "{metric}");
                    }
                }
            }
        }
    }
}

#[test]
fn overlap_is_the_share_of_common_transitions() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let samples = random_samples(12, &mut rng);
    let (rows, columns): (Vec<&RewardSample>, Vec<&RewardSample>) =
        (samples[..5].iter().collect(), samples.iter().collect());
    let found = overlap_distances(&rows, &columns);
    for (i, a) in rows.iter().enumerate() {
        for (j, b) in columns.iter().enumerate() {
            let shared = common_transitions(a, b).len();
            let expected = 1.0 - shared as f64 / (a.len() + b.len() - shared) as f64;
            assert_eq!(found[i * columns.len() + j], expected);
        }
    }
    let far = RewardSample::from_rows([(90, 0, 91, 1.0), (91, 0, 90, 2.0)], Duplicates::First).unwrap();
    assert!(overlap_distances(&rows, &[&far]).iter().all(|d| d.is_nan()));
}

/// Samples of four agents on a small grid, few transitions each, in the order of their names.
fn agents(rng: &mut ChaCha8Rng) -> Vec<NamedSample> {
    (0..48)
        .map(|i| {
            let agent = i % 4;
            let rows: Vec<(u32, u32, u32, f64)> = (0..rng.random_range(6..14))
                .map(|_| {
                    let s = rng.random_range(0..9u32);
                    let t = (s + 1 + rng.random_range(0..2)) % 9;
                    (s, 0, t, f64::from(s * 3 + t * (agent + 1) % 7) + rng.random_range(-0.5..0.5))
                })
                .collect();
            let sample = RewardSample::from_rows(rows, Duplicates::First).unwrap();
            let mut named = NamedSample::new(format!("sample {i:02}"), sample);
            named.label = Some(format!("agent {agent}"));
            named
        })
        .collect()
}

fn json(found: &Classification) -> serde_json::Value {
    serde_json::to_value(found).unwrap()
}

#[test]
fn the_order_of_the_table_changes_nothing() {
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    let samples = agents(&mut rng);
    let mut order: Vec<&NamedSample> = samples.iter().collect();
    let metrics = vec![Metric::Direct, Metric::Srrd, Metric::Projected];
    let question = Options { metrics, ..Options::default() }.question().unwrap();
    let choices = ClassifyOptions { gammas: vec![0.5, 0.9], ks: vec![1, 3, 8], repeats: 12, ..Default::default() };
    let plan = ClassifyPlan::new(&question, &choices).unwrap();
    let one = Options { metrics: vec![Metric::Srrd], ..Options::default() }.question().unwrap();
    let one = ClassifyPlan::new(&one, &choices).unwrap();
    let told = json(&classify(&order, &plan).unwrap());
    let labelled = serde_json::to_value(label(&order[8..], &order[..8], &one).unwrap()).unwrap();
    let (asked, mut known) = (order[..8].to_vec(), order[8..].to_vec());
    for _ in 0..3 {
        order.shuffle(&mut rng);
        assert_eq!(json(&classify(&order, &plan).unwrap()), told);
        known.shuffle(&mut rng);
        assert_eq!(serde_json::to_value(label(&known, &asked, &one).unwrap()).unwrap(), labelled);
    }
}

#[test]
fn beside_every_accuracy_stands_that_of_overlap_alone() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut samples = agents(&mut rng);
    samples.sort_by(|a, b| (&a.label, &a.name).cmp(&(&b.label, &b.name)));
    let all: Vec<&NamedSample> = samples.iter().collect();
    let choices = ClassifyOptions { gammas: vec![0.5, 0.9], ks: vec![1, 3, 8], repeats: 12, ..Default::default() };
    let plan = ClassifyPlan::new(&Options::default().question().unwrap(), &choices).unwrap();
    let found = classify(&all, &plan).unwrap();
    let rewards: Vec<&RewardSample> = all.iter().map(|named| &named.sample).collect();
    let size = all.len();
    let matrix = overlap_distances(&rewards, &rewards);
    let labels: Vec<&str> = all.iter().map(|named| named.label.as_deref().unwrap()).collect();
    let distances = GammaDistances::from_matrices(size, gammas(&[0.5]), vec![matrix]);
    let splits = Splits::new(0.7, 12, 0).unwrap();
    let expected = evaluate(&distances, &Classes::new(&labels), &Grid::new(&[1, 3, 8]).unwrap(), &splits).unwrap();
    assert_eq!(found.overlap, expected);
    let told = json(&found);
    assert_eq!(told["overlap"]["accuracy"]["mean"].as_f64(), Some(expected.spread(|s| s.accuracy).mean));
    assert_eq!(told["shrinkage"].as_f64(), Some(Shrinkage::OF_NEIGHBOURS.get()));
}

#[test]
fn a_sample_without_neighbours_gets_the_most_frequent_class_and_that_is_told() {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    let mut samples = agents(&mut rng);
    samples.truncate(20);
    let names = ["b", "b", "a", "a", "c"];
    samples.iter_mut().zip(names.iter().cycle()).for_each(|(named, label)| named.label = Some((*label).to_owned()));
    let far = RewardSample::from_rows((90..99).map(|s| (s, 0, s + 1, f64::from(s % 4))), Duplicates::First).unwrap();
    // It shares its states with the others, and no transition.
    let near = RewardSample::from_rows((0..9).map(|s| (s, 0, s, f64::from(s % 4))), Duplicates::First).unwrap();
    let alone = NamedSample::new("alone".to_owned(), near.clone());
    let known: Vec<&NamedSample> = samples.iter().collect();
    let choices = ClassifyOptions { gammas: vec![0.9], ks: vec![3], repeats: 20, ..Default::default() };
    let plan = ClassifyPlan::new(&Options::default().question().unwrap(), &choices).unwrap();
    let found = label(&known, &[&alone], &plan).unwrap();
    assert_eq!(found.predictions[0].prediction.label, "a", "eight a, eight b, four c");
    assert!(found.predictions[0].prediction.neighbours.is_empty());
    let said = found.warnings.iter().map(|warning| warning.say(FrontEnd::Command)).collect::<Vec<_>>().join("\n");
    assert!(said.contains("its label is the most frequent one"), "{said}");
    samples.push(NamedSample { label: Some("c".to_owned()), ..alone });
    samples.push(NamedSample { label: Some("c".to_owned()), ..NamedSample::new("far".to_owned(), far) });
    let found = classify(&samples.iter().collect::<Vec<_>>(), &plan).unwrap();
    let guessed = found.results[0].evaluation.guessed();
    assert!(guessed > 0);
    let said = found.warnings.iter().map(|warning| warning.say(FrontEnd::Command)).collect::<Vec<_>>().join("\n");
    let tested = 20 * (22 - found.train);
    assert!(said.contains(&format!("{guessed} of {tested} predictions are the most frequent class")), "{said}");
    assert!(said.contains("and no vote"), "{said}");
}
