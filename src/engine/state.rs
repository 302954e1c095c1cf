use crate::game::board::{MAX_SIZE, Square};
use crate::game::moves::Move;
use crate::game::position::Position;
use crate::game::rules::{BySide, Kind, RulesId, Ruleset, Side};
use crate::game::slice::Slice;

use super::bits::Bits;
use super::board_tables::{BoardTables, Lines};

/// A packed move: origin and target squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Step(u32);

impl Step {
    /// No move.
    pub(crate) const NONE: Step = Step(0);
    /// The number of bits of a packed move.
    pub(crate) const BITS: u32 = 18;

    #[inline]
    pub(crate) fn new(from: usize, to: usize) -> Step {
        Step((from | to << 9) as u32)
    }

    pub(crate) fn of(played: &Move) -> Step {
        Step::new(played.from.index(), played.to.index())
    }

    #[inline]
    pub(crate) fn from_bits(bits: u32) -> Step {
        Step(bits & ((1 << Step::BITS) - 1))
    }

    #[inline]
    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    #[inline]
    pub(crate) fn from(self) -> usize {
        (self.0 & 0x1ff) as usize
    }

    #[inline]
    pub(crate) fn to(self) -> usize {
        (self.0 >> 9) as usize
    }
}

/// A position in the search: bitboards for captures, and the occupancy of each rank and file
/// for slides.
#[derive(Clone)]
pub(crate) struct State<const W: usize> {
    /// The men of each side without the king.
    pub(crate) soldiers: BySide<Bits<W>>,
    pub(crate) king: usize,
    pub(crate) to_move: Side,
    pub(crate) key: u64,
    ranks: [u32; MAX_SIZE as usize],
    files: [u32; MAX_SIZE as usize],
}

/// The data needed to take back a move, beyond the move itself.
#[derive(Clone, Copy)]
pub(crate) struct Undo<const W: usize> {
    pub(crate) captured: Bits<W>,
    key: u64,
}

impl<const W: usize> State<W> {
    pub(crate) fn new(board: &BoardTables<W>, position: &Position) -> State<W> {
        let mut state = State {
            soldiers: BySide([Bits::of(position.attackers), Bits::of(position.defenders)]),
            king: position.king.index(),
            to_move: position.to_move,
            key: 0,
            ranks: [0; MAX_SIZE as usize],
            files: [0; MAX_SIZE as usize],
        };
        for square in position.occupied() {
            state.toggle(board, square.index());
        }
        for kind in Kind::ALL {
            for square in position.squares(kind) {
                state.key ^= board.key(kind, square.index());
            }
        }
        if state.to_move == Side::Defenders {
            state.key ^= board.side_key;
        }
        state
    }

    /// Converts the state to a position.
    pub(crate) fn position(&self, rules: RulesId) -> Position {
        Position {
            attackers: self.soldiers[Side::Attackers].squares(),
            defenders: self.soldiers[Side::Defenders].squares(),
            king: Square::new(self.king),
            to_move: self.to_move,
            rules,
        }
    }

    /// Returns the slice of the position.
    #[inline]
    pub(crate) fn slice(&self) -> Slice {
        let [attackers, defenders] = self.soldiers.0.map(|soldiers| soldiers.len() as usize);
        Slice { defenders, attackers }
    }

    /// Returns the full move, with its captures and its ending.
    pub(crate) fn full_move(&self, rules: &Ruleset, step: Step) -> Option<Move> {
        let (from, to) = (Square::new(step.from()), Square::new(step.to()));
        crate::game::moves::find_move(rules, &self.position(rules.id()), from, to)
    }

    /// Returns the men of a side, the king included.
    #[inline]
    pub(crate) fn men(&self, side: Side) -> Bits<W> {
        match side {
            Side::Attackers => self.soldiers[side],
            Side::Defenders => self.soldiers[side] | Bits::one(self.king),
        }
    }

    #[inline]
    pub(crate) fn occupied(&self) -> Bits<W> {
        self.men(Side::Defenders) | self.soldiers[Side::Attackers]
    }

