//! Certificates as a source of values, for positions beyond the tables.

mod answer;
mod load;
mod strategy;
#[cfg(test)]
mod tests;

pub use load::BookError;
pub(in crate::proof) use load::each_certificate;

use std::fmt;
use std::sync::Arc;

use crate::engine::ProvedPositions;
use crate::game::board::Square;
use crate::game::moves::{Move, each_legal_move, find_move, legal_moves};
use crate::game::position::{Position, PositionError};
use crate::game::rules::{BySide, Ruleset, Side};
use crate::game::value::{Wdl, WdlBounds};
use crate::proof::answer::ProvedValue;
use crate::proof::certificate::{Certificate, Coder, Part};
use crate::tablebase::Tablebase;

use strategy::{Entry, Strategy};

/// The proved positions of certificates.
///
/// A certificate is trusted as a table is: [`check`](super::check) verifies it, a book does not. A
/// position is decided as the certificate's format defines: by the rules of the game, by a table, by
/// a move of a strategy, or because every reply leads to such a position.
///
/// A position takes 21 bytes of memory on 7x7, and 29 on 9x9. One that several certificates share
/// is kept once.
pub struct ProofBook {
    tables: Arc<Tablebase>,
    coder: Coder,
    /// By holder: strategies that win, and strategies that do not lose.
    winning: BySide<Strategy>,
    holding: BySide<Strategy>,
    certificates: Vec<BookCertificate>,
}

/// A certificate of a book.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BookCertificate {
    /// The file's name.
    pub name: String,
    /// The position whose value it proves.
    pub position: Position,
    /// The value that it claims.
    pub value: ProvedValue,
    /// The number of moves of its strategies.
    pub moves: usize,
}

/// A move of a certificate's strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BookMove {
    /// The move.
    pub played: Move,
    /// Whether the strategy wins; otherwise it does not lose.
    pub wins: bool,
    /// The index of the certificate in [`ProofBook::certificates`].
    pub certificate: usize,
}

/// What a book knows about a position and its moves.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BookProbe {
    /// The outcome of the position, for the side to move.
    pub bounds: WdlBounds,
    /// The legal moves, each with its outcome for the side that makes it.
    pub moves: Vec<(Move, WdlBounds)>,
    /// The move of a strategy that contains the position.
    pub strategy: Option<BookMove>,
    /// The index of a certificate that contains the position or one after one of its moves.
    pub certificate: Option<usize>,
}

impl ProofBook {
    /// Creates a book from certificates with their names. Those for other rules than the tables' are
    /// left out. If several have a move for a position, the first one is used.
    ///
    /// The tables should be those that the certificates depend on; see
    /// [`Certificate::compare_tables`]. What depends on a missing table is not known.
    pub fn new(
        certificates: impl IntoIterator<Item = (String, Certificate)>,
        tables: Arc<Tablebase>,
    ) -> ProofBook {
        let rules = tables.rules();
        let fingerprint = rules.fingerprint();
        let certificates: Vec<(String, Certificate)> = certificates
            .into_iter()
            .filter(|(_, certificate)| certificate.fingerprint() == fingerprint)
            .collect();
        let coder = Coder::new(rules);
        let merged = |wins: bool| {
            let of_side = |holder: Side| {
                let parts: Vec<(u32, &Part)> = (0..)
                    .zip(&certificates)
                    .flat_map(|(number, (_, certificate))| {
                        certificate.parts().iter().map(move |part| (number, part))
                    })
                    .filter(|(_, part)| part.holder == holder && part.wins == wins)
                    .collect();
                Strategy::merge(&parts, coder.bytes)
            };
            BySide::from_fn(of_side)
        };
        let (winning, holding) = (merged(true), merged(false));
        let described = certificates.iter().map(|(name, certificate)| BookCertificate {
            name: name.clone(),
            position: *certificate.position(),
            value: certificate.value(),
            moves: certificate.moves(),
        });
        let certificates = described.collect();
        ProofBook { tables, coder, winning, holding, certificates }
    }

    /// Returns the rules.
    pub fn rules(&self) -> &Ruleset {
        self.tables.rules()
    }

    /// Returns the certificates.
    pub fn certificates(&self) -> &[BookCertificate] {
        &self.certificates
    }

    /// Returns the number of positions with a move.
    pub fn positions(&self) -> usize {
        self.strategies().map(Strategy::len).sum()
    }

    /// Returns the memory of the positions in bytes.
    pub fn bytes(&self) -> usize {
        self.strategies().map(Strategy::bytes).sum()
    }

    fn strategies(&self) -> impl Iterator<Item = &Strategy> {
        Side::ALL.into_iter().flat_map(|side| [&self.winning[side], &self.holding[side]])
    }

    /// Returns a strategy's move for the side to move, preferably one that wins.
    pub fn strategy_move(&self, position: &Position) -> Option<BookMove> {
        let strategies = [(true, &self.winning), (false, &self.holding)];
        strategies.into_iter().find_map(|(wins, by_side)| {
            let strategy = &by_side[position.to_move];
            let (played, order) = self.find(strategy, position)?;
            let certificate = strategy.certificate(order)? as usize;
            Some(BookMove { played, wins, certificate })
        })
    }

