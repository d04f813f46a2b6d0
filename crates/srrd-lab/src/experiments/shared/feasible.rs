//! Which transitions moves can make in a grid world.

use srrd_worlds::{Gridworld, Triple, World};

/// The transitions that moves can make, in ascending order.
pub fn feasible(world: &Gridworld) -> Vec<Triple> {
    let place = |state| {
        let mut at = [0.0; 2];
        world.describe_state(state, &mut at);
        at
    };
    let places: Vec<[f64; 2]> = (0..world.states()).map(place).collect();
    let mut transitions = Vec::new();
    let end = [(world.width() - 1) as f64, (world.height() - 1) as f64];
    for (state, at) in places.iter().enumerate().filter(|(_, at)| **at != end) {
        for action in 0..world.actions() {
            let mut step = [0.0; 2];
            world.describe_action(action, &mut step);
            let to = [at[0] + step[0], at[1] + step[1]];
            if let Some(next) = places.iter().position(|place| *place == to) {
                transitions.push(Triple { state: state as u32, action: action as u32, next: next as u32 });
            }
        }
    }
    transitions
}
