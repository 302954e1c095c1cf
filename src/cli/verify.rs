use std::cmp::Reverse;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use taflbase::Tablebase;
use taflbase::build::{Communicator, CommunicatorError};
use taflbase::progress::Progress;
use taflbase::slice::Slice;
use taflbase::table::{Access, Metric, TableError};
use taflbase::tablebase::ProbeError;
use taflbase::verify::{Sample, Verdict, VerifyError, memory_bytes, verify_sample, verify_slice};

use super::arguments::{ExistingSlices, MAX, Threads, parse_bytes, parse_number};
use super::error::CliError;
use super::output::{Session, check_none, grouped, size};
use super::progress::Reporter;
use super::ranks;

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

Under MPI, each process verifies some of the slices or, with --sample, some of the
blocks of each slice; --threads and --memory apply to each process (default: all cores
that it may use, and its equal part of the free memory), and the first one prints the
results of all. So --sample 100 compares all values of slices of any size.

Stored positions are those with slots in the tables: one of each class of mirror images,
or a few more if the attackers are their own mirror image. Both sides to move count.

Examples:
  taflbase verify brandubh
  taflbase verify brandubh --slice K2v3 --threads 8
  taflbase verify brandubh --slice K3v4 --sample 0.5 --seed 7 --memory 4GiB
  mpirun -n 8 taflbase verify brandubh --slice K4v4 --sample 100

JSON, one line per slice; "positions" counts stored positions, the verdict is "proved",
"consistent", "sampled", "wrong", "damaged" or, if another slice that it depends on is
damaged, "not verified", and "messages" has the first few findings:
  {"rules":"brandubh","slice":"K2v3","verdict":"proved","positions":9876543,"findings":0,"messages":[],"seconds":4.2}
  {"rules":"brandubh","slice":"K3v4","verdict":"sampled","percent":0.5,"seed":7,"blocks":85,"positions":67218240,"findings":0,"messages":[],"seconds":9.8}"#;

/// The maximum number of findings that are listed.
const MAX_MESSAGES: usize = 10;

/// The verdict on a slice that depends on a damaged one.
const NOT_VERIFIED: &str = "not verified";

/// The result for a slice, or for one rank's part of it.
#[derive(Serialize, Deserialize)]
struct SliceResult {
    rules: String,
    slice: String,
    verdict: String,
    #[serde(flatten)]
    sample: Option<Sampled>,
    /// The number of stored positions that were compared and are correct.
    positions: u64,
    findings: u64,
    messages: Vec<String>,
    seconds: f64,
}

/// The requested sample, and the number of its blocks if all are correct.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Sampled {
    percent: f64,
    seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<u64>,
}

/// Verifies slice by slice, with the other processes if there are any.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    ranks::run(|communicator| verify(args, session, communicator))
}

/// Verifies this rank's part: of a sample, some blocks of every slice, otherwise some slices. The
/// first rank prints the results of all.
fn verify(args: &Args, session: &Session, communicator: &dyn Communicator) -> Result<(), CliError> {
    // A sample's blocks are anywhere.
    let access = if args.sample.is_some() { Access::Mapped } else { Access::Scanned };
    let base = session.open(&args.existing.rules, access)?;
    let slices = args.existing.slices(&base, session)?;
    let free = ranks::available_bytes(communicator).map_err(stopped)?;
    let memory_bytes = args.memory.or(free).unwrap_or(u64::MAX);
    let (part, parts) = (communicator.rank(), communicator.size());
    let sample =
        args.sample.map(|percent| Sample { percent, seed: args.seed, memory_bytes, part, parts });
    let own = if sample.is_some() { slices } else { own_slices(&base, slices, communicator) };
    let reporter = Reporter::new(own.iter().map(|&slice| work(&base, slice)));
    let progress: &dyn Progress = if part == 0 { &reporter } else { &() };
    let mut results = Vec::new();
    let (mut completed, mut printed) = (Ok(()), Ok(()));
    for slice in own {
        let begun = Instant::now();
        let verdict = verdict(args, &base, slice, sample.as_ref(), memory_bytes, progress);
        let result = verdict.and_then(|verdict| {
            slice_result(&base, slice, verdict, sample, begun)
                .map_err(|error| verify_error(&base, args, session, error))
        });
        match result {
            Ok(result) => {
                if parts == 1 && printed.is_ok() {
                    printed = reporter.aside(|| result.print(session));
                }
                results.push(result);
            }
            // The other slices may have faults.
            Err(error) => completed = completed.and(Err(error)),
        }
    }
    reporter.clear();
    // Other ranks must not take incomplete results of this one for all.
    completed?;
    if parts > 1 {
        results = gather(results, communicator)?;
        printed = results.iter().try_for_each(|result| result.print(session));
    }
    // What is wrong with the tables matters more than a failure to print it.
    conclude(&results)?;
    printed
}

