mod entry;
mod input;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::ValueEnum;
use taflbase::Tablebase;
use taflbase::draw::BoardPicture;
use taflbase::engine::{Engine, Iteration, Limits};
use taflbase::history::Game;
use taflbase::moves::{Ending, Move, legal_moves};
use taflbase::position::Position;
use taflbase::rules::{Ruleset, Side};

use super::analyse::Strength;
use super::arguments::{on_interrupt, parse_seconds};
use super::failure::Failure;
use super::output::Session;
use super::probe::{move_table, words};

use entry::{COMMANDS, Entry, completions, listed, understand};
use input::Input;

/// Play a game against the engine, or watch one
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// A built-in ruleset, or a path to a ruleset file
    rules: String,
    /// What you play [default: the side that moves first]
    #[arg(long, value_name = "SIDE", value_enum)]
    side: Option<Seats>,
    /// Begin here, not at the ruleset's start
    #[arg(long, value_name = "POS")]
    position: Option<String>,
    /// Time that the engine takes for a move [default: 2, without --nodes]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    time: Option<Duration>,
    /// Positions that the engine searches for a move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    #[command(flatten)]
    strength: Strength,
}

const HELP: &str = r#"A move is typed as it is written, e5-e8; captures, marks and the king's letter may be left
out, and so may all that is not needed to tell it from the other moves: e5e8, or e5 if
that man has one move. The tab key completes moves and commands, the arrow keys bring
earlier lines back. `help` lists the commands. Ctrl-C while the engine thinks leaves its
move to you. Without a terminal, lines are read as they come.

Examples:
  taflbase play brandubh
  taflbase play tablut --side defenders --time 5
  taflbase play brandubh --side none --nodes 20000
  taflbase play berkeley --side both --position "/3tt1t2/1T1tK4/9/1t6t/3T1t1t1/3t4t/2T1t4/t2t4t/8t/ d""#;

/// What is said to those who want to play on.
const OVER: &str = "the game is over";

/// Which sides the user plays; the engine plays the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Seats {
    Attackers,
    Defenders,
    Both,
    None,
}

impl Seats {
    fn has(self, side: Side) -> bool {
        match self {
            Seats::Attackers => side == Side::Attackers,
            Seats::Defenders => side == Side::Defenders,
            Seats::Both => true,
            Seats::None => false,
        }
    }
}

/// Plays until the end of input.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), Failure> {
    if session.json() {
        return Err(Failure::error(
            "play talks with people and has no --json: see `match`, `analyse`",
        ));
    }
    let tables = Arc::new(session.open_to_probe(&args.rules)?);
    let rules = Arc::new(tables.rules().clone());
    let start = match &args.position {
        Some(text) => Position::parse(text, &rules)?,
        None => Position::start(&rules)?,
    };
    let game = Game::from_position(Arc::clone(&rules), start)?;
    let own = match start.to_move {
        Side::Attackers => Seats::Attackers,
        Side::Defenders => Seats::Defenders,
    };
    let limit = args.time.or(args.nodes.is_none().then_some(Duration::from_secs(2)));
    let engine = Engine::new(rules, args.strength.options(&tables));
    let is_thinking = Arc::new(AtomicBool::new(false));
    let (stopper, thinks) = (engine.stopper(), Arc::clone(&is_thinking));
    on_interrupt(move || {
        stopper.stop();
        thinks.swap(false, Ordering::Relaxed)
    });
    let mut play = Play {
        args,
        session,
        tables,
        game,
        engine,
        limits: Limits { time: limit, nodes: args.nodes, depth: None },
        seats: args.side.unwrap_or(own),
        is_thinking,
    };
    play.show()?;
    play.go_on(&mut Input::new()?)
}

/// A game at the terminal.
struct Play<'a> {
    args: &'a Args,
    session: &'a Session,
    tables: Arc<Tablebase>,
    game: Game,
    engine: Engine,
    limits: Limits,
    seats: Seats,
    /// Whether there is something for Ctrl-C to end.
    is_thinking: Arc<AtomicBool>,
}

