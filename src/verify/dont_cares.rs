//! The don't-cares of a table, as defined in [`dont_care`](crate::dont_care), but computed by
//! the verifier's own code.

use crate::game::board::{Board, Square, SquareSet, Symmetry, SymmetryGroup};
use crate::game::rules::{Kind, Ruleset, Side};

use super::custodial::{CustodialCaptures, KingLine};
use super::geometry::{BlockAttackers, DefenderSets, Geometry};
use super::score::Score;

/// Finds the positions that are decided in one move, and the least images.
pub(super) struct DontCares<'a, T> {
    geometry: &'a Geometry<T>,
    custodial: CustodialCaptures<'a>,
    kings: SquareSet,
    /// By symmetry.
    king_images: [KingImages; 8],
    escapes: Vec<Escape>,
}

/// The king squares, by the effect of a symmetry.
#[derive(Clone, Copy)]
struct KingImages {
    /// Those whose image is greater.
    greater: SquareSet,
    /// Those that are their own image.
    fixed: SquareSet,
}

/// A set of attackers, with what can be computed without the defenders.
pub(super) struct AttackerContext {
    pub set: SquareSet,
    /// Their moves that may capture the king, if they are to move.
    king_captures: Vec<KingCapture>,
    /// The king's escapes that they do not block, if the defenders are to move.
    escapes: Vec<Escape>,
    /// The symmetries that leave them unchanged.
    stabilizer: SymmetryGroup,
}

/// A move of an attacker that may capture the king.
struct KingCapture {
    path: SquareSet,
    /// The attackers after the move.
    attackers: SquareSet,
    /// The line on which the king is captured.
    line: KingLine,
}

/// A king square, and the squares that must be free for the king to escape from there.
#[derive(Clone, Copy)]
struct Escape {
    king: Square,
    path: SquareSet,
}

impl AttackerContext {
    /// Creates an empty set, whose buffers [`DontCares::set_attackers`] reuses.
    pub(super) fn empty() -> AttackerContext {
        let (set, stabilizer) = (SquareSet::EMPTY, SymmetryGroup::TRIVIAL);
        AttackerContext { set, king_captures: Vec::new(), escapes: Vec::new(), stabilizer }
    }

    /// Returns the symmetries, other than the identity, that leave the attackers unchanged.
    pub(super) fn own_symmetries(&self) -> impl Iterator<Item = Symmetry> {
        self.stabilizer.iter().filter(|&symmetry| symmetry != Symmetry::IDENTITY)
    }
}

impl KingImages {
    fn new(board: Board, kings: SquareSet, symmetry: Symmetry) -> KingImages {
        KingImages {
            greater: kings.iter().filter(|&king| symmetry.apply(board, king) > king).collect(),
            fixed: kings.iter().filter(|&king| symmetry.apply(board, king) == king).collect(),
        }
    }
}

impl<'a, T: Score> DontCares<'a, T> {
    pub(super) fn new(rules: &'a Ruleset, geometry: &'a Geometry<T>) -> DontCares<'a, T> {
        let kings = rules.places(Kind::King);
        let custodial = CustodialCaptures::new(rules);
        let king_images =
            Symmetry::ALL.map(|symmetry| KingImages::new(rules.board, kings, symmetry));
        DontCares { geometry, custodial, kings, king_images, escapes: find_escapes(rules) }
    }

    /// Replaces the context by that of a block's attackers, with a side to move.
    pub(super) fn set_attackers(
        &self,
        attackers: &BlockAttackers,
        side: Side,
        context: &mut AttackerContext,
    ) {
        let &BlockAttackers { set, stabilizer } = attackers;
        (context.set, context.stabilizer) = (set, stabilizer);
        context.king_captures.clear();
        context.escapes.clear();
        match side {
            Side::Attackers => self.add_king_captures(set, &mut context.king_captures),
            Side::Defenders => {
                let open = self.escapes.iter().filter(|escape| !escape.path.meets(set));
                context.escapes.extend(open);
            }
        }
    }

    fn add_king_captures(&self, set: SquareSet, king_captures: &mut Vec<KingCapture>) {
        for from in set {
            for slide in self.geometry.free_slides(Side::Attackers, from, set) {
                let attackers = set.without(from).with(slide.to);
                let path = slide.path;
                let lines = self.custodial.king_capture_lines(slide.to, attackers);
                king_captures.extend(
                    lines.filter(|line| !path.contains(line.king)).map(|line| KingCapture {
                        path,
                        attackers,
                        line,
                    }),
                );
            }
        }
    }

    /// Returns the king squares for which the side to move captures the king or escapes with
    /// him in one move.
    pub(super) fn decided(&self, attackers: &AttackerContext, defenders: SquareSet) -> SquareSet {
        let mut kings = SquareSet::EMPTY;
        for KingCapture { path, attackers, line } in &attackers.king_captures {
            if !kings.contains(line.king)
                && !path.meets(defenders)
                && self.custodial.king(*line, *attackers, defenders)
            {
                kings.insert(line.king);
            }
        }
        for escape in &attackers.escapes {
            if !escape.path.meets(defenders) {
                kings.insert(escape.king);
            }
        }
        kings - attackers.set - defenders
    }

    /// Returns the king squares for which the position is its own least image, by lane and then
    /// by row; squares of soldiers are included. `defenders` is the number of the defenders' set.
    pub(super) fn least(
        &self,
        attackers: &AttackerContext,
        sets: &DefenderSets,
        defenders: usize,
    ) -> SquareSet {
        attackers.own_symmetries().fold(self.kings, |kings, symmetry| {
            let KingImages { greater, fixed } = self.king_images[symmetry.index()];
            // The rows of one set of attackers are in the order of the defenders' numbers.
            let is_less = sets.image(symmetry, defenders) < defenders;
            kings & if is_less { greater } else { greater | fixed }
        })
    }

    /// Returns the lanes of these squares.
    pub(super) fn lanes(&self, kings: SquareSet) -> impl Iterator<Item = usize> + '_ {
        kings.into_iter().filter_map(|king| self.geometry.lanes.lane(king).map(usize::from))
    }

    /// Returns the image of each lane.
    pub(super) fn lane_images(&self, symmetry: Symmetry) -> &[u16] {
        self.geometry.lane_images(symmetry)
    }
}

/// Returns the king's paths to the first goal on each ray.
fn find_escapes(rules: &Ruleset) -> Vec<Escape> {
    let mut escapes = Vec::new();
    for king in rules.places(Kind::King) {
        for ray in rules.slides().from(Kind::King, king) {
            let goal = ray.iter().position(|step| step.ends && rules.goals.contains(step.square));
            if let Some(last) = goal {
                let path = ray[..=last].iter().map(|step| step.square).collect();
                escapes.push(Escape { king, path });
            }
        }
    }
    escapes
}
