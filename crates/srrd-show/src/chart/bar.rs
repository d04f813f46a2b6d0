//! Bars with intervals, in groups.

use super::axis::{Axis, Extent, Placed, Scale};
use super::clip::Area;
use super::frame::{Block, axis_line, draw_upright, height, upright};
use super::legend::{Legend, Placement, bar, mark};
use super::plot::{References, draw_references, labels, whisker};
use super::point::{bounds, data};
use super::series::{Style, Styles, Wanted};
use super::{Header, LEADING, MARGIN, NARROW, TEXT, WIDTH, document, ink, ink_soft};
use crate::drawing::Drawing;
use crate::figure::Figure;
use crate::font::Font;
use crate::svg::{Anchor, Element, number};
use crate::text::{one_line, wrap};

const AREA_HEIGHT: f64 = 260.0;
/// Widest figure, for which bars become narrower than [`BAR`].
const WIDEST: f64 = 1280.0;
/// Bars are as wide as this if the figure may become wider for it, and at most [`WIDEST_BAR`].
const BAR: f64 = 12.0;
const WIDEST_BAR: f64 = 46.0;
/// Height of a bar whose value is zero.
const HAIR: f64 = 0.5;
/// Between groups.
const APART: f64 = 22.0;
/// Height of the row of marks below the bars; narrower bars have none.
const KEYS: f64 = 16.0;
const NARROWEST_KEYED: f64 = 8.0;
const UNDEFINED: Font = Font::regular(10.0);
/// Names of groups.
const NAMES: [Font; 4] = [TEXT, Font::regular(12.0), Font::regular(11.0), Font::regular(10.0)];

/// A bar of a group.
///
/// ```
/// use srrd_show::chart::Bar;
///
/// let bar = Bar::new("EPIC", 61.0).interval(58.0, 64.0);
/// assert_eq!(bar.series, "EPIC");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The series it belongs to.
    pub series: String,
    /// Its value. One that is not finite is written out as "undefined".
    pub value: f64,
    /// Lower end of the interval around the value; NaN where there is none.
    pub low: f64,
    /// Upper end of the interval; NaN where there is none.
    pub high: f64,
}

impl Bar {
    /// A bar without interval.
    pub fn new(series: impl Into<String>, value: f64) -> Self {
        Bar { series: series.into(), value, low: f64::NAN, high: f64::NAN }
    }

    /// With the interval from `low` to `high`.
    pub fn interval(mut self, low: f64, high: f64) -> Self {
        (self.low, self.high) = (low, high);
        self
    }
}

/// Groups of bars with intervals.
///
/// The bars of a series stand at the same place in every group, and below each of them stands the
/// mark of its series. From the eighth series on bars are pale. Bars begin at zero, or at the border
/// if zero is not shown (a logarithmic axis has none). They end at the border if their value is
/// outside the range of the axis.
///
/// ```
/// use srrd_show::{Axis, Bar, BarChart, Figure};
///
/// let chart = BarChart::new("Accuracy", Axis::linear("Correct (%)"))
///     .group("Gridworld", vec![Bar::new("EPIC", 61.0), Bar::new("SRRD", 84.0).interval(81.0, 87.0)]);
/// assert_eq!(chart.to_svg().matches(r#"class="series""#).count(), 2);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BarChart {
    title: String,
    subtitle: String,
    y: Axis,
    groups: Vec<(String, Vec<Bar>)>,
    /// Series with a colour of their own choice.
    colors: Vec<(String, usize)>,
    /// Series with pale bars.
    pale: Vec<String>,
    references: References,
}

impl BarChart {
    /// A chart without groups.
    pub fn new(title: impl Into<String>, y: Axis) -> Self {
        BarChart {
            title: title.into(),
            subtitle: String::new(),
            y,
            groups: Vec::new(),
            colors: Vec::new(),
            pale: Vec::new(),
            references: Vec::new(),
        }
    }

    /// Adds a group. Of several bars of one series in it the last counts.
    pub fn group(mut self, name: impl Into<String>, bars: Vec<Bar>) -> Self {
        self.groups.push((name.into(), bars));
        self
    }

    /// Adds several groups. Where every group has one bar with its own name, names stand below the bars and need no legend.
    pub fn groups(mut self, groups: impl IntoIterator<Item = (String, Vec<Bar>)>) -> Self {
        self.groups.extend(groups);
        self
    }

    /// Whether every group is one bar of the same name.
    fn is_plain(&self) -> bool {
        self.groups.iter().all(|(name, bars)| matches!(bars.as_slice(), [only] if only.series == *name))
    }

    /// A line or two below the title.
    pub fn subtitle(mut self, subtitle: impl Into<String>) -> Self {
        self.subtitle = subtitle.into();
        self
    }

    /// Gives a series colour and mark number `index`, as
    /// [`Series::color_index`](crate::Series::color_index) does.
    pub fn color_index(mut self, series: impl Into<String>, index: usize) -> Self {
        self.colors.push((series.into(), index));
        self
    }