/// Fails if a slice is wrong or could not be verified.
fn conclude(results: &[SliceResult]) -> Result<(), CliError> {
    let wrong = results.iter().filter(|result| result.findings > 0).count();
    let unverified = results.iter().filter(|result| result.verdict == NOT_VERIFIED).count();
    let faults =
        [(wrong, ["is wrong", "are wrong"]), (unverified, ["is not verified", "are not verified"])];
    check_none(&faults, results.len(), "slice")
}

/// Verifies a slice, or a sample of it.
fn verdict(
    args: &Args,
    base: &Tablebase,
    slice: Slice,
    sample: Option<&Sample>,
    memory_bytes: u64,
    progress: &dyn Progress,
) -> Result<Result<Verdict, VerifyError>, CliError> {
    match sample {
        Some(sample) => args.threads.run(|| verify_sample(base, slice, sample, progress)),
        None => {
            check_memory(memory_bytes, base, slice)?;
            args.threads.run(|| verify_slice(base, slice, progress))
        }
    }
}

/// Returns the slices that this rank verifies, smallest first: the largest are dealt first, each
/// to the rank that has the least work so far.
fn own_slices(
    base: &Tablebase,
    mut slices: Vec<Slice>,
    communicator: &dyn Communicator,
) -> Vec<Slice> {
    let slots = |slice: Slice| work(base, slice).1;
    slices.sort_by_key(|&slice| Reverse((slots(slice), slice)));
    let mut loads = vec![0; communicator.size()];
    slices.retain(|&slice| {
        let rank = (0..loads.len()).min_by_key(|&rank| loads[rank]).unwrap_or(0);
        loads[rank] += slots(slice);
        rank == communicator.rank()
    });
    slices.sort();
    slices
}

/// Returns the results of all ranks on the first one, in the order of the slices.
fn gather(
    mut results: Vec<SliceResult>,
    communicator: &dyn Communicator,
) -> Result<Vec<SliceResult>, CliError> {
    let own = serde_json::to_vec(&results).map_err(CliError::new)?;
    let of_all = communicator.gather(&own).map_err(stopped)?;
    if communicator.rank() > 0 {
        return Ok(Vec::new());
    }
    for of_rank in &of_all[1..] {
        let others: Vec<SliceResult> = serde_json::from_slice(of_rank).map_err(CliError::new)?;
        for other in others {
            match results.iter_mut().find(|result| result.slice == other.slice) {
                Some(result) => result.add(other),
                None => results.push(other),
            }
        }
    }
    results.sort_by_key(|result| result.slice.parse::<Slice>().ok());
    Ok(results)
}

