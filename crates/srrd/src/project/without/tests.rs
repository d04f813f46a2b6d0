use super::super::END;
use super::*;
use crate::settings::Gamma;
use proptest::prelude::*;

/// Numbers that look like chance.
fn mixed(number: u64) -> u64 {
    let mut hash = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    hash ^ (hash >> 31)
}

fn unit(number: u64) -> f64 {
    (mixed(number) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// The residuals of two vectors without a twentieth of the states, both ways; `None` where the quick one gives up.
fn both(pairs: &[(u32, u32)], gamma: f64, group: u64, within: f64) -> Option<[Vec<Two>; 2]> {
    let gamma = Gamma::new(gamma).unwrap();
    let values = [1, 2].map(|salt| -> Vec<f64> {
        (0..pairs.len() as u64).map(|i| 1e3 * unit(i * 7 + salt) + if salt == 2 { 1.0 } else { 0.0 }).collect()
    });
    let projection = Projection::on(pairs.iter().copied(), gamma);
    let left = values.each_ref().map(|values| projection.residual(values));
    let out = |state: u32| state != END && mixed(u64::from(state)) % 20 == group;
    let rows: Vec<u32> =
        (0..pairs.len() as u32).filter(|&i| !out(pairs[i as usize].0) && !out(pairs[i as usize].1)).collect();
    let gone: Vec<u32> = (0..pairs.len() as u32).filter(|row| rows.binary_search(row).is_err()).collect();
    let of_all = projection.residuals([&left[0], &left[1]])?;
    let found = of_all.without(&gone, 5, within)?.pairs().map(<[f64; 2]>::from).collect();
    let anew = Projection::on(rows.iter().map(|&i| pairs[i as usize]), gamma);
    assert!(anew.shaping().degrees_of_freedom >= 5);
    let [x, y] = values.map(|values| anew.residual(&rows.iter().map(|&i| values[i as usize]).collect::<Vec<f64>>()));
    Some([found, x.into_iter().zip(y).map(|(x, y)| [x, y]).collect()])
}

/// Whether both ways agree to this part of the length of what is left.
fn agree([found, expected]: &[Vec<Two>; 2], within: f64) -> bool {
    let length = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    (0..2).all(|k| {
        let apart = length(&mut found.iter().zip(expected).map(|(a, b)| a[k] - b[k]));
        apart <= within * length(&mut expected.iter().map(|value| value[k])).max(1e-6)
    })
}

/// A grid with loops at its borders, in which some walls end episodes.
fn grid(side: u32, ends: bool) -> Vec<(u32, u32)> {
    let at = |x: u32, y: u32| y * side + x;
    let cells = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
    cells
        .flat_map(|(x, y)| {
            let wall = if ends && (x + y) % 11 == 0 { END } else { at(x, y) };
            [
                if x + 1 < side { at(x + 1, y) } else { wall },
                if y > 0 { at(x, y - 1) } else { wall },
                if x > 0 { at(x - 1, y) } else { wall },
                if y + 1 < side { at(x, y + 1) } else { wall },
            ]
            .map(|next| (at(x, y), next))
        })
        .collect()
}

#[test]
fn leaving_out_is_projecting_anew() {
    let star: Vec<(u32, u32)> = (1..2000).flat_map(|leaf| [(0, leaf), (leaf, 0)]).collect();
    let random = |states: u64, rows: u64| -> Vec<(u32, u32)> {
        let mut rows: Vec<(u32, u32)> =
            (0..rows).map(|i| ((mixed(3 * i) % states) as u32, (mixed(3 * i + 1) % states) as u32)).collect();
        rows.sort_unstable();
        rows
    };
    // Few edges a state, as walks leave them; many, where iterations work alone; and a chain with ways back.
    let (sparse, dense) = (random(2000, 5000), random(2000, 16_000));
    let chain: Vec<(u32, u32)> = (0..1500).flat_map(|s| [(s, s + 1), (s + 1, s / 2)]).collect();
    for (name, pairs) in [
        ("star", star),
        ("grid", grid(40, false)),
        ("ends", grid(40, true)),
        ("sparse", sparse),
        ("dense", dense),
        ("chain", chain),
    ] {
        let hub = mixed(0) % 20;
        for gamma in [0.5, 0.9, 0.99, 0.999] {
            for group in (0..20).filter(|group| *group != hub).step_by(10) {
                let Some(two) = both(&pairs, gamma, group, 1e-8) else { panic!("{name}, γ = {gamma}: given up") };
                assert!(agree(&two, 1e-6), "{name}, γ = {gamma}, group {group}");
            }
        }
    }
}

/// Rows of a grid, and those of the states of a group that they touch.
fn grid_without(side: u32, out: impl Fn(u32) -> bool) -> (Vec<(u32, u32)>, Vec<u32>) {
    let pairs = grid(side, false);
    let touches = |&row: &u32| out(pairs[row as usize].0) || out(pairs[row as usize].1);
    let gone = (0..pairs.len() as u32).filter(touches).collect();
    (pairs, gone)
}

#[test]
fn where_the_last_end_is_gone_a_shift_is_taken_out_anew() {
    let last = 30 * 30 - 1;
    let (mut pairs, mut gone) = grid_without(30, |state| state == last);
    pairs.push((last, END));
    gone.push(pairs.len() as u32 - 1);
    let values: Vec<f64> = (0..pairs.len() as u64).map(|i| 1.0 + unit(i)).collect();
    for (gamma, shifts) in [(1.0, true), (0.9, false)] {
        let projection = Projection::on(pairs.iter().copied(), Gamma::new(gamma).unwrap());
        let left = projection.residual(&values);
        let of_all = projection.residuals([&left, &left]).unwrap();
        assert_eq!(of_all.without(&gone, 5, 1e-6).is_none(), shifts, "γ = {gamma}");
        assert!(of_all.without(&gone[..gone.len() - 1], 5, 1e-6).is_some());
    }
}

#[test]
fn differences_between_actions_alone_take_no_steps() {
    let (pairs, gone) = grid_without(30, |state| state % 20 == 3);
    let pairs: Vec<(u32, u32)> = pairs.into_iter().flat_map(|pair| [pair; 2]).collect();
    let gone: Vec<u32> = gone.into_iter().flat_map(|row| [2 * row, 2 * row + 1]).collect();
    // Of two actions with the same ends, one is better than the other: no mean is left of them.
    let values: Vec<f64> = (0..pairs.len()).map(|i| if i % 2 == 0 { 0.1 } else { -0.1 }).collect();
    let projection = Projection::on(pairs.iter().copied(), Gamma::new(0.9).unwrap());
    let left = projection.residual(&values);
    let of_all = projection.residuals([&left, &left]).unwrap();
    let found = of_all.without(&gone, 5, 1e-6).expect("not given up");
    assert!(found.pairs().all(|(x, y)| (x.abs() - 0.1).abs() < 1e-9 && x == y));
}

proptest! {
    #[test]
    fn small_graphs_agree_or_are_given_up(
        mut pairs in prop::collection::vec((0..60u32, 0..62u32), 40..200),
        gamma in prop_oneof![Just(1.0), Just(0.9), 0.6..1.0f64],
        group in 0..20u64,
    ) {
        pairs.sort_unstable();
        let pairs: Vec<(u32, u32)> = pairs.into_iter().map(|(s, t)| (s, if t > 59 { END } else { t })).collect();
        if let Some(two) = both(&pairs, gamma, group, 1e-9) {
            prop_assert!(agree(&two, 1e-5));
        }
    }
}
