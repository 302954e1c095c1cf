use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use taflbase::Tablebase;
use taflbase::build::{available_disk, plan, plan_among};
use taflbase::bytes::Bytes;
use taflbase::draw::Style;
use taflbase::numbers;
pub(super) use taflbase::numbers::{counted, grouped};
use taflbase::proof::ProofBook;
use taflbase::rules::{Ruleset, Side};
use taflbase::slice::Slice;
use taflbase::stats::WinnerShares;
use taflbase::table::{Access, Metric};
use taflbase::tablebase::{ProbeError, TablebaseOptions};
use taflbase::value::Wdl;

use super::arguments::in_pool;
use super::error::CliError;
use super::machine::{available_bytes, threads};

/// The default table folder.
const DEFAULT_TABLES: &str = "tables";

/// Prints a note to standard error.
pub(super) fn note(text: &str) {
    // A failure to print has nowhere to be reported.
    let _ = writeln!(io::stderr(), "taflbase: {text}");
}

/// The options that all commands share.
pub(super) struct Session {
    /// Whether to print results as JSON.
    json: bool,
    /// The table folder.
    tables: PathBuf,
    /// Whether the user named the table folder.
    is_named: bool,
    /// Certificates and folders of them.
    proofs: Vec<PathBuf>,
    /// The style of boards.
    style: Style,
    /// Whether the command continues when standard output is closed.
    ignores_broken_pipe: bool,
}

impl Session {
    /// Creates a session; `tables` is the table folder if the user named one.
    pub(super) fn new(
        json: bool,
        tables: Option<PathBuf>,
        proofs: Vec<PathBuf>,
        style: Style,
        ignores_broken_pipe: bool,
    ) -> Session {
        let is_named = tables.is_some();
        let folder = tables.unwrap_or_else(|| PathBuf::from(DEFAULT_TABLES));
        Session { json, tables: folder, is_named, proofs, style, ignores_broken_pipe }
    }

    /// Returns whether to print results as JSON.
    pub(super) fn json(&self) -> bool {
        self.json
    }

    /// Returns the style of boards.
    pub(super) fn style(&self) -> Style {
        self.style
    }

    /// Returns the table folder.
    pub(super) fn tables(&self) -> &Path {
        &self.tables
    }

    /// Returns the table folder if the user named it or it exists.
    pub(super) fn table_folder(&self) -> Option<&Path> {
        (self.is_named || self.tables.exists()).then_some(&*self.tables)
    }

    /// Prints a result as text.
    pub(super) fn text(&self, text: &str) -> Result<(), CliError> {
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        match written.map_err(CliError::from) {
            Err(CliError::BrokenPipe) if self.ignores_broken_pipe => Ok(()),
            written => written,
        }
    }

    /// Prints a result as a line of JSON.
    pub(super) fn json_line(&self, result: &impl Serialize) -> Result<(), CliError> {
        let line = serde_json::to_string(result).map_err(CliError::new)?;
        self.text(&(line + "\n"))
    }

    /// Prints a result as a line of JSON without holding the line in memory.
    pub(super) fn long_json_line(&self, result: &impl Serialize) -> Result<(), CliError> {
        let mut out = BufWriter::new(io::stdout().lock());
        serde_json::to_writer(&mut out, result).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
        Ok(out.flush()?)
    }

    /// Prints a note to standard error.
    pub(super) fn note(&self, text: &str) {
        note(text);
    }

    /// Formats a `taflbase` command on the same tables, to be typed in a shell.
    pub(super) fn command(&self, command: &str, rules: &str, wanted: &str) -> String {
        let mut line = format!("taflbase {command} {} {wanted}", shell_word(rules));
        if self.is_named {
            line += &format!(" --tables {}", shell_word(&self.tables.to_string_lossy()));
        }
        line
    }

    /// Opens the table files of a ruleset, given by name or path. A table folder that the user
    /// named must exist.
    pub(super) fn open(&self, name: &str, access: Access) -> Result<Tablebase, CliError> {
        let options = TablebaseOptions { access, embedded: false, ..TablebaseOptions::default() };
        self.open_with(name, options)
    }

    /// As [`open_to_probe`](Session::open_to_probe), to read whole tables.
    pub(super) fn open_to_scan(&self, name: &str) -> Result<Tablebase, CliError> {
        let options = TablebaseOptions { access: Access::Scanned, ..TablebaseOptions::default() };
        self.open_with(name, options)
    }

    /// Opens the table files and, as a fallback, the tables embedded in the program.
    pub(super) fn open_to_probe(&self, name: &str) -> Result<Tablebase, CliError> {
        self.open_with(name, TablebaseOptions::default())
    }

