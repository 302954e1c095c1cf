use std::fmt;
use std::time::Duration;

use crate::engine::{Clock, Limits};
use crate::game::rules::{BySide, Side};

/// What a `clock` line tells: the time that both sides have left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ClockLine {
    sides: BySide<Left>,
    /// How long a period of overtime is.
    overtime: Duration,
}

/// What a side has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Left {
    time: Duration,
    /// Whether that is the rest of a period of overtime, which is full again after the move.
    in_overtime: bool,
    periods: u32,
}

impl ClockLine {
    /// Reads `<attackers ms>[*] <defenders ms>[*] <overtime s> <n> <n>`; `Ok(None)` where
    /// there is no clock.
    pub(super) fn parse(text: &str) -> Result<Option<ClockLine>, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let wrong = || {
            format!(
                "{text:?} is no clock: write <attackers ms>[*] <defenders ms>[*] <overtime s> \
                 <attackers' periods> <defenders' periods>"
            )
        };
        let [attackers, defenders, overtime, attackers_periods, defenders_periods] = words[..]
        else {
            return Err(wrong());
        };
        if attackers.starts_with('-') && defenders.starts_with('-') {
            return Ok(None);
        }
        let left = |time: &str, periods: &str| {
            let digits = time.strip_suffix('*');
            let millis = digits.unwrap_or(time).parse().ok()?;
            let periods = periods.parse().ok()?;
            let time = Duration::from_millis(millis);
            Some(Left { time, in_overtime: digits.is_some(), periods })
        };
        let attackers = left(attackers, attackers_periods).ok_or_else(wrong)?;
        let defenders = left(defenders, defenders_periods).ok_or_else(wrong)?;
        let seconds = overtime.parse::<u32>().map_err(|_| wrong())?;
        let overtime = Duration::from_secs(seconds.into());
        Ok(Some(ClockLine { sides: BySide([attackers, defenders]), overtime }))
    }

    /// What a host can say of a player's clock; nothing of one without time. Increments
    /// have no words. The other side is said to have as much.
    pub(super) fn of(clock: Clock) -> Option<ClockLine> {
        let left = match clock {
            Clock::PerMove(time) => Left { time, in_overtime: true, periods: 1 },
            Clock::Game { left, .. } => Left { time: left, in_overtime: false, periods: 0 },
            Clock::Nodes(_) | Clock::Depth(_) => return None,
        };
        let overtime = if left.in_overtime { left.time } else { Duration::ZERO };
        Some(ClockLine { sides: BySide([left; 2]), overtime })
    }

    /// How long a move of that side may take; so much is kept back for the way of the
    /// answer.
    pub(super) fn limits(&self, side: Side, overhead: Duration) -> Limits {
        let left = self.sides[side];
        // The last tenth of a period stays untouched, for the next may not exist.
        let period = |time: Duration| Clock::PerMove(time * 9 / 10).limits(overhead);
        if left.in_overtime {
            return period(left.time);
        }
        let game = Clock::Game { left: left.time, increment: Duration::ZERO }.limits(overhead);
        if left.periods == 0 {
            return game;
        }
        // What goes beyond the main time falls into a period that is full again afterwards.
        Limits { time: game.time.max(period(self.overtime).time), ..game }
    }
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
        // Lines of OpenTafl end in a blank.
        assert_eq!(millis("300000 250000 0 0 0 ", Side::Attackers), 12_000);
        assert_eq!(millis("300000 250000 0 0 0 ", Side::Defenders), 10_000);
        // In overtime the period is there for this move.
        assert_eq!(millis("10000* 60000 30 2 3", Side::Attackers), 8_900);
        // With overtime to come the main time may run out.
        assert_eq!(millis("10000* 60000 30 2 3", Side::Defenders), 26_900);
        assert_eq!(millis("0 0 0 0 0", Side::Attackers), 1);
    }

    #[test]
    fn only_clocks_are_read() {
        assert_eq!(ClockLine::parse("-1 -1 0 0 0"), Ok(None));
        for wrong in ["", "1 2 3 4", "1 2 3 4 5 6", "a 2 3 4 5", "1** 2 3 4 5", "-1 2 3 4 5"] {
            let error = ClockLine::parse(wrong).unwrap_err();
            assert!(error.starts_with(&format!("{wrong:?} is no clock")), "{error}");
        }
    }

    #[test]
    fn clocks_are_written_as_they_are_read() {
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
