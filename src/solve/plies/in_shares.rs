//! Plies with tables that are larger than memory: each rank of the build has some shares,
//! and works on one after the other. The winner's moves
//! stay in the shares of one cut, the loser's in those of the other one; what one side's
//! ply finds is sent, once, to the shares in which the other side's next ply looks it up.

use std::iter;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::game::rules::{BySide, Side};
use crate::game::value::Plies;
use crate::solve::exchange::{Exchange, of_rank};
use crate::solve::plies::at_rest::AtRest;
use crate::solve::plies::chunks::Chunks;
use crate::solve::plies::dispatch::Dispatch;
use crate::solve::plies::frontier::{Frontier, clear};
use crate::solve::plies::known::{Known, Logged, no_positions};
use crate::solve::plies::losing::{Losing, Won, losing_ply};
use crate::solve::plies::ply::{Done, Given, Ply, Records};
use crate::solve::plies::post::{Mail, Post};
use crate::solve::plies::shares::Shares;
use crate::solve::plies::tables::{Storage, Tables, Worked};
use crate::solve::plies::winning::{Winning, winning_ply};
use crate::solve::rows::numbers::ChunkNumber;
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::{Content, Heap, ScratchError, ScratchFolder, StageWriter, Stages};
use crate::system::pages;

/// The tables of an outcome, as far as this rank of the build has them. If a rank has more
/// than one share, all wait packed on the disk but the one that is worked on.
pub(crate) struct InShares<'a, const N: usize> {
    cut: &'a Shares,
    ranks: &'a dyn Exchange,
    scratch: &'a ScratchFolder<'a>,
    /// Where tables are packed, if they are: one file for all, of which a process may not
    /// have many.
    heap: Option<Arc<Heap>>,
    /// The numbers of the rank's shares.
    own: Range<usize>,
    /// By the side whose moves stay inside: the attackers' are cut by defenders, the
    /// defenders' by attackers.
    shares: BySide<Vec<Share<'a, N>>>,
    /// Tables of the share that is worked on; all rows are empty between the plies.
    rooms: [Vec<Row<N>>; InShares::<1>::TABLES],
}

/// The rows of a share while another one is worked on.
struct Share<'a, const N: usize> {
    /// The side whose moves stay inside.
    inside: Side,
    given: Given<'a, N>,
    won: AtRest<N>,
    /// In the loser's shares: what is open.
    open: AtRest<N>,
    /// What was found at the last ply; by attackers, that is in its log.
    inbox: Mail,
    /// By ply: what captures decide; by attackers, the initial pass has said that.
    said: Vec<Mail>,
}

impl<'a, const N: usize> InShares<'a, N> {
    /// How many tables of a share there are in memory at a time.
    pub(crate) const TABLES: usize = 3;
    /// How many there are if the rank has no other share: two, and what is won either way
    /// and open.
    pub(crate) const TABLES_OF_ONLY_SHARE: usize = 5;

