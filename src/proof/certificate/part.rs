use crate::game::board::Square;
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};

use super::code::Coder;

/// A move of a strategy.
#[derive(Clone, Copy, Debug)]
pub(in crate::proof) struct StrategyMove {
    /// The position, with the holder to move.
    pub(in crate::proof) position: Position,
    /// The squares that the piece leaves and reaches.
    pub(in crate::proof) from: u16,
    pub(in crate::proof) to: u16,
    /// In a winning strategy, less than the ranks of all earlier positions of a line.
    pub(in crate::proof) rank: u32,
}

/// One claim with its strategy: moves sorted by the codes of their positions.
#[derive(Clone, Debug)]
pub(in crate::proof) struct Part {
    pub(in crate::proof) holder: Side,
    /// Whether the holder wins; otherwise it does not lose.
    pub(in crate::proof) wins: bool,
    code_bytes: usize,
    /// The codes, one after the other.
    codes: Vec<u8>,
    moves: Vec<StoredMove>,
}

/// A move in the stored image of its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::proof) struct StoredMove {
    pub(in crate::proof) from: u16,
    pub(in crate::proof) to: u16,
    pub(in crate::proof) rank: u32,
}

impl Part {
    /// Makes a part from the holder's moves. If mirror images of a position have several moves, the
    /// first one is used.
    pub(in crate::proof) fn new(
        rules: &Ruleset,
        holder: Side,
        wins: bool,
        moves: impl IntoIterator<Item = StrategyMove>,
    ) -> Part {
        let coder = Coder::new(rules);
        let mut coded: Vec<_> = moves
            .into_iter()
            .map(|strategy_move| {
                let code = coder.encode(&strategy_move.position);
                let [from, to] =
                    [strategy_move.from, strategy_move.to].map(|square| coder.image(&code, square));
                (code, StoredMove { from, to, rank: strategy_move.rank })
            })
            .collect();
        coded.sort_by(|(one, _), (other, _)| one.as_bytes().cmp(other.as_bytes()));
        coded.dedup_by(|(later, _), (first, _)| later.as_bytes() == first.as_bytes());
        let mut part = Part::empty(holder, wins, coder.bytes);
        for (code, stored) in coded {
            part.push(code.as_bytes(), stored);
        }
        part
    }

    pub(in crate::proof) fn empty(holder: Side, wins: bool, code_bytes: usize) -> Part {
        Part { holder, wins, code_bytes, codes: Vec::new(), moves: Vec::new() }
    }

    /// Appends a move whose code is greater than the last one.
    pub(in crate::proof) fn push(&mut self, code: &[u8], stored: StoredMove) {
        self.codes.extend_from_slice(code);
        self.moves.push(stored);
    }

    /// The number of moves.
    pub(in crate::proof) fn len(&self) -> usize {
        self.moves.len()
    }

    /// The most bytes that the moves take in a file, before compression: those of the shared
    /// length, the code, the squares and the rank.
    pub(in crate::proof) fn max_stored_bytes(&self) -> usize {
        self.len() * (size_of::<u8>() + self.code_bytes + size_of::<StoredMove>())
    }

    /// The code and the move of that number.
    pub(in crate::proof) fn get(&self, number: usize) -> (&[u8], StoredMove) {
        (self.code(number), self.moves[number])
    }

    /// Returns the moves in the stored images of their positions, without those that are
    /// impossible.
    pub(super) fn moves<'a>(
        &'a self,
        rules: &'a Ruleset,
    ) -> impl Iterator<Item = StrategyMove> + 'a {
        let (coder, area) = (Coder::new(rules), rules.board.area());
        (0..self.len()).filter_map(move |number| {
            let (code, StoredMove { from, to, rank }) = self.get(number);
            let position = coder.decode(code, rules, self.holder)?;
            let [origin, target] = [from, to].map(usize::from);
            let is_possible = origin.max(target) < area
                && position.check(rules).is_ok()
                && position.pieces(self.holder).contains(Square::new(origin))
                && position.piece(Square::new(target)).is_none();
            is_possible.then_some(StrategyMove { position, from, to, rank })
        })
    }

    fn code(&self, number: usize) -> &[u8] {
        &self.codes[number * self.code_bytes..][..self.code_bytes]
    }

    /// Finds the move for a code by binary search.
    pub(in crate::proof) fn find(&self, code: &[u8]) -> Option<StoredMove> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.code(middle).cmp(code) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(self.moves[middle]),
            }
        }
        None
    }
}
