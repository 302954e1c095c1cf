//! Move generation.

use crate::game::board::Direction;
use crate::game::rules::{Kind, Side};

use super::bits::Bits;
use super::board_tables::{BoardTables, Lines};
use super::state::{State, Step, free_around, next_occupied};

impl<const W: usize> State<W> {
    /// Returns the squares that a piece on `from` can move to.
    #[inline]
    pub(crate) fn targets(&self, board: &BoardTables<W>, kind: Kind, from: usize) -> Lines {
        let occupied = self.occupied_lines(board, from);
        let free = Lines {
            rank: free_around(occupied.rank, u32::from(board.file[from])),
            file: free_around(occupied.file, u32::from(board.rank[from])),
        };
        free & board.stops[kind][from]
    }

    /// Returns the goals that a king on `at` could reach in one move.
    #[inline]
    pub(crate) fn open_goals(&self, board: &BoardTables<W>, at: usize) -> Lines {
        let goals = board.goal_lines[at];
        if goals.is_empty() { goals } else { self.targets(board, Kind::King, at) & goals }
    }

    /// Returns the king's targets from which a line to a goal is open, and whether one of them has
    /// several. Its present square counts as occupied: a line over it is open already.
    #[inline]
    pub(crate) fn line_squares(&self, board: &BoardTables<W>, targets: Lines) -> (Bits<W>, bool) {
        let (mut line_squares, mut has_several) = (Bits::EMPTY, false);
        for to in squares(board, self.king, targets & board.goal_line_squares[self.king]) {
            let lines = self.open_goals(board, to).len();
            if lines > 0 {
                line_squares.insert(to);
                has_several |= lines > 1;
            }
        }
        (line_squares, has_several)
    }

    /// Counts the moves of a side's soldiers without listing them.
    #[inline(always)]
    pub(crate) fn soldier_moves(&self, board: &BoardTables<W>, side: Side) -> SoldierMoves<W> {
        let Some(limits) = &board.slide_limits[side] else {
            return self.soldier_moves_one_by_one(board, side);
        };
        let occupied = self.occupied();
        let (stop, cross) = (limits.stop.without(occupied), limits.cross.without(occupied));
        let (mut squares, mut count) = (Bits::EMPTY, 0);
        for direction in Direction::ALL {
            // No two slides in one direction reach the same square.
            let reached = board.slid(self.soldiers[side], cross, direction) & stop;
            squares = squares | reached;
            count += reached.len();
        }
        SoldierMoves { squares, count }
    }

    /// Counts the moves of a side's soldiers under rules that limit slides by their origin.
    fn soldier_moves_one_by_one(&self, board: &BoardTables<W>, side: Side) -> SoldierMoves<W> {
        let mut moves = SoldierMoves { squares: Bits::EMPTY, count: 0 };
        for from in self.soldiers[side].iter() {
            let targets = self.targets(board, side.soldier(), from);
            squares(board, from, targets).for_each(|to| moves.squares.insert(to));
            moves.count += targets.len();
        }
        moves
    }

    /// Returns a move that wins at once.
    pub(crate) fn winning_step(&self, board: &BoardTables<W>) -> Option<Step> {
        match self.to_move {
            Side::Defenders => {
                let goals = self.open_goals(board, self.king);
                squares(board, self.king, goals).next().map(|to| Step::new(self.king, to))
            }
            Side::Attackers => self.king_capture(board),
        }
    }

    /// Returns a move of the attackers that captures the king, whichever side is to move.
    pub(crate) fn king_capture(&self, board: &BoardTables<W>) -> Option<Step> {
        let squares = self.king_capture_squares(board);
        squares.iter().find_map(|to| {
            self.arrivals(board, Side::Attackers, to).next().map(|from| Step::new(from, to))
        })
    }