    /// Finds the move of a strategy, with its order; `None` if it is not legal.
    fn find(&self, strategy: &Strategy, position: &Position) -> Option<(Move, u32)> {
        if strategy.len() == 0 || position.rules != self.rules().id() {
            return None;
        }
        let code = self.coder.encode(position);
        let Entry { from, to, order } = strategy.find(code.as_bytes())?;
        let [from, to] = [self.coder.preimage(&code, from)?, self.coder.preimage(&code, to)?]
            .map(|square| Square::new(usize::from(square)));
        // A damaged certificate may hold anything; an illegal move proves nothing.
        Some((find_move(self.rules(), position, from, to)?, order))
    }

    /// Returns what is known about a position and the positions after its moves. Nothing is known
    /// about a position that is not legal under the book's rules.
    pub fn bounds(&self, position: &Position) -> WdlBounds {
        match position.check(self.rules()) {
            Ok(()) => self.bounds_by_replies(position),
            Err(_) => WdlBounds::UNKNOWN,
        }
    }

    /// Returns what is known about a position and each of its moves, looking two plies ahead.
    ///
    /// # Errors
    /// If the position is not legal under the book's rules, or the game is over.
    pub fn probe(&self, position: &Position) -> Result<BookProbe, PositionError> {
        position.check(self.rules())?;
        let moves: Vec<(Move, WdlBounds)> = legal_moves(self.rules(), position)
            .into_iter()
            .map(|played| (played, after(position, &played, |next| self.bounds_by_replies(next))))
            .collect();
        let best = WdlBounds::best(moves.iter().map(|&(_, bounds)| bounds));
        let strategy = self.strategy_move(position);
        let certificate = match strategy {
            Some(BookMove { certificate, .. }) => Some(certificate),
            None => self.certificate_near(position, &moves),
        };
        let bounds = self.own_bounds(position).and(best);
        Ok(BookProbe { bounds, moves, strategy, certificate })
    }

    /// Returns the certificate for a position, or one that contains a position after one of its moves.
    fn certificate_near(&self, position: &Position, moves: &[(Move, WdlBounds)]) -> Option<usize> {
        let about = self.certificates.iter().position(|known| known.position == *position);
        about.or_else(|| {
            let quiet = moves.iter().filter(|(played, _)| played.ending.is_none());
            let next = |(played, _): &(Move, _)| self.strategy_move(&position.after(played));
            Some(quiet.filter_map(next).next()?.certificate)
        })
    }

    fn bounds_by_replies(&self, position: &Position) -> WdlBounds {
        let own = self.own_bounds(position);
        if own.exact().is_some() {
            return own;
        }
        let replies = each_legal_move(self.rules(), position)
            .map(|reply| after(position, &reply, |next| self.own_bounds(next)));
        own.and(WdlBounds::best(replies))
    }

    /// Returns what the rules, the tables or a strategy of the side to move say about a position.
    fn own_bounds(&self, position: &Position) -> WdlBounds {
        // This includes wins at once, for which no table is needed.
        if let Some(wdl) = self.tables.for_search(self.tables.probe_one(position)) {
            return WdlBounds::exactly(wdl);
        }
        match self.strategy_move(position) {
            Some(BookMove { wins: true, .. }) => WdlBounds::exactly(Wdl::Win),
            Some(_) => WdlBounds { at_least: Wdl::Draw, at_most: Wdl::Win },
            None => WdlBounds::UNKNOWN,
        }
    }

    /// Returns the order of a position in the strategies by which `winner` wins: a number that falls
    /// with every ply. `None` if the strategies do not contain the position.
    pub fn order(&self, position: &Position, winner: Side) -> Option<u64> {
        if position.to_move == winner {
            // In positions of the tables, the tables choose the move, not the strategy.
            let probed = self.tables.probe_one::<Wdl>(position);
            let is_known = self.tables.for_search(probed).is_some();
            let (_, order) = self.find(&self.winning[winner], position).filter(|_| !is_known)?;
            return Some(2 * u64::from(order) + 1);
        }
        // Between the winner's position before and the highest one after.
        let mut highest = 0;
        for reply in each_legal_move(self.rules(), position) {
            match reply.ending {
                Some(ending) if ending.winner() == winner => continue,
                Some(_) => return None,
                None => {}
            }
            let next = position.after(&reply);
            match self.order(&next, winner) {
                Some(order) => highest = highest.max(order + 1),
                None if self.own_bounds(&next).at_least == Wdl::Win => {}
                None => return None,
            }
        }
        Some(highest)
    }
}

/// Returns the outcome of a move for the side that plays it, given that of the position after it.
fn after(
    position: &Position,
    played: &Move,
    bounds: impl FnOnce(&Position) -> WdlBounds,
) -> WdlBounds {
    match played.ending {
        Some(ending) if ending.winner() == position.to_move => WdlBounds::exactly(Wdl::Win),
        Some(_) => WdlBounds::exactly(Wdl::Loss),
        None => -bounds(&position.after(played)),
    }
}

impl ProvedPositions for ProofBook {
    fn rules(&self) -> &Ruleset {
        self.rules()
    }

    fn bounds(&self, position: &Position) -> WdlBounds {
        self.bounds(position)
    }

    fn winning_move(&self, position: &Position) -> Option<Move> {
        let book_move = self.strategy_move(position)?;
        book_move.wins.then_some(book_move.played)
    }

    fn order(&self, position: &Position, winner: Side) -> Option<u64> {
        self.order(position, winner)
    }
}

impl fmt::Debug for ProofBook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProofBook")
            .field("rules", &self.rules().name)
            .field("certificates", &self.certificates)
            .field("positions", &self.positions())
            .finish_non_exhaustive()
    }
}
