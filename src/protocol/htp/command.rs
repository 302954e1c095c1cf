use std::time::Duration;

use crate::game::board::{Board, Square};
use crate::game::rules::Side;

use super::clocks::TimeSettings;

/// The names of all commands, in the order of the alphabet.
pub(super) const COMMANDS: [&str; 17] = [
    "board_size",
    "final_status",
    "first_move",
    "generate_move",
    "known_command",
    "list_commands",
    "name",
    "play",
    "play_from",
    "play_to",
    "play_undo",
    "protocol_version",
    "quit",
    "show_board",
    "show_board_open_tafl",
    "time_settings",
    "version",
];

/// The maximum time and increment of a clock: a year.
const MAX_SECONDS: u64 = 365 * 86_400;

/// A command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Command {
    BoardSize(usize),
    FinalStatus,
    FirstMove(Side),
    GenerateMove,
    IsKnown(String),
    ListCommands,
    Name,
    Play(Side, Square, Square),
    Resign(Side),
    PlayFrom,
    PlayTo(Side, Square),
    PlayUndo,
    ProtocolVersion,
    Quit,
    ShowBoard,
    ShowBoardOpenTafl,
    /// `None` is a game without clocks.
    SetTime(Option<TimeSettings>),
    Version,
}

impl Command {
    /// Parses a line; `None` if it is empty or a comment.
    pub(super) fn parse(line: &str, board: Board) -> Result<Option<Command>, String> {
        let text = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = text.split_whitespace().collect();
        Ok(Some(match words[..] {
            [] => return Ok(None),
            ["board_size", size] => Command::BoardSize(number("board_size", size)? as usize),
            ["final_status"] => Command::FinalStatus,
            ["first_move", name] => Command::FirstMove(side(name)?),
            ["generate_move"] => Command::GenerateMove,
            ["known_command", name] => Command::IsKnown(name.to_owned()),
            ["list_commands"] => Command::ListCommands,
            ["name"] => Command::Name,
            // The programs themselves write `play attacker resigns _`.
            ["play", name, "resigns"] | ["play", name, "resigns", "_"] => {
                Command::Resign(side(name)?)
            }
            ["play", name, from, to] => {
                Command::Play(side(name)?, square(from, board)?, square(to, board)?)
            }
            ["play_from"] => Command::PlayFrom,
            ["play_to", name, from] => Command::PlayTo(side(name)?, square(from, board)?),
            ["play_undo"] => Command::PlayUndo,
            ["protocol_version"] => Command::ProtocolVersion,
            ["quit"] => Command::Quit,
            ["show_board"] => Command::ShowBoard,
            ["show_board_open_tafl"] => Command::ShowBoardOpenTafl,
            ["time_settings", "un-timed"] => Command::SetTime(None),
            ["time_settings", "fischer", minutes, seconds] => {
                let time = number("time_settings", minutes)?.saturating_mul(60).min(MAX_SECONDS);
                let increment = number("time_settings", seconds)?.min(MAX_SECONDS);
                let [time, increment] = [time, increment].map(Duration::from_secs);
                Command::SetTime(Some(TimeSettings { time, increment }))
            }
            ["version"] => Command::Version,
            [name, ..] => return Err(unknown(name)),
        }))
    }
}

/// Describes a line that is no command.
fn unknown(name: &str) -> String {
    let arguments = match name {
        "board_size" => "7, 11 or 13",
        "first_move" => "ROLE",
        "known_command" => "COMMAND",
        "play" => "ROLE FROM TO, or ROLE resigns",
        "play_to" => "ROLE FROM",
        "time_settings" => "un-timed, or fischer MINUTES SECONDS",
        _ if COMMANDS.contains(&name) => return format!("{name}: it takes no arguments"),
        _ => return format!("unknown command: {}", name.escape_debug()),
    };
    format!("{name}: write {name} {arguments}")
}

/// Returns the protocol's name of a side.
pub fn role(side: Side) -> &'static str {
    match side {
        Side::Attackers => "attacker",
        Side::Defenders => "defender",
    }
}

/// Returns the side of this name, which may be its first letter.
pub(in crate::protocol) fn side(name: &str) -> Result<Side, String> {
    match name.to_ascii_lowercase().as_str() {
        "a" | "attacker" => Ok(Side::Attackers),
        "d" | "defender" => Ok(Side::Defenders),
        _ => Err(format!("{}: write attacker or defender", name.escape_debug())),
    }
}

fn square(name: &str, board: Board) -> Result<Square, String> {
    let parsed = board.parse(&name.to_ascii_lowercase());
    parsed.ok_or_else(|| format!("{}: no such square", name.escape_debug()))
}

fn number(command: &str, digits: &str) -> Result<u64, String> {
    let parsed = digits.parse::<u32>().map(u64::from);
    parsed.map_err(|_| {
        let digits = digits.escape_debug();
        format!("{command}: {digits}: write a whole number from 0 to {}", u32::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands() {
        let board = Board::new(11).unwrap();
        let parse = |line: &str| Command::parse(line, board);
        let [d1, d3] = ["d1", "d3"].map(|name| board.parse(name).unwrap());
        for (line, command) in [
            ("board_size 13", Command::BoardSize(13)),
            ("  play attacker d1 d3 # good", Command::Play(Side::Attackers, d1, d3)),
            ("play A D1 D3", Command::Play(Side::Attackers, d1, d3)),
            ("play defender resigns", Command::Resign(Side::Defenders)),
            ("play d resigns _", Command::Resign(Side::Defenders)),
            ("play_to Defender d1", Command::PlayTo(Side::Defenders, d1)),
            ("time_settings un-timed", Command::SetTime(None)),
            (
                "time_settings fischer 15 10",
                Command::SetTime(Some(TimeSettings {
                    time: Duration::from_secs(900),
                    increment: Duration::from_secs(10),
                })),
            ),
        ] {
            assert_eq!(parse(line), Ok(Some(command)), "{line}");
        }
        for empty in ["", " ", "# play a d1 d3"] {
            assert_eq!(parse(empty), Ok(None));
        }
        for wrong in [
            "board_size",
            "board_size x",
            "board_size -11",
            "play attacker d1",
            "play attacker d1 l3",
            "play white d1 d3",
            "play_to attacker d12",
            "time_settings fischer 15",
            "time_settings fischer x 10",
            "final_status now",
            "genmove",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        let error = parse("time_settings fischer 99999999999999 1").unwrap_err();
        assert!(error.ends_with("99999999999999: write a whole number from 0 to 4294967295"));
        // Every command's name is known.
        for name in COMMANDS {
            let error = parse(&format!("{name} a b c d e f")).err().unwrap_or_default();
            assert!(!error.contains("unknown"), "{error}");
        }
    }
}
