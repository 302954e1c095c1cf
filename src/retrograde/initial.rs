//! The initial pass: what each position's captures, its lack of moves and the
//! rules themselves say, for both outcomes in one visit.

use crate::board::{Square, SquareSet, Symmetry};
use crate::rules::{Kind, Side};

use super::captures::{Soldiers, Threat, Victim, capture_groups};
use super::child::Child;
use super::defenders::DefenderSets;
use super::frame::{AttackerMove, Block, Frame};
use super::quiet::{Scratch, Targets};
use super::row::Row;
use super::seeds::{Options, Seeds};

/// The solved slices that captures lead to.
pub struct Children<const N: usize> {
    /// After 1, 2 and 3 defenders have been captured, the defenders to move,
    /// with the sets of the defenders that are left; as far as there are any.
    pub fewer_defenders: Vec<(Child<N>, DefenderSets<N>)>,
    /// After 1, 2 and 3 attackers have been captured, the attackers to move.
    /// Without attackers the game is over, so that slice is not here.
    pub fewer_attackers: Vec<Child<N>>,
}

impl<const N: usize> Children<N> {
    /// The greatest code that any of their positions has.
    fn greatest_code(&self) -> u16 {
        let left = self.fewer_defenders.iter().map(|(child, _)| child.rows.greatest_code());
        let right = self.fewer_attackers.iter().map(|child| child.rows.greatest_code());
        left.chain(right).max().unwrap_or(0).max(LOST_IN_0)
    }
}

/// The code of a side to move that has lost, having no men left to move.
const LOST_IN_0: u16 = 2;

/// The initial pass over a slice.
pub struct InitialPass<'a, const N: usize> {
    frame: &'a Frame<'a, N>,
    children: &'a Children<N>,
    codes: usize,
}

/// Buffers of the initial pass.
pub struct InitialScratch<const N: usize> {
    quiet: Scratch<N>,
    options: [Options<N>; 2],
    /// Rows as they were before the captures of the king by one move.
    decisive: Vec<(u32, Row<N>)>,
    /// For one arrival: the lanes by code.
    values: Vec<(u16, Row<N>)>,
}

