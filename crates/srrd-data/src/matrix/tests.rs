//! A matrix that was given up anywhere, and whose file was damaged anywhere, ends with the bytes of one that was computed at once.

use std::fs;
use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use srrd::{Duplicates, Metric, NamedSample, Options, RewardSample};

use super::*;
use crate::matrix::MatrixWriter;

/// Samples of which some share nothing, some too little to say much, and some are constant.
fn samples(count: usize) -> Vec<NamedSample> {
    let sample = |k: usize| {
        let far = if k % 5 == 4 { 1000 } else { 0 };
        let rows = (0..if k % 4 == 2 { 15 } else { 40usize }).map(|row| {
            let reward = if k % 7 == 3 { 1.0 } else { ((row * (k + 3)) % 17) as f64 };
            ((far + row % 11) as i64, (row % 2) as i64, (far + (row * 7 + k) % 11) as i64, reward)
        });
        NamedSample::new(format!("s{k}"), RewardSample::from_rows(rows, Duplicates::Mean).unwrap())
    };
    (0..count).map(sample).collect()
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// A matrix of 23 samples in the file `path`, as far as it was computed.
fn asked(samples: &[NamedSample]) -> AllPairs<'_> {
    let options = Options { metrics: vec![Metric::Direct], ..Options::default() };
    AllPairs::new(&samples.iter().collect::<Vec<_>>(), &options.question().unwrap()).unwrap()
}

#[test]
fn bands_are_the_matrix_at_once_to_the_last_bit() {
    let samples = samples(23);
    let asked = asked(&samples);
    let whole = srrd::matrix(
        &samples.iter().collect::<Vec<_>>(),
        &Options { metrics: vec![Metric::Direct], ..Options::default() }.question().unwrap(),
    )
    .unwrap();
    let mut kept = KeptMatrix::open(None, &asked, 23).unwrap();
    kept.complete(&asked.pairs()).unwrap();
    for height in [1, 5, 23] {
        let rows = (0..23).step_by(height).map(|first| kept.whole_rows(first..23.min(first + height), None).unwrap());
        assert_eq!(bits(&rows.collect::<Vec<_>>().concat()), bits(whole.distances.as_slice()), "{height}");
    }
    assert_eq!(bits(&kept.whole_rows(0..23, Some(0.5)).unwrap()), bits(&whole.distances.filled(0.5)));
    let again = kept.matrix().unwrap();
    assert_eq!(bits(again.as_slice()), bits(whole.distances.as_slice()));
    assert!(again.weak().eq(whole.distances.weak()) && again.undefined().eq(whole.distances.undefined()));
    assert!(again.weak().count() > 0);
    let failed = Cell::new(None);
    assert_eq!(kept.undefined(&failed).collect::<Vec<_>>(), whole.distances.undefined().collect::<Vec<_>>());
    assert!(whole.distances.undefined().count() > 20);
    let found = asked.overview(kept.tally());
    assert_eq!(found.warnings, whole.warnings);
    assert!(found.warnings.len() > 1);
}

/// The bytes of every format, from what is kept in `path` on.
fn written(folder: &Path, path: &Path, samples: &[NamedSample]) -> Vec<Vec<u8>> {
    let asked = asked(samples);
    let mut kept = KeptMatrix::open(Some(path), &asked, samples.len()).unwrap();
    kept.complete(&asked.pairs()).unwrap();
    let about = asked.overview(kept.tally());
    let mut names = vec!["d.csv", "d.npy", "d.csv.gz"];
    if cfg!(feature = "parquet") {
        names.push("d.parquet");
    }
    for name in &names {
        MatrixWriter::create(&folder.join(name), samples).unwrap().write(&kept, &about, None).unwrap();
    }
    kept.finish().unwrap();
    assert!(!path.exists());
    names.iter().map(|name| fs::read(folder.join(name)).unwrap()).collect()
}

#[test]
fn a_file_that_was_cut_or_damaged_anywhere_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.csv.unfinished");
    let samples = samples(19);
    let expected = written(folder.path(), &path, &samples);
    let part = || {
        let asked = asked(&samples);
        let pairs = asked.pairs();
        let mut kept = KeptMatrix::open(Some(&path), &asked, 19).unwrap();
        kept.save().unwrap();
        for rows in [0..3, 3..4, 4..12] {
            kept.keep(&pairs.band(rows)).unwrap();
        }
        drop(kept);
        fs::read(&path).unwrap()
    };
    let bytes = part();
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let head = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let mut kept_rows = std::collections::BTreeSet::new();
    for round in 0..45 {
        let mut damaged = bytes.clone();
        let at = random.random_range(head..bytes.len());
        match round % 3 {
            0 => damaged.truncate(at),
            1 => damaged[at] ^= 1 << random.random_range(0..8),
            _ => damaged.extend(bytes[at..].to_vec()),
        }
        fs::write(&path, &damaged).unwrap();
        kept_rows.insert(KeptMatrix::open(Some(&path), &asked(&samples), 19).unwrap().rows());
        assert_eq!(written(folder.path(), &path, &samples), expected, "round {round}");
    }
    assert_eq!(kept_rows.into_iter().collect::<Vec<_>>(), [0, 3, 4, 12]);
}

#[test]
fn other_matrices_are_begun_anew_and_other_files_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.npy.unfinished");
    assert_eq!(KeptMatrix::beside(&folder.path().join("d.npy")), path);
    let (samples, others) = (samples(9), samples(8));
    let asked = asked(&samples);
    let mut kept = KeptMatrix::open(Some(&path), &asked, 9).unwrap();
    kept.keep(&asked.pairs().band(0..4)).unwrap();
    assert!(!path.exists(), "what was fast is not worth a file");
    kept.save().unwrap();
    let error = KeptMatrix::open(Some(&path), &asked, 9).err().unwrap();
    assert!(error.to_string().contains("is being written by another process"), "{error}");
    drop(kept);
    assert_eq!(KeptMatrix::open(Some(&path), &asked, 9).unwrap().rows(), 4);
    assert_eq!(KeptMatrix::open(Some(&path), &self::asked(&others), 8).unwrap().rows(), 0);
    assert!(!path.exists());
    // Whoever began it was killed at once.
    for begun in ["", "{\"srrd_matr"] {
        fs::write(&path, begun).unwrap();
        assert_eq!(KeptMatrix::open(Some(&path), &asked, 9).unwrap().rows(), 0);
        assert!(!path.exists());
    }
    for other in ["mine\n", "{\"srrd_matrix\":1}\n", "no line end"] {
        fs::write(&path, other).unwrap();
        let error = KeptMatrix::open(Some(&path), &asked, 9).err().unwrap();
        assert!(error.to_string().contains("no unfinished matrix of srrd; remove it"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), other);
    }
}
