use roxmltree::{Document, Node};

use super::*;
use crate::escape::shown;
use crate::raster::parse;
use crate::{Figure, FigureError, HeatMap};

mod any;

fn line_chart(points: usize) -> LineChart {
    let points = |level: f64| {
        let point = |step: usize| {
            let y = level + 0.01 * step as f64;
            Point::new((step + 1) as f64, y).interval(y - 0.011, y + 0.011)
        };
        (0..points).map(point).collect()
    };
    LineChart::new("Title", Axis::log("Coverage (%)"), Axis::linear("Distance"))
        .series(Series::new("SRRD", points(0.231)))
        .series(Series::new("EPIC", points(0.5)).dashed())
}

fn bar_chart() -> BarChart {
    BarChart::new("Bars", Axis::linear("Distance"))
        .group("one", vec![Bar::new("a", 0.231).interval(0.22, 0.242), Bar::new("b", f64::NAN)])
        .group("two", vec![Bar::new("b", 0.8), Bar::new("a", 0.1)])
}

fn scatter_chart(classes: usize) -> ScatterChart {
    let chart = ScatterChart::new("Scatter", Axis::linear("x"), Axis::linear("y"));
    (0..classes).fold(chart, |chart, class| {
        let points = (0..5).map(|point| Point::new((class * point) as f64, point as f64)).collect();
        chart.class(format!("class {class}"), points)
    })
}

fn grid() -> GridPicture {
    GridPicture::new("Grid", 3, 2, vec![-1.0, 0.0, 0.5, f64::NAN, 0.25, 1.0])
        .unwrap()
        .arrows(vec![Arrow::new(0, 0, 1, 0, -0.5), Arrow::new(2, 1, 0, 0, 1.0), Arrow::new(1, 1, 0, 1, f64::NAN)])
        .unwrap()
}

fn all() -> Vec<Box<dyn Figure + Send + Sync>> {
    vec![
        Box::new(line_chart(4)),
        Box::new(line_chart(30)),
        Box::new(Panels::new("Panels", 2).panel(line_chart(4)).panel(line_chart(9)).panel(line_chart(1))),
        Box::new(bar_chart()),
        Box::new(scatter_chart(10)),
        Box::new(scatter_chart(3)),
        Box::new(grid()),
    ]
}

fn with_class<'a>(document: &'a Document, class: &str) -> Vec<Node<'a, 'a>> {
    let has = |node: &Node| node.attribute("class").is_some_and(|all| all.split(' ').any(|one| one == class));
    document.descendants().filter(has).collect()
}

fn title_of<'a>(node: Node<'a, 'a>) -> Option<&'a str> {
    node.children().find(|child| child.has_tag_name("title"))?.text()
}

/// Nothing drawn, strokes included, may stand outside the picture, whatever font a viewer has.
fn assert_inside(picture: Drawing) {
    let tree = parse(&picture.outlined_wide()).unwrap();
    let (size, drawn) = (tree.size(), tree.root().abs_stroke_bounding_box());
    assert!(drawn.left() >= 0.0 && drawn.top() >= 0.0, "{drawn:?}");
    assert!(drawn.right() <= size.width() && drawn.bottom() <= size.height(), "{drawn:?} {size:?}");
}

#[test]
fn roots_are_labelled_pictures() {
    for figure in all() {
        let svg = figure.to_svg();
        let document = Document::parse(&svg).unwrap();
        let root = document.root_element();
        assert_eq!(root.attribute("class"), Some("srrd-chart"));
        assert_eq!(root.attribute("role"), Some("img"));
        assert_eq!(root.attribute("aria-label"), Some(figure.title()));
        let side = |name| root.attribute(name).unwrap().parse::<f64>().unwrap();
        let view_box = format!("0 0 {} {}", side("width"), side("height"));
        assert_eq!(root.attribute("viewBox"), Some(view_box.as_str()));
        assert_eq!(with_class(&document, "paper").len(), 1);
        assert!(!with_class(&document, "axis").is_empty());
        // Any number of figures can stand in one page.
        assert!(document.descendants().all(|node| node.attribute("id").is_none()));
    }
}

