use std::fmt;
use std::time::Duration;

use crate::engine::{Clock, Limits};
use crate::game::rules::{BySide, Side};

/// A `clock` line: the time left for both sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ClockLine {
    sides: BySide<TimeLeft>,
    /// Length of an overtime period.
    overtime: Duration,
}

/// The time left for a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct TimeLeft {
    time: Duration,
    /// Whether `time` is the rest of an overtime period, which is reset after the move.
    in_overtime: bool,
    /// Overtime periods left.
    periods: u32,
}

impl TimeLeft {
    fn parse(time: &str, periods: &str) -> Option<TimeLeft> {
        let overtime = time.strip_suffix('*');
        let millis = overtime.unwrap_or(time).parse().ok()?;
        Some(TimeLeft {
            time: Duration::from_millis(millis),
            in_overtime: overtime.is_some(),
            periods: periods.parse().ok()?,
        })
    }
}

impl ClockLine {
    /// Parses `<attackers ms>[*] <defenders ms>[*] <overtime s> <n> <n>`; `Ok(None)` if the game
    /// has no clock.
    pub(super) fn parse(text: &str) -> Result<Option<ClockLine>, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        if let [attackers, defenders, ..] = words[..]
            && words.len() == 5
            && attackers.starts_with('-')
            && defenders.starts_with('-')
        {
            return Ok(None);
        }
        match ClockLine::parse_words(&words) {
            Some(line) => Ok(Some(line)),
            None => Err(format!(
                "{text:?} is not a clock: use <attackers ms>[*] <defenders ms>[*] <overtime s> \
                 <attackers' periods> <defenders' periods>"
            )),
        }
    }

    fn parse_words(words: &[&str]) -> Option<ClockLine> {
        let &[attackers, defenders, overtime, attackers_periods, defenders_periods] = words else {
            return None;
        };
        let sides = BySide([
            TimeLeft::parse(attackers, attackers_periods)?,
            TimeLeft::parse(defenders, defenders_periods)?,
        ]);
        let seconds: u32 = overtime.parse().ok()?;
        Some(ClockLine { sides, overtime: Duration::from_secs(seconds.into()) })
    }

    /// Returns the line for a player's clock; `None` for a clock without time. The protocol has no
    /// increments. Both sides get the same time.
    pub(super) fn of(clock: Clock) -> Option<ClockLine> {
        let left = match clock {
            Clock::PerMove(time) => TimeLeft { time, in_overtime: true, periods: 1 },
            Clock::Game { left, .. } => TimeLeft { time: left, in_overtime: false, periods: 0 },
            Clock::Nodes(_) | Clock::Depth(_) => return None,
        };
        let overtime = if left.in_overtime { left.time } else { Duration::ZERO };
        Some(ClockLine { sides: BySide([left; 2]), overtime })
    }

    /// Returns the limits for a move of a side, with `overhead` in reserve for communication.
    pub(super) fn limits(&self, side: Side, overhead: Duration) -> Limits {
        let left = self.sides[side];
        if left.in_overtime {
            return period_limits(left.time, overhead);
        }
        let game = Clock::Game { left: left.time, increment: Duration::ZERO }.limits(overhead);
        if left.periods == 0 {
            return game;
        }
        // A move may exceed the main time by a period, which is reset afterwards.
        Limits { time: game.time.max(period_limits(self.overtime, overhead).time), ..game }
    }
}

/// Returns the limits for a move in overtime. A tenth of the period stays in reserve, because there
/// may be no further period.
fn period_limits(time: Duration, overhead: Duration) -> Limits {
    Clock::PerMove(time * 9 / 10).limits(overhead)
}

impl fmt::Display for ClockLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for side in Side::ALL {
            let left = self.sides[side];
            let mark = if left.in_overtime { "*" } else { "" };
            write!(f, "{}{mark} ", left.time.as_millis())?;
        }
        let seconds = self.overtime.as_millis().div_ceil(1000);
        let [attackers, defenders] = self.sides.0.map(|left| left.periods);
        write!(f, "{seconds} {attackers} {defenders}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(text: &str, side: Side) -> u128 {
        let clock = ClockLine::parse(text).unwrap().unwrap();
        clock.limits(side, Duration::from_millis(100)).time.unwrap().as_millis()
    }

    #[test]
    fn a_move_takes_its_share_of_the_clock() {
        // OpenTafl ends the line with a space.
        assert_eq!(millis("300000 250000 0 0 0 ", Side::Attackers), 12_000);
        assert_eq!(millis("300000 250000 0 0 0 ", Side::Defenders), 10_000);
        // In overtime, the period is for this move.
        assert_eq!(millis("10000* 60000 30 2 3", Side::Attackers), 8_900);
        // With overtime left, the main time may run out.
        assert_eq!(millis("10000* 60000 30 2 3", Side::Defenders), 26_900);
        assert_eq!(millis("0 0 0 0 0", Side::Attackers), 1);
    }

    #[test]
    fn other_lines_are_errors() {
        assert_eq!(ClockLine::parse("-1 -1 0 0 0"), Ok(None));
        for wrong in ["", "1 2 3 4", "1 2 3 4 5 6", "a 2 3 4 5", "1** 2 3 4 5", "-1 2 3 4 5"] {
            let error = ClockLine::parse(wrong).unwrap_err();
            assert!(error.starts_with(&format!("{wrong:?} is not a clock")), "{error}");
        }
    }

    #[test]
    fn clocks_round_trip() {
        let seconds = Duration::from_secs;
        for (clock, text) in [
            (Clock::PerMove(Duration::from_millis(1500)), "1500* 1500* 2 1 1"),
            (Clock::Game { left: seconds(60), increment: seconds(1) }, "60000 60000 0 0 0"),
        ] {
            let line = ClockLine::of(clock).unwrap();
            assert_eq!(line.to_string(), text);
            let read = ClockLine::parse(text).unwrap().unwrap();
            assert_eq!(read.sides, line.sides);
        }
        assert_eq!(ClockLine::of(Clock::Nodes(5)), None);
    }
}
