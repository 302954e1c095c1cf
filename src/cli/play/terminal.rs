use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use taflbase::Tablebase;
use taflbase::arena::Level;
use taflbase::draw::BoardPicture;
use taflbase::engine::Engine;
use taflbase::history::Game;
use taflbase::moves::{Ending, Move};
use taflbase::proof::ProofBook;
use taflbase::rules::{Ruleset, Side};

use super::super::display::Window;
use super::super::error::CliError;
use super::super::output::Session;
use super::certified::{Certified, Strategist};
use super::command::{COMMANDS, ParsedLine, completions, in_columns, parse_line};
use super::input::Input;
use super::interrupt::InterruptHandler;
use super::opponent::Opponent;
use super::{Args, UserSides};

/// The reply to commands that need a running game.
const OVER: &str = "the game is over";

/// What a game is played with.
pub(super) struct Sources {
    /// The name of the rules, or the path of their file.
    pub(super) rules_name: String,
    pub(super) tables: Arc<Tablebase>,
    /// The certificates of `--proofs`, or else that of `--certificate`.
    pub(super) book: Option<Arc<ProofBook>>,
}

/// A game at the terminal.
pub(super) struct TerminalGame<'a> {
    pub(super) args: &'a Args,
    pub(super) session: &'a Session,
    pub(super) sources: Sources,
    pub(super) game: Game,
    /// The side that resigned.
    pub(super) resigned: Option<Side>,
    pub(super) opponent: Opponent,
    /// The player of the sides that have a certificate's strategy, in place of the opponent.
    pub(super) strategist: Option<Strategist>,
    /// The engine for hints, created with the first one unless the opponent serves.
    pub(super) adviser: Option<Engine>,
    pub(super) user_sides: UserSides,
    /// Whether the board is turned around.
    is_turned: bool,
    /// The file that the game was saved to or loaded from.
    pub(super) file: Option<PathBuf>,
    /// The browser window, if there is one.
    pub(super) window: Option<Window>,
    pub(super) interrupt: InterruptHandler,
}