#[test]
fn all_text_can_be_restyled() {
    for figure in all() {
        let svg = figure.to_svg();
        let document = Document::parse(&svg).unwrap();
        let texts: Vec<Node> = document.descendants().filter(|node| node.has_tag_name("text")).collect();
        assert!(texts.len() > 4);
        for text in texts {
            // Except for numbers on coloured cells, whose ink depends on the cell.
            assert!(matches!(text.attribute("class"), Some("ink" | "ink-soft")), "{:?}", text.text());
            assert!(text.attribute("fill").is_some());
        }
    }
}

#[test]
fn series_hold_intervals_line_and_points() {
    for (points, interval) in [(1, "whisker"), (6, "whisker"), (7, "band"), (30, "band")] {
        let svg = line_chart(points).to_svg();
        let document = Document::parse(&svg).unwrap();
        let series = with_class(&document, "series");
        let names: Vec<_> = series.iter().map(|node| node.attribute("data-series").unwrap()).collect();
        assert_eq!(names, ["SRRD", "EPIC"]);
        for group in series {
            let parts = |class: &str| {
                let inside = |node: &&Node| node.ancestors().any(|ancestor| ancestor == group);
                with_class(&document, class).iter().filter(inside).count()
            };
            assert_eq!(parts(interval), 1, "{points}");
            assert_eq!(parts("whisker") + parts("band"), 1);
            assert_eq!(parts("line"), usize::from(points > 1));
            assert_eq!(parts("point"), points);
        }
    }
}

#[test]
fn points_tell_their_values() {
    let svg = line_chart(1).to_svg();
    let document = Document::parse(&svg).unwrap();
    let point = with_class(&document, "point")[0];
    let data = ["data-x", "data-y", "data-low", "data-high", "data-note"].map(|name| point.attribute(name).unwrap());
    assert_eq!(data, ["1", "0.231", "0.22", "0.242", ""]);
    assert_eq!(title_of(point), Some("SRRD: coverage 1, distance 0.231 (0.220 to 0.242)"));

    let noted = LineChart::new("", Axis::linear("x"), Axis::linear("y"))
        .series(Series::new("a", vec![Point::new(2.0, 3.0).note("5 repeats")]))
        .to_svg();
    let document = Document::parse(&noted).unwrap();
    let point = with_class(&document, "point")[0];
    assert_eq!(point.attribute("data-low"), Some(""));
    assert_eq!(point.attribute("data-note"), Some("5 repeats"));
    assert!(title_of(point).unwrap().ends_with("; 5 repeats"));
}

#[test]
fn legends_name_every_series_once() {
    let panels = Panels::new("", 2).panel(line_chart(3)).panel(line_chart(8));
    for (svg, expected) in [
        (line_chart(3).to_svg(), vec!["SRRD", "EPIC"]),
        (panels.to_svg(), vec!["SRRD", "EPIC"]),
        (bar_chart().to_svg(), vec!["a", "b"]),
        (scatter_chart(2).to_svg(), vec!["class 0", "class 1"]),
    ] {
        let document = Document::parse(&svg).unwrap();
        let entries = with_class(&document, "legend-entry");
        let names: Vec<_> = entries.iter().map(|entry| entry.attribute("data-series").unwrap()).collect();
        assert_eq!(names, expected);
        assert!(entries.iter().all(|entry| entry.attribute("tabindex") == Some("0")));
        // Marks of the legend are no points of the data.
        assert!(entries.iter().all(|entry| entry.descendants().all(|node| node.attribute("class") != Some("point"))));
    }
}

