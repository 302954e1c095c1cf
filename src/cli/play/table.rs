use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::ValueEnum;
use taflbase::Tablebase;
use taflbase::arena::Contestant;
use taflbase::draw::BoardPicture;
use taflbase::engine::{Clock, Engine, Iteration, Limits};
use taflbase::history::Game;
use taflbase::moves::{Ending, Move, legal_moves};
use taflbase::rules::Ruleset;

use super::super::arguments::on_interrupt;
use super::super::display::Window;
use super::super::failure::Failure;
use super::super::output::Session;
use super::super::probe::{move_table, words};
use super::entry::{COMMANDS, Entry, completions, listed, understand};
use super::input::Input;
use super::opponent::opponent;
use super::{Args, Seats};

/// What is said to those who want to play on.
const OVER: &str = "the game is over";

/// For each move, unless the user says otherwise.
const THINKING_TIME: Duration = Duration::from_secs(2);

/// A game at the terminal.
pub(super) struct Play<'a> {
    args: &'a Args,
    pub(super) session: &'a Session,
    pub(super) tables: Arc<Tablebase>,
    pub(super) game: Game,
    engine: Engine,
    limits: Limits,
    /// Whom the user plays against, if that is not the engine.
    pub(super) opponent: Option<Box<dyn Contestant>>,
    pub(super) seats: Seats,
    /// Whether the board is seen from the other side.
    is_turned: bool,
    /// The file of this game.
    pub(super) file: Option<PathBuf>,
    /// Where the game is shown, too.
    pub(super) window: Option<Window>,
    /// Whether there is something for Ctrl-C to end.
    is_thinking: Arc<AtomicBool>,
}

impl<'a> Play<'a> {
    /// That game, with the engine or the opponent at the other side of the table.
    pub(super) fn new(
        args: &'a Args,
        session: &'a Session,
        tables: Arc<Tablebase>,
        game: Game,
    ) -> Result<Play<'a>, Failure> {
        let opponent = match args.opponent.trim() {
            "engine" => None,
            described => Some(opponent(described, &tables, &game)?),
        };
        let engine = Engine::new(Arc::clone(game.rules()), args.strength.options(&tables))?;
        let is_thinking = Arc::new(AtomicBool::new(false));
        let stoppers =
            [Some(engine.stopper()), opponent.as_ref().and_then(|player| player.stopper())];
        let thinks = Arc::clone(&is_thinking);
        on_interrupt(move || {
            stoppers.iter().flatten().for_each(|stopper| stopper.stop());
            thinks.swap(false, Ordering::Relaxed)
        });
        let time = args.time.or(args.nodes.is_none().then_some(THINKING_TIME));
        let limits = Limits { time, nodes: args.nodes, depth: None };
        let seats = args.side.unwrap_or(Seats::of(game.position().to_move));
        Ok(Play {
            args,
            session,
            tables,
            game,
            engine,
            limits,
            opponent,
            seats,
            is_turned: false,
            file: None,
            window: None,
            is_thinking,
        })
    }

    /// Does what is typed, and moves where it is the engine's turn, until the end of
    /// input.
    pub(super) fn go_on(&mut self, input: &mut Input) -> Result<(), Failure> {
        loop {
            let side = self.game.position().to_move;
            if self.game.outcome().is_none() && !self.seats.has(side) {
                self.show_in_window(true);
                self.opponent_moves()?;
                continue;
            }
            self.show_in_window(false);
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
            "flip" => {
                self.is_turned = !self.is_turned;
                self.show()
            }
            "side" => self.change_seats(rest),
            "save" | "load" if rest.is_empty() => {
                self.say(&format!("write {command} and the name of a file"))
            }
            "save" => self.save(Path::new(rest)),
            "load" => self.load(Path::new(rest)),
            "new" => {
                let first = self.game.positions()[0];
                self.file = None;
                self.take_up(Game::from_position(Arc::clone(self.game.rules()), first)?)
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
    pub(super) fn say(&self, text: &str) -> Result<(), Failure> {
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
        let board = if self.is_turned { board.turned() } else { board };
        self.session.text(&format!("\n{}\n", board.to_text(self.session.style())))?;
        match self.game.outcome() {
            Some(outcome) => self.say(&outcome.to_string()),
            None => Ok(()),
        }
    }

    fn play(&mut self, played: &Move) -> Result<(), Failure> {
        self.game.play(played).map_err(Failure::error)?;
        self.show()
    }

    /// What the engine finds; `None` if Ctrl-C has ended its thinking.
    fn think(&mut self) -> Result<Option<Iteration>, Failure> {
        let (engine, game, limits) = (&mut self.engine, &self.game, &self.limits);
        attended(&self.is_thinking, || engine.search(game, limits, &mut |_| {}))
    }

    /// What the opponent plays, and what it says to it; `None` if Ctrl-C has ended its
    /// thinking.
    fn answer(&mut self) -> Result<Option<(Move, String)>, Failure> {
        let Some(opponent) = &mut self.opponent else {
            let found = self.think()?;
            let told = |found: Iteration| {
                let best = &found.lines[0];
                (best.moves[0], format!(" ({}, depth {})", best.score, found.depth))
            };
            return Ok(found.map(told));
        };
        let clock = match self.limits {
            Limits { nodes: Some(nodes), time: None, .. } => Clock::Nodes(nodes),
            Limits { time, .. } => Clock::PerMove(time.unwrap_or(THINKING_TIME)),
        };
        let chosen = attended(&self.is_thinking, || opponent.choose(&self.game, clock))?;
        let told = opponent.score().map_or(String::new(), |score| format!(" ({score})"));
        Ok(chosen.map(|chosen| (chosen, told)))
    }

    fn opponent_moves(&mut self) -> Result<(), Failure> {
        let side = self.game.position().to_move;
        let Some((played, told)) = self.answer()? else {
            self.seats = Seats::Both;
            return self.say("stopped: you play both sides, until you choose with `side`");
        };
        let name = self.session.style().side(side, side.name());
        self.say(&format!("{name}: {}{told}", self.written(&played)))?;
        self.play(&played)
    }

    /// Goes on with another game.
    pub(super) fn take_up(&mut self, game: Game) -> Result<(), Failure> {
        self.game = game;
        self.engine.clear();
        if let Some(opponent) = &mut self.opponent {
            opponent.begin(&self.game).map_err(Failure::error)?;
        }
        self.show()
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

/// What comes of thinking that Ctrl-C can end; `None` if it has.
fn attended<T, E: Display>(
    is_thinking: &AtomicBool,
    think: impl FnOnce() -> Result<T, E>,
) -> Result<Option<T>, Failure> {
    is_thinking.store(true, Ordering::Relaxed);
    let thought = think();
    let was_left_alone = is_thinking.swap(false, Ordering::Relaxed);
    let thought = thought.map_err(Failure::error)?;
    Ok(was_left_alone.then_some(thought))
}