impl<'a> TerminalGame<'a> {
    /// Creates a session of this game with the opponent that the arguments select.
    pub(super) fn new(
        args: &'a Args,
        session: &'a Session,
        sources: Sources,
        certified: Option<Certified>,
        game: Game,
    ) -> Result<TerminalGame<'a>, CliError> {
        let opponent = Opponent::named(args, &sources, &game)?;
        let to_move = game.position().to_move;
        let side = certified.as_ref().map_or(to_move, Certified::user_side);
        let strategist =
            certified.map(|certified| Strategist::new(certified, args, &sources.tables));
        let user_sides = args.side.unwrap_or(UserSides::of(side));
        Ok(TerminalGame {
            args,
            session,
            sources,
            game,
            resigned: None,
            opponent,
            strategist: strategist.transpose()?,
            adviser: None,
            user_sides,
            is_turned: false,
            file: None,
            window: None,
            interrupt: InterruptHandler::new(),
        })
    }

    /// Alternates between the user's input and the opponent's moves until the end of input.
    pub(super) fn run(&mut self, input: &mut Input) -> Result<(), CliError> {
        loop {
            let side = self.game.position().to_move;
            let is_over = self.end().is_some();
            if !is_over && !self.user_sides.has(side) {
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
            let levels = Level::ALL.iter().map(|level| format!("level {}", level.name));
            let words = commands.chain(levels).chain(completions(&self.game)).collect();
            let Some(line) = input.line(&prompt, words)? else {
                return Ok(());
            };
            match parse_line(&self.game, &line) {
                ParsedLine::Empty => {}
                ParsedLine::Command("quit", _) => return Ok(()),
                ParsedLine::Command(name, rest) => self.run_command(name, &rest)?,
                ParsedLine::Move(_) if is_over => self.say(OVER)?,
                ParsedLine::Move(played) => match self.game.check_repetition(&played) {
                    Ok(()) => self.play(&played)?,
                    Err(error) => self.say(&error.to_string())?,
                },
                ParsedLine::Wrong(message) => self.say(&message)?,
            }
        }
    }

    fn run_command(&mut self, command: &str, rest: &str) -> Result<(), CliError> {
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
                let moves = self.game.playable_moves();
                self.say(&in_columns(self.rules().board, &moves))
            }
            "board" => {
                self.show()?;
                self.say(&self.game.position().to_text(self.rules()))
            }
            "flip" => {
                self.is_turned = !self.is_turned;
                self.show()
            }
            "side" => self.change_user_sides(rest),
            "level" => self.change_level(rest),
            "save" | "load" if rest.is_empty() => {
                self.say(&format!("write {command} and a file name"))
            }
            "save" => self.save(Path::new(rest)),
            "load" => self.load(Path::new(rest)),
            "new" => {
                let first = self.game.positions()[0];
                self.file = None;
                self.start_game(Game::from_position(Arc::clone(self.game.rules()), first)?)
            }
            _ => self.help(),
        }
    }

    pub(super) fn rules(&self) -> &Ruleset {
        self.game.rules()
    }

    /// Prints a text followed by a line end.
    pub(super) fn say(&self, text: &str) -> Result<(), CliError> {
        self.session.text(&format!("{}\n", text.trim_end()))
    }

    /// Formats a move in the game's notation.
    pub(super) fn written(&self, played: &Move) -> String {
        played.display(self.rules().board).to_string()
    }

    /// Describes the end of the game, if it is over.
    fn end(&self) -> Option<String> {
        let outcome = self.game.outcome().map(|outcome| outcome.to_string());
        outcome.or_else(|| {
            let loser = self.resigned?;
            Some(format!("the {} win: the {} resign", loser.other().name(), loser.name()))
        })
    }

    fn say_end(&self) -> Result<(), CliError> {
        self.end().map_or(Ok(()), |end| self.say(&end))
    }

    /// Shows the board with the last move, and the result if the game is over.
    pub(super) fn show(&self) -> Result<(), CliError> {
        let mut layout = self.game.position().layout();
        let last = self.game.moves().last();
        if last.is_some_and(|last| last.ending == Some(Ending::KingCaptured)) {
            layout.king = None;
        }
        let mut board = BoardPicture::new(self.rules(), layout);
        if let Some(last) = last {
            board = board.with_move(last);
        }
        if self.is_turned {
            board = board.turned();
        }
        self.session.text(&format!("\n{}\n", board.to_text(self.session.style())))?;
        self.say_end()
    }

    fn play(&mut self, played: &Move) -> Result<(), CliError> {
        self.game.play(played).map_err(CliError::new)?;
        self.show()
    }

    fn opponent_moves(&mut self) -> Result<(), CliError> {
        let side = self.game.position().to_move;
        let strategist = self.strategist.as_mut().filter(|strategist| strategist.has(side));
        let stopper = match &strategist {
            Some(strategist) => Some(strategist.stopper()),
            None => self.opponent.stopper(),
        };
        let answer = self.interrupt.run(stopper, || match strategist {
            Some(strategist) => strategist.choose(&self.game),
            None => self.opponent.choose(&self.game),
        });
        let (played, evaluation) = match answer {
            Some(Ok(chosen)) => chosen,
            Some(Err(error)) if error.resigns => {
                self.resigned = Some(side);
                return self.say_end();
            }
            // The game goes on without the opponent.
            failed => {
                let reason = failed.and_then(Result::err).map(|error| error.to_string());
                let reason = reason.as_deref().unwrap_or("stopped");
                self.user_sides = UserSides::Both;
                return self
                    .say(&format!("{reason}: you play both sides now; `side` changes that"));
            }
        };
        let name = self.session.style().side(side, side.name());
        self.say(&format!("{name}: {}{evaluation}", self.written(&played)))?;
        self.play(&played)
    }

    /// Continues with another game.
    pub(super) fn start_game(&mut self, game: Game) -> Result<(), CliError> {
        self.game = game;
        self.resigned = None;
        self.opponent.begin(&self.game)?;
        self.strategist.iter_mut().for_each(Strategist::begin);
        self.show()
    }

    /// Takes back a resignation, or as many plies as bring the user to move again.
    fn undo(&mut self) -> Result<(), CliError> {
        if self.resigned.take().is_some() {
            return self.show();
        }
        if self.game.undo().is_none() {
            return self.say("there is no move to take back");
        }
        while self.user_sides != UserSides::None
            && !self.user_sides.has(self.game.position().to_move)
        {
            if self.game.undo().is_none() {
                break;
            }
        }
        self.show()
    }

    fn change_user_sides(&mut self, name: &str) -> Result<(), CliError> {
        match UserSides::from_str(name, true) {
            Ok(user_sides) => {
                self.user_sides = user_sides;
                Ok(())
            }
            Err(_) => self.say("write side attackers, side defenders, side both or side none"),
        }
    }
}
