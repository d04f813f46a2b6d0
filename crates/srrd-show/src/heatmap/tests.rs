use resvg::tiny_skia::Pixmap;

use super::*;
use crate::palette::{Rgb, UNDEFINED_SMALL, sequential};
use crate::raster::{parse, svg_to_png};
use crate::svg::PLAIN;

fn names(n: usize) -> Vec<String> {
    (0..n).map(|sample| format!("sample {sample}")).collect()
}

/// Scattered values in [0, 1], symmetric, 0 on the diagonal.
fn scattered(n: usize) -> Vec<f64> {
    (0..n * n)
        .map(|cell| {
            let (a, b) = (cell / n, cell % n);
            let mixed = (a.min(b) * 7919 + a.max(b) * 104_729) % 1009;
            if a == b { 0.0 } else { mixed as f64 / 1008.0 }
        })
        .collect()
}

fn map(n: usize) -> HeatMap {
    HeatMap::new("Distances", names(n), scattered(n)).unwrap()
}

fn picture(map: &HeatMap) -> Pixmap {
    Pixmap::decode_png(&map.to_png(1.0).unwrap()).unwrap()
}

fn pixels_of(picture: &Pixmap, colour: Rgb) -> usize {
    let is = |pixel: &&resvg::tiny_skia::PremultipliedColorU8| [pixel.red(), pixel.green(), pixel.blue()] == colour;
    picture.pixels().iter().filter(is).count()
}

#[test]
fn every_size_is_readable_svg_of_bounded_size() {
    for n in [1, 2, 12, 13, 60, 61, 100, 150, 151, 301, 1051] {
        let classes: Vec<String> = (0..n).map(|sample| format!("c{}", sample % 40)).collect();
        let map = map(n).with_classes(&classes).unwrap();
        let svg = map.clustered().to_svg();
        assert!(svg.len() < 20_000_000, "{n}: {} bytes", svg.len());
        let size = parse(&svg).unwrap().size();
        assert!(size.width().max(size.height()) <= 1600.0, "{n}: {size:?}");
    }
}

#[test]
fn a_thousand_scattered_samples_stay_below_twenty_megabytes() {
    let svg = map(1000).to_svg();
    assert!(svg.len() < 20_000_000, "{} bytes", svg.len());
}

#[test]
fn nothing_stands_outside_the_picture() {
    let long = "W".repeat(400);
    for n in [1, 2, 5, 12, 30, 61, 301] {
        let map = HeatMap::new(long.as_str(), vec![long.clone(); n], vec![f64::NAN; n * n])
            .unwrap()
            .with_classes(&vec![long.as_str(); n])
            .unwrap()
            .clustered();
        let tree = parse(&map.draw().outlined_wide()).unwrap();
        let (size, drawn) = (tree.size(), tree.root().abs_bounding_box());
        assert!(drawn.left() >= 0.0 && drawn.top() >= 0.0, "{n}: {drawn:?}");
        assert!(drawn.right() <= size.width(), "{n}: {drawn:?} {size:?}");
        assert!(drawn.bottom() <= size.height(), "{n}: {drawn:?} {size:?}");
    }
}

#[test]
fn odd_names_are_escaped_and_whole_in_tooltips() {
    let odd = "<&>\"' \u{0} \u{1f600} 名 ".repeat(9);
    let svg = HeatMap::new(&odd, vec![odd.clone(); 2], vec![0.0, 0.5, 0.5, 0.0])
        .unwrap()
        .with_classes(&[odd.as_str(), "b"])
        .unwrap()
        .to_svg();
    parse(&svg).unwrap();
    let whole = "&lt;&amp;&gt;&quot;&#39; \\u{0} \u{1f600} 名 ".repeat(9);
    assert!(svg.contains(&format!("<title>{whole}</title>")));
}

