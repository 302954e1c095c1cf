//! Days of the calendar.

use std::time::{SystemTime, UNIX_EPOCH};

/// The days of 400 years of the Gregorian calendar, after which it repeats.
const DAYS_OF_CYCLE: u64 = 146_097;

/// Returns the day of a time in UTC, as `2026-11-26`; `None` if it is before 1970.
pub fn of(time: SystemTime) -> Option<String> {
    let days = time.duration_since(UNIX_EPOCH).ok()?.as_secs() / 86_400;
    let cycle = days / DAYS_OF_CYCLE;
    let (mut year, mut left) = (1970 + 400 * cycle, days % DAYS_OF_CYCLE);
    while left >= days_of(year) {
        left -= days_of(year);
        year += 1;
    }
    let february = days_of(year) - 337;
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    Some(format!("{year:04}-{month:02}-{:02}", left + 1))
}

fn days_of(year: u64) -> u64 {
    let is_leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    if is_leap { 366 } else { 365 }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn days_have_dates() {
        // By `date --utc --date=@SECONDS +%F`.
        for (seconds, date) in [
            (0, "1970-01-01"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_767_225_599, "2025-12-31"),
            (4_107_542_400, "2100-03-01"),
            (13_000_000_000, "2381-12-14"),
        ] {
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(of(time).as_deref(), Some(date), "{seconds}");
        }
        assert_eq!(of(UNIX_EPOCH - Duration::from_secs(1)), None);
    }
}
