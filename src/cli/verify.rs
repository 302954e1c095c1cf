use std::time::Instant;

use serde::Serialize;
use taflbase::Tablebase;
use taflbase::slice::Slice;
use taflbase::table::Metric;
use taflbase::tablebase::ProbeError;
use taflbase::verify::{Sample, Verdict, VerifyError, memory_bytes, verify_sample, verify_slice};

use super::arguments::{ExistingSlices, MAX, Threads, parse_bytes, parse_number};
use super::error::CliError;
use super::machine::available_bytes;
use super::output::{Session, count_of, grouped, size};
use super::progress::Reporter;

/// Recompute all values by forward moves and compare them with the tables
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    #[command(flatten)]
    existing: ExistingSlices,
    /// Check this percentage of each slice's blocks, which works for slices of any size. A block
    /// has all stored positions with one set of attackers
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    sample: Option<f64>,
    /// Use this random seed for the sample
    #[arg(long, value_name = "N", default_value_t = 0, requires = "sample")]
    #[arg(value_parser = parse_number::<u64, 0, MAX>)]
    seed: u64,
    /// Use at most this much memory for values, like 16GiB [default: free memory]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    memory: Option<u64>,
    #[command(flatten)]
    threads: Threads,
}

const HELP: &str = r#"Verification proves a slice with a DTW table, by induction on the distance, provided
that the slices its captures lead to are correct; without --slice these are verified,
too. A slice with only a WDL table can be found consistent, which is not a proof. The
status is 1 if a value is wrong or a file is damaged.

--sample checks at least one block of each slice against the values stored for the
positions that its moves lead to. The same seed selects the same blocks. A sample is not
a proof: it trusts the other blocks, and does not check the counts of the table or the
hash of its values.

Stored positions are those with slots in the tables: one of each class of mirror images,
or a few more if the attackers are their own mirror image. Both sides to move count.

Examples:
  taflbase verify brandubh
  taflbase verify brandubh --slice K2v3 --threads 8
  taflbase verify brandubh --slice K3v4 --sample 0.5 --seed 7 --memory 4GiB

JSON, one line per slice; "positions" counts stored positions, the verdict is "proved",
"consistent", "sampled", "wrong" or "damaged", and "messages" has the first few findings:
  {"rules":"brandubh","slice":"K2v3","verdict":"proved","positions":9876543,"findings":0,"messages":[],"seconds":4.2}
  {"rules":"brandubh","slice":"K3v4","verdict":"sampled","percent":0.5,"seed":7,"blocks":85,"positions":67218240,"findings":0,"messages":[],"seconds":9.8}"#;

#[derive(Serialize)]
struct SliceResult<'a> {
    rules: &'a str,
    slice: String,
    verdict: &'static str,
    #[serde(flatten)]
    sample: Option<Sampled>,
    /// The number of stored positions that were compared and are correct.
    positions: u64,
    findings: u64,
    messages: Vec<String>,
    seconds: f64,
}

/// The requested sample, and the number of its blocks if all are correct.
#[derive(Clone, Copy, Serialize)]
struct Sampled {
    percent: f64,
    seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<u64>,
}

/// Verifies slice by slice.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let base = session.open(&args.existing.rules)?;
    let slices = args.existing.slices(&base, session)?;
    let reporter = Reporter::new(slices.iter().map(|&slice| work(&base, slice)));
    let memory_bytes = args.memory.or_else(available_bytes).unwrap_or(u64::MAX);
    let sample = args.sample.map(|percent| Sample { percent, seed: args.seed, memory_bytes });
    let mut wrong = 0;
    for &slice in &slices {
        let begun = Instant::now();
        let verdict = match &sample {
            Some(sample) => args.threads.run(|| verify_sample(&base, slice, sample, &reporter))?,
            None => {
                // A missing table is reported before a lack of memory.
                if base.best_table(slice).is_ok() {
                    check_memory(memory_bytes, &base, slice)?;
                }
                args.threads.run(|| verify_slice(&base, slice, &reporter))?
            }
        };
        let result = slice_result(&base, slice, verdict, sample, begun)
            .map_err(|error| verify_error(&base, args, session, error))?;
        wrong += usize::from(result.findings > 0);
        reporter.aside(|| {
            if session.json() { session.json_line(&result) } else { session.text(&result.text()) }
        })?;
    }
    reporter.clear();
    match wrong {
        0 => Ok(()),
        wrong => {
            let what = ["is wrong", "are wrong"];
            Err(CliError::Negative(count_of(wrong, slices.len(), "slice", what)))
        }
    }
}