    /// The shares that a rank has of a cut, without tables.
    ///
    /// # Errors
    /// If the disk refuses.
    pub(crate) fn new(
        cut: &'a Shares,
        given: BySide<Vec<Given<'a, N>>>,
        stages: &Stages<'a>,
    ) -> Result<InShares<'a, N>, ScratchError> {
        let share = |inside, given| Share {
            inside,
            given,
            won: AtRest::default(),
            open: AtRest::default(),
            inbox: Mail::default(),
            said: Vec::new(),
        };
        let shares =
            |inside| given[inside].iter().map(move |&given| share(inside, given)).collect();
        let shares = BySide::from_fn(shares);
        let largest = given.0.iter().flatten().map(|given| given.chunks.rows()).max().unwrap_or(0);
        let rooms = std::array::from_fn(|_| pages::with_capacity(largest));
        let (ranks, scratch) = (stages.ranks(), stages.scratch());
        let own = of_rank(cut.count(), ranks.rank(), ranks.ranks());
        let is_packed = Storage::Shares(cut.count()).is_packed(ranks.ranks());
        let heap = is_packed.then(|| Heap::new(scratch).map(Arc::new)).transpose()?;
        Ok(InShares { cut, ranks, scratch, heap, own, shares, rooms })
    }

    /// The shares by attackers have what was kept chunk by chunk.
    fn begin_by_attackers(&mut self, known: &Known, done: Done) -> Result<(), ScratchError> {
        let (packed, [room, ..]) = (self.heap.as_ref(), &mut self.rooms);
        for share in &mut self.shares[Side::Defenders] {
            let chunks = share.given.chunks;
            let told = told_before(known, share.is_losers());
            let rows = emptied(room, chunks);
            no_positions(&share.given, rows);
            let won = rows.par_chunks_mut(chunks.chunk_rows()).enumerate();
            won.try_for_each(|(at, won)| {
                known.won_before(told, chunks.number(at), won)?;
                done(won.len())
            })?;
            share.won = AtRest::of(rows, chunks, packed)?;
            if share.is_losers() {
                let open = rows.par_chunks_mut(chunks.chunk_rows()).enumerate();
                open.try_for_each(|(at, open)| known.open(chunks.number(at), open))?;
                share.open = AtRest::of(rows, chunks, packed)?;
            }
        }
        Ok(())
    }

    /// The shares by defenders get the same by post.
    fn begin_by_defenders(&mut self, known: &Known, done: Done) -> Result<(), ScratchError> {
        let (cut, ranks, packed) = (self.cut, self.ranks, self.heap.as_ref());
        let told_before = told_before(known, known.winner != Side::Attackers);
        let dispatch = Dispatch::new(known, told_before, self.scratch, cut.count())?;
        for given in self.shares[Side::Defenders].iter().map(|share| share.given) {
            let numbers: Vec<ChunkNumber> = given.chunks.numbers().collect();
            numbers.into_par_iter().try_for_each(|chunk| {
                let mut rows = vec![Row::<N>::EMPTY; given.chunks.rows_of(chunk)];
                dispatch.chunk(known, cut, chunk, &mut rows)?;
                done(rows.len())
            })?;
        }
        let (shares, [room, ..]) = (&mut self.shares[Side::Attackers], &mut self.rooms);
        let Dispatch { won, open, last, said, .. } = dispatch;
        for (share, mail) in shares.iter_mut().zip(won.deliver(ranks)?) {
            let chunks = share.given.chunks;
            let rows = emptied(room, chunks);
            no_positions(&share.given, rows);
            mail.add_to(chunks, rows)?;
            share.won = AtRest::of(rows, chunks, packed)?;
            done(chunks.rows())?;
        }
        for (share, mail) in shares.iter_mut().zip(open.deliver(ranks)?) {
            if share.is_losers() {
                let chunks = share.given.chunks;
                let rows = emptied(room, chunks);
                mail.add_to(chunks, rows)?;
                share.open = AtRest::of(rows, chunks, packed)?;
            }
        }
        for (share, mail) in shares.iter_mut().zip(last.deliver(ranks)?) {
            share.inbox = mail;
            share.said.clear();
        }
        for post in said {
            let mail = post.map(|post| post.deliver(ranks)).transpose()?;
            for (at, share) in shares.iter_mut().enumerate() {
                let own = mail.as_ref().map(|mail| mail[at].clone());
                share.said.push(own.unwrap_or_default());
            }
        }
        Ok(())
    }
}

impl<const N: usize> Tables for InShares<'_, N> {
    fn passes(&self) -> u64 {
        // What is kept is read for the shares by attackers, and sent to the others, which
        // take it.
        3
    }

    fn begin(&mut self, known: &Known, done: Done) -> Result<(), ScratchError> {
        self.begin_by_attackers(known, done)?;
        self.begin_by_defenders(known, done)?;
        let [used, ..] = &mut self.rooms;
        empty(used);
        Ok(())
    }

    fn ply(
        &mut self,
        known: &Known,
        log: Option<&StageWriter>,
        done: Done,
    ) -> Result<Worked, ScratchError> {
        let mover = known.mover();
        let post = Post::new(&Arc::new(Heap::new(self.scratch)?), self.cut.count());
        let rooms = &mut self.rooms;
        // Who has no log has no shares.
        let logs = || iter::repeat(log).flatten();
        let mut found = 0;
        for ((number, share), log) in self.own.clone().zip(&mut self.shares[mover]).zip(logs()) {
            let chunks = share.given.chunks;
            let mut ply = |records: &dyn Records<N>, share: &mut Share<N>| {
                let ply = Ply { number: known.next_ply(), records, done };
                found += share.ply(known, &ply, rooms)?.rows;
                Ok::<_, ScratchError>(())
            };
            match mover {
                Side::Attackers => {
                    let said = share.said.get(usize::from(known.next_ply()));
                    if share.inbox.is_empty() && said.is_none_or(Mail::is_empty) {
                        done(chunks.rows())?;
                        continue;
                    }
                    let said = said.cloned().unwrap_or_default();
                    let records =
                        Sent { said, number, cut: self.cut, given: share.given, post: &post };
                    ply(&records, share)?;
                }
                Side::Defenders => {
                    let logged = Logged { known, log };
                    ply(&LoggedAndSent { logged, cut: self.cut, post: &post }, share)?;
                }
            }
        }
        if post.taken() != found {
            return Err(post.damaged());
        }
        let worked = Worked { rows: found, packing: post.packing() };
        let mail = post.deliver(self.ranks)?;
        for ((share, mail), log) in self.shares[mover.other()].iter_mut().zip(mail).zip(logs()) {
            match mover {
                Side::Attackers => mail
                    .for_chunks(share.given.chunks, |chunk, events: &[Event<N>]| {
                        known.keep(log, chunk, events)
                    })?,
                Side::Defenders => share.inbox = mail,
            }
        }
        Ok(worked)
    }
}

