use std::fmt;
use std::ops::Range;

use crate::game::board::MAX_SIZE;
use crate::game::rules::Side;

/// The maximum number of lanes (king squares) of a table.
pub const MAX_LANES: usize = MAX_SIZE as usize * MAX_SIZE as usize;
/// The maximum number of rows of a table; with [`MAX_LANES`] it keeps arithmetic on slots
/// far below 64 bits.
pub const MAX_ROWS: u64 = 1 << 48;
/// The maximum number of values of a block; it bounds a reader's memory.
pub const MAX_BLOCK_VALUES: usize = 1 << 20;
/// The number of blocks that a table may have whatever their size. The blocks of a table with
/// more must hold [`MEAN_BLOCK_VALUES`] on average.
const UNLIMITED_BLOCKS: u64 = 1 << 16;
/// Limits the index to an eighth of a bit for each slot.
const MEAN_BLOCK_VALUES: u64 = 1 << 9;

/// The number of lanes and rows of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockShape {
    /// Lanes (king squares) per block; more than one only in tables of few rows.
    pub lanes_per_block: usize,
    /// Rows per block.
    pub rows_per_block: u64,
}

impl BlockShape {
    /// Returns the shape of blocks with at most this many values: of one lane each, or, if
    /// the table has fewer rows, of all rows and several lanes. Blocks are of nearly equal
    /// size.
    pub fn holding(values: usize, lanes: usize, rows: u64) -> BlockShape {
        let limit = values.clamp(1, MAX_BLOCK_VALUES) as u64;
        let row_groups = rows.div_ceil(limit).max(1);
        let max_lanes = (limit / rows.max(1)).clamp(1, MAX_LANES as u64) as usize;
        let lane_groups = lanes.div_ceil(max_lanes).max(1);
        BlockShape {
            lanes_per_block: lanes.div_ceil(lane_groups).max(1),
            rows_per_block: rows.div_ceil(row_groups).max(1),
        }
    }
}

/// The slots of a table, `[side][lane][row]`, and their division into blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    lanes: usize,
    rows: u64,
    shape: BlockShape,
    /// Blocks in each group of lanes.
    row_groups: u64,
    blocks_per_side: u64,
}

/// The slots of one block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockExtent {
    /// The side to move.
    pub side: Side,
    /// The lanes; values are in lane-major order.
    pub lanes: Range<usize>,
    /// The rows.
    pub rows: Range<u64>,
}

impl BlockExtent {
    /// Returns the number of slots, at most [`MAX_BLOCK_VALUES`].
    pub fn values(&self) -> usize {
        self.lanes.len() * (self.rows.end - self.rows.start) as usize
    }
}

impl Grid {
    /// Creates a grid for `lanes` king squares and `rows` placements of the soldiers.
    ///
    /// # Errors
    /// If a number is 0 or exceeds its limit, or a block is larger than the grid or
    /// [`MAX_BLOCK_VALUES`].
    pub fn new(lanes: usize, rows: u64, shape: BlockShape) -> Result<Grid, GridError> {
        if !(1..=MAX_LANES).contains(&lanes) {
            return Err(GridError::Lanes(lanes));
        }
        if !(1..=MAX_ROWS).contains(&rows) {
            return Err(GridError::Rows(rows));
        }
        let inside = (1..=lanes).contains(&shape.lanes_per_block)
            && (1..=rows).contains(&shape.rows_per_block);
        let values = (shape.lanes_per_block as u64).checked_mul(shape.rows_per_block);
        if !inside || values.is_none_or(|values| values > MAX_BLOCK_VALUES as u64) {
            return Err(GridError::Shape(shape));
        }
        let row_groups = rows.div_ceil(shape.rows_per_block);
        let blocks_per_side = lanes.div_ceil(shape.lanes_per_block) as u64 * row_groups;
        Ok(Grid { lanes, rows, shape, row_groups, blocks_per_side })
    }

