//! Plies with tables that are larger than memory: share after share. The winner's moves
//! stay in the shares of one cut, the loser's in those of the other one; what one side's
//! ply finds is sent, once, to the shares in which the other side's next ply looks it up.

use rayon::prelude::*;

use crate::rules::{BySide, Side};
use crate::solve::plies::dispatch::Dispatch;
use crate::solve::plies::frontier::Frontier;
use crate::solve::plies::known::{Known, Logged, no_positions};
use crate::solve::plies::losing::{Losing, Won, losing_ply};
use crate::solve::plies::packed::Packed;
use crate::solve::plies::ply::{Given, Ply, Records};
use crate::solve::plies::post::{Mail, Post};
use crate::solve::plies::shares::Shares;
use crate::solve::plies::tables::Tables;
use crate::solve::plies::winning::{Winning, winning_ply};
use crate::solve::rows::numbers::ChunkNumber;
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::{Content, ScratchError, ScratchFolder, StageWriter};
use crate::value::Plies;

/// The tables of an outcome, packed on the disk but for those of one share.
pub(crate) struct InShares<'a, const N: usize> {
    cut: &'a Shares,
    scratch: &'a ScratchFolder<'a>,
    /// By the side whose moves stay inside: the attackers' are cut by defenders, the
    /// defenders' by attackers.
    shares: BySide<Vec<Share<'a, N>>>,
    /// Tables of the share that is worked on.
    rooms: [Vec<Row<N>>; InShares::<1>::TABLES],
}

/// The rows of a share while another one is worked on.
struct Share<'a, const N: usize> {
    /// The side whose moves stay inside.
    inside: Side,
    given: Given<'a, N>,
    won: Packed,
    /// In the loser's shares: what is open.
    open: Packed,
    /// What was found at the last ply; by attackers, that is in its log.
    inbox: Mail,
    /// By ply: what captures decide; by attackers, the initial pass has said that.
    said: Vec<Mail>,
}

impl<'a, const N: usize> InShares<'a, N> {
    /// How many tables of a share there are in memory at a time.
    pub(crate) const TABLES: usize = 3;

    /// The shares of a cut, without tables.
    pub(crate) fn new(
        cut: &'a Shares,
        given: BySide<Vec<Given<'a, N>>>,
        scratch: &'a ScratchFolder<'a>,
    ) -> InShares<'a, N> {
        let share = |inside, given| Share {
            inside,
            given,
            won: Packed::default(),
            open: Packed::default(),
            inbox: Mail::default(),
            said: Vec::new(),
        };
        let shares =
            |inside| given[inside].iter().map(move |&given| share(inside, given)).collect();
        let shares = BySide::from_fn(shares);
        InShares { cut, scratch, shares, rooms: Default::default() }
    }

    /// The shares by attackers have what was kept chunk by chunk.
    fn begin_by_attackers(&mut self, known: &Known) -> Result<(), ScratchError> {
        let scratch = self.scratch;
        for share in &mut self.shares[Side::Defenders] {
            let chunks = share.given.chunks;
            let (told, rows) = (share.told_before(known), chunks.chunk_rows());
            let mut won = vec![Row::<N>::EMPTY; chunks.rows()];
            no_positions(&share.given, &mut won);
            let by_chunk = won.par_chunks_mut(rows).enumerate();
            by_chunk
                .try_for_each(|(chunk, won)| known.won_before(told, chunks.number(chunk), won))?;
            share.won = Packed::of(&won, chunks, scratch)?;
            if share.is_losers() {
                let open = won.par_chunks_mut(rows).enumerate();
                open.try_for_each(|(chunk, open)| known.open(chunks.number(chunk), open))?;
                share.open = Packed::of(&won, chunks, scratch)?;
            }
        }
        Ok(())
    }

    /// The shares by defenders get the same by post.
    fn begin_by_defenders(&mut self, known: &Known) -> Result<(), ScratchError> {
        let scratch = self.scratch;
        let Some(first) = self.shares[Side::Attackers].first() else { return Ok(()) };
        let post = || Post::new(scratch, self.cut.count());
        let dispatch = Dispatch::new(known, first.told_before(known), post)?;
        for given in self.shares[Side::Defenders].iter().map(|share| share.given) {
            let numbers: Vec<ChunkNumber> = given.chunks.numbers().collect();
            numbers.into_par_iter().try_for_each(|chunk| {
                let mut rows = vec![Row::<N>::EMPTY; given.chunks.rows_of(chunk)];
                dispatch.chunk(known, self.cut, chunk, &mut rows)
            })?;
        }
        let shares = &mut self.shares[Side::Attackers];
        let Dispatch { won, open, last, said, .. } = dispatch;
        for (share, mail) in shares.iter_mut().zip(won.deliver()?) {
            let chunks = share.given.chunks;
            let mut rows = vec![Row::<N>::EMPTY; chunks.rows()];
            no_positions(&share.given, &mut rows);
            mail.add_to(chunks, &mut rows)?;
            share.won = Packed::of(&rows, chunks, scratch)?;
        }
        for (share, mail) in shares.iter_mut().zip(open.deliver()?) {
            if share.is_losers() {
                let chunks = share.given.chunks;
                let mut rows = vec![Row::<N>::EMPTY; chunks.rows()];
                mail.add_to(chunks, &mut rows)?;
                share.open = Packed::of(&rows, chunks, scratch)?;
            }
        }
        for (share, mail) in shares.iter_mut().zip(last.deliver()?) {
            share.inbox = mail;
            share.said.clear();
        }
        for post in said {
            let mail = post.map(Post::deliver).transpose()?;
            for (at, share) in shares.iter_mut().enumerate() {
                let own = mail.as_ref().map(|mail| mail[at].clone());
                share.said.push(own.unwrap_or_default());
            }
        }
        Ok(())
    }
}

