//! A window in the browser for games that are played at the terminal: what is typed and
//! what is clicked come together as lines.

use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use taflbase::Tablebase;
use taflbase::history::Game;
use taflbase::moves::Move;
use taflbase::rules::Side;

use super::error::CliError;

/// What is to be seen.
#[cfg_attr(not(feature = "serve"), allow(dead_code))]
pub(super) struct View<'a> {
    /// The board as text.
    pub board: String,
    pub to_move: Side,
    /// The game, unless the board is being set up.
    pub game: Option<&'a Game>,
    /// Who has won, if that is not in the game.
    pub winner: Option<Side>,
    pub manual: &'a [Side],
    pub is_thinking: bool,
}

/// How a move is typed.
pub(super) type MoveFormatter = Box<dyn Fn(&Move) -> String + Send + Sync>;

/// Lines from the terminal and from the window.
pub(super) struct Lines {
    received: Receiver<io::Result<Vec<u8>>>,
    line: Vec<u8>,
    at: usize,
}

impl Lines {
    /// The lines of this input, to its end, and those that are sent.
    pub(super) fn of(
        input: impl FnOnce() -> Box<dyn BufRead> + Send + 'static,
    ) -> (Lines, Sender<io::Result<Vec<u8>>>) {
        let (sender, received) = channel();
        let typed = sender.clone();
        // It ends with the program.
        thread::spawn(move || {
            let mut input = input();
            loop {
                let mut line = Vec::new();
                let read = input.read_until(b'\n', &mut line).map(|_| line);
                let is_last = read.as_ref().map_or(true, Vec::is_empty);
                if typed.send(read).is_err() || is_last {
                    return;
                }
            }
        });
        (Lines { received, line: Vec::new(), at: 0 }, sender)
    }
}

impl BufRead for Lines {
    /// An empty line is the end of input.
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.line.len() {
            self.line = self.received.recv().unwrap_or(Ok(Vec::new()))?;
            self.at = 0;
        }
        Ok(&self.line[self.at..])
    }

    fn consume(&mut self, count: usize) {
        self.at = (self.at + count).min(self.line.len());
    }
}

impl Read for Lines {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(bytes)?;
        self.consume(count);
        Ok(count)
    }
}

#[cfg(feature = "serve")]
mod window {
    use std::env;
    use std::process::{Command, Stdio};

    use taflbase::serve::{Display, Scene};

    use super::*;
    use crate::cli::output::Session;

    /// A page that shows the game, and takes moves.
    pub(in crate::cli) struct Window {
        display: Display,
        tables: Arc<Tablebase>,
    }

    impl Window {
        /// Opens it in the user's browser, and says where it is.
        pub(in crate::cli) fn open(
            session: &Session,
            tables: &Arc<Tablebase>,
            view: &View<'_>,
            format_move: MoveFormatter,
            lines: Sender<io::Result<Vec<u8>>>,
        ) -> Result<Window, CliError> {
            let is_there = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
            if !is_there("DISPLAY") && !is_there("WAYLAND_DISPLAY") {
                return Err(CliError::new(
                    "there is no display, neither DISPLAY nor WAYLAND_DISPLAY is set: leave out \
                     --display",
                ));
            }
            let play = move |played: &Move| {
                // The game may be over.
                let _ = lines.send(Ok((format_move(played) + "\n").into_bytes()));
            };
            let display = Display::open(Arc::clone(tables), scene(tables, view), play);
            let display = display.map_err(CliError::new)?;
            let url = display.url();
            session.note(&format!("the game is shown at {url}"));
            let quiet = Stdio::null;
            let opener = Command::new("xdg-open")
                .arg(&url)
                .stdin(quiet())
                .stdout(quiet())
                .stderr(quiet())
                .spawn();
            if let Ok(mut opener) = opener {
                thread::spawn(move || opener.wait());
            }
            Ok(Window { display, tables: Arc::clone(tables) })
        }

        /// Shows what there is now.
        pub(in crate::cli) fn show(&self, view: &View<'_>) {
            self.display.show(scene(&self.tables, view));
        }
    }

    fn scene(tables: &Tablebase, view: &View<'_>) -> Scene {
        let scene = match view.game {
            Some(game) => Scene::of_game(game, tables),
            None => Scene::of_board(tables.rules(), view.board.clone(), view.to_move),
        };
        let scene = scene.with_players(view.manual, view.is_thinking);
        match view.winner {
            Some(winner) => scene.won_by(winner),
            None => scene,
        }
    }
}

#[cfg(not(feature = "serve"))]
mod window {
    use super::*;
    use crate::cli::output::Session;

    /// There is none without the explorer.
    pub(in crate::cli) enum Window {}

    impl Window {
        pub(in crate::cli) fn open(
            _: &Session,
            _: &Arc<Tablebase>,
            _: &View<'_>,
            _: MoveFormatter,
            _: Sender<io::Result<Vec<u8>>>,
        ) -> Result<Window, CliError> {
            Err(CliError::new(
                "this program was built without the display: build it with `--features serve`, \
                 or leave out --display",
            ))
        }

        pub(in crate::cli) fn show(&self, _: &View<'_>) {
            match *self {}
        }
    }
}

pub(super) use window::Window;
