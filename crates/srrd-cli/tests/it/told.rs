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
