use std::sync::Arc;

use crate::game::history::{Game, Reason};
use crate::game::moves::{Move, legal_moves};
use crate::game::position::{Position, PositionError};
use crate::game::rules::{Layout, Ruleset, Side};

use super::message::State;

/// Follows the server's game from state to state.
pub(super) struct Follower {
    rules: Arc<Ruleset>,
    game: Option<Game>,
}

/// The change from one state to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The game has started.
    Began,
    /// The first state is in the middle of a game.
    Joined,
    /// A move was played.
    Played(Move),
    /// Nothing has changed.
    Same,
    /// No legal move leads to this state: our game restarts here.
    OutOfSync,
}

impl Follower {
    pub(super) fn new(rules: Arc<Ruleset>) -> Follower {
        Follower { rules, game: None }
    }

    /// Returns the game so far, once it has begun.
    pub(super) fn game(&self) -> Option<&Game> {
        self.game.as_ref()
    }

    /// Follows a state in which a side is to move.
    pub(super) fn follow(&mut self, state: &State, to_move: Side) -> Result<Step, PositionError> {
        let board = self.rules.board;
        let layout = state.layout(board).map_err(PositionError::Layout)?;
        if let Some(game) = &mut self.game {
            let now = game.position();
            if now.layout() == layout && now.to_move == to_move {
                return Ok(Step::Same);
            }
            if let Some(played) = find_move_to(game, &layout).filter(|_| now.to_move != to_move) {
                game.push(&played);
                if is_in_progress(game) {
                    return Ok(Step::Played(played));
                }
            }
        }
        let position = Position::from_layout(&layout, to_move, &self.rules)?;
        let game = Game::from_position(Arc::clone(&self.rules), position)?;
        let step = match &self.game {
            Some(_) => Step::OutOfSync,
            None if Position::start(&self.rules).as_ref() == Ok(game.position()) => Step::Began,
            None => Step::Joined,
        };
        self.game = Some(game);
        Ok(step)
    }

    /// Follows the last state of a game, and returns the move that led to it.
    pub(super) fn finish(&mut self, state: &State) -> Option<Move> {
        let layout = state.layout(self.rules.board).ok()?;
        let game = self.game.as_mut()?;
        let played = find_move_to(game, &layout)?;
        game.push(&played);
        Some(played)
    }
}

/// Finds the legal move that leads to a board. The server may remove a captured king.
fn find_move_to(game: &Game, layout: &Layout) -> Option<Move> {
    let position = game.position();
    legal_moves(game.rules(), position).into_iter().find(|played| {
        let mut after = position.after(played).layout();
        if played.ending.is_some() && layout.king.is_none() {
            after.king = None;
        }
        after == *layout
    })
}

/// Whether the game also continues by our rules. A side without a move is left to the server, which
/// has no rule for it.
fn is_in_progress(game: &Game) -> bool {
    game.outcome().is_none_or(|outcome| outcome.reason == Reason::NoMove)
}

#[cfg(test)]
mod tests {
    use super::super::message::Turn;
    use super::*;
    use crate::game::notation::parse_move;

    const ASYMMETRIC: &str = "/3t1t3/t6t1/5T2t/1T7/1t7/2K5t/5t3/8t/7t1/ d";

    fn rules() -> Arc<Ruleset> {
        Arc::new(Ruleset::builtin("ashton-server").unwrap())
    }

    fn state(position: &Position) -> State {
        State::new(rules().board, position, Turn::of(position.to_move))
    }

    #[test]
    fn the_first_row_is_rank_1() {
        let rules = rules();
        let position = Position::parse(ASYMMETRIC, &rules).unwrap();
        let state = state(&position);
        let row = serde_json::to_string(&state.board[0]).unwrap();
        let cells = ["EMPTY", "EMPTY", "EMPTY", "BLACK", "EMPTY", "BLACK"];
        assert!(row.starts_with(&format!("[\"{}\"", cells.join("\",\""))), "{row}");
        assert_eq!(state.layout(rules.board), Ok(position.layout()));
        let mut follower = Follower::new(Arc::clone(&rules));
        assert_eq!(follower.follow(&state, Side::Defenders), Ok(Step::Joined));
        assert_eq!(follower.game().unwrap().position(), &position);
    }

