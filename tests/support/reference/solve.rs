//! Exact values of whole slices, by examining all positions ply by ply.

use std::collections::BTreeMap;

use super::game::{Game, Successor};
use super::position::{ATTACKER, DEFENDER, EMPTY, KING, Position, Side};

/// The value of a position for the side to move, with the plies to the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    Win(u16),
    Loss(u16),
    /// Neither side can force a win: a draw, or undecided in berkeley.
    Open,
}

use Outcome::{Loss, Open, Win};

impl Outcome {
    /// Returns the value of a move that leads to a position of this value.
    fn before(self) -> Outcome {
        match self {
            Win(plies) => Loss(plies + 1),
            Loss(plies) => Win(plies + 1),
            Open => Open,
        }
    }

    /// Returns the better one for the mover: the winner hurries, the loser delays.
    fn better(self, other: Outcome) -> Outcome {
        match (self, other) {
            (Win(a), Win(b)) => Win(a.min(b)),
            (Win(a), _) | (_, Win(a)) => Win(a),
            (Open, _) | (_, Open) => Open,
            (Loss(a), Loss(b)) => Loss(a.max(b)),
        }
    }

    fn plies(self) -> u16 {
        match self {
            Win(plies) | Loss(plies) => plies,
            Open => 0,
        }
    }
}

/// All positions of one material.
struct Slice {
    boards: Vec<Vec<u8>>,
    index: BoardIndex,
    /// The values of the boards with the attackers and the defenders to move.
    attackers: Vec<Outcome>,
    defenders: Vec<Outcome>,
}

impl Slice {
    fn values(&self, to_move: Side) -> &[Outcome] {
        match to_move {
            Side::Attackers => &self.attackers,
            Side::Defenders => &self.defenders,
        }
    }
}

/// The moves of all boards of a slice with one side to move.
#[derive(Default)]
struct Moves {
    /// The best of the moves that end the game or leave the slice, by board.
    known: Vec<Option<Outcome>>,
    /// Where the other moves lead, for all boards in a row.
    quiet: Vec<u32>,
    /// Where each board's part of `quiet` ends.
    ends: Vec<usize>,
}

/// Solves slices of one game and keeps them.
pub(crate) struct Solver<G> {
    rules: G,
    slices: BTreeMap<(usize, usize), Slice>,
}

impl<G: Game> Solver<G> {
    /// Creates a solver that has not solved anything yet.
    pub(crate) fn new(rules: G) -> Solver<G> {
        Solver { rules, slices: BTreeMap::new() }
    }

    /// Solves the slice with this many defenders and attackers, after all smaller ones.
    pub(crate) fn solve(&mut self, defenders: usize, attackers: usize) {
        if attackers == 0 || self.slices.contains_key(&(defenders, attackers)) {
            return;
        }
        if defenders > 0 {
            self.solve(defenders - 1, attackers);
        }
        self.solve(defenders, attackers - 1);
        let slice = self.solved(defenders, attackers);
        self.slices.insert((defenders, attackers), slice);
    }

