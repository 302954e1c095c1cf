//! Shieldwalls, which capture whole rows of men along the edge, for all squares of the king at
//! once.

use crate::game::board::{Square, SquareSet};
use crate::game::rules::{BySide, Ruleset, Side};
use crate::game::shieldwall::{LEAST_IN_ROW, edge_directions};
use crate::game::slice::Slice;

use crate::solve::frame::defender_sets::DefenderSets;
use crate::solve::frame::region::Region;
use crate::solve::rows::numbers::Rank;
use crate::solve::rows::row::Row;

/// The walls that are possible in a slice; none cost nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shieldwalls {
    /// By mover and square of arrival: both parts of the edge. Empty if the mover has too few men
    /// for a wall, or too few to capture.
    runs: BySide<Vec<Vec<EdgeRun>>>,
    /// The squares whose men no wall captures.
    spared: BySide<SquareSet>,
    king_armed: bool,
}

/// An edge from the neighbour of a square of arrival to the corner.
#[derive(Clone, Debug)]
struct EdgeRun {
    /// The squares before the corner, each with the one in front of it.
    squares: Vec<[Square; 2]>,
    corner: Square,
}

/// A wall that may be closed by an arrival. Apart from the attackers, it depends on which of the
/// defenders' squares are occupied, the king being on one of them at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallThreat {
    /// The squares that defenders must occupy: the whole row against them, or their part of the
    /// wall.
    needed: SquareSet,
    /// The soldiers that it captures if soldiers occupy all of these squares.
    victims: SquareSet,
    /// A corner that ends the row only while the king is elsewhere.
    corner: Option<Square>,
    /// Whether a defender on that corner prevents the capture.
    corner_is_empty: bool,
    /// Whether the king counts as one of the defenders.
    king_counts: bool,
}

/// A wall around a row, given the soldiers of both sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wall {
    /// The captured soldiers.
    pub victims: SquareSet,
    kings: WallKings,
}

/// The squares of the king on which a wall captures.
#[derive(Clone, Copy, Debug)]
enum WallKings {
    /// This one: he fills the gap.
    Only(Square),
    /// All but this one.
    AllBut(Option<Square>),
}

impl Shieldwalls {
    /// Finds the walls that are possible in a slice.
    pub(crate) fn new(rules: &Ruleset, slice: Slice) -> Shieldwalls {
        let Slice { defenders, attackers } = slice;
        let captors = defenders + usize::from(rules.king_armed);
        let possible = |mover: Side| {
            // Two men in front of the row and the one that arrives.
            let least = LEAST_IN_ROW + 1;
            rules.shieldwall
                && match mover {
                    Side::Attackers => attackers >= least && defenders >= 1,
                    Side::Defenders => captors >= least && attackers >= LEAST_IN_ROW,
                }
        };
        let runs = BySide::from_fn(|mover: Side| {
            let squares = rules.board.squares();
            if possible(mover) {
                squares.map(|to| edge_runs(rules, to)).collect()
            } else {
                Vec::new()
            }
        });
        let spared = BySide::from_fn(|side: Side| rules.protected[side] | rules.unaided[side]);
        Shieldwalls { runs, spared, king_armed: rules.king_armed }
    }

    /// Returns the walls that a piece of `mover` may close by its arrival on `to`, given the
    /// attackers after the move.
    #[inline]
    pub(crate) fn threats(
        &self,
        mover: Side,
        attackers: SquareSet,
        to: Square,
    ) -> impl Iterator<Item = WallThreat> + '_ {
        let runs = self.runs[mover].get(to.index()).into_iter().flatten();
        runs.filter_map(move |run| match mover {
            Side::Attackers => self.against_defenders(run, attackers),
            Side::Defenders => self.against_attackers(run, attackers),
        })
    }

    /// Returns the walls that the defenders may close around these attackers, each with the square
    /// of arrival.
    pub(crate) fn threats_around(
        &self,
        attackers: SquareSet,
    ) -> impl Iterator<Item = (Square, WallThreat)> + '_ {
        let arrivals = (0..self.runs[Side::Defenders].len()).map(Square::new);
        let free = arrivals.filter(move |&to| !attackers.contains(to));
        free.flat_map(move |to| {
            self.threats(Side::Defenders, attackers, to).map(move |threat| (to, threat))
        })
    }

    /// Returns the squares on which a defender may belong to a row that an attacker's arrival on
    /// `to` captures, or may prevent that.
    pub(crate) fn rows_beside(&self, to: Square) -> SquareSet {
        let runs = self.runs[Side::Attackers].get(to.index()).into_iter().flatten();
        runs.flat_map(|run| run.squares.iter().map(|&[square, _]| square).chain([run.corner]))
            .collect()
    }

    /// The row reaches to the first attacker or to the corner, so the attackers determine it.
    fn against_defenders(&self, run: &EdgeRun, attackers: SquareSet) -> Option<WallThreat> {
        let in_row = run.squares.iter().take_while(|[square, _]| !attackers.contains(*square));
        let length = in_row.clone().count();
        if length < LEAST_IN_ROW || !in_row.clone().all(|&[_, front]| attackers.contains(front)) {
            return None;
        }
        let needed: SquareSet = in_row.map(|&[square, _]| square).collect();
        let ends_at_corner = length == run.squares.len() && !attackers.contains(run.corner);
        Some(WallThreat {
            needed,
            victims: needed - self.spared[Side::Defenders],
            corner: ends_at_corner.then_some(run.corner),
            corner_is_empty: true,
            king_counts: true,
        })
    }

    fn against_attackers(&self, run: &EdgeRun, attackers: SquareSet) -> Option<WallThreat> {
        let in_row = run.squares.iter().take_while(|[square, _]| attackers.contains(*square));
        let length = in_row.clone().count();
        if length < LEAST_IN_ROW {
            return None;
        }
        let row: SquareSet = in_row.clone().map(|&[square, _]| square).collect();
        let end = run.squares.get(length).map(|&[square, _]| square);
        if end.is_none() && attackers.contains(run.corner) {
            return None;
        }
        let needed: SquareSet = in_row.map(|&[_, front]| front).chain(end).collect();
        let needs_corner = end.is_none() && !self.king_armed;
        (!needed.meets(attackers)).then_some(WallThreat {
            needed,
            victims: row - self.spared[Side::Attackers],
            corner: needs_corner.then_some(run.corner),
            corner_is_empty: false,
            king_counts: self.king_armed,
        })
    }
}

