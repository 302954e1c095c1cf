//! The initial pass: visits each position once and finds, for both outcomes, what follows from its
//! captures, from a lack of moves and from the rules themselves.

use crate::game::board::{Square, SquareSet};
use crate::game::rules::{Kind, Side};
use crate::table::Code;

use crate::solve::captures::by_attackers::attacker_moves;
use crate::solve::captures::by_defenders::QuietArrivals;
use crate::solve::captures::groups::capture_groups_with_walls;
use crate::solve::captures::soldiers::{Threat, Victim};
use crate::solve::error::BuildError;
use crate::solve::frame::shieldwalls::{Wall, WallThreat};
use crate::solve::frame::wide_lines::WideSquare;
use crate::solve::frame::{Block, Frame};
use crate::solve::initial::attacker_captures::AttackerCaptures;
use crate::solve::initial::bare_kings::BareKings;
use crate::solve::initial::coded_rows::code_of;
use crate::solve::initial::enclosures::add_enclosures;
use crate::solve::initial::king_options::KingOptions;
use crate::solve::initial::seeds::{self, ImmediateMoves, Seeds};
use crate::solve::initial::sub_slice::{AttackerRows, LOST_IN_0, SubSlices};
use crate::solve::moves::Moves;
use crate::solve::moves::by_block::{self, BlockMoves, TargetSet, for_missing_defender};
use crate::solve::moves::by_king::KingRows;
use crate::solve::rows::numbers::{BlockNumber, Rank};
use crate::solve::rows::row::{Row, WIDE_ROWS};

/// The initial pass over a slice.
pub(crate) struct InitialPass<'a, const N: usize> {
    frame: &'a Frame<'a, N>,
    moves: &'a Moves<'a, N>,
    sub_slices: &'a SubSlices<'a, N>,
    king: KingOptions<'a, N>,
}

/// A square where a defending piece may capture, for one attacker set.
struct CaptureSquare<const N: usize> {
    to: Square,
    threats: Vec<Threat>,
    walls: Vec<WallThreat>,
    /// The sub-slice rows after each set of attackers captured there so far; `None` if no attacker
    /// is left.
    sub_slice_rows: Vec<(SquareSet, Option<AttackerRows<N>>)>,
}

/// Buffers that a worker of the initial pass reuses from block to block.
pub(crate) struct Buffers<'f, const N: usize> {
    pub(super) block_moves: BlockMoves<'f, N>,
    /// By defender rank.
    pub(super) lanes: Vec<Row<N>>,
    /// By defender rank: the lanes on which the king captures nothing.
    quiet: Vec<Row<N>>,
    /// By place of the missing defender.
    ranks: Vec<Rank>,
    pub(super) immediate: [ImmediateMoves<N>; 2],
    /// Old values of rows, while the king captures of one move are added.
    decisive: Vec<(Rank, Row<N>)>,
    /// For one arrival: the lanes by code.
    values: Vec<(Code, Row<N>)>,
    arrivals: Vec<CaptureSquare<N>>,
    /// By square of the board.
    squares: Vec<WideSquare<N>>,
}

/// The number of rows in [`Buffers`] for each row of a block, apart from those for the codes of
/// captures.
pub(crate) const BLOCK_ROWS: usize = by_block::BLOCK_ROWS + 2 * seeds::BLOCK_ROWS + 3;

