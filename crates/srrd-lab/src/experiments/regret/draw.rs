//! The figures, the table and the text about regret.

use super::measures::Sampled;
use super::position;
use super::ranks::Judged;
use crate::experiments::shared::show;
use crate::experiments::shared::verdicts;
use srrd_show::page::{Cell, Claim, Column, Report, Section, Table};
use srrd_show::{Axis, Bar, BarChart, LineChart, Point, Series};

pub fn report(judged: &[Judged], claims: Vec<Claim>) -> Report {
    let mut samples: Vec<Sampled> = Vec::new();
    for one in judged {
        if !samples.contains(&one.sampled) {
            samples.push(one.sampled);
        }
    }
    Report {
        title: "Which metric predicts regret?".to_owned(),
        lead: vec![
            "Random problems whose optimal policies are known, and pairs of rewards from equal to opposite, each with shaping of its \
             own. Regret is what acting by one of the two rewards loses under the other: 0 is nothing, 1 as much as can be lost; the \
             mean of both directions."
                .to_owned(),
            "A metric is as good as it ranks pairs: Spearman's correlation of its distances with regret, 1 being perfect. A pair \
             without a distance counts as unrelated (1/√2)."
                .to_owned(),
        ],
        claims,
        sections: samples.into_iter().map(|sampled| section(judged, sampled)).collect(),
        ..Report::default()
    }
}

fn section(judged: &[Judged], sampled: Sampled) -> Section {
    let here: Vec<&Judged> = judged.iter().filter(|one| one.sampled == sampled).collect();
    let name = match sampled {
        Sampled::Everything => "everything".to_owned(),
        Sampled::Walks(count) => format!("{count}"),
    };
    let mut section = Section::new(match sampled {
        Sampled::Everything => "Every transition is known".to_owned(),
        Sampled::Walks(count) => format!("{count} walks per reward"),
    });
    let caption = "Bars: the rank correlation of the distance with regret, with 95 % intervals over problems.";
    section.figures = vec![show::figure(&format!("regret-{name}"), &correlations(&here, sampled), caption)];
    let caption = "Means over problems. A metric that predicts regret rises with it.";
    section.figures.extend(here.iter().map(|one| {
        let file = format!("regret-{name}-{}", one.kind.title().replace(", ", "-"));
        show::figure(&file, &along(one), caption)
    }));
    section.tables = vec![table(&here)];
    section
}

fn correlations(here: &[&Judged], sampled: Sampled) -> BarChart {
    let axis = Axis::linear("rank correlation");
    let mut chart = BarChart::new(format!("Distance and regret, {}", sampled.title()), axis);
    for one in here {
        let bars = one
            .measures
            .iter()
            .map(|found| Bar::new(found.measure.title(), found.correlation).interval(found.low, found.high));
        chart = chart.group(one.kind.title(), bars.collect());
    }
    chart
}

fn along(one: &Judged) -> LineChart {
    let (x, y) = (Axis::linear("from equal (0) to opposite (1)"), Axis::linear("distance, regret").range(0.0, 1.0));
    let mut chart = LineChart::new(format!("{}, {}", one.kind.title(), one.sampled.title()), x, y);
    let line = |moments: &[crate::statistics::Moments]| -> Vec<Point> {
        let point = |(number, of): (usize, &crate::statistics::Moments)| {
            let (low, high) = of.interval();
            Point::new(position(number), of.mean()).interval(low, high)
        };
        moments.iter().enumerate().map(point).collect()
    };
    chart = chart.series(Series::new("regret", line(&one.regret)).dashed());
    for found in &one.measures {
        chart = chart.series(Series::new(found.measure.title(), line(&found.distance)));
    }
    chart
}

fn table(here: &[&Judged]) -> Table {
    let columns = vec![
        Column::text("problems"),
        Column::text("metric"),
        Column::number("shared").with_help("transitions that both samples hold"),
        Column::number("pairs"),
        Column::number("undefined").with_help("pairs without a distance"),
        Column::number("rank correlation").with_help("of distance and regret (95 % interval over problems)"),
    ];
    let mut table = Table::new("Rank correlation of distance and regret", columns);
    for one in here {
        table.rows.extend(one.measures.iter().map(|found| {
            vec![
                Cell::text(one.kind.title()),
                Cell::text(found.measure.title()),
                show::number(one.common, 1),
                show::count(one.pairs),
                show::count(found.undefined),
                show::interval(found.correlation, found.low, found.high, 3),
            ]
        }));
    }
    table
}

pub fn text(judged: &[Judged], claims: &[Claim]) -> String {
    let mut text = String::from("Rank correlation of distance and regret (95 % interval over problems):\n");
    for one in judged {
        text += &format!("{}, {} ({} pairs):\n", one.kind.title(), one.sampled.title(), one.pairs);
        for found in &one.measures {
            let (title, rho, low, high) = (found.measure.title(), found.correlation, found.low, found.high);
            text += &format!("  {title:<34} {rho:>6.3} ({low:.3} to {high:.3})");
            if found.undefined > 0 {
                text += &format!(", {} undefined", found.undefined);
            }
            text.push('\n');
        }
    }
    verdicts::as_text(claims, &mut text);
    text
}
