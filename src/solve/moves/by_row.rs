//! Moves of single rows, for blocks in which few rows change: the work is in
//! proportion to those, where the kernels for whole blocks visit all.

use std::array;

use bitvec::vec::BitVec;
use rayon::prelude::*;

use crate::board::{Direction, Square, SquareSet, SymmetryGroup};
use crate::index::Walker;
use crate::rules::{Kind, Side};

use crate::solve::captures::by_attackers::{quiet_arrival, shields_near};
use crate::solve::captures::soldiers::Soldiers;
use crate::solve::frame::Frame;
use crate::solve::frame::block_lookup::{Fixed, Sought};
use crate::solve::rows::numbers::{BlockNumber, Rank};
use crate::solve::rows::row::{Row, Wide};
use crate::solve::rows::simd::{self, Kernel, Processor};

/// What moves of single rows need to know about a slice.
pub(crate) struct RowMoves<'f, const N: usize> {
    frame: &'f Frame<'f, N>,
    /// By square of arrival: where defenders may change what attackers capture.
    near: Vec<SquareSet>,
    /// The blocks whose attackers have a symmetry of their own.
    symmetric: BitVec,
    /// Attackers whom the king can capture without the help of a defender.
    exposed: Vec<Exposed>,
}

/// An attacker beside a hostile square.
struct Exposed {
    attacker: Square,
    /// Where the king arrives.
    to: Square,
    anvil: Square,
}

/// A row of a block, by defender rank, and some of its lanes.
pub(crate) type RankLanes<const N: usize> = (Rank, Row<N>);

/// Lanes of a row from which an attacker has moved, before it is known where the row is.
pub(crate) struct Unmove<const N: usize> {
    origin: Sought,
    /// As the attackers stand, not as they are stored; so are the lanes.
    rank: Rank,
    lanes: Row<N>,
}

/// Buffers that a worker reuses from block to block.
pub(crate) struct RowBuffers<const N: usize> {
    others: Fixed,
    start: Vec<RankLanes<N>>,
    live: Vec<RankLanes<N>>,
}

impl<const N: usize> Default for RowBuffers<N> {
    fn default() -> Self {
        RowBuffers { others: Fixed::default(), start: Vec::new(), live: Vec::new() }
    }
}

