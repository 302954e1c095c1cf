//! Moves of single rows, for blocks in which few rows change: the work is proportional to their
//! number, while the kernels for whole blocks visit all rows.

use bitvec::vec::BitVec;

use crate::game::board::{Direction, Square, SquareSet, SymmetryGroup};
use crate::game::rules::{Kind, Ruleset, Side};
use crate::index::{AttackerSets, Walker};

use crate::solve::captures::by_attackers::{quiet_arrival, shields_around};
use crate::solve::captures::soldiers::{Exposed, Soldiers, exposed};
use crate::solve::frame::Frame;
use crate::solve::frame::block_lookup::{PendingLookup, PreparedSet};
use crate::solve::rows::numbers::{BlockNumber, Rank};
use crate::solve::rows::row::{Row, WIDE_ROWS, Wide, map_eight};
use crate::solve::rows::simd::{self, Kernel, Processor};
use crate::system::parallel;
use crate::system::prefetch::prefetch;

/// The data of a slice that moves of single rows need.
pub(crate) struct RowMoves<'f, const N: usize> {
    frame: &'f Frame<'f, N>,
    /// By square of arrival: the squares where defenders may affect the captures of attackers.
    capture_zone: Vec<SquareSet>,
    /// The blocks whose attackers a symmetry other than the identity leaves unchanged.
    symmetric: BitVec,
    /// The ways in which the king can capture attackers without a defender's help.
    exposed: Vec<Exposed>,
}

/// The defender rank of a row in a block, and some of the row's lanes.
pub(crate) type RankLanes<const N: usize> = (Rank, Row<N>);

/// Lanes of a row from which an attacker has moved, while the lookup of the row is pending.
pub(crate) struct Unmove<const N: usize> {
    origin: PendingLookup,
    /// The rank and the lanes are those on the board after the un-move, not yet mapped by the
    /// symmetry that makes the attackers canonical.
    rank: Rank,
    lanes: Row<N>,
}

/// A move of an attacker over these squares, while the lookup of its destination is pending.
#[derive(Clone, Copy)]
struct PendingMove<const N: usize> {
    to: Square,
    passed: SquareSet,
    /// The lanes of a king on these squares.
    kings: Row<N>,
    lookup: PendingLookup,
}

/// Buffers that a worker reuses from block to block.
#[derive(Default)]
pub(crate) struct RowBuffers<const N: usize> {
    prepared: PreparedSet,
    /// Rows in which the attacker captured nothing on arrival.
    quiet: Vec<RankLanes<N>>,
    /// The squares of a line that the attacker may have passed, with the pending lookups of those
    /// where it may have started.
    line: Vec<(Square, Option<PendingLookup>)>,
    pending_moves: Vec<PendingMove<N>>,
}

