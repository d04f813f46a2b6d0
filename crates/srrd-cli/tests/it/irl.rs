//! `srrd irl`: rewards from demonstrations and preferences.

use crate::support::Place;
use serde_json::Value;

/// Walks of two agents on a line of five cells: one goes east three times out of four, the other is its mirror image. Where the first
/// arrives in the cell at its end, every third of its episodes is over, the others go on: a transition that ends some episodes only.
fn walks() -> String {
    let mut text = String::from("sample,label,episode,step,state.x,action,next_state.x,terminated\n");
    for name in ["right", "left"] {
        // A generator of its own for each, with the same numbers.
        let mut random = 1u64;
        for episode in 0..40 {
            let mut x = episode % 5;
            for step in 0..8 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let east = (random >> 33) % 4 < 3;
                let next = if east { (x + 1).min(4) } else { x.max(1) - 1 };
                let over = next == 4 && x != 4 && episode % 3 == 0;
                let mirrored = name == "left";
                let action = if east != mirrored { "east" } else { "west" };
                let [from, to] = [x, next].map(|x| if mirrored { 4 - x } else { x });
                text += &format!("{name},{name},{episode},{step},{from},{action},{to},{over}\n");
                x = next;
                if over {
                    break;
                }
            }
        }
    }
    text
}

fn json(place: &Place, call: &str) -> Value {
    serde_json::from_str(&place.ok(call)).unwrap()
}

#[test]
fn maxent_writes_rewards_that_other_commands_take() {
    let place = Place::new();
    place.write("walks.csv", walks());
    let text = place.ok("irl maxent walks.csv -o rewards.csv --std-error");
    assert!(text.starts_with("rewards.csv: MaxEnt rewards of 2 sets, "), "{text}");
    let table = place.read("rewards.csv");
    assert!(
        table.starts_with("sample,label,state.x,action,next_state.x,reward,std_error,terminated\nright,right,0,"),
        "{table}"
    );
    // The mirror image of an agent has the mirror image of its reward.
    let reward = |sample: &str, x: i32| {
        let row = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let found = row.into_iter().find(|cells| cells[0] == sample && cells[2] == x.to_string()).unwrap();
        found[5].parse::<f64>().unwrap()
    };
    for x in 0..5 {
        let [right, left] = [reward("right", x), reward("left", 4 - x)];
        assert!((right - left).abs() < 1e-6, "{x}: {right}, {left}");
    }
    assert!(reward("right", 4) > reward("right", 0) && reward("left", 4) < reward("left", 0));
    // What one likes, the other dislikes: their rewards correlate negatively, which is a distance above sqrt(1/2).
    let found = json(&place, "distance rewards.csv#right rewards.csv#left --metric direct --json");
    assert!(found["results"][0]["distance"].as_f64().unwrap() > 0.5f64.sqrt(), "{found}");
    // The same bytes on any number of threads, and in any format.
    place.ok("irl maxent walks.csv -o one.csv --std-error --threads 1");
    assert_eq!(place.read("one.csv"), table);
    let found = json(&place, "irl maxent walks.csv -o rewards.parquet --json");
    assert_eq!((&found["method"], found["sets"].as_array().unwrap().len()), (&"maxent".into(), 2));
    assert!(found["sets"][0]["gradient"].as_f64().unwrap() <= 1e-9);
}

#[test]
fn draws_are_samples_and_traces_are_tables_and_pictures() {
    let place = Place::new();
    place.write("walks.csv", walks());
    place.ok("irl maxent walks.csv -o out.csv --draws 3 --seed 5 --trace t.csv --trace t.svg");
    let table = place.read("out.csv");
    for name in ["right,", "right/1,", "right/3,", "left/2,"] {
        assert!(table.lines().any(|line| line.starts_with(name)), "{name}");
    }
    place.ok("irl maxent walks.csv -o again.csv --draws 3 --seed 5 --threads 1");
    assert_eq!(place.read("again.csv"), table);
    assert!(
        place.read("t.csv").starts_with("sample,iteration,objective,gradient,distance,accuracy,returns\nright,1,-0.")
    );
    assert!(place.read("t.svg").contains("how rewards settle"));
    place.ok("matrix out.csv -o m.csv --metric projected");
    let linear = place.ok("irl maxent walks.csv -o linear.csv --form linear --reward next-state --model pooled");
    assert!(linear.contains("2 sets"), "{linear}");
}

