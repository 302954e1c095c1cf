use std::time::{Duration, Instant};

use crate::engine::{Clock, Limits};
use crate::game::rules::{BySide, Side};

/// Time that an answer takes on its way.
const OVERHEAD: Duration = Duration::from_millis(50);

/// The clocks of both sides. That of the side to move runs from the last move on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clocks {
    left: BySide<Duration>,
    increment: Duration,
    since: Instant,
}

impl Clocks {
    /// Starts the clocks.
    pub(super) fn new(time: Duration, increment: Duration) -> Clocks {
        Clocks { left: BySide::from_fn(|_| time), increment, since: Instant::now() }
    }

    /// Counts a move at this time; returns `false` if the side's time is up.
    pub(super) fn moved(&mut self, side: Side, now: Instant) -> bool {
        let left = self.left[side].saturating_sub(now.saturating_duration_since(self.since));
        self.since = now;
        self.left[side] = left;
        if left == Duration::ZERO {
            return false;
        }
        self.left[side] = left + self.increment;
        true
    }

    /// Returns the limits of a search for the side to move.
    pub(super) fn limits(&self, side: Side, now: Instant) -> Limits {
        let left = self.left[side].saturating_sub(now.saturating_duration_since(self.since));
        Clock::Game { left, increment: self.increment }.limits(OVERHEAD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_has_its_time() {
        let seconds = Duration::from_secs;
        let mut clocks = Clocks::new(seconds(60), seconds(5));
        let start = clocks.since;
        assert!(clocks.moved(Side::Attackers, start + seconds(20)));
        assert!(clocks.moved(Side::Defenders, start + seconds(75)));
        assert_eq!(
            [clocks.left[Side::Attackers], clocks.left[Side::Defenders]],
            [seconds(45), seconds(10)]
        );
        let limits = clocks.limits(Side::Attackers, start + seconds(100));
        assert!(limits.time.is_some_and(|time| time < seconds(20)));
        assert!(!clocks.moved(Side::Attackers, start + seconds(120)));
    }
}
