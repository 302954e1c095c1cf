use crate::engine::bits::Bits;
use crate::engine::board_tables::{BoardTables, Lines};
use crate::engine::generate::SoldierMoves;
use crate::engine::state::State;
use crate::game::rules::{BySide, Kind, Side};

/// Receives the features of a position.
pub(super) trait FeatureSink {
    /// Counts a man of this kind on this square.
    fn place(&mut self, kind: Kind, square: usize);
    /// Counts a term `count` times, from the defenders' side.
    fn term(&mut self, term: Term, count: i32);
}

macro_rules! terms {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A term of the evaluation beside the men's squares, counted from the defenders' side.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(usize)]
        pub enum Term { $($(#[$doc])* $variant,)* }

        impl Term {
            /// The number of terms.
            pub const COUNT: usize = Term::ALL.len();
            /// All terms in their order.
            pub const ALL: &[Term] = &[$(Term::$variant,)*];

            /// Returns the name in weights files.
            pub fn name(self) -> &'static str {
                match self { $(Term::$variant => $name,)* }
            }
        }
    };
}

terms! {
    /// A constant: the balance of the game, from the defenders' side.
    Bias = "bias",
    /// The side to move: 1 for the defenders, -1 for the attackers.
    Tempo = "tempo",
    /// Squares that the king can move to.
    KingMobility = "king-mobility",
    /// Open lines from the king to goals.
    OpenLine = "open-line",
    /// The king can move to exactly one square with an open line to a goal.
    OneLineSquare = "one-line-square",
    /// The king can move to exactly two such squares.
    TwoLineSquares = "two-line-squares",
    /// The king can move to three or more such squares.
    MoreLineSquares = "more-line-squares",
    /// The king can move to a square with two open lines or more.
    DoubleLine = "double-line",
    /// No path of empty squares leads from the king to a goal.
    Enclosed = "enclosed",
    /// One of the king's neighbours is hostile, on a square where two suffice to capture it.
    OneHostile = "one-hostile",
    /// Two neighbours are hostile.
    TwoHostile = "two-hostile",
    /// Three neighbours are hostile.
    ThreeHostile = "three-hostile",
    /// One neighbour is hostile, on a square where four are needed.
    OneOfFour = "one-of-four",
    /// Two of four are hostile.
    TwoOfFour = "two-of-four",
    /// Three of four are hostile.
    ThreeOfFour = "three-of-four",
    /// Squares on which an arriving attacker would capture the king.
    KingCaptureSquares = "king-capture-squares",
    /// Squares on which an arriving attacker would capture a defender.
    LostByDefenders = "capture-squares-attackers",
    /// Squares on which an arriving defender would capture an attacker.
    LostByAttackers = "capture-squares-defenders",
    /// Moves of the attackers.
    AttackerMobility = "attacker-mobility",
    /// Moves of the defenders' soldiers.
    DefenderMobility = "defender-mobility",
}

/// The king's moves and dangers.
#[derive(Clone, Copy)]
pub(crate) struct KingMobility<const W: usize> {
    /// The squares that the king can move to.
    pub(crate) targets: Lines,
    /// Those from which a line to a goal is open.
    pub(crate) line_squares: Bits<W>,
    /// Whether several lines are open from one of them.
    has_double_line: bool,
    /// The squares on which an arriving attacker would capture the king.
    pub(crate) capture_squares: Bits<W>,
}

impl<const W: usize> KingMobility<W> {
    #[inline(always)]
    pub(crate) fn of(board: &BoardTables<W>, state: &State<W>) -> KingMobility<W> {
        let targets = state.targets(board, Kind::King, state.king);
        let (line_squares, has_double_line) = state.line_squares(board, targets);
        let capture_squares = state.king_capture_squares(board);
        KingMobility { targets, line_squares, has_double_line, capture_squares }
    }
}

