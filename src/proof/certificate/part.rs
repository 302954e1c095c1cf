use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rayon::prelude::*;

use crate::game::board::Square;
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};

use super::code::{Coder, find_code};

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
    /// first one of least rank is used.
    pub(in crate::proof) fn new(
        rules: &Ruleset,
        holder: Side,
        wins: bool,
        moves: impl IntoIterator<Item = StrategyMove>,
    ) -> Part {
        let mut builder = PartBuilder::new(rules, holder, wins);
        for strategy_move in moves {
            builder.add(&strategy_move);
        }
        builder.finish(&|_| true)
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
        let coder = Coder::new(rules);
        (0..self.len()).filter_map(move |number| self.strategy_move(number, &coder, rules))
    }

    /// Returns a move in the stored image of its position; `None` if it is impossible.
    fn strategy_move(&self, number: usize, coder: &Coder, rules: &Ruleset) -> Option<StrategyMove> {
        let (code, StoredMove { from, to, rank }) = self.get(number);
        let position = coder.decode(code, rules, self.holder)?;
        let [origin, target] = [from, to].map(usize::from);
        let is_possible = origin.max(target) < rules.board.area()
            && position.check(rules).is_ok()
            && position.pieces(self.holder).contains(Square::new(origin))
            && position.piece(Square::new(target)).is_none();
        is_possible.then_some(StrategyMove { position, from, to, rank })
    }

    fn code(&self, number: usize) -> &[u8] {
        &self.codes[number * self.code_bytes..][..self.code_bytes]
    }

    /// Finds the move for a code.
    pub(in crate::proof) fn find(&self, code: &[u8]) -> Option<StoredMove> {
        find_code(&self.codes, code).map(|number| self.moves[number])
    }
}

/// A part in the making, whose moves are found by their positions.
///
/// The proof of an opening has hundreds of millions of moves, so one takes little memory: its code, 8
/// bytes, and 5 to 10 bytes of the hash table.
pub(in crate::proof) struct PartBuilder<'r> {
    rules: &'r Ruleset,
    coder: Coder,
    /// The moves in the order in which their positions were added.
    part: Part,
    /// The numbers of the moves, by the hashes of their codes.
    numbers: HashTable<u32>,
    hasher: RandomState,
}

impl<'r> PartBuilder<'r> {
    pub(in crate::proof) fn new(rules: &'r Ruleset, holder: Side, wins: bool) -> Self {
        let coder = Coder::new(rules);
        let part = Part::empty(holder, wins, coder.bytes);
        PartBuilder { rules, coder, part, numbers: HashTable::new(), hasher: RandomState::new() }
    }

    /// Adds a move. If a mirror image of its position has one already, the move of lesser rank is
    /// kept. Returns false if there are 2^32 moves, and this one finds no place.
    pub(in crate::proof) fn add(&mut self, new: &StrategyMove) -> bool {
        let code = self.coder.encode(&new.position);
        let [from, to] = [new.from, new.to].map(|square| self.coder.image(&code, square));
        let stored = StoredMove { from, to, rank: new.rank };
        let PartBuilder { part, numbers, hasher, .. } = self;
        let has_code = |&number: &u32| part.code(number as usize) == code.as_bytes();
        let hash = |&number: &u32| hasher.hash_one(part.code(number as usize));
        match numbers.entry(hasher.hash_one(code.as_bytes()), has_code, hash) {
            Entry::Occupied(number) => {
                let old = &mut part.moves[*number.get() as usize];
                if stored.rank < old.rank {
                    *old = stored;
                }
            }
            Entry::Vacant(place) => {
                let Ok(number) = u32::try_from(part.len()) else { return false };
                part.push(code.as_bytes(), stored);
                place.insert(number);
            }
        }
        true
    }

    /// The number of moves.
    pub(in crate::proof) fn len(&self) -> usize {
        self.part.len()
    }

    /// Finds the number of a position's move.
    pub(in crate::proof) fn find(&self, position: &Position) -> Option<usize> {
        self.number(self.coder.encode(position).as_bytes())
    }

    /// Returns the rank of a position that has a move.
    pub(in crate::proof) fn rank(&self, position: &Position) -> Option<u32> {
        Some(self.part.moves[self.find(position)?].rank)
    }

