use serde::Serialize;

use crate::game::history::{Game, Outcome};
use crate::game::moves::{Ending, Move, legal_moves};
use crate::game::rules::{Ruleset, Side};
use crate::game::value::Plies;
use crate::tablebase::Tablebase;

/// What is to be seen of a game: always whole.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Scene {
    /// The ruleset's name.
    pub rules: String,
    /// The board as text, which may be none of a position: while it is set up, and when
    /// the king is captured.
    pub board: String,
    /// The side to move.
    pub to_move: &'static str,
    /// The last move.
    pub last: Option<String>,
    /// The legal moves; none while the program thinks, or if the game is over.
    pub moves: Vec<String>,
    /// The sides that are played by hand.
    pub manual: Vec<&'static str>,
    /// Who has won.
    pub winner: Option<&'static str>,
    /// Why the game is over.
    pub over: Option<&'static str>,
    /// What the tables say of the position.
    pub value: Option<SceneValue>,
    #[serde(skip)]
    legal: Vec<Move>,
}

/// What tables say of a position.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SceneValue {
    /// `win`, `draw`, `undecided` or `loss`, for the side to move.
    pub category: &'static str,
    /// Plies to the end of the game.
    pub dtw: Option<Plies>,
}

impl Scene {
    /// A board on which no game is played.
    pub fn of_board(rules: &Ruleset, board: String, to_move: Side) -> Scene {
        Scene {
            rules: rules.name.clone(),
            board,
            to_move: to_move.name(),
            last: None,
            moves: Vec::new(),
            manual: Vec::new(),
            winner: None,
            over: None,
            value: None,
            legal: Vec::new(),
        }
    }

    /// A game, with what those tables say.
    pub fn of_game(game: &Game, tables: &Tablebase) -> Scene {
        let (rules, position) = (game.rules(), game.position());
        let mut layout = position.layout();
        let last = game.moves().last();
        if last.is_some_and(|last| last.ending == Some(Ending::KingCaptured)) {
            layout.king = None;
        }
        let mut scene = Scene::of_board(rules, layout.to_text(rules.board), position.to_move);
        scene.last = last.map(|last| last.display(rules.board).to_string());
        match game.outcome() {
            Some(Outcome { winner, reason }) => {
                scene.winner = winner.map(Side::name);
                scene.over = Some(reason.name());
            }
            None => {
                let value = tables.probe_value(position).ok();
                scene.value = value.map(|value| SceneValue {
                    category: tables.category(value.wdl),
                    dtw: value.plies,
                });
                scene.legal = legal_moves(rules, position);
            }
        }
        let moves = scene.legal.iter().map(|played| played.display(rules.board).to_string());
        scene.moves = moves.collect();
        scene
    }

    /// The same with these sides played by hand. While the program thinks, nobody moves.
    #[must_use]
    pub fn with_players(mut self, manual: &[Side], is_thinking: bool) -> Scene {
        self.manual = manual.iter().map(|side| side.name()).collect();
        if is_thinking {
            self.moves.clear();
            self.legal.clear();
        }
        self
    }

    /// The same, won by that side for a reason that is not in the rules.
    #[must_use]
    pub fn won_by(mut self, winner: Side) -> Scene {
        self.winner = Some(winner.name());
        self.moves.clear();
        self.legal.clear();
        self
    }

    /// Whether the side to move is played by hand, and may move.
    pub(super) fn is_open(&self) -> bool {
        !self.legal.is_empty() && self.manual.contains(&self.to_move)
    }

    /// The legal move that is written so; captures and marks may be left out.
    pub(super) fn find(&self, text: &str) -> Option<Move> {
        let plain = |text: &str| {
            let text = text.trim().trim_start_matches('K');
            text.split(['x', '+']).next().unwrap_or_default().trim_end_matches("--").to_owned()
        };
        let at = self.moves.iter().position(|known| plain(known) == plain(text))?;
        self.legal.get(at).copied()
    }
}
