//! Where men can be in a game from the start.

use std::collections::BTreeSet;

use crate::game::board::{Square, SquareSet, Symmetry, SymmetryGroup};
use crate::game::rules::{ByKind, Kind, Ruleset, Side};
use crate::game::slice::Slice;

/// Camps with more squares than this, all together, are counted as other squares are.
const MAX_CAMP_SQUARES: usize = 60;
/// Sets of men in one camp are listed one by one.
const MAX_SQUARES_OF_A_CAMP: usize = 12;

/// What the start and the ways of the men say about where they can be.
#[derive(Clone, Debug)]
pub struct Ground<'a> {
    /// The rules.
    pub rules: &'a Ruleset,
    /// The men of the start: there are never more.
    pub most: Slice,
    /// The squares to which each kind can come from the start, if nobody is in the way.
    pub reach: ByKind<SquareSet>,
    /// Where attackers are that have never left, and nobody else.
    pub camps: Vec<Camp>,
    /// The symmetries of the rules that leave the start as it is.
    pub group: SymmetryGroup,
}

/// Squares that attackers leave for good, and that nobody else enters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Camp {
    /// The squares.
    pub squares: SquareSet,
    /// The attackers that may be there, whatever happens elsewhere.
    pub patterns: Vec<SquareSet>,
    /// Whether its men can have moved once and all be where they were.
    pub comes_back: bool,
}

impl<'a> Ground<'a> {
    /// What follows from these rules.
    pub fn new(rules: &'a Ruleset) -> Ground<'a> {
        let start = &rules.start;
        let reach = ByKind::from_fn(|kind| reach(rules, kind));
        let most = Slice { defenders: start.defenders.len(), attackers: start.attackers.len() };
        let mut ground = Ground { rules, most, reach, camps: Vec::new(), group: symmetries(rules) };
        ground.camps = ground.find_camps();
        ground
    }

    /// The gates of the attackers that are nobody else's, with what may be in them.
    fn find_camps(&self) -> Vec<Camp> {
        let gates = self.rules.movement[Kind::Attacker].gates.iter();
        let others = self.reach[Kind::Defender] | self.reach[Kind::King];
        let squares = gates.map(|&gate| gate & self.reach[Kind::Attacker]);
        let camps = squares.filter(|&squares| {
            !squares.is_empty() && !squares.meets(others) && squares.len() <= MAX_SQUARES_OF_A_CAMP
        });
        let camps: Vec<SquareSet> = camps.collect();
        if camps.iter().map(SquareSet::len).sum::<usize>() > MAX_CAMP_SQUARES {
            return Vec::new();
        }
        camps.into_iter().map(|squares| Camp::new(self.rules, squares)).collect()
    }

    /// The attackers of the start, if they are all in camps and none of them can have moved
    /// where they all are there.
    pub fn unmoved_attackers(&self) -> Option<SquareSet> {
        let inside = self.camps.iter().fold(SquareSet::EMPTY, |all, camp| all | camp.squares);
        let attackers = self.rules.start.attackers;
        let is_so = attackers.is_subset(inside) && self.camps.iter().all(|camp| !camp.comes_back);
        is_so.then_some(attackers)
    }
}

impl Camp {
    fn new(rules: &Ruleset, squares: SquareSet) -> Camp {
        let start = rules.start.attackers & squares;
        let mut found = BTreeSet::from([start]);
        let mut open = vec![start];
        let mut comes_back = false;
        while let Some(men) = open.pop() {
            for next in nexts(rules, squares, men) {
                comes_back |= next == start;
                if found.insert(next) {
                    open.push(next);
                }
            }
        }
        Camp { squares, patterns: found.into_iter().collect(), comes_back }
    }
}

/// What one move, or a capture, makes of the men in a camp if nobody else is in the way.
fn nexts(rules: &Ruleset, squares: SquareSet, men: SquareSet) -> BTreeSet<SquareSet> {
    let mut nexts = BTreeSet::new();
    for from in men {
        if !rules.protected[Side::Attackers].contains(from) {
            nexts.insert(men.without(from));
        }
        for ray in rules.slides().from(Kind::Attacker, from) {
            let free = ray.iter().take_while(|step| !men.contains(step.square));
            for step in free.filter(|step| step.ends) {
                let left = men.without(from);
                let is_inside = squares.contains(step.square);
                nexts.insert(if is_inside { left.with(step.square) } else { left });
            }
        }
    }
    nexts
}

/// The squares to which pieces of a kind can come on an otherwise empty board, and where the
/// game goes on.
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
        let kept = |set: SquareSet| g.apply_set(rules.board, set) == set;
        group.contains(g) && Kind::ALL.into_iter().all(|kind| kept(rules.start.squares(kind)))
    })
}
