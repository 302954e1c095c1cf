//! Rules records of OpenTafl's notation: `dim:7 ks:c surf:n … start:/3t3/…/`.
//!
//! A record has four kinds of special squares: the throne (`cen`), the corners (`cor`) and the
//! forts of either side (`afor`, `dfor`). For each it lists the kinds of piece that may pass (`p`),
//! stop (`s`) and enter from outside (`re`), and those to which the squares are hostile (`h`; for
//! an empty throne, `he`). All of these are decisions of a [`Ruleset`], as are the escape, the
//! king's strength, Linnaean captures, an unarmed king, the side that begins, and a greatest
//! number of steps for all pieces. Features of other games (jumps, berserk moves) are refused, and
//! so are shieldwalls, edge forts and encirclement: OpenTafl judges these in other ways than
//! rulesets do. It lets a piece in front close a shieldwall, takes a king who can reach the edge for
//! one in a fort, and counts separate pockets of defenders as encircled.
//!
//! Where OpenTafl plays otherwise than its notation says, its play is followed: `tfr:i` is a draw,
//! under `tfr:w` the side whose move makes the third occurrence loses, and `corre`, `aforre` and
//! `dforre` count only together with `cenre`. Where `ks:c` makes the king strong beside the throne,
//! three attackers and the throne capture him, whatever `cenhe` says.

mod error;
mod fields;
mod read;
mod spaces;
mod write;

use crate::game::position::Position;

use super::{Layout, Ruleset, Side};

pub use error::OtnError;

impl Ruleset {
    /// Parses a rules record in OpenTafl's notation. If its positions have the same values as under
    /// a built-in ruleset, the result has that ruleset's name and uses its tables.
    ///
    /// # Errors
    /// If the record is malformed, or a field has a value that rulesets cannot express.
    pub fn from_otn(record: &str) -> Result<Ruleset, OtnError> {
        read::ruleset(record)
    }

    /// Reads the starting layout and the side that begins in a rules record of a game under these
    /// rules, whatever rules it gives. What it lacks is as in the ruleset; if it has a start, the
    /// attackers begin by default.
    ///
    /// # Errors
    /// If the layout or the side cannot be read.
    pub(in crate::game) fn otn_start(&self, record: &str) -> Result<(Layout, Side), OtnError> {
        read::start_of_game(record, self)
    }

    /// Writes a rules record for games under these rules that begin with this position.
    ///
    /// Some decisions about games are lost. In a record the third occurrence of a position always
    /// counts, there is no ply limit, and OpenTafl ignores that repetitions are allowed. So
    /// [`from_otn`](Ruleset::from_otn) may return a ruleset that differs in these.
    ///
    /// # Errors
    /// If the notation cannot express a decision that moves or values depend on.
    pub fn to_otn(&self, start: &Position) -> Result<String, OtnError> {
        write::record(self, start)
    }
}