/// The moves of both sides, which terms of the evaluation and the proof search count.
#[derive(Clone, Copy)]
pub(crate) struct Mobility<const W: usize> {
    pub(crate) king: KingMobility<W>,
    pub(crate) soldiers: BySide<SoldierMoves<W>>,
}

impl<const W: usize> Mobility<W> {
    #[inline(always)]
    pub(crate) fn of(board: &BoardTables<W>, state: &State<W>) -> Mobility<W> {
        Mobility::with(KingMobility::of(board, state), board, state)
    }

    /// Returns the same, given the king's moves.
    #[inline(always)]
    pub(crate) fn with(
        king: KingMobility<W>,
        board: &BoardTables<W>,
        state: &State<W>,
    ) -> Mobility<W> {
        let attackers = state.soldier_moves(board, Side::Attackers);
        let soldiers = BySide([attackers, state.soldier_moves(board, Side::Defenders)]);
        Mobility { king, soldiers }
    }
}

/// Counts the men by their squares.
#[inline]
pub(super) fn count_places<const W: usize>(state: &State<W>, sink: &mut impl FeatureSink) {
    for kind in [Kind::Attacker, Kind::Defender] {
        state.soldiers[kind.side()].iter().for_each(|square| sink.place(kind, square));
    }
    sink.place(Kind::King, state.king);
}

/// Counts all terms of a position.
#[inline(always)]
pub(super) fn count_terms<const W: usize>(
    board: &BoardTables<W>,
    state: &State<W>,
    mobility: &Mobility<W>,
    sink: &mut impl FeatureSink,
) {
    sink.term(Term::Bias, 1);
    sink.term(Term::Tempo, if state.to_move == Side::Defenders { 1 } else { -1 });
    let [attackers, defenders] = Side::ALL.map(|side| mobility.soldiers[side].count as i32);
    sink.term(Term::AttackerMobility, attackers);
    sink.term(Term::DefenderMobility, defenders);
    count_king(board, state, &mobility.king, sink);
    count_danger(board, state, &mobility.king, sink);
    let lost_by_defenders = state.capture_squares(board, Side::Attackers).len();
    sink.term(Term::LostByDefenders, lost_by_defenders as i32);
    let lost_by_attackers = state.capture_squares(board, Side::Defenders).len();
    sink.term(Term::LostByAttackers, lost_by_attackers as i32);
}

/// Counts the king's moves, and the open lines to goals from its square and from the squares that
/// it can move to.
#[inline(always)]
fn count_king<const W: usize>(
    board: &BoardTables<W>,
    state: &State<W>,
    king: &KingMobility<W>,
    sink: &mut impl FeatureSink,
) {
    sink.term(Term::KingMobility, king.targets.len() as i32);
    let open = king.targets & board.goal_lines[state.king];
    if !open.is_empty() {
        sink.term(Term::OpenLine, open.len() as i32);
    }
    match king.line_squares.len() {
        0 => {}
        1 => sink.term(Term::OneLineSquare, 1),
        2 => sink.term(Term::TwoLineSquares, 1),
        _ => sink.term(Term::MoreLineSquares, 1),
    }
    sink.term(Term::DoubleLine, i32::from(king.has_double_line));
    let has_path = !open.is_empty() || !king.line_squares.is_empty();
    sink.term(Term::Enclosed, i32::from(!has_path && is_enclosed(board, state)));
}

/// Returns whether no path of empty squares leads from the king to a goal.
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

/// Counts the king's hostile neighbours, and the squares on which an attacker would capture it.
#[inline(always)]
fn count_danger<const W: usize>(
    board: &BoardTables<W>,
    state: &State<W>,
    king: &KingMobility<W>,
    sink: &mut impl FeatureSink,
) {
    let beside = (state.hostile_to_king(board) & board.adjacent[state.king]).len();
    let hostile = beside + board.edge.hostile_sides(state.king);
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
    sink.term(Term::KingCaptureSquares, king.capture_squares.len() as i32);
}