impl<'f, const N: usize> RowMoves<'f, N> {
    /// For a slice.
    pub(crate) fn new(frame: &'f Frame<'f, N>) -> RowMoves<'f, N> {
        let (rules, slides) = (frame.rules, frame.rules.slides());
        let hostile = &rules.hostile[Kind::Attacker];
        let hostile = hostile.empty | hostile.occupied | hostile.besieged;
        let exposed = rules.places(Kind::Attacker).iter().flat_map(|attacker| {
            Direction::ALL.into_iter().filter_map(move |direction| {
                let anvil = slides.next(attacker, direction)?;
                let to = slides.next(attacker, direction.opposite())?;
                hostile.contains(anvil).then_some(Exposed { attacker, to, anvil })
            })
        });
        RowMoves {
            frame,
            near: rules.board.squares().map(|to| near(frame, to)).collect(),
            symmetric: symmetric_blocks(frame),
            exposed: exposed.collect(),
        }
    }

    /// The lanes on which an attacker who has arrived on `to` captures nothing.
    #[inline]
    pub(crate) fn quiet(&self, after: SquareSet, to: Square, rank: Rank) -> Row<N> {
        let near = &self.near[to.index()];
        let sets = &self.frame.defenders;
        let men = sets.men(rank);
        if men.iter().any(|&place| near.contains(sets.squares[usize::from(place)])) {
            return quiet_arrival(self.frame, after, to, rank);
        }
        !self.frame.of_king.by_arrival(after, to)
    }

    /// Adds the rows and lanes from which an attacker has a move that captures nothing
    /// to one of these rows of the block with `attackers`. Of the images of a row under
    /// the symmetries of its attackers, one at least is added.
    pub(crate) fn attacker_unmoves(
        &self,
        attackers: SquareSet,
        rows: &[RankLanes<N>],
        buffers: &mut RowBuffers<N>,
        unmoves: &mut Vec<Unmove<N>>,
    ) {
        let frame = self.frame;
        let RowBuffers { others: fixed, start, live } = buffers;
        for to in attackers {
            let quiet = |&(rank, lanes): &RankLanes<N>| {
                let lanes = lanes & self.quiet(attackers, to, rank);
                (!lanes.is_empty()).then_some((rank, lanes))
            };
            start.clear();
            start.extend(rows.iter().filter_map(quiet));
            if start.is_empty() {
                continue;
            }
            let others = attackers.without(to);
            frame.attackers.fix(others, fixed);
            for ray in frame.rules.slides().to(Kind::Attacker, to) {
                live.clone_from(start);
                for step in ray.iter().take_while(|step| !others.contains(step.square)) {
                    self.pass(step.square, live);
                    if live.is_empty() {
                        break;
                    }
                    if !step.ends {
                        continue;
                    }
                    let origin = frame.attackers.seek(fixed, step.square);
                    let unmove = |&(rank, lanes): &RankLanes<N>| Unmove { origin, rank, lanes };
                    unmoves.extend(live.iter().map(unmove));
                }
            }
        }
    }

    /// Calls `visit` with the stored rows and lanes that un-moves have led to.
    pub(crate) fn settle(
        &self,
        unmoves: &[Unmove<N>],
        visit: impl FnMut(BlockNumber, Rank, Row<N>),
    ) {
        simd::run(Settling { frame: self.frame, unmoves, visit });
    }

    /// Takes out what a piece cannot pass that goes over the square.
    #[inline(always)]
    fn pass(&self, square: Square, live: &mut Vec<RankLanes<N>>) {
        let sets = &self.frame.defenders;
        let king = self.frame.region.bit(square);
        live.retain_mut(|(rank, lanes)| {
            *lanes = lanes.without(king);
            !lanes.is_empty() && !sets.is_among(sets.men(*rank), square)
        });
    }

    /// Takes out of the rows of a block the lanes from which an attacker has a
    /// move that captures nothing to a position that is not in `table`; rows
    /// without lanes are dropped.
    pub(crate) fn attackers_escape(
        &self,
        attackers: SquareSet,
        table: &[Row<N>],
        rows: &mut Vec<RankLanes<N>>,
        buffers: &mut RowBuffers<N>,
    ) {
        let frame = self.frame;
        let sets = &frame.defenders;
        let fixed = &mut buffers.others;
        for from in attackers {
            rows.retain(|(_, lanes)| !lanes.is_empty());
            if rows.is_empty() {
                return;
            }
            let others = attackers.without(from);
            frame.attackers.fix(others, fixed);
            for ray in frame.rules.slides().from(Kind::Attacker, from) {
                let mut passed = SquareSet::EMPTY;
                let mut kings = Row::EMPTY;
                for step in ray.iter().take_while(|step| !others.contains(step.square)) {
                    let to = step.square;
                    passed.insert(to);
                    kings |= frame.region.bit(to);
                    if !step.ends {
                        continue;
                    }
                    let target = frame.attackers.target_with(fixed, to);
                    let images = frame.defenders.images(target.symmetry);
                    let first = frame.first_row(target.block);
                    for (rank, lanes) in rows.iter_mut() {
                        let asked = lanes.without(kings);
                        if asked.is_empty() || sets.is_any_among(sets.men(*rank), passed) {
                            continue;
                        }
                        let known = table[first + images[rank.index()].index()];
                        let safe = asked.without(frame.region.transform(target.back, known));
                        if !safe.is_empty() {
                            let quiet = self.quiet(others.with(to), to, *rank);
                            *lanes = lanes.without(safe & quiet);
                        }
                    }
                }
            }
        }
        rows.retain(|(_, lanes)| !lanes.is_empty());
    }

    /// Of the lanes of a row without defenders, those from which no attacker can
    /// move, and those from which one can capture the king.
    /// `captured` is room to work in.
    pub(crate) fn attackers_ahead(
        &self,
        attackers: SquareSet,
        lanes: Row<N>,
        captured: &mut Vec<Row<N>>,
    ) -> (Row<N>, Row<N>) {
        let (mut stalemates, mut decisive) = (lanes, Row::EMPTY);
        // The mover counted as one who helps, nothing is missed.
        self.frame.of_king.by_arrivals(attackers, captured);
        for from in attackers {
            let others = attackers.without(from);
            for ray in self.frame.rules.slides().from(Kind::Attacker, from) {
                let mut legal = lanes;
                for step in ray.iter().take_while(|step| !others.contains(step.square)) {
                    legal = legal.without(self.frame.region.bit(step.square));
                    if step.ends {
                        stalemates = stalemates.without(legal);
                        if !(captured[step.square.index()] & legal).is_empty() {
                            let after = others.with(step.square);
                            decisive |= legal & self.frame.of_king.by_arrival(after, step.square);
                        }
                    }
                }
            }
        }
        (stalemates, decisive)
    }

    /// The lanes of a row on which the king, arriving there, captures nothing.
    pub(crate) fn quiet_king(&self, attackers: SquareSet, rank: Rank) -> Row<N> {
        let (rules, region) = (self.frame.rules, &self.frame.region);
        let men = self.frame.defenders.men(rank);
        let soldiers = Soldiers { attackers, defenders: self.frame.defenders.set(rank) };
        let mut quiet = !Row::EMPTY;
        let mut look = |attacker: Square, to: Square, anvil: Square| {
            if soldiers.attackers.contains(attacker)
                && let Some(victim) = soldiers.victim(rules, Side::Attackers, attacker, anvil)
                && victim.without_king
            {
                quiet = quiet.without(region.bit(to));
            }
        };
        for &Exposed { attacker, to, anvil } in &self.exposed {
            look(attacker, to, anvil);
        }
        for &place in men {
            let anvil = self.frame.defenders.squares[usize::from(place)];
            for direction in Direction::ALL {
                let attacker = rules.slides().next(anvil, direction);
                let to = attacker.and_then(|square| rules.slides().next(square, direction));
                if let Some((attacker, to)) = attacker.zip(to) {
                    look(attacker, to, anvil);
                }
            }
        }
        quiet
    }

    /// Calls `visit` with the rows, by rank, and lanes of the block from which
    /// the king or a defender has a move that captures nothing to these lanes of
    /// one of its rows.
    pub(crate) fn defender_unmoves(
        &self,
        attackers: SquareSet,
        (rank, lanes): RankLanes<N>,
        mut visit: impl FnMut(Rank, Row<N>),
    ) {
        let frame = self.frame;
        let (sets, men) = (&frame.defenders, frame.defenders.men(rank));
        let soldiers = Soldiers { attackers, defenders: sets.set(rank) };
        let free = !(frame.region.row(attackers) | sets.lanes[rank.index()]);
        let ends = lanes & self.quiet_king(attackers, rank);
        visit(rank, frame.region.king_origins(ends, free));
        let occupied = attackers | soldiers.defenders;
        for &place in men {
            let to = sets.squares[usize::from(place)];
            let lanes = lanes & self.quiet_soldier(&soldiers, to);
            for ray in frame.rules.slides().to(Kind::Defender, to) {
                let mut lanes = lanes;
                for step in ray.iter().take_while(|step| !occupied.contains(step.square)) {
                    lanes = lanes.without(frame.region.bit(step.square));
                    if lanes.is_empty() {
                        break;
                    }
                    if step.ends {
                        let before = soldiers.defenders.without(to).with(step.square);
                        visit(sets.rank(before), lanes);
                    }
                }
            }
        }
    }

    /// The lanes on which a defending soldier who has arrived on `to` captures
    /// nothing.
    fn quiet_soldier(&self, soldiers: &Soldiers, to: Square) -> Row<N> {
        let victims = soldiers.victims(self.frame.rules, Side::Defenders, to);
        victims.fold(!Row::EMPTY, |quiet, victim| quiet & victim.quiet(&self.frame.region))
    }

    /// Those of the lanes from which neither the king nor a defender has a move
    /// that captures nothing to a position that is not in `table`, the rows of
    /// the block by rank.
    pub(crate) fn without_defenders_escape(
        &self,
        attackers: SquareSet,
        table: &[Row<N>],
        (rank, mut lanes): RankLanes<N>,
    ) -> Row<N> {
        let frame = self.frame;
        let (sets, men) = (&frame.defenders, frame.defenders.men(rank));
        let soldiers = Soldiers { attackers, defenders: sets.set(rank) };
        let free = !(frame.region.row(attackers) | sets.lanes[rank.index()]);
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
                    let asked = lanes.without(kings);
                    if asked.is_empty() {
                        break;
                    }
                    if !step.ends {
                        continue;
                    }
                    let defenders = soldiers.defenders.without(from).with(step.square);
                    let safe = asked.without(table[sets.rank(defenders).index()]);
                    if !safe.is_empty() {
                        let after = Soldiers { attackers, defenders };
                        lanes = lanes.without(safe & self.quiet_soldier(&after, step.square));
                    }
                }
            }
        }
        lanes
    }

    /// Adds to the rows of a block their images under the symmetries that leave
    /// its attackers unchanged.
    pub(crate) fn add_images(&self, walker: &mut Walker, block: BlockNumber, rows: &mut [Row<N>]) {
        self.for_images(walker, block, rows, |row, image| *row |= image);
    }

    /// Keeps of the rows of a block only lanes of which all images are there.
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