#[test]
fn reference_lines_are_explained_and_shown() {
    let chart = line_chart(3).reference(2.5, "far").reference(f64::NAN, "nowhere").reference(2.0, "");
    let svg = chart.to_svg();
    let document = Document::parse(&svg).unwrap();
    let in_legend = |line: &Node| line.parent().unwrap().attribute("class") == Some("legend-reference");
    let (explained, drawn): (Vec<Node>, Vec<Node>) =
        with_class(&document, "reference").into_iter().partition(in_legend);
    assert_eq!((explained.len(), drawn.len()), (1, 2));
    assert_eq!((title_of(drawn[0]), title_of(drawn[1])), (Some("far"), None));
    // A line that cannot be drawn is not in the legend either.
    assert!(svg.contains(">far</text>") && !svg.contains(">nowhere</text>"));
    let labels: Vec<&str> = with_class(&document, "ink").iter().filter_map(|text| text.text()).collect();
    assert!(labels.contains(&"2.5"), "{labels:?}");
}

#[test]
fn direct_labels_stand_at_the_ends_of_their_lines() {
    let lines = |ends: &[f64]| {
        let chart = LineChart::new("", Axis::linear("x"), Axis::linear("y").range(0.0, 1.0)).direct_labels();
        ends.iter().enumerate().fold(chart, |chart, (number, &end)| {
            chart.series(Series::new(format!("s{number}"), vec![Point::new(0.0, 0.5), Point::new(1.0, end)]))
        })
    };
    let labels = |chart: &LineChart| -> Vec<(String, f64)> {
        let svg = chart.to_svg();
        let document = Document::parse(&svg).unwrap();
        let place = |entry: &Node| {
            let text = entry.children().find(|child| child.has_tag_name("text")).unwrap();
            (text.text().unwrap().to_string(), text.attribute("y").unwrap().parse::<f64>().unwrap())
        };
        with_class(&document, "legend-entry").iter().map(place).collect()
    };
    // 280 units high: the labels of 0.75 and 0.25 stand half of that apart.
    let apart = labels(&lines(&[0.25, 0.75]));
    assert!((apart[0].1 - apart[1].1 - 140.0).abs() < 1.0, "{apart:?}");
    // Where lines end together their labels stand in the order of the ends, one below the other.
    let crowded = lines(&[0.0, 0.02, 0.01, 0.03]).reference(0.5, "half");
    let mut places = labels(&crowded);
    places.sort_by(|a, b| b.1.total_cmp(&a.1));
    let names: Vec<&str> = places.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["s0", "s2", "s1", "s3"]);
    assert!(places.windows(2).all(|pair| pair[0].1 - pair[1].1 >= 19.9), "{places:?}");
    assert_inside(crowded.draw());
    assert_inside(crowded.clone().wide().draw());

    let other = lines(&[0.9]);
    let panels = Panels::new("", 2).panel(crowded).panel(other).direct_labels();
    for panels in [panels.clone(), panels.wide()] {
        // Every panel names its own series, and there is no legend besides.
        let svg = panels.to_svg();
        let document = Document::parse(&svg).unwrap();
        assert_eq!(with_class(&document, "legend-entry").len(), 5);
        assert_eq!(with_class(&document, "legend-reference").len(), 1);
        assert_inside(panels.draw());
    }
}

#[test]
fn a_series_under_another_is_named() {
    let level = |name: &str, y: f64| Series::new(name, (0..4).map(|x| Point::new(f64::from(x), y)).collect());
    let chart = |series: Vec<Series>| {
        let empty = LineChart::new("", Axis::linear("x"), Axis::linear("y").range(0.0, 1.0));
        series.into_iter().fold(empty, LineChart::series)
    };
    let both = chart(vec![level("low", 0.5), level("other", 0.2), level("top", 0.501)]);
    assert_eq!(both.to_svg().matches("low lies under top.").count(), 1);
    assert_inside(both.draw());
    let panels = Panels::new("", 2).panel(both.clone()).panel(both.clone());
    assert_eq!(panels.to_svg().matches("low lies under top.").count(), 2);
    let longer = Series::new("long", (0..9).map(|x| Point::new(f64::from(x), 0.5)).collect());
    for seen in [
        chart(vec![level("low", 0.5), level("top", 0.6)]),
        chart(vec![longer, level("top", 0.5)]),
        chart(vec![Series::new("none", vec![]), level("top", 0.5)]),
        chart(vec![level("same", 0.5), level("same", 0.5)]),
    ] {
        assert!(!seen.to_svg().contains("lies under"));
    }
}