#[test]
fn a_run_with_a_journal_writes_the_same() {
    let place = Place::new();
    place.write("walks.csv", walks());
    place.ok("irl maxent walks.csv -o whole.csv --std-error");
    place.ok("irl maxent walks.csv -o part.csv --std-error --resume journal");
    assert!(!place.files().contains(&"journal".to_owned()), "a finished run needs no journal");
    assert_eq!(place.read("part.csv"), place.read("whole.csv"));
    // A run that ended early keeps the sets that were done.
    place.write("half.csv", walks() + "still,still,1,0,0,east,1,false\n");
    let run = place.srrd("irl maxent half.csv -o half.out.csv --resume journal --threads 1");
    assert!(run.status == 2 && run.err.contains("still: "), "{}", run.err);
    assert_eq!(place.read("journal").lines().count(), 3);
    let run = place.srrd("irl maxent walks.csv -o part.csv --resume journal");
    assert_eq!(run.status, 2);
    assert!(run.err.contains("is no journal of this call"), "{}", run.err);
}

#[test]
fn airl_with_an_exact_generator_agrees_with_maxent() {
    let place = Place::new();
    place.write("walks.csv", walks());
    place.ok("irl maxent walks.csv -o maxent.csv");
    place.ok("irl airl walks.csv -o airl.csv --trace t.csv");
    place.ok("irl airl walks.csv -o f.csv --write f");
    assert!(place.read("t.csv").lines().count() > 4);
    for set in ["right", "left"] {
        let call = format!("distance maxent.csv#{set} airl.csv#{set} --metric direct --json");
        assert!(json(&place, &call)["results"][0]["distance"].as_f64().unwrap() < 0.01);
        // g and f differ by shaping, also where a transition ends some episodes only.
        let call = format!("distance f.csv#{set} airl.csv#{set} --metric direct,projected --gamma 0.9 --json");
        let results = &json(&place, &call)["results"];
        assert!(results[0]["distance"].as_f64().unwrap() > 0.05);
        assert!(results[1]["distance"].as_f64().unwrap() < 1e-6, "{results}");
    }
}

#[test]
fn airl_acts_in_a_built_in_world() {
    let place = Place::new();
    place.ok("simulate gridworld -o walks.csv --size 4x4 --rollouts 5");
    let few = "--generator ppo --steps 512 --batch 256 --minibatch 64 --epochs 1 --hidden 8";
    let text = place.ok(&format!("irl airl walks.csv -o acted.csv {few} --world gridworld --size 4x4 --trace t.csv"));
    assert!(text.contains("AIRL rewards of 1 set") && text.contains("at most 2 iterations"), "{text}");
    let table = place.read("acted.csv");
    assert!(
        table.starts_with("sample,state.x,state.y,action.dx,action.dy,next_state.x,next_state.y,reward,"),
        "{table}"
    );
    place.ok(&format!("irl airl walks.csv -o again.csv {few} --world gridworld --size 4x4 --threads 1"));
    assert_eq!(place.read("again.csv"), table);
    place.ok(&format!("irl airl walks.csv -o model.csv {few}"));
    assert_ne!(place.read("model.csv"), table);
    let refused = |more: &str, what: &str| {
        let run = place.srrd(&format!("irl airl walks.csv -o no.csv {more}"));
        assert!(run.status == 2 && run.err.contains(what), "{}", run.err);
    };
    refused(&format!("{few} --world gridworld --size 3x3"), "the world has no such state (is its size another one?)");
    refused(&format!("{few} --world drone-combat"), "a step is what a whole team does");
    refused(&format!("{few} --world gridworld --obstacles 2"), "gridworld has none");
    refused(
        &format!("{few} --world gridworld --model pooled"),
        "--model: with --world the world says where actions lead",
    );
    refused("--world gridworld", "add --generator ppo");
    refused(&format!("{few} --size 3x3"), "--world");
    assert!(!place.files().contains(&"no.csv".to_owned()));
}

