//! Charts of every kind, with data like those of experiments.

use srrd_show::{Arrow, Axis, Bar, BarChart, FigureError, GridPicture, LineChart, Panels, Point, ScatterChart, Series};

use crate::{Gallery, random};

const METRICS: [&str; 4] = ["DIRECT", "EPIC", "DARD", "SRRD"];
const ROLLOUTS: [f64; 23] = [
    1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 75.0, 100.0, 150.0, 200.0, 300.0, 500.0,
    750.0, 1000.0, 1500.0, 2000.0,
];

pub(crate) fn gallery() -> Result<Gallery, FigureError> {
    Ok(vec![
        ("line-many", Box::new(line("Distance between shaped copies of a reward", &ROLLOUTS, 1))),
        ("line-few", Box::new(line("A few points with whiskers", &[1.0, 5.0, 25.0, 125.0, 625.0], 2))),
        ("line-direct", Box::new(direct())),
        ("line-odd", Box::new(odd_line())),
        ("line-empty", Box::new(LineChart::new("Nothing", Axis::log("n"), Axis::linear("d")))),
        ("line-ranges", Box::new(ranges())),
        ("panels-four", Box::new(panels(4, 2))),
        ("panels-five", Box::new(panels(5, 3))),
        ("panels-direct", Box::new(panels(2, 2).direct_labels().wide())),
        ("bars-worlds", Box::new(bars())),
        ("bars-signs", Box::new(signs())),
        ("bars-many", Box::new(many_bars())),
        ("scatter-ten", Box::new(scatter(10, 60))),
        ("scatter-twenty", Box::new(scatter(20, 100))),
        ("grid-arrows", Box::new(grid_with_arrows()?)),
        ("grid-shares", Box::new(grid_with_shares()?)),
        ("grid-numbers", Box::new(grid_with_numbers()?)),
        ("grid-large", Box::new(large_grid()?)),
    ])
}

fn curve(metric: usize, xs: &[f64], seed: u64) -> Vec<Point> {
    let mut random = random(seed + metric as u64);
    let point = |&x: &f64| {
        let level = [0.65, 0.52, 0.31, 0.16][metric];
        let y = level * (0.35 + 0.65 / (1.0 + x / [900.0, 400.0, 90.0, 30.0][metric])) + 0.02 * (random() - 0.5);
        let half = 0.02 + 0.08 / x.sqrt() * (0.7 + random());
        Point::new(x, y).interval(y - half, y + half).note("200 repeats")
    };
    xs.iter().map(point).collect()
}

fn line(title: &str, xs: &[f64], seed: u64) -> LineChart {
    let chart = LineChart::new(title, Axis::log("Rollouts"), Axis::linear("Distance (0 is equivalent)"))
        .subtitle("10 × 10 grid world, random reward, γ = 0.9; bands hold 95 % of 200 repeats")
        .reference(0.5f64.sqrt(), "unrelated");
    METRICS.iter().enumerate().fold(chart, |chart, (metric, name)| {
        chart.series(Series::new(*name, curve(metric, xs, seed)).color_index(metric))
    })
}

fn direct() -> LineChart {
    let chart = line("Names at the ends of the lines", &ROLLOUTS, 3);
    chart.series(Series::new("SRRD again", curve(3, &ROLLOUTS, 3))).direct_labels().wide()
}

fn odd_line() -> LineChart {
    let with_gap = [(1.0, 0.2), (2.0, f64::NAN), (3.0, 0.4), (4.0, 0.5), (5.0, f64::INFINITY), (6.0, 0.1), (7.0, 0.3)];
    let points = |shift: f64| {
        with_gap.map(|(x, y)| Point::new(x, y + shift).interval(y + shift - 0.1, y + shift + 0.1)).to_vec()
    };
    LineChart::new(
        "Odd <names> & \"gaps\" in a title that is too long for one line of a chart 640 wide",
        Axis::linear("x"),
        Axis::linear("y"),
    )
    .series(Series::new("a name that is much too long to stand at the right side of a chart, seed 1", points(0.0)))
    .series(
        Series::new("a name that is much too long to stand at the right side of a chart, seed 2", points(0.3)).dashed(),
    )
    .series(Series::new("", points(0.5)).without_line())
    .series(Series::new("<&>", points(0.7)))
}

fn ranges() -> LineChart {
    let wave: Vec<Point> = (0..60)
        .map(|step| {
            let x = f64::from(step) / 10.0;
            let y = (x * 2.0).sin() * 1.5;
            Point::new(x, y).interval(y - 0.4, y + 0.4)
        })
        .collect();
    LineChart::new(
        "Cut off at the border",
        Axis::linear("Time (s)").range(1.0, 4.7),
        Axis::linear("Height (m)").range(-1.0, 1.0),
    )
    .series(Series::new("wave", wave))
    .reference(0.0, "level")
    .reference(0.9, "high")
}

fn panels(count: usize, columns: usize) -> Panels {
    let worlds = ["Gridworld", "Bouncing balls", "Drone combat", "StarCraft II", "Montezuma's Revenge"];
    let panels =
        Panels::new("Distance to a shaped copy, by world", columns).subtitle("Bands hold 95 % of 200 repeats.");
    worlds[..count].iter().enumerate().fold(panels, |panels, (number, world)| {
        let chart = LineChart::new(*world, Axis::log("Rollouts"), Axis::linear("Distance"));
        let chart = METRICS.iter().enumerate().fold(chart, |chart, (metric, name)| {
            chart.series(Series::new(*name, curve(metric, &ROLLOUTS, 10 * number as u64)).color_index(metric))
        });
        let dashed = curve(3, &ROLLOUTS, 99).into_iter().map(|point| Point::new(point.x, point.y + 0.05)).collect();
        let chart = chart.series(Series::new("SRRD, unbiased", dashed).dashed().color_index(3));
        panels.panel(chart.reference(0.5f64.sqrt(), "unrelated"))
    })
}

