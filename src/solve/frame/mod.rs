//! How a slice is laid out in rows: the lanes of the board, the numbers of attacker and
//! defender sets, and what depends on the attackers alone.

pub(super) mod block_lookup;
pub(super) mod defender_sets;
pub(super) mod lines;
pub(super) mod origins;
pub(super) mod region;

use crate::board::{Direction, Square, SquareSet};
use crate::index::{AttackerSets, IndexError};
use crate::rules::{Kind, Ruleset, Side};
use crate::slice::Slice;

use crate::solve::captures::soldiers::{Soldiers, Threat};
use crate::solve::frame::block_lookup::BlockLookup;
use crate::solve::frame::defender_sets::DefenderSets;
use crate::solve::frame::lines::SlideLines;
use crate::solve::frame::region::Region;
use crate::solve::rows::row::Row;

/// Everything about one slice that stays the same while it is solved.
///
/// Rows are grouped into *blocks*: one canonical attacker set with all sets of
/// defenders. A block's rows are consecutive; row `block * sets + rank`.
pub(super) struct Frame<'a, const N: usize> {
    /// The rules.
    pub rules: &'a Ruleset,
    /// The slice.
    pub slice: Slice,
    /// What the lanes stand for.
    pub region: Region<N>,
    /// The canonical attacker sets; a set's offset is its block's number.
    pub attackers: BlockLookup,
    /// The sets of defenders.
    pub defenders: DefenderSets<N>,
    /// How defenders slide.
    pub lines: SlideLines<N>,
    /// Squares where a defender makes the difference in the capture of a king.
    shields: SquareSet,
}

/// One block: an attacker set and what follows from it alone.
#[derive(Clone, Debug)]
pub(super) struct Block<const N: usize> {
    /// Its number.
    pub number: usize,
    /// The canonical attacker set.
    pub attackers: SquareSet,
    /// The lanes that the attackers leave free.
    pub free: Row<N>,
    /// By defender rank: the king's possible squares; empty where the defenders
    /// meet the attackers.
    pub valid: Vec<Row<N>>,
}

/// One way to move an attacker, for all rows of a block at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct AttackerMove<const N: usize> {
    /// The square of arrival.
    pub to: Square,
    /// The attackers after the move.
    pub after: SquareSet,
    /// The lanes on which the king is in the way.
    pub king_passed: Row<N>,
    /// The lanes on which the move captures the king, if no defender matters.
    pub king_captured: Row<N>,
}

impl<'a, const N: usize> Frame<'a, N> {
    /// The frame of a slice; it must have fewer than 2^32 sets of defenders.
    ///
    /// # Errors
    /// If its attacker sets cannot be counted.
    pub(super) fn new(rules: &'a Ruleset, slice: Slice) -> Result<Frame<'a, N>, IndexError> {
        let region = Region::new(rules);
        let king = &rules.hostile[Kind::King];
        let either = (king.empty | king.occupied) - (king.empty & king.occupied);
        Ok(Frame {
            rules,
            slice,
            attackers: BlockLookup::new(
                counted_sets(rules, slice)?,
                rules.board,
                rules.places(Kind::Attacker),
                slice.attackers,
            ),
            defenders: DefenderSets::new(rules, &region, slice.defenders),
            lines: SlideLines::new(rules, &region, Kind::Defender),
            shields: either & rules.places(Kind::Defender),
            region,
        })
    }

    /// How many rows a block has.
    pub(super) fn block_rows(&self) -> usize {
        self.defenders.len()
    }

    /// How many blocks there are.
    pub(super) fn blocks(&self) -> usize {
        self.attackers.sets().rows() as usize
    }

    /// The block of that number.
    pub(super) fn block(&self, number: usize) -> Block<N> {
        let (attackers, _) = self.attackers.sets().unrank(number as u64);
        self.block_of(number, attackers)
    }

    /// The block of that number, which has these attackers.
    pub(super) fn block_of(&self, number: usize, attackers: SquareSet) -> Block<N> {
        let free = !self.region.row(attackers);
        let places = free & self.region.places;
        let mut valid: Vec<Row<N>> =
            self.defenders.lanes.iter().map(|&lanes| places.without(lanes)).collect();
        for square in attackers {
            for &rank in self.defenders.holding(square) {
                valid[rank as usize] = Row::EMPTY;
            }
        }
        Block { number, attackers, free, valid }
    }

    /// The lanes that the soldiers of a row leave free, whether the king may
    /// stand there or only pass.
    #[inline]
    pub(super) fn free(&self, block: &Block<N>, rank: u32) -> Row<N> {
        block.free.without(self.defenders.lanes[rank as usize])
    }

    /// Visits every slide of an attacker that some row of the block allows and
    /// that is `wanted`, by its end and the attackers after it. By defender rank, `lanes`
    /// are then those on which the way is free of defenders; those on which the
    /// king is in the way are the move's. A visit must leave `lanes` as it was.
    pub(super) fn attacker_moves<T>(
        &self,
        block: &Block<N>,
        lanes: &mut Vec<Row<N>>,
        mut wanted: impl FnMut(Square, SquareSet) -> Option<T>,
        mut visit: impl FnMut(T, AttackerMove<N>, &mut [Row<N>]),
    ) {
        lanes.clone_from(&block.valid);
        for from in block.attackers {
            let others = block.attackers.without(from);
            for ray in self.rules.slides().from(Kind::Attacker, from) {
                // So much of the ray is closed to defenders in `lanes`.
                let mut closed = 0;
                let mut king_passed = Row::EMPTY;
                for (i, step) in ray.iter().enumerate() {
                    let to = step.square;
                    if others.contains(to) {
                        break;
                    }
                    king_passed |= self.region.bit(to);
                    let after = others.with(to);
                    let Some(wanted) = step.ends.then(|| wanted(to, after)).flatten() else {
                        continue;
                    };
                    for &rank in
                        ray[closed..=i].iter().flat_map(|s| self.defenders.holding(s.square))
                    {
                        lanes[rank as usize] = Row::EMPTY;
                    }
                    closed = i + 1;
                    let soldiers = Soldiers { attackers: after, defenders: SquareSet::EMPTY };
                    let king_captured = soldiers.king_captures(self.rules, &self.region, to);
                    visit(wanted, AttackerMove { to, after, king_passed, king_captured }, lanes);
                }
                for &rank in ray[..closed].iter().flat_map(|s| self.defenders.holding(s.square)) {
                    lanes[rank as usize] = block.valid[rank as usize];
                }
            }
        }
    }

    /// What the move threatens.
    pub(super) fn threats(&self, mv: &AttackerMove<N>) -> impl Iterator<Item = Threat> + '_ {
        Threat::by_arrival(self.rules, Side::Attackers, mv.after, mv.to)
    }

