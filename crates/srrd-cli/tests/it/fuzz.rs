//! The fuzz targets, on a bounded number of damaged seeds: they compile with the code that they attack, and hold.

#[path = "../../../../fuzz/bodies.rs"]
mod bodies;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::Path;
use std::time::{Duration, Instant};

/// Some bytes changed, removed, doubled or cut off, but for the first one, which chooses what is read.
fn damage(random: &mut impl Rng, bytes: &mut Vec<u8>) {
    for _ in 0..random.random_range(1..4) {
        if bytes.len() < 2 {
            return;
        }
        let at = random.random_range(1..bytes.len());
        let end = (at + random.random_range(1..17)).min(bytes.len());
        match random.random_range(0..5) {
            0 => bytes[at] ^= 1 << random.random_range(0..8),
            1 => bytes[at..end].fill([0x00, 0xff, b'9', b','][random.random_range(0..4)]),
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end)),
            _ => {
                let doubled = bytes[at..end].to_vec();
                bytes.splice(at..at, doubled);
            }
        }
    }
}

#[test]
fn every_target_holds_on_damaged_seeds() {
    for (name, target) in bodies::TARGETS {
        let seeds = bodies::seeds(name);
        assert!(!seeds.is_empty(), "{name}");
        seeds.iter().for_each(|seed| target(seed));
        let cases = if name == "samples" { 300 } else { 100 };
        for case in 0..cases {
            let mut random = ChaCha8Rng::seed_from_u64(case);
            let mut bytes = seeds[case as usize % seeds.len()].clone();
            damage(&mut random, &mut bytes);
            let began = Instant::now();
            target(&bytes);
            assert!(began.elapsed() < Duration::from_secs(20), "{name}, case {case} takes too long");
        }
    }
}

#[test]
fn every_target_can_be_run_by_the_fuzzer() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = std::fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    for (name, _) in bodies::TARGETS {
        let target = std::fs::read_to_string(fuzz.join(format!("fuzz_targets/{name}.rs"))).unwrap();
        assert!(target.contains(&format!("bodies::{name}(data)")), "{name}");
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
    }
    let named = manifest.matches("fuzz_targets/").count();
    assert_eq!(named, bodies::TARGETS.len(), "a target without a body");
}
