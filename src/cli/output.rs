use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use taflbase::Tablebase;
use taflbase::build::{available_disk, plan, plan_among};
use taflbase::bytes::Bytes;
use taflbase::draw::Style;
use taflbase::rules::Ruleset;
use taflbase::slice::Slice;
use taflbase::table::Metric;
use taflbase::tablebase::{ProbeError, TablebaseOptions};

use super::error::CliError;
use super::machine::{available_bytes, threads};

/// The table folder of those who name none.
const DEFAULT_TABLES: &str = "tables";

/// What all commands have to know.
pub(super) struct Session {
    /// Whether results are wanted as JSON.
    json: bool,
    /// The table folder.
    tables: PathBuf,
    /// Whether the user has named it.
    is_named: bool,
    /// How boards are drawn.
    style: Style,
    /// Whether the command goes on when nobody reads its results any more.
    ignores_broken_pipe: bool,
}

impl Session {
    /// A session with the table folder that the user named, if there is one.
    pub(super) fn new(
        json: bool,
        tables: Option<PathBuf>,
        style: Style,
        ignores_broken_pipe: bool,
    ) -> Session {
        let is_named = tables.is_some();
        let tables = tables.unwrap_or_else(|| PathBuf::from(DEFAULT_TABLES));
        Session { json, tables, is_named, style, ignores_broken_pipe }
    }

    /// Whether results are wanted as JSON.
    pub(super) fn json(&self) -> bool {
        self.json
    }

    /// How boards are drawn.
    pub(super) fn style(&self) -> Style {
        self.style
    }

    /// The table folder.
    pub(super) fn tables(&self) -> &Path {
        &self.tables
    }

    /// The table folder, if the user has named one or there is one.
    pub(super) fn table_folder(&self) -> Option<&Path> {
        (self.is_named || self.tables.exists()).then_some(&*self.tables)
    }

    /// Prints results for people.
    pub(super) fn text(&self, text: &str) -> Result<(), CliError> {
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        match written.map_err(CliError::from) {
            Err(CliError::BrokenPipe) if self.ignores_broken_pipe => Ok(()),
            written => written,
        }
    }

    /// Prints one result for programs, on a line of its own.
    pub(super) fn json_line(&self, result: &impl Serialize) -> Result<(), CliError> {
        let line = serde_json::to_string(result).map_err(CliError::new)?;
        self.text(&(line + "\n"))
    }

    /// The same for a result that is too long to be in memory as text.
    pub(super) fn long_json_line(&self, result: &impl Serialize) -> Result<(), CliError> {
        let mut out = BufWriter::new(io::stdout().lock());
        let written = serde_json::to_writer(&mut out, result).map_err(io::Error::from);
        let written = written.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
        written.map_err(CliError::from)
    }

    /// Tells people what is no result.
    pub(super) fn note(&self, text: &str) {
        // There is nobody to tell if this fails.
        let _ = writeln!(io::stderr(), "taflbase: {text}");
    }

    /// A command that works on the same tables, as a user may type it.
    pub(super) fn command(&self, command: &str, rules: &str, wanted: &str) -> String {
        let command = format!("taflbase {command} {} {wanted}", shell_word(rules));
        if self.is_named {
            format!("{command} --tables {}", shell_word(&self.tables.to_string_lossy()))
        } else {
            command
        }
    }

    /// The tables in files of a ruleset that the user knows by that name. A folder that
    /// he has named must be there.
    pub(super) fn open(&self, name: &str) -> Result<Tablebase, CliError> {
        let options = TablebaseOptions { embedded: false, ..TablebaseOptions::default() };
        self.open_with(name, options)
    }

    /// The same tables and, behind them, those that are part of the program.
    pub(super) fn open_to_probe(&self, name: &str) -> Result<Tablebase, CliError> {
        self.open_with(name, TablebaseOptions::default())
    }

    /// The tables in files, in a folder that a build may have yet to make.
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

    /// An error of the tables. A missing one is a negative answer.
    pub(super) fn probe_error(&self, base: &Tablebase, rules: &str, error: ProbeError) -> CliError {
        match error {
            ProbeError::MissingTable { slice, metric } => {
                let any = base.best_table(slice);
                let metric = match any {
                    Err(ProbeError::MissingTable { .. }) => None,
                    _ => Some(metric),
                };
                CliError::Negative(self.missing_table(base, rules, slice, metric))
            }
            error => CliError::new(error),
        }
    }

