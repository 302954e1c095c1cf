use crate::board::{Direction, Square, SquareSet};
use crate::index::{AttackerSets, IndexError};
use crate::rules::{Kind, Ruleset, Side};
use crate::slice::Slice;

use super::captures::Soldiers;
use super::defenders::{DefenderLines, DefenderSets};
use super::lookup::BlockLookup;
use super::region::Region;
use super::row::Row;

/// Everything about one slice that stays the same while it is solved.
///
/// Rows are grouped into *blocks*: one canonical attacker set with all sets of
/// defenders. A block's rows are consecutive; row `block * sets + rank`.
pub struct Frame<'a, const N: usize> {
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
    pub lines: DefenderLines<N>,
    /// Squares where a defender makes the difference in the capture of a king.
    shields: SquareSet,
}

/// One block: an attacker set and what follows from it alone.
#[derive(Clone, Debug)]
pub struct Block<const N: usize> {
    /// Its number.
    pub number: usize,
    /// The canonical attacker set.
    pub attackers: SquareSet,
    /// The lanes that the attackers leave free.
    free: Row<N>,
    /// By defender rank: the king's possible squares; empty where the defenders
    /// meet the attackers.
    pub valid: Vec<Row<N>>,
}

/// One way to move an attacker, for all rows of a block at once.
#[derive(Clone, Copy, Debug)]
pub struct AttackerMove<const N: usize> {
    /// The square of arrival.
    pub to: Square,
    /// The attackers after the move.
    pub after: SquareSet,
    /// The lanes on which the move captures the king, if no defender matters.
    pub king_captured: Row<N>,
}

impl<'a, const N: usize> Frame<'a, N> {
    /// The frame of a slice; it must have fewer than 2^32 sets of defenders.
    ///
    /// # Errors
    /// If its attacker sets cannot be counted.
    pub fn new(rules: &'a Ruleset, slice: Slice) -> Result<Frame<'a, N>, IndexError> {
        let region = Region::new(rules);
        let king = &rules.hostile[Kind::King as usize];
        let either = (king.empty | king.occupied) - (king.empty & king.occupied);
        Ok(Frame {
            rules,
            slice,
            attackers: BlockLookup::new(
                counted_sets(rules, slice)?,
                rules.places(Kind::Attacker),
                slice.attackers,
            ),
            defenders: DefenderSets::new(rules, &region, slice.defenders),
            lines: DefenderLines::new(rules),
            shields: either & rules.places(Kind::Defender),
            region,
        })
    }

    /// How many rows a block has.
    pub fn block_rows(&self) -> usize {
        self.defenders.len()
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.attackers.sets().rows() as usize
    }

    /// The block of that number.
    pub fn block(&self, number: usize) -> Block<N> {
        let (attackers, _) = self.attackers.sets().unrank(number as u64);
        self.block_of(number, attackers)
    }

    /// The block of that number, which has these attackers.
    pub fn block_of(&self, number: usize, attackers: SquareSet) -> Block<N> {
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
    pub fn free(&self, block: &Block<N>, rank: u32) -> Row<N> {
        block.free.without(self.defenders.lanes[rank as usize])
    }

    /// Visits every slide of an attacker that some row of the block allows,
    /// with the lanes, by defender rank, on which it is legal: there the way is
    /// free of defenders and of the king.
    pub fn attacker_moves(
        &self,
        block: &Block<N>,
        scratch: &mut Vec<Row<N>>,
        mut visit: impl FnMut(AttackerMove<N>, &[Row<N>]),
    ) {
        for from in block.attackers {
            let others = block.attackers.without(from);
            for ray in self.rules.slides().from(Kind::Attacker, from) {
                scratch.clear();
                scratch.extend_from_slice(&block.valid);
                let mut king_passed = Row::EMPTY;
                for step in ray {
                    let to = step.square;
                    if others.contains(to) {
                        break;
                    }
                    for &rank in self.defenders.holding(to) {
                        scratch[rank as usize] = Row::EMPTY;
                    }
                    let king = self.region.bit(to);
                    if !king.is_empty() {
                        king_passed |= king;
                        scratch.iter_mut().for_each(|lanes| *lanes = lanes.without(king));
                    }
                    if step.ends {
                        let after = others.with(to);
                        let soldiers = Soldiers { attackers: after, defenders: SquareSet::EMPTY };
                        let king_captured = soldiers.king_captures(self.rules, &self.region, to);
                        visit(AttackerMove { to, after, king_captured }, scratch);
                    }
                }
            }
        }
    }

    /// The ranks of the rows on which an attacker arriving on `mv.to` may
    /// capture a defender or on which defenders change the capture of the king;
    /// a rank can come twice.
    pub fn special_ranks(&self, mv: &AttackerMove<N>) -> impl Iterator<Item = u32> + '_ {
        let slides = self.rules.slides();
        let hostile = &self.rules.hostile[Kind::Defender as usize];
        let anvils = mv.after | hostile.empty | hostile.occupied | hostile.besieged;
        let protected = self.rules.protected[Side::Defenders as usize];
        let to = mv.to;
        let victims = Direction::ALL.into_iter().filter_map(move |direction| {
            let victim = slides.next(to, direction)?;
            let anvil = slides.next(victim, direction)?;
            (anvils.contains(anvil) && !protected.contains(victim)).then_some(victim)
        });
        victims
            .flat_map(|square| self.defenders.holding(square).iter().copied())
            .chain(self.shielded_ranks(mv))
    }

    /// The ranks of the rows on which defenders may change whether an attacker
    /// arriving on `mv.to` captures the king; a rank can come twice.
    pub fn shielded_ranks(&self, mv: &AttackerMove<N>) -> impl Iterator<Item = u32> + '_ {
        let shields = self.shields_near(mv.to).iter();
        shields.flat_map(|square| self.defenders.holding(square).iter().copied())
    }