    /// Draws the bars of a series pale and its mark hollow: a variant of another series, with the
    /// same colour, say.
    pub fn pale(mut self, series: impl Into<String>) -> Self {
        self.pale.push(series.into());
        self
    }

    /// Adds a horizontal line at `y`, with its label in the legend.
    pub fn reference(mut self, y: f64, label: impl Into<String>) -> Self {
        self.references.push((y, label.into()));
        self
    }

    fn styles<'a>(&'a self) -> Styles {
        let wanted = |bar: &'a Bar| {
            let chosen = self.colors.iter().rev().find(|(name, _)| *name == bar.series);
            let (color_index, dashed) = (chosen.map(|(_, index)| *index), self.pale.contains(&bar.series));
            Wanted { name: &bar.series, color_index, dashed, line: false }
        };
        Styles::new(self.groups.iter().flat_map(|(_, bars)| bars).map(wanted))
    }

    /// What the axis has to show: bars from zero on, their intervals and the references.
    fn extent(&self) -> Extent {
        let mut extent = Extent::default();
        for bar in self.groups.iter().flat_map(|(_, bars)| bars) {
            if !self.y.drawable(bar.value) {
                continue;
            }
            extent.add(&self.y, bar.value);
            if let Some((low, high)) = bounds(bar.low, bar.high) {
                extent.add(&self.y, low);
                extent.add(&self.y, high);
            }
        }
        for (at, _) in &self.references {
            extent.add(&self.y, *at);
        }
        if self.y.scale() == Scale::Linear {
            extent.add(&self.y, 0.0);
        }
        extent
    }

    fn draw_series(
        &self,
        name: &str,
        position: usize,
        style: &Style,
        (area, y): (&Area, &Placed),
        slots: &Slots,
    ) -> Element {
        let mut group = Element::new("g")
            .attr("class", "series")
            .attr("data-series", name)
            .attr("data-color", style.color.to_string());
        let mut whiskers = String::new();
        let mut notes = Vec::new();
        for (number, (group_name, bars)) in self.groups.iter().enumerate() {
            let Some(found) = bars.iter().rev().find(|bar| bar.series == name) else {
                continue;
            };
            let middle = slots.middle(number, position);
            if !self.y.drawable(found.value) {
                notes.push(undefined(middle, area.bottom, slots.width));
                continue;
            }
            let within = |value: f64| height(area, y, value).clamp(area.top, area.bottom);
            let (base, end) = (base(area, y), within(found.value));
            let interval = bounds(found.low, found.high);
            let rect = Element::rect(middle - slots.bar / 2.0, base.min(end), slots.bar, (base - end).abs().max(HAIR));
            let told = format!("{name}: {group_name}, {}", y.say_measured(found.value, interval));
            let rect = bar("point", style, rect);
            group.push(data(rect, group_name, found.value, interval, "").tooltip(&told));
            if let Some(interval) = interval {
                whiskers.push_str(&whisker(middle, interval, area, y));
            }
        }
        if !whiskers.is_empty() {
            let whiskers = Element::new("path").attr("class", "whisker").attr("d", whiskers).attr("fill", "none");
            group.push(whiskers.attr("stroke", style.stroke()).attr("stroke-width", 1.6));
        }
        for note in notes.into_iter().flatten() {
            group.push(note);
        }
        group
    }

    /// The name of a group in at most two lines.
    fn name_lines(&self, name: &str, font: Font, slots: &Slots) -> Vec<String> {
        let apart = if font == TEXT { 8.0 } else { 4.0 };
        wrap(&one_line(name), font, slots.group - apart, 2)
    }

    /// The font of the names of groups: the largest in which all are whole, so that `projected` is that on a phone, too.
    fn name_font(&self, slots: &Slots) -> Font {
        let whole = |font: &Font| {
            let is_whole = |name: &str| self.name_lines(name, *font, slots).join(" ") == one_line(name);
            self.groups.iter().all(|(name, _)| is_whole(name))
        };
        NAMES.into_iter().find(whole).unwrap_or(TEXT)
    }

    /// Marks of the series below their bars, then the names of the groups. Returns where they end.
    fn draw_groups(&self, names: &[&str], styles: &Styles, area: &Area, slots: &Slots, into: &mut Element) -> f64 {
        // Names that stand below bars need no marks.
        let keyed = slots.width >= NARROWEST_KEYED && !self.is_plain();
        let top = area.bottom + if keyed { KEYS } else { 4.0 };
        let mut lines = 1;
        let font = self.name_font(slots);
        for (number, (name, bars)) in self.groups.iter().enumerate() {
            for (position, series) in names.iter().enumerate() {
                if keyed && bars.iter().any(|bar| bar.series == *series) {
                    let middle = slots.middle(number, position);
                    into.push(mark("key", &styles.get(series), middle, area.bottom + KEYS / 2.0 + 1.0, 3.0));
                }
            }
            let shown = self.name_lines(name, font, slots);
            lines = lines.max(shown.len());
            for (line, text) in shown.iter().enumerate() {
                let baseline = top + (line as f64 + 1.0) * LEADING - 2.0;
                into.push(ink(slots.group_middle(number), baseline, font, Anchor::Middle, text).tooltip(name));
            }
        }
        top + lines as f64 * LEADING + 4.0
    }
}