    /// Returns the number of king squares.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Returns the number of placements of the soldiers.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns the shape of the blocks.
    pub fn shape(&self) -> BlockShape {
        self.shape
    }

    /// Returns the number of blocks of both sides.
    pub fn blocks(&self) -> u64 {
        2 * self.blocks_per_side
    }

    /// Returns whether the block count is within the format's limit for these slots.
    pub(super) fn has_valid_block_count(&self) -> bool {
        let slots = 2 * self.lanes as u64 * self.rows;
        self.blocks() <= UNLIMITED_BLOCKS.max(slots / MEAN_BLOCK_VALUES)
    }

    /// Returns the number of blocks of one side.
    pub fn blocks_per_side(&self) -> u64 {
        self.blocks_per_side
    }

    /// Returns the side of a block of this grid.
    #[inline]
    pub(super) fn side(&self, block: u64) -> Side {
        if block < self.blocks_per_side { Side::Attackers } else { Side::Defenders }
    }

    /// Returns the block that holds a slot, and the slot's position in the block; `None` for a
    /// slot outside the grid.
    #[inline]
    pub fn locate(&self, side: Side, lane: usize, row: u64) -> Option<(u64, usize)> {
        if lane >= self.lanes || row >= self.rows {
            return None;
        }
        let shape = self.shape;
        let lane_group = lane / shape.lanes_per_block;
        let row_group = row / shape.rows_per_block;
        let block =
            side as u64 * self.blocks_per_side + lane_group as u64 * self.row_groups + row_group;
        let first_row = row_group * shape.rows_per_block;
        let rows = shape.rows_per_block.min(self.rows - first_row);
        let lane_in_block = lane - lane_group * shape.lanes_per_block;
        let offset = lane_in_block as u64 * rows + (row - first_row);
        Some((block, offset as usize))
    }

    /// Returns the slots of a block; `None` for a block outside the grid.
    pub fn block_extent(&self, block: u64) -> Option<BlockExtent> {
        let side = *Side::ALL.get(usize::try_from(block / self.blocks_per_side).ok()?)?;
        let in_side = block % self.blocks_per_side;
        let lane_group = (in_side / self.row_groups) as usize;
        let first_lane = lane_group * self.shape.lanes_per_block;
        let first_row = in_side % self.row_groups * self.shape.rows_per_block;
        Some(BlockExtent {
            side,
            lanes: first_lane..(first_lane + self.shape.lanes_per_block).min(self.lanes),
            rows: first_row..(first_row + self.shape.rows_per_block).min(self.rows),
        })
    }
}

/// The error for numbers that do not describe a grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GridError {
    /// No lanes, or more than [`MAX_LANES`].
    Lanes(usize),
    /// No rows, or more than [`MAX_ROWS`].
    Rows(u64),
    /// An empty block, or one larger than the grid or [`MAX_BLOCK_VALUES`].
    Shape(BlockShape),
}

impl fmt::Display for GridError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GridError::Lanes(lanes) => {
                write!(f, "{lanes} lanes: a table has 1 to {MAX_LANES}")
            }
            GridError::Rows(rows) => write!(f, "{rows} rows: a table has 1 to {MAX_ROWS}"),
            GridError::Shape(shape) => write!(
                f,
                "blocks of {} x {} values: a block must fit the table and have at most {} values",
                shape.lanes_per_block, shape.rows_per_block, MAX_BLOCK_VALUES
            ),
        }
    }
}

