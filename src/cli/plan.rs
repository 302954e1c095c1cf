use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use taflbase::Tablebase;
use taflbase::build::{RankPlan, SlicePlan, available_disk, plan, plan_among};
use taflbase::rules::Ruleset;
use taflbase::slice::Slice;

use super::arguments::{RequestedSlices, in_pool, parse_bytes, parse_number};
use super::build::nothing_to_build;
use super::calibration::{Calibration, CalibrationLimit, file_bytes};
use super::error::CliError;
use super::machine::{self, available_bytes};
use super::output::{Session, columns, grouped, size, time};

/// Estimate the time, memory and disk of a build, and list existing slices
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    #[command(flatten)]
    requested: RequestedSlices,
    /// Plan a build by N MPI processes [default: 1]
    #[arg(long, value_name = "N", value_parser = parse_number::<u64, 1, { 1 << 20 }>)]
    ranks: Option<u64>,
    /// Use at most this much memory per process, like 240GiB [default: free memory here]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    memory: Option<u64>,
    /// Use N threads per process; 0: one per core here [default: 0]
    #[arg(long, value_name = "N", value_parser = parse_number::<u64, 0, { 1 << 16 }>)]
    threads: Option<u64>,
    #[command(flatten)]
    limit: CalibrationLimit,
}

const HELP: &str = r#"Lists the slices that `taflbase build` would build or reuse, with their dependencies.
Memory, scratch, disk and time are estimates; totals are mostly within 25 %. The times
of slices far larger than any that were built are extrapolated, and may be off by several
times. Memory is that of a build with all tables in memory. Scratch, the work in progress,
is written uncompressed if memory and disk here suffice, else compressed. The last line
also gives the minimum of both: with tables in partitions, and compressed. Time is that of
one core of this machine, measured by building the smallest slices in a temporary folder,
which takes some ten seconds; --calibration limits these. Slices too large for this
version are listed, but not included in the totals.

--ranks, --memory and --threads plan a build with these resources: memory is per process,
scratch (with --ranks regardless of the disk here) and core time are totals, "by" is the
number of processes that build a slice together, "partitions" the number of parts into
which its tables are divided (-: all in memory), and "exchange" the approximate traffic
between the processes (see docs/cluster.md). Partitions take up to twice the time; their
scratch is given compressed, and takes some three times as much where a single process
finds room for it on the disk and in the system's cache.

"wall" is the time of a slice if its core time is divided evenly among all threads of
its processes. A build that is stopped repeats at most the ply in progress, or the
writing of a slice's files: a time limit must leave room for both. "ply" and "write" are
upper estimates of the longest ply and of the writing, from the slices measured so far.

Examples:
  taflbase plan brandubh --men 6
  taflbase plan brandubh --slice K3v5 --memory 13GiB
  taflbase plan brandubh --men 13 --ranks 200 --memory 240GiB
  taflbase plan ashton --slice K2v3 --json
  taflbase plan examples/rulesets/5x5-corners-8v4.toml --start

JSON, one line per slice; the state is "there", "to build", "too large" or, with
--memory, "does not fit"; unknown values are null. "slots" counts both sides to move;
"disk_bytes" is the size of both files, "scratch_bytes" that of the work in progress:
  {"rules":"brandubh","slice":"K1v2","defenders":1,"attackers":2,"state":"to build","present":false,"rows":5712,"slots":514080,"memory_bytes":33244208,"least_memory_bytes":33244208,"scratch_bytes":670208,"least_scratch_bytes":83776,"disk_bytes":7542,"core_seconds":0.025}
With --ranks, --memory or --threads the line of a slice to build also has "by", "shares"
(the partitions; 0: all in memory; null: does not fit), "exchanged_bytes", and
"wall_seconds", "longest_ply_seconds" and "writing_seconds" (null: does not fit)."#;

/// The CPU time of a build in partitions relative to one in memory: if each process has a
/// partition in memory, and if partitions wait packed (measured on K2v4, K3v3 and K1v5 of
/// brandubh; see docs/cluster.md and docs/results.md).
const PARTITIONED_FACTOR: f64 = 1.4;
const PACKED_FACTOR: f64 = 1.6;

/// The longest ply and the writing of the files, relative to the time of a slice: upper bounds for
/// the slices measured in docs/cluster.md and docs/results.md.
const PLY_PART: f64 = 0.1;
const WRITING_PART: f64 = 0.4;

const TOO_LITTLE_MEMORY: &str = "too large for this amount of memory";

