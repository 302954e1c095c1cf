//! Plies with tables that are larger than memory: share after share. The winner's moves
//! stay in the shares of one cut, the loser's in those of the other one; what one side's
//! ply finds is sent, once, to the shares in which the other side's next ply looks it up.

use rayon::prelude::*;

use crate::rules::{BySide, Side};
use crate::solve::plies::frontier::Frontier;
use crate::solve::plies::known::{Known, no_positions};
use crate::solve::plies::losing::{Losing, Won, losing_ply};
use crate::solve::plies::packed::Packed;
use crate::solve::plies::ply::{Given, Ply, Records, events_of, finds_wins};
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
    winner: Side,
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
        winner: Side,
        cut: &'a Shares,
        given: BySide<Vec<Given<'a, N>>>,
        scratch: &'a ScratchFolder<'a>,
    ) -> InShares<'a, N> {
        let share = |given| Share {
            given,
            won: Packed::default(),
            open: Packed::default(),
            inbox: Mail::default(),
            said: Vec::new(),
        };
        let shares = given.map(|given| given.into_iter().map(share).collect());
        InShares { winner, cut, scratch, shares, rooms: Default::default() }
    }

    fn post(&self) -> Result<Post, ScratchError> {
        Post::new(self.scratch, self.cut.count())
    }

    /// The shares by attackers have what was kept chunk by chunk.
    fn begin_by_attackers(&mut self, known: &Known) -> Result<(), ScratchError> {
        let (scratch, has_open) = (self.scratch, self.winner == Side::Attackers);
        for share in &mut self.shares[Side::Defenders] {
            let Given { moves, chunks, .. } = share.given;
            let mut won = vec![Row::EMPTY; chunks.rows()];
            let mut open = vec![Row::<N>::EMPTY; if has_open { chunks.rows() } else { 0 }];
            let rows = chunks.chunk_rows();
            won.par_chunks_mut(rows).enumerate().try_for_each_init(
                || moves.frame.walker(),
                |walker, (chunk, won)| {
                    let chunk = chunks.number(chunk);
                    no_positions(&share.given, walker, chunk, won);
                    known.won(chunk, won)
                },
            )?;
            let chunks_of_open = open.par_chunks_mut(rows).enumerate();
            chunks_of_open.try_for_each(|(chunk, open)| known.open(chunks.number(chunk), open))?;
            share.won = Packed::of(&won, chunks, scratch)?;
            share.open = Packed::of(&open, chunks, scratch)?;
        }
        Ok(())
    }

    /// The shares by defenders get the same by post.
    fn begin_by_defenders(&mut self, known: &Known) -> Result<(), ScratchError> {
        let (scratch, has_open) = (self.scratch, self.winner == Side::Defenders);
        let [won, open, last] = [self.post()?, self.post()?, self.post()?];
        let plies = known.next_ply()..=known.last_event() + 1;
        let own = plies.filter(|&ply| finds_wins(ply) == (self.winner == Side::Attackers));
        let said =
            own.map(|ply| Ok((ply, self.post()?))).collect::<Result<Vec<_>, ScratchError>>()?;
        let is_next = known.wins_next() == (self.winner == Side::Attackers);
        for given in self.shares[Side::Defenders].iter().map(|share| share.given) {
            let numbers: Vec<ChunkNumber> = given.chunks.numbers().collect();
            numbers.into_par_iter().try_for_each(|chunk| {
                let send = |post: &Post, events: &[Event<N>]| {
                    post.send(&self.cut.by_defenders(chunk, events))
                };
                let mut rows =
                    vec![Row::EMPTY; given.chunks.places_of(chunk).len() * given.chunks.block_rows];
                known.won(chunk, &mut rows)?;
                send(&won, &events_of(&rows))?;
                if has_open {
                    known.open(chunk, &mut rows)?;
                    send(&open, &events_of(&rows))?;
                }
                if is_next {
                    send(&last, &known.last_found(chunk)?)?;
                }
                for (ply, post) in &said {
                    let (content, key) = match self.winner {
                        Side::Attackers => (Content::Wins, *ply),
                        Side::Defenders => (Content::Releases, *ply - 1),
                    };
                    send(post, &known.said(content, key, chunk)?)?;
                }
                Ok::<_, ScratchError>(())
            })?;
        }
        let shares = &mut self.shares[Side::Attackers];
        for (share, mail) in shares.iter_mut().zip(won.deliver()?) {
            let Given { moves, chunks, .. } = share.given;
            let mut rows = vec![Row::EMPTY; chunks.rows()];
            rows.par_chunks_mut(chunks.chunk_rows()).enumerate().for_each_init(
                || moves.frame.walker(),
                |walker, (chunk, rows)| {
                    no_positions(&share.given, walker, chunks.number(chunk), rows);
                },
            );
            mail.add_to(chunks, &mut rows)?;
            share.won = Packed::of(&rows, chunks, scratch)?;
        }
        for (share, mail) in shares.iter_mut().zip(open.deliver()?).filter(|_| has_open) {
            let chunks = share.given.chunks;
            let mut rows = vec![Row::<N>::EMPTY; chunks.rows()];
            mail.add_to(chunks, &mut rows)?;
            share.open = Packed::of(&rows, chunks, scratch)?;
        }
        for (share, mail) in shares.iter_mut().zip(last.deliver()?) {
            share.inbox = mail;
            share.said = vec![Mail::default(); usize::from(known.last_event()) + 2];
        }
        for (ply, post) in said {
            for (share, mail) in shares.iter_mut().zip(post.deliver()?) {
                share.said[usize::from(ply)] = mail;
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
        let mover = if known.wins_next() { self.winner } else { self.winner.other() };
        let (post, rooms) = (self.post()?, &mut self.rooms);
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
                    let said = said.map(|mail| mail.by_chunk(chunks)).transpose()?;
                    let records =
                        Sent { said, number, cut: self.cut, given: share.given, post: &post };
                    ply(&records, share)?;
                }
                Side::Defenders => {
                    ply(&LoggedAndSent { known, log, cut: self.cut, post: &post }, share)?;
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
        let Given { winner, chunks, .. } = self.given;
        let mover = if known.wins_next() { winner } else { winner.other() };
        if mover == Side::Attackers {
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
    /// By chunk of the share; `None`: nothing.
    said: Option<Vec<Vec<Event<N>>>>,
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
        let said = self.said.as_ref().map(|said| said[chunk.index()].clone());
        Ok(said.unwrap_or_default())
    }

    fn found(&self, chunk: ChunkNumber, events: &[Event<N>]) -> Result<(), ScratchError> {
        let chunks = self.given.chunks;
        self.post.send(&self.cut.by_attackers(self.number, chunks, chunk, events))
    }
}

/// A ply in a share by attackers: it is told by what was kept, and what it finds is logged,
/// and sent to the shares by defenders.
struct LoggedAndSent<'p> {
    known: &'p Known<'p>,
    log: &'p StageWriter<'p>,
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
        self.known.said(content, ply, chunk)
    }

    fn found(&self, chunk: ChunkNumber, events: &[Event<N>]) -> Result<(), ScratchError> {
        self.known.keep(self.log, chunk, events)?;
        self.post.send(&self.cut.by_defenders(chunk, events))
    }
}
