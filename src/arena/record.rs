use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::engine::Clock;
use crate::game::board::Board;
use crate::game::moves::Move;
use crate::game::rules::{Ruleset, Side};

use super::played_game::PlayedGame;

/// One of the two players of a match, in the order of their descriptions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum PlayerId {
    /// The first player.
    A,
    /// The second player.
    B,
}

impl PlayerId {
    /// Both players.
    pub const ALL: [PlayerId; 2] = [PlayerId::A, PlayerId::B];

    /// Returns the other player.
    #[must_use]
    pub fn other(self) -> PlayerId {
        match self {
            PlayerId::A => PlayerId::B,
            PlayerId::B => PlayerId::A,
        }
    }

    /// Returns `A` or `B`.
    pub fn name(self) -> &'static str {
        match self {
            PlayerId::A => "A",
            PlayerId::B => "B",
        }
    }
}

/// The settings of a match. Games with other settings belong to another match.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The rules.
    pub rules: Arc<Ruleset>,
    /// The descriptions of both players; see [`factory`](super::factory).
    pub players: [String; 2],
    /// The clock of each player.
    pub clock: Clock,
    /// The random seed of the openings.
    pub seed: u64,
    /// The number of plies of an opening; with 0, all games begin at the starting position.
    pub book_plies: u32,
    /// The number of plies after which a game is drawn.
    pub max_plies: usize,
}

/// The settings as saved with each game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SavedSettings {
    /// The ruleset's name.
    pub rules: String,
    /// The ruleset's fingerprint.
    pub fingerprint: String,
    /// The descriptions of A and B.
    pub players: [String; 2],
    /// The clock as on the command line: `nodes 1000`, `depth 4`, `time 0.5` or `clock 5+2`.
    pub clock: String,
    /// The seed.
    pub seed: u64,
    /// The number of plies of an opening.
    pub book_plies: u32,
    /// The number of plies after which a game is drawn.
    pub max_plies: usize,
}

impl SavedSettings {
    /// Returns the settings with their names.
    pub(super) fn fields(&self) -> [(&'static str, Value); 7] {
        [
            ("rules", json!(self.rules)),
            ("fingerprint", json!(self.fingerprint)),
            ("players", json!(self.players)),
            ("clock", json!(self.clock)),
            ("seed", json!(self.seed)),
            ("book_plies", json!(self.book_plies)),
            ("max_plies", json!(self.max_plies)),
        ]
    }
}

impl From<&Settings> for SavedSettings {
    fn from(settings: &Settings) -> SavedSettings {
        SavedSettings {
            rules: settings.rules.name.clone(),
            fingerprint: settings.rules.fingerprint().to_string(),
            players: settings.players.clone(),
            clock: clock_text(settings.clock),
            seed: settings.seed,
            book_plies: settings.book_plies,
            max_plies: settings.max_plies,
        }
    }
}

fn clock_text(clock: Clock) -> String {
    match clock {
        Clock::PerMove(time) => format!("time {}", time.as_secs_f64()),
        Clock::Game { left, increment } => {
            format!("clock {}+{}", left.as_secs_f64() / 60.0, increment.as_secs_f64())
        }
        Clock::Nodes(nodes) => format!("nodes {nodes}"),
        Clock::Depth(plies) => format!("depth {plies}"),
    }
}

/// A finished game as saved in a line of JSON.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// The settings of the match.
    #[serde(flatten)]
    pub settings: SavedSettings,
    /// The number of its pair, from 0.
    pub pair: usize,
    /// The player of the attackers.
    pub attackers: PlayerId,
    /// The moves of the opening from the starting position.
    pub opening: Vec<String>,
    /// The moves after the opening.
    pub moves: Vec<String>,
    /// The players' scores of these moves, as [`Score`](crate::engine::Score) prints them; `None`
    /// where a player reports none.
    pub scores: Vec<Option<String>>,
    /// The winner; `None` in a draw.
    pub winner: Option<PlayerId>,
    /// The reason of the game's end.
    pub reason: String,
    /// Whether the loser gave no move, an illegal one, or one too late.
    pub fault: bool,
}

impl GameRecord {
    /// Returns the player of a side.
    pub fn player(&self, side: Side) -> PlayerId {
        match side {
            Side::Attackers => self.attackers,
            Side::Defenders => self.attackers.other(),
        }
    }

    /// Returns the side of a player.
    pub fn side(&self, who: PlayerId) -> Side {
        if who == self.attackers { Side::Attackers } else { Side::Defenders }
    }

    /// Returns the number of plies, including those of the opening.
    pub fn plies(&self) -> usize {
        self.opening.len() + self.moves.len()
    }

    pub(super) fn new(
        settings: &Settings,
        (pair, attackers): (usize, PlayerId),
        opening: &[Move],
        played: PlayedGame,
    ) -> GameRecord {
        let board = settings.rules.board;
        let mut record = GameRecord {
            settings: settings.into(),
            pair,
            attackers,
            opening: move_texts(board, opening),
            moves: move_texts(board, &played.moves[opening.len()..]),
            scores: played.scores,
            winner: None,
            reason: played.end.reason,
            fault: played.end.is_fault,
        };
        record.winner = played.end.winner.map(|side| record.player(side));
        record
    }
}

/// Returns the moves as text.
pub(super) fn move_texts(board: Board, moves: &[Move]) -> Vec<String> {
    moves.iter().map(|played| played.display(board).to_string()).collect()
}
