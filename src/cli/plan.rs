use std::time::Duration;

use serde::Serialize;
use taflbase::build::{SlicePlan, plan};

use super::arguments::Wanted;
use super::build::nothing_to_build;
use super::failure::Failure;
use super::output::{Session, columns, grouped, size, time};

/// Tell what a build would take, and what is there already
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// A built-in ruleset, or a path to a ruleset file
    rules: String,
    #[command(flatten)]
    wanted: Wanted,
}

const HELP: &str = r#"Lists the slices that `taflbase build` would build or keep, with all that they
need. Memory, disk and time are estimates; time is that of one core.

Examples:
  taflbase plan brandubh --men 6
  taflbase plan ashton --slice K2v3 --json

JSON, one line for each slice; "slots" are those of both sides to move:
  {"rules":"brandubh","slice":"K1v2","defenders":1,"attackers":2,"present":false,"rows":5712,"slots":514080,"memory_bytes":1254656,"disk_bytes":16065,"core_seconds":0.031}"#;

#[derive(Serialize)]
struct Answer<'a> {
    rules: &'a str,
    slice: String,
    defenders: usize,
    attackers: usize,
    present: bool,
    rows: u64,
    slots: u64,
    memory_bytes: u64,
    disk_bytes: u64,
    core_seconds: f64,
}

/// Plans.
pub fn run(args: &Args, session: &Session) -> Result<(), Failure> {
    let base = session.open(&args.rules)?;
    let slices = args.wanted.slices(base.rules())?;
    let plan = plan(&base, &slices)?;
    if session.json {
        let name = &base.rules().name;
        return plan.iter().try_for_each(|slice| session.json_line(&answer(name, slice)));
    }
    let rows: Vec<Vec<String>> = plan.iter().map(row).collect();
    let header = ["slice", "state", "rows", "slots", "memory", "disk", "core time"];
    session.text(&columns(2, &header, &rows))?;
    session.text(&total(&plan))
}

fn answer<'a>(rules: &'a str, plan: &SlicePlan) -> Answer<'a> {
    Answer {
        rules,
        slice: plan.slice.to_string(),
        defenders: plan.slice.defenders,
        attackers: plan.slice.attackers,
        present: plan.present,
        rows: plan.rows,
        slots: plan.slots,
        memory_bytes: plan.memory_bytes,
        disk_bytes: plan.disk_bytes,
        core_seconds: plan.core_millis as f64 / 1000.0,
    }
}

fn row(plan: &SlicePlan) -> Vec<String> {
    let state = if plan.present { "there" } else { "to build" };
    vec![
        plan.slice.to_string(),
        state.to_owned(),
        grouped(plan.rows),
        grouped(plan.slots),
        size(plan.memory_bytes),
        size(plan.disk_bytes),
        time(Duration::from_millis(plan.core_millis)),
    ]
}

fn total(plan: &[SlicePlan]) -> String {
    let missing: Vec<&SlicePlan> = plan.iter().filter(|slice| !slice.present).collect();
    if missing.is_empty() {
        return format!("\n{}", nothing_to_build(plan.len()));
    }
    let sum =
        |of: fn(&SlicePlan) -> u64| missing.iter().fold(0_u64, |sum, s| sum.saturating_add(of(s)));
    let memory = missing.iter().map(|slice| slice.memory_bytes).max().unwrap_or(0);
    format!(
        "\nto build: {} of {} slices, with about {} of memory, {} of disk, and {} of one core\n",
        missing.len(),
        plan.len(),
        size(memory),
        size(sum(|slice| slice.disk_bytes)),
        time(Duration::from_millis(sum(|slice| slice.core_millis))),
    )
}