impl<'a, const N: usize> InitialPass<'a, N> {
    /// Prepares the pass over the slice of the moves, given the slices that captures lead to.
    pub(crate) fn new(
        moves: &'a Moves<'a, N>,
        sub_slices: &'a SubSlices<'a, N>,
    ) -> InitialPass<'a, N> {
        let frame = moves.frame;
        InitialPass { frame, moves, sub_slices, king: KingOptions::new(frame) }
    }

    /// Creates buffers for one worker.
    pub(crate) fn buffers(&self) -> Buffers<'a, N> {
        Buffers {
            block_moves: BlockMoves::new(self.frame),
            lanes: Vec::new(),
            quiet: Vec::new(),
            ranks: Vec::new(),
            immediate: [(); 2].map(|()| {
                ImmediateMoves::new(self.frame.block_rows(), self.sub_slices.greatest_code())
            }),
            decisive: Vec::new(),
            values: Vec::new(),
            arrivals: Vec::new(),
            squares: Vec::new(),
        }
    }

    /// Finds the seeds of a range of blocks, by winner.
    ///
    /// # Errors
    /// If a smaller slice cannot be read. Only one of several workers may get the error.
    pub(crate) fn run(
        &self,
        blocks: std::ops::Range<usize>,
        buffers: &mut Buffers<N>,
    ) -> Result<[Seeds<N>; 2], BuildError> {
        let mut seeds = [0, 1].map(|_| Seeds::new(self.sub_slices.greatest_code()));
        let mut walker = self.frame.walker();
        let group_size = if self.moves.kings.is_some() { WIDE_ROWS } else { 1 };
        let mut buffer = vec![Block::default(); group_size];
        for first in blocks.clone().step_by(group_size) {
            let numbers = first..blocks.end.min(first + group_size);
            let group = &mut buffer[..numbers.len()];
            for (number, block) in numbers.map(BlockNumber::new).zip(&mut *group) {
                self.frame.load_block(number, walker.set(number.into()).0, block);
            }
            match &self.moves.kings {
                Some(kings) => self.bare_king_blocks(kings, group, buffers, &mut seeds),
                None => self.general_block(&group[0], buffers, &mut seeds),
            }
        }
        self.sub_slices.check()?;
        Ok(seeds)
    }

    /// Adds the seeds of a block that may have defenders.
    fn general_block(&self, block: &Block<N>, buffers: &mut Buffers<N>, seeds: &mut [Seeds<N>; 2]) {
        buffers.immediate.iter_mut().for_each(|immediate| immediate.clear(&block.valid));
        self.attackers(block, buffers);
        self.defenders(block, buffers);
        add_enclosures(self.frame, block, buffers);
        add(block, &buffers.immediate, seeds);
    }

    /// Handles blocks without defenders: attackers capture nothing but the king, and only the king
    /// captures attackers.
    fn bare_king_blocks(
        &self,
        kings: &KingRows<N>,
        blocks: &[Block<N>],
        buffers: &mut Buffers<N>,
        seeds: &mut [Seeds<N>; 2],
    ) {
        let found = BareKings::find(self.frame, blocks, &mut buffers.squares);
        for (i, block) in blocks.iter().enumerate() {
            let valid = block.valid[0];
            let [attackers, defenders] = &mut buffers.immediate;
            attackers.clear(&block.valid);
            defenders.clear(&block.valid);
            attackers.stalemates[0] = self.moves.rows.stalemates(block.attackers, valid);
            attackers.decisive[0] = found.captured.row(i);
            defenders.stalemates[0] = found.stalemates.row(i);
            defenders.decisive[0] = found.escaped.row(i);
            // Captures by the king need the sub-slices; few lanes have any.
            let capturing = valid.without(kings.quiet(block.attackers));
            if !capturing.is_empty() {
                let to = capturing.lanes().map(|lane| self.frame.region.square(lane));
                self.threats(block, to.collect(), &mut buffers.arrivals);
                self.row_captures_by_king(block, Rank::FIRST, capturing, buffers);
            }
            add_enclosures(self.frame, block, buffers);
            add(block, &buffers.immediate, seeds);
        }
    }

    /// Adds the stalemates and captures of the attackers.
    fn attackers(&self, block: &Block<N>, buffers: &mut Buffers<N>) {
        let frame = self.frame;
        let Buffers { lanes, immediate: [immediate, _], decisive, .. } = buffers;
        let mut any_stalemates = true;
        attacker_moves(
            frame,
            block,
            lanes,
            |_, _| Some(()),
            |(), mv, lanes| {
                // Few positions have no move, so this ends early in most blocks.
                if any_stalemates {
                    let mut left = Row::EMPTY;
                    for (stalemates, &lanes) in immediate.stalemates.iter_mut().zip(&*lanes) {
                        *stalemates = stalemates.without(lanes.without(mv.king_in_way));
                        left |= *stalemates;
                    }
                    any_stalemates = !left.is_empty();
                }
                mv.add_king_captures(frame, lanes, &mut immediate.decisive, decisive);
                AttackerCaptures::new(frame, self.sub_slices, &mv, immediate).add(lanes);
            },
        );
    }

    /// Adds the stalemates, escapes and captures of the defenders.
    fn defenders(&self, block: &Block<N>, buffers: &mut Buffers<N>) {
        self.defender_stalemates(block, buffers);
        let board = self.frame.rules.board;
        let near: SquareSet = block.attackers.iter().flat_map(|s| board.neighbours(s)).collect();
        self.threats(block, near - block.attackers, &mut buffers.arrivals);
        self.defender_captures(block, buffers);
        self.captures_by_king(block, buffers);
    }

    /// Removes the lanes with a move from the stalemates, and adds the escapes.
    fn defender_stalemates(&self, block: &Block<N>, buffers: &mut Buffers<N>) {
        let Buffers { block_moves, immediate: [_, immediate], .. } = buffers;
        let everywhere = TargetSet {
            rows: &block.valid,
            first_block: block.number,
            complement: false,
            blocks: None,
        };
        block_moves.defender_moves(block, everywhere, None, &mut immediate.stalemates);
        self.king.add(block, immediate);
    }

    /// Finds the threats of a defending piece that arrives on these squares.
    fn threats(&self, block: &Block<N>, squares: SquareSet, arrivals: &mut Vec<CaptureSquare<N>>) {
        let Frame { rules, walls, .. } = self.frame;
        let (mover, attackers) = (Side::Defenders, block.attackers);
        arrivals.clear();
        arrivals.extend(squares.iter().filter_map(|to| {
            let threats: Vec<Threat> = Threat::by_arrival(rules, mover, attackers, to).collect();
            let walls: Vec<WallThreat> = walls.threats(mover, attackers, to).collect();
            let captures = !threats.is_empty() || !walls.is_empty();
            captures.then(|| CaptureSquare { to, threats, walls, sub_slice_rows: Vec::new() })
        }));
    }

    /// Adds the captures of every arriving defender, spread to all squares from which it may have
    /// come.
    fn defender_captures(&self, block: &Block<N>, buffers: &mut Buffers<N>) {
        let frame = self.frame;
        let stop = frame.rules.places(Kind::Defender);
        let Buffers { ranks, immediate: [_, immediate], values, arrivals, .. } = buffers;
        let mut victims: Vec<Victim> = Vec::new();
        let mut walls: Vec<Wall> = Vec::new();
        for_missing_defender(frame, block, ranks, |_, occupied, ranks| {
            let free = stop - occupied;
            for arrival in arrivals.iter_mut().filter(|arrival| free.contains(arrival.to)) {
                let Some(place) = frame.defenders.place(arrival.to) else { continue };
                let rank = ranks[place];
                let valid = block.valid[rank.index()];
                victims.clear();
                victims.extend(arrival.threats.iter().filter_map(|threat| {
                    threat.victim(threat.can_be_backed && occupied.contains(threat.anvil))
                }));
                walls.clear();
                walls.extend(arrival.walls.iter().filter_map(|threat| threat.wall(occupied)));
                values.clear();
                let CaptureSquare { sub_slice_rows, to, .. } = arrival;
                capture_groups_with_walls(&frame.region, &victims, &walls, |lanes, captured| {
                    let rows = self.rows_after(sub_slice_rows, block.attackers, captured);
                    self.add_values(rows, rank, lanes & valid, values);
                });
                // The values depend on the destination only, so every origin shares them.
                for &(code, lanes) in values.iter() {
                    self.for_each_origin(*to, occupied, ranks, lanes, |origin, free| {
                        let valid = free & block.valid[origin.index()];
                        if !valid.is_empty() {
                            immediate.add_capture(code, origin, valid);
                        }
                    });
                }
            }
        });
    }

    /// Returns the sub-slice rows after a capture of attackers; `None` if no attacker is left.
    /// `known` caches the results.
    fn rows_after<'k>(
        &self,
        known: &'k mut Vec<(SquareSet, Option<AttackerRows<N>>)>,
        attackers: SquareSet,
        captured: SquareSet,
    ) -> Option<&'k AttackerRows<N>> {
        let at = known.iter().position(|(set, _)| *set == captured).unwrap_or_else(|| {
            let left = attackers - captured;
            let children = &self.sub_slices.fewer_attackers;
            let child = (!left.is_empty()).then(|| children.get(captured.len() - 1)).flatten();
            known.push((captured, child.map(|child| child.rows_of(left))));
            known.len() - 1
        });
        known[at].1.as_ref()
    }

    /// Adds the values of positions after a capture of attackers, with the attackers to move.
    fn add_values(
        &self,
        rows: Option<&AttackerRows<N>>,
        rank: Rank,
        lanes: Row<N>,
        values: &mut Vec<(Code, Row<N>)>,
    ) {
        if lanes.is_empty() {
            return;
        }
        let Some(rows) = rows else {
            return values.push((code_of(LOST_IN_0), lanes));
        };
        rows.values(
            &self.frame.region,
            |g| self.frame.defenders.images(g)[rank.index()],
            lanes,
            |code, lanes| values.push((code, lanes)),
        );
    }

    /// Calls `visit` for every origin of a defender that arrives on `to`, with the rank of its row
    /// and the lanes on which the king is not in the way.
    fn for_each_origin(
        &self,
        to: Square,
        occupied: SquareSet,
        ranks: &[Rank],
        lanes: Row<N>,
        mut visit: impl FnMut(Rank, Row<N>),
    ) {
        for ray in self.frame.rules.slides().to(Kind::Defender, to) {
            let mut free = lanes;
            for step in ray.iter().take_while(|step| !occupied.contains(step.square)) {
                free = free.without(self.frame.region.bit(step.square));
                if let Some(place) = self.frame.defenders.place(step.square)
                    && step.ends
                {
                    visit(ranks[place], free);
                }
            }
        }
    }

    /// Adds the captures of the arriving king, spread to all its origins.
    fn captures_by_king(&self, block: &Block<N>, buffers: &mut Buffers<N>) {
        let frame = self.frame;
        let arrivals = QuietArrivals::new(frame, block.attackers);
        buffers.quiet.clear();
        buffers.quiet.extend(block.valid.iter().map(|&valid| valid & arrivals.king));
        arrivals.remove_assisted(frame, &mut buffers.quiet);
        for (rank, valid) in frame.defenders.ranks().zip(&block.valid) {
            let capturing = valid.without(buffers.quiet[rank.index()]);
            self.row_captures_by_king(block, rank, capturing, buffers);
        }
    }

    /// Adds the captures of the king that arrives on one of the `capturing` lanes of a row.
    fn row_captures_by_king(
        &self,
        block: &Block<N>,
        rank: Rank,
        capturing: Row<N>,
        buffers: &mut Buffers<N>,
    ) {
        let frame = self.frame;
        let Buffers { immediate: [_, immediate], values, arrivals, .. } = buffers;
        for lane in capturing.lanes() {
            let to = frame.region.square(lane);
            let end = Row::bit(lane);
            let origins = frame.region.king_origins(end, frame.free(block, rank));
            let Some(CaptureSquare { threats, walls, sub_slice_rows, .. }) =
                arrivals.iter_mut().find(|arrival| arrival.to == to)
            else {
                continue;
            };
            if origins.is_empty() {
                continue;
            }
            // The king has moved, so it is not on the anvil itself.
            let mut captured: SquareSet = threats
                .iter()
                .filter_map(|threat| threat.victim(threat.is_backed(&frame.defenders, rank)))
                .filter(|victim| victim.without_king)
                .map(|victim| victim.square)
                .collect();
            for threat in &*walls {
                captured |= threat.victims_of_king(frame.defenders.set(rank));
            }
            let rows = self.rows_after(sub_slice_rows, block.attackers, captured);
            values.clear();
            self.add_values(rows, rank, end, values);
            for &(code, _) in values.iter() {
                immediate.add_capture(code, rank, origins);
            }
        }
    }
}

/// Adds the immediate results of both sides in a block to the seeds of both outcomes.
fn add<const N: usize>(
    block: &Block<N>,
    [attackers, defenders]: &[ImmediateMoves<N>; 2],
    [by_attackers, by_defenders]: &mut [Seeds<N>; 2],
) {
    by_attackers.add(block, attackers, defenders);
    by_defenders.add(block, defenders, attackers);
}