impl Play<'_> {
    fn go_on(&mut self, input: &mut Input) -> Result<(), Failure> {
        loop {
            let side = self.game.position().to_move;
            if self.game.outcome().is_none() && !self.seats.has(side) {
                self.engine_moves()?;
                continue;
            }
            let prompt = match self.game.outcome() {
                Some(_) => "over> ".to_owned(),
                None => format!("{} {}> ", self.game.moves().len() + 1, side.name()),
            };
            let commands = COMMANDS.iter().map(|&(name, ..)| name.to_owned());
            let words = commands.chain(completions(&self.game)).collect();
            let Some(line) = input.line(&prompt, words)? else {
                return Ok(());
            };
            match understand(&self.game, &line) {
                Entry::Empty => {}
                Entry::Command("quit", _) => return Ok(()),
                Entry::Command(name, rest) => self.obey(name, &rest)?,
                Entry::Move(_) if self.game.outcome().is_some() => self.say(OVER)?,
                Entry::Move(played) => self.play(&played)?,
                Entry::Wrong(told) => self.say(&told)?,
            }
        }
    }

    fn obey(&mut self, command: &str, rest: &str) -> Result<(), Failure> {
        match command {
            "hint" | "tables" | "moves" if self.game.outcome().is_some() => self.say(OVER),
            "hint" => self.hint(),
            "undo" => self.undo(),
            "tables" => self.ask_tables(),
            "moves" => {
                let moves = legal_moves(self.rules(), self.game.position());
                self.say(&listed(self.rules().board, &moves))
            }
            "board" => {
                self.show()?;
                self.say(&self.game.position().to_text(self.rules()))
            }
            "side" => self.change_seats(rest),
            "new" => {
                let first = self.game.positions()[0];
                self.game = Game::from_position(Arc::clone(self.game.rules()), first)?;
                self.engine.clear();
                self.show()
            }
            _ => {
                let lines = COMMANDS.iter().map(|(name, rest, meaning)| {
                    let name = format!("{name} {rest}");
                    format!("{name:<12}{meaning}\n")
                });
                self.say(&format!("{:<12}play it\n{}", "MOVE", lines.collect::<String>()))
            }
        }
    }

    fn rules(&self) -> &Ruleset {
        self.game.rules()
    }

    /// Says something on lines of its own.
    fn say(&self, text: &str) -> Result<(), Failure> {
        self.session.text(&format!("{}\n", text.trim_end()))
    }

    /// The move in the game's notation.
    fn written(&self, played: &Move) -> String {
        played.display(self.rules().board).to_string()
    }

    /// Shows the board with the last move, and how the game has ended if it has.
    fn show(&self) -> Result<(), Failure> {
        let mut layout = self.game.position().layout();
        let last = self.game.moves().last();
        if last.is_some_and(|last| last.ending == Some(Ending::KingCaptured)) {
            layout.king = None;
        }
        let board = BoardPicture::new(self.rules(), layout);
        let board = last.into_iter().fold(board, |board, last| board.with_move(last));
        self.session.text(&format!("\n{}\n", board.to_text(self.session.style())))?;
        match self.game.outcome() {
            Some(outcome) => self.say(&outcome.to_string()),
            None => Ok(()),
        }
    }

    fn play(&mut self, played: &Move) -> Result<(), Failure> {
        self.game.play(played);
        self.show()
    }

    /// What the engine finds; `None` if Ctrl-C has ended its thinking.
    fn think(&mut self) -> Result<Option<Iteration>, Failure> {
        self.is_thinking.store(true, Ordering::Relaxed);
        let found = self.engine.search(&self.game, &self.limits, &mut |_| {});
        let was_left_alone = self.is_thinking.swap(false, Ordering::Relaxed);
        let found = found.map_err(Failure::error)?;
        Ok(was_left_alone.then_some(found))
    }

    fn engine_moves(&mut self) -> Result<(), Failure> {
        let side = self.game.position().to_move;
        let Some(found) = self.think()? else {
            self.seats = Seats::Both;
            return self.say("stopped: you play both sides, until you choose with `side`");
        };
        let best = &found.lines[0];
        let (played, score, depth) = (best.moves[0], best.score, found.depth);
        let name = self.session.style().side(side, side.name());
        self.say(&format!("{name}: {} ({score}, depth {depth})", self.written(&played)))?;
        self.play(&played)
    }

    fn hint(&mut self) -> Result<(), Failure> {
        let Some(found) = self.think()? else {
            return self.say("stopped");
        };
        let best = &found.lines[0];
        let line: Vec<String> = best.moves.iter().map(|played| self.written(played)).collect();
        self.say(&format!("hint: {} ({}, depth {})", line.join(" "), best.score, found.depth))
    }

    /// Takes back as many plies as bring the user to move again.
    fn undo(&mut self) -> Result<(), Failure> {
        if self.game.undo().is_none() {
            return self.say("there is nothing to take back");
        }
        let own = |game: &Game, seats: Seats| seats.has(game.position().to_move);
        while self.seats != Seats::None && !own(&self.game, self.seats) {
            if self.game.undo().is_none() {
                break;
            }
        }
        self.show()
    }

    fn ask_tables(&self) -> Result<(), Failure> {
        let position = self.game.position();
        match self.tables.probe(position) {
            Ok(probe) => {
                let told = words(&self.tables, probe.value);
                let moves = move_table(&self.tables, position, &probe.moves);
                self.say(&format!("{} to move: {told}\n\n{moves}", position.to_move.name()))
            }
            Err(error) => match self.session.refusal(&self.tables, &self.args.rules, error) {
                Failure::Negative(told) => self.say(&told),
                failure => Err(failure),
            },
        }
    }

    fn change_seats(&mut self, name: &str) -> Result<(), Failure> {
        match Seats::from_str(name, true) {
            Ok(seats) => {
                self.seats = seats;
                Ok(())
            }
            Err(_) => self.say("write side attackers, side defenders, side both or side none"),
        }
    }
}
