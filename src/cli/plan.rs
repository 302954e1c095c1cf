use std::time::Duration;

use serde::Serialize;
use taflbase::Tablebase;
use taflbase::build::{RankPlan, SlicePlan, available_disk, plan, plan_among};
use taflbase::rules::Ruleset;
use taflbase::slice::Slice;

use super::arguments::{RequestedSlices, parse_bytes, parse_number};
use super::build::nothing_to_build;
use super::calibration::{Calibration, file_bytes};
use super::error::CliError;
use super::machine::{self, available_bytes};
use super::output::{Session, columns, grouped, size, time};

/// Tell what a build would take, and what is there already
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    #[command(flatten)]
    requested: RequestedSlices,
    /// Tell how so many processes, started by MPI, would build [default: one]
    #[arg(long, value_name = "N", value_parser = parse_number::<u64, 1, { 1 << 20 }>)]
    ranks: Option<u64>,
    /// The memory that each of them may take, like 240GiB [default: what is available here]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    memory: Option<u64>,
    /// The threads of each of them; 0: one for each core here [default: 0]
    #[arg(long, value_name = "N", value_parser = parse_number::<u64, 0, { 1 << 16 }>)]
    threads: Option<u64>,
}

const HELP: &str = r#"Lists the slices that `taflbase build` would build or keep, with all that they
need. Memory, scratch, disk and time are estimates, totals mostly within a quarter.
Memory is that of a build with all tables in memory. Scratch, the work in progress, is
written uncompressed where memory and disk here have room for that, else compressed. The
last line also tells the least of both: with tables in partitions, and compressed.
Time is that of one core of this machine: the smallest slices are built for that in
a temporary folder, which takes some ten seconds. What is too large for this
version is listed, and left out of the totals.

With --ranks, --memory or --threads it is told how a slice is built with that: memory is
that of one process, scratch (with --ranks, whatever disk is here) and time are those of all, "by" is how many of them build it
together, "partitions" into how many parts its tables are cut (-: all are in memory), and
exchange what the processes give each other, about (see docs/cluster.md). What is cut into
partitions takes up to twice the time.

Examples:
  taflbase plan brandubh --men 6
  taflbase plan brandubh --slice K3v5 --memory 13GiB
  taflbase plan brandubh --men 13 --ranks 200 --memory 240GiB
  taflbase plan ashton --slice K2v3 --json

JSON, one line for each slice; the state is "there", "to build", "too large" or, with
--memory, "does not fit", and what is unknown is null. "slots" are those of both sides
to move; the disk is that of both files, scratch that of work in progress:
  {"rules":"brandubh","slice":"K1v2","defenders":1,"attackers":2,"state":"to build","present":false,"rows":5712,"slots":514080,"memory_bytes":33244208,"least_memory_bytes":33244208,"scratch_bytes":670208,"least_scratch_bytes":83776,"disk_bytes":7542,"core_seconds":0.025}
With --ranks, --memory or --threads each line of a slice to build has also "by", "shares"
(0: all in memory; null: it does not fit) and "exchanged_bytes"."#;

/// How many times the core time of a build in memory it takes, about, if each process has a
/// partition in memory, and if partitions wait packed (K2v4, K3v3 and K1v5 of brandubh; see
/// docs/cluster.md and docs/results.md).
const SHARED_TIMES: f64 = 1.4;
const PACKED_TIMES: f64 = 1.9;

#[derive(Serialize)]
struct SliceEstimate<'a> {
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

/// What there is for a build.
struct Available {
    memory_bytes: u64,
    disk_bytes: u64,
}

/// What is different if several processes build.
#[derive(Clone, Copy, Serialize)]
struct RankEstimate {
    by: usize,
    shares: Option<u64>,
    exchanged_bytes: u64,
}

/// Plans.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let base = session.open_to_build(&args.requested.rules)?;
    let slices = args.requested.slices(base.rules())?;
    let plan = plan(&base, &slices)?;
    let available = Available {
        memory_bytes: args.memory.or_else(available_bytes).unwrap_or(u64::MAX),
        // Several processes do not build on the disk that is here.
        disk_bytes: match args.ranks {
            Some(_) => u64::MAX,
            None => available_disk(session.tables()).unwrap_or(u64::MAX),
        },
    };
    let to_build: Vec<Slice> = plan
        .iter()
        .filter(|plan| !plan.present && plan.size.is_some())
        .map(|plan| plan.slice)
        .collect();
    let with_ranks = args.ranks.is_some() || args.memory.is_some() || args.threads.is_some();
    let ranked = match with_ranks {
        true => rank_plans(args, base.rules(), &to_build, &available)?,
        false => Vec::new(),
    };
    // Where nothing fits there is no time to be foretold.
    let is_any_built = match with_ranks {
        true => ranked.iter().any(|plan| plan.memory_bytes.is_some()),
        false => !to_build.is_empty(),
    };
    let calibration = is_any_built.then(|| Calibration::new(&base, &plan)).transpose()?;
    let mut estimates: Vec<SliceEstimate> = plan
        .iter()
        .map(|plan| estimate_slice(&base, plan, calibration.as_ref(), &available))
        .collect();
    for plan in &ranked {
        let name = plan.slice.to_string();
        let own = estimates.iter_mut().filter(|estimate| estimate.slice == name);
        own.for_each(|estimate| estimate.put(plan, &available));
    }
    if session.json() {
        return estimates.iter().try_for_each(|estimate| session.json_line(estimate));
    }
    let rows: Vec<Vec<String>> = estimates.iter().map(SliceEstimate::row).collect();
    let header = ["slice", "state", "rows", "slots", "memory", "scratch", "disk", "core time"];
    let more: &[_] = if with_ranks { &["by", "partitions", "exchange"] } else { &[] };
    let header: Vec<&str> = header.iter().chain(more).copied().collect();
    session.text(&columns(2, &header, &rows))?;
    session.text(&total(&estimates))
}

