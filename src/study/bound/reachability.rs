//! The squares that pieces can reach in a game from the start.

use std::collections::BTreeSet;

use crate::game::board::{Square, SquareSet, Symmetry, SymmetryGroup};
use crate::game::rules::{ByKind, Kind, Ruleset, Side};
use crate::game::slice::Slice;

/// If camps have more squares than this in total, they are treated as ordinary squares.
const MAX_CAMP_SQUARES: usize = 60;
/// The maximum number of squares of one camp, whose occupied sets are enumerated.
const MAX_SQUARES_OF_A_CAMP: usize = 12;

/// The squares that pieces can reach, from the start and the movement rules.
#[derive(Clone, Debug)]
pub struct Reachability<'a> {
    /// The rules.
    pub rules: &'a Ruleset,
    /// The material of the start, which only decreases.
    pub max_material: Slice,
    /// The squares that each kind can reach from the start on an otherwise empty board.
    pub reach: ByKind<SquareSet>,
    /// The camps: only attackers that have never left are in them.
    pub camps: Vec<Camp>,
    /// The symmetries of the rules that leave the start as it is and map camps to camps.
    pub group: SymmetryGroup,
}

/// Squares that attackers cannot re-enter and no other piece enters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Camp {
    /// The squares.
    pub squares: SquareSet,
    /// All sets of squares that its attackers can occupy.
    pub patterns: Vec<SquareSet>,
    /// Whether its attackers can move and all return to their squares.
    pub comes_back: bool,
}

impl<'a> Reachability<'a> {
    /// Computes the reachable squares of these rules.
    pub fn new(rules: &'a Ruleset) -> Reachability<'a> {
        let start = &rules.start;
        let reach = ByKind::from_fn(|kind| reach(rules, kind));
        let max_material =
            Slice { defenders: start.defenders.len(), attackers: start.attackers.len() };
        let group = symmetries(rules);
        let mut reachability =
            Reachability { rules, max_material, reach, camps: Vec::new(), group };
        reachability.camps = reachability.find_camps();
        reachability.group = reachability.symmetries_of_camps();
        reachability
    }

    /// Finds the gates of the attackers that no other piece enters, with their patterns.
    fn find_camps(&self) -> Vec<Camp> {
        let gates = self.rules.movement[Kind::Attacker].gates.iter();
        let others = self.reach[Kind::Defender] | self.reach[Kind::King];
        let camps: Vec<SquareSet> = gates
            .map(|&gate| gate & self.reach[Kind::Attacker])
            .filter(|&squares| {
                !squares.is_empty()
                    && !squares.meets(others)
                    && squares.len() <= MAX_SQUARES_OF_A_CAMP
            })
            .collect();
        if camps.iter().map(SquareSet::len).sum::<usize>() > MAX_CAMP_SQUARES {
            return Vec::new();
        }
        camps.into_iter().map(|squares| Camp::new(self.rules, squares)).collect()
    }

    /// Returns the symmetries that map camps to camps. Rules that write one camp as two gates move
    /// pieces alike, but have other camps than their mirror image.
    fn symmetries_of_camps(&self) -> SymmetryGroup {
        let camps: Vec<SquareSet> = self.camps.iter().map(|camp| camp.squares).collect();
        SymmetryGroup::stabilizing(|g| {
            let image = |&camp: &SquareSet| g.apply_set(self.rules.board, camp);
            self.group.contains(g) && camps.iter().all(|camp| camps.contains(&image(camp)))
        })
    }

    /// Returns the attackers of the start, if all of them are in camps and their being there
    /// proves that none has moved.
    pub fn unmoved_attackers(&self) -> Option<SquareSet> {
        let inside = self.camps.iter().fold(SquareSet::EMPTY, |all, camp| all | camp.squares);
        let attackers = self.rules.start.attackers;
        let never_return = self.camps.iter().all(|camp| !camp.comes_back);
        (attackers.is_subset(inside) && never_return).then_some(attackers)
    }
}

impl Camp {
    fn new(rules: &Ruleset, squares: SquareSet) -> Camp {
        let start = rules.start.attackers & squares;
        let mut found = BTreeSet::from([start]);
        let mut open = vec![start];
        let mut comes_back = false;
        while let Some(men) = open.pop() {
            for next in successors(rules, squares, men) {
                comes_back |= next == start;
                if found.insert(next) {
                    open.push(next);
                }
            }
        }
        Camp { squares, patterns: found.into_iter().collect(), comes_back }
    }
}

/// Returns the sets that one move or a capture makes of the attackers in a camp, if no other
/// piece is in the way.
fn successors(rules: &Ruleset, squares: SquareSet, men: SquareSet) -> BTreeSet<SquareSet> {
    let mut successors = BTreeSet::new();
    for from in men {
        if !rules.protected[Side::Attackers].contains(from) {
            successors.insert(men.without(from));
        }
        for ray in rules.slides().from(Kind::Attacker, from) {
            let free = ray.iter().take_while(|step| !men.contains(step.square));
            for step in free.filter(|step| step.ends) {
                let left = men.without(from);
                let is_inside = squares.contains(step.square);
                successors.insert(if is_inside { left.with(step.square) } else { left });
            }
        }
    }
    successors
}

/// Returns the squares that pieces of a kind can reach on an otherwise empty board without
/// ending the game.
fn reach(rules: &Ruleset, kind: Kind) -> SquareSet {
    let mut reached = rules.start.squares(kind);
    let mut open: Vec<Square> = reached.iter().collect();
    while let Some(from) = open.pop() {
        let next = rules.slides().reach(kind, from) & rules.places(kind);
        open.extend(next - reached);
        reached |= next;
    }
    reached
}

fn symmetries(rules: &Ruleset) -> SymmetryGroup {
    let group = rules.symmetries();
    SymmetryGroup::stabilizing(|g: Symmetry| {
        group.contains(g)
            && Kind::ALL
                .into_iter()
                .map(|kind| rules.start.squares(kind))
                .all(|squares| g.apply_set(rules.board, squares) == squares)
    })
}
