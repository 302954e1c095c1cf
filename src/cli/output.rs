use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use taflbase::Tablebase;
use taflbase::rules::Ruleset;
use taflbase::tablebase::ProbeError;

use super::failure::Failure;

/// The table folder of those who name none.
pub(super) const DEFAULT_TABLES: &str = "tables";

/// What all commands have to know.
pub(super) struct Session {
    /// Whether results are wanted as JSON.
    pub json: bool,
    /// The table folder.
    pub tables: PathBuf,
    /// Whether the command goes on when nobody reads its results any more.
    pub goes_on: bool,
}

impl Session {
    /// Prints results for people.
    pub(super) fn text(&self, text: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        match written.map_err(Failure::from) {
            Err(Failure::Closed) if self.goes_on => Ok(()),
            written => written,
        }
    }

    /// Prints one result for programs, on a line of its own.
    pub(super) fn json_line(&self, result: &impl Serialize) -> Result<(), Failure> {
        let line = serde_json::to_string(result).map_err(Failure::error)?;
        self.text(&(line + "\n"))
    }

    /// The command that builds into the same tables, as a user may type it.
    pub(super) fn build_command(&self, rules: &str, wanted: &str) -> String {
        let command = format!("taflbase build {} {wanted}", shell_word(rules));
        if self.tables.as_os_str() == DEFAULT_TABLES {
            command
        } else {
            format!("{command} --tables {}", shell_word(&self.tables.to_string_lossy()))
        }
    }

    /// The tables of a ruleset that the user knows by that name.
    pub(super) fn open(&self, name: &str) -> Result<Tablebase, Failure> {
        let rules = Ruleset::load(name)?;
        Tablebase::open(rules, &self.tables).map_err(|error| self.refusal(name, error))
    }

    /// The same tables and, behind them, those that are part of the program.
    pub(super) fn open_to_probe(&self, name: &str) -> Result<Tablebase, Failure> {
        let mut base = self.open(name)?;
        base.add_embedded();
        Ok(base)
    }

    /// An error of the tables. A missing one is a negative answer.
    pub(super) fn refusal(&self, rules: &str, error: ProbeError) -> Failure {
        match error {
            ProbeError::MissingTable { slice, metric } => Failure::Negative(format!(
                "there is no {metric} table of {slice} in {}; run `{}`",
                self.tables.display(),
                self.build_command(rules, &format!("--slice {slice}")),
            )),
            error => Failure::error(error),
        }
    }
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
pub(super) fn grouped(number: u64) -> String {
    let digits: Vec<char> = number.to_string().chars().collect();
    let groups: Vec<String> = digits.rchunks(3).rev().map(|group| group.iter().collect()).collect();
    groups.join(",")
}

/// Bytes for people: `1.5 MiB`.
pub(super) fn size(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut scaled = bytes as f64;
    let mut unit = "B";
    for next in units {
        if scaled < 1000.0 {
            break;
        }
        scaled /= 1024.0;
        unit = next;
    }
    match unit {
        "B" => format!("{bytes} B"),
        _ => format!("{scaled:.1} {unit}"),
    }
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
        assert_eq!([0, 999, 1000, 16 << 30].map(size), ["0 B", "999 B", "1.0 KiB", "16.0 GiB"]);
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
