//! The game as the host tells it.

use std::sync::Arc;

use crate::game::history::Game;
use crate::game::moves::Move;
use crate::game::notation::parse_move;
use crate::game::position::{Position, PositionError};
use crate::game::rules::{Layout, Ruleset, Side};

use super::layout;

/// What the host is told when something is wrong.
pub(super) struct Fault {
    /// Whether the game cannot go on.
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

/// The game on the host's board. Where our moves and the host's board differ, the board
/// is right.
pub(super) struct Kept {
    /// The rules, or why there are none.
    rules: Result<Arc<Ruleset>, String>,
    /// The game, or why there is none.
    game: Result<Game, String>,
    /// Whether the host has told a position, and no move since: then the side that it
    /// tells is the one to move.
    is_placed: bool,
    /// Our move, until the host confirms or refuses it.
    sent: Option<Move>,
    /// Moves that the host has refused in this position.
    refused: Vec<Move>,
}

impl Kept {
    pub(super) fn new() -> Kept {
        let nothing = "no rules have been told".to_owned();
        Kept {
            rules: Err(nothing.clone()),
            game: Err(nothing),
            is_placed: false,
            sent: None,
            refused: Vec::new(),
        }
    }

    /// A new game by the rules of that record, from its start.
    pub(super) fn begin(&mut self, record: &str) -> Result<Arc<Ruleset>, Fault> {
        let rules = Ruleset::from_otn(record).map_err(|error| format!("rules: {error}"));
        let rules = rules.map(Arc::new);
        let game = rules
            .clone()
            .and_then(|rules| Game::new(rules).map_err(|error| format!("rules: start: {error}")));
        let answer = rules.clone().map_err(Fault::critical);
        *self = Kept { rules, game, ..Kept::new() };
        answer
    }

    /// The board is this one now; whoever is to move.
    pub(super) fn place(&mut self, board: &str) -> Result<(), Fault> {
        let rules = self.rules()?;
        let layout = Layout::parse(board, rules.board);
        let layout = layout.map_err(|error| Fault::harmless(format!("position: {error}")))?;
        self.set(&layout, rules.first)
    }

    /// The side that the host names.
    pub(super) fn name_side(&mut self, side: Side) {
        if self.is_placed {
            self.turn_to(side);
        }
    }

    /// The other side has made these moves, and the board is this one.
    pub(super) fn opponent_moved(&mut self, text: &str) -> Result<(), Fault> {
        let (moves, board) = match text.split_once(char::is_whitespace) {
            Some((moves, board)) => (moves, Some(board)),
            None => (text, None),
        };
        let rules = self.rules()?;
        let fault = |text: String| Fault::harmless(format!("opponent-move: {text}"));
        let board = board.map(|board| Layout::parse(board, rules.board)).transpose();
        let board = board.map_err(|error| fault(error.to_string()))?;
        if let (Ok(game), Some(board)) = (&self.game, board)
            && board == layout(game)
        {
            // OpenTafl tells the last move again after an error.
            return Ok(());
        }
        let played = self.play_of_either(moves);
        if let Some(board) = board
            && !(played.is_ok() && self.is_over_or(board))
        {
            let mover = self.game.as_ref().map_or(rules.first, |game| game.position().to_move);
            let next = if played.is_ok() { mover } else { mover.other() };
            self.set(&board, next)?;
            return Err(fault(format!("{moves} does not lead to that board, which I take")));
        }
        played.map_err(fault)
    }

    /// The host has played our move, and the board is this one.
    pub(super) fn confirmed(&mut self, board: &str) -> Result<(), Fault> {
        self.sent = None;
        self.refused.clear();
        let rules = self.rules()?;
        let layout = Layout::parse(board, rules.board);
        let layout = layout.map_err(|error| Fault::harmless(format!("move: {error}")))?;
        if self.is_over_or(layout) {
            return Ok(());
        }
        let next = self.game.as_ref().map_or(rules.first, |game| game.position().to_move);
        self.set(&layout, next)?;
        Err(Fault::harmless("my move does not lead to that board, which I take"))
    }

    /// The host has refused our move: it is taken back, and not to be sent again.
    pub(super) fn was_refused(&mut self) {
        if let (Some(refused), Ok(game)) = (self.sent.take(), &mut self.game) {
            game.undo();
            self.refused.push(refused);
        }
    }

    /// The game in which that side is to move now.
    pub(super) fn game_for(&mut self, side: Option<Side>) -> Result<&Game, Fault> {
        if let Some(side) = side {
            self.turn_to(side);
        }
        if let Ok(game) = &self.game
            && game.outcome().is_some()
        {
            // The host lets it go on, so what was played before does not count.
            let (rules, position) = (Arc::clone(game.rules()), *game.position());
            self.game = Game::from_position(rules, position).map_err(|error| error.to_string());
        }
        self.game.as_ref().map_err(Fault::critical)
    }

    /// The moves that the host has refused in this position.
    pub(super) fn refused(&self) -> &[Move] {
        &self.refused
    }

    /// Our move, which is sent to the host.
    pub(super) fn send(&mut self, played: Move) {
        if let Ok(game) = &mut self.game {
            game.push(&played);
            self.sent = Some(played);
            self.is_placed = false;
        }
    }

    fn rules(&self) -> Result<Arc<Ruleset>, Fault> {
        self.rules.clone().map_err(Fault::critical)
    }

    /// A game from that board on.
    fn set(&mut self, layout: &Layout, to_move: Side) -> Result<(), Fault> {
        let rules = self.rules()?;
        let position = Position::from_layout(layout, to_move, &rules);
        let game = position.and_then(|position| Game::from_position(rules, position));
        self.is_placed = true;
        self.sent = None;
        self.refused.clear();
        let fault = match &game {
            // The board of a game that is over is no fault unless somebody wants to play.
            Ok(_)
            | Err(PositionError::NoKing)
            | Err(PositionError::KingEscaped(_))
            | Err(PositionError::NoAttackers) => Ok(()),
            Err(error) => Err(Fault::harmless(format!("position: {error}"))),
        };
        self.game = game.map_err(|error| format!("position: {error}"));
        fault
    }

    /// Lets that side be the one to move.
    fn turn_to(&mut self, side: Side) {
        if let Ok(game) = &self.game
            && game.position().to_move != side
        {
            let layout = game.position().layout();
            let _ = self.set(&layout, side);
        }
    }

    /// Plays a move of the side whose piece it is.
    fn play_of_either(&mut self, text: &str) -> Result<(), String> {
        self.sent = None;
        self.refused.clear();
        if let Ok(game) = &self.game {
            let turned = Position { to_move: game.position().to_move.other(), ..*game.position() };
            if self.is_placed && parse_move(game.rules(), &turned, text).is_ok() {
                self.turn_to(turned.to_move);
            }
        }
        let game = self.game.as_mut().map_err(|reason| reason.clone())?;
        let played = parse_move(game.rules(), game.position(), text).map_err(|e| e.to_string())?;
        game.push(&played);
        self.is_placed = false;
        Ok(())
    }

    /// Whether the board is as the host tells it, or the game is over, whose last board
    /// does not matter.
    fn is_over_or(&self, board: Layout) -> bool {
        let as_told = |game: &Game| layout(game) == board || game.outcome().is_some();
        self.game.as_ref().is_ok_and(as_told)
    }
}
