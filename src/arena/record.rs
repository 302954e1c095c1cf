use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::engine::Clock;
use crate::game::board::Board;
use crate::game::moves::Move;
use crate::game::rules::{Ruleset, Side};

use super::played_game::PlayedGame;

/// One of the two players of a match, in the order in which they were named.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum PlayerId {
    /// The first.
    A,
    /// The second.
    B,
}

impl PlayerId {
    /// Both.
    pub const ALL: [PlayerId; 2] = [PlayerId::A, PlayerId::B];

    /// The other one.
    #[must_use]
    pub fn other(self) -> PlayerId {
        match self {
            PlayerId::A => PlayerId::B,
            PlayerId::B => PlayerId::A,
        }
    }

    /// `A` or `B`.
    pub fn name(self) -> &'static str {
        match self {
            PlayerId::A => "A",
            PlayerId::B => "B",
        }
    }
}

/// What the games of a match depend on: games of other settings are of another match.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The rules.
    pub rules: Arc<Ruleset>,
    /// The descriptions of both players; see [`factory`](super::factory).
    pub players: [String; 2],
    /// What each player has.
    pub clock: Clock,
    /// What the openings, and random players, depend on.
    pub seed: u64,
    /// The plies of an opening; 0: all games begin at the start.
    pub book_plies: u32,
    /// Games that last so long are drawn.
    pub max_plies: usize,
}

/// The settings as they are saved with each game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SavedSettings {
    /// The ruleset's name.
    pub rules: String,
    /// The ruleset's fingerprint.
    pub fingerprint: String,
    /// The descriptions of A and B.
    pub players: [String; 2],
    /// `nodes 1000`, `depth 4`, `time 0.5` or `clock 5+2`, as the options have it.
    pub clock: String,
    /// The seed.
    pub seed: u64,
    /// The plies of an opening.
    pub book_plies: u32,
    /// Games that last so long are drawn.
    pub max_plies: usize,
}

impl SavedSettings {
    /// Each setting by its name.
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

/// A finished game, as it is saved: a line of JSON.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// What it was played under.
    #[serde(flatten)]
    pub settings: SavedSettings,
    /// The number of its pair, from 0.
    pub pair: usize,
    /// Who has the attackers.
    pub attackers: PlayerId,
    /// The moves of the opening, from the ruleset's start.
    pub opening: Vec<String>,
    /// The moves after it.
    pub moves: Vec<String>,
    /// For each of these moves, what its player thought of it, if it told: as
    /// [`Score`](crate::engine::Score) prints it.
    pub scores: Vec<Option<String>>,
    /// Who has won; nobody in a draw.
    pub winner: Option<PlayerId>,
    /// Why the game is over.
    pub reason: String,
    /// Whether the loser gave no move, an illegal one, or one too late.
    pub fault: bool,
}

impl GameRecord {
    /// Who has that side.
    pub fn player(&self, side: Side) -> PlayerId {
        match side {
            Side::Attackers => self.attackers,
            Side::Defenders => self.attackers.other(),
        }
    }

    /// The side of that player.
    pub fn side(&self, who: PlayerId) -> Side {
        if who == self.attackers { Side::Attackers } else { Side::Defenders }
    }

    /// All plies, those of the opening too.
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

/// Moves as they are written.
pub(super) fn move_texts(board: Board, moves: &[Move]) -> Vec<String> {
    moves.iter().map(|played| played.display(board).to_string()).collect()
}