#[test]
fn gaps_break_lines_and_points_without_a_place_are_left_out() {
    let odd = [(1.0, 1.0), (2.0, 2.0), (3.0, f64::NAN), (4.0, 1.0), (5.0, 2.0), (f64::NAN, 1.0), (f64::INFINITY, 1.0)];
    let points = odd.map(|(x, y)| Point::new(x, y)).to_vec();
    let svg = LineChart::new("", Axis::linear("x"), Axis::linear("y")).series(Series::new("a", points)).to_svg();
    let document = Document::parse(&svg).unwrap();
    assert_eq!(with_class(&document, "point").len(), 4);
    let lines = with_class(&document, "line");
    assert_eq!(lines[0].attribute("d").unwrap().matches('M').count(), 2);
    assert!(!svg.contains("NaN") && !svg.contains("inf"));

    // Zero and below have no place on a logarithmic axis.
    let points = [0.0, -1.0, 1.0, 10.0].map(|value| Point::new(value, value)).to_vec();
    let svg = LineChart::new("", Axis::log("x"), Axis::log("y")).series(Series::new("a", points)).to_svg();
    assert_eq!(with_class(&Document::parse(&svg).unwrap(), "point").len(), 2);
}

#[test]
fn points_outside_a_range_are_left_out() {
    let points = (0..10).map(|step| Point::new(f64::from(step), f64::from(step))).collect();
    let chart = LineChart::new("", Axis::linear("x").range(2.0, 8.0), Axis::linear("y").range(0.0, 5.0))
        .series(Series::new("a", points));
    assert_eq!(with_class(&Document::parse(&chart.to_svg()).unwrap(), "point").len(), 4);
    assert_inside(chart.draw());
}

#[test]
fn charts_without_data_say_so() {
    let line = LineChart::new("", Axis::log("x"), Axis::linear("y"));
    let nothing = vec![Point::new(f64::NAN, 1.0), Point::new(1.0, f64::NAN)];
    for svg in [
        line.to_svg(),
        line.clone().series(Series::new("a", vec![])).to_svg(),
        line.series(Series::new("a", nothing)).to_svg(),
        BarChart::new("", Axis::linear("y")).to_svg(),
        scatter_chart(0).to_svg(),
        scatter_chart(0).to_svg(),
        Panels::new("", 3).panel(LineChart::new("", Axis::linear("x"), Axis::linear("y"))).to_svg(),
    ] {
        assert!(svg.contains(">no data</text>"), "{svg}");
    }
    Document::parse(&Panels::new("", 0).to_svg()).unwrap();
}

#[test]
fn panels_share_ranges_of_equal_axes() {
    let chart = |label: &str, top: f64| {
        LineChart::new(label, Axis::linear("x"), Axis::linear(label))
            .series(Series::new("a", vec![Point::new(0.0, 0.0), Point::new(1.0, top)]))
    };
    let panels = Panels::new("", 3).panel(chart("d", 1.0)).panel(chart("d", 40.0)).panel(chart("e", 7.0));
    let labels = |panels: &Panels, tick: &str| panels.to_svg().matches(&format!(">{tick}</text>")).count();
    assert_eq!(labels(&panels, "40"), 2);
}

