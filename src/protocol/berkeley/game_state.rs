use std::fmt;
use std::sync::Arc;

use crate::game::board::Square;
use crate::game::history::Game;
use crate::game::moves::{Move, find_move};
use crate::game::position::PositionError;
use crate::game::rules::{BySide, Ruleset, Side};

use super::setup_board::SetupBoard;

/// The state of play: the board, the move limit and the winner.
pub(super) struct GameState {
    rules: Arc<Ruleset>,
    board: BoardState,
    /// Moves played before the board was last edited.
    played_before: BySide<u32>,
    /// Maximum moves per side.
    limit: Option<u32>,
    winner: Option<Side>,
}

enum BoardState {
    Game(Game),
    /// A board being set up.
    Setup(SetupBoard),
}

/// A move limit that is already reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LimitError {
    limit: u32,
    made: u32,
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LimitError { limit, made } = self;
        write!(f, "limit {limit} is too small: {made} moves have been made so far")
    }
}

impl GameState {
    /// Starts a new game.
    pub(super) fn new(rules: Arc<Ruleset>) -> Result<GameState, PositionError> {
        let board = BoardState::Game(Game::new(Arc::clone(&rules))?);
        Ok(GameState { rules, board, played_before: BySide::default(), limit: None, winner: None })
    }

    pub(super) fn rules(&self) -> &Arc<Ruleset> {
        &self.rules
    }

    pub(super) fn winner(&self) -> Option<Side> {
        self.winner
    }

    pub(super) fn to_move(&self) -> Side {
        match &self.board {
            BoardState::Game(game) => game.position().to_move,
            BoardState::Setup(setup) => setup.to_move,
        }
    }

    /// Returns the game, which may be over. If the board was edited, starts a game there.
    pub(super) fn game(&mut self) -> Result<&Game, PositionError> {
        if let BoardState::Setup(setup) = &self.board {
            let position = setup.position(&self.rules)?;
            self.board = BoardState::Game(Game::from_position(Arc::clone(&self.rules), position)?);
            self.update_winner();
        }
        match &self.board {
            BoardState::Game(game) => Ok(game),
            BoardState::Setup(_) => unreachable!("a setup has just become a game"),
        }
    }

    /// Finds the legal move between two squares.
    pub(super) fn find(&mut self, from: Square, to: Square) -> Result<Option<Move>, PositionError> {
        let position = *self.game()?.position();
        Ok(find_move(&self.rules, &position, from, to))
    }

    /// Plays a legal move; the game must not be over.
    pub(super) fn play(&mut self, played: &Move) {
        if let BoardState::Game(game) = &mut self.board {
            game.push(played);
            self.update_winner();
        }
    }

    /// Takes back two moves, if there are two since the board was set up.
    pub(super) fn undo(&mut self) {
        if let BoardState::Game(game) = &mut self.board
            && game.moves().len() >= 2
        {
            game.undo();
            game.undo();
            self.winner = None;
        }
    }

    pub(super) fn toggle(&mut self, square: Square) {
        let made = BySide::from_fn(|side| self.moves_by(side));
        let mut setup = self.setup();
        setup.toggle(square);
        self.played_before = made;
        self.board = BoardState::Setup(setup);
        self.winner = None;
    }

    pub(super) fn set_limit(&mut self, limit: u32) -> Result<(), LimitError> {
        let made = Side::ALL.map(|side| self.moves_by(side)).iter().sum();
        if u64::from(limit) * 2 <= u64::from(made) {
            return Err(LimitError { limit, made });
        }
        self.limit = Some(limit);
        Ok(())
    }

    pub(super) fn dump(&self) -> String {
        self.setup().dump(self.rules.board)
    }

    /// Returns the board and its game; `None` while it is being set up.
    pub(super) fn board(&self) -> (String, Option<&Game>) {
        let game = match &self.board {
            BoardState::Game(game) => Some(game),
            BoardState::Setup(_) => None,
        };
        (self.setup().to_text(self.rules.board), game)
    }

    fn setup(&self) -> SetupBoard {
        match &self.board {
            BoardState::Game(game) => SetupBoard::of(game),
            BoardState::Setup(setup) => *setup,
        }
    }

    /// Returns the number of moves that a side has made in this game.
    fn moves_by(&self, side: Side) -> u32 {
        let now = match &self.board {
            BoardState::Game(game) => {
                let movers = game.positions()[..game.moves().len()].iter();
                movers.filter(|position| position.to_move == side).count()
            }
            BoardState::Setup(_) => 0,
        };
        self.played_before[side] + now as u32
    }

    /// Determines the winner.
    fn update_winner(&mut self) {
        let BoardState::Game(game) = &self.board else {
            return;
        };
        let mover = game.position().to_move;
        self.winner = match game.outcome() {
            Some(outcome) => outcome.winner,
            None => {
                let out_of_moves = self.limit.is_some_and(|limit| self.moves_by(mover) >= limit);
                out_of_moves.then_some(mover.other())
            }
        };
    }
}
