//! Many positions, one a line.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use rayon::prelude::*;
use serde::Serialize;
use taflbase::Tablebase;
use taflbase::position::Position;
use taflbase::rules::Ruleset;
use taflbase::tablebase::{ProbeError, Probed};

use super::failure::Failure;
use super::output::{Session, is_standard, some_of};

/// Lines that are probed together: each block is read once for all of them.
const LOT: usize = 1 << 16;

/// The longest line that may be a position; a file without ends of lines is none.
const LONGEST: usize = 1 << 12;

/// A line of the input.
struct Line {
    /// Its text without the blanks around it; of a line that is too long, the beginning.
    text: String,
    is_whole: bool,
}

/// What is told of a line that is no position.
const INVALID: &str = "invalid";
/// What is told of a position whose slice has no table.
const UNKNOWN: &str = "unknown";

#[derive(Serialize)]
struct Answer<'a> {
    position: &'a str,
    category: &'static str,
    dtw: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Probes the positions of a file, or of standard input if it is `-`; tells one line for
/// each of its lines.
pub(super) fn run(base: &Tablebase, path: &Path, session: &Session) -> Result<(), Failure> {
    let unreadable = |error: io::Error| {
        Failure::Error(format!("{}: cannot read the positions: {error}", path.display()))
    };
    let mut input: Box<dyn BufRead> = if is_standard(path) {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(path).map_err(unreadable)?))
    };
    let (mut number, mut wrong, mut unknown) = (0, 0, 0);
    loop {
        let lines = lot(&mut *input).map_err(unreadable)?;
        if lines.is_empty() {
            break;
        }
        let answers = answers(base, &lines)?;
        number += lines.len();
        wrong += answers.iter().filter(|answer| answer.category == INVALID).count();
        unknown += answers.iter().filter(|answer| answer.category == UNKNOWN).count();
        let texts = answers.par_iter().map(|answer| text(answer, session.json()));
        session.text(&texts.collect::<Result<String, Failure>>()?)?;
    }
    let told: Vec<String> = [
        (wrong, ["is not a position", "are not positions"]),
        (unknown, ["has no table", "have no table"]),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| some_of(count, number, "line", what))
    .collect();
    if told.is_empty() { Ok(()) } else { Err(Failure::Negative(told.join(", "))) }
}

/// The next lines, as many as are probed together.
fn lot(input: &mut dyn BufRead) -> io::Result<Vec<Line>> {
    let mut lines = Vec::new();
    while lines.len() < LOT {
        let mut line = Vec::new();
        let most = LONGEST as u64 + 1;
        if io::Read::take(&mut *input, most).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let is_whole = line.len() <= LONGEST || line.ends_with(b"\n");
        if !is_whole {
            input.skip_until(b'\n')?;
        }
        lines.push(Line { text: String::from_utf8_lossy(&line).trim().to_owned(), is_whole });
    }
    Ok(lines)
}

impl Line {
    /// Its position, or why it is none.
    fn position(&self, rules: &Ruleset) -> Result<Position, String> {
        if !self.is_whole {
            return Err(format!("longer than {LONGEST} bytes"));
        }
        Position::parse(&self.text, rules).map_err(|error| error.to_string())
    }
}

fn answers<'a>(base: &Tablebase, lines: &'a [Line]) -> Result<Vec<Answer<'a>>, Failure> {
    let parsed: Vec<Result<Position, String>> =
        lines.par_iter().map(|line| line.position(base.rules())).collect();
    let positions: Vec<Position> = parsed.iter().flatten().copied().collect();
    let mut probed = base.probe_many(&positions).into_iter();
    let answers = lines.iter().zip(parsed).map(|(line, parsed)| {
        let position = &line.text;
        let invalid = |error| Answer { position, category: INVALID, dtw: None, error: Some(error) };
        match parsed {
            Err(error) => Ok(invalid(error)),
            Ok(_) => match probed.next() {
                Some(Ok(Probed { wdl, plies, .. })) => {
                    Ok(Answer { position, category: base.category(wdl), dtw: plies, error: None })
                }
                Some(Err(ProbeError::Position(error))) => Ok(invalid(error.to_string())),
                Some(Err(ProbeError::MissingTable { .. })) | None => {
                    Ok(Answer { position, category: UNKNOWN, dtw: None, error: None })
                }
                Some(Err(error)) => Err(Failure::error(error)),
            },
        }
    });
    answers.collect()
}

fn text(answer: &Answer, json: bool) -> Result<String, Failure> {
    if json {
        return serde_json::to_string(answer).map(|line| line + "\n").map_err(Failure::error);
    }
    let Answer { position, category, dtw, error } = answer;
    let last = match (dtw, error) {
        (Some(plies), _) => plies.to_string(),
        (None, Some(error)) => error.clone(),
        (None, None) => String::new(),
    };
    Ok(format!("{position}\t{category}\t{last}\n"))
}