impl<const N: usize> Share<'_, N> {
    /// Whether the loser's moves stay inside.
    fn is_losers(&self) -> bool {
        self.inside != self.given.winner
    }

    /// Works out the ply; returns what it found.
    fn ply(
        &mut self,
        known: &Known,
        ply: &Ply<N>,
        [last, now, won]: &mut [Vec<Row<N>>; InShares::<1>::TABLES],
    ) -> Result<Frontier, ScratchError> {
        let chunks = self.given.chunks;
        last.resize(chunks.rows(), Row::EMPTY);
        now.resize(chunks.rows(), Row::EMPTY);
        let changed = self.last_found(known, last)?;
        let found = if known.wins_next() {
            let tables = Winning { won: &mut self.won, lost: last, newly_won: now };
            winning_ply(&self.given, ply, tables, &changed)?
        } else {
            self.won.add(chunks, last, &changed)?;
            let won = match self.given.winner {
                Side::Attackers => Won::ByChunk(&mut self.won),
                Side::Defenders => Won::Whole(self.won.rows(chunks, won)?),
            };
            let tables = Losing { open: &mut self.open, won, newly_won: last, lost: now };
            losing_ply(&self.given, ply, tables, &changed)?
        };
        clear(chunks, last, &changed.blocks);
        clear(chunks, now, &found.blocks);
        Ok(found)
    }

    /// Adds to the rows what the last ply found, and tells where that is.
    fn last_found(&self, known: &Known, rows: &mut [Row<N>]) -> Result<Frontier, ScratchError> {
        let chunks = self.given.chunks;
        if self.inside == Side::Attackers {
            return self.inbox.add_to(chunks, rows);
        }
        let changed = rows.par_chunks_mut(chunks.chunk_rows()).enumerate().map(|(at, rows)| {
            let events = known.last_found(chunks.number(at))?;
            Ok(Frontier::of(&events, chunks, at, rows))
        });
        Ok(Frontier::joined(&changed.collect::<Result<Vec<_>, ScratchError>>()?))
    }
}

/// The room, with as many empty rows as the share has.
fn emptied<const N: usize>(room: &mut Vec<Row<N>>, chunks: Chunks) -> &mut [Row<N>] {
    empty(room);
    room.resize(chunks.rows(), Row::EMPTY);
    room
}

/// Makes all rows empty.
fn empty<const N: usize>(rows: &mut [Row<N>]) {
    rows.par_iter_mut().for_each(|row| *row = Row::EMPTY);
}

/// The ply before which a share knows all wins: the loser is told those of the last ply
/// at the next one.
fn told_before(known: &Known, is_losers: bool) -> Plies {
    known.next_ply() - Plies::from(is_losers && !known.wins_next())
}

/// A ply in a share by defenders: it is told by post, and what it finds is sent to the
/// shares by attackers, which log it.
struct Sent<'p, const N: usize> {
    said: Mail,
    number: usize,
    cut: &'p Shares,
    given: Given<'p, N>,
    post: &'p Post,
}

impl<const N: usize> Records<N> for Sent<'_, N> {
    fn said(
        &self,
        _: Content,
        _: Plies,
        chunk: ChunkNumber,
    ) -> Result<Vec<Event<N>>, ScratchError> {
        self.said.of_chunk(self.given.chunks, chunk)
    }

    fn found(&self, chunk: ChunkNumber, events: &[Event<N>]) -> Result<(), ScratchError> {
        let chunks = self.given.chunks;
        self.post.send(&self.cut.by_attackers(self.number, chunks, chunk, events))
    }
}

/// A ply in a share by attackers: it is told by what was kept, and what it finds is logged,
/// and sent to the shares by defenders.
struct LoggedAndSent<'p> {
    logged: Logged<'p>,
    cut: &'p Shares,
    post: &'p Post,
}

impl<const N: usize> Records<N> for LoggedAndSent<'_> {
    fn said(
        &self,
        content: Content,
        ply: Plies,
        chunk: ChunkNumber,
    ) -> Result<Vec<Event<N>>, ScratchError> {
        self.logged.said(content, ply, chunk)
    }

    fn found(&self, chunk: ChunkNumber, events: &[Event<N>]) -> Result<(), ScratchError> {
        self.logged.found(chunk, events)?;
        self.post.send(&self.cut.by_defenders(chunk, events))
    }
}
