//! The rules, said again.

use super::*;
use crate::error::WorldError;
use crate::random::{below, stream};
use crate::rollout::{episode, rollouts};
use proptest::prelude::*;

const SIDES: [Side; 2] = [Side::Allies, Side::Enemies];

fn attributes() -> impl Strategy<Value = Attributes> {
    (0u8..7, 1u8..16, 0u8..4, prop_oneof![Just(0.0), Just(1.0), 0.0..1.0])
        .prop_map(|(visibility, health, movement, shot)| Attributes::new(visibility, health, movement, shot).unwrap())
}

fn team() -> impl Strategy<Value = Team> {
    prop::array::uniform5(attributes()).prop_map(Team::new)
}

fn team_of(visibility: u8, health: u8, movement: u8, shot_strength: f64) -> Team {
    Team::new([Attributes::new(visibility, health, movement, shot_strength).unwrap(); 5])
}

/// A field with drones anywhere in a window of it, many of them damaged, some destroyed.
fn scattered(world: &DroneCombat, agent: &Team, window: u64, rng: &mut Stream) -> DroneCombatState {
    let mut state = world.start(rng);
    let corner = (below(40 - window, rng), below(25 - window, rng));
    for (side, team) in SIDES.into_iter().zip([agent, world.opponent()]) {
        for unit in 0..UNITS {
            let health = u64::from(team.attributes(unit).health());
            let mut place = state.units(side)[unit].place;
            for _ in 0..if unit == 0 { 0 } else { 50 } {
                let (x, y) = (corner.0 + below(window, rng), corner.1 + below(window, rng));
                let drawn = Place { x: x as i32, y: y as i32 };
                if !state.field.obstacles.hold(drawn) {
                    place = drawn;
                    break;
                }
            }
            let hits = below(health + 1, rng) as u8;
            state.units[side as usize][unit] = Unit { place, hits, destroyed: u64::from(hits) == health };
        }
    }
    state
}

