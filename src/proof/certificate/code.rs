use std::cmp::Ordering;

use crate::game::board::{Square, SquareSet};
use crate::game::position::Position;
use crate::game::rules::{Kind, Ruleset, Side};

/// The most bytes of a code: two bits for each square of the largest board.
pub(in crate::proof) const MAX_BYTES: usize = 91;

/// Encodes positions up to symmetry; see the format.
pub(in crate::proof) struct Coder {
    /// By symmetry, the image of each square.
    images: Vec<Vec<u16>>,
    squares: usize,
    /// The length of a code.
    pub(in crate::proof) bytes: usize,
}

/// The least code of a position's mirror images.
#[derive(Clone, Copy, Debug)]
pub(in crate::proof) struct Code {
    bytes: [u8; MAX_BYTES],
    len: usize,
    /// The number of the symmetry that maps the position to its stored image.
    symmetry: usize,
}

impl Code {
    pub(in crate::proof) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// Finds a code by binary search among sorted ones of the same length, one after the other.
pub(in crate::proof) fn find_code(codes: &[u8], code: &[u8]) -> Option<usize> {
    let (mut low, mut high) = (0, codes.len() / code.len());
    while low < high {
        let middle = low + (high - low) / 2;
        match codes[middle * code.len()..][..code.len()].cmp(code) {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => return Some(middle),
        }
    }
    None
}

impl Coder {
    pub(in crate::proof) fn new(rules: &Ruleset) -> Coder {
        let board = rules.board;
        let images = rules.symmetries().iter().map(|symmetry| {
            board.squares().map(|square| symmetry.apply(board, square).index() as u16).collect()
        });
        let images = images.collect();
        Coder { images, squares: board.area(), bytes: board.area().div_ceil(4) }
    }

    /// Returns the code of a position.
    pub(in crate::proof) fn encode(&self, position: &Position) -> Code {
        let mut best: Option<Code> = None;
        for (symmetry, images) in self.images.iter().enumerate() {
            let mut bytes = [0; MAX_BYTES];
            for (value, kind) in (1..).zip([Kind::Attacker, Kind::Defender, Kind::King]) {
                for square in position.squares(kind) {
                    let image = usize::from(images[square.index()]);
                    bytes[image / 4] |= value << (image % 4 * 2);
                }
            }
            let code = Code { bytes, len: self.bytes, symmetry };
            if best.as_ref().is_none_or(|best| code.as_bytes() < best.as_bytes()) {
                best = Some(code);
            }
        }
        best.unwrap_or(Code { bytes: [0; MAX_BYTES], len: self.bytes, symmetry: 0 })
    }

    /// Returns the image of a square in the stored image of a position.
    pub(in crate::proof) fn image(&self, code: &Code, square: u16) -> u16 {
        self.images[code.symmetry][usize::from(square)]
    }

    /// Returns the square of a position that has this image in its stored image; `None` if the
    /// number is beyond the board.
    pub(in crate::proof) fn preimage(&self, code: &Code, image: u16) -> Option<u16> {
        let square = self.images[code.symmetry].iter().position(|&other| other == image);
        square.map(|square| square as u16)
    }

    /// Returns the position of a code; `None` if it does not have exactly one king, or uses bits
    /// beyond the board.
    pub(in crate::proof) fn decode(
        &self,
        code: &[u8],
        rules: &Ruleset,
        to_move: Side,
    ) -> Option<Position> {
        let mut pieces = [SquareSet::EMPTY; 3];
        for (byte, &value) in code.iter().enumerate() {
            for place in 0..4 {
                let piece = usize::from(value >> (2 * place) & 3);
                let square = 4 * byte + place;
                if piece > 0 && square >= self.squares {
                    return None;
                }
                if piece > 0 {
                    pieces[piece - 1].insert(Square::new(square));
                }
            }
        }
        let [attackers, defenders, kings] = pieces;
        let king = kings.first().filter(|_| kings.len() == 1)?;
        Some(Position { attackers, defenders, king, to_move, rules: rules.id() })
    }

    /// Returns whether a position is the stored one of its mirror images.
    pub(in crate::proof) fn is_canonical(&self, code: &[u8], position: &Position) -> bool {
        self.encode(position).as_bytes() == code
    }
}
