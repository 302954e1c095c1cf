use std::fmt;
use std::sync::Arc;

use crate::game::board::Square;
use crate::game::history::Game;
use crate::game::moves::{Move, find_move};
use crate::game::position::PositionError;
use crate::game::rules::{BySide, Ruleset, Side};

use super::draft::Draft;

/// What is on the board, who has won, and how many moves are left.
pub(super) struct Play {
    rules: Arc<Ruleset>,
    board: State,
    /// Moves that were made before the board was last changed by hand.
    made_before: BySide<u32>,
    /// No side makes more moves than these.
    limit: Option<u32>,
    winner: Option<Side>,
}

enum State {
    Game(Game),
    Draft(Draft),
}

/// A limit that is reached already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LimitError {
    limit: u32,
    made: u32,
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LimitError { limit, made } = self;
        write!(f, "limit {limit} is too small: the moves made so far are {made}")
    }
}

impl Play {
    /// A new game.
    pub(super) fn new(rules: Arc<Ruleset>) -> Result<Play, PositionError> {
        let board = State::Game(Game::new(Arc::clone(&rules))?);
        Ok(Play { rules, board, made_before: BySide::default(), limit: None, winner: None })
    }

    pub(super) fn rules(&self) -> &Arc<Ruleset> {
        &self.rules
    }

    pub(super) fn winner(&self) -> Option<Side> {
        self.winner
    }

    pub(super) fn to_move(&self) -> Side {
        match &self.board {
            State::Game(game) => game.position().to_move,
            State::Draft(draft) => draft.to_move,
        }
    }

    /// The game, which begins anew where the board was changed by hand. It may be over.
    pub(super) fn game(&mut self) -> Result<&Game, PositionError> {
        if let State::Draft(draft) = &self.board {
            let position = draft.position(&self.rules)?;
            self.board = State::Game(Game::from_position(Arc::clone(&self.rules), position)?);
            self.judge();
        }
        match &self.board {
            State::Game(game) => Ok(game),
            State::Draft(_) => unreachable!("a draft has just become a game"),
        }
    }

    /// The legal move between those squares.
    pub(super) fn find(&mut self, from: Square, to: Square) -> Result<Option<Move>, PositionError> {
        let position = *self.game()?.position();
        Ok(find_move(&self.rules, &position, from, to))
    }

    /// Plays a legal move of a game that is not over.
    pub(super) fn play(&mut self, played: &Move) {
        if let State::Game(game) = &mut self.board {
            game.push(played);
            self.judge();
        }
    }

    /// Takes the last two moves back, if there are two since the board was set up.
    pub(super) fn undo(&mut self) {
        if let State::Game(game) = &mut self.board
            && game.moves().len() >= 2
        {
            game.undo();
            game.undo();
            self.winner = None;
        }
    }

    pub(super) fn toggle(&mut self, square: Square) {
        let made = BySide::from_fn(|side| self.made(side));
        let mut draft = self.draft();
        draft.toggle(square);
        self.made_before = made;
        self.board = State::Draft(draft);
        self.winner = None;
    }

    pub(super) fn set_limit(&mut self, limit: u32) -> Result<(), LimitError> {
        let made = Side::ALL.map(|side| self.made(side)).iter().sum();
        if u64::from(limit) * 2 <= u64::from(made) {
            return Err(LimitError { limit, made });
        }
        self.limit = Some(limit);
        Ok(())
    }

    pub(super) fn dump(&self) -> String {
        self.draft().dump(self.rules.board)
    }

    /// The board, and the game that is played on it.
    pub(super) fn board(&self) -> (String, Option<&Game>) {
        let game = match &self.board {
            State::Game(game) => Some(game),
            State::Draft(_) => None,
        };
        (self.draft().to_text(self.rules.board), game)
    }

    fn draft(&self) -> Draft {
        match &self.board {
            State::Game(game) => Draft::of(game),
            State::Draft(draft) => *draft,
        }
    }

    /// How many moves the side has made since the game began.
    fn made(&self, side: Side) -> u32 {
        let now = match &self.board {
            State::Game(game) => {
                let movers = game.positions()[..game.moves().len()].iter();
                movers.filter(|position| position.to_move == side).count()
            }
            State::Draft(_) => 0,
        };
        self.made_before[side] + now as u32
    }

    /// Sees whether somebody has won.
    fn judge(&mut self) {
        let State::Game(game) = &self.board else {
            return;
        };
        let mover = game.position().to_move;
        self.winner = match game.outcome() {
            Some(outcome) => outcome.winner,
            None => {
                let is_out = self.limit.is_some_and(|limit| self.made(mover) >= limit);
                is_out.then_some(mover.other())
            }
        };
    }
}
