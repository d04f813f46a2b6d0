//! A heat map of every kind.

use srrd_show::{FigureError, HeatMap};

use crate::{Gallery, random};

pub(crate) fn gallery() -> Result<Gallery, FigureError> {
    let maps = maps()?;
    Ok(maps.into_iter().map(|(name, map)| (name, Box::new(map) as _)).collect())
}

fn maps() -> Result<Vec<(&'static str, HeatMap)>, FigureError> {
    let three = HeatMap::new(
        "SRRD distances between three rewards",
        ["manual", "learned", "random"].map(String::from).to_vec(),
        vec![0.0, 0.214, f64::NAN, 0.214, 0.0, 0.71, f64::NAN, 0.71, 0.0],
    )?;
    let ten = world(10, 2);
    let forty = world(40, 4);
    let sixty = world(60, 5);
    let hundred = world(100, 6);
    let many_classes = world(150, 30);
    let odd = [
        "a<b> & \"quoted\" 'name'",
        "R(s,a,s′) = γ·Φ(s′) − Φ(s) → ∞",
        "награда №7",
        "日本語の報酬",
        "a_very_long_name_of_a_reward_model_trained_for_many_hours_on_a_big_machine_seed_0001",
        "a_very_long_name_of_a_reward_model_trained_for_many_hours_on_a_big_machine_seed_0002",
        "",
        "line\nbreak",
    ]
    .map(String::from);
    let (_, mut odd_values, _) = parts(8, 3);
    odd_values[3] = f64::NAN;
    odd_values[24] = f64::NAN;
    let equal = HeatMap::new("All equal", names(6), vec![0.5; 36])?.clustered();
    Ok(vec![
        ("01-three", three),
        ("02-ten", ten.clone()),
        ("03-ten-clustered", ten.clustered()),
        ("04-forty", forty.clustered()),
        ("05-sixty", sixty.clustered()),
        ("06-hundred", hundred.clustered()),
        ("07-many-classes", many_classes.clustered()),
        ("08-three-hundred", world(300, 7).clustered()),
        ("09-five-hundred", world(500, 8).clustered()),
        ("10-thousand", world(1000, 8)),
        ("11-three-thousand", world(3000, 8).clustered()),
        (
            "12-odd",
            HeatMap::new(
                "Odd names <&>\" in a figure whose title is itself so long that it cannot be \
                 written in one line, nor in two, and one begins to wonder whether three will do \
                 or whether something has to be left out of it in the end after all",
                odd.to_vec(),
                odd_values,
            )?
            .with_classes(&["<x>", "y", "<x>", "y", "a class with a long, long, long name", "y", "y", "z"])?
            .clustered(),
        ),
        ("13-equal", equal),
        ("14-one", HeatMap::new("One", names(1), vec![0.0])?.clustered()),
        ("15-one-undefined", HeatMap::new("", names(1), vec![f64::NAN])?),
        ("16-two", HeatMap::new("Two", names(2), vec![0.0, 0.9, 0.9, 0.0])?.clustered()),
    ])
}

fn world(n: usize, classes: usize) -> HeatMap {
    let (names, values, labels) = parts(n, classes);
    HeatMap::new(format!("{n} samples of {classes} classes"), names, values)
        .and_then(|map| map.with_classes(&labels))
        .expect("as many of everything as samples")
}

fn names(n: usize) -> Vec<String> {
    (0..n).map(|sample| format!("reward-{sample:02}")).collect()
}

/// Points scattered around a centre for each class, and the distances between them.
fn parts(n: usize, classes: usize) -> (Vec<String>, Vec<f64>, Vec<String>) {
    let mut random = random(12345);
    let centres: Vec<[f64; 3]> = (0..classes).map(|_| [random(), random(), random()]).collect();
    let of: Vec<usize> = (0..n).map(|sample| sample * 11 % classes).collect();
    let points: Vec<[f64; 3]> = of.iter().map(|&class| centres[class].map(|c| c + 0.25 * (random() - 0.5))).collect();
    let mut values = Vec::with_capacity(n * n);
    for a in 0..n {
        for b in 0..n {
            let square: f64 = (0..3).map(|k| (points[a][k] - points[b][k]).powi(2)).sum();
            let lost = n > 10 && a != b && (a % 29 == 3 && b % 3 == 0 || b % 29 == 3 && a % 3 == 0);
            values.push(if lost { f64::NAN } else { square.sqrt().min(1.0) });
        }
    }
    let labels = of.iter().map(|class| format!("class {class}")).collect();
    (names(n), values, labels)
}