#[test]
fn bars_stand_on_zero_and_say_what_is_undefined() {
    let svg = bar_chart().to_svg();
    let document = Document::parse(&svg).unwrap();
    let bars = with_class(&document, "point");
    assert_eq!(bars.len(), 3);
    assert_eq!(bars[0].attribute("data-x"), Some("one"));
    assert_eq!(title_of(bars[0]), Some("a: one, distance 0.231 (0.220 to 0.242)"));
    assert!(svg.contains(">undefined</text>"));
    let number = |bar: &Node, name| bar.attribute(name).unwrap().parse::<f64>().unwrap();
    let bottoms: Vec<f64> = bars.iter().map(|bar| number(bar, "y") + number(bar, "height")).collect();
    assert!(bottoms.iter().all(|bottom| (bottom - bottoms[0]).abs() < 0.02), "{bottoms:?}");
    let ratio = number(&bars[2], "height") / number(&bars[1], "height");
    assert!((ratio - 8.0).abs() < 0.05, "{ratio}");
    // The bars of a series stand at the same place of every group, whatever their order.
    let offset = number(&bars[2], "x") - number(&bars[1], "x");
    assert!(offset > 0.0 && with_class(&document, "key").len() == 8, "{offset}");
}

#[test]
fn grids_show_cells_arrows_and_what_is_missing() {
    let svg = grid().to_svg();
    let document = Document::parse(&svg).unwrap();
    let cells = with_class(&document, "cell");
    // Six cells, and the sample of the missing one beside the scale.
    assert_eq!(cells.len(), 7);
    assert_eq!(with_class(&document, "missing").len(), 2);
    assert_eq!(with_class(&document, "arrow").len(), 2);
    let row = |y: &str| {
        let cell = cells.iter().find(|cell| cell.attribute("data-y") == Some(y)).unwrap();
        cell.attribute("y").unwrap().parse::<f64>().unwrap()
    };
    // Row 0 is at the top.
    assert!(row("0") < row("1"));
    assert_eq!(cells[0].attribute("fill"), Some(crate::palette::hex(crate::palette::neutral(0.0)).as_str()));
}

#[test]
fn arrows_have_a_scale_of_their_own() {
    let both = grid().labels("cells", "arrows");
    let svg = both.to_svg();
    let document = Document::parse(&svg).unwrap();
    assert_eq!(with_class(&document, "scale").len(), 2);
    assert!(svg.contains(">cells</text>") && svg.contains(">arrows</text>"));
    // Cells are grey, arrows on both sides of zero are not.
    let fill = |node: &Node| node.attribute("fill").unwrap().to_string();
    let grey = |colour: &str| colour[1..3] == colour[3..5] && colour[3..5] == colour[5..7];
    let there = |node: &&Node| node.attribute("data-value").is_some();
    assert!(with_class(&document, "cell").iter().filter(there).all(|cell| grey(&fill(cell))));
    let arrows: Vec<String> = with_class(&document, "arrow").iter().map(fill).collect();
    assert!(!arrows.iter().any(|colour| grey(colour)) && arrows[0] != arrows[1], "{arrows:?}");
    assert_inside(both.draw());
}

#[test]
fn wrong_grids_are_refused() {
    let refused = |width, height, values| GridPicture::new("", width, height, vec![0.0; values]).unwrap_err();
    assert!(matches!(refused(2, 2, 3), FigureError::Grid { values: 3, .. }));
    assert!(matches!(refused(0, 2, 0), FigureError::Grid { .. }));
    assert!(matches!(refused(201, 1, 201), FigureError::Grid { .. }));
    assert!(matches!(refused(usize::MAX, 2, 5), FigureError::Grid { .. }));
    for arrow in [Arrow::new(3, 0, 0, 0, 1.0), Arrow::new(0, 2, 0, 0, 1.0), Arrow::new(0, 0, 2, 0, 1.0)] {
        assert!(matches!(grid().arrows(vec![arrow]), Err(FigureError::Arrow { .. })), "{arrow:?}");
    }
    for values in [vec![f64::NAN; 4], vec![0.0; 4], vec![f64::MAX, f64::MIN, 0.0, 1.0], vec![f64::INFINITY; 4]] {
        let arrows = values.iter().map(|&value| Arrow::new(0, 0, 1, 0, value)).collect();
        assert_inside(GridPicture::new("", 2, 2, values).unwrap().arrows(arrows).unwrap().draw());
    }
}