impl std::error::Error for GridError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Packing;
    use proptest::prelude::*;

    /// Grids with whole and cut-off blocks in either direction.
    fn grids() -> impl Strategy<Value = Grid> {
        (1..12usize, 1..40u64)
            .prop_flat_map(|(lanes, rows)| (Just(lanes), Just(rows), 1..=lanes, 1..=rows))
            .prop_map(|(lanes, rows, lanes_per_block, rows_per_block)| {
                let shape = BlockShape { lanes_per_block, rows_per_block };
                Grid::new(lanes, rows, shape).unwrap()
            })
    }

    proptest! {
        #[test]
        fn blocks_list_every_slot_once_in_their_order(grid in grids()) {
            let mut slots = 0;
            for block in 0..grid.blocks() {
                let extent = grid.block_extent(block).unwrap();
                let mut offset = 0;
                for lane in extent.lanes.clone() {
                    for row in extent.rows.clone() {
                        prop_assert_eq!(grid.locate(extent.side, lane, row), Some((block, offset)));
                        offset += 1;
                    }
                }
                prop_assert_eq!(offset, extent.values());
                slots += offset as u64;
            }
            prop_assert_eq!(slots, 2 * grid.lanes() as u64 * grid.rows());
            prop_assert_eq!(grid.block_extent(grid.blocks()), None);
            prop_assert_eq!(grid.locate(Side::Attackers, grid.lanes(), 0), None);
            prop_assert_eq!(grid.locate(Side::Defenders, 0, grid.rows()), None);
        }

        #[test]
        fn default_shapes_fit(values in 0..200usize, lanes in 1..=MAX_LANES, rows in 1..2000u64) {
            let shape = BlockShape::holding(values, lanes, rows);
            prop_assert!(Grid::new(lanes, rows, shape).is_ok());
            let held = shape.lanes_per_block as u64 * shape.rows_per_block;
            prop_assert!(held <= values.max(1) as u64);
            prop_assert!(shape.lanes_per_block == 1 || shape.rows_per_block == rows);
        }

        #[test]
        fn default_shapes_have_valid_block_counts(lanes in 1..=MAX_LANES, bits in 0..=48u32, below in 0..=99u64) {
            let rows = (MAX_ROWS >> bits).saturating_sub(below).max(1);
            for packing in Packing::ALL {
                let shape = BlockShape::holding(packing.default_block_values(), lanes, rows);
                prop_assert!(Grid::new(lanes, rows, shape).unwrap().has_valid_block_count());
            }
        }
    }

    #[test]
    fn many_blocks_must_be_large() {
        let valid = |rows, lanes_per_block, rows_per_block| {
            let shape = BlockShape { lanes_per_block, rows_per_block };
            Grid::new(4, rows, shape).unwrap().has_valid_block_count()
        };
        assert!(valid(1 << 13, 1, 1));
        assert!(!valid((1 << 13) + 1, 1, 1));
        assert!(valid(1 << 40, 1, 512) && valid(1 << 40, 4, 128));
        assert!(!valid(1 << 40, 1, 511) && !valid(1 << 40, 4, 127));
    }

    #[test]
    fn numbers_beyond_the_limits_are_refused() {
        let shape =
            |lanes_per_block, rows_per_block| BlockShape { lanes_per_block, rows_per_block };
        assert_eq!(Grid::new(0, 1, shape(1, 1)), Err(GridError::Lanes(0)));
        assert_eq!(Grid::new(362, 1, shape(1, 1)), Err(GridError::Lanes(362)));
        assert_eq!(Grid::new(1, 0, shape(1, 1)), Err(GridError::Rows(0)));
        let rows = MAX_ROWS + 1;
        assert_eq!(Grid::new(1, rows, shape(1, 1)), Err(GridError::Rows(rows)));
        for wrong in [shape(0, 1), shape(1, 0), shape(4, 1), shape(1, 1 << 21)] {
            assert_eq!(Grid::new(3, 1 << 21, wrong), Err(GridError::Shape(wrong)));
        }
        let largest = Grid::new(MAX_LANES, MAX_ROWS, shape(1, 1)).unwrap();
        let last = largest.blocks() - 1;
        let slot = largest.locate(Side::Defenders, MAX_LANES - 1, MAX_ROWS - 1);
        assert_eq!(slot, Some((last, 0)));
        assert!(largest.block_extent(u64::MAX).is_none());
    }
}
