//! Cells and the moves between them.
//!
//! x counts the columns from the left and y the rows from the top: north is y − 1, south y + 1, west x − 1, east x + 1.

use crate::error::WorldError;

/// The most cells a grid has: the features of all states are kept in memory.
pub const MOST_CELLS: usize = 1 << 20;

/// A grid of cells, numbered x · height + y, with up to eight moves.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    width: usize,
    height: usize,
    /// For every cell the moves that stay on the grid, as bits.
    open: Vec<u8>,
    /// What a move adds to the number of a cell.
    offset: Vec<i32>,
}

impl Grid {
    pub(crate) fn new(width: usize, height: usize, moves: &[(i32, i32)]) -> Result<Self, WorldError> {
        let cells = width.checked_mul(height).filter(|cells| (2..=MOST_CELLS).contains(cells));
        if cells.is_none() {
            return Err(WorldError::Size { width, height });
        }
        let stays = |x: usize, y: usize, (dx, dy): (i32, i32)| {
            let on = |at: usize, by: i32, size: usize| (0..size as i32).contains(&(at as i32 + by));
            on(x, dx, width) && on(y, dy, height)
        };
        let open = |x, y| (moves.iter().enumerate()).fold(0, |set, (i, &by)| set | u8::from(stays(x, y, by)) << i);
        Ok(Grid {
            width,
            height,
            open: (0..width).flat_map(|x| (0..height).map(move |y| (x, y))).map(|(x, y)| open(x, y)).collect(),
            offset: moves.iter().map(|(dx, dy)| dx * height as i32 + dy).collect(),
        })
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn height(&self) -> usize {
        self.height
    }

    pub(crate) fn cells(&self) -> usize {
        self.open.len()
    }

    /// The last cell, where the way ends.
    #[inline]
    pub(crate) fn last(&self) -> u32 {
        self.open.len() as u32 - 1
    }

    #[inline]
    pub(crate) fn open(&self, cell: u32) -> u64 {
        u64::from(self.open[cell as usize])
    }

    /// Where a move that is [open](Self::open) leads.
    #[inline]
    pub(crate) fn after(&self, cell: u32, by: usize) -> u32 {
        cell.wrapping_add_signed(self.offset[by])
    }

    /// (x, y)
    pub(crate) fn position(&self, cell: u32) -> (u32, u32) {
        let height = self.height as u32;
        (cell / height, cell % height)
    }
}