    /// Takes out of `lanes`, by defender rank, those on which the move captures
    /// a defender; notes in `before` what they were.
    pub(super) fn take_captures(
        &self,
        mv: &AttackerMove<N>,
        lanes: &mut [Row<N>],
        before: &mut Vec<(u32, Row<N>)>,
    ) {
        for threat in self.threats(mv) {
            let quiet = [false, true].map(|backed| {
                threat.victim(backed).map_or(!Row::EMPTY, |victim| victim.quiet(&self.region))
            });
            for &rank in self.defenders.holding(threat.square) {
                let lanes = &mut lanes[rank as usize];
                if lanes.is_empty() {
                    continue;
                }
                before.push((rank, *lanes));
                *lanes &= quiet[usize::from(self.is_backed(&threat, rank))];
            }
        }
    }

    /// Whether one of the defenders stands on the threat's anvil.
    #[inline]
    pub(super) fn is_backed(&self, threat: &Threat, rank: u32) -> bool {
        threat.can_be_backed && self.defenders.is_among(self.defenders.men(rank), threat.anvil)
    }

    /// The ranks of the rows on which defenders may change whether an attacker
    /// arriving on `mv.to` captures the king; a rank can come twice.
    pub(super) fn shielded_ranks(&self, mv: &AttackerMove<N>) -> impl Iterator<Item = u32> + '_ {
        let shields = self.shields_near(mv.to).iter();
        shields.flat_map(|square| self.defenders.holding(square).iter().copied())
    }

    /// The squares from which a defender may change whether an attacker arriving
    /// on `to` captures the king.
    pub(super) fn shields_near(&self, to: Square) -> SquareSet {
        let board = self.rules.board;
        let near = |&s: &Square| {
            board.file(s).abs_diff(board.file(to)) + board.rank(s).abs_diff(board.rank(to)) <= 2
        };
        self.shields.iter().filter(near).collect()
    }

    /// The lanes of a row on which an attacker who has arrived on `to` captures
    /// nothing.
    pub(super) fn quiet(&self, after: SquareSet, to: Square, rank: u32) -> Row<N> {
        let soldiers = Soldiers { attackers: after, defenders: self.defenders.set(rank) };
        let victims = soldiers.victims(self.rules, Side::Attackers, to);
        let quiet = victims.fold(!Row::EMPTY, |all, victim| all & victim.quiet(&self.region));
        quiet.without(soldiers.king_captures(self.rules, &self.region, to))
    }

    /// The lanes of a row on which the attacker's move captures the king.
    pub(super) fn king_captures(&self, mv: &AttackerMove<N>, rank: u32) -> Row<N> {
        let soldiers = Soldiers { attackers: mv.after, defenders: self.defenders.set(rank) };
        soldiers.king_captures(self.rules, &self.region, mv.to)
    }

    /// Adds to `found`, by defender rank, those of the `lanes` with a free way on
    /// which the move captures the king. `before` is room to work in.
    pub(super) fn add_king_captures(
        &self,
        mv: &AttackerMove<N>,
        lanes: &[Row<N>],
        found: &mut [Row<N>],
        before: &mut Vec<(u32, Row<N>)>,
    ) {
        before.clear();
        before.extend(self.shielded_ranks(mv).map(|rank| (rank, found[rank as usize])));
        let captured = mv.king_captured.without(mv.king_passed);
        if !captured.is_empty() {
            for (found, &lanes) in found.iter_mut().zip(lanes) {
                *found |= lanes & captured;
            }
        }
        // There a defender may be in the place of a hostile empty square.
        for &(rank, before) in &*before {
            found[rank as usize] = before;
        }
        for &(rank, _) in &*before {
            let legal = lanes[rank as usize].without(mv.king_passed);
            found[rank as usize] |= legal & self.king_captures(mv, rank);
        }
    }

    /// For every square of the board, the lanes on which a defender arriving
    /// there captures nothing, as far as the attackers alone decide.
    pub(super) fn quiet_arrivals(&self, attackers: SquareSet) -> Arrivals<N> {
        let soldiers = Soldiers { attackers, defenders: SquareSet::EMPTY };
        // Without defenders nobody asks where they arrive.
        let squares = if self.slice.defenders > 0 { self.rules.board.area() } else { 0 };
        let mut arrivals = Arrivals {
            soldiers: vec![!Row::EMPTY; squares],
            king: !Row::EMPTY,
            anvils: Vec::new(),
        };
        let next = |square, direction| self.rules.slides().next(square, direction);
        for square in attackers {
            for direction in Direction::ALL {
                let arrival = next(square, direction.opposite()).zip(next(square, direction));
                let Some((to, anvil)) = arrival else { continue };
                let victim = soldiers.victim(self.rules, Side::Attackers, square, anvil);
                let Some(victim) = victim.filter(|_| !attackers.contains(to)) else { continue };
                if victim.without_king {
                    arrivals.king = arrivals.king.without(self.region.bit(to));
                }
                if let Some(quiet) = arrivals.soldiers.get_mut(to.index()) {
                    *quiet &= victim.quiet(&self.region);
                }
                // A king on the anvil captures; so does a defender there.
                arrivals.anvils.push((anvil, to));
            }
        }
        arrivals
    }
}

