//! Where everything in a grid stands.

use super::GridPicture;
use super::scale::Scale;
use crate::chart::{Header, LEADING, MARGIN, NEAR, SMALL};

/// The longer side of the grid in pixels, and the largest and smallest cell.
const SIDE: f64 = 480.0;
const LARGEST_CELL: f64 = 56.0;
const SMALLEST_CELL: f64 = 4.0;
const MIN_WIDTH: f64 = 340.0;

pub(super) struct Layout {
    pub(super) header: Header,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) cell: f64,
    /// Upper left corner of the grid.
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) scale_left: f64,
    pub(super) scale_top: f64,
    pub(super) arrow_scale_top: f64,
    /// Top of the sample of a cell that is not there.
    pub(super) missing_top: f64,
}

impl Layout {
    pub(super) fn of(picture: &GridPicture, [cell_scale, arrow_scale]: &[Scale; 2]) -> Self {
        let longest = picture.width.max(picture.height) as f64;
        let cell = (SIDE / longest).floor().clamp(SMALLEST_CELL, LARGEST_CELL);
        let (columns, rows) = (picture.width as f64 * cell, picture.height as f64 * cell);
        let digits = SMALL.width(&(picture.height - 1).to_string());
        let left = (MARGIN + digits + NEAR).round();
        let scale_left = left + columns + 24.0;
        let scale_width = cell_scale.width().max(arrow_scale.width());
        let width = (scale_left + scale_width + MARGIN).max(MIN_WIDTH).ceil();

        let header = Header::new(&picture.title, &picture.subtitle, width);
        let top = (header.bottom() + LEADING + 4.0).round();
        let grid_bottom = top + rows + SMALL.size + 9.0 + LEADING;

        let scale_top = (top + 9.0 + cell_scale.above()).round();
        let arrow_scale_top = (scale_top + cell_scale.height() + 38.0 + arrow_scale.above()).round();
        let bars_bottom = arrow_scale_top + arrow_scale.height();
        let scale_bottom = bars_bottom + if picture.has_missing() { 30.0 } else { 8.0 };
        Layout {
            header,
            width,
            height: (grid_bottom.max(scale_bottom) + MARGIN).ceil(),
            cell,
            left,
            top,
            scale_left,
            scale_top,
            arrow_scale_top,
            missing_top: bars_bottom + 14.0,
        }
    }

    pub(super) fn far_corner(&self, picture: &GridPicture) -> (f64, f64) {
        (self.left + picture.width as f64 * self.cell, self.top + picture.height as f64 * self.cell)
    }
}
