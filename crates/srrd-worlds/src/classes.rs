//! The agents of the paper.

use crate::policy::Policy;

/// The ten agents of the Gridworld experiment: weights of north, west, south, east.
pub fn gridworld_classes() -> [Policy; 10] {
    [
        [25, 25, 25, 25],
        [5, 5, 5, 85],
        [85, 5, 5, 5],
        [5, 85, 5, 5],
        [5, 5, 85, 5],
        [5, 15, 30, 55],
        [55, 30, 15, 5],
        [15, 5, 55, 30],
        [5, 55, 30, 15],
        [15, 30, 5, 55],
    ]
    .map(policy)
}

/// The ten agents of the Bouncing Balls experiment: weights of north, north-east, east, south-east, south, south-west, west,
/// north-west.
pub fn bouncing_balls_classes() -> [Policy; 10] {
    [
        [12, 12, 12, 12, 13, 13, 13, 13],
        [5, 5, 25, 25, 25, 5, 5, 5],
        [25, 25, 25, 5, 5, 5, 5, 5],
        [5, 5, 5, 5, 5, 25, 25, 25],
        [5, 5, 65, 5, 5, 5, 5, 5],
        [5, 5, 5, 65, 5, 5, 5, 5],
        [5, 5, 5, 5, 65, 5, 5, 5],
        [5, 25, 5, 25, 5, 25, 5, 5],
        [20, 5, 20, 5, 20, 5, 20, 5],
        [5, 20, 5, 20, 5, 20, 5, 20],
    ]
    .map(policy)
}

/// The policies of the study of how much the sampling policy matters, by name.
///
/// Weights of north (up), west (left), south (down), east (right). The paper gives those of `diagonal`; `top` and `left` are
/// its reflections, which keep to the upper and to the left part of the grid: `top` goes along the upper edge to the right,
/// `left` along the left edge down.
pub fn gridworld_sampling_policies() -> [(&'static str, Policy); 4] {
    [
        ("uniform", [25, 25, 25, 25]),
        ("diagonal", [10, 10, 40, 40]),
        ("top", [40, 10, 10, 40]),
        ("left", [10, 40, 40, 10]),
    ]
    .map(|(name, weights)| (name, policy(weights)))
}

fn policy<const N: usize>(weights: [u8; N]) -> Policy {
    Policy::new(&weights.map(f64::from)).expect("the weights of a table are valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classes_differ_and_have_a_weight_for_every_action() {
        fn check(classes: &[Policy], actions: usize) {
            for (i, policy) in classes.iter().enumerate() {
                assert_eq!(policy.actions(), actions);
                // The paper calls them percentages; half the rows of its Gridworld table add up to 105.
                assert!([100.0, 105.0].contains(&policy.weights().iter().sum::<f64>()), "{policy:?}");
                assert!(!classes[..i].contains(policy));
            }
        }
        check(&gridworld_classes(), 4);
        check(&bouncing_balls_classes(), 8);
        check(&gridworld_sampling_policies().map(|(_, policy)| policy), 4);
    }
}