impl<'f, const N: usize> RowMoves<'f, N> {
    /// Collects the data of a slice.
    pub(crate) fn new(frame: &'f Frame<'f, N>) -> RowMoves<'f, N> {
        RowMoves {
            frame,
            capture_zone: frame.rules.board.squares().map(|to| capture_zone(frame, to)).collect(),
            symmetric: symmetric_blocks(frame.attackers.sets()),
            exposed: exposed(frame.rules).collect(),
        }
    }

    /// Returns the lanes on which an attacker that has arrived on `to` captures nothing.
    #[inline]
    pub(crate) fn quiet(&self, after: SquareSet, to: Square, rank: Rank) -> Row<N> {
        let capture_zone = &self.capture_zone[to.index()];
        let sets = &self.frame.defenders;
        let men = sets.men(rank);
        if sets.any_on(men, *capture_zone) {
            return quiet_arrival(self.frame, after, to, rank);
        }
        !self.frame.king_captures.by_arrival(after, to)
    }

    /// Adds the rows and lanes from which an attacker has a quiet move to one of these rows of the
    /// block with `attackers`. Of the images of a row under the symmetries of its attackers, at
    /// least one is added.
    pub(crate) fn attacker_unmoves(
        &self,
        attackers: SquareSet,
        rows: &[RankLanes<N>],
        buffers: &mut RowBuffers<N>,
        unmoves: &mut Vec<Unmove<N>>,
    ) {
        let (frame, sets) = (self.frame, &self.frame.defenders);
        let RowBuffers { prepared, quiet, line, .. } = buffers;
        frame.attackers.prepare(attackers, prepared);
        for to in attackers {
            // Only quiet arrivals can be un-moved: captures lead here from other slices.
            quiet.clear();
            quiet.extend(rows.iter().filter_map(|&(rank, lanes)| {
                let quiet_lanes = lanes & self.quiet(attackers, to, rank);
                (!quiet_lanes.is_empty()).then_some((rank, quiet_lanes))
            }));
            if quiet.is_empty() {
                continue;
            }
            for ray in frame.rules.slides().to(Kind::Attacker, to) {
                // All rows of the block share the lookups of a line, which cost most.
                line.clear();
                for step in ray.iter().take_while(|step| !attackers.contains(step.square)) {
                    let from = step.square;
                    let origin =
                        step.ends.then(|| frame.attackers.begin_lookup(prepared, to, from));
                    line.push((from, origin));
                }
                for &(rank, mut lanes) in &*quiet {
                    let men = sets.men(rank);
                    for &(square, origin) in &*line {
                        lanes = lanes.without(frame.region.bit(square));
                        if lanes.is_empty() || sets.has_man_on(men, square) {
                            break;
                        }
                        if let Some(origin) = origin {
                            unmoves.push(Unmove { origin, rank, lanes });
                        }
                    }
                }
            }
        }
    }

    /// Calls `visit` with the stored rows and lanes of un-moves.
    pub(crate) fn resolve_unmoves(
        &self,
        unmoves: &[Unmove<N>],
        visit: impl FnMut(BlockNumber, Rank, Row<N>),
    ) {
        simd::run(ResolveKernel { frame: self.frame, unmoves, visit });
    }

    /// Removes from the rows of a block the lanes on which an attacker has a quiet move to a
    /// position that is not in `table`; rows without lanes are dropped.
    pub(crate) fn remove_attacker_escapes(
        &self,
        attackers: SquareSet,
        table: &[Row<N>],
        rows: &mut Vec<RankLanes<N>>,
        buffers: &mut RowBuffers<N>,
    ) {
        let frame = self.frame;
        let sets = &frame.defenders;
        let RowBuffers { prepared, pending_moves, .. } = buffers;
        frame.attackers.prepare(attackers, prepared);
        for from in attackers {
            rows.retain(|(_, lanes)| !lanes.is_empty());
            if rows.is_empty() {
                return;
            }
            // Prefetching for all moves of a man at once overlaps their cache misses.
            pending_moves.clear();
            for ray in frame.rules.slides().from(Kind::Attacker, from) {
                let (mut passed, mut kings) = (SquareSet::EMPTY, Row::EMPTY);
                for step in ray.iter().take_while(|step| !attackers.contains(step.square)) {
                    let to = step.square;
                    passed.insert(to);
                    kings |= frame.region.bit(to);
                    if step.ends {
                        let lookup = frame.attackers.begin_lookup(prepared, from, to);
                        pending_moves.push(PendingMove { to, passed, kings, lookup });
                    }
                }
            }
            for PendingMove { lookup, .. } in &*pending_moves {
                prefetch(&table[frame.first_row(frame.attackers.resolve(*lookup).block)]);
            }
            for &PendingMove { to, passed, kings, lookup } in &*pending_moves {
                let target = frame.attackers.resolve(lookup);
                let images = frame.defenders.images(target.symmetry);
                let first = frame.first_row(target.block);
                for (rank, lanes) in rows.iter_mut() {
                    let candidates = lanes.without(kings);
                    if candidates.is_empty() || sets.any_on(sets.men(*rank), passed) {
                        continue;
                    }
                    // Most moves lead into the table, so the lookup comes before the captures,
                    // which cost more.
                    let known = table[first + images[rank.index()].index()];
                    let safe = candidates.without(frame.region.transform(target.inverse, known));
                    if !safe.is_empty() {
                        let quiet = self.quiet(attackers.without(from).with(to), to, *rank);
                        *lanes = lanes.without(safe & quiet);
                    }
                }
            }
        }
        rows.retain(|(_, lanes)| !lanes.is_empty());
    }

    /// Returns the lanes of a row without defenders on which no attacker can move.
    pub(crate) fn stalemates(&self, attackers: SquareSet, mut lanes: Row<N>) -> Row<N> {
        for from in attackers {
            for ray in self.frame.rules.slides().from(Kind::Attacker, from) {
                let mut passed = Row::EMPTY;
                for step in ray.iter().take_while(|step| !attackers.contains(step.square)) {
                    passed |= self.frame.region.bit(step.square);
                    if step.ends {
                        lanes &= passed;
                    }
                }
                if lanes.is_empty() {
                    return lanes;
                }
            }
        }
        lanes
    }

    /// Returns the lanes of a row on which the king, arriving there, captures nothing.
    pub(crate) fn quiet_king(&self, attackers: SquareSet, rank: Rank) -> Row<N> {
        let (rules, region) = (self.frame.rules, &self.frame.region);
        let men = self.frame.defenders.men(rank);
        let soldiers = Soldiers { attackers, defenders: self.frame.defenders.set(rank) };
        let mut quiet = !Row::EMPTY;
        if !rules.king_armed {
            return quiet;
        }
        for (to, threat) in self.frame.walls.threats_around(attackers) {
            if !threat.victims_of_king(soldiers.defenders).is_empty() {
                quiet = quiet.without(region.bit(to));
            }
        }
        for &Exposed { attacker, to, anvil } in &self.exposed {
            if is_captured_by_king(rules, &soldiers, attacker, anvil) {
                quiet = quiet.without(region.bit(to));
            }
        }
        for &place in men {
            let anvil = self.frame.defenders.squares[usize::from(place)];
            for direction in Direction::ALL {
                let attacker = rules.slides().next(anvil, direction);
                let to = attacker.and_then(|square| rules.slides().next(square, direction));
                if let Some((attacker, to)) = attacker.zip(to)
                    && is_captured_by_king(rules, &soldiers, attacker, anvil)
                {
                    quiet = quiet.without(region.bit(to));
                }
            }
        }
        quiet
    }

    /// Calls `visit` with the rows, by rank, and lanes of the block from which the king or a
    /// defender has a quiet move to these lanes of one of its rows.
    pub(crate) fn defender_unmoves(
        &self,
        attackers: SquareSet,
        (rank, lanes): RankLanes<N>,
        mut visit: impl FnMut(Rank, Row<N>),
    ) {
        let frame = self.frame;
        let (sets, men) = (&frame.defenders, frame.defenders.men(rank));
        let soldiers = Soldiers { attackers, defenders: sets.set(rank) };
        let free = !(frame.region.row(attackers) | frame.defender_lanes[rank.index()]);
        let ends = lanes & self.quiet_king(attackers, rank);
        visit(rank, frame.region.king_origins(ends, free));
        let occupied = attackers | soldiers.defenders;
        for &place in men {
            let to = sets.squares[usize::from(place)];
            let quiet = lanes & soldiers.quiet(self.frame, Side::Defenders, to);
            for ray in frame.rules.slides().to(Kind::Defender, to) {
                let mut free = quiet;
                for step in ray.iter().take_while(|step| !occupied.contains(step.square)) {
                    free = free.without(frame.region.bit(step.square));
                    if free.is_empty() {
                        break;
                    }
                    if step.ends {
                        let before = soldiers.defenders.without(to).with(step.square);
                        visit(sets.rank(before), free);
                    }
                }
            }
        }
    }

    /// Returns the lanes on which neither the king nor a defender has a quiet move to a position
    /// that is not in `table`, which holds the rows of the block by rank.
    pub(crate) fn without_defender_escapes(
        &self,
        attackers: SquareSet,
        table: &[Row<N>],
        (rank, mut lanes): RankLanes<N>,
    ) -> Row<N> {
        let frame = self.frame;
        let (sets, men) = (&frame.defenders, frame.defenders.men(rank));
        let soldiers = Soldiers { attackers, defenders: sets.set(rank) };
        let free = !(frame.region.row(attackers) | frame.defender_lanes[rank.index()]);
        let safe = (free & frame.region.places).without(table[rank.index()]);
        let ends = safe & self.quiet_king(attackers, rank);
        lanes = lanes.without(frame.region.king_origins(ends, free));
        let occupied = attackers | soldiers.defenders;
        for &place in men {
            let from = sets.squares[usize::from(place)];
            for ray in frame.rules.slides().from(Kind::Defender, from) {
                let mut kings = Row::EMPTY;
                for step in ray.iter().take_while(|step| !occupied.contains(step.square)) {
                    kings |= frame.region.bit(step.square);
                    let candidates = lanes.without(kings);
                    if candidates.is_empty() {
                        break;
                    }
                    if !step.ends {
                        continue;
                    }
                    let defenders = soldiers.defenders.without(from).with(step.square);
                    // As for attackers, the lookup comes before the captures, which cost more.
                    let safe = candidates.without(table[sets.rank(defenders).index()]);
                    if !safe.is_empty() {
                        let after = Soldiers { attackers, defenders };
                        lanes =
                            lanes.without(safe & after.quiet(frame, Side::Defenders, step.square));
                    }
                }
            }
        }
        lanes
    }

    /// Adds to the rows of a block their images under the symmetries that leave its attackers
    /// unchanged.
    pub(crate) fn add_images(&self, walker: &mut Walker, block: BlockNumber, rows: &mut [Row<N>]) {
        self.for_images(walker, block, rows, |row, image| *row |= image);
    }

    /// Removes from the rows of a block the lanes of which an image is missing.
    pub(crate) fn keep_images(&self, walker: &mut Walker, block: BlockNumber, rows: &mut [Row<N>]) {
        self.for_images(walker, block, rows, |row, image| *row &= image);
    }

    fn for_images(
        &self,
        walker: &mut Walker,
        block: BlockNumber,
        rows: &mut [Row<N>],
        mut visit: impl FnMut(&mut Row<N>, Row<N>),
    ) {
        if !self.symmetric[block.index()] {
            return;
        }
        let (_, stabilizer) = walker.set(block.into());
        let before = rows.to_vec();
        for g in stabilizer.iter() {
            for (&lanes, &image) in before.iter().zip(self.frame.defenders.images(g)) {
                visit(&mut rows[image.index()], self.frame.region.transform(g, lanes));
            }
        }
    }
}