/// Looks up where un-moves have led to, eight at a time.
struct Settling<'a, 'f, const N: usize, V> {
    frame: &'a Frame<'f, N>,
    unmoves: &'a [Unmove<N>],
    visit: V,
}

impl<const N: usize, V: FnMut(BlockNumber, Rank, Row<N>)> Kernel for Settling<'_, '_, N, V> {
    #[inline(always)]
    fn run(mut self, processor: impl Processor) {
        let Frame { attackers, defenders, region, .. } = self.frame;
        for unmoves in self.unmoves.chunks(Wide::<N>::ROWS) {
            // The last one in place of those that are missing.
            let unmove = |i: usize| &unmoves[i.min(unmoves.len() - 1)];
            let targets = array::from_fn(|i| attackers.found(unmove(i).origin));
            let lanes = Wide::of(&array::from_fn(|i| unmove(i).lanes));
            let symmetries = targets.map(|target| target.symmetry);
            let lanes = processor.transform_by(&region.transforms, symmetries, lanes);
            for (i, (unmove, target)) in unmoves.iter().zip(targets).enumerate() {
                let rank = defenders.images(target.symmetry)[unmove.rank.index()];
                (self.visit)(target.block, rank, lanes.row(i));
            }
        }
    }
}

/// Where defenders may change what an attacker captures who arrives on `to`.
fn near<const N: usize>(frame: &Frame<N>, to: Square) -> SquareSet {
    let beside: SquareSet = frame.rules.board.neighbours(to).collect();
    (beside & frame.rules.places(Kind::Defender)) | shields_near(frame, to)
}

fn symmetric_blocks<const N: usize>(frame: &Frame<N>) -> BitVec {
    const WORD: usize = usize::BITS as usize;
    let words = (0..frame.blocks().div_ceil(WORD)).into_par_iter().map_init(
        || frame.walker(),
        |walker, word| {
            let blocks = word * WORD..frame.blocks().min((word + 1) * WORD);
            let bit = |block: usize| {
                usize::from(walker.set(block as u64).1 != SymmetryGroup::TRIVIAL) << (block % WORD)
            };
            blocks.map(bit).fold(0, |all, bit| all | bit)
        },
    );
    BitVec::from_vec(words.collect())
}