    /// Returns the certificates that the user named, and folders of them.
    pub(super) fn proofs(&self) -> &[PathBuf] {
        &self.proofs
    }

    /// Opens the certificates of the tables' rules; `None` if the user named none.
    pub(super) fn open_proofs(
        &self,
        tables: &Arc<Tablebase>,
    ) -> Result<Option<Arc<ProofBook>>, CliError> {
        if self.proofs.is_empty() {
            return Ok(None);
        }
        let book = ProofBook::open(&self.proofs, Arc::clone(tables)).map_err(CliError::new)?;
        Ok(Some(Arc::new(book)))
    }

    /// Opens the table files in a folder that need not exist yet.
    pub(super) fn open_to_build(&self, name: &str) -> Result<Tablebase, CliError> {
        Tablebase::open_files(Ruleset::load(name)?, &self.tables).map_err(CliError::new)
    }

    fn open_with(&self, name: &str, options: TablebaseOptions) -> Result<Tablebase, CliError> {
        let rules = Ruleset::load(name)?;
        match self.table_folder() {
            Some(folder) => Tablebase::open_with(rules, folder, options).map_err(CliError::new),
            None => Ok(Tablebase::with_options(rules, options)),
        }
    }

    /// Converts an error of a probe: a missing table is a negative answer.
    pub(super) fn probe_error(&self, base: &Tablebase, rules: &str, error: ProbeError) -> CliError {
        match error {
            ProbeError::MissingTable { slice, metric } => {
                let missing_metric = match base.best_table(slice) {
                    Err(ProbeError::MissingTable { .. }) => None,
                    _ => Some(metric),
                };
                self.missing_table(base, rules, slice, missing_metric)
                    .map_or_else(|error| error, CliError::Negative)
            }
            error => CliError::new(error),
        }
    }

    /// As [`probe_error`](Session::probe_error), of a position, which the engine can search.
    pub(super) fn position_error(
        &self,
        base: &Tablebase,
        rules: &str,
        error: ProbeError,
    ) -> CliError {
        match self.probe_error(base, rules, error) {
            CliError::Negative(missing) => CliError::Negative(format!(
                "{missing}; use `{}` to search the position",
                self.command("analyse", rules, "POS")
            )),
            other => other,
        }
    }

    /// Describes a missing table (of this metric, or of any if `None`) and says how to build it,
    /// or that this machine cannot.
    ///
    /// # Errors
    /// If the system refuses a thread.
    fn missing_table(
        &self,
        base: &Tablebase,
        rules: &str,
        slice: Slice,
        metric: Option<Metric>,
    ) -> Result<String, CliError> {
        let wanted = format!("--slice {slice}");
        let kind = metric.map_or("table".to_owned(), |metric| format!("{metric} table"));
        let missing = format!("there is no {kind} of {slice} in {}", self.tables.display());
        let reached = match metric {
            Some(Metric::Dtw) => base.max_men_dtw(),
            Some(Metric::Wdl) | None => base.max_men(),
        };
        // In whole MiB, so that the message can pass it to `plan --memory`.
        let available = available_bytes().map_or(u64::MAX, |bytes| bytes >> 20 << 20);
        let mut plan_options = wanted.clone();
        let takes = match in_pool(0, || build_resources(base, slice, available))? {
            Some([memory, _]) if memory > available => {
                format!("at least {} of memory", size(memory))
            }
            Some([_, disk]) if disk > available_disk(&self.tables).unwrap_or(u64::MAX) => {
                plan_options += &format!(" --memory {}MiB", available >> 20);
                format!("at least {} of scratch", size(disk))
            }
            Some(_) => {
                let build = self.command("build", rules, &wanted);
                return Ok(format!("{missing}; run `{build}`"));
            }
            None => "more than this version supports".to_owned(),
        };
        Ok(format!(
            "{missing}, and it cannot be built here: {} men take {takes} (see `{}`); the tables \
             here reach {reached} men",
            slice.men(),
            self.command("plan", rules, &plan_options),
        ))
    }
}

/// Returns the least memory with which a slice and its dependencies can be built, and the
/// scratch space that it takes with `memory` bytes; `None` if the slice is too large.
fn build_resources(base: &Tablebase, slice: Slice, memory: u64) -> Option<[u64; 2]> {
    // Planning the slice alone finds at once if it is too large; smaller slices take less disk.
    let own = plan_among(base.rules(), &[slice], 1, threads(0).get(), memory).ok()?;
    let disk = own.first()?.least_scratch_bytes;
    let mut memory_needed = None;
    for plan in plan(base, &[slice]).ok()?.iter().filter(|plan| !plan.present) {
        memory_needed = memory_needed.max(Some(plan.size?.least_memory_bytes));
    }
    Some([memory_needed?, disk])
}