/// Looks up the origins of un-moves, eight at a time.
struct ResolveKernel<'a, 'f, const N: usize, V> {
    frame: &'a Frame<'f, N>,
    unmoves: &'a [Unmove<N>],
    visit: V,
}

impl<const N: usize, V: FnMut(BlockNumber, Rank, Row<N>)> Kernel for ResolveKernel<'_, '_, N, V> {
    #[inline(always)]
    fn run(mut self, processor: impl Processor) {
        let Frame { attackers, defenders, region, .. } = self.frame;
        for unmoves in self.unmoves.chunks(WIDE_ROWS) {
            let targets = map_eight(unmoves, |unmove| attackers.resolve(unmove.origin));
            let lanes = Wide::of(&map_eight(unmoves, |unmove| unmove.lanes));
            let symmetries = map_eight(&targets, |target| target.symmetry);
            let images = processor.transform_each(&region.transforms, symmetries, lanes);
            for (i, (unmove, target)) in unmoves.iter().zip(targets).enumerate() {
                let rank = defenders.images(target.symmetry)[unmove.rank.index()];
                (self.visit)(target.block, rank, images.row(i));
            }
        }
    }
}

/// Returns the squares where defenders may affect the captures of an attacker that arrives on `to`.
fn capture_zone<const N: usize>(frame: &Frame<N>, to: Square) -> SquareSet {
    let beside: SquareSet = frame.rules.board.neighbours(to).collect();
    let victims = (beside | frame.walls.rows_beside(to)) & frame.rules.places(Kind::Defender);
    victims | shields_around(frame, to)
}