impl<const N: usize> Tables for InShares<'_, N> {
    fn begin(&mut self, known: &Known) -> Result<(), ScratchError> {
        self.begin_by_attackers(known)?;
        self.begin_by_defenders(known)
    }

    fn ply(
        &mut self,
        known: &Known,
        log: &StageWriter,
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<(), ScratchError> {
        let mover = known.mover();
        let post = Post::new(self.scratch, self.cut.count())?;
        let rooms = &mut self.rooms;
        let mut found = 0;
        for (number, share) in self.shares[mover].iter_mut().enumerate() {
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
                        done(chunks.rows());
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
        for (share, mail) in self.shares[mover.other()].iter_mut().zip(post.deliver()?) {
            match mover {
                Side::Attackers => mail
                    .for_chunks(share.given.chunks, |chunk, events: &[Event<N>]| {
                        known.keep(log, chunk, events)
                    })?,
                Side::Defenders => share.inbox = mail,
            }
        }
        Ok(())
    }
}

impl<const N: usize> Share<'_, N> {
    /// Whether the loser's moves stay inside.
    fn is_losers(&self) -> bool {
        self.inside != self.given.winner
    }

    /// The ply before which it knows all wins: the loser is told those of the last ply
    /// at the next one.
    fn told_before(&self, known: &Known) -> Plies {
        known.next_ply() - Plies::from(self.is_losers() && !known.wins_next())
    }

    /// Works out the ply; returns what it found.
    fn ply(
        &mut self,
        known: &Known,
        ply: &Ply<N>,
        [last, now, won]: &mut [Vec<Row<N>>; InShares::<1>::TABLES],
    ) -> Result<Frontier, ScratchError> {
        let chunks = self.given.chunks;
        empty(last, chunks.rows());
        let changed = self.last_found(known, last)?;
        empty(now, chunks.rows());
        if known.wins_next() {
            let tables = Winning { won: &mut self.won, lost: last, newly_won: now };
            winning_ply(&self.given, ply, tables, &changed)
        } else {
            self.won.add(chunks, last, &changed)?;
            let won = match self.given.winner {
                Side::Attackers => Won::ByChunk(&mut self.won),
                Side::Defenders => {
                    self.won.unpack(chunks, won)?;
                    Won::Whole(won)
                }
            };
            let tables = Losing { open: &mut self.open, won, newly_won: last, lost: now };
            losing_ply(&self.given, ply, tables, &changed)
        }
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

/// Makes of a vector that many empty rows.
fn empty<const N: usize>(rows: &mut Vec<Row<N>>, count: usize) {
    rows.resize(count, Row::EMPTY);
    rows.par_iter_mut().for_each(|row| *row = Row::EMPTY);
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