#[test]
fn ptirl_sets_a_target_apart() {
    let place = Place::new();
    place.write("walks.csv", walks());
    place.ok("irl ptirl walks.csv -o all.csv --others 0");
    place.ok("irl ptirl walks.csv -o left.csv --others 0 --target left");
    let (all, left) = (place.read("all.csv"), place.read("left.csv"));
    assert!(left.lines().skip(1).all(|line| line.starts_with("left,")) && all.len() > left.len());
    let run = place.srrd("irl ptirl walks.csv -o no.csv --target nobody");
    let said = "--target: no set has the label 'nobody'; there are 'left', 'right'";
    assert!(run.status == 2 && run.err.contains(said), "{}", run.err);
    let run = place.srrd("irl ptirl walks.csv -o no.csv --cap 0");
    assert!(run.status == 2 && run.err.contains("error: --cap: "), "{}", run.err);
    // Where there are no labels, names count; of other sets nothing is learned, so that they cannot fail.
    let plain: String = walks().lines().map(|line| line.replacen("label", "note", 1) + "\n").collect();
    place.write("plain.csv", plain);
    place.ok("irl ptirl plain.csv -o named.csv --others 0 --target left");
    assert!(place.read("named.csv").lines().skip(1).all(|line| line.starts_with("left,")));
    let run = place.srrd("irl ptirl walks.csv -o no.csv --alpha 1e9");
    assert!(run.status == 2 && run.err.contains("largest"), "{}", run.err);
    let run = place.srrd("irl ptirl walks.csv#left -o no.csv");
    assert_eq!(run.status, 2, "{}", run.err);
    assert!(!place.files().contains(&"no.csv".to_owned()));
}

#[test]
fn preferences_over_answers_become_rewards() {
    let place = Place::new();
    place.write("answers.csv", "episode,prompt,response\na,hello,kind\nb,hello,curt\nc,bye,long\nd,bye,short\n");
    place.write("said.csv", "better,worse\na,b\na,b\nb,a\nd,c\n");
    let run = place.srrd("irl preferences answers.csv --preferences said.csv -o r.csv --std-error --ridge 0.01");
    assert_eq!(run.status, 0, "{}", run.err);
    assert!(run.err.contains("2 groups of rewards"), "{}", run.err);
    let table = place.read("r.csv");
    let kind = table.lines().find(|line| line.contains("hello,kind")).unwrap();
    let reward: f64 = kind.split(',').nth(4).unwrap().parse().unwrap();
    // 2 against 1: the difference is log 2, half of it each.
    assert!((reward - 2f64.ln() / 2.0).abs() < 0.01, "{table}");
    place.write("wrong.csv", "better,worse\na,z\n");
    let run = place.srrd("irl preferences answers.csv --preferences wrong.csv -o r.csv");
    let said = "wrong.csv: row 1 of the preferences, column `worse`: it names the episode 'z'";
    assert!(run.status == 2 && run.err.contains(said), "{}", run.err);
    place.write("itself.csv", "better,worse\na,b\nb,b\n");
    let run = place.srrd("irl preferences answers.csv --preferences itself.csv -o r.csv");
    let said =
        "itself.csv: row 2 of the preferences prefers the episode 'b' to itself: drop the row (a tie is two rows";
    assert!(run.status == 2 && run.err.contains(said), "{}", run.err);
    // As data for training reward models call them.
    place.write("chosen.csv", "rejected,chosen\nb,a\n");
    let run = place.srrd("irl preferences answers.csv --preferences chosen.csv -o chosen.out.csv");
    assert_eq!(run.status, 0, "{}", run.err);
    place.write("none.csv", "better,worse\n");
    let run = place.srrd("irl preferences answers.csv --preferences none.csv -o none.out.csv");
    assert!(
        run.status == 2 && run.err.contains("none.csv: the table has no data rows; at least one preference is needed"),
        "{}",
        run.err
    );
    // What was never judged has no standard error: 0 would say that it is known exactly.
    place.write("one.csv", "better,worse\na,b\n");
    let run = place.srrd("irl preferences answers.csv --preferences one.csv -o one.out.csv --std-error");
    assert!(run.status == 0 && run.err.contains("no preference contradicts another"), "{}", run.err);
    assert!(place.read("one.out.csv").contains("\nanswers.csv,bye,long,,0.0,,true\n"), "{}", place.read("one.out.csv"));
}

