//! `probe --batch`: many positions, one per line.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use rayon::prelude::*;
use serde::Serialize;
use taflbase::Tablebase;
use taflbase::position::Position;
use taflbase::proof::ProofBook;
use taflbase::rules::Ruleset;
use taflbase::tablebase::{ProbeError, Probed};

use super::error::CliError;
use super::output::{Session, check_none, is_standard};

/// The number of lines probed together, so that each block is read once for all of them.
const BATCH_LINES: usize = 1 << 16;

/// The limit on a line's length, so that a file without line ends cannot fill the memory.
const MAX_LINE_BYTES: usize = 1 << 12;

/// A line of the input.
struct Line {
    /// The trimmed text, or the beginning of a line that is too long.
    text: String,
    is_whole: bool,
}

/// The category of a line that is not a position.
const INVALID: &str = "invalid";
/// The category of a position whose slice has no table.
const UNKNOWN: &str = "unknown";

#[derive(Serialize)]
struct LineResult<'a> {
    position: &'a str,
    category: &'static str,
    dtw: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Probes the positions of a file, or of standard input for `-`; prints one line for each line.
pub(super) fn run(
    base: &Tablebase,
    book: Option<&ProofBook>,
    path: &Path,
    session: &Session,
) -> Result<(), CliError> {
    let mut input: Box<dyn BufRead> = if is_standard(path) {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(path).map_err(|error| unreadable(path, &error))?))
    };
    let (mut total, mut invalid, mut unknown) = (0, 0, 0);
    loop {
        let lines = read_batch(&mut *input).map_err(|error| unreadable(path, &error))?;
        if lines.is_empty() {
            break;
        }
        let results = probe_lines(base, book, &lines)?;
        total += lines.len();
        invalid += results.iter().filter(|result| result.category == INVALID).count();
        unknown += results.iter().filter(|result| result.category == UNKNOWN).count();
        let texts = results.par_iter().map(|result| text(result, session.json()));
        session.text(&texts.collect::<Result<String, CliError>>()?)?;
    }
    let problems = [
        (invalid, ["is not a position", "are not positions"]),
        (unknown, ["has no table", "have no table"]),
    ];
    check_none(&problems, total, "line")
}

fn unreadable(path: &Path, error: &io::Error) -> CliError {
    CliError::Error(format!("{}: cannot read the positions: {error}", path.display()))
}

/// Reads the next batch of lines.
fn read_batch(input: &mut dyn BufRead) -> io::Result<Vec<Line>> {
    let mut lines = Vec::new();
    while lines.len() < BATCH_LINES {
        let mut line = Vec::new();
        let most = MAX_LINE_BYTES as u64 + 1;
        if io::Read::take(&mut *input, most).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let is_whole = line.len() <= MAX_LINE_BYTES || line.ends_with(b"\n");
        if !is_whole {
            input.skip_until(b'\n')?;
        }
        lines.push(Line { text: String::from_utf8_lossy(&line).trim().to_owned(), is_whole });
    }
    Ok(lines)
}

impl Line {
    /// Parses the position, or says why the line is not one.
    fn position(&self, rules: &Ruleset) -> Result<Position, String> {
        if !self.is_whole {
            return Err(format!("longer than {MAX_LINE_BYTES} bytes"));
        }
        Position::parse(&self.text, rules).map_err(|error| error.to_string())
    }
}

fn probe_lines<'a>(
    base: &Tablebase,
    book: Option<&ProofBook>,
    lines: &'a [Line],
) -> Result<Vec<LineResult<'a>>, CliError> {
    let parsed: Vec<Result<Position, String>> =
        lines.par_iter().map(|line| line.position(base.rules())).collect();
    let positions: Vec<Position> = parsed.iter().flatten().copied().collect();
    let mut probed = base.probe_many(&positions).into_iter();
    let values: Vec<_> =
        parsed.into_iter().map(|parsed| parsed.map(|position| (position, probed.next()))).collect();
    let results = lines.par_iter().zip(values).map(|(line, value)| {
        let (category, dtw, error) = match value {
            Err(error) => (INVALID, None, Some(error)),
            Ok((position, value)) => match value {
                Some(Ok(Probed { wdl, plies, .. })) => (base.category(wdl), plies, None),
                Some(Err(ProbeError::Position(error))) => (INVALID, None, Some(error.to_string())),
                Some(Err(ProbeError::MissingTable { .. })) | None => {
                    (proved_category(base, book, &position), None, None)
                }
                Some(Err(error)) => return Err(CliError::new(error)),
            },
        };
        Ok(LineResult { position: &line.text, category, dtw, error })
    });
    results.collect()
}

/// Returns the category that the book proves for a position without a table.
fn proved_category(
    base: &Tablebase,
    book: Option<&ProofBook>,
    position: &Position,
) -> &'static str {
    let proved = book.and_then(|book| book.probe(position).ok()?.bounds.exact());
    proved.map_or(UNKNOWN, |wdl| base.category(wdl))
}

fn text(result: &LineResult, json: bool) -> Result<String, CliError> {
    if json {
        return serde_json::to_string(result).map(|line| line + "\n").map_err(CliError::new);
    }
    let LineResult { position, category, dtw, error } = result;
    let last = match (dtw, error) {
        (Some(plies), _) => plies.to_string(),
        (None, Some(error)) => error.clone(),
        (None, None) => String::new(),
    };
    // A tab of an invalid line would be taken for the end of the field.
    let position = position.replace('\t', " ");
    Ok(format!("{position}\t{category}\t{last}\n"))
}
