//! The lines that the server sends, and those that it receives.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::game::rules::{BySide, Side};
use crate::protocol::htp::{TimeSettings, side};

/// The number of a game.
pub type GameId = u128;

/// The version of the protocol, which every login names.
const VERSION: &str = "32d9a140";

/// A line from the server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Message {
    LoggedIn,
    /// Our proposal of a game is open.
    Proposed(GameId),
    /// Our challenge has reached the server.
    Pending(GameId),
    /// Somebody wants to play the game that we have proposed.
    Challenged(GameId),
    Began(Beginning),
    YourTurn(GameId, Side),
    /// The other side has played.
    Played(GameId, Side, Play),
    Time(GameTime),
    DrawOffered(GameId),
    /// An offer of a draw was accepted or declined, or the server has declared a draw.
    DrawAnswered(bool),
    GameOver(GameId, Side),
    Resumed(ResumedGame),
    Pong,
    /// A command is refused.
    Refused {
        command: String,
        reason: String,
    },
    /// A line for people or for other programs.
    Other,
}

/// The other side's move, or its resignation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Play {
    Move(String, String),
    Resigns,
}

/// The beginning of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Beginning {
    pub(super) players: BySide<String>,
    /// The time of each side and the increment; `None` without clocks.
    pub(super) time: Option<TimeSettings>,
    pub(super) size: usize,
}

/// The clocks after a move, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
pub(super) struct GameTime {
    pub(super) id: GameId,
    attacker_ms_left: i64,
    defender_ms_left: i64,
}

/// A game in progress.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub(super) struct ResumedGame {
    pub(super) id: GameId,
    attackers: String,
    defenders: String,
    /// The size of the board.
    pub(super) dim: usize,
    time_control: Option<ResumedControl>,
    time_remaining_ms: Option<RemainingTime>,
    /// `d1-d3 d3-d2xe2 …`
    pub(super) moves: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
struct ResumedControl {
    /// In seconds.
    increment_length: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
struct RemainingTime {
    attackers: i64,
    defenders: i64,
}

/// Converts the server's milliseconds, which may be negative.
fn millis(number: i64) -> Duration {
    Duration::from_millis(u64::try_from(number).unwrap_or(0))
}

impl GameTime {
    pub(super) fn left(self) -> BySide<Duration> {
        BySide([self.attacker_ms_left, self.defender_ms_left].map(millis))
    }
}

impl ResumedGame {
    pub(super) fn players(&self) -> BySide<String> {
        BySide([self.attackers.clone(), self.defenders.clone()])
    }

    /// Returns the time left and the increment, if the game has clocks.
    pub(super) fn clocks(&self) -> Option<(BySide<Duration>, Duration)> {
        let (left, control) = self.time_remaining_ms.zip(self.time_control)?;
        let increment = millis(control.increment_length.saturating_mul(1000));
        Some((BySide([left.attackers, left.defenders].map(millis)), increment))
    }
}

impl Message {
    /// Parses a line.
    ///
    /// # Errors
    /// If a line of a known kind is not complete.
    pub(super) fn parse(line: &str) -> Result<Message, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let invalid = || {
            let start: String = line.chars().take(60).collect();
            format!("{start:?}")
        };
        match words[..] {
            ["?", command, ..] => {
                let reason = line.split_once(command).map_or("", |(_, rest)| rest.trim());
                let [command, reason] = [command, reason].map(str::to_owned);
                Ok(Message::Refused { command, reason })
            }
            ["=", "resume_game_json", ..] => {
                parse_json(line, "resume_game_json").map(Message::Resumed)
            }
            ["=", "game_time", ..] => parse_json(line, "game_time").map(Message::Time),
            ["=", name, ref rest @ ..] => parse_response(name, rest).ok_or_else(invalid),
            ["game", id, ref rest @ ..] => parse_turn(id, rest).ok_or_else(invalid),
            ["request_draw", id, _] => id.parse().map(Message::DrawOffered).map_err(|_| invalid()),
            ["game" | "request_draw", ..] => Err(invalid()),
            _ => Ok(Message::Other),
        }
    }
}

fn parse_json<T: for<'a> Deserialize<'a>>(line: &str, name: &str) -> Result<T, String> {
    let json = line.split_once(name).map_or("", |(_, json)| json);
    serde_json::from_str(json).map_err(|error| format!("{name}: {error}"))
}

