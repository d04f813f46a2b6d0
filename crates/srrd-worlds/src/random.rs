//! Where all randomness comes from: ChaCha8, one stream per purpose.

use rand::{Rng, SeedableRng};

/// ChaCha8, the only generator used. The same seed gives the same values on every machine.
pub type Stream = rand_chacha::ChaCha8Rng;

/// The stream of a seed for one purpose ("rollouts", "reward", …). Streams of different purposes or seeds are independent.
///
/// The key is `ChaCha8Rng::seed_from_u64(seed)`, the stream number is the 64-bit FNV-1a hash of the bytes of `purpose`.
///
/// ```
/// use srrd_worlds::stream;
/// assert_eq!(stream(0, "rollouts"), stream(0, "rollouts"));
/// assert_ne!(stream(0, "rollouts"), stream(0, "reward"));
/// ```
pub fn stream(seed: u64, purpose: &str) -> Stream {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let number = purpose.bytes().fold(OFFSET_BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
    let mut rng = Stream::seed_from_u64(seed);
    rng.set_stream(number);
    rng
}

/// A seed for one purpose: the first 64 bits of [`stream`]`(seed, purpose)`. For things that take a seed of their own, such
/// as the reward function of the third class.
///
/// ```
/// use srrd_worlds::derive_seed;
/// assert_ne!(derive_seed(0, "agent01"), derive_seed(0, "agent02"));
/// ```
pub fn derive_seed(seed: u64, purpose: &str) -> u64 {
    stream(seed, purpose).next_u64()
}

/// 2⁶³: draws of 63 bits are below it.
pub(crate) const CERTAIN: u64 = 1 << 63;

/// 63 random bits.
#[inline]
pub(crate) fn bits63(rng: &mut Stream) -> u64 {
    rng.next_u64() >> 1
}

/// Uniform in [−1, 1).
#[inline]
pub(crate) fn symmetric(rng: &mut Stream) -> f64 {
    // 53 random bits, of which the first is the sign.
    (rng.next_u64() as i64 >> 11) as f64 * (1.0 / (1u64 << 52) as f64)
}

/// Uniform in 0..n, up to a bias of n · 2⁻⁶⁴.
#[inline]
pub(crate) fn below(n: u64, rng: &mut Stream) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(n)) >> 64) as u64
}

/// An event of fixed probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Chance {
    probability: f64,
    /// It happens when 63 random bits are below this.
    bound: u64,
}

impl Chance {
    /// `None` when `probability` is not between 0 and 1.
    pub(crate) fn new(probability: f64) -> Option<Self> {
        let bound = (probability * CERTAIN as f64) as u64;
        (0.0..=1.0).contains(&probability).then_some(Chance { probability, bound })
    }

    pub(crate) fn probability(self) -> f64 {
        self.probability
    }

    /// Whether it happens. The impossible takes nothing from the stream.
    #[inline]
    pub(crate) fn happens(self, rng: &mut Stream) -> bool {
        self.bound != 0 && bits63(rng) < self.bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_what_they_have_always_been() {
        let first = |seed, purpose| stream(seed, purpose).next_u64();
        let values = [first(0, "rollouts"), first(0, "reward"), first(1, "rollouts"), first(u64::MAX, "")];
        assert_eq!(values, [4446039647187230845, 10658361301446560467, 11101481706142923203, 3803011851793977152]);
        assert_eq!(derive_seed(1, "rollouts"), values[2]);
    }

    #[test]
    fn symmetric_numbers_fill_their_interval_evenly() {
        let mut rng = stream(0, "test");
        let mut buckets = [0; 8];
        for _ in 0..80_000 {
            let value = symmetric(&mut rng);
            assert!((-1.0..1.0).contains(&value));
            buckets[((value + 1.0) * 4.0) as usize] += 1;
        }
        assert!(buckets.iter().all(|n| (9_600..10_400).contains(n)), "{buckets:?}");
    }

    #[test]
    fn chances_happen_as_often_as_they_say() {
        for probability in [0.0, 0.1, 0.5, 0.9, 1.0] {
            let chance = Chance::new(probability).unwrap();
            let mut rng = stream(0, "test");
            let n = (0..100_000).filter(|_| chance.happens(&mut rng)).count() as f64;
            assert!((n / 1e5 - probability).abs() < 0.006, "{n}");
            if [0.0, 1.0].contains(&probability) {
                assert_eq!(n, probability * 1e5);
            }
        }
        for wrong in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(Chance::new(wrong).is_none());
        }
    }

    #[test]
    fn below_is_uniform() {
        let mut rng = stream(0, "test");
        let mut counts = [0; 5];
        (0..50_000).for_each(|_| counts[below(5, &mut rng) as usize] += 1);
        assert!(counts.iter().all(|n| (9_600..10_400).contains(n)), "{counts:?}");
    }
}
