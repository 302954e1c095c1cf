//! The initial pass: what each position's captures, its lack of moves and the
//! rules themselves say, for both outcomes in one visit.

use crate::game::board::{Square, SquareSet, Symmetry};
use crate::game::rules::{Kind, Side};
use crate::table::Code;

use crate::solve::captures::by_attackers::{AttackerMove, attacker_moves};
use crate::solve::captures::by_defenders::QuietArrivals;
use crate::solve::captures::soldiers::{Threat, Victim, capture_groups};
use crate::solve::error::BuildError;
use crate::solve::frame::wide_lines::WideSquare;
use crate::solve::frame::{Block, Frame};
use crate::solve::initial::bare_kings::BareKings;
use crate::solve::initial::coded_rows::code_of;
use crate::solve::initial::king_options::KingOptions;
use crate::solve::initial::seeds::{ImmediateMoves, Seeds};
use crate::solve::initial::sub_slice::{AttackerRows, LOST_IN_0, SubSlices};
use crate::solve::moves::Moves;
use crate::solve::moves::by_block::{BlockMoves, TargetSet, for_missing_defender};
use crate::solve::moves::by_king::KingRows;
use crate::solve::rows::numbers::{BlockNumber, Rank};
use crate::solve::rows::row::{Row, Wide};

/// The initial pass over a slice.
pub(crate) struct InitialPass<'a, const N: usize> {
    frame: &'a Frame<'a, N>,
    moves: &'a Moves<'a, N>,
    sub_slices: &'a SubSlices<'a, N>,
    king: KingOptions<'a, N>,
}

/// A square where defending pieces may capture, for one attacker set.
struct Arrival<const N: usize> {
    to: Square,
    threats: Vec<Threat>,
    /// For the attackers captured there so far: the rows with the others; `None` if there
    /// are none.
    after: Vec<(SquareSet, Option<AttackerRows<N>>)>,
}

/// What a worker of the initial pass reuses from block to block.
pub(crate) struct Buffers<'f, const N: usize> {
    block_moves: BlockMoves<'f, N>,
    /// By defender rank.
    lanes: Vec<Row<N>>,
    /// By defender rank: where the king captures nothing.
    quiet: Vec<Row<N>>,
    /// By a missing defender's place.
    ranks: Vec<Rank>,
    immediate: [ImmediateMoves<N>; 2],
    /// Rows as they were before the captures of the king by one move.
    decisive: Vec<(Rank, Row<N>)>,
    /// For one arrival: the lanes by code.
    values: Vec<(Code, Row<N>)>,
    arrivals: Vec<Arrival<N>>,
    /// By square of the board.
    squares: Vec<WideSquare<N>>,
}

impl<const N: usize> Buffers<'_, N> {
    /// How many rows they have for each row of a block, besides those for codes that
    /// captures lead to.
    pub(crate) const BLOCK_ROWS: usize =
        BlockMoves::<N>::BLOCK_ROWS + 2 * ImmediateMoves::<N>::BLOCK_ROWS + 3;
}

