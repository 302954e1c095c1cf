use std::time::Duration;

use serde::Serialize;
use taflbase::Tablebase;
use taflbase::build::{SlicePlan, plan};

use super::arguments::Wanted;
use super::build::nothing_to_build;
use super::calibration::{Calibration, file_bytes};
use super::failure::Failure;
use super::output::{Session, columns, grouped, size, time};

/// Tell what a build would take, and what is there already
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    #[command(flatten)]
    wanted: Wanted,
}

const HELP: &str = r#"Lists the slices that `taflbase build` would build or keep, with all that they
need. Memory, scratch, disk and time are estimates, totals mostly within a quarter. Where
memory is left, a build does not compress its scratch, which then takes up to four times as
much.
Time is that of one core of this machine: the smallest slices are built for that in
a temporary folder, which takes some ten seconds. What is too large for this
version is listed, and left out of the totals.

Examples:
  taflbase plan brandubh --men 6
  taflbase plan ashton --slice K2v3 --json

JSON, one line for each slice; the state is "there", "to build" or "too large",
and what is unknown is null. "slots" are those of both sides to move; the disk is
that of both files, scratch that of work in progress:
  {"rules":"brandubh","slice":"K1v2","defenders":1,"attackers":2,"state":"to build","present":false,"rows":5712,"slots":514080,"memory_bytes":31184592,"scratch_bytes":119680,"disk_bytes":7542,"core_seconds":0.025}"#;

#[derive(Serialize)]
struct Answer<'a> {
    rules: &'a str,
    slice: String,
    defenders: usize,
    attackers: usize,
    state: &'static str,
    present: bool,
    rows: Option<u64>,
    slots: Option<u64>,
    memory_bytes: Option<u64>,
    scratch_bytes: Option<u64>,
    disk_bytes: Option<u64>,
    core_seconds: Option<f64>,
}

/// Plans.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), Failure> {
    let base = session.open_to_build(&args.wanted.rules)?;
    let slices = args.wanted.slices(base.rules())?;
    let plan = plan(&base, &slices)?;
    let to_build = plan.iter().any(|slice| !slice.present && slice.size.is_some());
    let calibration = if to_build { Some(Calibration::new(&base, &plan)?) } else { None };
    let answers: Vec<Answer> =
        plan.iter().map(|plan| answer(&base, plan, calibration.as_ref())).collect();
    if session.json() {
        return answers.iter().try_for_each(|answer| session.json_line(answer));
    }
    let rows: Vec<Vec<String>> = answers.iter().map(Answer::row).collect();
    let header = ["slice", "state", "rows", "slots", "memory", "scratch", "disk", "core time"];
    session.text(&columns(2, &header, &rows))?;
    session.text(&total(&answers))
}

fn answer<'a>(
    base: &'a Tablebase,
    plan: &SlicePlan,
    calibration: Option<&Calibration>,
) -> Answer<'a> {
    let SlicePlan { slice, present, size } = *plan;
    let estimate = calibration.filter(|_| !present).zip(size);
    let disk_bytes = match estimate {
        Some((calibration, size)) => Some(calibration.file_bytes(slice, &size)),
        None => file_bytes(base, slice),
    };
    Answer {
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
        scratch_bytes: size.map(|size| size.scratch_bytes),
        disk_bytes,
        core_seconds: estimate.map(|(known, size)| known.core_seconds(slice, &size)),
    }
}

impl Answer<'_> {
    fn row(&self) -> Vec<String> {
        let cell =
            |number: Option<u64>, show: fn(u64) -> String| number.map_or("-".to_owned(), show);
        vec![
            self.slice.clone(),
            self.state.to_owned(),
            cell(self.rows, grouped),
            cell(self.slots, grouped),
            cell(self.memory_bytes, size),
            cell(self.scratch_bytes, size),
            cell(self.disk_bytes, size),
            self.core_seconds.map_or("-".to_owned(), |seconds| time(duration(seconds))),
        ]
    }
}

/// A time that may be longer than the machine lasts.
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

fn total(answers: &[Answer]) -> String {
    let in_state = |state| answers.iter().filter(move |answer| answer.state == state);
    let too_large = match in_state("too large").count() {
        0 => String::new(),
        slices => format!("too large for this version: {slices} of {} slices\n", answers.len()),
    };
    if in_state("to build").count() == 0 {
        let rest = if too_large.is_empty() { nothing_to_build(answers.len()) } else { too_large };
        return format!("\n{rest}");
    }
    let sum = |of: fn(&Answer) -> Option<u64>| {
        in_state("to build").filter_map(of).fold(0, u64::saturating_add)
    };
    let most = |of: fn(&Answer) -> Option<u64>| in_state("to build").filter_map(of).max();
    format!(
        "\nto build: {} of {} slices, with about {} of memory, {} of scratch, {} of disk, \
         and {} of one core\n{too_large}",
        in_state("to build").count(),
        answers.len(),
        size(most(|answer| answer.memory_bytes).unwrap_or(0)),
        size(most(|answer| answer.scratch_bytes).unwrap_or(0)),
        size(sum(|answer| answer.disk_bytes)),
        time(duration(in_state("to build").filter_map(|answer| answer.core_seconds).sum())),
    )
}