/// Where defenders capture, for one attacker set.
#[derive(Clone, Debug)]
pub(super) struct Arrivals<const N: usize> {
    /// By square of the board: the lanes on which a defending soldier arriving
    /// there captures nothing, other defenders left out of account.
    pub soldiers: Vec<Row<N>>,
    /// The lanes on which the king captures nothing when he arrives there,
    /// defenders left out of account.
    pub king: Row<N>,
    /// Squares from which a defender helps to capture, each with the square
    /// where the other one arrives.
    pub anvils: Vec<(Square, Square)>,
}

impl<const N: usize> Arrivals<N> {
    /// By square of the board: the lanes on which a soldier arriving beside
    /// these other defenders captures nothing.
    pub(super) fn beside(&self, frame: &Frame<N>, others: &[usize], quiet: &mut Vec<Row<N>>) {
        quiet.clone_from(&self.soldiers);
        for &(anvil, to) in &self.anvils {
            if others.iter().any(|&place| frame.defenders.squares[place] == anvil) {
                quiet[to.index()] = Row::EMPTY;
            }
        }
    }

    /// Takes out of `lanes`, by defender rank, those on which the arriving king
    /// captures with the help of one of the defenders.
    pub(super) fn take_helped(&self, frame: &Frame<N>, lanes: &mut [Row<N>]) {
        for &(anvil, to) in &self.anvils {
            let helped = frame.region.bit(to) & self.king;
            if !helped.is_empty() {
                for &rank in frame.defenders.holding(anvil) {
                    lanes[rank as usize] = lanes[rank as usize].without(helped);
                }
            }
        }
    }
}

/// The canonical sets of that many attackers, numbered one by one.
///
/// # Errors
/// If they cannot be counted.
pub(super) fn counted_sets(rules: &Ruleset, slice: Slice) -> Result<AttackerSets, IndexError> {
    let places = rules.places(Kind::Attacker);
    let heavy = rules.places(Kind::Defender);
    let group = rules.symmetries();
    AttackerSets::new(rules.board, group, places, heavy, slice.attackers, |_| Some(1))
        .ok_or(IndexError::TooLarge(slice))
}