/// Whom every unit of a side attacks.
fn literal_targets(team: &Team, own: &[Unit; UNITS], others: &[Unit; UNITS]) -> Vec<Option<usize>> {
    let target = |number: usize| {
        let (x, y) = own[number].position();
        let far = |other: &usize| {
            let at = others[*other].position();
            at.0.abs_diff(x).max(at.1.abs_diff(y))
        };
        let seen = (0..UNITS).filter(|other| {
            !own[number].is_destroyed()
                && !others[*other].is_destroyed()
                && far(other) <= u32::from(team.attributes(number).visibility())
        });
        seen.min_by_key(|other| (far(other), *other))
    };
    (0..UNITS).map(target).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn a_step_keeps_the_rules(agent in team(), opponent in team(), window in 6u64..20, seed: u64, steps in 1usize..6) {
        let world = DroneCombat::against(opponent.clone());
        let mut rng = stream(seed, "test");
        let mut state = scattered(&world, &agent, window, &mut rng);
        for _ in 0..steps {
            let before = state.clone();
            let step = world.advance(&mut state, &agent, &mut rng);
            let mut scores = [0.0; 2];
            for (side, (team, target_team)) in SIDES.into_iter().zip([(&agent, &opponent), (&opponent, &agent)]) {
                let targets = literal_targets(team, before.units(side), before.units(side.other()));
                if side == Side::Allies {
                    prop_assert_eq!(step.action, targets.iter().flatten().count());
                }
                for (unit, target) in targets.iter().enumerate() {
                    let (was, is) = (before.units(side)[unit], state.units(side)[unit]);
                    prop_assert!(!state.is_obstacle(is.position().0, is.position().1));
                    // Units that attack, or are destroyed, stay.
                    let ((from_x, from_y), (to_x, to_y)) = (was.position(), is.position());
                    let (dx, dy) = (from_x.abs_diff(to_x), from_y.abs_diff(to_y));
                    prop_assert!(dx == 0 || dy == 0);
                    let may_move = target.is_none() && !was.is_destroyed();
                    let most = if may_move { u32::from(team.attributes(unit).movement()) } else { 0 };
                    prop_assert!(dx + dy <= most, "{dx} {dy} {most}");
                    for between in 1..=dx + dy {
                        let (x, y) = (
                            from_x as i32 + between as i32 * (to_x as i32 - from_x as i32).signum(),
                            from_y as i32 + between as i32 * (to_y as i32 - from_y as i32).signum(),
                        );
                        prop_assert!(!state.is_obstacle(x as u32, y as u32));
                    }
                }
                let home = battlefield::ship_place(side);
                prop_assert!(state.units(side)[0].place.range(home) <= 1);
                for number in 0..UNITS {
                    let shots = targets.iter().enumerate().filter(|(_, target)| **target == Some(number));
                    let chances: Vec<f64> = shots.map(|(unit, _)| team.attributes(unit).shot_strength()).collect();
                    let (was, is) = (before.units(side.other())[number], state.units(side.other())[number]);
                    let health = u32::from(target_team.attributes(number).health());
                    let certain = chances.iter().filter(|chance| **chance == 1.0).count() as u32;
                    let possible = chances.iter().filter(|chance| **chance > 0.0).count() as u32;
                    prop_assert!(is.hits() >= (was.hits() + certain).min(health));
                    prop_assert!(is.hits() <= (was.hits() + possible).min(health));
                    prop_assert_eq!(is.is_destroyed(), is.hits() == health);
                    let (hit, destroyed) = if number == 0 { (2.0, 20.0) } else { (1.0, 5.0) };
                    scores[side as usize] += hit * f64::from(is.hits() - was.hits());
                    scores[side as usize] += destroyed * f64::from(u8::from(is.is_destroyed() && !was.is_destroyed()));
                }
            }
            prop_assert_eq!(step.score, scores[0]);
            let lost = |side| {
                let units = state.units(side);
                units[0].is_destroyed() || units.iter().skip(1).filter(|unit| unit.is_destroyed()).count() == 10
            };
            prop_assert_eq!(SIDES.map(|side| state.has_lost(side)), SIDES.map(lost));
            prop_assert_eq!(step.done, lost(Side::Allies) || lost(Side::Enemies));
        }
    }

    #[test]
    fn the_state_counts_and_places_what_is_left(agent in team(), window in 6u64..25, seed: u64) {
        let world = DroneCombat::new();
        let state = scattered(&world, &agent, window.min(24), &mut stream(seed, "test"));
        let mut expected = Vec::new();
        let mut zones = Vec::new();
        for side in SIDES {
            let left: Vec<(u32, u32)> =
                state.units(side).iter().filter(|unit| !unit.is_destroyed()).map(Unit::position).collect();
            expected.push(left.len() as f64);
            let mean = |of: fn(&(u32, u32)) -> u32| left.iter().map(|at| f64::from(of(at))).sum::<f64>() / left.len() as f64;
            let home = if side == Side::Allies { [0.0, 2.0] } else { [7.0, 2.0] };
            let zone = [(mean(|at| at.0) / 5.0).floor(), (mean(|at| at.1) / 5.0).floor()];
            zones.extend(if left.is_empty() { home } else { zone });
        }
        expected.extend(zones);
        let mut features = [f64::NAN; 6];
        world.describe_state(world.observe(&state), &mut features);
        prop_assert_eq!(&features[..], &expected[..]);
    }

    #[test]
    fn a_field_has_a_way_and_free_bases(seed: u64) {
        let state = DroneCombat::new().start(&mut stream(seed, "test"));
        let cells = (0..40).flat_map(|x| (0..25).map(move |y| (x, y)));
        let is_base = |(x, y): (u32, u32)| !(4..36).contains(&x) && (8..17).contains(&y);
        prop_assert!(cells.clone().all(|(x, y)| !(is_base((x, y)) && state.is_obstacle(x, y))));
        prop_assert_eq!(cells.clone().filter(|(x, y)| state.is_obstacle(*x, *y)).count(), 300);
        for (x, y) in [(40, 0), (0, 25), (u32::MAX, 3), (3, 1 << 31)] {
            prop_assert!(state.is_obstacle(x, y));
        }
        for side in SIDES {
            let ship = battlefield::ship_place(side);
            prop_assert!(state.field.way(battlefield::ship_place(side.other()), side) < 1000);
            prop_assert!(state.units(side).iter().all(|unit| is_base(unit.position())));
            // The way from a cell is one longer than the shortest from around it.
            for (x, y) in cells.clone().filter(|(x, y)| !state.is_obstacle(*x, *y)) {
                let at = Place { x: x as i32, y: y as i32 };
                let around = battlefield::DIRECTIONS.map(|direction| at.stepped(direction));
                let free = around.into_iter().filter(|place| !state.field.obstacles.hold(*place));
                let shortest = free.map(|place| state.field.way(place, side)).min().unwrap_or(i32::from(u16::MAX));
                let expected = if at == ship { 0 } else { (shortest + 1).min(i32::from(u16::MAX)) };
                prop_assert_eq!(state.field.way(at, side), expected);
            }
        }
    }

    #[test]
    fn surroundings_are_what_steps_lead_to(seed: u64, count in 1usize..5) {
        let mut rng = stream(seed, "test");
        let field = DroneCombat::new().start(&mut rng).field;
        let centres: Vec<Place> =
            (0..count).map(|_| Place { x: below(40, &mut rng) as i32, y: below(25, &mut rng) as i32 }).collect();
        let centres: Vec<Place> = centres.into_iter().filter(|place| !field.obstacles.hold(*place)).collect();
        let found = field.surroundings(centres.iter().copied());
        let mut reached = centres;
        for steps in 0..=battlefield::NEAR as i32 {
            for x in 0..40 {
                for y in 0..25 {
                    let at = Place { x, y };
                    prop_assert_eq!(found.steps(at).is_some_and(|n| n <= steps), reached.contains(&at));
                }
            }
            let around = reached.iter().flat_map(|at| battlefield::DIRECTIONS.map(|direction| at.stepped(direction)));
            let mut next: Vec<Place> = around.filter(|place| !field.obstacles.hold(*place)).collect();
            next.retain(|place| !reached.contains(place));
            reached.extend(next);
        }
    }

    #[test]
    fn a_chase_comes_nearer_with_every_step(seed: u64, reach in 1u8..4) {
        let mut rng = stream(seed, "test");
        let state = DroneCombat::new().start(&mut rng);
        let (field, mut at) = (&state.field, state.units(Side::Allies)[7].place);
        // Seen by someone else, at a place on the way.
        let mut goal = at;
        for _ in 0..8 {
            let around = battlefield::DIRECTIONS.map(|direction| goal.stepped(direction));
            goal = around.into_iter().find(|p| !field.obstacles.hold(*p) && p.range(at) > goal.range(at)).unwrap_or(goal);
        }
        let enemies = field.surroundings(std::iter::once(goal));
        let mut left = enemies.steps(at).unwrap();
        while left > 0 {
            at = tactics::advance(Side::Allies, at, reach, Some(&enemies), field, &mut rng);
            let now = enemies.steps(at).unwrap();
            prop_assert!(now < left);
            left = now;
        }
    }

    #[test]
    fn a_march_comes_to_the_other_base_by_a_shortest_way(seed: u64, reach in 1u8..4) {
        let mut rng = stream(seed, "test");
        let state = DroneCombat::new().start(&mut rng);
        let mut at = state.units(Side::Allies)[7].place;
        let mut left = state.field.way(at, Side::Enemies);
        while left > 0 {
            at = tactics::advance(Side::Allies, at, reach, None, &state.field, &mut rng);
            let now = state.field.way(at, Side::Enemies);
            prop_assert!(now < left);
            left = now;
        }
        prop_assert_eq!(at, battlefield::ship_place(Side::Enemies));
    }
}

