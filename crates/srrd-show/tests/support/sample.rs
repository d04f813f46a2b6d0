//! A report like those of the experiments, with names that would run scripts on a careless page.

use srrd_show::page::{Cell, Claim, Column, FigureBlock, Headline, Report, Section, Table, Verdict};
use srrd_show::{Axis, Drawing, Figure, HeatMap, LineChart, Point, Series};

/// A name that runs a script where it is written as markup.
pub const SCRIPT: &str = "<script>alert(1)</script>";
/// A name that runs a script where it is written into an attribute as it is.
pub const BREAKOUT: &str = "\"><img src=x onerror=\"window.ran=true\">";

fn text(text: &str) -> String {
    text.to_string()
}

/// The report that the browser opens.
pub fn report() -> Report {
    Report {
        title: text("How many rollouts does a reward distance need?"),
        lead: vec![
            text(
                "Two rewards that ask for the same behaviour should be at distance 0, however few transitions were \
                 sampled. We sampled a grid world more and more sparsely and looked at how far each metric drifts away.",
            ),
            text(
                "SRRD drifts least of the metrics of the paper. The projected metric, which the paper does not have, does \
                 not drift at all.",
            ),
        ],
        headline: Some(Headline::new(
            "SRRD needs the fewest rollouts of the four metrics of the paper.",
            FigureBlock::new(
                chart("Distance to a shaped copy by rollouts", &curves()),
                "Mean distance of a reward to a shaped copy, by the number of rollouts. Lower is better.",
            )
            .with_file("figures/drift.svg"),
        )),
        facts: facts(),
        claims: claims(),
        sections: sections(),
        command: text(
            "srrd reproduce rollouts --world grid --size 20 --trials 200 --gamma 0.7 --seed 0 -o runs/rollouts",
        ),
        notes: vec![
            text("With fewer than 20 shared transitions a distance is mostly noise; such points are drawn hollow."),
            text(SCRIPT),
        ],
    }
}

fn facts() -> Vec<(String, String)> {
    let facts = [
        ("World", "grid, 20 × 20, 4 actions"),
        ("Trials", "200 per point"),
        ("Rollouts", "1 to 100"),
        ("Discount γ", "0.7"),
        ("Seed", "0"),
        ("Estimator", "double, actions marginal"),
        ("Intervals", "95 %, Student t"),
        ("Version", "0.1.0"),
    ];
    facts.iter().map(|(name, value)| (text(name), text(value))).collect()
}

fn claims() -> Vec<Claim> {
    vec![
        Claim::new(
            "SRRD stays below DARD and EPIC at every coverage.",
            "SRRD 0.26 ± 0.02, DARD 0.30 ± 0.02, EPIC 0.55 ± 0.01 at 100 rollouts; the order holds from 10 rollouts on.",
            Verdict::Agrees,
            "The order is that of the paper; the gap to DARD is smaller.",
        ),
        Claim::new(
            "DARD is close to EPIC when samples are sparse.",
            "DARD is at 0.38 where EPIC is at 0.65.",
            Verdict::Disagrees,
            "With the definition as the paper writes it, DARD comes close to SRRD instead.",
        ),
        Claim::new(
            "The distance falls with the number of rollouts.",
            "From 1 to 5 rollouts the intervals overlap.",
            Verdict::Undecided,
            "200 trials are too few to tell below 5 rollouts.",
        ),
        Claim::new("", "The projected metric stays at 0.00 throughout.", Verdict::NotInPaper, ""),
    ]
}

fn curve(name: &str, color: usize, start: f64, end: f64, note: &str) -> Series {
    let points = [1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 100.0].map(|x: f64| {
        let share = (x.ln() / 100.0_f64.ln()).powf(1.4);
        let y = ((start + (end - start) * share) * 10_000.0).round() / 10_000.0;
        let half = 0.06 * (1.0 - 0.7 * share);
        Point::new(x, y).interval(y - half, y + half).note(note)
    });
    Series::new(name, points.to_vec()).color_index(color)
}