/// Describes why the processes cannot go on.
fn stopped(_: CommunicatorError) -> CliError {
    CliError::new("another process of this verification has stopped")
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
    match memory_bytes(base, slice) {
        Ok(bytes) if bytes <= available => Ok(()),
        Ok(bytes) => Err(CliError::Error(format!(
            "{slice} is too large to verify in memory: its values take {} of {}: raise --memory, \
             or check a part with --sample 1",
            size(bytes),
            size(available)
        ))),
        // The verification reports it.
        Err(VerifyError::Table(_)) => Ok(()),
        Err(error) => Err(CliError::new(error)),
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

/// Returns the slice of the file that an error is about.
fn slice_of(error: &TableError) -> Option<Slice> {
    error.path.as_ref()?.file_stem()?.to_str()?.parse().ok()
}

/// Converts a verdict. A damaged file is a finding, if it is the slice's own.
fn slice_result(
    base: &Tablebase,
    slice: Slice,
    verdict: Result<Verdict, VerifyError>,
    sample: Option<Sample>,
    begun: Instant,
) -> Result<SliceResult, VerifyError> {
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
        Err(VerifyError::Table(ProbeError::Corrupted(error))) => match slice_of(&error) {
            Some(damaged) if damaged != slice => {
                (NOT_VERIFIED, 0, 0, vec![format!("needs {damaged}: {error}")])
            }
            _ => ("damaged", 0, 1, vec![error.to_string()]),
        },
        Err(error) => return Err(error),
    };
    Ok(SliceResult {
        rules: base.rules().name.clone(),
        slice: slice.to_string(),
        verdict: verdict.to_owned(),
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
        VerifyError::BlockTooLarge { .. } => CliError::Error(format!("{error}: raise --memory")),
        error => CliError::new(error),
    }
}

impl SliceResult {
    fn print(&self, session: &Session) -> Result<(), CliError> {
        if session.json() { session.json_line(self) } else { session.text(&self.text()) }
    }

    /// Adds another rank's part of the sample of this slice.
    fn add(&mut self, other: SliceResult) {
        // From what is without findings to the worst.
        let severity = |result: &SliceResult| match result.verdict.as_str() {
            "damaged" => 3,
            "wrong" => 2,
            NOT_VERIFIED => 1,
            _ => 0,
        };
        // All ranks may find the same damage.
        self.findings += match (severity(self), severity(&other)) {
            (3, 3) => 0,
            _ => other.findings,
        };
        if severity(&other) > severity(self) {
            self.verdict = other.verdict;
        }
        let others = other.sample.and_then(|sample| sample.blocks);
        if let Some(sample) = &mut self.sample {
            sample.blocks = sample.blocks.zip(others).map(|(own, others)| own + others);
        }
        self.positions = if severity(self) > 0 { 0 } else { self.positions + other.positions };
        for message in other.messages {
            if self.messages.len() < MAX_MESSAGES && !self.messages.contains(&message) {
                self.messages.push(message);
            }
        }
        self.seconds = self.seconds.max(other.seconds);
    }

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
        let mut text = match self.verdict.as_str() {
            "sampled" => format!("{slice}: consistent in {positions} stored positions"),
            "proved" => format!("{slice}: proved, {positions} stored positions"),
            "consistent" => {
                let found = format!("{slice}: consistent, not proved");
                format!("{found}: {positions} stored positions, no DTW table")
            }
            NOT_VERIFIED => format!("{slice}: {NOT_VERIFIED}"),
            verdict => format!("{slice}: {verdict}, findings: {findings}"),
        };
        text.push_str(&format!(" ({:.1} s)\n", self.seconds));
        for message in &self.messages {
            text.push_str(&format!("  {message}\n"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use taflbase::build::thread_ranks;
    use taflbase::rules::Ruleset;

    use super::super::arguments::slices_with_tables;
    use super::*;

    fn result(slice: &str, verdict: &str, positions: u64, messages: &[&str]) -> SliceResult {
        SliceResult {
            rules: "brandubh".to_owned(),
            slice: slice.to_owned(),
            verdict: verdict.to_owned(),
            sample: Some(Sampled { percent: 0.1, seed: u64::MAX, blocks: Some(5) }),
            positions,
            findings: messages.len() as u64,
            messages: messages.iter().map(|&message| message.to_owned()).collect(),
            seconds: 1.0,
        }
    }

    /// Returns the JSON of the results gathered by the first rank.
    fn gathered(of_ranks: Vec<Vec<SliceResult>>) -> Vec<serde_json::Value> {
        let ranks = thread_ranks(of_ranks.len()).into_iter().zip(of_ranks);
        thread::scope(|scope| {
            let threads: Vec<_> = ranks
                .map(|(rank, results)| scope.spawn(move || gather(results, &rank).ok().unwrap()))
                .collect();
            let mut of_ranks = threads.into_iter().map(|thread| thread.join().unwrap());
            let first = of_ranks.next().unwrap();
            assert!(of_ranks.all(|results| results.is_empty()));
            first.iter().map(|result| serde_json::to_value(result).unwrap()).collect()
        })
    }

    #[test]
    fn the_first_rank_has_the_results_of_all() {
        let of = |slice| result(slice, "proved", 10, &[]);
        let all = gathered(vec![vec![of("K1v2")], vec![], vec![of("K0v2"), of("K0v10")]]);
        let slices: Vec<_> = all.iter().map(|result| result["slice"].as_str().unwrap()).collect();
        assert_eq!(slices, ["K0v2", "K1v2", "K0v10"]);
    }

    #[test]
    fn parts_of_a_sample_are_added() {
        let of = |positions| vec![result("K1v2", "sampled", positions, &[])];
        let all = gathered(vec![of(10), of(20), of(3)]);
        assert_eq!(all.len(), 1);
        assert_eq!((&all[0]["positions"], &all[0]["blocks"]), (&33.into(), &15.into()));
        assert_eq!((&all[0]["percent"], &all[0]["seed"]), (&0.1.into(), &u64::MAX.into()));
        assert_eq!((&all[0]["verdict"], &all[0]["findings"]), (&"sampled".into(), &0.into()));
    }

    #[test]
    fn a_fault_that_one_rank_finds_is_the_result() {
        let sound = || vec![result("K1v2", "sampled", 10, &[])];
        let wrong = || vec![result("K1v2", "wrong", 0, &["one", "two"])];
        for ranks in [vec![sound(), wrong(), sound()], vec![wrong(), sound()]] {
            let all = gathered(ranks);
            assert_eq!((&all[0]["verdict"], &all[0]["findings"]), (&"wrong".into(), &2.into()));
            assert_eq!(all[0]["positions"], 0);
            assert_eq!(all[0]["messages"], serde_json::json!(["one", "two"]));
        }
        let damaged = || vec![result("K1v2", "damaged", 0, &["checksum"])];
        let all = gathered(vec![damaged(), wrong(), damaged()]);
        assert_eq!((&all[0]["verdict"], &all[0]["findings"]), (&"damaged".into(), &3.into()));
        assert_eq!(all[0]["messages"], serde_json::json!(["checksum", "one", "two"]));
    }

    #[test]
    fn slices_are_dealt_to_all_ranks() {
        let rules = Ruleset::load("brandubh").unwrap();
        // With the tables that are part of the program.
        let base = Tablebase::new(rules);
        let slices = slices_with_tables(&base);
        for count in [1, 2, 3, 40] {
            let of_rank = |rank| own_slices(&base, slices.clone(), &rank);
            let each: Vec<Vec<Slice>> = thread_ranks(count).into_iter().map(of_rank).collect();
            let mut all = each.concat();
            all.sort();
            assert_eq!(all, slices);
            let slots = |slices: &Vec<Slice>| slices.iter().map(|&s| work(&base, s).1).sum::<u64>();
            let loads = each.iter().map(slots);
            let (least, most) = (loads.clone().min().unwrap(), loads.max().unwrap());
            assert!(count > 3 || most < least + least / 4, "{least} {most}");
        }
    }
}
