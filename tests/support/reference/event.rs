//! The rare effects that the rules of a file can have.

/// An event while moves were made. Rules that never had an effect were not tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    /// A slide was stopped by a group of squares that it may not enter.
    GateClosed,
    /// A piece moved within such a group.
    GateOpen,
    /// A piece passed over a square that it may not stop on.
    Passed,
    /// An empty square could be entered but not crossed.
    Blocked,
    /// A soldier, or the king, was captured with the help of an empty square.
    ByEmpty,
    /// With the help of a square that has a piece of its own side on it.
    ByOccupied,
    /// With the help of such a square that is besieged.
    ByBesieged,
    /// A soldier was not captured because of the square that it stands on.
    Protected,
    /// A hostile square did not help against a soldier on a special square.
    Unaided,
    /// A king was enclosed on two sides where four are needed.
    KingHeld,
    /// A king was captured on four sides.
    KingSurrounded,
    /// A king was captured between two pieces.
    KingBetweenTwo,
    /// A king arrived on a goal.
    Goal,
    /// A shieldwall captured a row of two or more soldiers.
    Wall,
    /// The king was in a row, and the other men of it were captured.
    WallAroundKing,
    /// The king belonged to a wall.
    WallOfKing,
    /// A row ended at a corner.
    WallAtCorner,
    /// A fort was built.
    Fort,
    /// Defenders were encircled.
    Ring,
    /// The edge took the place of an attacker against the king.
    EdgeHeld,
    /// An unarmed king helped or arrived in vain.
    Unarmed,
    /// A longer slide was free.
    TooFar,
}

impl Event {
    /// The events of rules that all games have.
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

    /// The number of all events.
    pub(super) const COUNT: usize = Event::TooFar as usize + 1;
}
