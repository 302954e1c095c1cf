//! Canonical positions: one of each class of mirror images.

use crate::engine::bits::Bits;
use crate::engine::state::{State, Step};
use crate::game::board::{Square, Symmetry};
use crate::game::position::Position;
use crate::game::rules::{RulesId, Ruleset, Side};

use super::certificate::StrategyMove;

/// The mirror image of a position that is least in the order of these fields.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Canonical<const W: usize> {
    king: u16,
    attackers: Bits<W>,
    defenders: Bits<W>,
    pub(super) to_move: Side,
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

    /// Returns a move from this position as one of a strategy.
    pub(super) fn strategy_move(&self, rules: RulesId, step: Step, rank: u32) -> StrategyMove {
        let [from, to] = [step.from(), step.to()].map(|square| square as u16);
        StrategyMove { position: self.position(rules), from, to, rank }
    }
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