    /// Returns the men of a side that can move to the empty square `to`.
    #[inline]
    pub(crate) fn arrivals(
        &self,
        board: &BoardTables<W>,
        side: Side,
        to: usize,
    ) -> impl Iterator<Item = usize> {
        let (rank, file) = (board.rank[to], board.file[to]);
        let occupied = self.occupied_lines(board, to);
        let in_rank = next_occupied(occupied.rank, u32::from(file));
        let in_file = next_occupied(occupied.file, u32::from(rank));
        let men = self.men(side);
        let from_rank = in_rank.into_iter().flatten().filter_map(move |from| {
            let from = board.at(from as usize, usize::from(rank));
            let stops = board.stops[self.kind(side, from)][from];
            (men.contains(from) && stops.rank >> file & 1 == 1).then_some(from)
        });
        let from_file = in_file.into_iter().flatten().filter_map(move |from| {
            let from = board.at(usize::from(file), from as usize);
            let stops = board.stops[self.kind(side, from)][from];
            (men.contains(from) && stops.file >> rank & 1 == 1).then_some(from)
        });
        from_rank.chain(from_file)
    }

    /// Calls `found` for all moves of the side to move.
    #[inline]
    pub(crate) fn each_step(&self, board: &BoardTables<W>, mut found: impl FnMut(Step)) {
        let kind = self.to_move.soldier();
        for from in self.soldiers[self.to_move].iter() {
            let targets = self.targets(board, kind, from);
            squares(board, from, targets).for_each(|to| found(Step::new(from, to)));
        }
        if self.to_move == Side::Defenders {
            let targets = self.targets(board, Kind::King, self.king);
            squares(board, self.king, targets).for_each(|to| found(Step::new(self.king, to)));
        }
    }

    /// Returns all moves of the side to move.
    pub(crate) fn steps(&self, board: &BoardTables<W>) -> Vec<Step> {
        let mut steps = Vec::new();
        self.each_step(board, |step| steps.push(step));
        steps
    }

    /// Calls `found` for the moves of the side to move to these empty squares.
    #[inline]
    pub(crate) fn each_step_to(
        &self,
        board: &BoardTables<W>,
        targets: Bits<W>,
        mut found: impl FnMut(Step),
    ) {
        for to in targets.iter() {
            self.arrivals(board, self.to_move, to).for_each(|from| found(Step::new(from, to)));
        }
    }

    /// Returns whether the side to move has a move.
    pub(crate) fn has_step(&self, board: &BoardTables<W>) -> bool {
        self.men(self.to_move)
            .iter()
            .any(|from| !self.targets(board, self.mover_kind(from), from).is_empty())
    }

    /// Returns the squares on which an attacker would block all the king's open lines to goals
    /// at once, and the number of those goals; 0 if the attackers may win without a block.
    pub(crate) fn line_blocks(&self, board: &BoardTables<W>) -> (Bits<W>, u32) {
        let goals = self.open_goals(board, self.king);
        let count = if board.escapes_prevent_rings { goals.len() } else { 0 };
        let mut blocks = !Bits::EMPTY;
        if count > 0 {
            for goal in squares(board, self.king, goals) {
                blocks = blocks & board.between(self.king, goal);
            }
        }
        (blocks, count)
    }
}

/// The moves of one side's soldiers.
#[derive(Clone, Copy)]
pub(crate) struct SoldierMoves<const W: usize> {
    /// The squares that at least one of them can move to.
    pub(crate) squares: Bits<W>,
    /// The number of moves.
    pub(crate) count: u32,
}

/// Returns the squares of the lines through `from`.
#[inline]
pub(crate) fn squares<const W: usize>(
    board: &BoardTables<W>,
    from: usize,
    lines: Lines,
) -> impl Iterator<Item = usize> {
    let (rank, file) = (usize::from(board.rank[from]), usize::from(board.file[from]));
    let size = board.size;
    let in_rank = ones(lines.rank).map(move |to| rank * size + to);
    in_rank.chain(ones(lines.file).map(move |to| to * size + file))
}

#[inline]
fn ones(mut line: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (line != 0).then(|| {
            let first = line.trailing_zeros() as usize;
            line &= line - 1;
            first
        })
    })
}
