//! Estimates of time and file sizes, fitted to the smallest slices, which are built here.

use std::collections::BTreeMap;

use taflbase::Tablebase;
use taflbase::build::SlicePlan;
use taflbase::rules::Ruleset;
use taflbase::slice::Slice;
use taflbase::table::Metric;

use super::arguments::parse_number;
use super::error::CliError;
use super::measure::build_measured;
use super::model::{BYTES, MeasuredSlice, Model, Time};
use super::temporary::TemporaryFolder;

/// The usual limit on the CPU seconds of a calibration.
pub(super) const CALIBRATION_SECONDS: u64 = 14;

/// The option that limits a calibration.
#[derive(clap::Args)]
pub(super) struct CalibrationLimit {
    /// Build small slices for at most this many CPU seconds, to estimate times and sizes
    #[arg(long, value_name = "SECONDS", default_value_t = CALIBRATION_SECONDS)]
    #[arg(value_parser = parse_number::<u64, 1, { 1 << 20 }>)]
    pub(super) calibration: u64,
}

/// Models fitted to small slices.
pub(super) struct Calibration {
    time: Time,
    bytes: Model,
    /// The part of the measured files that is WDL tables.
    wdl_share: f64,
}

impl Calibration {
    /// Builds the smallest of the planned slices in a temporary folder, for at most this many CPU
    /// seconds, and adds the file sizes of existing slices.
    pub(super) fn new(
        base: &Tablebase,
        plan: &[SlicePlan],
        seconds: u64,
    ) -> Result<Calibration, CliError> {
        let existing = plan.iter().filter(|plan| plan.present).filter_map(|plan| {
            let amount = file_bytes(base, plan.slice, &Metric::ALL)? as f64;
            Some(MeasuredSlice { slice: plan.slice, slots: plan.size?.slots, amount })
        });
        Calibration::fit(base.rules(), plan, seconds, existing.collect())
    }

    /// Builds the smallest of the planned slices in a temporary folder, for at most this many CPU
    /// seconds, and adds samples of file sizes.
    pub(super) fn fit(
        rules: &Ruleset,
        plan: &[SlicePlan],
        seconds: u64,
        sizes: Vec<MeasuredSlice>,
    ) -> Result<Calibration, CliError> {
        let Samples { time, mut bytes, wdl_bytes } = build_smallest(rules, plan, seconds)?;
        let measured: f64 = bytes.iter().map(|sample| sample.amount).sum();
        let wdl_share = if measured > 0.0 { wdl_bytes / measured } else { 1.0 };
        bytes.extend(sizes);
        Ok(Calibration { time: Time::fit(&time), bytes: Model::fit(&BYTES, &bytes), wdl_share })
    }

    /// Predicts the CPU seconds of building a slice.
    pub(super) fn core_seconds(&self, slice: Slice, slots: f64) -> f64 {
        self.time.seconds(slice, slots)
    }

    /// Predicts the size of a slice's files. Without distances, that is a rough estimate.
    pub(super) fn file_bytes(&self, slice: Slice, slots: f64, metrics: &[Metric]) -> f64 {
        let both = self.bytes.amount(slice, slots);
        if metrics.contains(&Metric::Dtw) { both } else { both * self.wdl_share }
    }
}

/// Returns the size of the files of an existing slice.
pub(super) fn file_bytes(base: &Tablebase, slice: Slice, metrics: &[Metric]) -> Option<u64> {
    metrics.iter().map(|&metric| base.table(slice, metric).ok().map(|t| t.size_bytes())).sum()
}

/// Samples of built slices.
struct Samples {
    time: Vec<MeasuredSlice>,
    /// Sizes of both files.
    bytes: Vec<MeasuredSlice>,
    /// The size of all WDL tables.
    wdl_bytes: f64,
}

/// Builds slices within the limit of CPU time, the quickest first.
fn build_smallest(
    rules: &Ruleset,
    plan: &[SlicePlan],
    max_seconds: u64,
) -> Result<Samples, CliError> {
    let sized = plan.iter().filter_map(|plan| plan.size.map(|size| (plan.slice, size.slots)));
    let mut left: BTreeMap<Slice, u64> = sized.collect();
    let folder = TemporaryFolder::new()?;
    let mut samples = Samples { time: Vec::new(), bytes: Vec::new(), wdl_bytes: 0.0 };
    loop {
        let model = Time::fit(&samples.time);
        let all = left.iter().map(|(&slice, &slots)| (slice, model.seconds(slice, slots as f64)));
        let Some((next, seconds)) = all.min_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        let taken: f64 = samples.time.iter().map(|sample| sample.amount).sum();
        if taken + seconds > max_seconds as f64 {
            break;
        }
        for (report, measure) in build_measured(rules, &[next], 1, &folder)? {
            // A dependency may have been sampled before.
            if let Some(slots) = left.remove(&report.slice) {
                let slice = report.slice;
                let seconds = measure.core.all.as_secs_f64();
                samples.time.push(MeasuredSlice { slice, slots, amount: seconds });
                let amount = report.bytes.iter().map(|&(_, bytes)| bytes as f64).sum();
                samples.bytes.push(MeasuredSlice { slice, slots, amount });
                let wdl = report.bytes.iter().filter(|(metric, _)| *metric == Metric::Wdl);
                samples.wdl_bytes += wdl.map(|&(_, bytes)| bytes as f64).sum::<f64>();
            }
        }
    }
    Ok(samples)
}