    /// Returns the number of men, the king included.
    #[inline]
    pub(crate) fn men_count(&self) -> u32 {
        self.soldiers.iter().map(Bits::len).sum::<u32>() + 1
    }

    /// Returns the kind of the man on the square, which belongs to the side to move.
    #[inline]
    pub(crate) fn mover_kind(&self, square: usize) -> Kind {
        self.kind(self.to_move, square)
    }

    /// Returns the kind of the man of this side on the square.
    #[inline]
    pub(super) fn kind(&self, side: Side, square: usize) -> Kind {
        if square == self.king { Kind::King } else { side.soldier() }
    }

    /// Returns the occupancy of a square's rank and file.
    #[inline]
    pub(crate) fn occupied_lines(&self, board: &BoardTables<W>, square: usize) -> Lines {
        Lines {
            rank: self.ranks[usize::from(board.rank[square])],
            file: self.files[usize::from(board.file[square])],
        }
    }

    #[inline]
    fn toggle(&mut self, board: &BoardTables<W>, square: usize) {
        let (rank, file) = (board.rank[square], board.file[square]);
        self.ranks[usize::from(rank)] ^= 1 << file;
        self.files[usize::from(file)] ^= 1 << rank;
    }

    #[inline]
    fn move_man(&mut self, board: &BoardTables<W>, from: usize, to: usize) {
        if from == self.king {
            self.king = to;
        } else {
            let soldiers = &mut self.soldiers[self.to_move];
            soldiers.remove(from);
            soldiers.insert(to);
        }
        self.toggle(board, from);
        self.toggle(board, to);
    }

    /// Plays a move that does not end the game. A captured king is not removed.
    #[inline]
    pub(crate) fn play(&mut self, board: &BoardTables<W>, step: Step) -> Undo<W> {
        let (from, to) = (step.from(), step.to());
        let key = self.key;
        let kind = self.mover_kind(from);
        self.key ^= board.key(kind, from) ^ board.key(kind, to) ^ board.side_key;
        self.move_man(board, from, to);
        let captured = self.captured(board, self.to_move, to);
        let other = self.to_move.other();
        if !captured.is_empty() {
            for square in captured.iter() {
                self.key ^= board.key(other.soldier(), square);
                self.toggle(board, square);
            }
            self.soldiers[other] = self.soldiers[other].without(captured);
        }
        self.to_move = other;
        Undo { captured, key }
    }

    /// Takes back the move.
    #[inline]
    pub(crate) fn take_back(&mut self, board: &BoardTables<W>, step: Step, undo: Undo<W>) {
        let other = self.to_move;
        self.to_move = other.other();
        if !undo.captured.is_empty() {
            for square in undo.captured.iter() {
                self.toggle(board, square);
            }
            self.soldiers[other] = self.soldiers[other] | undo.captured;
        }
        self.move_man(board, step.to(), step.from());
        self.key = undo.key;
    }

    /// Passes the turn to the other side.
    #[inline]
    pub(crate) fn pass(&mut self, board: &BoardTables<W>) {
        self.to_move = self.to_move.other();
        self.key ^= board.side_key;
    }
}

/// Returns the empty squares of a line around `at`, up to the next occupied ones.
#[inline]
pub(crate) fn free_around(occupied: u32, at: u32) -> u32 {
    let place = 1_u32 << at;
    let above = occupied & !(place | (place - 1));
    let below = occupied & (place - 1);
    // All bits below the first occupied square above `at`, or all bits if there is none.
    let high = (above & above.wrapping_neg()).wrapping_sub(1);
    // All bits up to the last occupied square below `at`, or no bits if there is none.
    let low = ((1_u64 << (u32::BITS - below.leading_zeros())) - 1) as u32;
    high & !low & !place
}

/// Returns the first occupied square of a line after `at` and the last one before it.
#[inline]
pub(crate) fn next_occupied(occupied: u32, at: u32) -> [Option<u32>; 2] {
    let place = 1_u32 << at;
    let above = occupied & !(place | (place - 1));
    let below = occupied & (place - 1);
    let first = (above != 0).then(|| above.trailing_zeros());
    let last = (below != 0).then(|| u32::BITS - 1 - below.leading_zeros());
    [first, last]
}
