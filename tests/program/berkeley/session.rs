use std::sync::Arc;
use std::time::Duration;

use taflbase::engine::{Engine, EngineOptions};
use taflbase::protocol::berkeley::{SearchBudget, Session};
use taflbase::rules::{Kind, Layout, Ruleset};

/// The output of a session.
pub(crate) struct Said {
    pub out: String,
    pub err: String,
}

impl Said {
    /// Returns the lines with moves and results.
    pub(crate) fn stars(&self) -> Vec<&str> {
        self.out.lines().filter(|line| line.starts_with('*')).collect()
    }
}

/// Runs a session with the program's default effort.
pub(crate) fn said(commands: &str) -> Said {
    said_with(SearchBudget::default(), commands)
}

/// Runs a session with the least effort that finds a move.
pub(crate) fn said_quickly(commands: &str) -> Said {
    let game = Duration::from_secs(9);
    said_with(SearchBudget { plies: 1, nodes: 100, game, careful_plies: 50 }, commands)
}

pub(crate) fn said_with(effort: SearchBudget, commands: &str) -> Said {
    let rules = Arc::new(Ruleset::builtin("berkeley").unwrap());
    let options = EngineOptions { table_bytes: 16 << 20, ..EngineOptions::new(&rules) };
    let engine = Engine::new(Arc::clone(&rules), options).unwrap();
    let mut session = Session::new(rules, engine, effort, 1).unwrap();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    session.run(commands.as_bytes(), &mut out, &mut err, false).unwrap();
    Said { out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

/// Returns commands that set up a position, with both sides played by hand.
pub(crate) fn set_up(position: &str) -> String {
    let rules = Ruleset::builtin("berkeley").unwrap();
    let (board, side) = position.split_once(' ').unwrap();
    let wanted = Layout::parse(board, rules.board).unwrap();
    let mut now = rules.start;
    let mut commands = vec!["manual white".to_owned()];
    if side == "d" {
        // Black moves first, whatever the board.
        commands.push("a4-3".to_owned());
        let at = |name| rules.board.parse(name).unwrap();
        now.attackers = now.attackers.without(at("a4")).with(at("a3"));
    }
    let place = |kind| match kind {
        None => 0,
        Some(Kind::Defender) => 1,
        Some(Kind::King) => 2,
        Some(Kind::Attacker) => 3,
    };
    for square in rules.board.squares() {
        let times = (4 + place(wanted.piece(square)) - place(now.piece(square))) % 4;
        let toggle = format!("toggle {}", rules.board.name(square));
        commands.extend(std::iter::repeat_n(toggle, times));
    }
    commands.join("\n") + "\n"
}
