//! A chart as `srrd-show` draws them, small enough to read: the classes and attributes that the page works with.

use std::fmt::Write as _;

/// One curve: its name, its colour, and its points as x, y and half the width of the interval.
pub struct Curve {
    pub name: String,
    pub colour: &'static str,
    pub points: Vec<(f64, f64, f64)>,
    pub note: String,
}

const LEFT: f64 = 60.0;
const TOP: f64 = 20.0;
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 280.0;

fn place(x: f64, y: f64) -> (f64, f64) {
    (LEFT + x / 100.0 * WIDTH, TOP + (1.0 - y) * HEIGHT)
}

/// The chart of some curves over x in [0, 100] and y in [0, 1].
pub fn chart(label: &str, curves: &[Curve]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"srrd-chart\" role=\"img\" aria-label=\"{}\" width=\"720\" \
         height=\"360\" viewBox=\"0 0 720 360\" font-family=\"sans-serif\" data-x-label=\"rollouts\" \
         data-y-label=\"distance\">\n<defs><clipPath id=\"plot\"><rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\"/></clipPath></defs>\n\
         <rect class=\"paper\" width=\"720\" height=\"360\" fill=\"#ffffff\"/>\n",
        escape(label)
    );
    for step in 0..=4 {
        let (x, y) = place(f64::from(step) * 25.0, f64::from(step) * 0.25);
        let (right, bottom) = (LEFT + WIDTH, TOP + HEIGHT);
        // Writing to a string does not fail.
        _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {y}H{right}\" stroke=\"#e0e0e0\"/>\n\
             <text class=\"ink-soft\" x=\"{}\" y=\"{}\" font-size=\"12\" text-anchor=\"end\" fill=\"#5a5a5a\">{:.2}</text>\n\
             <text class=\"ink-soft\" x=\"{x}\" y=\"{}\" font-size=\"12\" text-anchor=\"middle\" fill=\"#5a5a5a\">{}</text>",
            LEFT - 8.0,
            y + 4.0,
            f64::from(step) * 0.25,
            bottom + 18.0,
            step * 25
        );
    }
    _ = writeln!(
        svg,
        "<path class=\"axis\" d=\"M{LEFT} {TOP}v{HEIGHT}h{WIDTH}\" fill=\"none\" stroke=\"#5a5a5a\"/>\n\
         <text class=\"ink\" x=\"{}\" y=\"348\" font-size=\"13\" text-anchor=\"middle\" fill=\"#222222\">rollouts</text>",
        LEFT + WIDTH / 2.0
    );
    for curve in curves {
        series(&mut svg, curve);
    }
    for (index, curve) in curves.iter().enumerate() {
        let y = 40.0 + 24.0 * index as f64;
        let (name, colour) = (escape(&curve.name), curve.colour);
        _ = writeln!(
            svg,
            "<g class=\"legend-entry\" data-series=\"{name}\" tabindex=\"0\">\
             <rect x=\"520\" y=\"{}\" width=\"190\" height=\"22\" fill=\"none\" pointer-events=\"all\"/>\
             <path d=\"M524 {y}h18\" stroke=\"{colour}\" stroke-width=\"3\"/>\
             <text class=\"ink\" x=\"550\" y=\"{}\" font-size=\"13\" fill=\"#222222\">{name}</text></g>",
            y - 11.0,
            y + 4.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn series(svg: &mut String, curve: &Curve) {
    let (name, colour, note) = (escape(&curve.name), curve.colour, escape(&curve.note));
    let line: Vec<String> = curve.points.iter().map(|&(x, y, _)| pair(x, y)).collect();
    let upper = curve.points.iter().map(|&(x, y, half)| pair(x, y + half));
    let lower = curve.points.iter().rev().map(|&(x, y, half)| pair(x, y - half));
    let band: Vec<String> = upper.chain(lower).collect();
    _ = writeln!(
        svg,
        "<g class=\"series\" data-series=\"{name}\">\n\
         <path class=\"band\" d=\"M{}Z\" fill=\"{colour}\" fill-opacity=\"0.15\" clip-path=\"url(#plot)\"/>\n\
         <path class=\"line\" d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" clip-path=\"url(#plot)\"/>",
        band.join("L"),
        line.join("L")
    );
    for &(x, y, half) in &curve.points {
        let ((left, top), low, high) = (place(x, y), y - half, y + half);
        _ = writeln!(
            svg,
            "<circle class=\"point\" cx=\"{left:.1}\" cy=\"{top:.1}\" r=\"4\" fill=\"{colour}\" data-x=\"{x}\" data-y=\"{y}\" \
             data-low=\"{low:.3}\" data-high=\"{high:.3}\" data-note=\"{note}\"><title>{name}: {y}</title></circle>"
        );
    }
    svg.push_str("</g>\n");
}

fn pair(x: f64, y: f64) -> String {
    let (x, y) = place(x, y);
    format!("{x:.1} {y:.1}")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