/// Returns both parts of the edge beside this square; none for corners and inner squares.
fn edge_runs(rules: &Ruleset, to: Square) -> Vec<EdgeRun> {
    let board = rules.board;
    let runs = edge_directions(rules, to).filter_map(|[along, inwards]| {
        let mut squares: Vec<Square> = board.ray(to, along).collect();
        let corner = squares.pop()?;
        let fronts = squares.into_iter().filter_map(|s| Some([s, board.step(s, inwards)?]));
        Some(EdgeRun { squares: fronts.collect(), corner })
    });
    runs.collect()
}

impl WallThreat {
    /// Returns the wall that these defending soldiers make of it, the king being elsewhere than on
    /// the square of arrival.
    pub(crate) fn wall(&self, defenders: SquareSet) -> Option<Wall> {
        if self.corner_is_empty && self.corner.is_some_and(|corner| defenders.contains(corner)) {
            return None;
        }
        let missing = self.needed - defenders;
        let kings = match (missing.len(), missing.first()) {
            (0, _) => WallKings::AllBut(self.corner),
            (1, Some(gap)) if self.king_counts => WallKings::Only(gap),
            _ => return None,
        };
        let victims = self.victims - missing;
        (!victims.is_empty()).then_some(Wall { victims, kings })
    }

    /// Returns the attackers that the king captures if he closes the wall.
    pub(crate) fn victims_of_king(&self, defenders: SquareSet) -> SquareSet {
        if self.king_counts && self.needed.is_subset(defenders) {
            self.victims
        } else {
            SquareSet::EMPTY
        }
    }

    /// Returns the ranks of the sets with which there may be a wall.
    pub(crate) fn ranks<'f>(&self, sets: &'f DefenderSets) -> impl Iterator<Item = Rank> + use<'f> {
        // One of the needed squares at most is the king's, so one of any two is a soldier's.
        let mut needed = self.needed.iter();
        let (first, second) = (needed.next(), needed.next());
        let with_first = first.into_iter().flat_map(|square| sets.ranks_holding(square));
        let with_second = second.into_iter().flat_map(|square| sets.ranks_holding(square));
        let only_second = with_second.filter(move |rank| {
            first.is_none_or(|square| !sets.has_man_on(sets.men(**rank), square))
        });
        with_first.chain(only_second).copied()
    }
}

impl Wall {
    /// Returns whether it captures while the king is on this square, or on no square that matters.
    pub(crate) fn captures(&self, king: Option<Square>) -> bool {
        match self.kings {
            WallKings::Only(gap) => king == Some(gap),
            WallKings::AllBut(corner) => king.is_none() || king != corner,
        }
    }

    /// Returns the square of the king that matters, if there is one.
    pub(crate) fn king(&self) -> Option<Square> {
        match self.kings {
            WallKings::Only(gap) => Some(gap),
            WallKings::AllBut(corner) => corner,
        }
    }

    /// Returns the lanes on which it captures nothing.
    pub(crate) fn quiet<const N: usize>(&self, region: &Region<N>) -> Row<N> {
        match self.kings {
            WallKings::Only(gap) => !region.bit(gap),
            WallKings::AllBut(Some(corner)) => region.bit(corner),
            WallKings::AllBut(None) => Row::EMPTY,
        }
    }
}