/// What building a slice takes.
#[derive(Serialize)]
pub(super) struct SliceEstimate<'a> {
    rules: &'a str,
    slice: String,
    defenders: usize,
    attackers: usize,
    state: &'static str,
    present: bool,
    rows: Option<u64>,
    slots: Option<u64>,
    memory_bytes: Option<u64>,
    least_memory_bytes: Option<u64>,
    scratch_bytes: Option<u64>,
    least_scratch_bytes: Option<u64>,
    disk_bytes: Option<u64>,
    core_seconds: Option<f64>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    among: Option<RankEstimate>,
}

/// The processes that are to build, and what each of them may use.
#[derive(Clone, Copy, Default)]
pub(super) struct Processes<'a> {
    /// Their number; `None` for one, on this machine.
    pub ranks: Option<usize>,
    /// `None` for the free memory.
    pub memory_bytes: Option<u64>,
    /// 0 or `None` for one for each core.
    pub threads: Option<usize>,
    /// The folder for work in progress; `None` for that of the tables.
    pub scratch: Option<&'a Path>,
}

/// The resources available for a build.
struct Available {
    memory_bytes: u64,
    disk_bytes: u64,
}

/// The part of an estimate that depends on the processes and their memory.
#[derive(Clone, Copy, Serialize)]
struct RankEstimate {
    by: usize,
    shares: Option<u64>,
    exchanged_bytes: u64,
    wall_seconds: Option<f64>,
    longest_ply_seconds: Option<f64>,
    writing_seconds: Option<f64>,
    /// All processes of the build.
    #[serde(skip)]
    ranks: usize,
}

/// Prints the plan.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let base = session.open_to_build(&args.requested.rules)?;
    let slices = args.requested.slices(base.rules())?;
    let plans = in_pool(0, || plan(&base, &slices))??;
    let processes = Processes {
        ranks: args.ranks.map(|ranks| ranks as usize),
        memory_bytes: args.memory,
        threads: args.threads.map(|threads| threads as usize),
        scratch: None,
    };
    let estimates = estimate(&base, &plans, &processes, args.limit.calibration, session)?;
    if session.json() {
        return estimates.iter().try_for_each(|estimate| session.json_line(estimate));
    }
    let rows: Vec<Vec<String>> = estimates.iter().map(SliceEstimate::row).collect();
    let mut header = vec!["slice", "state", "rows", "slots", "memory", "scratch", "disk"];
    header.push("core time");
    if processes.are_given() {
        header.extend(["wall", "ply", "write", "by", "partitions", "exchange"]);
    }
    session.text(&columns(2, &header, &rows))?;
    session.text(&format!("\n{}", total(&estimates)))
}

/// Estimates what building these slices takes, after a calibration of at most this many CPU
/// seconds. Of a build by given processes, that includes how they divide the work.
pub(super) fn estimate<'a>(
    base: &'a Tablebase,
    plans: &[SlicePlan],
    processes: &Processes,
    seconds: u64,
    session: &Session,
) -> Result<Vec<SliceEstimate<'a>>, CliError> {
    let available = Available {
        memory_bytes: processes.memory_bytes.or_else(available_bytes).unwrap_or(u64::MAX),
        // Several processes build on another disk than the one here.
        disk_bytes: match processes.ranks {
            Some(_) => u64::MAX,
            None => {
                let folder = processes.scratch.unwrap_or(session.tables());
                available_disk(folder).unwrap_or(u64::MAX)
            }
        },
    };
    let ranked = match processes.are_given() {
        true => rank_plans(processes, base.rules(), plans, available.memory_bytes)?,
        false => Vec::new(),
    };
    // Calibration is only needed if there is a time to estimate.
    let is_any_built = match processes.are_given() {
        true => ranked.iter().any(|plan| plan.memory_bytes.is_some()),
        false => !to_build(plans).is_empty(),
    };
    let calibration = is_any_built.then(|| Calibration::new(base, plans, seconds)).transpose()?;
    let mut estimates: Vec<SliceEstimate> = plans
        .iter()
        .map(|plan| estimate_slice(base, plan, calibration.as_ref(), &available))
        .collect();
    for plan in &ranked {
        let name = plan.slice.to_string();
        let own = estimates.iter_mut().filter(|estimate| estimate.slice == name);
        own.for_each(|estimate| estimate.set_rank_plan(plan, processes, &available));
    }
    Ok(estimates)
}

impl Processes<'_> {
    /// Returns whether any of their resources is given.
    fn are_given(&self) -> bool {
        self.ranks.is_some() || self.memory_bytes.is_some() || self.threads.is_some()
    }

    fn ranks(&self) -> usize {
        self.ranks.unwrap_or(1)
    }

    fn threads_of_each(&self) -> usize {
        machine::threads(self.threads.unwrap_or(0)).get()
    }
}

