use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::ValueEnum;
use taflbase::Tablebase;
use taflbase::draw::BoardPicture;
use taflbase::engine::{Engine, Iteration, Limits};
use taflbase::history::Game;
use taflbase::moves::{Ending, Move, legal_moves};
use taflbase::record::Record;
use taflbase::rules::{Ruleset, Side};

use super::super::arguments::on_interrupt;
use super::super::failure::Failure;
use super::super::output::Session;
use super::super::probe::{move_table, words};
use super::entry::{COMMANDS, Entry, completions, listed, understand};
use super::input::Input;
use super::{Args, Seats};

/// What is said to those who want to play on.
const OVER: &str = "the game is over";

/// A game at the terminal.
pub(super) struct Play<'a> {
    args: &'a Args,
    session: &'a Session,
    tables: Arc<Tablebase>,
    game: Game,
    engine: Engine,
    limits: Limits,
    seats: Seats,
    /// The file of this game.
    file: Option<PathBuf>,
    /// Whether there is something for Ctrl-C to end.
    is_thinking: Arc<AtomicBool>,
}

impl<'a> Play<'a> {
    /// That game, with the engine at the other side of the table.
    pub(super) fn new(
        args: &'a Args,
        session: &'a Session,
        tables: Arc<Tablebase>,
        game: Game,
    ) -> Play<'a> {
        let engine = Engine::new(Arc::clone(game.rules()), args.strength.options(&tables));
        let is_thinking = Arc::new(AtomicBool::new(false));
        let (stopper, thinks) = (engine.stopper(), Arc::clone(&is_thinking));
        on_interrupt(move || {
            stopper.stop();
            thinks.swap(false, Ordering::Relaxed)
        });
        let time = args.time.or(args.nodes.is_none().then_some(Duration::from_secs(2)));
        let limits = Limits { time, nodes: args.nodes, depth: None };
        let seats = args.side.unwrap_or(Seats::of(game.position().to_move));
        Play { args, session, tables, game, engine, limits, seats, file: None, is_thinking }
    }

    /// Does what is typed, and moves where it is the engine's turn, until the end of
    /// input.
    pub(super) fn go_on(&mut self, input: &mut Input) -> Result<(), Failure> {
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
            "save" | "load" if rest.is_empty() => {
                self.say(&format!("write {command} and the name of a file"))
            }
            "save" => self.save(Path::new(rest)),
            "load" => self.load(Path::new(rest)),
            "new" => {
                let first = self.game.positions()[0];
                self.game = Game::from_position(Arc::clone(self.game.rules()), first)?;
                self.file = None;
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
    pub(super) fn show(&self) -> Result<(), Failure> {
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

    /// Saves the game in a new file, or in the one that it was saved in or loaded from.
    fn save(&mut self, path: &Path) -> Result<(), Failure> {
        let mut record = Record::new(self.game.clone());
        for side in Side::ALL {
            let player = if self.seats.has(side) { "human" } else { "taflbase" };
            record.tags.push((side.name().to_owned(), player.to_owned()));
        }
        let is_own = self.file.as_deref() == Some(path);
        let mut options = OpenOptions::new();
        options.write(true).truncate(true).create(is_own).create_new(!is_own);
        let file = options.open(path);
        match file.and_then(|mut file| file.write_all(record.to_text().as_bytes())) {
            Ok(()) => {
                self.file = Some(path.to_owned());
                self.say(&format!("saved in {}", path.display()))
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.say(&format!("{} is there already: name another file", path.display()))
            }
            Err(error) => self.say(&format!("{}: cannot save: {error}", path.display())),
        }
    }

    /// Goes on with a game that was saved, by the rules that are played here.
    fn load(&mut self, path: &Path) -> Result<(), Failure> {
        let rules = Arc::clone(self.game.rules());
        let record = fs::read_to_string(path)
            .map_err(|error| error.to_string())
            .and_then(|text| Record::parse_with(&text, rules).map_err(|error| error.to_string()));
        match record {
            Ok(record) => {
                self.game = record.game;
                self.file = Some(path.to_owned());
                self.engine.clear();
                self.show()
            }
            Err(error) => self.say(&format!("{}: {error}", path.display())),
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