/// Returns whether the king, arriving opposite `anvil`, captures an attacker on this square.
#[inline(always)]
fn is_captured_by_king(
    rules: &Ruleset,
    soldiers: &Soldiers,
    attacker: Square,
    anvil: Square,
) -> bool {
    soldiers.attackers.contains(attacker)
        && soldiers
            .victim(rules, Side::Attackers, attacker, anvil)
            .is_some_and(|victim| victim.without_king)
}

/// Returns the blocks whose attackers a symmetry other than the identity leaves unchanged.
fn symmetric_blocks(sets: &AttackerSets) -> BitVec {
    const WORD: usize = usize::BITS as usize;
    // The number of words in a task.
    const TASK: usize = 1 << 6;
    let blocks = sets.rows() as usize;
    let mut words = vec![0; blocks.div_ceil(WORD)];
    parallel::for_each_init(
        words.chunks_mut(TASK),
        || Walker::new(sets),
        |walker, task, words| {
            for (word, bits) in (task * TASK..).zip(words) {
                for block in word * WORD..blocks.min((word + 1) * WORD) {
                    let symmetric = walker.set(block as u64).1 != SymmetryGroup::TRIVIAL;
                    *bits |= usize::from(symmetric) << (block % WORD);
                }
            }
        },
    );
    BitVec::from_vec(words)
}