/// How several processes would build these slices.
fn rank_plans(
    args: &Args,
    rules: &Ruleset,
    slices: &[Slice],
    available: &Available,
) -> Result<Vec<RankPlan>, CliError> {
    let threads = machine::threads(args.threads.unwrap_or(0) as usize).get();
    let ranks = args.ranks.unwrap_or(1) as usize;
    Ok(plan_among(rules, slices, ranks, threads, available.memory_bytes)?)
}

/// How many times the core time of a build in memory it takes, about.
fn times(plan: &RankPlan) -> f64 {
    match plan.partitions {
        0 => 1.0,
        _ if plan.is_packed() => PACKED_TIMES,
        _ => SHARED_TIMES,
    }
}

fn estimate_slice<'a>(
    base: &'a Tablebase,
    plan: &SlicePlan,
    calibration: Option<&Calibration>,
    available: &Available,
) -> SliceEstimate<'a> {
    let SlicePlan { slice, present, size } = *plan;
    let estimate = calibration.filter(|_| !present).zip(size);
    let disk_bytes = match estimate {
        Some((calibration, size)) => Some(calibration.file_bytes(slice, &size)),
        None => file_bytes(base, slice),
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
        core_seconds: estimate.map(|(known, size)| known.core_seconds(slice, &size)),
        among: None,
    }
}

impl SliceEstimate<'_> {
    /// Puts in how several processes would build the slice.
    fn put(&mut self, plan: &RankPlan, available: &Available) {
        let &RankPlan { ranks: by, exchanged_bytes, .. } = plan;
        let shares = plan.memory_bytes.map(|_| plan.partitions as u64);
        self.among = Some(RankEstimate { by, shares, exchanged_bytes });
        self.memory_bytes = plan.memory_bytes;
        self.least_memory_bytes = Some(plan.least_memory_bytes);
        if plan.memory_bytes.is_some() {
            self.scratch_bytes = Some(plan.scratch_bytes(available.disk_bytes));
            self.least_scratch_bytes = Some(plan.least_scratch_bytes);
            self.core_seconds = self.core_seconds.map(|seconds| seconds * times(plan));
        } else {
            self.state = "does not fit";
            (self.disk_bytes, self.core_seconds) = (None, None);
        }
    }

    fn row(&self) -> Vec<String> {
        let cell =
            |number: Option<u64>, show: fn(u64) -> String| number.map_or("-".to_owned(), show);
        let mut row = vec![
            self.slice.clone(),
            self.state.to_owned(),
            cell(self.rows, grouped),
            cell(self.slots, grouped),
            cell(self.memory_bytes, size),
            cell(self.scratch_bytes, size),
            cell(self.disk_bytes, size),
            self.core_seconds.map_or("-".to_owned(), |seconds| time(duration(seconds))),
        ];
        if let Some(RankEstimate { by, shares, exchanged_bytes }) = self.among {
            let shares = cell(shares.filter(|&shares| shares > 0), grouped);
            row.extend([by.to_string(), shares, size(exchanged_bytes)]);
        }
        row
    }
}

/// A time that may be longer than the machine lasts.
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

fn total(estimates: &[SliceEstimate]) -> String {
    let in_state = |state| estimates.iter().filter(move |estimate| estimate.state == state);
    let left_out = |state, why| match in_state(state).count() {
        0 => String::new(),
        slices => format!("{why}: {slices} of {} slices\n", estimates.len()),
    };
    let left_out = left_out("too large", "too large for this version")
        + &left_out("does not fit", "not to be built with so much memory");
    if in_state("to build").count() == 0 {
        let rest = if left_out.is_empty() { nothing_to_build(estimates.len()) } else { left_out };
        return format!("\n{rest}");
    }
    let sum = |of: fn(&SliceEstimate) -> Option<u64>| {
        in_state("to build").filter_map(of).fold(0, u64::saturating_add)
    };
    let most = |of: fn(&SliceEstimate) -> Option<u64>| in_state("to build").filter_map(of).max();
    let amount = |what: &str,
                  of: fn(&SliceEstimate) -> Option<u64>,
                  least: fn(&SliceEstimate) -> Option<u64>| {
        let [usual, least] = [of, least].map(|of| size(most(of).unwrap_or(0)));
        let least = if usual == least { String::new() } else { format!(" (at least {least})") };
        format!("{usual} of {what}{least}")
    };
    format!(
        "\nto build: {} of {} slices, with about {}, {}, {} of disk, and {} of one core\n{left_out}",
        in_state("to build").count(),
        estimates.len(),
        amount("memory", |estimate| estimate.memory_bytes, |estimate| estimate.least_memory_bytes),
        amount(
            "scratch",
            |estimate| estimate.scratch_bytes,
            |estimate| estimate.least_scratch_bytes
        ),
        size(sum(|estimate| estimate.disk_bytes)),
        time(duration(in_state("to build").filter_map(|estimate| estimate.core_seconds).sum())),
    )
}