#[test]
fn all_drones_come_to_fight() {
    // Enemies that do nothing and are hard to destroy: all drones come to attack one.
    let world = DroneCombat::against(team_of(0, 255, 0, 0.0));
    for movement in 1..=3 {
        let agent = team_of(1, 255, movement, 0.0);
        let mut rng = stream(u64::from(movement), "test");
        let mut attacking = 0;
        for _ in 0..20 {
            let mut state = world.start(&mut rng);
            let last = (0..200).map(|_| world.advance(&mut state, &agent, &mut rng).action).last();
            attacking += last.unwrap();
        }
        assert!(attacking >= 199, "{attacking} of 200 drones that move by {movement}");
    }
}

/// One ally beside one enemy, both in their bases' middle rows; everything else out of sight.
fn duel(world: &DroneCombat, ally: usize, enemy: usize) -> DroneCombatState {
    let mut state = world.start(&mut stream(0, "test"));
    let at = state.units(Side::Enemies)[enemy].place;
    state.units[0][ally].place = Place { x: at.x - 1, y: at.y + 1 };
    state
}

#[test]
fn a_side_loses_with_its_ship() {
    let world = DroneCombat::against(team_of(0, 10, 0, 0.0));
    let sharp = team_of(1, 10, 1, 1.0);
    let mut state = duel(&world, 4, 0);
    state.units[1][0].hits = 14;
    let step = world.advance(&mut state, &sharp, &mut stream(0, "test"));
    assert_eq!((step, state.has_lost(Side::Enemies)), (Step { action: 1, score: 22.0, done: true }, true));
    assert!(!state.has_lost(Side::Allies));
}