    /// The squares from which a defender may change whether an attacker arriving
    /// on `to` captures the king.
    pub fn shields_near(&self, to: Square) -> SquareSet {
        let board = self.rules.board;
        let near = |&s: &Square| {
            board.file(s).abs_diff(board.file(to)) + board.rank(s).abs_diff(board.rank(to)) <= 2
        };
        self.shields.iter().filter(near).collect()
    }

    /// The lanes of a row on which the attacker's move captures nothing.
    pub fn quiet(&self, mv: &AttackerMove<N>, rank: u32) -> Row<N> {
        let soldiers = Soldiers { attackers: mv.after, defenders: self.defenders.set(rank) };
        let victims = soldiers.victims(self.rules, Side::Attackers, mv.to);
        let quiet = victims.fold(!Row::EMPTY, |all, victim| all & victim.quiet(&self.region));
        let king = soldiers.king_captures(self.rules, &self.region, mv.to);
        quiet.without(king)
    }

    /// For every square of the board, the lanes on which a defender arriving
    /// there captures nothing, as far as the attackers alone decide.
    pub fn quiet_arrivals(&self, attackers: SquareSet) -> Arrivals<N> {
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
pub struct Arrivals<const N: usize> {
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
    pub fn beside(&self, frame: &Frame<N>, others: &[usize], quiet: &mut Vec<Row<N>>) {
        quiet.clone_from(&self.soldiers);
        for &(anvil, to) in &self.anvils {
            if others.iter().any(|&place| frame.defenders.squares[place] == anvil) {
                quiet[to.index()] = Row::EMPTY;
            }
        }
    }

    /// The lanes on which the arriving king captures with the help of one of
    /// the defenders.
    pub fn king_helped(&self, frame: &Frame<N>, men: &[u16]) -> Row<N> {
        let helped = self.anvils.iter().filter(|(a, _)| frame.defenders.is_among(men, *a));
        helped.fold(Row::EMPTY, |all, &(_, to)| all | frame.region.bit(to))
    }
}

/// The canonical sets of that many attackers, numbered one by one.
///
/// # Errors
/// If they cannot be counted.
pub fn counted_sets(rules: &Ruleset, slice: Slice) -> Result<AttackerSets, IndexError> {
    let places = rules.places(Kind::Attacker);
    let heavy = rules.places(Kind::Defender);
    let group = rules.symmetries();
    AttackerSets::new(rules.board, group, places, heavy, slice.attackers, |_| Some(1))
        .ok_or(IndexError::TooLarge(slice))
}
