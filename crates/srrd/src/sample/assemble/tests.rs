use super::*;

type Key = (u32, u32, u32);

/// Sorting, merging and counting the plainest way.
fn literally(rows: &[(u32, u32, u32, f64)]) -> (Vec<Key>, Vec<f64>, Vec<u32>) {
    let mut keys: Vec<_> = rows.iter().map(|&(s, a, t, _)| (s, t, a)).collect();
    keys.sort_unstable();
    keys.dedup();
    let place: Vec<u32> = rows.iter().map(|&(s, a, t, _)| keys.binary_search(&(s, t, a)).unwrap() as u32).collect();
    let mut values = vec![Vec::new(); keys.len()];
    rows.iter().zip(&place).for_each(|(row, &place)| values[place as usize].push(row.3));
    let mean = |mut values: Vec<f64>| {
        values.sort_unstable_by(f64::total_cmp);
        values.iter().sum::<f64>() / values.len() as f64
    };
    (keys, values.into_iter().map(mean).collect(), place)
}

#[test]
fn many_pieces_are_one_sample_on_any_number_of_threads() {
    // Rewards are small integers over 2, so that means are exact where rewards are equal.
    let draw = |i: u32| i.wrapping_mul(2_654_435_761).rotate_right(13);
    for (states, grouped) in [(700, false), (700, true), (3, false)] {
        let mut rows: Vec<(u32, u32, u32, f64)> = (0..100_000)
            .map(|i| (draw(i) % states, draw(i + 7) % 3, draw(3 * i + 1) % states, f64::from(draw(i) % 5) / 2.0))
            .chain((0..states).map(|s| (s, 0, s, 0.5)))
            .collect();
        if grouped {
            rows.sort_by_key(|row| row.0);
        }
        let column = |of: fn(&(u32, u32, u32, f64)) -> u32| rows.iter().map(of).collect::<Vec<u32>>();
        let (s, a, t) = (column(|row| row.0), column(|row| row.1), column(|row| row.2));
        let r: Vec<f64> = rows.iter().map(|row| row.3).collect();
        let (keys, values, place) = literally(&rows);
        let mut noise = None;
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (sample, placement) =
                pool.install(|| RewardSample::from_ids(&s, &a, &t, &r, Duplicates::Mean)).unwrap();
            assert_eq!(sample.ids().map(|(s, a, t)| (s, t, a)).collect::<Vec<_>>(), keys);
            assert_eq!(sample.rewards(), values);
            assert_eq!(placement.transition, place);
            let repeats = *noise.get_or_insert(sample.repeats);
            assert_eq!(repeats.squares.to_bits(), sample.repeats.squares.to_bits());
            assert_eq!(repeats, sample.repeats);
            assert_eq!(repeats.freedom, rows.len() - keys.len());
        }
    }
}