/// Parses a line that begins with an equals sign; `None` if it is incomplete.
fn parse_response(name: &str, rest: &[&str]) -> Option<Message> {
    let id = || rest.first().and_then(|digits| digits.parse().ok());
    Some(match name {
        "login" => Message::LoggedIn,
        "new_game" => Message::Proposed(id()?),
        "join_game_pending" => Message::Pending(id()?),
        "challenge_requested" => Message::Challenged(id()?),
        "join_game" => {
            let &[attackers, defenders, _, kind, time, increment, size] = rest else {
                return None;
            };
            let time = match kind {
                "fischer" => Some(TimeSettings {
                    time: Duration::from_millis(time.parse().ok()?),
                    increment: Duration::from_secs(increment.parse().ok()?),
                }),
                _ => None,
            };
            let players = BySide([attackers, defenders].map(str::to_owned));
            Message::Began(Beginning { players, time, size: size.parse().ok()? })
        }
        "game_over" => {
            let winner = match rest.get(1).copied()? {
                "attacker_wins" => Side::Attackers,
                "defender_wins" => Side::Defenders,
                _ => return None,
            };
            Message::GameOver(id()?, winner)
        }
        "draw" => match rest.first().copied()? {
            "accept" => Message::DrawAnswered(true),
            "decline" => Message::DrawAnswered(false),
            _ => return None,
        },
        "ping" => Message::Pong,
        _ => Message::Other,
    })
}

/// Parses what follows `game ID`; `None` if it is incomplete.
fn parse_turn(id: &str, rest: &[&str]) -> Option<Message> {
    let id = id.parse().ok()?;
    let mover = side(rest.get(1)?).ok()?;
    Some(match (rest[0], &rest[2..]) {
        ("generate_move", []) => Message::YourTurn(id, mover),
        ("play", ["resigns", ..]) => Message::Played(id, mover, Play::Resigns),
        ("play", [from, to]) => {
            Message::Played(id, mover, Play::Move((*from).to_owned(), (*to).to_owned()))
        }
        _ => return None,
    })
}

/// Returns the line that logs in, or that creates the account and logs in.
pub(super) fn login(create: bool, name: &str, password: &str) -> String {
    let command = if create { "create_account" } else { "login" };
    format!("{VERSION} {command} {name} {password}")
}

