//! What every slice of the game takes, by the model of `plan`.

use taflbase::Tablebase;
use taflbase::bound::slice_placements;
use taflbase::build::{SlicePlan, plan};
use taflbase::report::{Report, SliceCost};
use taflbase::slice::Slice;
use taflbase::table::Metric;

use crate::cli::arguments::in_pool;
use crate::cli::calibration::Calibration;
use crate::cli::error::CliError;
use crate::cli::model::MeasuredSlice;

/// Estimates the cost of all slices of the game, after a calibration of at most this many CPU
/// seconds; sizes are fitted to those of the report.
pub(super) fn costs(
    base: &Tablebase,
    report: &Report,
    seconds: u64,
) -> Result<Vec<SliceCost>, CliError> {
    let placements = slice_placements(base.rules());
    let slices: Vec<Slice> = placements.iter().map(|&(slice, _)| slice).collect();
    let plans = in_pool(0, || plan(base, &slices))??;
    let known = known_sizes(report, &plans);
    let calibration = Calibration::fit(base.rules(), &plans, seconds, known)?;
    let images = base.rules().symmetries().order() as f64;
    let costs = placements.iter().map(|(slice, placements)| {
        // Numbers with all their digits are numbers of this type.
        let positions = 2.0 * placements.to_string().parse().unwrap_or(f64::INFINITY);
        let size = plans.iter().find(|plan| plan.slice == *slice).and_then(|plan| plan.size);
        // Tables of a size beyond this version would have about as many slots as positions
        // that are not images of each other.
        let slots = size.map_or(positions / images, |size| size.slots as f64);
        SliceCost {
            slice: *slice,
            positions,
            bytes: calibration.file_bytes(*slice, slots, &Metric::ALL),
            core_seconds: calibration.core_seconds(*slice, slots),
        }
    });
    Ok(costs.collect())
}

/// Returns the sizes of the report's slices that have both files.
fn known_sizes(report: &Report, plans: &[SlicePlan]) -> Vec<MeasuredSlice> {
    let complete = report.slices.iter().filter(|section| section.files == 2);
    complete
        .filter_map(|section| {
            let plan = plans.iter().find(|plan| plan.slice == section.slice)?;
            let amount = section.bytes as f64;
            Some(MeasuredSlice { slice: section.slice, slots: plan.size?.slots, amount })
        })
        .collect()
}
