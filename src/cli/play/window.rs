use std::io::{self, BufReader};

use taflbase::moves::Move;
use taflbase::rules::Side;

use super::super::display::{Lines, View, Window};
use super::super::error::CliError;
use super::input::Input;
use super::terminal::TerminalGame;

impl TerminalGame<'_> {
    /// Opens the window and merges its moves with the input.
    pub(super) fn open_window(&mut self) -> Result<Input, CliError> {
        let (lines, sender) = Lines::merge(|| Box::new(BufReader::new(io::stdin())))?;
        let board = self.game.rules().board;
        let format_move = Box::new(move |played: &Move| played.display(board).to_string());
        let manual = self.manual();
        let view = self.view(&manual, true);
        self.window =
            Some(Window::open(self.session, &self.sources.tables, &view, format_move, sender)?);
        Ok(Input::Lines(Box::new(lines)))
    }

    /// Shows the game in the window.
    pub(super) fn show_in_window(&self, is_thinking: bool) {
        if let Some(window) = &self.window {
            window.show(&self.view(&self.manual(), is_thinking));
        }
    }

    fn manual(&self) -> Vec<Side> {
        Side::ALL.into_iter().filter(|&side| self.user_sides.has(side)).collect()
    }

    fn view<'a>(&'a self, manual: &'a [Side], is_thinking: bool) -> View<'a> {
        View {
            board: String::new(),
            to_move: self.game.position().to_move,
            game: Some(&self.game),
            winner: self.resigned.map(Side::other),
            manual,
            is_thinking,
        }
    }
}
