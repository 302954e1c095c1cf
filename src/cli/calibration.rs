//! How long building takes here and how large files become, from building the
//! smallest slices.

use std::collections::BTreeMap;

use taflbase::Tablebase;
use taflbase::build::{SlicePlan, SliceSize};
use taflbase::rules::Ruleset;
use taflbase::slice::Slice;
use taflbase::table::Metric;

use super::error::CliError;
use super::measure::build_measured;
use super::model::{BYTES, MeasuredSlice, Model, Time};

/// Calibration stops before a slice with which it would take longer than this, on a
/// core of its own.
const SECONDS: f64 = 14.0;

/// What was learnt from small slices.
pub(super) struct Calibration {
    time: Time,
    bytes: Model,
}

impl Calibration {
    /// Builds the smallest of the planned slices in a temporary folder, and looks
    /// at the files of those that are there.
    pub(super) fn new(base: &Tablebase, plan: &[SlicePlan]) -> Result<Calibration, CliError> {
        let (time, mut bytes) = build_smallest(base.rules(), plan)?;
        bytes.extend(plan.iter().filter(|plan| plan.present).filter_map(|plan| {
            let amount = file_bytes(base, plan.slice)? as f64;
            Some(MeasuredSlice { slice: plan.slice, slots: plan.size?.slots, amount })
        }));
        Ok(Calibration { time: Time::fit(&time), bytes: Model::fit(&BYTES, &bytes) })
    }

    /// The time of one core that building takes.
    pub(super) fn core_seconds(&self, slice: Slice, size: &SliceSize) -> f64 {
        self.time.seconds(slice, size.slots)
    }

    /// The size of both files.
    pub(super) fn file_bytes(&self, slice: Slice, size: &SliceSize) -> u64 {
        self.bytes.amount(slice, size.slots) as u64
    }
}

/// The size of both files of a slice that is there.
pub(super) fn file_bytes(base: &Tablebase, slice: Slice) -> Option<u64> {
    let sizes = Metric::ALL.map(|metric| base.table(slice, metric).ok().map(|t| t.size_bytes()));
    sizes.into_iter().sum()
}

/// Builds slices, the quickest first, as long as it does not take long; returns
/// what they took of time and of bytes.
fn build_smallest(
    rules: &Ruleset,
    plan: &[SlicePlan],
) -> Result<(Vec<MeasuredSlice>, Vec<MeasuredSlice>), CliError> {
    let sized = plan.iter().filter_map(|plan| plan.size.map(|size| (plan.slice, size.slots)));
    let mut left: BTreeMap<Slice, u64> = sized.collect();
    let folder = tempfile::tempdir().map_err(CliError::new)?;
    let (mut time, mut bytes) = (Vec::<MeasuredSlice>::new(), Vec::new());
    loop {
        let model = Time::fit(&time);
        let all = left.iter().map(|(&slice, &slots)| (slice, model.seconds(slice, slots)));
        let Some((next, seconds)) = all.min_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        let taken: f64 = time.iter().map(|sample| sample.amount).sum();
        if taken + seconds > SECONDS {
            break;
        }
        for (report, measure) in build_measured(rules, &[next], 1, folder.path())? {
            // Those that this one needs may be there since before.
            if let Some(slots) = left.remove(&report.slice) {
                let sample = |amount| MeasuredSlice { slice: report.slice, slots, amount };
                time.push(sample(measure.core.all.as_secs_f64()));
                bytes.push(sample(report.bytes.iter().map(|&(_, bytes)| bytes as f64).sum()));
            }
        }
    }
    Ok((time, bytes))
}
