use serde::Serialize;

use crate::game::formations::FormationText;
use crate::game::history::{Game, Outcome};
use crate::game::moves::{Ending, Move};
use crate::game::rules::{Ruleset, Side};
use crate::game::value::Plies;
use crate::tablebase::Tablebase;

/// A snapshot of a game for display.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Scene {
    /// Name of the ruleset.
    pub rules: String,
    /// The board as text. It may be no valid position: while it is being set up, and after the
    /// king's capture.
    pub board: String,
    /// Side to move.
    pub to_move: &'static str,
    /// Last move.
    pub last: Option<String>,
    /// The shieldwall, fort or ring that the last move completed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub formations: Vec<FormationText>,
    /// Legal moves; empty while the engine thinks and when the game is over.
    pub moves: Vec<String>,
    /// Sides played by hand.
    pub manual: Vec<&'static str>,
    /// Side that has won.
    pub winner: Option<&'static str>,
    /// Reason for the end of the game.
    pub over: Option<&'static str>,
    /// Value of the position from the tables.
    pub value: Option<SceneValue>,
    #[serde(skip)]
    legal: Vec<Move>,
}

/// Value of a position from the tables.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SceneValue {
    /// `win`, `draw`, `undecided`, `endless` or `loss`, for the side to move.
    pub category: &'static str,
    /// Plies to the end of the game.
    pub dtw: Option<Plies>,
}

impl Scene {
    /// Returns the scene of a board without a game.
    pub fn of_board(rules: &Ruleset, board: String, to_move: Side) -> Scene {
        Scene {
            rules: rules.name.clone(),
            board,
            to_move: to_move.name(),
            last: None,
            formations: Vec::new(),
            moves: Vec::new(),
            manual: Vec::new(),
            winner: None,
            over: None,
            value: None,
            legal: Vec::new(),
        }
    }

    /// Returns the scene of a game, with its value from the tables.
    pub fn of_game(game: &Game, tables: &Tablebase) -> Scene {
        let (rules, position) = (game.rules(), game.position());
        let mut layout = position.layout();
        let last = game.moves().last();
        if last.is_some_and(|last| last.ending == Some(Ending::KingCaptured)) {
            layout.king = None;
        }
        let mut scene = Scene::of_board(rules, layout.to_text(rules.board), position.to_move);
        scene.last = last.map(|last| last.display(rules.board).to_string());
        if let (Some(last), [.., before, _]) = (last, game.positions()) {
            scene.formations = last.formation_texts(rules, before);
        }
        match game.outcome() {
            Some(Outcome { winner, reason }) => {
                scene.winner = winner.map(Side::name);
                scene.over = Some(reason.name());
            }
            None => {
                scene.value = tables.probe_value(position).ok().map(|value| SceneValue {
                    category: tables.category(value.wdl),
                    dtw: value.plies,
                });
                scene.legal = game.playable_moves();
            }
        }
        let moves = scene.legal.iter().map(|played| played.display(rules.board).to_string());
        scene.moves = moves.collect();
        scene
    }

    /// Sets the sides played by hand, and removes the moves if the engine is thinking.
    #[must_use]
    pub fn with_players(mut self, manual: &[Side], is_thinking: bool) -> Scene {
        self.manual = manual.iter().map(|side| side.name()).collect();
        if is_thinking {
            self.moves.clear();
            self.legal.clear();
        }
        self
    }

    /// Sets the winner, for a reason outside of the rules.
    #[must_use]
    pub fn won_by(mut self, winner: Side) -> Scene {
        self.winner = Some(winner.name());
        self.moves.clear();
        self.legal.clear();
        self
    }

    /// Whether the side to move is played by hand and has moves.
    pub(super) fn accepts_moves(&self) -> bool {
        !self.legal.is_empty() && self.manual.contains(&self.to_move)
    }

    /// Finds a legal move by its text, in which captures and marks are optional.
    pub(super) fn find(&self, text: &str) -> Option<Move> {
        let at = self.moves.iter().position(|known| squares(known) == squares(text))?;
        self.legal.get(at).copied()
    }
}

/// Strips a move's text to the squares: `Ke1-a1--` to `e1-a1`.
fn squares(text: &str) -> &str {
    let plain = text.trim().trim_start_matches('K');
    plain.split(['x', '+']).next().unwrap_or_default().trim_end_matches("--")
}
