//! A browser window for games at the terminal. Typed lines and clicked moves arrive in one
//! stream of lines.

use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use taflbase::Tablebase;
use taflbase::history::Game;
use taflbase::moves::Move;
use taflbase::protocol::lines::next_line;
use taflbase::rules::Side;

use super::error::CliError;

/// The state to show.
#[cfg_attr(not(feature = "serve"), allow(dead_code))]
pub(super) struct View<'a> {
    /// The board as text.
    pub board: String,
    pub to_move: Side,
    /// The game, unless the board is being set up.
    pub game: Option<&'a Game>,
    /// The winner, if the game does not record it.
    pub winner: Option<Side>,
    pub manual: &'a [Side],
    pub is_thinking: bool,
}

/// Formats a move as the user would type it.
pub(super) type MoveFormatter = Box<dyn Fn(&Move) -> String + Send + Sync>;

/// Sends a line with its end, or an empty one at the end of the input.
pub(super) type LineSender = Sender<io::Result<Vec<u8>>>;

/// A merged stream of lines from the terminal and the window.
pub(super) struct Lines {
    received: Receiver<io::Result<Vec<u8>>>,
    line: Vec<u8>,
    at: usize,
}

impl Lines {
    /// Merges the lines of an input with those sent to the returned sender.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(super) fn merge(
        input: impl FnOnce() -> Box<dyn BufRead> + Send + 'static,
    ) -> Result<(Lines, LineSender), CliError> {
        let (sender, received) = channel();
        let typed = sender.clone();
        let read_all = move || {
            let mut reader = input();
            loop {
                let read = next_line(&mut reader).map(|line| match line {
                    Some(line) => (line + "\n").into_bytes(),
                    None => Vec::new(),
                });
                let is_last = read.as_ref().map_or(true, Vec::is_empty);
                if typed.send(read).is_err() || is_last {
                    return;
                }
            }
        };
        // The thread lives until the program exits: a read cannot be cancelled.
        thread::Builder::new()
            .spawn(read_all)
            .map_err(|error| CliError::Error(format!("cannot start a thread: {error}")))?;
        Ok((Lines { received, line: Vec::new(), at: 0 }, sender))
    }
}

impl BufRead for Lines {
    /// An empty buffer marks the end of input.
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
    use taflbase::serve::{Display, Scene};

    use super::*;
    use crate::cli::browser::{check_display, open_in_browser};
    use crate::cli::output::Session;

    /// A page that shows the game and accepts moves.
    pub(in crate::cli) struct Window {
        display: Display,
        tables: Arc<Tablebase>,
    }

    impl Window {
        /// Opens the page in the user's browser and prints its address.
        pub(in crate::cli) fn open(
            session: &Session,
            tables: &Arc<Tablebase>,
            view: &View<'_>,
            format_move: MoveFormatter,
            lines: LineSender,
        ) -> Result<Window, CliError> {
            check_display("--display")?;
            let display =
                Display::open(Arc::clone(tables), scene(tables, view), move |played: &Move| {
                    // The receiver is gone once the game has ended.
                    let _ = lines.send(Ok((format_move(played) + "\n").into_bytes()));
                })
                .map_err(CliError::new)?;
            let url = display.url();
            session.note(&format!("the game is shown at {url}"));
            open_in_browser(&url);
            Ok(Window { display, tables: Arc::clone(tables) })
        }

        /// Shows the current state.
        pub(in crate::cli) fn show(&self, view: &View<'_>) {
            self.display.show(scene(&self.tables, view));
        }
    }

    fn scene(tables: &Tablebase, view: &View<'_>) -> Scene {
        let scene = match view.game {
            Some(game) => Scene::of_game(game, tables),
            None => Scene::of_board(tables.rules(), view.board.clone(), view.to_move),
        };
        let with_players = scene.with_players(view.manual, view.is_thinking);
        match view.winner {
            Some(winner) => with_players.won_by(winner),
            None => with_players,
        }
    }
}

#[cfg(not(feature = "serve"))]
mod window {
    use super::*;
    use crate::cli::output::Session;

    /// The window does not exist without the explorer.
    pub(in crate::cli) enum Window {}

    impl Window {
        pub(in crate::cli) fn open(
            _: &Session,
            _: &Arc<Tablebase>,
            _: &View<'_>,
            _: MoveFormatter,
            _: LineSender,
        ) -> Result<Window, CliError> {
            Err(CliError::new(
                "the program was built without the display: build it with `--features serve`, or \
                 leave out --display",
            ))
        }

        pub(in crate::cli) fn show(&self, _: &View<'_>) {
            match *self {}
        }
    }
}

pub(super) use window::Window;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_lines_are_of_bounded_length() {
        let text = format!("{}\nquit", "x".repeat(1 << 20));
        let (mut lines, _sender) =
            Lines::merge(move || Box::new(io::Cursor::new(text))).ok().unwrap();
        let long = next_line(&mut lines).unwrap().unwrap();
        assert_eq!(long.len(), 1 << 16);
        // Even in memory, before the line is read.
        assert!(lines.line.len() <= (1 << 16) + 1);
        assert_eq!(next_line(&mut lines).unwrap().as_deref(), Some("quit"));
        assert_eq!(next_line(&mut lines).unwrap(), None);
    }
}
