//! The odd things that rules of a file can bring about.

/// What came to pass while moves were made: odd rules that nobody met were not
/// tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    /// A slide was stopped by a group of squares that it may not enter.
    GateClosed,
    /// A piece moved about within such a group.
    GateOpen,
    /// A piece passed over a square that it may not stop on.
    Passed,
    /// A free square could be entered and not crossed.
    Blocked,
    /// A soldier, or the king, was captured with the help of an empty square.
    ByEmpty,
    /// With the help of a square that has a piece of its own side on it.
    ByOccupied,
    /// With the help of such a square that enemies stand around.
    ByBesieged,
    /// A soldier was not captured for the square that it stands on.
    Protected,
    /// A hostile square did not help against a soldier where it stands.
    Unaided,
    /// A king was enclosed on two sides and needs four.
    KingHeld,
    /// A king was captured on four sides.
    KingSurrounded,
    /// A king was captured between two.
    KingBetweenTwo,
    /// A king arrived on a goal.
    Goal,
}

impl Event {
    /// All of them.
    pub(crate) const ALL: [Event; 13] = [
        Event::GateClosed,
        Event::GateOpen,
        Event::Passed,
        Event::Blocked,
        Event::ByEmpty,
        Event::ByOccupied,
        Event::ByBesieged,
        Event::Protected,
        Event::Unaided,
        Event::KingHeld,
        Event::KingSurrounded,
        Event::KingBetweenTwo,
        Event::Goal,
    ];
}