/// Returns the line that proposes a game.
pub(super) fn new_game(
    our_side: Side,
    is_rated: bool,
    time: Option<TimeSettings>,
    board_size: usize,
) -> String {
    #[derive(Serialize)]
    enum Settings {
        Timed { add_seconds: u64, milliseconds_left: u128 },
        UnTimed,
    }
    #[derive(Serialize)]
    struct NewGame {
        role: &'static str,
        rated: bool,
        time_settings: Settings,
        board_size: usize,
    }
    let time_settings = match time {
        Some(TimeSettings { time, increment }) => Settings::Timed {
            add_seconds: increment.as_secs(),
            milliseconds_left: time.as_millis(),
        },
        None => Settings::UnTimed,
    };
    let role = match our_side {
        Side::Attackers => "Attacker",
        Side::Defenders => "Defender",
    };
    let game = NewGame { role, rated: is_rated, time_settings, board_size };
    // Serializing such a struct cannot fail.
    format!("new_game {}", serde_json::to_string(&game).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_are_messages() {
        let [minutes, seconds] = [900, 10].map(Duration::from_secs);
        let players = BySide(["ann", "bob"].map(str::to_owned));
        for (line, message) in [
            ("= login", Message::LoggedIn),
            ("= new_game 7", Message::Proposed(7)),
            ("= join_game_pending 7", Message::Pending(7)),
            ("= challenge_requested 7", Message::Challenged(7)),
            (
                "= join_game ann bob unrated fischer 900000 10 11",
                Message::Began(Beginning {
                    players: players.clone(),
                    time: Some(TimeSettings { time: minutes, increment: seconds }),
                    size: 11,
                }),
            ),
            (
                "= join_game ann bob rated un-timed _ _ 7",
                Message::Began(Beginning { players, time: None, size: 7 }),
            ),
            ("game 7 generate_move attacker", Message::YourTurn(7, Side::Attackers)),
            (
                "game 7 play defender f4 f3",
                Message::Played(7, Side::Defenders, Play::Move("f4".into(), "f3".into())),
            ),
            // The server leaves out the last word of a resignation.
            ("game 7 play attacker resigns ", Message::Played(7, Side::Attackers, Play::Resigns)),
            ("request_draw 7 attacker", Message::DrawOffered(7)),
            ("= draw accept", Message::DrawAnswered(true)),
            ("= draw decline", Message::DrawAnswered(false)),
            ("= game_over 7 defender_wins", Message::GameOver(7, Side::Defenders)),
            ("= ping", Message::Pong),
            ("= users_updated (removed:[])", Message::Other),
            ("= game", Message::Other),
            ("version 6.4.1", Message::Other),
            ("", Message::Other),
            (
                "? game play: it isn't your turn",
                Message::Refused {
                    command: "game".into(),
                    reason: "play: it isn't your turn".into(),
                },
            ),
        ] {
            assert_eq!(Message::parse(line), Ok(message), "{line}");
        }
    }

    #[test]
    fn incomplete_lines_are_refused() {
        for line in [
            "= new_game",
            "= new_game x",
            "= join_game ann bob",
            "= join_game ann bob rated fischer x 10 11",
            "= game_over 7 nobody_wins",
            "= draw perhaps",
            "game",
            "game x generate_move attacker",
            "game 7 generate_move roleless",
            "game 7 play attacker d1",
            "request_draw x attacker",
            "request_draw 7",
            "= game_time {\"id\":7}",
            "= resume_game_json {}",
        ] {
            let error = Message::parse(line).unwrap_err();
            assert_eq!(error.lines().count(), 1, "{error}");
        }
    }

    /// Words with which lines of the server begin and go on.
    fn words() -> Vec<&'static str> {
        "= ? game login new_game join_game join_game_pending challenge_requested \
        resume_game_json game_time game_over request_draw draw ping play generate_move \
        attacker defender resigns rated fischer d1 7 11"
            .split(' ')
            .collect()
    }

    proptest! {
        #[test]
        fn any_line_is_a_message_or_refused_in_one_line(
            words in prop::collection::vec(prop::sample::select(words()), 0..10),
            rest in prop_oneof![Just(String::new()), any::<String>()],
        ) {
            let line = words.join(" ") + " " + &rest;
            if let Err(error) = Message::parse(&line) {
                prop_assert_eq!(error.lines().count(), 1, "{}", error);
            }
        }
    }

    #[test]
    fn clocks_are_read() {
        let line = "= game_time {\"id\":7,\"attacker_ms_left\":900,\"defender_ms_left\":-3}";
        let Ok(Message::Time(time)) = Message::parse(line) else { panic!("{line}") };
        assert_eq!(time.left(), BySide([Duration::from_millis(900), Duration::ZERO]));
        let line = "= resume_game_json {\"id\":7,\"attackers\":\"ann\",\"defenders\":\"bob\",\
                    \"dim\":11,\"start\":\"/…/\",\"time_control\":{\"main_time_seconds\":60,\
                    \"increment_length\":2},\"time_remaining_ms\":{\"attackers\":5000,\
                    \"defenders\":6000,\"last_move\":\"2026-01-01T00:00:00Z\"},\
                    \"moves\":\"d1-d3 d3-d2xe2\",\"rated\":false,\"messages\":[]}";
        let Ok(Message::Resumed(game)) = Message::parse(line) else { panic!("{line}") };
        let seconds = Duration::from_secs;
        assert_eq!(game.clocks(), Some((BySide([5, 6].map(seconds)), seconds(2))));
        assert_eq!(game.players().0, ["ann", "bob"]);
    }

    #[test]
    fn commands_are_those_of_the_server() {
        assert_eq!(login(false, "ann", "a b"), "32d9a140 login ann a b");
        let [time, increment] = [900, 10].map(Duration::from_secs);
        assert_eq!(
            new_game(Side::Attackers, false, Some(TimeSettings { time, increment }), 11),
            "new_game {\"role\":\"Attacker\",\"rated\":false,\"time_settings\":{\"Timed\":\
             {\"add_seconds\":10,\"milliseconds_left\":900000}},\"board_size\":11}"
        );
        assert!(new_game(Side::Defenders, true, None, 7).contains("\"time_settings\":\"UnTimed\""));
    }
}
