//! Rules records of OpenTafl's notation: `dim:7 ks:c surf:n … start:/3t3/…/`.
//!
//! A record has four kinds of special squares, the throne (`cen`), the corners (`cor`) and
//! the forts of either side (`afor`, `dfor`). For each it lists the kinds of piece that
//! may pass (`p`), stop (`s`) and enter from outside (`re`), and those to whom the squares
//! are hostile (`h`; of an empty throne, `he`). All of these are decisions of a
//! [`Ruleset`], and so are the escape, the king's strength, Linnaean captures and who
//! begins. What belongs to other games (shieldwalls, edge forts, encirclement, jumps,
//! berserk moves, an unarmed king, short steps) is refused.
//!
//! Where OpenTafl plays otherwise than its notation says, its play counts: `tfr:i` is a
//! draw, under `tfr:w` the mover of the third occurrence loses, and `corre`, `aforre` and
//! `dforre` count only beside `cenre`. Where `ks:c` makes the king strong beside the
//! throne, three attackers and the throne capture him, whatever `cenhe` says.

mod error;
mod fields;
mod read;
mod spaces;
mod write;

use crate::game::position::Position;

use super::Ruleset;

pub use error::OtnError;

impl Ruleset {
    /// The ruleset of a rules record in OpenTafl's notation. If its positions have the
    /// values of a built-in ruleset, it has its name and uses its tables.
    ///
    /// # Errors
    /// If the record is none, or says what no ruleset can: the field and its value.
    pub fn from_otn(record: &str) -> Result<Ruleset, OtnError> {
        read::ruleset(record)
    }

    /// A rules record for games of these rules that begin with this position.
    ///
    /// A record cannot say which occurrence of a position counts, it is always the third,
    /// nor how many plies a game may take, and that repetitions are allowed is not taken
    /// seriously: what [`from_otn`](Ruleset::from_otn) makes of it may differ in these.
    ///
    /// # Errors
    /// If the notation has no words for a decision that moves or values depend on.
    pub fn to_otn(&self, start: &Position) -> Result<String, OtnError> {
        write::record(self, start)
    }
}