impl Figure for BarChart {
    fn title(&self) -> &str {
        &self.title
    }

    fn draw(&self) -> Drawing {
        let drawing = self.draw_in(WIDTH, WIDEST);
        // With more bars than that they would become lines, and their names single letters.
        match self.wanted(0.0) <= NARROW {
            true => drawing.with_narrow(self.draw_in(NARROW, NARROW)),
            false => drawing,
        }
    }
}

impl BarChart {
    /// The width at which every bar has room, with so much of it beside the plot.
    fn wanted(&self, aside: f64) -> f64 {
        let side_by_side = if self.is_plain() { 1 } else { self.styles().iter().count() };
        self.groups.len() as f64 * (side_by_side as f64 * BAR + APART) + aside + 2.0 * MARGIN + 50.0
    }

    /// As wide as it wants to be between two widths.
    fn draw_in(&self, least: f64, most: f64) -> Drawing {
        let styles = self.styles();
        let names: Vec<&str> = styles.iter().map(|(name, _)| name.as_str()).collect();
        let labels = labels([(&self.y, &self.references)].into_iter());
        let plain = self.is_plain();
        let side_by_side = if plain { 1 } else { names.len() };
        let legend = if plain { Legend::default() } else { Legend::of_bars(&styles) }.with_references(&labels);
        let beside = legend.beside(AREA_HEIGHT).filter(|_| most > NARROW);
        let aside = beside.as_ref().map_or(0.0, Placement::width_beside);

        let width = self.wanted(aside).clamp(least, most).ceil();
        let header = Header::new(&self.title, &self.subtitle, width);
        let block =
            Block { left: MARGIN, top: header.bottom(), right: width - MARGIN - aside, area_height: AREA_HEIGHT };
        let (y, area, y_label) = upright(block, (&self.y, &self.extent()));
        let slots = Slots::new(&area, self.groups.len(), side_by_side);

        let mut content = Element::new("g");
        header.draw(&mut content);
        draw_upright(&area, &y, &y_label, (block.left, block.top), &mut content);
        draw_references(&self.references, &labels, &area, &y, &mut content);
        for (position, name) in names.iter().enumerate() {
            let position = if plain { 0 } else { position };
            content.push(self.draw_series(name, position, &styles.get(name), (&area, &y), &slots));
        }
        // Zero if it is shown, and the lower border.
        let base = base(&area, &y);
        content.push(axis_line(area.left, base, area.right, base));
        if base != area.bottom {
            content.push(axis_line(area.left, area.bottom, area.right, area.bottom));
        }
        if self.groups.iter().all(|(_, bars)| bars.is_empty()) {
            let (x, y) = ((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0);
            content.push(ink_soft(x, y, TEXT, Anchor::Middle, "no data"));
        }
        let bottom = self.draw_groups(&names, &styles, &area, &slots, &mut content);
        let bottom = legend.draw(beside, &area, bottom, width, &mut content);
        document(&self.title, width, bottom, content)
    }
}

/// Where bars begin.
fn base(area: &Area, y: &Placed) -> f64 {
    height(area, y, 0.0).clamp(area.top, area.bottom)
}

/// What stands in place of a bar without value, if there is room.
fn undefined(middle: f64, bottom: f64, room: f64) -> Option<Element> {
    let (x, y) = (middle + UNDEFINED.size * 0.36, bottom - 4.0);
    let transform = format!("rotate(-90 {} {})", number(x), number(y));
    let text = ink_soft(x, y, UNDEFINED, Anchor::Start, "undefined").attr("transform", transform);
    (room >= UNDEFINED.size).then_some(text)
}

/// The places of bars.
struct Slots {
    left: f64,
    /// Width of a group with the room around it.
    group: f64,
    /// Width of a bar with the room around it, and without.
    width: f64,
    bar: f64,
    series: usize,
}

impl Slots {
    fn new(area: &Area, groups: usize, series: usize) -> Self {
        let group = area.width() / groups.max(1) as f64;
        let width = ((group - APART.min(group * 0.3)) / series.max(1) as f64).min(WIDEST_BAR);
        Slots { left: area.left, group, width, bar: (width * 0.84).max(0.5), series }
    }

    fn group_middle(&self, group: usize) -> f64 {
        self.left + (group as f64 + 0.5) * self.group
    }

    fn middle(&self, group: usize, position: usize) -> f64 {
        self.group_middle(group) + (position as f64 - (self.series as f64 - 1.0) / 2.0) * self.width
    }
}
