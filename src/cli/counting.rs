//! Counting the values of several slices, with one meter for all.

use taflbase::Tablebase;
use taflbase::rules::BySide;
use taflbase::slice::Slice;
use taflbase::stats::{SideStats, count_values_while};
use taflbase::tablebase::ProbeError;

use super::arguments::Threads;
use super::error::CliError;
use super::meter::Meter;

/// Counts the values of slices, one after the other, and passes the statistics of each to `take`.
pub(super) fn count_each(
    base: &Tablebase,
    slices: &[Slice],
    threads: &Threads,
    probe_error: impl Fn(ProbeError) -> CliError,
    mut take: impl FnMut(Slice, &BySide<SideStats>) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let slots_of = |slice: Slice| {
        let grid = base.best_table(slice)?.header().grid;
        Ok(grid.rows() * grid.lanes() as u64)
    };
    let slots: Vec<u64> = slices
        .iter()
        .map(|&slice| slots_of(slice))
        .collect::<Result<_, _>>()
        .map_err(&probe_error)?;
    let (of, mut before) = (slots.iter().sum(), 0);
    let meter = Meter::new("counting");
    for (&slice, slots) in slices.iter().zip(slots) {
        let table = base.best_table(slice).map_err(&probe_error)?;
        let mut go_on = |done, rows: u64| meter.update(before + slots / rows.max(1) * done, of);
        let counted = threads.run(|| count_values_while(base.rules(), table, &mut go_on))??;
        meter.suspend(|| take(slice, &counted))?;
        before += slots;
    }
    Ok(())
}