impl<'a, const N: usize> InitialPass<'a, N> {
    /// The pass over the frame's slice, with the slices that it leads to.
    pub(crate) fn new(
        frame: &'a Frame<'a, N>,
        moves: &'a Moves<'a, N>,
        sub_slices: &'a SubSlices<'a, N>,
    ) -> InitialPass<'a, N> {
        InitialPass { frame, moves, sub_slices, king: KingOptions::new(frame) }
    }

    /// Buffers for one worker.
    pub(crate) fn buffers(&self) -> Buffers<'a, N> {
        let immediate =
            || ImmediateMoves::new(self.frame.block_rows(), self.sub_slices.greatest_code());
        Buffers {
            block_moves: BlockMoves::new(self.frame),
            lanes: Vec::new(),
            quiet: Vec::new(),
            ranks: Vec::new(),
            immediate: [immediate(), immediate()],
            decisive: Vec::new(),
            values: Vec::new(),
            arrivals: Vec::new(),
            squares: Vec::new(),
        }
    }

    /// Everything for a range of blocks, by winner.
    ///
    /// # Errors
    /// If a smaller slice cannot be read. Of several workers only one may be told.
    pub(crate) fn run(
        &self,
        blocks: std::ops::Range<usize>,
        buffers: &mut Buffers<N>,
    ) -> Result<[Seeds<N>; 2], BuildError> {
        let mut seeds = [0, 1].map(|_| Seeds::new(self.sub_slices.greatest_code()));
        let mut walker = self.frame.walker();
        let together = if self.moves.kings.is_some() { Wide::<N>::ROWS } else { 1 };
        let mut room = vec![Block::EMPTY; together];
        for first in blocks.clone().step_by(together) {
            let blocks = first..blocks.end.min(first + together);
            let room = &mut room[..blocks.len()];
            for (number, block) in blocks.map(BlockNumber::new).zip(&mut *room) {
                self.frame.load_block(number, walker.set(number.into()).0, block);
            }
            match &self.moves.kings {
                Some(kings) => self.bare_kings(kings, room, buffers, &mut seeds),
                None => self.one_block(&room[0], buffers, &mut seeds),
            }
        }
        self.sub_slices.check()?;
        Ok(seeds)
    }

    fn one_block(&self, block: &Block<N>, buffers: &mut Buffers<N>, seeds: &mut [Seeds<N>; 2]) {
        buffers.immediate.iter_mut().for_each(|immediate| immediate.clear(&block.valid));
        self.attackers(block, buffers);
        self.defenders(block, buffers);
        add(block, &buffers.immediate, seeds);
    }

    /// Attackers capture nothing but the king, and only the king captures them.
    fn bare_kings(
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
            let capturing = valid.without(kings.quiet(block.attackers));
            if !capturing.is_empty() {
                let to = capturing.lanes().map(|lane| self.frame.region.square(lane));
                self.threats(block, to.collect(), &mut buffers.arrivals);
                self.captures_by_king_of_row(block, Rank::FIRST, capturing, buffers);
            }
            add(block, &buffers.immediate, seeds);
        }
    }

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
                if any_stalemates {
                    let mut left = Row::EMPTY;
                    for (stalemates, &lanes) in immediate.stalemates.iter_mut().zip(&*lanes) {
                        *stalemates = stalemates.without(lanes.without(mv.king_in_way));
                        left |= *stalemates;
                    }
                    any_stalemates = !left.is_empty();
                }
                mv.add_king_captures(frame, lanes, &mut immediate.decisive, decisive);
                self.attacker_captures(&mv, lanes, immediate);
            },
        );
    }

    /// The captures of defenders by one attacker move.
    fn attacker_captures(
        &self,
        mv: &AttackerMove<N>,
        lanes: &[Row<N>],
        immediate: &mut ImmediateMoves<N>,
    ) {
        let (frame, sets) = (self.frame, &self.frame.defenders);
        let threats: Vec<Threat> = mv.threats(frame).collect();
        let exact = mv.shielded_ranks(frame).next().is_some();
        let mut of_attackers = [const { None }; 3];
        let mut victims = Vec::with_capacity(threats.len());
        for (i, threat) in threats.iter().enumerate() {
            for &rank in sets.ranks_holding(threat.square) {
                let legal = lanes[rank.index()].without(mv.king_in_way);
                let men = sets.men(rank);
                let earlier = || threats[..i].iter().any(|t| sets.has_man_on(men, t.square));
                // A row with several of the squares is seen to at the first.
                if legal.is_empty() || earlier() {
                    continue;
                }
                let king = if exact { mv.king_captures(frame, rank) } else { mv.king_captured };
                victims.clear();
                let there = threats[i..].iter().filter(|t| sets.has_man_on(men, t.square));
                victims.extend(there.filter_map(|t| t.victim(t.is_backed(sets, rank))));
                capture_groups(&frame.region, &victims, |lanes, captured| {
                    let lanes = lanes & legal.without(king);
                    if lanes.is_empty() {
                        return;
                    }
                    let number = captured.len() - 1;
                    let child = &self.sub_slices.fewer_defenders[number];
                    let rows = of_attackers[number].get_or_insert_with(|| child.of(mv.after));
                    let fewer = &child.frame.defenders;
                    let left = fewer.rank_without(men, captured);
                    let image = |g: Symmetry| fewer.images(g)[left.index()];
                    rows.values(&frame.region, image, lanes, |code, lanes| {
                        immediate.add_capture(code, rank, lanes);
                    });
                });
            }
        }
    }

    fn defenders(&self, block: &Block<N>, buffers: &mut Buffers<N>) {
        self.defenders_that_move(block, buffers);
        let near = block.attackers.iter().flat_map(|s| self.frame.rules.board.neighbours(s));
        let near = near.collect::<SquareSet>() - block.attackers;
        self.threats(block, near, &mut buffers.arrivals);
        self.defender_captures(block, buffers);
        self.captures_by_king(block, buffers);
    }

    fn defenders_that_move(&self, block: &Block<N>, buffers: &mut Buffers<N>) {
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

    /// What a defending piece threatens by arriving on these squares.
    fn threats(&self, block: &Block<N>, squares: SquareSet, arrivals: &mut Vec<Arrival<N>>) {
        let rules = self.frame.rules;
        arrivals.clear();
        arrivals.extend(squares.iter().filter_map(|to| {
            let threats = Threat::by_arrival(rules, Side::Defenders, block.attackers, to);
            let threats: Vec<Threat> = threats.collect();
            (!threats.is_empty()).then(|| Arrival { to, threats, after: Vec::new() })
        }));
    }

    /// Every arrival of a defender that captures, spread to all the squares that
    /// he can have come from.
    fn defender_captures(&self, block: &Block<N>, buffers: &mut Buffers<N>) {
        let frame = self.frame;
        let stop = frame.rules.places(Kind::Defender);
        let Buffers { ranks, immediate: [_, immediate], values, arrivals, .. } = buffers;
        let mut victims: Vec<Victim> = Vec::new();
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
                values.clear();
                let Arrival { after, to, .. } = arrival;
                capture_groups(&frame.region, &victims, |lanes, captured| {
                    let after = self.after(after, block.attackers, captured);
                    self.after_attackers(after, rank, lanes & valid, values);
                });
                for &(code, lanes) in values.iter() {
                    self.spread(*to, occupied, ranks, lanes, |origin, lanes| {
                        let lanes = lanes & block.valid[origin.index()];
                        if !lanes.is_empty() {
                            immediate.add_capture(code, origin, lanes);
                        }
                    });
                }
            }
        });
    }

    /// The rows with the attackers after the capture of some; `None` if none are left.
    /// `known` are the answers so far.
    fn after<'k>(
        &self,
        known: &'k mut Vec<(SquareSet, Option<AttackerRows<N>>)>,
        attackers: SquareSet,
        captured: SquareSet,
    ) -> Option<&'k AttackerRows<N>> {
        let at = known.iter().position(|(set, _)| *set == captured).unwrap_or_else(|| {
            let left = attackers - captured;
            let child = self.sub_slices.fewer_attackers.get(captured.len() - 1);
            let child = child.filter(|_| !left.is_empty());
            known.push((captured, child.map(|child| child.of(left))));
            known.len() - 1
        });
        known[at].1.as_ref()
    }

    /// The values of positions after a capture of attackers, the attackers to
    /// move.
    fn after_attackers(
        &self,
        after: Option<&AttackerRows<N>>,
        rank: Rank,
        lanes: Row<N>,
        values: &mut Vec<(Code, Row<N>)>,
    ) {
        if lanes.is_empty() {
            return;
        }
        let Some(rows) = after else {
            return values.push((code_of(LOST_IN_0), lanes));
        };
        let image = |g: Symmetry| self.frame.defenders.images(g)[rank.index()];
        rows.values(&self.frame.region, image, lanes, |code, lanes| values.push((code, lanes)));
    }

    /// Where a defender who arrives on `to` can have come from: calls `visit`
    /// with the rank of each origin's row and the lanes on which the king is
    /// not in the way.
    fn spread(
        &self,
        to: Square,
        occupied: SquareSet,
        ranks: &[Rank],
        lanes: Row<N>,
        mut visit: impl FnMut(Rank, Row<N>),
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
    fn captures_by_king(&self, block: &Block<N>, buffers: &mut Buffers<N>) {
        let frame = self.frame;
        let arrivals = QuietArrivals::new(frame, block.attackers);
        buffers.quiet.clear();
        buffers.quiet.extend(block.valid.iter().map(|&valid| valid & arrivals.king));
        arrivals.remove_assisted(frame, &mut buffers.quiet);
        for (rank, valid) in frame.defenders.ranks().zip(&block.valid) {
            let capturing = valid.without(buffers.quiet[rank.index()]);
            self.captures_by_king_of_row(block, rank, capturing, buffers);
        }
    }

    fn captures_by_king_of_row(
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
            let arrival = arrivals.iter_mut().find(|arrival| arrival.to == to);
            let Some(Arrival { threats, after, .. }) = arrival else { continue };
            if origins.is_empty() {
                continue;
            }
            // He is not on the anvil himself.
            let backed = |threat: &Threat| threat.is_backed(&frame.defenders, rank);
            let victims = threats.iter().filter_map(|t| t.victim(backed(t)));
            let victims = victims.filter(|victim| victim.without_king);
            let captured = victims.map(|victim| victim.square).collect();
            let after = self.after(after, block.attackers, captured);
            values.clear();
            self.after_attackers(after, rank, end, values);
            for &(code, _) in values.iter() {
                immediate.add_capture(code, rank, origins);
            }
        }
    }
}

/// Adds what both sides can do in a block to the seeds of both outcomes.
fn add<const N: usize>(
    block: &Block<N>,
    [attackers, defenders]: &[ImmediateMoves<N>; 2],
    [by_attackers, by_defenders]: &mut [Seeds<N>; 2],
) {
    by_attackers.add(block, attackers, defenders);
    by_defenders.add(block, defenders, attackers);
}