impl<'a, const N: usize> InitialPass<'a, N> {
    /// The pass over the frame's slice, with the slices that it leads to.
    pub fn new(frame: &'a Frame<'a, N>, children: &'a Children<N>) -> InitialPass<'a, N> {
        InitialPass { frame, children, codes: usize::from(children.greatest_code()) + 1 }
    }

    /// Buffers for one worker.
    pub fn scratch(&self) -> InitialScratch<N> {
        let options = || Options::new(self.frame.block_rows(), self.codes);
        InitialScratch {
            quiet: Scratch::default(),
            options: [options(), options()],
            decisive: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Everything for a range of blocks, by winner.
    pub fn run(
        &self,
        blocks: std::ops::Range<usize>,
        scratch: &mut InitialScratch<N>,
    ) -> [Seeds<N>; 2] {
        let [mut attackers, mut defenders] = [0, 1].map(|_| Seeds::new(self.codes));
        for number in blocks {
            let block = self.frame.block(number);
            scratch.options.iter_mut().for_each(|options| options.clear(&block.valid));
            self.attackers(&block, scratch);
            self.defenders(&block, scratch);
            let [by_attackers, by_defenders] = &scratch.options;
            attackers.add(&block, by_attackers, by_defenders);
            defenders.add(&block, by_defenders, by_attackers);
        }
        [attackers, defenders]
    }

    fn attackers(&self, block: &Block<N>, scratch: &mut InitialScratch<N>) {
        let frame = self.frame;
        let InitialScratch { quiet, options: [options, _], decisive, .. } = scratch;
        let mut any_stuck = true;
        frame.attacker_moves(
            block,
            &mut quiet.lanes,
            |_| Some(()),
            |(), mv, lanes| {
                if any_stuck {
                    let mut stuck_rows = Row::EMPTY;
                    for (stuck, &lanes) in options.stuck.iter_mut().zip(&*lanes) {
                        *stuck = stuck.without(lanes.without(mv.king_passed));
                        stuck_rows |= *stuck;
                    }
                    any_stuck = !stuck_rows.is_empty();
                }
                let captured = mv.king_captured.without(mv.king_passed);
                if !captured.is_empty() {
                    // Where a defender may be in the place of a hostile empty
                    // square, the next loop sees to the row.
                    decisive.clear();
                    let shielded = frame.shielded_ranks(&mv);
                    decisive.extend(shielded.map(|rank| (rank, options.decisive[rank as usize])));
                    for (decisive, &lanes) in options.decisive.iter_mut().zip(&*lanes) {
                        *decisive |= lanes & captured;
                    }
                    for &(rank, before) in decisive.iter() {
                        options.decisive[rank as usize] = before;
                    }
                }
                for rank in frame.shielded_ranks(&mv) {
                    let legal = lanes[rank as usize].without(mv.king_passed);
                    options.decisive[rank as usize] |= legal & frame.king_captures(&mv, rank);
                }
                self.attacker_captures(&mv, lanes, options);
            },
        );
    }

    /// The captures of defenders by one attacker move.
    fn attacker_captures(&self, mv: &AttackerMove<N>, lanes: &[Row<N>], options: &mut Options<N>) {
        let (frame, sets) = (self.frame, &self.frame.defenders);
        let threats: Vec<Threat> = frame.threats(mv).collect();
        let exact = frame.shielded_ranks(mv).next().is_some();
        let mut targets = [None; 3];
        let mut victims = Vec::with_capacity(threats.len());
        for (i, threat) in threats.iter().enumerate() {
            for &rank in sets.holding(threat.square) {
                let legal = lanes[rank as usize].without(mv.king_passed);
                let men = sets.men(rank);
                let earlier = || threats[..i].iter().any(|t| sets.is_among(men, t.square));
                // A row with several of the squares is seen to at the first.
                if legal.is_empty() || earlier() {
                    continue;
                }
                let king = if exact { frame.king_captures(mv, rank) } else { mv.king_captured };
                victims.clear();
                let there = threats[i..].iter().filter(|t| sets.is_among(men, t.square));
                victims.extend(there.filter_map(|t| t.victim(frame.is_backed(t, rank))));
                capture_groups(&frame.region, &victims, |lanes, captured| {
                    let lanes = lanes & legal.without(king);
                    if lanes.is_empty() {
                        return;
                    }
                    let number = captured.len() - 1;
                    let (child, fewer) = &self.children.fewer_defenders[number];
                    let target =
                        *targets[number].get_or_insert_with(|| child.attackers.target(mv.after));
                    let left = fewer.rank_but(men, captured);
                    let image = |g: Symmetry| fewer.images(g)[left as usize];
                    child.values(&frame.region, target, image, lanes, |code, lanes| {
                        options.capture(code, rank, lanes);
                    });
                });
            }
        }
    }

    fn defenders(&self, block: &Block<N>, scratch: &mut InitialScratch<N>) {
        self.defenders_that_move(block, scratch);
        self.defender_captures(block, scratch);
        self.king_captures(block, scratch);
    }

    fn defenders_that_move(&self, block: &Block<N>, scratch: &mut InitialScratch<N>) {
        let frame = self.frame;
        let InitialScratch { quiet, options: [_, options], .. } = scratch;
        let everywhere = Targets {
            rows: &block.valid,
            first_block: block.number,
            complement: false,
            blocks: None,
        };
        frame.defender_moves(block, everywhere, None, quiet, &mut options.stuck);
        for rank in 0..frame.block_rows() as u32 {
            let valid = block.valid[rank as usize];
            if valid.is_empty() {
                continue;
            }
            let free = frame.free(block, rank);
            let occupied = block.attackers | frame.defenders.set(rank);
            let escapes = frame.region.escapes(occupied, free);
            options.decisive[rank as usize] |= escapes;
            let stuck = &mut options.stuck[rank as usize];
            *stuck = stuck.without(escapes | frame.region.king_origins(valid, free));
        }
    }

    /// Every arrival of a defender that captures, spread to all the squares that
    /// he can have come from.
    fn defender_captures(&self, block: &Block<N>, scratch: &mut InitialScratch<N>) {
        let frame = self.frame;
        let board = frame.rules.board;
        let near: SquareSet = block.attackers.iter().flat_map(|s| board.neighbours(s)).collect();
        let stop = frame.rules.places(Kind::Defender) - block.attackers;
        let near: Vec<(usize, Square)> =
            (near & stop).iter().filter_map(|s| Some((frame.defenders.place(s)?, s))).collect();
        let InitialScratch { quiet, options: [_, options], values, .. } = scratch;
        frame.for_missing_defender(block, quiet, |_, occupied, quiet| {
            for &(place, to) in near.iter().filter(|(_, to)| !occupied.contains(*to)) {
                let ranks = &quiet.ranks;
                let rank = ranks[place];
                let defenders = (occupied - block.attackers).with(to);
                let soldiers = Soldiers { attackers: block.attackers, defenders };
                let victims: Vec<Victim> =
                    soldiers.victims(frame.rules, Side::Defenders, to).collect();
                values.clear();
                capture_groups(&frame.region, &victims, |lanes, captured| {
                    let lanes = lanes & block.valid[rank as usize];
                    self.after_attackers(block.attackers - captured, rank, lanes, values);
                });
                for &(code, lanes) in values.iter() {
                    self.spread(to, occupied, ranks, lanes, |origin, lanes| {
                        options.capture(code, origin, lanes & block.valid[origin as usize]);
                    });
                }
            }
        });
    }

    /// The values of positions with these attackers left, the attackers to move.
    fn after_attackers(
        &self,
        attackers: SquareSet,
        rank: u32,
        lanes: Row<N>,
        values: &mut Vec<(u16, Row<N>)>,
    ) {
        if lanes.is_empty() {
            return;
        }
        let captured = self.frame.slice.attackers - attackers.len();
        if attackers.is_empty() {
            return values.push((LOST_IN_0, lanes));
        }
        let image = |g: Symmetry| self.frame.defenders.images(g)[rank as usize];
        let child = &self.children.fewer_attackers[captured - 1];
        let target = child.attackers.target(attackers);
        child.values(&self.frame.region, target, image, lanes, |code, lanes| {
            values.push((code, lanes));
        });
    }

    /// Where a defender who arrives on `to` can have come from: calls `visit`
    /// with the rank of each origin's row and the lanes on which the king is
    /// not in the way.
    fn spread(
        &self,
        to: Square,
        occupied: SquareSet,
        ranks: &[u32],
        lanes: Row<N>,
        mut visit: impl FnMut(u32, Row<N>),
    ) {
        for ray in self.frame.rules.slides().to(Kind::Defender, to) {
            let mut lanes = lanes;
            for step in ray.iter().take_while(|step| !occupied.contains(step.square)) {
                lanes = lanes.without(self.frame.region.bit(step.square));
                if let Some(place) = self.frame.defenders.place(step.square)
                    && step.ends
                {
                    visit(ranks[place], lanes);
                }
            }
        }
    }

    /// Every arrival of the king that captures, spread to his origins.
    fn king_captures(&self, block: &Block<N>, scratch: &mut InitialScratch<N>) {
        let frame = self.frame;
        let arrivals = frame.quiet_arrivals(block.attackers);
        let InitialScratch { options: [_, options], values, .. } = scratch;
        for rank in 0..frame.block_rows() as u32 {
            let valid = block.valid[rank as usize];
            let helped = arrivals.king_helped(frame, frame.defenders.men(rank));
            let capturing = (!arrivals.king | helped) & valid;
            for lane in capturing.lanes() {
                let to = frame.region.square(lane);
                let end = Row::bit(lane);
                let origins = frame.region.king_origins(end, frame.free(block, rank));
                if origins.is_empty() {
                    continue;
                }
                let defenders = frame.defenders.set(rank);
                let soldiers = Soldiers { attackers: block.attackers, defenders };
                let captured: SquareSet = soldiers
                    .victims(frame.rules, Side::Defenders, to)
                    .filter(|victim| victim.without_king)
                    .map(|victim| victim.square)
                    .collect();
                values.clear();
                self.after_attackers(block.attackers - captured, rank, end, values);
                for &(code, _) in values.iter() {
                    options.capture(code, rank, origins);
                }
            }
        }
    }
}
