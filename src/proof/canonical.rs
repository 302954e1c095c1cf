//! Canonical positions: one of each class of mirror images.

use crate::engine::bits::Bits;
use crate::engine::state::{State, Step};
use crate::game::board::{Square, Symmetry};
use crate::game::position::Position;
use crate::game::rules::{RulesId, Ruleset, Side};

/// The least of the mirror images of a position, in the order of its fields.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Canonical<const W: usize> {
    king: u16,
    attackers: Bits<W>,
    defenders: Bits<W>,
    pub(super) to_move: Side,
}

/// The hash of a position in the search for one side's win.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Key {
    /// Selects the bucket of the table.
    pub(super) bucket: u64,
    /// Is stored and compared.
    pub(super) check: u64,
}

impl<const W: usize> Canonical<W> {
    pub(super) fn position(&self, rules: RulesId) -> Position {
        Position {
            attackers: self.attackers.squares(),
            defenders: self.defenders.squares(),
            king: Square::new(self.king.into()),
            to_move: self.to_move,
            rules,
        }
    }

    /// Returns the hash of the position when `prover` is to win.
    #[inline]
    pub(super) fn key(&self, prover: Side) -> Key {
        let (attackers, defenders) = (self.attackers.words(), self.defenders.words());
        let tail = u64::from(self.king) | (self.to_move as u64) << 32 | (prover as u64) << 33;
        let mut bucket = fold(tail ^ 0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93);
        let mut check = fold(tail ^ 0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db);
        for (a, d) in attackers.into_iter().zip(defenders) {
            bucket = fold(bucket ^ a, d ^ 0x8ebc_6af0_9c88_c6e3);
            check = fold(check ^ a.rotate_left(29), d.rotate_left(11) ^ 0x5899_65cc_7537_4cc3);
        }
        Key { bucket, check: check ^ bucket.rotate_left(32) }
    }
}

/// Multiplies to 128 bits and folds the halves.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// The symmetries of a ruleset, prepared for bitboards.
pub(super) struct Symmetries<const W: usize> {
    images: Vec<Images<W>>,
    /// By the king's square, the symmetries that take it to the least square of its orbit.
    candidates: Vec<Vec<u8>>,
}

/// The images under one symmetry.
struct Images<const W: usize> {
    squares: Vec<u16>,
    preimages: Vec<u16>,
    /// By byte of a bitboard and its value.
    bytes: Vec<[Bits<W>; 256]>,
}

impl<const W: usize> Symmetries<W> {
    pub(super) fn new(rules: &Ruleset) -> Symmetries<W> {
        let images: Vec<Images<W>> =
            rules.symmetries().iter().map(|symmetry| Images::new(rules, symmetry)).collect();
        let candidates = (0..rules.board.area()).map(|king| {
            let least = images.iter().map(|image| image.squares[king]).min();
            let is_least = |&number: &u8| Some(images[usize::from(number)].squares[king]) == least;
            (0..images.len() as u8).filter(is_least).collect()
        });
        let candidates = candidates.collect();
        Symmetries { images, candidates }
    }

    /// Returns the canonical position of a state and the symmetry that maps to it.
    #[inline]
    pub(super) fn canonical(&self, state: &State<W>) -> (Canonical<W>, u8) {
        let candidates = &self.candidates[state.king];
        let mut best = self.image(state, candidates[0]);
        let mut symmetry = candidates[0];
        for &candidate in &candidates[1..] {
            let image = self.image(state, candidate);
            if image < best {
                (best, symmetry) = (image, candidate);
            }
        }
        (best, symmetry)
    }

    #[inline]
    fn image(&self, state: &State<W>, symmetry: u8) -> Canonical<W> {
        let images = &self.images[usize::from(symmetry)];
        Canonical {
            king: images.squares[state.king],
            attackers: images.of(state.soldiers[Side::Attackers]),
            defenders: images.of(state.soldiers[Side::Defenders]),
            to_move: state.to_move,
        }
    }

    /// Returns whether a position with the king on this square can be its own mirror image, so
    /// that two of its moves can lead to the same canonical position.
    #[inline]
    pub(super) fn may_fold(&self, king: usize) -> bool {
        self.candidates[king].len() > 1
    }

    /// Returns the image of a move.
    pub(super) fn step_image(&self, step: Step, symmetry: u8) -> Step {
        let squares = &self.images[usize::from(symmetry)].squares;
        Step::new(squares[step.from()].into(), squares[step.to()].into())
    }

    /// Returns the move whose image this is.
    pub(super) fn step_preimage(&self, step: Step, symmetry: u8) -> Step {
        let squares = &self.images[usize::from(symmetry)].preimages;
        Step::new(squares[step.from()].into(), squares[step.to()].into())
    }
}

impl<const W: usize> Images<W> {
    fn new(rules: &Ruleset, symmetry: Symmetry) -> Images<W> {
        let board = rules.board;
        let squares: Vec<u16> =
            board.squares().map(|square| symmetry.apply(board, square).index() as u16).collect();
        let mut preimages = vec![0; squares.len()];
        for (square, &image) in (0..).zip(&squares) {
            preimages[usize::from(image)] = square;
        }
        let bytes = (0..board.area().div_ceil(8)).map(|byte| {
            std::array::from_fn(|value| {
                let mut image = Bits::EMPTY;
                for bit in (0..8).filter(|bit| value >> bit & 1 == 1) {
                    if let Some(&square) = squares.get(8 * byte + bit) {
                        image.insert(square.into());
                    }
                }
                image
            })
        });
        let bytes = bytes.collect();
        Images { squares, preimages, bytes }
    }

    #[inline]
    fn of(&self, set: Bits<W>) -> Bits<W> {
        let words = set.words();
        self.bytes.iter().enumerate().fold(Bits::EMPTY, |image, (byte, values)| {
            let value = words[byte / 8] >> (8 * (byte % 8)) & 0xff;
            image | values[value as usize]
        })
    }
}