/// Returns whether a path is `-`, for standard input or output.
pub(super) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Formats a text as one shell word, quoted if necessary.
pub(super) fn shell_word(text: &str) -> String {
    let needs_no_quotes = text.chars().all(|c| c.is_alphanumeric() || "/._-+=:,@%".contains(c));
    if !text.is_empty() && needs_no_quotes {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Formats rows of cells as aligned columns under a header: the first `left` columns are
/// left-aligned, the others right-aligned.
pub(super) fn columns(left: usize, header: &[&str], rows: &[Vec<String>]) -> String {
    let titles: Vec<String> = header.iter().map(|&cell| cell.to_owned()).collect();
    let mut widths = vec![0; titles.len()];
    for row in [&titles].into_iter().chain(rows) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for row in [&titles].into_iter().chain(rows) {
        let mut line = String::new();
        for (i, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            line += if i > 0 { "  " } else { "" };
            line += &if i < left { format!("{cell:<width$}") } else { format!("{cell:>width$}") };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Formats the shares of the attackers' wins, of what neither side can force, and of the defenders'
/// wins, in percent.
pub(super) fn percents(shares: &WinnerShares) -> [String; 3] {
    [shares.attackers_win, shares.open(), shares.defenders_win].map(percent)
}

/// Formats a share as per cent, without the sign.
pub(super) fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}

/// Formats a count as a sentence: `1 of 2 lines is wrong`, `2 of 2 lines are wrong`. The
/// predicates are the singular and the plural, each with its verb.
pub(super) fn count_of(count: usize, all: usize, noun: &str, [one, more]: [&str; 2]) -> String {
    let predicate = if count == 1 { one } else { more };
    format!("{} of {} {predicate}", grouped(count), counted(all, [noun, &format!("{noun}s")]))
}

/// Fails if a count is not 0: `1 of 3 lines is wrong, 2 of 3 lines are long`. The counts are given with
/// their predicates, as in [`count_of`].
pub(super) fn check_none(
    counts: &[(usize, [&str; 2])],
    all: usize,
    noun: &str,
) -> Result<(), CliError> {
    let found = counts.iter().filter(|(count, _)| *count > 0);
    let faults: Vec<String> =
        found.map(|&(count, predicates)| count_of(count, all, noun, predicates)).collect();
    if faults.is_empty() { Ok(()) } else { Err(CliError::Negative(faults.join(", "))) }
}

/// Returns the side that can force a win, if one can.
pub(super) fn winner(to_move: Side, wdl: Wdl) -> Option<Side> {
    match wdl {
        Wdl::Win => Some(to_move),
        Wdl::Draw => None,
        Wdl::Loss => Some(to_move.other()),
    }
}

/// Returns the line that limits a win of this side to positions, if it may fail in a game; otherwise
/// nothing.
pub(super) fn win_caveat(rules: &Ruleset, winner: Option<Side>) -> &'static str {
    if winner.is_some_and(|winner| rules.may_bar_win(winner)) {
        "The defenders may not repeat positions: in a game, this rule may bar moves of this win.\n"
    } else {
        ""
    }
}

/// Formats bytes: `1.5 MiB`.
pub(super) fn size(bytes: u64) -> String {
    Bytes(bytes).to_string()
}

/// Formats a duration: `4.2 s`, `12 min`, `3.5 h`.
pub(super) fn time(time: Duration) -> String {
    numbers::time(time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_shell_are_quoted_where_they_must_be() {
        let words = ["tables", "../a-b/c_1.toml", "my tables", "it's", "", "$HOME"];
        let quoted = ["tables", "../a-b/c_1.toml", "'my tables'", r"'it'\''s'", "''", "'$HOME'"];
        assert_eq!(words.map(shell_word), quoted);
    }

    #[test]
    fn the_winner_is_the_side_that_the_value_favours() {
        use Side::{Attackers, Defenders};
        assert_eq!(winner(Attackers, Wdl::Win), Some(Attackers));
        assert_eq!(winner(Attackers, Wdl::Loss), Some(Defenders));
        assert_eq!(winner(Defenders, Wdl::Loss), Some(Attackers));
        assert_eq!(winner(Defenders, Wdl::Draw), None);
    }

    #[test]
    fn columns_are_aligned() {
        let rows =
            [vec!["K0v1".to_owned(), "5".to_owned()], vec!["K10v1".to_owned(), "12345".to_owned()]];
        assert_eq!(
            columns(1, &["slice", "rows"], &rows),
            "slice   rows\nK0v1       5\nK10v1  12345\n"
        );
    }
}