#[test]
fn bad_demonstrations_are_one_clear_error() {
    let place = Place::new();
    let refused = |name: &str, table: &str, more: &str, what: &str| {
        place.write(name, table);
        let run = place.srrd(&format!("irl maxent {name} -o out.csv {more}"));
        assert_eq!(run.status, 2, "{}", run.err);
        assert!(run.err.contains(what), "{}", run.err);
        assert!(!place.files().contains(&"out.csv".to_owned()));
    };
    refused(
        "plain.csv",
        "state,action,next_state\na,go,b\n",
        "",
        "the column is missing: what agents do is learned from episodes",
    );
    refused(
        "order.csv",
        "episode,state,action,next_state\n1,a,go,b\n1,c,go,d\n",
        "",
        "row 2 (line 3): episode `1` goes on in c, where its row before it (1) did not end: steps are missing or out of order: say their \
         order in a column `step`",
    );
    refused(
        "short.csv",
        "episode,step,state,action,next_state,terminated\n1,0,a,go,b,true\n2,0,a,stay,c,true\n",
        "",
        "every episode has a single step",
    );
    refused(
        "same.csv",
        "episode,step,state,action,next_state\n1,0,a,go,b\n1,1,b,go,a\n",
        "",
        "in no state were two different actions taken",
    );
    refused("walks.csv", &walks(), "--ridge 0", "--ridge: it must lie between");
    refused("walks.csv", &walks(), "--gamma 2", "--gamma: ");
    refused(
        "walks.csv",
        &walks(),
        "--model poled",
        "--model: poled: it is neither set nor pooled nor the name of a table; did you mean pooled?",
    );
    for (rows, said) in [("0,east,1,0.5\n", "add up to 0.5, not to 1"), ("0,east,1,1.5\n", "hold 1.5, which is none")] {
        place.write("model.csv", format!("state.x,action,next_state.x,probability\n{rows}"));
        let said = format!("model.csv: column `probability`: the probabilities of state (0) and action east {said}");
        refused("walks.csv", &walks(), "--model model.csv", &said);
    }
    place.write("model.csv", "state,action,next_state,probability\n0,east,1,1\n");
    refused("walks.csv", &walks(), "--model model.csv", "is not in the transition model");
    refused("walks.csv", &walks().replace("left,left,0,0", "left,other,0,0"), "", "a sample has one label");
    refused(
        "gap.csv",
        "episode,t,state,action,next_state\nmonday,3,a,go,b\nmonday,5,c,go,d\n",
        "--columns step=t",
        "gap.csv: row 2 (line 3): episode `monday` goes on in c (`t` 5), where its row before it (1, `t` 3) did not end: steps are missing",
    );
    // A set is named with its file.
    refused(
        "sets.csv",
        "sample,episode,step,state,action,next_state\nours,1,0,a,go,b\nours,1,1,b,go,a\n",
        "",
        "sets.csv: ours: in no state were two different actions taken",
    );
    // Files of one call that would overwrite each other.
    for more in ["--trace out.csv", "--trace ./out.csv", "--resume out.csv", "--trace t.csv --trace t.csv"] {
        refused("walks.csv", &walks(), more, "two files of this call have this name");
    }
    let run = place.srrd("irl maxent walks.csv -o - --trace -");
    assert!(run.status == 2 && run.out.is_empty(), "{}", run.err);
}

#[test]
fn what_tells_nothing_is_said() {
    let place = Place::new();
    // Every action as often as the other.
    place.write("even.csv", "episode,step,state,action,next_state\n1,0,a,go,b\n1,1,b,back,a\n1,2,a,stay,a\n");
    let run = place.srrd("irl maxent even.csv -o out.csv --std-error");
    assert!(run.status == 0 && run.err.contains("it tells nothing of the reward"), "{}", run.err);
}