    /// Returns the move of that number in the stored image of its position; `None` if it is
    /// impossible.
    pub(in crate::proof) fn get(&self, number: usize) -> Option<StrategyMove> {
        self.part.strategy_move(number, &self.coder, self.rules)
    }

    /// Returns the part with those moves whose numbers are kept. A part that does not win has no
    /// ranks.
    pub(in crate::proof) fn finish(self, is_kept: &dyn Fn(usize) -> bool) -> Part {
        let Part { holder, wins, code_bytes, .. } = self.part;
        drop(self.numbers);
        let mut order: Vec<u32> = (0..=u32::MAX)
            .take(self.part.len())
            .filter(|&number| is_kept(number as usize))
            .collect();
        let code = |number: u32| self.part.code(number as usize);
        order.par_sort_unstable_by(|&one, &other| code(one).cmp(code(other)));
        // One copy after the other: together with the originals they may not fit in memory.
        let mut codes = Vec::with_capacity(order.len() * code_bytes);
        order.iter().for_each(|&number| codes.extend_from_slice(code(number)));
        let Part { moves, .. } = { self.part };
        let moves = order.iter().map(|&number| {
            let StoredMove { from, to, rank } = moves[number as usize];
            StoredMove { from, to, rank: if wins { rank } else { 0 } }
        });
        Part { holder, wins, code_bytes, codes, moves: moves.collect() }
    }

    fn number(&self, code: &[u8]) -> Option<usize> {
        let hash = self.hasher.hash_one(code);
        let has_code = |&number: &u32| self.part.code(number as usize) == code;
        self.numbers.find(hash, has_code).map(|&number| number as usize)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::proof::tests::{random_positions, rules};
    use crate::system::random::SeededRng;

    /// A map from codes to moves says what a part should have.
    #[test]
    fn a_part_has_the_move_of_least_rank_in_each_position() {
        let rules = rules("mini-corner");
        let coder = Coder::new(&rules);
        let mut random = SeededRng::new(20_261_128);
        let positions = random_positions(&rules, "K1v2", 300, 1);
        for wins in [true, false] {
            let mut builder = PartBuilder::new(&rules, positions[0].to_move, wins);
            let mut least: BTreeMap<Vec<u8>, StoredMove> = BTreeMap::new();
            for _ in 0..3000 {
                let position = positions[random.below(positions.len())];
                let position = Position { to_move: positions[0].to_move, ..position };
                let symmetries: Vec<_> = rules.symmetries().iter().collect();
                let symmetry = symmetries[random.below(symmetries.len())];
                let position = position.image(&rules, symmetry);
                let [from, to] = [0; 2].map(|_| random.below(rules.board.area()) as u16);
                let rank = random.below(1000) as u32;
                assert!(builder.add(&StrategyMove { position, from, to, rank }));
                let code = coder.encode(&position);
                let [from, to] = [from, to].map(|square| coder.image(&code, square));
                let stored = StoredMove { from, to, rank };
                let kept = least.entry(code.as_bytes().to_vec()).or_insert(stored);
                if rank < kept.rank {
                    *kept = stored;
                }
                assert_eq!(builder.rank(&position), Some(kept.rank));
                let number = builder.find(&position).unwrap();
                if let Some(found) = builder.get(number) {
                    assert_eq!(coder.encode(&found.position).as_bytes(), code.as_bytes());
                    assert_eq!((found.from, found.to, found.rank), (kept.from, kept.to, kept.rank));
                }
            }
            assert_eq!(builder.len(), least.len());
            assert!(builder.rank(&random_positions(&rules, "K0v2", 1, 2)[0]).is_none());
            let is_kept = |code: &[u8]| code[code.len() / 2].is_multiple_of(2);
            let kept: Vec<bool> =
                (0..builder.len()).map(|number| is_kept(builder.part.code(number))).collect();
            let part = builder.finish(&|number| kept[number]);
            let expected: Vec<_> = least.into_iter().filter(|(code, _)| is_kept(code)).collect();
            assert_eq!(part.len(), expected.len());
            assert!(expected.len() > 50 && !kept.iter().all(|&is_kept| is_kept));
            for (number, (code, stored)) in expected.into_iter().enumerate() {
                let rank = if wins { stored.rank } else { 0 };
                assert_eq!(part.get(number), (&code[..], StoredMove { rank, ..stored }));
                assert_eq!(part.find(&code), Some(StoredMove { rank, ..stored }));
            }
        }
    }
}
