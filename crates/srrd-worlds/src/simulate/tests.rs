//! Simulations as the library gives them.

use super::*;
use crate::{Model, WorldKind};
use srrd::Duplicates;
use srrd::trajectories::End;

fn question(world: WorldKind) -> Simulation {
    let mut question = Simulation::new(world);
    question.rollouts = 3;
    question
}

fn all(question: &Simulation) -> Simulated {
    simulate(question, |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn every_world_plays_and_marks_its_ends() {
    for world in WorldKind::ALL {
        let played = all(&question(world));
        let walks = &played.samples[0];
        assert_eq!((played.samples.len(), walks.len()), (1, 3), "{world}");
        assert_eq!(walks.step_count(), played.summary.rows);
        let ended = walks.episodes().filter(|episode| episode.end() == End::Terminated).count();
        assert_eq!(ended, played.summary.ended);
        for episode in walks.episodes() {
            assert!(episode.end() == End::Terminated || (episode.len() == 200 && episode.end() == End::Truncated));
        }
        let sample = walks.to_sample(Duplicates::Mean).unwrap();
        assert_eq!(sample.sample.len(), played.summary.transitions);
        assert_eq!(sample.sample.states().len(), played.summary.states.met);
        assert_eq!(played.summary.world, world.name());
    }
}

#[test]
fn pieces_are_the_whole_in_order() {
    let mut asked = question(WorldKind::BouncingBalls);
    (asked.classes, asked.sets, asked.rollouts, asked.shaped) = (true, Some(2), 5, true);
    let whole = all(&asked);
    assert_eq!(whole.samples.len(), 20);
    assert_eq!((whole.samples[3].name(), whole.samples[3].label()), ("agent02-2", Some("agent02")));
    let mut pieces: Vec<Piece> = Vec::new();
    let summary = asked.check().unwrap().play(1, |piece| {
        pieces.push(piece);
        Ok::<(), SimulateError>(())
    });
    assert_eq!(summary.unwrap(), whole.summary);
    assert_eq!(pieces.len(), whole.summary.episodes);
    for (number, piece) in pieces.iter().enumerate() {
        let (sample, episode) = (&whole.samples[number / 5], number % 5);
        assert_eq!((piece.first_episode, piece.trajectories.name()), (episode, sample.name()));
        let (one, other) = (piece.trajectories.episode(0), sample.episode(episode));
        assert_eq!((one.rewards(), one.end(), one.len()), (other.rewards(), other.end(), other.len()));
    }
}

#[test]
fn a_summary_is_the_json_that_scripts_read() {
    let mut asked = question(WorldKind::Gridworld);
    asked.size = Some("6x4".into());
    asked.model = Some(Model::Linear);
    let value = serde_json::to_value(all(&asked).summary).unwrap();
    assert_eq!(value["size"], "6x4");
    assert_eq!(value["model"], "linear");
    assert_eq!(value["agents"][0]["weights"], serde_json::json!([25.0, 25.0, 25.0, 25.0]));
    assert!(value["agents"][0]["label"].is_null() && value["states"]["all"] == 24);
    let value = serde_json::to_value(all(&question(WorldKind::DroneCombat)).summary).unwrap();
    assert_eq!(value["agents"][0]["attributes"][0]["visibility"], 3);
    assert!(value["epsilon"].is_null() && value["model"].is_null());
}

#[test]
fn who_watches_is_told_and_can_stop_it() {
    let mut asked = question(WorldKind::Gridworld);
    (asked.classes, asked.sets) = (true, Some(2));
    let mut told = Vec::new();
    let stopped = simulate(&asked, |progress| {
        told.push((progress.samples, progress.of));
        if told.len() < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert_eq!(stopped.unwrap_err(), SimulateError::Stopped);
    assert_eq!(told, [(1, 20), (2, 20), (3, 20)]);
}

#[test]
fn policies_by_weights_and_by_text_are_the_same() {
    let mut asked = question(WorldKind::Gridworld);
    asked.policy = Some("10, 10,40,40".into());
    let by_text = all(&asked);
    asked.policy = Some(vec![10.0, 10.0, 40.0, 40.0].into());
    assert_eq!(all(&asked), by_text);
    asked.policy = Some("diagonal".into());
    assert_eq!(all(&asked), by_text);
}

#[test]
fn problems_name_options_as_each_front_end_writes_them() {
    let said = |change: &dyn Fn(&mut Simulation), world: WorldKind| {
        let mut asked = question(world);
        change(&mut asked);
        let error = asked.check().map(|_| ()).unwrap_err();
        error.render(|option| format!("--{option}"))
    };
    let combat = WorldKind::DroneCombat;
    assert_eq!(
        said(&|asked| asked.policy = Some("uniform".into()), combat),
        "--policy: in drone-combat teams play by their attributes; leave it out, or choose --classes"
    );
    assert_eq!(
        said(&|asked| asked.reward_seed = Some(1), combat),
        "--reward-seed: the reward of drone-combat is its score; leave it out"
    );
    let grid = WorldKind::Gridworld;
    assert_eq!(
        said(&|asked| asked.obstacles = Some(1), grid),
        "--obstacles: gridworld has none; leave it out, or simulate bouncing-balls"
    );
    assert_eq!(
        said(&|asked| asked.gamma = Some(0.5), grid),
        "--gamma: it is about shaping; add --shaped, or leave it out"
    );
    assert_eq!(said(&|asked| asked.rollouts = 0, grid), "--rollouts: it must be at least 1");
    assert_eq!(
        said(&|asked| asked.policy = Some("1,up,2".into()), grid),
        "--policy: 'up' is no number: write a weight for each of north, west, south, east, or a name: uniform, diagonal, top, left"
    );
    let mut huge = question(grid);
    huge.noise = 1e200;
    let error = simulate(&huge, |_| ControlFlow::Continue(())).unwrap_err();
    assert!(error.to_string().ends_with("larger than 1e140: choose a smaller noise or factor"), "{error}");
}