fn bars() -> BarChart {
    let mut random = random(5);
    let mut chart = BarChart::new("Accuracy of k-NN by reward distance", Axis::linear("Correct (%)"))
        .subtitle("10 agents, 95 % intervals of 50 splits")
        .reference(10.0, "guessing");
    for (index, metric) in METRICS.iter().enumerate() {
        let unbiased = format!("{metric} unbiased");
        chart = chart.color_index(*metric, index).color_index(&unbiased, index).pale(&unbiased);
    }
    for world in ["Gridworld", "Bouncing balls", "Drone combat"] {
        let mut group = Vec::new();
        for (index, metric) in METRICS.iter().enumerate() {
            for (suffix, bonus) in [("", 0.0), (" unbiased", 5.0)] {
                let value = 30.0 + 12.0 * index as f64 + bonus + 20.0 * random();
                let value = if world == "Bouncing balls" && index == 1 { f64::NAN } else { value };
                group.push(Bar::new(format!("{metric}{suffix}"), value).interval(value - 4.0, value + 4.0));
            }
        }
        chart = chart.group(world, group);
    }
    chart
}

fn signs() -> BarChart {
    BarChart::new("Bars on both sides of zero", Axis::linear("Change (%)"))
        .group("first", vec![Bar::new("a", -3.0).interval(-4.0, -1.5), Bar::new("b", 4.0)])
        .group("a group with a rather long name", vec![Bar::new("a", 0.0), Bar::new("b", 2.0).interval(-0.5, 3.0)])
}

fn many_bars() -> BarChart {
    let mut random = random(8);
    (0..15).fold(BarChart::new("Many", Axis::linear("Value")), |chart, group| {
        let bars = (0..9).map(|series| Bar::new(format!("series {series}"), random())).collect();
        chart.group(format!("Group {group}"), bars)
    })
}

fn scatter(classes: usize, points: usize) -> ScatterChart {
    let mut random = random(77);
    let mut chart = ScatterChart::new(
        "Reward samples by agent, in two dimensions",
        Axis::linear("First coordinate"),
        Axis::linear("Second coordinate"),
    );
    for class in 0..classes {
        let (x, y) = (4.0 * random(), 3.0 * random());
        let points = (0..points)
            .map(|sample| {
                let noise = random() + random() + random() - 1.5;
                let other = random() + random() + random() - 1.5;
                Point::new(x + 0.5 * noise, y + 0.5 * other).note(format!("sample {sample}"))
            })
            .collect();
        chart = chart.class(format!("agent {class}"), points);
    }
    chart
}

fn grid_with_arrows() -> Result<GridPicture, FigureError> {
    let side = 15;
    let mut random = random(3);
    let wall = |x: usize, y: usize| (x == 5 && y > 3) || (y == 9 && x > 8 && x != 12);
    let mut values = Vec::new();
    let mut arrows = Vec::new();
    for y in 0..side {
        for x in 0..side {
            let near = 1.0 / (1.0 + ((x as f64 - 10.0).powi(2) + (y as f64 - 4.0).powi(2)) / 6.0);
            let far = 1.0 / (1.0 + ((x as f64 - 2.0).powi(2) + (y as f64 - 11.0).powi(2)) / 9.0);
            values.push(if wall(x, y) { f64::NAN } else { near - far });
            for (dx, dy) in [(1i32, 0i32), (-1, 0), (0, 1), (0, -1)] {
                let inside = (0..side as i32).contains(&(x as i32 + dx)) && (0..side as i32).contains(&(y as i32 + dy));
                if inside && !wall(x, y) && !wall((x as i32 + dx) as usize, (y as i32 + dy) as usize) && random() < 0.5
                {
                    arrows.push(Arrow::new(x, y, dx, dy, (near - far) + 0.8 * (random() - 0.5)));
                }
            }
            if (x + y) % 13 == 0 && !wall(x, y) {
                arrows.push(Arrow::new(x, y, 0, 0, 0.4));
            }
        }
    }
    GridPicture::new("Where two rewards differ", side, side, values)?
        .subtitle("Cells: mean over what was sampled there; arrows: single transitions.")
        .labels("cells: share of the distance in %", "arrows: learned minus true, canonical")
        .arrows(arrows)
}

fn grid_with_shares() -> Result<GridPicture, FigureError> {
    let mut random = random(12);
    let values: Vec<f64> = (0..48).map(|_| 6.0 * random() * random()).collect();
    let arrows = (0..48).map(|cell| {
        let (x, y) = (cell % 8, cell / 8);
        Arrow::new(x, y, if x < 7 { 1 } else { 0 }, 0, 8.0 * random() - 4.0)
    });
    let labels = [
        "cells: share of the distance in %",
        "arrows: share of one step in %, orange where A gives more, blue where B does",
    ];
    let picture = GridPicture::new("Where two rewards differ", 8, 6, values)?.labels(labels[0], labels[1]);
    picture.arrows(arrows.collect())
}

fn grid_with_numbers() -> Result<GridPicture, FigureError> {
    let values = (0..24).map(|cell| if cell == 7 { f64::NAN } else { f64::from(cell * cell) / 40.0 }).collect();
    Ok(GridPicture::new("Visits", 6, 4, values)?.labels("visits", "steps"))
}

fn large_grid() -> Result<GridPicture, FigureError> {
    let values = (0..120 * 80).map(|cell| (f64::from(cell % 120) / 9.0).sin() * (f64::from(cell / 120) / 13.0).cos());
    GridPicture::new("Large", 120, 80, values.collect())
}
