//! The special squares of a record: the kinds of piece that may pass, stop and re-enter, and those
//! to which they are hostile.

use crate::game::board::{Board, SquareSet};
use crate::game::position::with_article;

use super::super::{ByKind, Hostility, Kind, Layout, Movement};
use super::error::{OtnError, refused};
use super::fields::Fields;

/// One kind of special squares, named by its key: `cen`, `cor`, `afor` or `dfor`.
struct Space {
    key: &'static str,
    squares: SquareSet,
    passable: ByKind<bool>,
    stoppable: ByKind<bool>,
    reenterable: ByKind<bool>,
    hostile_empty: ByKind<bool>,
    hostile_occupied: ByKind<bool>,
}

/// The throne, the corners and the forts.
pub(super) struct Spaces([Space; 4]);

impl Spaces {
    pub(super) fn read(fields: &Fields, board: Board) -> Result<Spaces, OtnError> {
        let spaces = [
            Space::read("cen", SquareSet::of(board.centre()), fields, board)?,
            Space::read("cor", board.corners(), fields, board)?,
            Space::read("afor", SquareSet::EMPTY, fields, board)?,
            Space::read("dfor", SquareSet::EMPTY, fields, board)?,
        ];
        let mut taken = SquareSet::EMPTY;
        for space in &spaces {
            if let Some(twice) = (space.squares & taken).first() {
                let reason = format!("{} is a special square of two kinds", board.name(twice));
                return refused(space.key, fields.value(space.key), reason);
            }
            taken |= space.squares;
        }
        Ok(Spaces(spaces))
    }

    /// Returns the throne.
    pub(super) fn centre(&self) -> SquareSet {
        self.0[0].squares
    }

    /// Returns the corners as the record defines them.
    pub(super) fn corners(&self) -> SquareSet {
        self.0[1].squares
    }

    /// Iterates over the named sets, for drawings and descriptions.
    pub(super) fn named(&self) -> impl Iterator<Item = (String, SquareSet)> {
        let present = self.0.iter().filter(|space| !space.squares.is_empty());
        present.map(|space| (space.key.to_owned(), space.squares))
    }

    /// Returns the movement of a kind of piece.
    pub(super) fn movement(
        &self,
        kind: Kind,
        start: &Layout,
        fields: &Fields,
        board: Board,
    ) -> Result<Movement, OtnError> {
        let all: SquareSet = board.squares().collect();
        let mut movement =
            Movement { stop: all, cross: all, gates: Vec::new(), reach: fields.speed()? };
        for space in &self.0 {
            let starting = start.squares(kind) & space.squares;
            space.restrict(&mut movement, kind, starting).or_else(|()| {
                let field = format!("{}s", space.key);
                let reason = format!(
                    "{} starts where it may pass again but never stop: rulesets cannot express this",
                    with_article(kind)
                );
                refused(&field, fields.value(&field), reason)
            })?;
        }
        Ok(movement)
    }

    /// Returns the squares hostile to a kind of piece.
    pub(super) fn hostility(&self, kind: Kind) -> Hostility {
        let mut hostility = Hostility::default();
        for space in &self.0 {
            if space.hostile_empty[kind] {
                hostility.empty |= space.squares;
            }
            if space.hostile_occupied[kind] {
                hostility.occupied |= space.squares;
            }
        }
        hostility
    }
}

impl Space {
    fn read(
        key: &'static str,
        default: SquareSet,
        fields: &Fields,
        board: Board,
    ) -> Result<Space, OtnError> {
        let hostile_occupied = fields.kinds(&format!("{key}h"))?;
        // OpenTafl reads the re-entry of other squares only if the throne's is present.
        let reads_reentry = key == "cen" || fields.get("cenre").is_some();
        Ok(Space {
            key,
            squares: fields.squares(key, board)?.unwrap_or(default),
            passable: fields.kinds(&format!("{key}p"))?,
            stoppable: fields.kinds(&format!("{key}s"))?,
            reenterable: match reads_reentry {
                true => fields.kinds(&format!("{key}re"))?,
                false => ByKind([true; 3]),
            },
            hostile_empty: match key {
                "cen" => fields.kinds("cenhe")?,
                _ => hostile_occupied,
            },
            hostile_occupied,
        })
    }

    /// Restricts the movement of a kind of piece, some of which start on these squares. Fails if no
    /// movement is equivalent.
    fn restrict(&self, movement: &mut Movement, kind: Kind, starting: SquareSet) -> Result<(), ()> {
        if !self.passable[kind] {
            movement.cross -= self.squares;
            movement.stop = (movement.stop - self.squares) | starting;
            // A piece that starts there does not return.
            movement.gates.extend(starting.iter().map(SquareSet::of));
            return Ok(());
        }
        let gated = !self.reenterable[kind];
        if !self.stoppable[kind] {
            let one = gated && self.squares.len() == 1;
            if !starting.is_empty() && !one {
                return Err(());
            }
            movement.stop = (movement.stop - self.squares) | starting;
        }
        if gated && !self.squares.is_empty() {
            movement.gates.push(self.squares);
        }
        Ok(())
    }
}