    /// What to do where there is no table, or none of that metric: to build it, if this
    /// machine can.
    fn missing_table(
        &self,
        base: &Tablebase,
        rules: &str,
        slice: Slice,
        metric: Option<Metric>,
    ) -> String {
        let wanted = format!("--slice {slice}");
        let table = metric.map_or("table".to_owned(), |metric| format!("{metric} table"));
        let missing = format!("there is no {table} of {slice} in {}", self.tables.display());
        let reached = match metric {
            Some(Metric::Dtw) => base.max_men_dtw(),
            Some(Metric::Wdl) | None => base.max_men(),
        };
        // In whole MiB, as `plan` can be asked for.
        let available = available_bytes().map_or(u64::MAX, |bytes| bytes >> 20 << 20);
        let mut plan_options = wanted.clone();
        let takes = match build_resources(base, slice, available) {
            Some([memory, _]) if memory > available => {
                format!("at least {} of memory", size(memory))
            }
            Some([_, disk]) if disk > available_disk(&self.tables).unwrap_or(u64::MAX) => {
                plan_options += &format!(" --memory {}MiB", available >> 20);
                format!("at least {} of scratch", size(disk))
            }
            Some(_) => {
                return format!("{missing}; run `{}`", self.command("build", rules, &wanted));
            }
            None => "more than this version can".to_owned(),
        };
        format!(
            "{missing}, nor can one be built here: {} men would take {takes}, as `{}` tells; the \
             tables here reach {reached} men; beyond them `{}` searches",
            slice.men(),
            self.command("plan", rules, &plan_options),
            self.command("analyse", rules, "POS"),
        )
    }
}

/// The least memory with which a slice and all that it needs can be built, and the disk
/// that the work takes with so many bytes of memory; `None` if it cannot.
fn build_resources(base: &Tablebase, slice: Slice, memory: u64) -> Option<[u64; 2]> {
    // Whether the slice itself is too large is known at once; smaller ones take less disk.
    let own = plan_among(base.rules(), &[slice], 1, threads(0).get(), memory).ok()?;
    let disk = own.first()?.least_scratch_bytes;
    let planned = plan(base, &[slice]).ok()?;
    let least = planned
        .iter()
        .filter(|plan| !plan.present)
        .map(|plan| plan.size.map(|size| size.least_memory_bytes));
    let least = least.collect::<Option<Vec<_>>>()?.into_iter().max()?;
    Some([least, disk])
}

/// Whether a file's name stands for standard input or output.
pub(super) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// A text as one word of a shell, in quotes if it must be.
fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Rows of cells as aligned columns under a header: the first `left` columns
/// are texts, the rest numbers.
pub(super) fn columns(left: usize, header: &[&str], rows: &[Vec<String>]) -> String {
    let header: Vec<String> = header.iter().map(|&cell| cell.to_owned()).collect();
    let mut widths = vec![0; header.len()];
    for row in [&header].into_iter().chain(rows) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for row in [&header].into_iter().chain(rows) {
        let cells = row.iter().zip(&widths).enumerate();
        let cells: Vec<String> = cells
            .map(
                |(i, (cell, &width))| {
                    if i < left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
                },
            )
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// `1234567` as `1,234,567`.
pub(super) fn grouped(number: impl Display) -> String {
    let digits: Vec<char> = number.to_string().chars().collect();
    let groups: Vec<String> = digits.rchunks(3).rev().map(|group| group.iter().collect()).collect();
    groups.join(",")
}

/// A part of several things in words: `1 of 2 lines is wrong`, `2 of 2 lines are wrong`.
/// Each of the predicates begins with its verb: that for one thing, and that for more.
pub(super) fn count_of(count: usize, all: usize, noun: &str, [one, more]: [&str; 2]) -> String {
    let plural = if all == 1 { "" } else { "s" };
    let predicate = if count == 1 { one } else { more };
    format!("{} of {} {noun}{plural} {predicate}", grouped(count), grouped(all))
}

/// Bytes for people: `1.5 MiB`.
pub(super) fn size(bytes: u64) -> String {
    Bytes(bytes).to_string()
}

/// A time for people: `4.2 s`, `12 min`, `3.5 h`.
pub(super) fn time(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 100.0 => format!("{seconds:.1} s"),
        seconds if seconds < 6000.0 => format!("{:.0} min", seconds / 60.0),
        seconds if seconds < 360_000.0 => format!("{:.1} h", seconds / 3600.0),
        seconds => format!("{:.1} days", seconds / 86400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        let times = [0.05, 99.0, 120.0, 7200.0, 864_000.0].map(Duration::from_secs_f64);
        assert_eq!(times.map(time), ["0.1 s", "99.0 s", "2 min", "2.0 h", "10.0 days"]);
    }

    #[test]
    fn words_of_a_shell_are_quoted_where_they_must_be() {
        let words = ["tables", "../a-b/c_1.toml", "my tables", "it's", "", "$HOME"];
        let quoted = ["tables", "../a-b/c_1.toml", "'my tables'", r"'it'\''s'", "''", "'$HOME'"];
        assert_eq!(words.map(shell_word), quoted);
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
