use crate::game::rules::Side;

/// Returns the challenge's name of a side.
pub fn colour(side: Side) -> &'static str {
    match side {
        Side::Attackers => "black",
        Side::Defenders => "white",
    }
}
