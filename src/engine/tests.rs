//! The engine's board against the plain game code, over random games of all rulesets.

#[path = "../../tests/support/counted/mod.rs"]
mod counted;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::game::board::SquareSet;
use crate::game::history::Game;
use crate::game::moves::{Ending, Move, has_move, legal_moves, wins_at_once};
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};
use crate::system::random::SeededRng;

use self::counted::{Counted, counted};
use super::bits::{Bits, with_width};
use super::board_tables::BoardTables;
use super::state::{State, Step};

fn rulesets() -> Vec<Ruleset> {
    let own = ["mini-corner", "mini-edge", "mini-camps", "strange", "sieges", "lopsided"];
    let own = own.map(|name| {
        let path = format!("{}/tests/rulesets/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        Ruleset::load(&path).unwrap()
    });
    let builtin = Ruleset::builtin_names().iter().map(|name| Ruleset::builtin(name).unwrap());
    builtin.chain(own).collect()
}

/// Plays random games, and calls `look` with each of their positions and its legal moves.
fn along_games(rules: &Ruleset, count: u64, mut look: impl FnMut(&Game, &[Move])) {
    for seed in 0..count {
        let mut random = SeededRng::new(seed);
        let mut game = Game::new(Arc::new(rules.clone())).unwrap();
        for _ in 0..120 {
            let moves = legal_moves(rules, game.position());
            look(&game, &moves);
            // Captures more often than not, so that endgames are seen, too.
            let captures: Vec<&Move> = moves.iter().filter(|mv| mv.is_conversion()).collect();
            let calm: Vec<&Move> = moves.iter().filter(|mv| mv.ending.is_none()).collect();
            let wanted = if !captures.is_empty() && random.below(3) > 0 { captures } else { calm };
            let Some(played) = random.choose(&wanted) else { break };
            game.push(played);
            if game.position().is_finished(rules) {
                break;
            }
        }
    }
}

fn check<const W: usize>(rules: &Ruleset) {
    let board = BoardTables::<W>::new(rules);
    along_games(rules, 12, |game, moves| check_position(&board, rules, game.position(), moves));
}

/// Checks the moves of a position, and the positions after them.
pub(super) fn check_position<const W: usize>(
    board: &BoardTables<W>,
    rules: &Ruleset,
    position: &Position,
    moves: &[Move],
) {
    let mut state = State::new(board, position);
    let context = || format!("{}: {}", rules.name, position.to_text(rules));
    let mut steps = BTreeSet::new();
    state.each_step(board, |step| assert!(steps.insert(step.bits())));
    let expected: BTreeSet<u32> = moves.iter().map(|mv| Step::of(mv).bits()).collect();
    assert_eq!(steps, expected, "{}", context());
    assert_eq!(state.has_step(board), has_move(rules, position), "{}", context());
    let wins = |played: &Move| played.ending.map(Ending::winner) == Some(position.to_move);
    assert_eq!(wins_at_once(rules, position), moves.iter().any(wins), "{}", context());
    let over = Position { attackers: SquareSet::EMPTY, to_move: Side::Defenders, ..*position };
    assert!(!wins_at_once(rules, &over), "{}, without attackers", context());
    check_endings(board, &state, moves, &context());
    check_captures(board, &state, moves, &context());
    check_soldier_moves(board, &state, moves, &context());
    let before = (state.position(rules.id()), state.key);
    for played in moves.iter().filter(|played| !ends_at_the_king(played)) {
        let step = Step::of(played);
        let undo = state.play(board, step);
        let after = position.after(played);
        let fresh = State::new(board, &after);
        let context = || format!("{} {played:?}", context());
        assert_eq!((state.position(rules.id()), state.key), (after, fresh.key), "{}", context());
        assert!(state.lines_agree(board));
        let winner = played.ending.map(Ending::winner);
        assert_eq!(state.region_winner(board), winner, "{}", context());
        state.take_back(board, step, undo);
        assert_eq!((state.position(rules.id()), state.key), before);
    }
}

/// Returns whether the move captures the king or lets him escape.
fn ends_at_the_king(played: &Move) -> bool {
    matches!(played.ending, Some(Ending::KingCaptured | Ending::KingEscaped))
}

fn check_endings<const W: usize>(
    board: &BoardTables<W>,
    state: &State<W>,
    moves: &[Move],
    context: &str,
) {
    let endings = moves.iter().filter(|mv| ends_at_the_king(mv));
    let endings: BTreeSet<u32> = endings.map(|mv| Step::of(mv).bits()).collect();
    let winning = state.winning_step(board);
    assert_eq!(winning.is_some(), !endings.is_empty(), "{context}");
    assert!(winning.is_none_or(|step| endings.contains(&step.bits())), "{context}");
    if state.to_move == Side::Attackers {
        let captures: SquareSet = moves
            .iter()
            .filter(|mv| mv.ending == Some(Ending::KingCaptured))
            .map(|mv| mv.to)
            .collect();
        let squares = state.king_capture_squares(board).squares();
        assert!(captures.is_subset(squares), "{context}");
    }
}

/// Checks that the capture squares are those on which an arriving man captures.
fn check_captures<const W: usize>(
    board: &BoardTables<W>,
    state: &State<W>,
    moves: &[Move],
    context: &str,
) {
    let squares = state.capture_squares(board, state.to_move);
    for mv in moves {
        let captures = !mv.captured.is_empty();
        assert_eq!(state.is_capture(board, &squares, Step::of(mv)), captures, "{context} {mv:?}");
    }
    let mut arriving = BTreeSet::new();
    state.each_step_to(board, squares, |step| {
        assert!(!state.is_capture(board, &squares, step) || arriving.insert(step.bits()));
    });
    let expected = moves.iter().filter(|mv| !mv.captured.is_empty());
    let expected: BTreeSet<u32> = expected.map(|mv| Step::of(mv).bits()).collect();
    assert_eq!(arriving, expected, "{context}");
}

/// Checks the number of the soldiers' moves and their targets.
fn check_soldier_moves<const W: usize>(
    board: &BoardTables<W>,
    state: &State<W>,
    moves: &[Move],
    context: &str,
) {
    let counted = state.soldier_moves(board, state.to_move);
    let expected: Vec<&Move> = moves.iter().filter(|mv| mv.from.index() != state.king).collect();
    assert_eq!(counted.count as usize, expected.len(), "{context}");
    let targets: SquareSet = expected.iter().map(|mv| mv.to).collect();
    assert_eq!(counted.squares.squares(), targets, "{context}");
}

impl<const W: usize> State<W> {
    /// Returns whether the occupancy by lines agrees with the bitboards.
    fn lines_agree(&self, board: &BoardTables<W>) -> bool {
        (0..board.rank.len()).all(|square| {
            let lines = self.occupied_lines(board, square);
            let occupied = self.occupied().contains(square);
            lines.rank >> board.file[square] & 1 == u32::from(occupied)
                && lines.file >> board.rank[square] & 1 == u32::from(occupied)
        })
    }
}

#[test]
fn the_board_is_that_of_the_rules() {
    for rules in rulesets() {
        with_width!(rules.board, W => check::<W>(&rules));
    }
}

/// Counts the lines of `depth` moves with the engine's move generation.
fn perft<const W: usize>(board: &BoardTables<W>, state: &mut State<W>, depth: usize) -> u64 {
    let mut steps = Vec::new();
    state.each_step(board, |step| steps.push(step));
    if depth == 1 {
        return steps.len() as u64;
    }
    let captures_king = match state.to_move {
        Side::Attackers => state.king_capture_squares(board),
        Side::Defenders => Bits::EMPTY,
    };
    let mut count = 0;
    for step in steps {
        let escapes = step.from() == state.king && board.goals.contains(step.to());
        if !escapes && !captures_king.contains(step.to()) {
            let undo = state.play(board, step);
            if state.region_winner(board).is_none() {
                count += perft(board, state, depth - 1);
            }
            state.take_back(board, step, undo);
        }
    }
    count
}

/// The plain game code counts the same; see `tests/game/perft.rs`.
#[test]
fn counts_of_lines_are_those_of_the_data_file() {
    fn check<const W: usize>(rules: &Ruleset, position: &Position, expected: &[u64]) {
        let board = BoardTables::<W>::new(rules);
        let mut state = State::new(&board, position);
        let counts: Vec<u64> =
            (1..=expected.len()).map(|depth| perft(&board, &mut state, depth)).collect();
        assert_eq!(counts, expected, "{}: {}", rules.name, position.to_text(rules));
    }
    for Counted { rules, position, counts } in counted() {
        let rules = Ruleset::builtin(rules).unwrap();
        let position = match position {
            "start" => Position::start(&rules).unwrap(),
            text => Position::parse(text, &rules).unwrap(),
        };
        with_width!(rules.board, W => check::<W>(&rules, &position, &counts));
    }
}

#[test]
fn sets_of_any_width_shift_over_words() {
    let set: Bits<3> =
        [0, 63, 64, 127, 128].map(crate::game::board::Square::new).into_iter().collect();
    assert!(set.up(1).iter().eq([1, 64, 65, 128, 129]));
    assert!(set.down(1).iter().eq([62, 63, 126, 127]));
    assert_eq!((set.len(), set.without(Bits::one(63)).len()), (5, 4));
}