#[test]
fn a_side_loses_with_its_last_drone() {
    let world = DroneCombat::against(team_of(0, 10, 0, 0.0));
    let sharp = team_of(1, 10, 1, 1.0);
    let mut state = duel(&world, 4, 10);
    for drone in 1..10 {
        state.units[1][drone] = Unit { hits: 10, destroyed: true, ..state.units[1][drone] };
    }
    let mut rng = stream(0, "test");
    for hit in 1..=9 {
        let step = world.advance(&mut state, &sharp, &mut rng);
        assert_eq!((step, state.units(Side::Enemies)[10].hits()), (Step { action: 1, score: 1.0, done: false }, hit));
    }
    assert_eq!(world.advance(&mut state, &sharp, &mut rng), Step { action: 1, score: 6.0, done: true });
    assert!(state.has_lost(Side::Enemies) && !state.units(Side::Enemies)[0].is_destroyed());
}

#[test]
fn shots_fall_at_once() {
    let sharp = team_of(1, 1, 1, 1.0);
    let world = DroneCombat::against(sharp.clone());
    let mut state = duel(&world, 3, 8);
    let step = world.advance(&mut state, &sharp, &mut stream(0, "test"));
    assert!(state.units(Side::Allies)[3].is_destroyed() && state.units(Side::Enemies)[8].is_destroyed());
    assert_eq!(step, Step { action: 1, score: 6.0, done: false });
}

#[test]
fn shots_hit_as_often_as_they_are_strong() {
    let world = DroneCombat::against(team_of(0, 10, 0, 0.0));
    let mut rng = stream(0, "test");
    for strength in [0.05, 0.1, 0.6] {
        let hits = (0..20_000).filter(|_| {
            let mut state = duel(&world, 5, 3);
            world.advance(&mut state, &team_of(1, 5, 1, strength), &mut rng).score == 1.0
        });
        let rate = hits.count() as f64 / 2e4;
        assert!((rate - strength).abs() < 4.0 * (strength / 2e4).sqrt(), "{rate} {strength}");
    }
}

#[test]
fn equal_teams_win_equally_often() {
    let world = DroneCombat::new();
    let mut rng = stream(0, "test");
    let (mut won, mut lost) = (0i32, 0i32);
    for _ in 0..600 {
        let mut state = world.start(&mut rng);
        for _ in 0..world.horizon() {
            if world.advance(&mut state, world.opponent(), &mut rng).done {
                won += i32::from(state.has_lost(Side::Enemies));
                lost += i32::from(state.has_lost(Side::Allies));
                break;
            }
        }
    }
    assert!(won + lost > 30, "{won} {lost}");
    assert!(f64::from((won - lost).abs()) < 4.0 * f64::from(won + lost).sqrt(), "{won} {lost}");
}

#[test]
fn wrong_attributes_are_refused() {
    assert_eq!(Attributes::new(1, 0, 1, 0.1), Err(WorldError::Health));
    assert_eq!(Attributes::new(1, 5, 1, 1.1), Err(WorldError::ShotStrength(1.1)));
    assert!(Attributes::new(1, 5, 1, f64::NAN).is_err());
}

#[test]
fn the_space_is_a_product() {
    let world = DroneCombat::new();
    assert_eq!((world.states(), world.actions()), (230_400, 12));
    let mut features = [0.0; 6];
    world.describe_state(world.states() - 1, &mut features);
    assert_eq!(features, [11.0, 11.0, 7.0, 4.0, 7.0, 4.0]);
    let start = world.observe(&world.start(&mut stream(5, "test")));
    world.describe_state(start, &mut features);
    assert_eq!(features, [11.0, 11.0, 0.0, 2.0, 7.0, 2.0]);
    let recorded = rollouts(&world, &drone_combat_classes()[0], 3, &mut stream(0, "test"));
    assert!(recorded.episodes().all(|steps| steps[0].state as usize == start && steps.len() <= 200));
}

/// (visibility, health, movement, shot strength in hundredths) of every set.
fn table(team: &Team) -> [(u8, u8, u8, u32); 5] {
    team.sets()
        .map(|set| (set.visibility(), set.health(), set.movement(), (100.0 * set.shot_strength()).round() as u32))
}

/// What an episode shows of its agent: its length and, in the mean over its steps, how many attack, how many are left of both
/// sides, where the allies are, and the score.
fn traits(world: &DroneCombat, agent: &Team, rng: &mut Stream) -> [f64; 6] {
    let mut sums = [0.0; 6];
    let mut features = [0.0; 6];
    episode(world, agent, rng, |transition, step| {
        world.describe_state(transition.next as usize, &mut features);
        let add = [1.0, step.action as f64, features[0], features[1], features[2], step.score];
        sums.iter_mut().zip(add).for_each(|(sum, add)| *sum += add);
    });
    let length = sums[0];
    std::array::from_fn(|i| if i == 0 { length } else { sums[i] / length })
}