#[test]
fn text_from_data_is_escaped() {
    let odd = "<&>\"' \u{0}\u{202e} </g> 名";
    let chart = LineChart::new(odd, Axis::linear(odd), Axis::linear(odd))
        .subtitle(odd)
        .reference(1.0, odd)
        .series(Series::new(odd, vec![Point::new(1.0, 2.0).note(odd)]));
    let grid = GridPicture::new(odd, 1, 1, vec![1.0]).unwrap().labels(odd, odd).subtitle(odd);
    let figures: [Box<dyn Figure>; 5] = [
        Box::new(chart.clone()),
        Box::new(Panels::new(odd, 1).panel(chart).subtitle(odd)),
        Box::new(BarChart::new(odd, Axis::linear(odd)).group(odd, vec![Bar::new(odd, 1.0)])),
        Box::new(ScatterChart::new(odd, Axis::linear(odd), Axis::linear(odd)).class(odd, vec![Point::new(1.0, 1.0)])),
        Box::new(grid),
    ];
    for figure in figures {
        let svg = figure.to_svg();
        let document = Document::parse(&svg).unwrap();
        let kept = shown(odd).into_owned();
        assert_eq!(document.root_element().attribute("aria-label"), Some(kept.as_str()));
        for series in with_class(&document, "series") {
            assert_eq!(series.attribute("data-series"), Some(kept.as_str()));
        }
    }
}

#[test]
fn pngs_have_the_size_of_the_picture() {
    // Small, since encoding takes the time.
    const SCALE: f64 = 0.3;
    for figure in all() {
        let png = figure.to_png(SCALE).unwrap();
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
        let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        let svg = figure.to_svg();
        let document = Document::parse(&svg).unwrap();
        let expected = |name| (document.root_element().attribute(name).unwrap().parse::<f64>().unwrap() * SCALE).ceil();
        assert_eq!(f64::from(side(16)), expected("width"));
        assert_eq!(f64::from(side(20)), expected("height"));
        assert!(matches!(figure.to_png(f64::NAN), Err(FigureError::Scale { .. })));
    }
}

#[test]
fn the_same_figure_gives_the_same_bytes() {
    for (a, b) in all().iter().zip(all()) {
        assert_eq!(a.to_svg(), b.to_svg());
        assert!(a.to_png(0.3).unwrap() == b.to_png(0.3).unwrap());
    }
}

#[test]
fn heat_maps_are_figures_too() {
    let map = HeatMap::new("Map", vec!["a".to_string()], vec![0.0]).unwrap();
    let figure: Box<dyn Figure + Send + Sync> = Box::new(map.clone());
    assert_eq!((figure.title(), figure.to_svg()), ("Map", map.to_svg()));
}

#[test]
fn long_texts_stay_inside() {
    let long = "W".repeat(300);
    let words = "reward ".repeat(60);
    for text in [long.as_str(), words.as_str()] {
        let axis = || Axis::linear(text);
        let points = || vec![Point::new(1.0, 2.0), Point::new(1e6, 3e5)];
        let chart = LineChart::new(text, axis(), axis())
            .subtitle(text)
            .reference(1.0, text)
            .series(Series::new(text, points()))
            .series(Series::new("b", points()));
        assert_inside(chart.draw());
        for columns in [1, 3, 99] {
            let panels = (0..5).fold(Panels::new(text, columns), |panels, _| panels.panel(chart.clone()));
            assert_inside(panels.subtitle(text).draw());
        }
        let bars = |groups: usize| {
            (0..groups).fold(BarChart::new(text, axis()), |chart, _| {
                chart.group(text, vec![Bar::new(text, -1.0), Bar::new("b", 2.0).interval(1.0, 3.0)])
            })
        };
        for groups in [1, 4, 60] {
            assert_inside(bars(groups).draw());
        }
        assert_inside(ScatterChart::new(text, axis(), axis()).class(text, points()).draw());
        for (width, height) in [(1, 1), (200, 3), (3, 200), (12, 5)] {
            let values = vec![1.0; width * height];
            let picture = GridPicture::new(text, width, height, values).unwrap();
            assert_inside(picture.labels(text, text).subtitle(text).draw());
        }
    }
}