/// Returns the slices to build, without those too large for this version.
fn to_build(plans: &[SlicePlan]) -> Vec<Slice> {
    let missing = plans.iter().filter(|plan| !plan.present && plan.size.is_some());
    missing.map(|plan| plan.slice).collect()
}

/// Plans how the processes would build the slices.
fn rank_plans(
    processes: &Processes,
    rules: &Ruleset,
    plans: &[SlicePlan],
    memory_bytes: u64,
) -> Result<Vec<RankPlan>, CliError> {
    let (ranks, threads) = (processes.ranks(), processes.threads_of_each());
    Ok(plan_among(rules, &to_build(plans), ranks, threads, memory_bytes)?)
}

/// Returns a note of the slices that the processes cannot build with this memory for each; empty if
/// there are none.
pub(super) fn unfit(
    base: &Tablebase,
    plans: &[SlicePlan],
    processes: &Processes,
    memory_bytes: u64,
) -> Result<String, CliError> {
    let ranked = rank_plans(processes, base.rules(), plans, memory_bytes)?;
    let slices = ranked.iter().filter(|plan| plan.memory_bytes.is_none()).count();
    Ok(excluded(slices, plans.len(), TOO_LITTLE_MEMORY))
}

/// Returns the approximate CPU time relative to a build in memory.
fn time_factor(plan: &RankPlan) -> f64 {
    match plan.partitions {
        0 => 1.0,
        _ if plan.is_packed() => PACKED_FACTOR,
        _ => PARTITIONED_FACTOR,
    }
}

fn estimate_slice<'a>(
    base: &'a Tablebase,
    plan: &SlicePlan,
    calibration: Option<&Calibration>,
    available: &Available,
) -> SliceEstimate<'a> {
    let SlicePlan { slice, metrics, present, size } = *plan;
    let estimate = calibration.filter(|_| !present).zip(size);
    let disk_bytes = match estimate {
        Some((known, size)) => Some(known.file_bytes(slice, size.slots as f64, metrics) as u64),
        None => file_bytes(base, slice, metrics),
    };
    SliceEstimate {
        rules: &base.rules().name,
        slice: slice.to_string(),
        defenders: slice.defenders,
        attackers: slice.attackers,
        state: match (present, size) {
            (true, _) => "there",
            (false, Some(_)) => "to build",
            (false, None) => "too large",
        },
        present,
        rows: size.map(|size| size.rows),
        slots: size.map(|size| size.slots),
        memory_bytes: size.map(|size| size.memory_bytes),
        least_memory_bytes: size.map(|size| size.least_memory_bytes),
        scratch_bytes: size
            .map(|size| size.scratch_bytes(available.memory_bytes, available.disk_bytes)),
        least_scratch_bytes: size.map(|size| size.least_scratch_bytes),
        disk_bytes,
        core_seconds: estimate.map(|(known, size)| known.core_seconds(slice, size.slots as f64)),
        among: None,
    }
}

impl SliceEstimate<'_> {
    /// Replaces the resources by those of a build by the processes.
    fn set_rank_plan(&mut self, plan: &RankPlan, processes: &Processes, available: &Available) {
        self.memory_bytes = plan.memory_bytes;
        self.least_memory_bytes = Some(plan.least_memory_bytes);
        if plan.memory_bytes.is_some() {
            self.scratch_bytes = Some(plan.scratch_bytes(available.disk_bytes));
            self.least_scratch_bytes = Some(plan.least_scratch_bytes);
            self.core_seconds = self.core_seconds.map(|seconds| seconds * time_factor(plan));
        } else {
            self.state = "does not fit";
            (self.disk_bytes, self.core_seconds) = (None, None);
        }
        let &RankPlan { ranks: by, exchanged_bytes, .. } = plan;
        let threads = (by * processes.threads_of_each()) as f64;
        let wall_seconds = self.core_seconds.map(|seconds| seconds / threads);
        self.among = Some(RankEstimate {
            by,
            shares: plan.memory_bytes.map(|_| plan.partitions as u64),
            exchanged_bytes,
            wall_seconds,
            longest_ply_seconds: wall_seconds.map(|seconds| seconds * PLY_PART),
            writing_seconds: wall_seconds.map(|seconds| seconds * WRITING_PART),
            ranks: processes.ranks(),
        });
    }

    fn men(&self) -> usize {
        1 + self.defenders + self.attackers
    }

    fn row(&self) -> Vec<String> {
        let mut row = vec![
            self.slice.clone(),
            self.state.to_owned(),
            cell(self.rows, grouped),
            cell(self.slots, grouped),
            cell(self.memory_bytes, size),
            cell(self.scratch_bytes, size),
            cell(self.disk_bytes, size),
            seconds_cell(self.core_seconds),
        ];
        if let Some(among) = self.among {
            let RankEstimate { by, shares, exchanged_bytes, .. } = among;
            row.push(seconds_cell(among.wall_seconds));
            row.push(seconds_cell(among.longest_ply_seconds));
            row.push(seconds_cell(among.writing_seconds));
            let partitions = cell(shares.filter(|&shares| shares > 0), grouped);
            row.extend([by.to_string(), partitions, size(exchanged_bytes)]);
        }
        row
    }
}