#[test]
fn undefined_cells_are_hatched_and_explained() {
    let values = vec![0.0, f64::NAN, f64::INFINITY, 0.0];
    let svg = HeatMap::new("", names(2), values).unwrap().to_svg();
    // Two cells and the legend.
    assert_eq!(svg.matches("fill=\"url(#srrd-undefined)\"").count(), 3);
    assert_eq!(svg.matches("sample 0 / sample 1: undefined").count(), 1);
    assert!(svg.contains(">undefined</text>"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"));

    let defined = map(2).to_svg();
    assert!(!defined.contains("undefined"));
}

#[test]
fn undefined_cells_of_large_maps_are_grey() {
    let mut values = vec![0.25; 160 * 160];
    values[..160].fill(f64::NAN);
    let map = HeatMap::new("", names(160), values).unwrap();
    assert!(map.to_svg().contains(">undefined</text>"));
    let picture = picture(&map);
    let cell = (MAX_SQUARE / 160) * (MAX_SQUARE / 160);
    let grey = pixels_of(&picture, UNDEFINED_SMALL);
    assert!((160 * cell..160 * cell + 200).contains(&grey), "{grey}");
    let rest = pixels_of(&picture, sequential(0.25));
    assert!(rest >= 160 * 159 * cell, "{rest}");
}

#[test]
fn blocks_are_means_and_mostly_undefined_ones_undefined() {
    // 1051 samples are drawn in blocks of two by two.
    let n = 1051;
    let mut values = vec![0.0; n * n];
    for cell in (0..n * n).filter(|cell| cell % n % 2 == 0) {
        values[cell] = 1.0;
    }
    values[..2 * n].fill(f64::NAN);
    // The second row of blocks keeps half of its values.
    values[2 * n..3 * n].fill(f64::NAN);
    let map = HeatMap::new("", names(n), values).unwrap();
    let layout = Layout::of(&map);
    assert_eq!((layout.block, layout.side), (2, 526));
    assert_eq!(map.block(0, 5, &layout), None);
    assert_eq!(map.block(1, 5, &layout), Some(0.5));
    assert_eq!(map.block(9, 5, &layout), Some(0.5));
    assert_eq!(map.block(9, 525, &layout), Some(1.0));
    assert!(map.to_svg().contains("the mean of 2 × 2 distances"));
}

#[test]
fn single_and_merged_cells_have_the_same_colours() {
    // Values in steps of 0.01 are not changed by merging.
    let n = 20;
    let values: Vec<f64> = (0..n * n).map(|cell| (cell * 37 % 101) as f64 / 100.0).collect();
    let map = HeatMap::new("", names(n), values).unwrap();
    let layout = Layout::of(&map);
    let (width, height) = (layout.width, layout.height);
    let draw = |cells| {
        let png = svg_to_png(&Element::root(width, height, "").child(cells).render(PLAIN), 1.0).unwrap();
        Pixmap::decode_png(&png).unwrap()
    };
    let (single, merged) = (draw(map.single_cells(&layout)), draw(map.merged_cells(&layout)));
    for row in 0..n {
        for column in 0..n {
            let x = layout.middle(layout.left, column as f64) as u32;
            let y = layout.middle(layout.top, row as f64) as u32;
            assert_eq!(single.pixel(x, y), merged.pixel(x, y), "{row} {column}");
        }
    }
}

#[test]
fn the_png_shows_cells_and_dark_text() {
    let picture = picture(&map(10));
    assert!(picture.pixels().iter().all(|pixel| pixel.alpha() == 255));
    // The diagonal in the colour of 0, and the title in ink.
    assert!(pixels_of(&picture, sequential(0.0)) > 10_000);
    assert!(pixels_of(&picture, [0x22, 0x22, 0x22]) > 300);
    let titled = 16..60;
    let dark_in_title = titled
        .flat_map(|y| (0..picture.width()).map(move |x| (x, y)))
        .filter_map(|(x, y)| picture.pixel(x, y))
        .filter(|pixel| pixel.red() < 90)
        .count();
    assert!(dark_in_title > 100, "{dark_in_title}");
}

#[test]
fn the_same_map_gives_the_same_bytes() {
    let draw = || {
        let map = map(30).with_classes(&names(30)).unwrap().clustered();
        (map.to_svg(), map.to_png(0.3).unwrap())
    };
    assert!(draw() == draw());
}

#[test]
fn numbers_names_and_tooltips_thin_out() {
    let (small, middle, large) = (map(12).to_svg(), map(150).to_svg(), map(301).to_svg());
    assert!(small.contains(">0.000</text>"));
    assert!(!map(13).to_svg().contains(">0.000</text>"));
    assert!(middle.contains("<title>sample 0 / sample 0: 0.0000</title>"));
    assert!(middle.contains("One name in 2 is shown."));
    assert!(!map(151).to_svg().contains(" / "));
    assert!(!large.contains("sample 1"));
    assert!(large.contains("sample, in the order drawn"));
}

#[test]
fn tiny_negative_values_have_no_sign() {
    let svg = HeatMap::new("", names(1), vec![-1e-17]).unwrap().to_svg();
    assert!(svg.contains(">0.000</text>") && !svg.contains("-0.000"));
}

#[test]
fn values_that_are_no_distances_do_no_harm() {
    let svg = HeatMap::new("", names(2), vec![0.0, 1e300, -1e300, f64::MAX]).unwrap().clustered().to_svg();
    parse(&svg).unwrap();
    assert!(svg.contains(">1e300</text>"));
}

#[test]
fn orders_apply_to_rows_and_columns() {
    // Samples 0 and 2 are near each other, and 1 is nearer to 2.
    let values = vec![0.0, 0.9, 0.1, 0.9, 0.0, 0.8, 0.3, 0.7, 0.0];
    let map = HeatMap::new("", names(3), values).unwrap().clustered();
    assert_eq!(map.order(), [0, 2, 1]);
    assert_eq!((map.value(0, 1), map.value(1, 0)), (Some(0.1), Some(0.3)));
    assert_eq!((map.value(1, 2), map.value(2, 1)), (Some(0.7), Some(0.8)));
}

#[test]
fn clustering_draws_its_tree_up_to_a_hundred_samples() {
    assert!(map(100).clustered().to_svg().contains(">linkage</text>"));
    assert!(!map(101).clustered().to_svg().contains(">linkage</text>"));
}

#[test]
fn wrong_numbers_of_things_are_refused() {
    assert_eq!(HeatMap::new("", vec![], vec![]).unwrap_err(), FigureError::Empty);
    let shape = FigureError::Shape { samples: 2, values: 3 };
    assert_eq!(HeatMap::new("", names(2), vec![0.0; 3]).unwrap_err(), shape);
    let classes = map(3).with_classes(&["a"]).unwrap_err();
    assert!(classes.to_string().contains("3 samples"), "{classes}");
}

#[test]
fn classes_are_sorted_as_people_count() {
    let classes = ["run 10", "run 2", "a", "run 02", "run 2", "", "10", "9"];
    let map = map(8).with_classes(&classes).unwrap();
    let sorted = map.classes.unwrap();
    assert_eq!(sorted.names, ["", "a", "run 02", "run 2", "run 10", "9", "10"]);
    assert_eq!(sorted.of, [4, 3, 1, 2, 3, 0, 6, 5]);
}
