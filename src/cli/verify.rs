use std::time::Instant;

use serde::Serialize;
use taflbase::Tablebase;
use taflbase::slice::Slice;
use taflbase::table::Metric;
use taflbase::tablebase::ProbeError;
use taflbase::verify::{Verdict, VerifyError, memory_bytes, verify_slice};

use super::arguments::{Present, Threads};
use super::failure::Failure;
use super::machine::available_bytes;
use super::output::{Session, grouped};
use super::progress::Reporter;

/// Recompute all values by forward moves and compare them with the tables
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// A built-in ruleset, or a path to a ruleset file
    rules: String,
    #[command(flatten)]
    present: Present,
    #[command(flatten)]
    threads: Threads,
}

const HELP: &str = r#"A slice with a DTW table is proved, by induction on the distance, if the slices
that its captures lead to are right: without --slice they are verified, too. A
slice with a WDL table alone can only be found consistent, which is no proof.
Exits 1 if a value is wrong or a file is damaged.

Examples:
  taflbase verify brandubh
  taflbase verify brandubh --slice K2v3 --threads 8

JSON, one line for each slice; the verdict is "proved", "consistent", "wrong" or
"damaged", and the messages are the first few of the findings:
  {"rules":"brandubh","slice":"K2v3","verdict":"proved","positions":9876543,"findings":0,"messages":[],"seconds":4.2}"#;

#[derive(Serialize)]
struct Answer<'a> {
    rules: &'a str,
    slice: String,
    verdict: &'static str,
    /// Those that were compared and found right.
    positions: u64,
    findings: u64,
    messages: Vec<String>,
    seconds: f64,
}

/// Verifies slice by slice.
pub fn run(args: &Args, session: &Session) -> Result<(), Failure> {
    let base = session.open(&args.rules)?;
    let slices = args.present.slices(&base, &args.rules, session)?;
    let reporter = Reporter::new(slices.iter().map(|&slice| work(&base, slice)));
    let mut wrong = 0;
    for &slice in &slices {
        refuse_beyond_memory(&base, slice)?;
        let begun = Instant::now();
        let verdict = args.threads.run(|| verify_slice(&base, slice, &reporter))?;
        let answer =
            answer(&base, slice, verdict, begun).map_err(|error| refusal(args, session, error))?;
        wrong += usize::from(answer.findings > 0);
        reporter.aside(|| {
            if session.json { session.json_line(&answer) } else { session.text(&answer.text()) }
        })?;
    }
    reporter.clear();
    match wrong {
        0 => Ok(()),
        wrong => Err(Failure::Negative(format!("{wrong} of {} slices are wrong", slices.len()))),
    }
}

/// Refuses a slice whose values the system would have to swap, or to kill for.
fn refuse_beyond_memory(base: &Tablebase, slice: Slice) -> Result<(), Failure> {
    let bytes = memory_bytes(base.rules(), slice);
    let available = available_bytes().unwrap_or(u64::MAX);
    match bytes {
        Some(bytes) if bytes <= available => Ok(()),
        _ => Err(Failure::error(VerifyError::TooLarge { slice, bytes })),
    }
}

/// The slice with its slots and rows, for the progress.
fn work(base: &Tablebase, slice: Slice) -> (Slice, u64, u64) {
    let tables = Metric::ALL.into_iter().filter_map(|metric| base.table(slice, metric).ok());
    let grids = tables.map(|table| table.header().grid);
    let sizes = grids.map(|grid| (2 * grid.lanes() as u64 * grid.rows(), grid.rows()));
    let (slots, rows) = sizes.last().unwrap_or((0, 0));
    (slice, slots, rows)
}

/// What there is to say about a slice. A damaged file is a finding.
fn answer<'a>(
    base: &'a Tablebase,
    slice: Slice,
    verdict: Result<Verdict, VerifyError>,
    begun: Instant,
) -> Result<Answer<'a>, VerifyError> {
    let (verdict, positions, findings, messages) = match verdict {
        Ok(Verdict::Proved { positions }) => ("proved", positions, 0, Vec::new()),
        Ok(Verdict::Consistent { positions }) => ("consistent", positions, 0, Vec::new()),
        Ok(Verdict::Wrong { findings, first }) => {
            let messages = first.iter().map(|finding| finding.display(base.rules()).to_string());
            ("wrong", 0, findings, messages.collect())
        }
        Err(VerifyError::Table(ProbeError::Corrupted(error))) => {
            ("damaged", 0, 1, vec![error.to_string()])
        }
        Err(error) => return Err(error),
    };
    Ok(Answer {
        rules: &base.rules().name,
        slice: slice.to_string(),
        verdict,
        positions,
        findings,
        messages,
        seconds: begun.elapsed().as_secs_f64(),
    })
}

fn refusal(args: &Args, session: &Session, error: VerifyError) -> Failure {
    match error {
        VerifyError::Table(error) => session.refusal(&args.rules, error),
        error => Failure::error(error),
    }
}

impl Answer<'_> {
    fn text(&self) -> String {
        let Answer { slice, findings, .. } = self;
        let positions = grouped(self.positions);
        let mut text = match self.verdict {
            "proved" => format!("{slice}: proved, {positions} positions"),
            "consistent" => {
                format!("{slice}: consistent, not proved: {positions} positions, and no DTW table")
            }
            verdict => format!("{slice}: {verdict}, findings: {findings}"),
        };
        text.push_str(&format!(" ({:.1} s)\n", self.seconds));
        for message in &self.messages {
            text.push_str(&format!("  {message}\n"));
        }
        text
    }
}
