use crate::game::rules::{Kind, Side};

use super::super::bits::Bits;
use super::super::board_tables::BoardTables;
use super::super::generate::squares;
use super::super::state::State;

/// Collects what a position has.
pub(super) trait FeatureSink {
    /// A man of that kind stands on that square.
    fn place(&mut self, kind: Kind, square: usize);
    /// The position has that term so many times, from the defenders' side.
    fn term(&mut self, term: Term, count: i32);
}

macro_rules! terms {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// What counts beside where the men stand. Counted from the defenders' side.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(usize)]
        pub enum Term { $($(#[$doc])* $variant,)* }

        impl Term {
            /// How many there are.
            pub const COUNT: usize = Term::ALL.len();
            /// All of them, in their order.
            pub const ALL: &[Term] = &[$(Term::$variant,)*];

            /// Its name in files of weights.
            pub fn name(self) -> &'static str {
                match self { $(Term::$variant => $name,)* }
            }
        }
    };
}

terms! {
    /// The defenders' share in every position: how good the game is for them.
    Bias = "bias",
    /// The defenders are to move; counts against them when the attackers are.
    Tempo = "tempo",
    /// Squares that the king can go to.
    KingMobility = "king-mobility",
    /// An open line from the king to a goal.
    OpenLine = "open-line",
    /// The king can go to a square from which a line to a goal is open.
    OneLineSquare = "one-line-square",
    /// He can go to two of them.
    TwoLineSquares = "two-line-squares",
    /// Or to more.
    MoreLineSquares = "more-line-squares",
    /// From a square that he can go to, two lines are open.
    DoubleLine = "double-line",
    /// No way over empty squares leads from the king to a goal.
    Enclosed = "enclosed",
    /// One of the king's neighbours is hostile to him, where two suffice to capture him.
    OneHostile = "one-hostile",
    /// Two are.
    TwoHostile = "two-hostile",
    /// Three are.
    ThreeHostile = "three-hostile",
    /// One of them, where four are needed.
    OneOfFour = "one-of-four",
    /// Two of four.
    TwoOfFour = "two-of-four",
    /// Three of four.
    ThreeOfFour = "three-of-four",
    /// Squares on which an attacker would capture the king, if one could go there.
    KingCaptureSquares = "king-capture-squares",
    /// Squares on which an attacker would capture a defender.
    LostByDefenders = "capture-squares-attackers",
    /// Squares on which a defender would capture an attacker.
    LostByAttackers = "capture-squares-defenders",
    /// Moves of the attackers.
    AttackerMobility = "attacker-mobility",
    /// Moves of the defenders' soldiers.
    DefenderMobility = "defender-mobility",
}

/// Counts everything that a position has.
#[inline]
pub(super) fn count_features<const W: usize>(
    board: &BoardTables<W>,
    state: &State<W>,
    sink: &mut impl FeatureSink,
) {
    sink.term(Term::Bias, 1);
    sink.term(Term::Tempo, if state.to_move == Side::Defenders { 1 } else { -1 });
    count_soldiers(board, state, Kind::Attacker, Term::AttackerMobility, sink);
    count_soldiers(board, state, Kind::Defender, Term::DefenderMobility, sink);
    count_king(board, state, sink);
    count_danger(board, state, sink);
    let lost_by_defenders = state.capture_squares(board, Side::Attackers).len();
    sink.term(Term::LostByDefenders, lost_by_defenders as i32);
    let lost_by_attackers = state.capture_squares(board, Side::Defenders).len();
    sink.term(Term::LostByAttackers, lost_by_attackers as i32);
}

#[inline]
fn count_soldiers<const W: usize>(
    board: &BoardTables<W>,
    state: &State<W>,
    kind: Kind,
    mobility: Term,
    sink: &mut impl FeatureSink,
) {
    let mut moves = 0;
    for square in state.soldiers[kind.side()].iter() {
        sink.place(kind, square);
        moves += state.targets(board, kind, square).len();
    }
    sink.term(mobility, moves as i32);
}

/// Where the king can go, and what is open to him from there.
#[inline]
fn count_king<const W: usize>(
    board: &BoardTables<W>,
    state: &State<W>,
    sink: &mut impl FeatureSink,
) {
    sink.place(Kind::King, state.king);
    let targets = state.targets(board, Kind::King, state.king);
    sink.term(Term::KingMobility, targets.len() as i32);
    let open = targets & board.goal_lines[state.king];
    if !open.is_empty() {
        sink.term(Term::OpenLine, open.len() as i32);
    }
    let mut line_squares = 0;
    let mut double = false;
    for to in squares(board, state.king, targets) {
        // A line back over the square that he leaves is an open one already.
        let lines = state.open_goals(board, to).len();
        line_squares += i32::from(lines > 0);
        double |= lines > 1;
    }
    match line_squares {
        0 => {}
        1 => sink.term(Term::OneLineSquare, 1),
        2 => sink.term(Term::TwoLineSquares, 1),
        _ => sink.term(Term::MoreLineSquares, 1),
    }
    sink.term(Term::DoubleLine, i32::from(double));
    sink.term(Term::Enclosed, i32::from(is_enclosed(board, state)));
}

/// Whether no way over empty squares leads from the king to a goal.
#[inline]
fn is_enclosed<const W: usize>(board: &BoardTables<W>, state: &State<W>) -> bool {
    let free = board.king_squares.without(state.occupied());
    let mut region = Bits::one(state.king);
    loop {
        let grown = region | board.grown(region) & free;
        if grown.meets(&board.goals) {
            return false;
        }
        if grown == region {
            return true;
        }
        region = grown;
    }
}

#[inline]
fn count_danger<const W: usize>(
    board: &BoardTables<W>,
    state: &State<W>,
    sink: &mut impl FeatureSink,
) {
    let neighbours = board.neighbours(state.king);
    let hostile =
        neighbours.into_iter().filter(|&square| state.is_hostile_to_king(board, square)).count();
    let needs_four = board.surrounded.contains(state.king);
    let term = match (hostile, needs_four) {
        (0, _) => return,
        (1, false) => Term::OneHostile,
        (2, false) => Term::TwoHostile,
        (_, false) => Term::ThreeHostile,
        (1, true) => Term::OneOfFour,
        (2, true) => Term::TwoOfFour,
        (_, true) => Term::ThreeOfFour,
    };
    sink.term(term, 1);
    let squares = state.king_capture_squares(board);
    sink.term(Term::KingCaptureSquares, squares.len() as i32);
}
