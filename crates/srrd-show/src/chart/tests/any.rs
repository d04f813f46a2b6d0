//! Charts of any numbers, names and axes.

use proptest::prelude::*;
use roxmltree::Document;

use super::assert_inside;
use crate::Figure;
use crate::chart::{Axis, Bar, BarChart, LineChart, Panels, Point, ScatterChart, Series};

/// Numbers of all kinds, mostly usual ones.
fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => -2.0..5.0f64,
        2 => -1e6..1e6f64,
        1 => any::<f64>(),
        1 => Just(f64::NAN),
        1 => Just(0.0),
    ]
}

fn any_series() -> impl Strategy<Value = Series> {
    let point = (any_number(), any_number(), any_number(), any_number());
    let points = prop::collection::vec(point.prop_map(|(x, y, low, high)| Point::new(x, y).interval(low, high)), 0..12);
    (".{0,30}", points, any::<bool>(), any::<bool>(), prop::option::of(0..20usize)).prop_map(
        |(name, points, dashed, line, color)| {
            let series = Series::new(name, points);
            let series = if dashed { series.dashed() } else { series };
            let series = if line { series } else { series.without_line() };
            color.into_iter().fold(series, Series::color_index)
        },
    )
}

fn any_axis() -> impl Strategy<Value = Axis> {
    (".{0,30}", any::<bool>(), prop::option::of((any_number(), any_number()))).prop_map(|(label, log, range)| {
        let axis = if log { Axis::log(label) } else { Axis::linear(label) };
        range.into_iter().fold(axis, |axis, (low, high)| axis.range(low, high))
    })
}

proptest! {
    // Each case draws five pictures and parses them.
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_input_gives_a_picture(
        x in any_axis(),
        y in any_axis(),
        series in prop::collection::vec(any_series(), 0..5),
        reference in any_number(),
    ) {
        let empty = LineChart::new("t", x.clone(), y.clone()).reference(reference, "r");
        let line = series.iter().cloned().fold(empty, LineChart::series);
        let scatter = series.iter().cloned().fold(ScatterChart::new("t", x, y.clone()), ScatterChart::series);
        let bars = series.iter().fold(BarChart::new("t", y), |chart, series| {
            let bar = |point: &Point| Bar::new(short(point.x), point.y).interval(point.low, point.high);
            chart.group(series.name(), series.points().iter().map(bar).collect())
        });
        let panels = Panels::new("t", series.len()).panel(line.clone()).panel(line.clone());
        let direct = line.clone().direct_labels();
        for picture in [line.draw(), direct.draw(), scatter.draw(), bars.draw(), panels.draw()] {
            let svg = picture.to_svg();
            let document = Document::parse(&svg).unwrap();
            for node in document.descendants().filter(|node| !node.has_tag_name("text")) {
                for name in ["d", "x", "y", "cx", "cy", "x1", "y1", "x2", "y2", "width", "height"] {
                    let value = node.attribute(name).unwrap_or_default();
                    prop_assert!(!value.contains("NaN") && !value.contains("inf"), "{value}");
                }
            }
            assert_inside(picture);
        }
    }
}

fn short(value: f64) -> String {
    crate::chart::numbers::short(value, 3)
}

#[test]
fn names_of_metrics_are_whole_on_a_phone() {
    let names = ["direct", "epic", "dard", "srrd", "projected"];
    let bars = || ["shaped copy", "unrelated reward"].map(|of| Bar::new(of, 0.5)).to_vec();
    let groups = names.map(|name| (name.to_owned(), bars()));
    let chart = BarChart::new("Distances", Axis::linear("distance").range(0.0, 1.0)).groups(groups);
    let narrow = chart.draw().to_narrow_markup("").unwrap();
    for name in names {
        assert!(
            narrow.contains(&format!(">{name}</text>")) || narrow.contains(&format!(">{name}<title>")),
            "{name}: {narrow}"
        );
    }
}