fn cell(number: Option<u64>, format: fn(u64) -> String) -> String {
    number.map_or("-".to_owned(), format)
}

fn seconds_cell(seconds: Option<f64>) -> String {
    seconds.map_or("-".to_owned(), |seconds| time(duration(seconds)))
}

/// Converts seconds that may exceed the range of a duration.
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// Formats what the whole build takes.
pub(super) fn total(estimates: &[SliceEstimate]) -> String {
    let to_build: Vec<&SliceEstimate> =
        estimates.iter().filter(|estimate| estimate.state == "to build").collect();
    let state = |state: &str| estimates.iter().filter(|estimate| estimate.state == state).count();
    let excluded = excluded(state("too large"), estimates.len(), "too large for this version")
        + &excluded(state("does not fit"), estimates.len(), TOO_LITTLE_MEMORY);
    if to_build.is_empty() {
        return if excluded.is_empty() { nothing_to_build(estimates.len()) } else { excluded };
    }
    format!(
        "to build: {} of {} slices, with about {}, {}, {} of disk, and {} of one core\n{excluded}",
        to_build.len(),
        estimates.len(),
        amount(&to_build, "memory", |e| e.memory_bytes, |e| e.least_memory_bytes),
        amount(&to_build, "scratch", |e| e.scratch_bytes, |e| e.least_scratch_bytes),
        bytes_to_write(estimates).map_or("more than 16 EiB".to_owned(), size),
        time(duration(to_build.iter().filter_map(|estimate| estimate.core_seconds).sum())),
    ) + &wall_clock(&to_build).unwrap_or_default()
}

/// Formats the wall-clock time of a build by given processes, and what an interruption may repeat.
fn wall_clock(to_build: &[&SliceEstimate]) -> Option<String> {
    let among = || to_build.iter().filter_map(|estimate| estimate.among);
    let longest = |of: fn(RankEstimate) -> Option<f64>| {
        among().filter_map(of).reduce(f64::max).map(|seconds| time(duration(seconds)))
    };
    Some(format!(
        "wall-clock: about {}; an interruption repeats at most {} (a ply) or {} (writing)\n",
        time(duration(wall_seconds(to_build))),
        longest(|among| among.longest_ply_seconds)?,
        longest(|among| among.writing_seconds)?,
    ))
}

/// Estimates the wall-clock time of a build by given processes. Of each number of men, they first
/// build the slices of one process each, side by side, then the others, all together.
fn wall_seconds(to_build: &[&SliceEstimate]) -> f64 {
    let groups = to_build.chunk_by(|one, next| one.men() == next.men());
    let wall = groups.map(|slices| {
        let (mut together, mut alone, mut longest_alone) = (0.0, 0.0, 0.0_f64);
        for among in slices.iter().filter_map(|estimate| estimate.among) {
            let seconds = among.wall_seconds.unwrap_or(0.0);
            if among.by == among.ranks {
                together += seconds;
            } else {
                alone += seconds / among.ranks as f64;
                longest_alone = longest_alone.max(seconds);
            }
        }
        together + alone.max(longest_alone)
    });
    wall.sum()
}

/// Returns the size of the tables to build; `None` if it exceeds 64 bits.
pub(super) fn bytes_to_write(estimates: &[SliceEstimate]) -> Option<u64> {
    let to_build = estimates.iter().filter(|estimate| estimate.state == "to build");
    to_build.filter_map(|estimate| estimate.disk_bytes).try_fold(0, u64::checked_add)
}

/// Formats the number of slices that are not part of the totals, if any.
fn excluded(slices: usize, all: usize, reason: &str) -> String {
    match slices {
        0 => String::new(),
        slices => format!("{reason}: {slices} of {all} slices\n"),
    }
}

/// Formats the largest amount of a resource, and the least with which a build is possible.
fn amount(
    to_build: &[&SliceEstimate],
    resource: &str,
    usual: fn(&SliceEstimate) -> Option<u64>,
    least: fn(&SliceEstimate) -> Option<u64>,
) -> String {
    let [most, minimum] = [usual, least]
        .map(|of| size(to_build.iter().filter_map(|estimate| of(estimate)).max().unwrap_or(0)));
    let addition = if most == minimum { String::new() } else { format!(" (at least {minimum})") };
    format!("{most} of {resource}{addition}")
}
