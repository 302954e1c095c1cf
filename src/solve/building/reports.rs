//! Reports of the slices that ranks have built alone, gathered by rank 0.

use std::time::Duration;

use crate::game::rules::BySide;
use crate::game::slice::Slice;
use crate::game::value::Plies;
use crate::solve::communicator::{Communicator, CommunicatorError};
use crate::table::progress::SliceReport;
use crate::table::{Metric, SideSummary};

/// Returns the reports of all other ranks to rank 0, and none to the others.
pub(super) fn gather(
    own: &[SliceReport],
    comm: &dyn Communicator,
) -> Result<Vec<SliceReport>, CommunicatorError> {
    let own_numbers: Vec<u64> = own.iter().flat_map(numbers).collect();
    let mut numbers = comm.gather_numbers(&own_numbers)?.into_iter().flatten().peekable();
    let mut reports = Vec::new();
    while numbers.peek().is_some() {
        reports.push(report_of(&mut numbers).ok_or(CommunicatorError)?);
    }
    Ok(reports)
}

fn numbers(report: &SliceReport) -> Vec<u64> {
    let SliceReport { slice, built, positions, summaries, bytes, times } = report;
    let mut numbers =
        vec![slice.defenders as u64, slice.attackers as u64, u64::from(*built), *positions];
    for &SideSummary { positions, wins, losses, draws, max_win, max_loss } in summaries {
        numbers.extend([positions, wins, losses, draws, max_win.into(), max_loss.into()]);
    }
    numbers.push(bytes.len() as u64);
    numbers.extend(bytes.iter().flat_map(|&(metric, bytes)| [metric as u64, bytes]));
    numbers.extend(times.iter().map(|time| time.as_nanos() as u64));
    numbers
}

fn report_of(numbers: &mut impl Iterator<Item = u64>) -> Option<SliceReport> {
    let slice = Slice { defenders: numbers.next()? as usize, attackers: numbers.next()? as usize };
    let (built, positions) = (numbers.next()? > 0, numbers.next()?);
    let mut summaries: BySide<SideSummary> = BySide::default();
    for summary in summaries.iter_mut() {
        *summary = SideSummary {
            positions: numbers.next()?,
            wins: numbers.next()?,
            losses: numbers.next()?,
            draws: numbers.next()?,
            max_win: numbers.next()? as Plies,
            max_loss: numbers.next()? as Plies,
        };
    }
    let mut bytes = Vec::new();
    for _ in 0..numbers.next()? {
        bytes.push((*Metric::ALL.get(numbers.next()? as usize)?, numbers.next()?));
    }
    let mut times = [Duration::ZERO; 3];
    for time in &mut times {
        *time = Duration::from_nanos(numbers.next()?);
    }
    Some(SliceReport { slice, built, positions, summaries, bytes, times })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_round_trip() {
        let side = |n| SideSummary {
            positions: n,
            wins: n + 1,
            losses: n + 2,
            draws: n + 3,
            max_win: 9,
            max_loss: 12,
        };
        let report = SliceReport {
            slice: "K2v4".parse().unwrap(),
            built: true,
            positions: 7,
            summaries: BySide([side(100), side(200)]),
            bytes: vec![(Metric::Dtw, 70), (Metric::Wdl, 50)],
            times: [1, 2, 3].map(Duration::from_millis),
        };
        let received = report_of(&mut numbers(&report).into_iter()).unwrap();
        assert_eq!(format!("{received:?}"), format!("{report:?}"));
        assert!(report_of(&mut numbers(&report).into_iter().take(20)).is_none());
    }
}
