use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use taflbase::Tablebase;
use taflbase::arena::Level;
use taflbase::draw::BoardPicture;
use taflbase::engine::Engine;
use taflbase::history::Game;
use taflbase::moves::{Ending, Move, legal_moves};
use taflbase::rules::{Ruleset, Side};

use super::super::display::Window;
use super::super::failure::Failure;
use super::super::output::Session;
use super::entry::{COMMANDS, Entry, completions, listed, understand};
use super::input::Input;
use super::interrupt::Interrupt;
use super::opponent::Opponent;
use super::{Args, Seats};

/// What is said to those who want to play on.
const OVER: &str = "the game is over";

/// A game at the terminal.
pub(super) struct Play<'a> {
    pub(super) args: &'a Args,
    pub(super) session: &'a Session,
    pub(super) tables: Arc<Tablebase>,
    pub(super) game: Game,
    /// The side that has given the game up.
    pub(super) resigned: Option<Side>,
    pub(super) opponent: Opponent,
    /// Who gives hints, once there was one, unless that is the opponent.
    pub(super) adviser: Option<Engine>,
    pub(super) seats: Seats,
    /// Whether the board is seen from the other side.
    is_turned: bool,
    /// The file of this game.
    pub(super) file: Option<PathBuf>,
    /// Where the game is shown, too.
    pub(super) window: Option<Window>,
    pub(super) interrupt: Interrupt,
}

impl<'a> Play<'a> {
    /// That game, with the engine or the opponent at the other side of the table.
    pub(super) fn new(
        args: &'a Args,
        session: &'a Session,
        tables: Arc<Tablebase>,
        game: Game,
    ) -> Result<Play<'a>, Failure> {
        let opponent = Opponent::named(args, &tables, &game)?;
        let seats = args.side.unwrap_or(Seats::of(game.position().to_move));
        Ok(Play {
            args,
            session,
            tables,
            game,
            resigned: None,
            opponent,
            adviser: None,
            seats,
            is_turned: false,
            file: None,
            window: None,
            interrupt: Interrupt::new(),
        })
    }

    /// Does what is typed, and moves where it is the engine's turn, until the end of
    /// input.
    pub(super) fn go_on(&mut self, input: &mut Input) -> Result<(), Failure> {
        loop {
            let side = self.game.position().to_move;
            let is_over = self.end().is_some();
            if !is_over && !self.seats.has(side) {
                self.show_in_window(true);
                self.opponent_moves()?;
                continue;
            }
            self.show_in_window(false);
            let prompt = match is_over {
                true => "over> ".to_owned(),
                false => format!("{} {}> ", self.game.moves().len() + 1, side.name()),
            };
            let commands = COMMANDS.iter().map(|&(name, ..)| name.to_owned());
            let levels = Level::ALL.iter().map(|level| format!("level {}", level.name()));
            let words = commands.chain(levels).chain(completions(&self.game)).collect();
            let Some(line) = input.line(&prompt, words)? else {
                return Ok(());
            };
            match understand(&self.game, &line) {
                Entry::Empty => {}
                Entry::Command("quit", _) => return Ok(()),
                Entry::Command(name, rest) => self.obey(name, &rest)?,
                Entry::Move(_) if is_over => self.say(OVER)?,
                Entry::Move(played) => self.play(&played)?,
                Entry::Wrong(told) => self.say(&told)?,
            }
        }
    }

    fn obey(&mut self, command: &str, rest: &str) -> Result<(), Failure> {
        match command {
            "hint" | "tables" | "moves" | "resign" if self.end().is_some() => self.say(OVER),
            "hint" => self.hint(),
            "undo" => self.undo(),
            "resign" => {
                self.resigned = Some(self.game.position().to_move);
                self.say_end()
            }
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
            "level" => self.change_level(rest),
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
            _ => self.help(),
        }
    }

    pub(super) fn rules(&self) -> &Ruleset {
        self.game.rules()
    }

    /// Says something on lines of its own.
    pub(super) fn say(&self, text: &str) -> Result<(), Failure> {
        self.session.text(&format!("{}\n", text.trim_end()))
    }

    /// The move in the game's notation.
    pub(super) fn written(&self, played: &Move) -> String {
        played.display(self.rules().board).to_string()
    }

    /// How the game has ended, if it has.
    fn end(&self) -> Option<String> {
        let outcome = self.game.outcome().map(|outcome| outcome.to_string());
        outcome.or_else(|| {
            let loser = self.resigned?;
            Some(format!("the {} win: the {} resign", loser.other().name(), loser.name()))
        })
    }

    fn say_end(&self) -> Result<(), Failure> {
        self.end().map_or(Ok(()), |end| self.say(&end))
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
        self.say_end()
    }

    fn play(&mut self, played: &Move) -> Result<(), Failure> {
        self.game.play(played).map_err(Failure::error)?;
        self.show()
    }

    fn opponent_moves(&mut self) -> Result<(), Failure> {
        let side = self.game.position().to_move;
        let stopper = self.opponent.stopper();
        let answer = self.interrupt.attend(stopper, || self.opponent.choose(&self.game))?;
        let Some((played, told)) = answer else {
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
        self.resigned = None;
        self.opponent.begin(&self.game)?;
        self.show()
    }

    /// Takes back that a side has resigned, or as many plies as bring the user to move again.
    fn undo(&mut self) -> Result<(), Failure> {
        if self.resigned.take().is_some() {
            return self.show();
        }
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
