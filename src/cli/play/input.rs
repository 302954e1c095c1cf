//! Input of lines: with an editor on a terminal; plain lines otherwise, and if a window adds
//! its moves.

use std::io::{self, BufRead, IsTerminal, Write};

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};
use taflbase::protocol::lines::next_line;

use super::super::error::CliError;

/// The source of lines.
pub(super) enum Input {
    /// An editor with history and completion.
    Editor(Box<Editor<WordCompleter, MemHistory>>),
    /// Plain lines: a pipe, or the terminal merged with a window.
    Lines(Box<dyn BufRead>),
}

/// Completes a line to one of these words.
pub(super) struct WordCompleter(Vec<String>);

impl Input {
    pub(super) fn new() -> Result<Input, CliError> {
        if !io::stdin().is_terminal() {
            return Ok(Input::Lines(Box::new(io::stdin().lock())));
        }
        let config =
            Config::builder().completion_type(CompletionType::List).auto_add_history(true).build();
        let mut editor =
            Editor::with_history(config, MemHistory::new()).map_err(|error| unreadable(&error))?;
        editor.set_helper(Some(WordCompleter(Vec::new())));
        Ok(Input::Editor(Box::new(editor)))
    }

    /// Reads the next line, with completion to the words; `None` at the end of input. The prompt
    /// is only written to a terminal.
    pub(super) fn line(
        &mut self,
        prompt: &str,
        words: Vec<String>,
    ) -> Result<Option<String>, CliError> {
        let editor = match self {
            Input::Editor(editor) => editor,
            Input::Lines(lines) => return plain_line(lines, prompt),
        };
        editor.set_helper(Some(WordCompleter(words)));
        match editor.readline(prompt) {
            Ok(line) => Ok(Some(line)),
            // Ctrl-C discards the typed line.
            Err(ReadlineError::Interrupted) => Ok(Some(String::new())),
            Err(ReadlineError::Eof) => Ok(None),
            Err(error) => Err(unreadable(&error)),
        }
    }
}

/// Reads the next line without an editor.
fn plain_line(lines: &mut dyn BufRead, prompt: &str) -> Result<Option<String>, CliError> {
    if io::stdin().is_terminal() {
        let mut out = io::stdout().lock();
        out.write_all(prompt.as_bytes()).and_then(|()| out.flush())?;
    }
    next_line(lines).map_err(|error| unreadable(&error))
}

fn unreadable(error: &dyn std::fmt::Display) -> CliError {
    CliError::Error(format!("cannot read the input: {error}"))
}

impl Completer for WordCompleter {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line[..at].to_ascii_lowercase();
        let mut words = self.0.clone();
        words.retain(|word| word.to_ascii_lowercase().starts_with(&typed));
        Ok((0, words))
    }
}

impl Hinter for WordCompleter {
    type Hint = String;
}

impl Highlighter for WordCompleter {}
impl Validator for WordCompleter {}
impl Helper for WordCompleter {}
