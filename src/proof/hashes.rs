//! Hashes of positions up to symmetry, updated move by move.
//!
//! All mirror images of a position are hashed by Zobrist's method at once. Mirror images have the
//! same hashes in another order, so the least and the greatest of them identify the class, and no
//! board has to be mirrored.

use crate::engine::bits::Bits;
use crate::engine::state::{State, Step};
use crate::game::board::array_of;
use crate::game::rules::{ByKind, Kind, Ruleset, Side};
use crate::system::random::SeededRng;

/// The maximum number of symmetries of a board.
const IMAGES: usize = 8;

/// The hash of a position and of the side whose win is searched for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Key {
    /// Selects the bucket of the table.
    pub(super) bucket: u64,
    /// Is stored in the table and compared.
    pub(super) check: u64,
}

/// The hashes of a position's mirror images.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Hashes([u64; IMAGES]);

impl Hashes {
    #[inline]
    fn toggle(&mut self, keys: &[u64; IMAGES]) {
        self.0 = array_of(|i| self.0[i] ^ keys[i]);
    }

    /// Returns the key of the position in the search for the win of `prover`.
    #[inline]
    pub(super) fn key(&self, prover: Side) -> Key {
        let (mut least, mut greatest) = (self.0[0], self.0[0]);
        for &hash in &self.0[1..] {
            least = least.min(hash);
            greatest = greatest.max(hash);
        }
        let salt = match prover {
            Side::Attackers => 0x9e37_79b9_7f4a_7c15,
            Side::Defenders => 0xa076_1d64_78bd_642f,
        };
        // The least hash has few high bits, which select the bucket, before it is multiplied.
        let bucket = (least ^ salt).wrapping_mul(0xd6e8_feb8_6659_fd93);
        Key { bucket, check: greatest ^ bucket.rotate_left(32) }
    }

    /// Returns the number of the symmetry that leads to the image with the least hash.
    pub(super) fn symmetry(&self) -> u8 {
        let mut best = 0;
        for (number, hash) in self.0.iter().enumerate() {
            if *hash < self.0[best] {
                best = number;
            }
        }
        best as u8
    }
}

/// The keys of a ruleset's pieces.
pub(super) struct HashKeys {
    /// By kind and square, the keys of the square's images.
    pieces: ByKind<Vec<[u64; IMAGES]>>,
    to_move: [u64; IMAGES],
}

impl HashKeys {
    pub(super) fn new(rules: &Ruleset) -> HashKeys {
        let board = rules.board;
        let mut random = SeededRng::new(0x7072_6f6f_6673);
        let symmetries: Vec<_> = rules.symmetries().iter().collect();
        let pieces = ByKind::from_fn(|_| {
            let keys: Vec<u64> = board.squares().map(|_| random.next_u64()).collect();
            let images = board.squares().map(|square| {
                // Rules with fewer symmetries have some images several times.
                std::array::from_fn(|number| {
                    let symmetry = symmetries[number % symmetries.len()];
                    keys[symmetry.apply(board, square).index()]
                })
            });
            images.collect()
        });
        HashKeys { pieces, to_move: [random.next_u64(); IMAGES] }
    }

    /// Returns a number that other keys do not share.
    pub(super) fn identity(&self) -> u64 {
        let pieces = self.pieces.iter().flatten().chain([&self.to_move]).flatten();
        pieces.fold(0, |identity: u64, &key| identity.rotate_left(5) ^ key)
    }

    /// Returns the hashes of a state.
    pub(super) fn hashes<const W: usize>(&self, state: &State<W>) -> Hashes {
        let mut hashes = Hashes([0; IMAGES]);
        for side in Side::ALL {
            for square in state.soldiers[side].iter() {
                hashes.toggle(&self.pieces[side.soldier()][square]);
            }
        }
        hashes.toggle(&self.pieces[Kind::King][state.king]);
        if state.to_move == Side::Defenders {
            hashes.toggle(&self.to_move);
        }
        hashes
    }

    /// Returns the hashes after a move without captures of a man of this kind.
    #[inline]
    pub(super) fn after(&self, hashes: &Hashes, kind: Kind, step: Step) -> Hashes {
        let (from, to) = (&self.pieces[kind][step.from()], &self.pieces[kind][step.to()]);
        Hashes(array_of(|i| hashes.0[i] ^ from[i] ^ to[i] ^ self.to_move[i]))
    }

    /// Returns the hashes without these captured soldiers of a side.
    #[inline]
    pub(super) fn without<const W: usize>(
        &self,
        hashes: Hashes,
        side: Side,
        captured: Bits<W>,
    ) -> Hashes {
        let mut left = hashes;
        captured.iter().for_each(|square| left.toggle(&self.pieces[side.soldier()][square]));
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::board_tables::BoardTables;
    use crate::game::position::Position;

    /// Plays random moves, and calls `look` with each state and its hashes, updated move by move.
    fn along_games(rules: &Ruleset, keys: &HashKeys, mut look: impl FnMut(&State<2>, &Hashes)) {
        let board: BoardTables<2> = BoardTables::new(rules);
        let mut random = SeededRng::new(3);
        for _ in 0..30 {
            let mut state = State::new(&board, &Position::start(rules).unwrap());
            let mut hashes = keys.hashes(&state);
            for _ in 0..60 {
                let steps = state.steps(&board);
                let Some(&step) = random.choose(&steps) else { break };
                if state.winning_step(&board).is_some() {
                    break;
                }
                let moved = keys.after(&hashes, state.mover_kind(step.from()), step);
                let undo = state.play(&board, step);
                hashes = keys.without(moved, state.to_move, undo.captured);
                look(&state, &hashes);
            }
        }
    }

    #[test]
    fn updated_hashes_are_those_of_the_state_and_of_its_mirror_images() {
        for name in ["brandubh", "berkeley"] {
            let rules = Ruleset::builtin(name).unwrap();
            let keys = HashKeys::new(&rules);
            let board: BoardTables<2> = BoardTables::new(&rules);
            let mut seen = std::collections::HashMap::new();
            along_games(&rules, &keys, |state, hashes| {
                assert_eq!(*hashes, keys.hashes(state));
                let position = state.position(rules.id());
                let text = position.to_text(&rules);
                let mut images = Vec::new();
                for symmetry in rules.symmetries().iter() {
                    let image = Position {
                        attackers: symmetry.apply_set(rules.board, position.attackers),
                        defenders: symmetry.apply_set(rules.board, position.defenders),
                        king: symmetry.apply(rules.board, position.king),
                        ..position
                    };
                    let image_hashes = keys.hashes(&State::new(&board, &image));
                    for prover in Side::ALL {
                        assert_eq!(image_hashes.key(prover), hashes.key(prover), "{text}");
                    }
                    images.push((image.to_text(&rules), image_hashes));
                }
                // Every image leads to the same one.
                let least = &images[usize::from(hashes.symmetry())];
                assert_eq!(least.1.symmetry(), 0, "{text}");
                let class = images.iter().map(|(text, _)| text.clone()).min();
                let known = seen.entry(hashes.key(Side::Attackers).check).or_insert(class.clone());
                assert_eq!(*known, class, "{text}: a key of two positions");
                assert_ne!(hashes.key(Side::Attackers), hashes.key(Side::Defenders));
            });
        }
    }
}
