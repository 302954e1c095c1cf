//! The game on the host's board.

use std::fmt::Display;
use std::sync::Arc;

use crate::game::history::Game;
use crate::game::moves::Move;
use crate::game::notation::parse_move;
use crate::game::position::{Position, PositionError};
use crate::game::rules::{Layout, Ruleset, Side};
use crate::protocol::shown_layout::shown_layout;

/// An error reported to the host.
pub(super) struct Fault {
    /// Whether the game cannot continue.
    pub critical: bool,
    pub text: String,
}

impl Fault {
    pub(super) fn critical(text: impl ToString) -> Fault {
        Fault { critical: true, text: text.to_string() }
    }

    pub(super) fn harmless(text: impl ToString) -> Fault {
        Fault { critical: false, text: text.to_string() }
    }
}

/// The game on the host's board. If our moves lead to another board, the host's board counts.
pub(super) struct HostGame {
    /// The rules, or an error text.
    rules: Result<Arc<Ruleset>, String>,
    /// The game, or an error text.
    game: Result<Game, String>,
    /// Whether the board was set and no move was played since. Then `side` sets the side to move.
    is_board_set: bool,
    /// Our move, until the host confirms or rejects it.
    unconfirmed: Option<Move>,
    /// Moves that the host has rejected in this position.
    rejected: Vec<Move>,
}

impl HostGame {
    pub(super) fn new() -> HostGame {
        let nothing = "no rules received".to_owned();
        HostGame {
            rules: Err(nothing.clone()),
            game: Err(nothing),
            is_board_set: false,
            unconfirmed: None,
            rejected: Vec::new(),
        }
    }

    /// Starts a new game by the rules in OpenTafl's notation.
    pub(super) fn begin(&mut self, otn: &str) -> Result<Arc<Ruleset>, Fault> {
        let rules = Ruleset::from_otn(otn).map(Arc::new).map_err(|error| format!("rules: {error}"));
        let game = rules
            .clone()
            .and_then(|rules| Game::new(rules).map_err(|error| format!("rules: start: {error}")));
        *self = HostGame { rules, game, ..HostGame::new() };
        self.rules()
    }

    /// Sets the board, with the first mover to move.
    pub(super) fn set_board(&mut self, board: &str) -> Result<(), Fault> {
        let rules = self.rules()?;
        let layout = Layout::parse(board, rules.board)
            .map_err(|error| Fault::harmless(format!("position: {error}")))?;
        self.restart(&layout, rules.first)
    }

    /// Sets the side to move, if the board was just set.
    pub(super) fn set_side(&mut self, side: Side) {
        if self.is_board_set {
            self.set_side_to_move(side);
        }
    }

    /// Plays the opponent's move, and compares the board with the host's.
    pub(super) fn opponent_moved(&mut self, text: &str) -> Result<(), Fault> {
        let (moves, board_text) = match text.split_once(char::is_whitespace) {
            Some((moves, board)) => (moves, Some(board)),
            None => (text, None),
        };
        let rules = self.rules()?;
        let board = board_text
            .map(|text| Layout::parse(text, rules.board))
            .transpose()
            .map_err(opponent_move_fault)?;
        if let (Ok(game), Some(board)) = (&self.game, board)
            && board == shown_layout(game)
        {
            // OpenTafl repeats the last move after an error.
            return Ok(());
        }
        let played = self.play_for_either_side(moves);
        if let Some(board) = board
            && !(played.is_ok() && self.is_over_or_at(board))
        {
            let mover = self.game.as_ref().map_or(rules.first, |game| game.position().to_move);
            let next = if played.is_ok() { mover } else { mover.other() };
            self.restart(&board, next)?;
            return Err(opponent_move_fault(format!(
                "{moves} does not lead to this board; I continue from the board"
            )));
        }
        played.map_err(opponent_move_fault)
    }

