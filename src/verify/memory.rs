use std::ops::Range;

use memmap2::Mmap;
use rayon::prelude::*;

use crate::board::SquareSet;
use crate::index::SliceIndex;
use crate::rules::Side;
use crate::table::{
    Code, DONT_CARE, Metric, Table, ValueHash, ValueHasher, dtw_code_to_wdl_code, wdl_code,
};

use super::VerifyError;
use super::geometry::{Blocks, DefenderSets};
use super::score::Score;
use super::unasked::Unasked;

/// The code of a position that the side to move decides.
const WIN_IN_1: Code = 1;

/// How the rows of a slice lie in memory: blocks of one set of attackers each,
/// with a row for every set of defenders, also for those that meet the
/// attackers, so that one numbering of them serves all blocks.
///
/// Rows of the file come in the same order, without the gaps.
#[derive(Clone, Copy)]
pub(super) struct Layout<'a> {
    pub index: &'a SliceIndex,
    pub blocks: &'a Blocks,
    pub defenders: &'a DefenderSets,
}

impl Layout<'_> {
    /// Rows in memory, gaps and all.
    fn rows(&self) -> Option<usize> {
        let blocks = usize::try_from(self.blocks.count()).ok()?;
        blocks.checked_mul(self.defenders.len())
    }

    /// The row in memory of a set of defenders in a block.
    pub fn row(&self, block: usize, defenders: usize) -> usize {
        block * self.defenders.len() + defenders
    }

    /// The rows of the file, in order.
    fn placements(&self, rows: Range<u64>) -> Vec<Placement> {
        let mut placements = Vec::with_capacity((rows.end - rows.start) as usize);
        let mut next = rows.start;
        while next < rows.end {
            let (attackers, first) = self.index.attackers().unrank(next);
            let block = self.blocks.find(attackers).0;
            let free = |&(_, set): &(usize, &SquareSet)| !set.meets(attackers);
            let sets = self.defenders.sets().iter().enumerate().filter(free);
            let wanted = sets.skip((next - first) as usize).take((rows.end - next) as usize);
            let before = placements.len();
            placements.extend(wanted.map(|(number, &defenders)| Placement {
                row: self.row(block, number),
                attackers,
                defenders,
            }));
            next += (placements.len() - before) as u64;
        }
        placements
    }
}

/// A row of the file.
#[derive(Clone, Copy)]
struct Placement {
    /// Its row in memory; ascending.
    row: usize,
    attackers: SquareSet,
    defenders: SquareSet,
}

/// The values of a slice in memory, row by row, for the sides that are needed.
pub(super) struct Values<T> {
    stride: usize,
    /// By side.
    scores: [Vec<T>; 2],
}

impl<T: Score> Values<T> {
    /// Reads a table; of a DTW table the signs only if that is asked for. What the
    /// table does not answer for gets the values that follow from the rules.
    pub fn read(
        table: &Table<Mmap>,
        layout: &Layout,
        stride: usize,
        sides: &[Side],
        metric: Metric,
        unasked: &Unasked<T>,
    ) -> Result<Values<T>, VerifyError> {
        let mut values = Values { stride, scores: Default::default() };
        for &side in sides {
            let mut scores = read_side(table, layout, stride, side, metric)?;
            complete(&mut scores, layout, stride, side, unasked);
            values.scores[side as usize] = scores;
        }
        Ok(values)
    }

    /// The scores of a row by lane.
    #[inline]
    pub fn row(&self, side: Side, row: usize) -> &[T] {
        &self.scores[side as usize][row * self.stride..][..self.stride]
    }
}

fn read_side<T: Score>(
    table: &Table<Mmap>,
    layout: &Layout,
    stride: usize,
    side: Side,
    metric: Metric,
) -> Result<Vec<T>, VerifyError> {
    let slice = layout.index.slice();
    let length = layout.rows().and_then(|rows| rows.checked_mul(stride));
    let bytes = length.map(|length| (length * size_of::<T>()) as u64);
    let too_large = VerifyError::TooLarge { slice, bytes };
    let mut scores = Vec::new();
    let reserved = length.map(|length| scores.try_reserve_exact(length).map(|()| length));
    let Some(Ok(length)) = reserved else {
        return Err(too_large);
    };
    scores.resize(length, T::default());
    let mut parts = Vec::new();
    let mut rest = &mut scores[..];
    let mut begin = 0;
    for rows in row_groups(table) {
        // Up to the row that the next group begins with.
        let end = if rows.end < layout.index.rows() {
            layout.placements(rows.end..rows.end + 1)[0].row * stride
        } else {
            length
        };
        let (part, after) = rest.split_at_mut(end - begin);
        parts.push((rows, begin / stride, part));
        rest = after;
        begin = end;
    }
    let sign = metric == Metric::Wdl && table.header().metric == Metric::Dtw;
    parts.into_par_iter().try_for_each(|(rows, first, part)| {
        let places = layout.placements(rows.clone());
        visit(table, side, rows, |lane, row, code| {
            let code = if sign { dtw_code_to_wdl_code(code) } else { code };
            part[(places[row].row - first) * stride + lane] = T::of(code);
        })
    })?;
    Ok(scores)
}

/// The rows of each row of blocks.
fn row_groups(table: &Table<Mmap>) -> impl Iterator<Item = Range<u64>> {
    let grid = table.header().grid;
    let height = grid.shape().rows_per_block;
    let groups = (0..grid.rows()).step_by(height as usize);
    groups.map(move |first| first..(first + height).min(grid.rows()))
}