/// Parses a percentage.
fn parse_percent(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(percent) if (1e-6..=100.0).contains(&percent) => Ok(percent),
        _ => Err("write a number from 0.000001 to 100".to_owned()),
    }
}

/// Fails if the values of a slice do not fit into memory.
fn check_memory(available: u64, base: &Tablebase, slice: Slice) -> Result<(), CliError> {
    match memory_bytes(base.rules(), slice) {
        Some(bytes) if bytes <= available => Ok(()),
        Some(bytes) => Err(CliError::Error(format!(
            "{slice} is too large to verify in memory: its values take {} of {}: raise --memory, \
             or check a part with --sample 1",
            size(bytes),
            size(available)
        ))),
        bytes => Err(CliError::new(VerifyError::TooLarge { slice, bytes })),
    }
}

/// Returns the slice with its slots and rows, for the progress.
fn work(base: &Tablebase, slice: Slice) -> (Slice, u64, u64) {
    let tables = Metric::ALL.into_iter().filter_map(|metric| base.table(slice, metric).ok());
    let grids = tables.map(|table| table.header().grid);
    let mut sizes = grids.map(|grid| (2 * grid.lanes() as u64 * grid.rows(), grid.rows()));
    let (slots, rows) = sizes.next_back().unwrap_or((0, 0));
    (slice, slots, rows)
}

/// Converts a verdict. A damaged file is a finding.
fn slice_result<'a>(
    base: &'a Tablebase,
    slice: Slice,
    verdict: Result<Verdict, VerifyError>,
    sample: Option<Sample>,
    begun: Instant,
) -> Result<SliceResult<'a>, VerifyError> {
    let blocks = match verdict {
        Ok(Verdict::Sampled { blocks, .. }) => Some(blocks),
        _ => None,
    };
    let (verdict, positions, findings, messages) = match verdict {
        Ok(Verdict::Proved { positions }) => ("proved", positions, 0, Vec::new()),
        Ok(Verdict::Consistent { positions }) => ("consistent", positions, 0, Vec::new()),
        Ok(Verdict::Sampled { positions, metric, .. }) => {
            let verdict = if metric == Metric::Dtw { "sampled" } else { "consistent" };
            (verdict, positions, 0, Vec::new())
        }
        Ok(Verdict::Wrong { findings, first }) => {
            let messages = first.iter().map(|finding| finding.display(base.rules()).to_string());
            ("wrong", 0, findings, messages.collect())
        }
        Err(VerifyError::Table(ProbeError::Corrupted(error))) => {
            ("damaged", 0, 1, vec![error.to_string()])
        }
        Err(error) => return Err(error),
    };
    Ok(SliceResult {
        rules: &base.rules().name,
        slice: slice.to_string(),
        verdict,
        sample: sample.map(|Sample { percent, seed, .. }| Sampled { percent, seed, blocks }),
        positions,
        findings,
        messages,
        seconds: begun.elapsed().as_secs_f64(),
    })
}

fn verify_error(base: &Tablebase, args: &Args, session: &Session, error: VerifyError) -> CliError {
    match error {
        VerifyError::Table(error) => session.probe_error(base, &args.existing.rules, error),
        error => CliError::new(error),
    }
}

impl SliceResult<'_> {
    fn text(&self) -> String {
        let SliceResult { slice, findings, .. } = self;
        let sampled = self.sample.and_then(|Sampled { percent, seed, blocks }| {
            let count = match blocks? {
                1 => "1 block".to_owned(),
                more => format!("{} blocks", grouped(more)),
            };
            Some(format!("{count} (a sample of {percent} %, seed {seed}), "))
        });
        let positions = sampled.unwrap_or_default() + &grouped(self.positions);
        let mut text = match self.verdict {
            "sampled" => format!("{slice}: consistent in {positions} stored positions"),
            "proved" => format!("{slice}: proved, {positions} stored positions"),
            "consistent" => {
                let found = format!("{slice}: consistent, not proved");
                format!("{found}: {positions} stored positions, no DTW table")
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
