use std::sync::Arc;

use crate::game::history::{Game, Reason};
use crate::game::moves::{Move, legal_moves};
use crate::game::position::{Position, PositionError};
use crate::game::rules::{Layout, Ruleset, Side};

use super::message::State;

/// The game as the server tells it, state by state.
pub(super) struct Follower {
    rules: Arc<Ruleset>,
    game: Option<Game>,
}

/// What a state means after those before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The game begins.
    Began,
    /// The first state is that of a game that has begun already.
    Joined,
    /// A move was played.
    Played(Move),
    /// Nothing has changed.
    Same,
    /// No legal move leads there: the game is taken to begin here.
    Lost,
}

impl Follower {
    pub(super) fn new(rules: Arc<Ruleset>) -> Follower {
        Follower { rules, game: None }
    }

    /// The game so far, once it has begun.
    pub(super) fn game(&self) -> Option<&Game> {
        self.game.as_ref()
    }

    /// Follows to a state in which a side is to move.
    pub(super) fn follow(&mut self, state: &State, to_move: Side) -> Result<Step, PositionError> {
        let board = self.rules.board;
        let layout = state.layout(board).map_err(PositionError::Layout)?;
        if let Some(game) = &mut self.game {
            let now = game.position();
            if now.layout() == layout && now.to_move == to_move {
                return Ok(Step::Same);
            }
            if let Some(played) = leading_to(game, &layout).filter(|_| now.to_move != to_move) {
                game.push(&played);
                if goes_on(game) {
                    return Ok(Step::Played(played));
                }
            }
        }
        let position = Position::from_layout(&layout, to_move, &self.rules)?;
        let game = Game::from_position(Arc::clone(&self.rules), position)?;
        let step = match &self.game {
            Some(_) => Step::Lost,
            None if Position::start(&self.rules).as_ref() == Ok(game.position()) => Step::Began,
            None => Step::Joined,
        };
        self.game = Some(game);
        Ok(step)
    }

    /// Follows to the last state, if it comes of a move, and returns that.
    pub(super) fn finish(&mut self, state: &State) -> Option<Move> {
        let layout = state.layout(self.rules.board).ok()?;
        let game = self.game.as_mut()?;
        let played = leading_to(game, &layout)?;
        game.push(&played);
        Some(played)
    }
}

/// The legal move that leads to this board. A king that is captured may have been taken
/// from it.
fn leading_to(game: &Game, layout: &Layout) -> Option<Move> {
    let position = game.position();
    legal_moves(game.rules(), position).into_iter().find(|played| {
        let mut after = position.after(played).layout();
        if played.ending.is_some() && layout.king.is_none() {
            after.king = None;
        }
        after == *layout
    })
}

/// Whether the game goes on by our rules, too. The server has no rule for a side without
/// a move.
fn goes_on(game: &Game) -> bool {
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
    fn moves_are_seen_in_what_changes() {
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
    fn what_no_move_leads_to_is_a_new_beginning() {
        let rules = rules();
        let mut follower = Follower::new(Arc::clone(&rules));
        let start = Position::start(&rules).unwrap();
        follower.follow(&state(&start), Side::Defenders).unwrap();
        let elsewhere = Position::parse(ASYMMETRIC, &rules).unwrap();
        assert_eq!(follower.follow(&state(&elsewhere), Side::Defenders), Ok(Step::Lost));
        assert_eq!(follower.game().unwrap().positions().len(), 1);
        // The same side twice is no move either.
        let mut twice = state(&elsewhere);
        twice.turn = Turn::Black;
        assert_eq!(follower.follow(&twice, Side::Attackers), Ok(Step::Lost));
    }

    #[test]
    fn a_game_that_we_think_drawn_goes_on_if_the_server_says_so() {
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
        assert_eq!(steps[5], Step::Lost);
        assert_eq!(follower.game().unwrap().outcome(), None);
    }

    #[test]
    fn boards_that_are_none_are_refused() {
        let rules = rules();
        let start = Position::start(&rules).unwrap();
        let mut follower = Follower::new(Arc::clone(&rules));
        let mut refused = |change: &dyn Fn(&mut State)| {
            let mut state = state(&start);
            change(&mut state);
            follower.follow(&state, Side::Defenders).unwrap_err().to_string()
        };
        use super::super::message::Cell;
        assert_eq!(refused(&|s| drop(s.board.pop())), "8 ranks instead of 9");
        assert_eq!(
            refused(&|s| s.board[2].push(Cell::Empty)),
            "rank 3 has 10 squares instead of 9"
        );
        assert_eq!(refused(&|s| s.board[1][1] = Cell::King), "two kings, on b2 and e5");
        assert_eq!(refused(&|s| s.board[4][4] = Cell::Throne), "there is no king (K) on the board");
        assert!(
            refused(&|s| s.board[4][0] = Cell::White).contains("a defender cannot stand on a5")
        );
    }
}