/// Tells the code of every lane and row of a row of blocks, rows counted from
/// the first of them.
fn visit(
    table: &Table<Mmap>,
    side: Side,
    rows: Range<u64>,
    mut tell: impl FnMut(usize, usize, Code),
) -> Result<(), VerifyError> {
    let grid = table.header().grid;
    let height = (rows.end - rows.start) as usize;
    let mut codes = Vec::new();
    let mut lane = 0;
    while let Some((block, _)) = grid.locate(side, lane, rows.start) {
        table.read_block(block, &mut codes)?;
        for codes in codes.chunks_exact(height) {
            for (row, &code) in codes.iter().enumerate() {
                tell(lane, row, code);
            }
            lane += 1;
        }
    }
    Ok(())
}

/// Gives the positions that the side to move decides a win in 1, and images that
/// are not the least the value of the least one.
fn complete<T: Score>(
    scores: &mut [T],
    layout: &Layout,
    stride: usize,
    side: Side,
    unasked: &Unasked<T>,
) {
    let sets = layout.defenders.sets();
    let blocks = scores.par_chunks_mut(sets.len() * stride).enumerate();
    blocks.for_each(|(number, scores)| {
        let set = layout.blocks.attackers(number as u64);
        let attackers = unasked.attackers(layout.index.attackers(), set);
        for symmetry in attackers.least.symmetries() {
            let lanes = unasked.lane_images(symmetry);
            for (number, &defenders) in sets.iter().enumerate() {
                let image = layout.defenders.image(symmetry, number) * stride;
                for lane in unasked.lanes(unasked.least(&attackers, defenders)) {
                    scores[image + usize::from(lanes[lane])] = scores[number * stride + lane];
                }
            }
        }
        for (&defenders, row) in sets.iter().zip(scores.chunks_exact_mut(stride)) {
            if !defenders.meets(set) {
                for lane in unasked.lanes(unasked.decided(&attackers, defenders, side)) {
                    row[lane] = T::of(WIN_IN_1);
                }
            }
        }
    });
}

/// A code of a WDL table that is not the sign of the distance known for it.
pub(super) struct WrongSign {
    pub side: Side,
    pub lane: usize,
    pub attackers: SquareSet,
    pub defenders: SquareSet,
    /// The code.
    pub stored: Code,
    /// The distance's sign.
    pub found: Code,
}

/// What a table's values come to.
pub(super) struct Examined {
    pub value_hash: ValueHash,
    /// How many signs are wrong.
    pub wrong: u64,
    /// The first few of each lane of a row of blocks.
    pub first: Vec<WrongSign>,
}

/// Hashes all that a table answers for. With the values of the DTW table, a WDL
/// table is held against them.
pub(super) fn examine<T: Score>(
    table: &Table<Mmap>,
    layout: &Layout,
    distances: Option<&Values<T>>,
    unasked: &Unasked<T>,
    few: usize,
) -> Result<Examined, VerifyError> {
    let grid = table.header().grid;
    let mut hasher = ValueHasher::new(grid.lanes());
    let (mut wrong, mut first) = (0, Vec::new());
    for rows in row_groups(table) {
        let placements = layout.placements(rows.clone());
        for side in Side::ALL {
            let asked = asked(layout, &placements, side, unasked);
            let lanes = grid.shape().lanes_per_block;
            let blocks = hasher.side(side).par_chunks_mut(lanes).enumerate();
            let parts =
                blocks.map(|(group, hashers)| {
                    let (block, _) =
                        grid.locate(side, group * lanes, rows.start).expect("a block of the table");
                    let mut codes = Vec::new();
                    table.read_block(block, &mut codes)?;
                    let (mut wrong, mut first) = (0, Vec::new());
                    let of_lanes = codes.chunks_exact(placements.len()).zip(hashers);
                    for (lane, (codes, hasher)) in (group * lanes..).zip(of_lanes) {
                        let king = layout.index.lanes().squares()[lane];
                        let slots = codes.iter().zip(&asked);
                        hasher.update(slots.map(|(&code, asked)| {
                            if asked.contains(king) { code } else { DONT_CARE }
                        }));
                        let Some(distances) = distances else { continue };
                        for ((&stored, asked), place) in codes.iter().zip(&asked).zip(&placements) {
                            let found = distances.row(side, place.row)[lane].value();
                            let found = found.map_or(stored, |value| wdl_code(value.wdl()));
                            if stored == found || !asked.contains(king) {
                                continue;
                            }
                            wrong += 1;
                            if first.len() < few {
                                let Placement { attackers, defenders, .. } = *place;
                                first.push(WrongSign {
                                    side,
                                    lane,
                                    attackers,
                                    defenders,
                                    stored,
                                    found,
                                });
                            }
                        }
                    }
                    Ok((wrong, first))
                });
            for (count, few) in parts.collect::<Result<Vec<_>, VerifyError>>()? {
                wrong += count;
                first.extend(few);
            }
        }
    }
    Ok(Examined { value_hash: hasher.finish(), wrong, first })
}

/// By row: the king's squares that the table answers for.
fn asked<T: Score>(
    layout: &Layout,
    placements: &[Placement],
    side: Side,
    unasked: &Unasked<T>,
) -> Vec<SquareSet> {
    let blocks: Vec<&[Placement]> =
        placements.chunk_by(|one, next| one.attackers == next.attackers).collect();
    let of_block = |block: &&[Placement]| {
        let attackers = unasked.attackers(layout.index.attackers(), block[0].attackers);
        let rows = block.iter();
        rows.map(|row| unasked.asked(&attackers, row.defenders, side)).collect::<Vec<_>>()
    };
    blocks.par_iter().flat_map_iter(of_block).collect()
}