fn curves() -> Vec<Series> {
    let trials = "200 trials";
    vec![
        curve("DIRECT", 6, 0.68, 0.56, trials),
        curve("EPIC", 1, 0.68, 0.55, trials),
        curve("DARD", 2, 0.66, 0.3, trials),
        curve("SRRD", 3, 0.64, 0.2613, trials),
        curve(SCRIPT, 4, 0.1, 0.05, trials),
        curve(BREAKOUT, 5, 0.2, 0.12, BREAKOUT),
    ]
}

fn chart(title: &str, curves: &[Series]) -> Drawing {
    let empty = LineChart::new(title, Axis::linear("Rollouts"), Axis::linear("Distance").range(0.0, 1.0));
    curves.iter().cloned().fold(empty, LineChart::series).draw()
}

fn sections() -> Vec<Section> {
    let drift = Section {
        paragraphs: vec![text(
            "Each point is the mean distance of a reward to a shaped copy of itself: 0 would be right everywhere. The bands \
             are 95 % intervals of the mean.",
        )],
        tables: vec![distances()],
        ..Section::new("Drift with sparsity")
    };
    let large = Section {
        paragraphs: vec![text("The same with a world of 40 × 40 states: every curve moves to the right.")],
        figures: vec![FigureBlock::new(
            chart("Distance to a shaped copy in a large world", &curves()[..4]),
            "As figure 1, in a world of 40 × 40 states.",
        )],
        ..Section::new("A larger world")
    };
    let names = ["hand-made", "learned", SCRIPT].map(text).to_vec();
    let distances = vec![0.0, 0.3, 0.7, 0.3, 0.0, 0.6, 0.7, 0.6, 0.0];
    let map = HeatMap::new("SRRD distances", names, distances).expect("three names, nine distances");
    let pairs = Section {
        paragraphs: vec![text("All pairs of the rewards in the last run.")],
        figures: vec![FigureBlock::new(map.draw(), "Distances of all pairs.")],
        ..Section::new("All pairs")
    };
    let method = Section {
        paragraphs: vec![text(
            "Rewards are drawn for every transition, potentials for every state, both uniform in [-1, 1]; rollouts follow a \
             uniform policy for 20 steps.",
        )],
        ..Section::new(format!("How it was measured {SCRIPT}"))
    };
    vec![drift, large, pairs, method]
}

fn distances() -> Table {
    let columns = vec![
        Column::text("Metric").with_help("what was compared; the first four are the paper's"),
        Column::number("Rollouts").with_help("walks that were sampled, of 20 steps each"),
        Column::number("Distance").with_help("mean distance to the shaped copy, with its 95 % interval"),
        Column::number("Coverage").with_help("sampled transitions of all transitions between explored states"),
        Column::text("Remark"),
    ];
    let mut table = Table::new("Distances to a shaped copy. Click a column to sort.", columns);
    let remarks = ["", "noise below 20 shared transitions", BREAKOUT];
    for (index, metric) in ["direct", "EPIC", "dard", "srrd"].into_iter().enumerate() {
        for (place, rollouts) in [100, 9, 25].into_iter().enumerate() {
            let distance = 0.7 - 0.1 * index as f64 - 0.0009 * f64::from(rollouts);
            let half = 0.3 / f64::from(rollouts).sqrt();
            let shown = format!("{distance:.3} ± {half:.3}");
            // One distance is undefined, one is missing: both come last in either direction.
            let measured = match (index, place) {
                (0, 1) => Cell::number(f64::NAN, "undefined"),
                (1, 1) => Cell::Empty,
                _ => Cell::interval(distance, distance - half, distance + half, shown),
            };
            table.rows.push(vec![
                Cell::text(metric),
                Cell::number(f64::from(rollouts), rollouts.to_string()),
                measured,
                Cell::number(f64::from(rollouts) * 1e-4, format!("{:.2} %", f64::from(rollouts) * 1e-2)),
                if remarks[place].is_empty() { Cell::Empty } else { Cell::text(remarks[place]) },
            ]);
        }
    }
    table
}
