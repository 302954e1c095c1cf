//! Certificates as a source of values, for positions beyond the tables.

mod answer;
mod load;
mod strategy;
#[cfg(test)]
mod tests;

pub use load::BookError;

use std::fmt;
use std::sync::Arc;

use crate::engine::ProvedPositions;
use crate::game::board::Square;
use crate::game::moves::{Move, each_legal_move, find_move, legal_moves};
use crate::game::position::{Position, PositionError};
use crate::game::rules::{BySide, Ruleset, Side};
use crate::game::value::{Wdl, WdlBounds};
use crate::proof::certificate::{Certificate, Coder, Part};
use crate::proof::prover::ProvedValue;
use crate::tablebase::Tablebase;

use strategy::{Entry, Strategy};

/// The proved positions of certificates.
///
/// A certificate is trusted as a table is: [`check`](super::check) proves it, and a book does not
/// repeat that. A position is decided by the rules of a certificate's format: at once by the rules
/// of the game, by a table, by a move of a strategy, or because every reply leads to such a
/// position.
///
/// A book takes 21 bytes for each position on 7x7, and 29 on 9x9. Certificates may share positions;
/// a shared one is kept once.
pub struct ProofBook {
    tables: Arc<Tablebase>,
    coder: Coder,
    /// By the side that plays them: strategies that win, and those that do not lose.
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
    /// The position that it is about.
    pub position: Position,
    /// The value that it claims.
    pub value: ProvedValue,
    /// The moves of its strategies.
    pub moves: usize,
}

/// A move of a certificate's strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BookMove {
    /// The move.
    pub played: Move,
    /// Whether the strategy wins; else it does not lose.
    pub wins: bool,
    /// The number of the certificate in [`ProofBook::certificates`].
    pub certificate: usize,
}

/// What a book knows of a position and of its moves.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BookProbe {
    /// The outcome of the position, for the side to move.
    pub bounds: WdlBounds,
    /// The legal moves, each with its outcome for the side that plays it.
    pub moves: Vec<(Move, WdlBounds)>,
    /// The move of a strategy, if the position is in one.
    pub strategy: Option<BookMove>,
    /// The number of a certificate that has the position, or one near it.
    pub certificate: Option<usize>,
}

impl ProofBook {
    /// Creates a book of certificates of the tables' rules, each with its name. Of several for one
    /// position the first is used.
    ///
    /// The tables should be those that the certificates rest on, as
    /// [`Certificate::compare_tables`] finds; what rests on a missing table is not known.
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
            BySide(Side::ALL.map(of_side))
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

    /// Returns the memory that the positions take, in bytes.
    pub fn bytes(&self) -> usize {
        self.strategies().map(Strategy::bytes).sum()
    }

    fn strategies(&self) -> impl Iterator<Item = &Strategy> {
        Side::ALL.into_iter().flat_map(|side| [&self.winning[side], &self.holding[side]])
    }

    /// Returns the move of a strategy for the side to move; one that wins if there is one.
    pub fn strategy_move(&self, position: &Position) -> Option<BookMove> {
        let strategies = [(true, &self.winning), (false, &self.holding)];
        strategies.into_iter().find_map(|(wins, by_side)| {
            let strategy = &by_side[position.to_move];
            let (played, order) = self.find(strategy, position)?;
            let certificate = strategy.certificate(order)? as usize;
            Some(BookMove { played, wins, certificate })
        })
    }

    /// Finds a legal move of a strategy, with its order.
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

    /// Returns what is known of a position without looking beyond the replies to it; nothing of a
    /// position that is not legal under the book's rules.
    pub fn bounds(&self, position: &Position) -> WdlBounds {
        match position.check(self.rules()) {
            Ok(()) => self.bounds_by_replies(position),
            Err(_) => WdlBounds::UNKNOWN,
        }
    }

    /// Returns what is known of a position and of each of its moves, looking two plies ahead.
    ///
    /// # Errors
    /// If the position is not legal under the book's rules, or its game is over.
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

    /// Returns the certificate about a position, or one that has a position after one of its moves.
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

    /// Returns what the rules, the tables or a strategy of the side to move say of a position.
    fn own_bounds(&self, position: &Position) -> WdlBounds {
        // This includes wins at once, for which no table is needed.
        if let Ok(wdl) = self.tables.probe_wdl(position) {
            return WdlBounds::exactly(wdl);
        }
        match self.strategy_move(position) {
            Some(BookMove { wins: true, .. }) => WdlBounds::exactly(Wdl::Win),
            Some(_) => WdlBounds { at_least: Wdl::Draw, at_most: Wdl::Win },
            None => WdlBounds::UNKNOWN,
        }
    }

    /// Returns the order of a position in the strategies by which a side wins, which falls with
    /// every ply. `None` if the strategies do not have the position.
    pub fn order(&self, position: &Position, winner: Side) -> Option<u64> {
        if position.to_move == winner {
            // What the tables know is played by them, whatever a strategy has.
            let is_known = self.tables.probe_wdl(position).is_ok();
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