#[test]
fn classes_behave_differently() {
    const EPISODES: usize = 100;
    let world = DroneCombat::new();
    // Of every trait the mean and the square of its standard error.
    let moments = drone_combat_classes().map(|agent| {
        let mut rng = stream(0, "test");
        let seen: Vec<[f64; 6]> = (0..EPISODES).map(|_| traits(&world, &agent, &mut rng)).collect();
        std::array::from_fn::<_, 6, _>(|i| {
            let mean = seen.iter().map(|traits| traits[i]).sum::<f64>() / EPISODES as f64;
            let squares: f64 = seen.iter().map(|traits| (traits[i] - mean).powi(2)).sum();
            (mean, squares / (EPISODES * (EPISODES - 1)) as f64)
        })
    });
    let mut alike = Vec::new();
    for b in 0..10 {
        for a in 0..b {
            let apart = |i: usize| {
                let ((mean, error), (other, other_error)) = (moments[a][i], moments[b][i]);
                (mean - other).abs() / (error + other_error).sqrt()
            };
            if (0..6).map(apart).fold(0.0, f64::max) < 5.0 {
                alike.push((a, b));
            }
        }
    }
    println!("{alike:?}");
    assert!(alike.len() <= 5, "{alike:?}");
}

#[test]
#[ignore = "long, and asserts nothing: prints how the teams fare, to look at when the rules change"]
fn survey() {
    let world = DroneCombat::new();
    for (number, team) in drone_combat_classes().iter().chain([world.opponent()]).enumerate() {
        let mut rng = stream(0, "survey");
        let (mut wins, mut losses, mut draws, mut steps, mut attackers, mut score) = (0, 0, 0, 0, 0, 0.0);
        let mut first = 0;
        let n = 300;
        let mut best = f64::INFINITY;
        for _ in 0..n {
            let start = std::time::Instant::now();
            let mut state = world.start(&mut rng);
            let mut begun = false;
            for t in 0..200 {
                let step = world.advance(&mut state, team, &mut rng);
                steps += 1;
                attackers += step.action;
                score += step.score;
                if !begun && step.action > 0 {
                    begun = true;
                    first += t;
                }
                if step.done {
                    match (state.has_lost(Side::Allies), state.has_lost(Side::Enemies)) {
                        (true, true) => draws += 1,
                        (true, false) => losses += 1,
                        _ => wins += 1,
                    }
                    break;
                }
            }
            best = best.min(start.elapsed().as_nanos() as f64 / 1000.0);
        }
        let per = |x: usize| x as f64 / n as f64;
        println!(
            "{number}: won {wins} lost {losses} drawn {draws}, {:.1} steps, first {:.1}, {:.2} attackers, score {:.1}, {:.0} us {:?}",
            per(steps),
            per(first),
            attackers as f64 / steps as f64,
            score / n as f64,
            best,
            table(team)
        );
        let m: Vec<[f64; 6]> = (0..100).map(|_| traits(&world, team, &mut rng)).collect();
        println!(
            "   {:?}",
            std::array::from_fn::<_, 6, _>(|i| {
                let a = m.iter().map(|t| t[i]).sum::<f64>() / 100.0;
                let v = m.iter().map(|t| (t[i] - a).powi(2)).sum::<f64>() / 100.0;
                ((a * 100.0).round() / 100.0, (v.sqrt() * 100.0).round() / 100.0)
            })
        );
        let met = rollouts(&world, team, 20, &mut rng);
        println!("   20 rollouts: {} steps, {} distinct, {} states", met.steps().len(), met.transitions().len(), {
            let mut v: Vec<u32> = met.steps().iter().map(|s| s.state).collect();
            v.sort();
            v.dedup();
            v.len()
        });
    }
    let mut rng = stream(0, "t");
    let t = |_| {
        let start = std::time::Instant::now();
        std::hint::black_box(world.start(&mut rng));
        start.elapsed().as_nanos()
    };
    println!("start: {:?} ns", (0..1000).map(t).min());
    let mut rng = stream(0, "rollouts");
    for t in rollouts(&world, &drone_combat_classes()[2], 1, &mut rng).steps() {
        print!("{:?} {} {} ", t.triple().state, t.action, t.score)
    }
    println!();
}