    /// Confirms our move, and compares the board with the host's.
    pub(super) fn confirmed(&mut self, board: &str) -> Result<(), Fault> {
        self.unconfirmed = None;
        self.rejected.clear();
        let rules = self.rules()?;
        let layout = Layout::parse(board, rules.board)
            .map_err(|error| Fault::harmless(format!("move: {error}")))?;
        if self.is_over_or_at(layout) {
            return Ok(());
        }
        let next = self.game.as_ref().map_or(rules.first, |game| game.position().to_move);
        self.restart(&layout, next)?;
        Err(Fault::harmless("my move does not lead to this board; I continue from the board"))
    }

    /// Takes back our move, which the host has rejected, and excludes it from now on.
    pub(super) fn was_rejected(&mut self) {
        if let (Some(rejected), Ok(game)) = (self.unconfirmed.take(), &mut self.game) {
            game.undo();
            self.rejected.push(rejected);
        }
    }

    /// Returns the game, with `side` to move.
    pub(super) fn game_for(&mut self, side: Option<Side>) -> Result<&Game, Fault> {
        if let Some(side) = side {
            self.set_side_to_move(side);
        }
        if let Ok(game) = &self.game
            && game.outcome().is_some()
        {
            // The host continues a game that is over by our rules: restart it without its history.
            let (rules, position) = (Arc::clone(game.rules()), *game.position());
            self.game = Game::from_position(rules, position).map_err(|error| error.to_string());
        }
        self.game.as_ref().map_err(Fault::critical)
    }

    /// Returns the moves that the host has rejected in this position.
    pub(super) fn rejected(&self) -> &[Move] {
        &self.rejected
    }

    /// Plays our move, which the host has yet to confirm.
    pub(super) fn play(&mut self, played: Move) {
        if let Ok(game) = &mut self.game {
            game.push(&played);
            self.unconfirmed = Some(played);
            self.is_board_set = false;
        }
    }

    fn rules(&self) -> Result<Arc<Ruleset>, Fault> {
        self.rules.clone().map_err(Fault::critical)
    }

    /// Starts a game from a board.
    fn restart(&mut self, layout: &Layout, to_move: Side) -> Result<(), Fault> {
        let rules = self.rules()?;
        let game = Position::from_layout(layout, to_move, &rules)
            .and_then(|position| Game::from_position(rules, position));
        self.is_board_set = true;
        self.unconfirmed = None;
        self.rejected.clear();
        let fault = match &game {
            // The board of a finished game is an error only if a move is requested.
            Ok(_)
            | Err(PositionError::NoKing)
            | Err(PositionError::KingEscaped(_))
            | Err(PositionError::NoAttackers) => Ok(()),
            Err(error) => Err(Fault::harmless(format!("position: {error}"))),
        };
        self.game = game.map_err(|error| format!("position: {error}"));
        fault
    }

    /// Restarts the game from its board with this side to move.
    fn set_side_to_move(&mut self, side: Side) {
        if let Ok(game) = &self.game
            && game.position().to_move != side
        {
            let layout = game.position().layout();
            let _ = self.restart(&layout, side);
        }
    }

    /// Plays a move. If the board was just set, the moving piece determines the side.
    fn play_for_either_side(&mut self, text: &str) -> Result<(), String> {
        self.unconfirmed = None;
        self.rejected.clear();
        if let Ok(game) = &self.game {
            let turned = Position { to_move: game.position().to_move.other(), ..*game.position() };
            if self.is_board_set && parse_move(game.rules(), &turned, text).is_ok() {
                self.set_side_to_move(turned.to_move);
            }
        }
        let game = self.game.as_mut().map_err(|reason| reason.clone())?;
        let played = parse_move(game.rules(), game.position(), text).map_err(|e| e.to_string())?;
        game.push(&played);
        self.is_board_set = false;
        Ok(())
    }

    /// Whether our board equals the host's, or the game is over and the board does not matter.
    fn is_over_or_at(&self, board: Layout) -> bool {
        self.game.as_ref().is_ok_and(|game| shown_layout(game) == board || game.outcome().is_some())
    }
}

fn opponent_move_fault(text: impl Display) -> Fault {
    Fault::harmless(format!("opponent-move: {text}"))
}