    #[test]
    fn moves_are_recognized() {
        let rules = rules();
        let mut game = Game::new(Arc::clone(&rules)).unwrap();
        let mut follower = Follower::new(Arc::clone(&rules));
        let begun = follower.follow(&state(game.position()), Side::Defenders);
        assert_eq!(begun, Ok(Step::Began));
        for text in ["e3-f3", "e2-g2", "e4-g4", "f1-f2", "c5-c4", "g2-g1", "f3-f4"] {
            let played = parse_move(&rules, game.position(), text).unwrap();
            game.push(&played);
            let state = state(game.position());
            let to_move = game.position().to_move;
            assert_eq!(follower.follow(&state, to_move), Ok(Step::Played(played)), "{text}");
            assert_eq!(follower.follow(&state, to_move), Ok(Step::Same), "{text}");
        }
        assert_eq!(follower.game().unwrap().moves(), game.moves());
    }

    #[test]
    fn an_unreachable_state_restarts_the_game() {
        let rules = rules();
        let mut follower = Follower::new(Arc::clone(&rules));
        let start = Position::start(&rules).unwrap();
        follower.follow(&state(&start), Side::Defenders).unwrap();
        let elsewhere = Position::parse(ASYMMETRIC, &rules).unwrap();
        assert_eq!(follower.follow(&state(&elsewhere), Side::Defenders), Ok(Step::OutOfSync));
        assert_eq!(follower.game().unwrap().positions().len(), 1);
        // Neither does a move lead to the same board with the other side to move.
        let mut twice = state(&elsewhere);
        twice.turn = Turn::Black;
        assert_eq!(follower.follow(&twice, Side::Attackers), Ok(Step::OutOfSync));
    }

    #[test]
    fn the_server_may_continue_a_drawn_game() {
        let rules = rules();
        let mut game = Game::new(Arc::clone(&rules)).unwrap();
        let mut follower = Follower::new(Arc::clone(&rules));
        follower.follow(&state(game.position()), Side::Defenders).unwrap();
        let mut steps = Vec::new();
        for text in ["e3-f3", "d1-c1", "f3-e3", "c1-b1", "e3-f3", "b1-c1"] {
            let played = parse_move(&rules, game.position(), text).unwrap();
            game.push(&played);
            steps.push(follower.follow(&state(game.position()), game.position().to_move).unwrap());
        }
        assert!(game.outcome().is_some());
        assert!(steps[..5].iter().all(|step| matches!(step, Step::Played(_))));
        assert_eq!(steps[5], Step::OutOfSync);
        assert_eq!(follower.game().unwrap().outcome(), None);
    }

    #[test]
    fn invalid_boards_are_refused() {
        let rules = rules();
        let start = Position::start(&rules).unwrap();
        let mut follower = Follower::new(Arc::clone(&rules));
        let mut refused = |change: &dyn Fn(&mut State)| {
            let mut state = state(&start);
            change(&mut state);
            follower.follow(&state, Side::Defenders).unwrap_err().to_string()
        };
        use super::super::message::Cell;
        assert_eq!(refused(&|s| drop(s.board.pop())), "8 instead of 9 ranks");
        assert_eq!(
            refused(&|s| s.board[2].push(Cell::Empty)),
            "rank 3 has 10 instead of 9 squares"
        );
        assert_eq!(refused(&|s| s.board[1][1] = Cell::King), "two kings, on b2 and e5");
        assert_eq!(refused(&|s| s.board[4][4] = Cell::Throne), "there is no king (K) on the board");
        assert!(
            refused(&|s| s.board[4][0] = Cell::White).contains("a defender cannot stand on a5")
        );
    }
}
