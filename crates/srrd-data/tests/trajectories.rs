//! Trajectories as tables.

use srrd::Token;
use srrd::trajectories::{End, Trajectories};
use srrd_data::{TrajectoryColumns, TrajectoryRows, Values};

#[test]
fn rows_are_numbered_and_named() {
    let mut builder = Trajectories::builder().state_features(["x", "y"]).action_features(["by"]);
    let tuples = [[1.0, 2.0], [3.0, 4.5]];
    let states: Vec<Token> = tuples.iter().map(|tuple| Token::features(tuple)).collect();
    for end in [End::Terminated, End::Truncated] {
        builder.push_episode(&states, &[Token::features(&[1.0])], Some(&[0.5]), end).unwrap();
    }
    let walks = builder.build().named("one", Some("kind"));
    let columns = TrajectoryColumns {
        labelled: true,
        state_features: vec!["x".to_owned(), "y".to_owned()],
        action_features: vec!["by".to_owned()],
        whole: false,
        done: true,
    };
    for whole in [false, true] {
        let mut rows = TrajectoryRows::new(TrajectoryColumns { whole, ..columns.clone() });
        rows.push(&walks, 7);
        assert_eq!(rows.len(), 2);
        let names: Vec<String> = rows.schema().fields.into_iter().map(|field| field.name).collect();
        let expected = "sample label episode step state.x state.y action.by next_state.x next_state.y reward done";
        assert_eq!(names.join(" "), expected);
        let batch = rows.take();
        assert!(rows.is_empty());
        assert!(matches!(&batch.columns[2].values, Values::Int(episodes) if episodes[..] == [7, 8]));
        assert!(matches!(&batch.columns[10].values, Values::Bool(done) if done[..] == [true, false]));
        match &batch.columns[8].values {
            Values::Int(y) => assert!(whole && y[..] == [4, 4]),
            Values::Float(y) => assert!(!whole && y[..] == [4.5, 4.5]),
            other => panic!("{other:?}"),
        }
    }
}
