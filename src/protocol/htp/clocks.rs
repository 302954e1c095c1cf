use std::time::{Duration, Instant};

use crate::engine::{Clock, Limits};
use crate::game::rules::{BySide, Side};

/// Time that an answer takes on its way.
const OVERHEAD: Duration = Duration::from_millis(50);

/// The clocks of both sides. That of the side to move runs from the last move on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clocks {
    settings: TimeSettings,
    left: BySide<Duration>,
    since: Instant,
}

/// The settings of the clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeSettings {
    /// The time of each side.
    pub time: Duration,
    /// The time added after each of its moves.
    pub increment: Duration,
}

impl Clocks {
    /// Starts the clocks.
    pub(super) fn new(settings: TimeSettings) -> Clocks {
        Clocks { settings, left: BySide::from_fn(|_| settings.time), since: Instant::now() }
    }

    /// Returns the settings that the clocks were started with.
    pub(super) fn settings(&self) -> TimeSettings {
        self.settings
    }

    /// Counts a move at this time; returns `false` if the side's time is up.
    pub(super) fn moved(&mut self, side: Side, now: Instant) -> bool {
        let left = self.left[side].saturating_sub(now.saturating_duration_since(self.since));
        self.since = now;
        self.left[side] = left;
        if left == Duration::ZERO {
            return false;
        }
        self.left[side] = left + self.settings.increment;
        true
    }

    /// Withdraws the increment of a move that is taken back. The time spent on it stays spent.
    pub(super) fn undone(&mut self, side: Side) {
        self.left[side] = self.left[side].saturating_sub(self.settings.increment);
    }

    /// Returns the limits of a search for the side to move.
    pub(super) fn limits(&self, side: Side, now: Instant) -> Limits {
        let left = self.left[side].saturating_sub(now.saturating_duration_since(self.since));
        Clock::Game { left, increment: self.settings.increment }.limits(OVERHEAD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_has_its_time() {
        let seconds = Duration::from_secs;
        let settings = TimeSettings { time: seconds(60), increment: seconds(5) };
        let mut clocks = Clocks::new(settings);
        let start = clocks.since;
        assert!(clocks.moved(Side::Attackers, start + seconds(20)));
        assert!(clocks.moved(Side::Defenders, start + seconds(75)));
        assert_eq!(
            [clocks.left[Side::Attackers], clocks.left[Side::Defenders]],
            [seconds(45), seconds(10)]
        );
        let limits = clocks.limits(Side::Attackers, start + seconds(100));
        assert!(limits.time.is_some_and(|time| time < seconds(20)));
        clocks.undone(Side::Defenders);
        assert_eq!(clocks.left[Side::Defenders], seconds(5));
        assert!(!clocks.moved(Side::Attackers, start + seconds(120)));
        assert_eq!(clocks.settings(), settings);
    }
}
