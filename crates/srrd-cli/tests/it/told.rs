//! What is told beside a result.

use crate::support::Place;

/// Walks over features that end, of two rewards.
fn walks() -> String {
    let mut table = "episode,step,state.x,state.y,action,old,new,terminated\n".to_owned();
    for episode in 0..12 {
        for step in 0..4 {
            let (old, new) = ((episode * 7 + step * 3) % 5, (episode * 3 + step * 5) % 7);
            table += &format!("{episode},{step},{},{step},{},{old},{new},{}\n", episode % 3, episode % 2, step == 3);
        }
    }
    table
}

#[test]
fn explanations_name_the_end_of_an_episode() {
    let place = Place::new();
    place.write("t.csv", walks());
    let text = place.ok("explain t.csv --rewards old,new --metric direct --top 40");
    assert!(text.lines().any(|line| line.contains(" end ")), "{text}");
    // A next state that is none is null, whatever states are made of.
    for (table, name) in [(walks(), "next_state.x"), (walks().replace("state.x,state.y", "state,other"), "next_state")]
    {
        place.write("t.csv", table);
        for format in ["csv", "parquet"] {
            place.ok(&format!("explain t.csv --rewards old,new --metric direct -o e.{format}"));
        }
        let written = place.read("e.csv");
        let header: Vec<&str> = written.lines().next().unwrap().split(',').collect();
        let at = header.iter().position(|column| *column == name).unwrap();
        let cells: Vec<&str> = written.lines().skip(1).map(|line| line.split(',').nth(at).unwrap()).collect();
        assert!(cells.contains(&"") && cells.iter().any(|cell| cell.parse::<i64>().is_ok()), "{written}");
    }
}

#[test]
fn a_matrix_of_one_sample_is_remarked() {
    let place = Place::new();
    place.write("t.csv", "state,action,next_state,reward\na,x,b,1\nb,x,a,2\na,y,a,3\n");
    let run = place.srrd("matrix t.csv -o m.csv");
    assert_eq!(run.status, 0);
    assert!(
        run.err.contains("warning: t.csv: the only sample; a matrix of one sample has one distance, 0"),
        "{}",
        run.err
    );
}

#[test]
fn returns_say_where_numbers_are_of_other_rows() {
    let place = Place::new();
    place.write("t.csv", walks().replace("terminated", "truncated"));
    let text = place.ok("returns t.csv --rewards old,new");
    assert!(
        text.contains(
            "without shaping: the last reward of 12 episodes is left out because its next state is not known; the other numbers count it\n"
        ),
        "{text}"
    );
    place.write("t.csv", walks());
    assert!(!place.ok("returns t.csv --rewards old,new").contains("is left out because"));
}

/// Numbers that look random.
fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

#[test]
fn rewards_of_rows_that_were_left_out_are_not_called_the_same() {
    let place = Place::new();
    let mut draw = numbers(1);
    // Three goals, of which one is marked; the rows that lead to the others have no next state, as `lead` of SQL leaves them.
    let mut table = String::from("episode,step,state,action,next_state,old,new,terminated\n");
    for episode in 0..300 {
        let (mut state, goal) = (draw(30), draw(3));
        for step in 0.. {
            let action = draw(9);
            let small = ((state * 7 + action * 5) % 11) as f64 / 10.0;
            if state == 36 {
                let (next, worth) = ["37", "", ""].map(|next| (next, 10.0))[goal as usize];
                let sign = if goal == 1 { -1.0 } else { 1.0 };
                let new = if goal == 0 { worth } else { -sign * worth };
                table += &format!("{episode},{step},36,g{goal},{next},{},{new},{}\n", sign * worth, goal == 0);
                break;
            }
            let next = (state + 1 + action).min(36);
            table += &format!("{episode},{step},{state},{action},{next},{small},{small},false\n");
            state = next;
        }
    }
    place.write("t.csv", &table);
    let said = place.ok("distance t.csv --rewards old,new");
    assert!(said.contains("not enough data to tell") && said.contains("rows that were left out"), "{said}");
}

#[test]
fn a_shaped_copy_is_not_called_different_for_time_limits_among_ends() {
    let place = Place::new();
    let mut draw = numbers(2);
    let phi = |s: u64| if s == 55 { 0.0 } else { (s * s % 13) as f64 - 6.0 };
    let mut table = String::from("episode,step,state,action,done,r,shaped\n");
    for episode in 0..400 {
        let mut state = draw(55);
        for step in 0..40 {
            let action = draw(4);
            let (x, y) = (state % 10, state / 10);
            let next = match action {
                0 => y * 10 + (x + 1).min(9),
                1 => y * 10 + x.saturating_sub(1),
                2 => (y + 1).min(9) * 10 + x,
                _ => y.saturating_sub(1) * 10 + x,
            };
            let reward = if next == 55 { 1.0 } else { -0.05 };
            let shaped = reward + 0.9 * phi(next) - phi(state);
            let done = next == 55 || step == 39;
            table += &format!("{episode},{step},{state},{action},{done},{reward},{shaped}\n");
            if done {
                break;
            }
            state = next;
        }
    }
    place.write("t.csv", &table);
    let said = place.ok("distance t.csv --rewards r,shaped");
    assert!(said.contains("not enough data to tell") && said.contains("if `done` holds time limits"), "{said}");
}
