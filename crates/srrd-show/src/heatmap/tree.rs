//! The tree of a clustering, above the square.

use std::fmt::Write as _;

use srrd::cluster::ClusterTree;

use super::layout::Layout;
use super::{NEAR, SMALL, TREE_HEIGHT};
use crate::palette::FAINT_INK;
use crate::svg::{Anchor, Element, number};

/// The merges as brackets whose height is the distance between what they join.
pub(super) fn tree(clustering: &ClusterTree, layout: &Layout) -> Element {
    let samples = clustering.order().len();
    // Where each label's stem stands and how high it begins.
    let mut stems = vec![(0.0, 0.0); samples];
    for (position, &sample) in clustering.order().iter().enumerate() {
        stems[sample].0 = layout.middle(layout.left, position as f64);
    }
    let highest = tree_top(clustering);
    let mut path = String::new();
    for merge in clustering.merges() {
        let [(x1, low1), (x2, low2)] = merge.parts.map(|label| stems[label]);
        let height = (merge.distance / highest).clamp(0.0, 1.0);
        let y = |height: f64| number(layout.tree_bottom - height * TREE_HEIGHT);
        let _ = write!(path, "M{} {}V{}H{}V{}", number(x1), y(low1), y(height), number(x2), y(low2));
        stems.push(((x1 + x2) / 2.0, height));
    }
    Element::new("path").attr("fill", "none").attr("stroke", FAINT_INK).attr("d", path)
}

/// The scale at the side of the tree.
pub(super) fn tree_scale(clustering: &ClusterTree, layout: &Layout) -> Element {
    let x = layout.left - NEAR;
    let (bottom, top) = (layout.tree_bottom, layout.tree_bottom - TREE_HEIGHT);
    let mut scale =
        Element::new("g").attr("fill", FAINT_INK).child(Element::line(x, top, x, bottom).attr("stroke", FAINT_INK));
    let highest = format!("{:.2}", tree_top(clustering));
    for (y, text) in [(bottom, "0"), (top, highest.as_str())] {
        scale.push(Element::line(x - 4.0, y, x, y).attr("stroke", FAINT_INK));
        scale.push(Element::text(x - NEAR, y + SMALL.size * 0.36, SMALL, Anchor::End, text));
    }
    let middle = (top + bottom) / 2.0 + SMALL.size * 0.36;
    scale.push(Element::text(x - NEAR, middle, SMALL, Anchor::End, "linkage"));
    scale
}

/// The distance at the top of the tree: the last merge's, or 1 if nothing is apart.
fn tree_top(clustering: &ClusterTree) -> f64 {
    let highest = clustering.merges().iter().map(|merge| merge.distance).fold(0.0, f64::max);
    if highest > 0.0 { highest } else { 1.0 }
}
