//! k-NN over reward samples: against scikit-learn, against a literal vote, and against leaks.

use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;
use srrd::classify::{Classes, GammaDistances, Grid, RewardKnn, Splits, choose, evaluate, welch};
use srrd::{Choice, Correlation, Duplicates, Gamma, Metric, RewardSample, Settings, distance};

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

/// The prediction of one sample, by the rules as they are written.
fn literal_vote(matrix: &[f64], size: usize, classes: &Classes, reference: &[u32], sample: u32, k: usize) -> usize {
    let mut neighbours: Vec<u32> = reference.to_vec();
    neighbours.sort_by(|&a, &b| {
        let d = |j: u32| matrix[sample as usize * size + j as usize];
        d(a).total_cmp(&d(b)).then(a.cmp(&b))
    });
    neighbours.truncate(k);
    let votes = |class: usize| neighbours.iter().filter(|&&j| classes.of()[j as usize] == class).count();
    let most = (0..classes.names().len()).map(votes).max().unwrap();
    let nearest = neighbours.iter().find(|&&j| votes(classes.of()[j as usize]) == most).unwrap();
    classes.of()[*nearest as usize]
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
    for round in 0..12 {
        let (size, kinds) = (rng.random_range(9..40), rng.random_range(2..6));
        let (first, labels) = points(size, kinds, 0.9, &mut rng);
        let (other, _) = points(size, kinds, 2.0, &mut rng);
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
            let (train, test) = splits.split(number, size);
            let (one, two) = train.split_at(train.len() / 2);
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
        }
        let together = evaluation.confusion().unwrap();
        let tested: u64 = together.as_slice().iter().sum();
        assert_eq!(tested as usize, 5 * (size - splits.train_size(size)));
    }
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
    let (_, test) = splits.split(0, size);
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

#[test]
fn splits_are_of_the_promised_size_and_differ() {
    let splits = Splits::new(0.7, 10, 4).unwrap();
    let mut seen = Vec::new();
    for repeat in 0..10 {
        let (train, test) = splits.split(repeat, 41);
        assert_eq!((train.len(), test.len()), (29, 12));
        let mut all: Vec<u32> = train.iter().chain(&test).copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..41).collect::<Vec<_>>());
        assert!(!seen.contains(&train));
        seen.push(train);
    }
    assert_ne!(Splits::new(0.7, 10, 5).unwrap().split(0, 41), splits.split(0, 41));
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
        let settings = Settings { min_common: 15, correlation, ..Settings::default() };
        let distances = GammaDistances::new(&references, metric, &tried, &settings);
        let mut undefined = 0;
        for (g, &gamma) in tried.iter().enumerate() {
            undefined = 0;
            for i in 0..samples.len() {
                for j in 0..samples.len() {
                    let single = distance(&samples[i], &samples[j], metric, &Settings { gamma, ..settings }).distance();
                    undefined += usize::from(i < j && single.is_none());
                    let expected = if i == j { single.unwrap_or(0.0) } else { single.unwrap_or(1.0) };
                    assert_eq!(distances.matrix(g)[i * samples.len() + j], expected, "{metric}");
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
    for metric in [Metric::Direct, Metric::Srrd, Metric::Projected] {
        let settings = Settings::default();
        let distances = GammaDistances::new(&references, metric, &[settings.gamma], &settings);
        let train: Vec<u32> = (0..18).collect();
        for k in [1, 4, 40] {
            let knn = RewardKnn::new(k, metric, settings).unwrap().fit(&samples[..18], &labels[..18]).unwrap();
            for (i, prediction) in knn.predict(&references[18..]).iter().enumerate() {
                let expected = literal_vote(distances.matrix(0), 25, &classes, &train, 18 + i as u32, k);
                assert_eq!(prediction.label, classes.names()[expected]);
                assert_eq!(prediction.neighbours.len(), k.min(18));
                assert_eq!(prediction.votes.iter().map(|(_, count)| count).sum::<usize>(), k.min(18));
                assert!(prediction.neighbours.is_sorted_by(|a, b| a.distance <= b.distance));
            }
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