    /// Returns every position of a solved slice with its value, including mirror images.
    pub(crate) fn positions(
        &self,
        defenders: usize,
        attackers: usize,
    ) -> impl Iterator<Item = (Position, Outcome)> + use<'_, G> {
        let slice = &self.slices[&(defenders, attackers)];
        [Side::Attackers, Side::Defenders].into_iter().flat_map(move |to_move| {
            let boards = slice.boards.iter().cloned();
            let positions = boards.map(move |cells| Position { cells, to_move });
            positions.zip(slice.values(to_move).iter().copied())
        })
    }

    /// Returns the value of a position of a solved slice.
    pub(crate) fn outcome(&self, position: &Position) -> Outcome {
        let count = |piece| position.cells.iter().filter(|&&p| p == piece).count();
        if count(ATTACKER) == 0 {
            assert_eq!(position.to_move, Side::Attackers, "the game is over");
            return Loss(0);
        }
        let slice = &self.slices[&(count(DEFENDER), count(ATTACKER))];
        slice.values(position.to_move)[slice.index.find(&position.cells)]
    }

    pub(crate) fn rules(&self) -> &G {
        &self.rules
    }

    /// Returns all boards with this material.
    fn boards(&self, defenders: usize, attackers: usize) -> Vec<Vec<u8>> {
        let mut boards = vec![vec![EMPTY; self.rules.squares()]];
        for (piece, count) in [(KING, 1), (DEFENDER, defenders), (ATTACKER, attackers)] {
            let with_pieces = |board| self.add(board, piece, count, 0);
            boards = boards.into_iter().flat_map(with_pieces).collect();
        }
        boards
    }

    /// Returns the board with `count` more pieces of a kind, on squares from `from` on, in all
    /// ways.
    fn add(&self, board: Vec<u8>, piece: u8, count: usize, from: usize) -> Vec<Vec<u8>> {
        if count == 0 {
            return vec![board];
        }
        let mut boards = Vec::new();
        for square in from..board.len() {
            if board[square] == EMPTY && self.rules.may_stand(piece, square) {
                let mut more = board.clone();
                more[square] = piece;
                boards.extend(self.add(more, piece, count - 1, square + 1));
            }
        }
        boards
    }

    fn solved(&self, defenders: usize, attackers: usize) -> Slice {
        let boards = self.boards(defenders, attackers);
        let index = BoardIndex::new(&self.rules, [1, defenders, attackers], &boards);
        let mut attackers_moves = Moves::default();
        let mut defenders_moves = Moves::default();
        for cells in &boards {
            self.add_moves(cells, Side::Attackers, &index, &mut attackers_moves);
            self.add_moves(cells, Side::Defenders, &index, &mut defenders_moves);
        }
        let (attackers, defenders) = settle(&attackers_moves, &defenders_moves);
        Slice { boards, index, attackers, defenders }
    }

    fn add_moves(&self, cells: &[u8], to_move: Side, index: &BoardIndex, moves: &mut Moves) {
        let position = Position { cells: cells.to_vec(), to_move };
        let mut known: Option<Outcome> = None;
        let successors = self.rules.successors(&position);
        if successors.is_empty() {
            known = Some(Loss(0));
        }
        for Successor { position, captures, won } in successors {
            let worth = if won {
                Win(1)
            } else if captures > 0 {
                self.outcome(&position).before()
            } else {
                moves.quiet.push(index.find(&position.cells) as u32);
                continue;
            };
            known = Some(known.map_or(worth, |best| best.better(worth)));
        }
        moves.known.push(known);
        moves.ends.push(moves.quiet.len());
    }
}

/// Computes the values of all boards with the attackers and with the defenders to move.
///
/// In the round for `plies`, exactly the positions that end after that many plies are settled.
/// What is never settled is open.
fn settle(attackers: &Moves, defenders: &Moves) -> (Vec<Outcome>, Vec<Outcome>) {
    let mut a: Vec<Option<Outcome>> = vec![None; attackers.known.len()];
    let mut d: Vec<Option<Outcome>> = vec![None; defenders.known.len()];
    let known = attackers.known.iter().chain(&defenders.known).flatten();
    let last_known = known.map(|outcome| outcome.plies()).max().unwrap_or(0);
    for plies in 0.. {
        let new_a = attackers.settled_after(plies, &a, &d);
        let new_d = defenders.settled_after(plies, &d, &a);
        if new_a.is_empty() && new_d.is_empty() && plies > last_known {
            break;
        }
        new_a.into_iter().for_each(|(i, value)| a[i] = Some(value));
        new_d.into_iter().for_each(|(i, value)| d[i] = Some(value));
    }
    let open = |values: Vec<Option<Outcome>>| values.into_iter().map(|v| v.unwrap_or(Open));
    (open(a).collect(), open(d).collect())
}

impl Moves {
    /// Returns the unsettled boards that this side wins or loses in this many plies; `theirs`
    /// has the boards that the other side wins or loses sooner.
    fn settled_after(
        &self,
        plies: u16,
        mine: &[Option<Outcome>],
        theirs: &[Option<Outcome>],
    ) -> Vec<(usize, Outcome)> {
        let mut settled = Vec::new();
        let mut begin = 0;
        for (board, &end) in self.ends.iter().enumerate() {
            let quiet = &self.quiet[begin..end];
            begin = end;
            if mine[board].is_some() {
                continue;
            }
            let mut replies = quiet.iter().map(|&to| theirs[to as usize]);
            if self.known[board] == Some(Win(plies))
                || replies.clone().any(|reply| matches!(reply, Some(Loss(_))))
            {
                settled.push((board, Win(plies)));
            } else if self.known[board].is_none_or(|k| matches!(k, Loss(n) if n <= plies))
                && replies.all(|reply| matches!(reply, Some(Win(_))))
            {
                settled.push((board, Loss(plies)));
            }
        }
        settled
    }
}

/// Finds the boards of a slice, into which most of the time of a solver goes: a board has a number,
/// and a table has the board of each number.
///
/// Of the squares on which pieces of a kind may stand, counted from 0, `k` pieces take `a < b < c …`;
/// binomials C(a, 1) + C(b, 2) + C(c, 3) + … number these sets. Each kind has a digit of the board's
/// number.
struct BoardIndex {
    /// What a piece adds to the number, by its kind, the pieces of its kind before it, and its
    /// square.
    summands: [Vec<Vec<usize>>; 3],
    counts: [usize; 3],
    boards: Vec<u32>,
}

impl BoardIndex {
    const NONE: u32 = u32::MAX;

    /// Numbers boards with these counts of kings, defenders and attackers.
    fn new(rules: &impl Game, counts: [usize; 3], boards: &[Vec<u8>]) -> BoardIndex {
        let mut base = 1;
        let mut summands = [const { Vec::new() }; 3];
        for ((piece, count), summands) in
            [KING, DEFENDER, ATTACKER].into_iter().zip(counts).zip(&mut summands)
        {
            let before = |square| (0..square).filter(|&s| rules.may_stand(piece, s)).count();
            let of_piece = |number| {
                let squares = 0..rules.squares();
                // No board has the number of one with a piece where it may not stand.
                let summand = |square| match rules.may_stand(piece, square) {
                    true => base * binomial(before(square), number + 1),
                    false => usize::MAX,
                };
                squares.map(summand).collect()
            };
            *summands = (0..count).map(of_piece).collect();
            base *= binomial(before(rules.squares()), count);
        }
        let mut index = BoardIndex { summands, counts, boards: vec![BoardIndex::NONE; base] };
        for (board, at) in boards.iter().zip(0..) {
            let number = index.number(board);
            assert_eq!(index.boards[number], BoardIndex::NONE, "two boards of one number");
            index.boards[number] = at;
        }
        index
    }

    /// Returns the place of a board in the slice.
    fn find(&self, board: &[u8]) -> usize {
        let at = self.boards[self.number(board)];
        assert_ne!(at, BoardIndex::NONE, "no board of the slice");
        at as usize
    }

    fn number(&self, board: &[u8]) -> usize {
        let mut seen = [0; 3];
        let mut number = 0;
        // Most squares are empty: bits of the others lead from one piece to the next.
        for (row, first) in board.chunks(8).zip((0..).step_by(8)) {
            let mut bytes = [EMPTY; 8];
            bytes[..row.len()].copy_from_slice(row);
            let mut left = u64::from_le_bytes(bytes) ^ u64::from_le_bytes([EMPTY; 8]);
            while left != 0 {
                let at = left.trailing_zeros() as usize / 8;
                let kind = match row[at] {
                    KING => 0,
                    DEFENDER => 1,
                    _ => 2,
                };
                number += self.summands[kind][seen[kind]][first + at];
                seen[kind] += 1;
                left &= !(0xff << (8 * at));
            }
        }
        assert_eq!(seen, self.counts, "another slice");
        number
    }
}

/// Returns the number of sets of `k` of `n` things.
fn binomial(n: usize, k: usize) -> usize {
    (0..k).fold(1, |sets, i| sets * n.saturating_sub(i) / (i + 1))
}
