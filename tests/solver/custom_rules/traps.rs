//! Random positions in which something can be captured.

use taflbase::board::{Direction, Square, SquareSet};
use taflbase::position::Position;
use taflbase::random::SeededRng;
use taflbase::rules::{ByKind, Kind, Ruleset, Side};
use taflbase::slice::Slice;

use crate::positions::{random_position, random_square};

/// Returns a position of one kind or another, depending on its number.
pub(crate) fn any_position(rules: &Ruleset, number: usize, random: &mut SeededRng) -> Position {
    let trap = if number.is_multiple_of(2) { Trap::position(rules, random) } else { None };
    trap.unwrap_or_else(|| {
        // At most half of the squares that a kind may use, which leaves room for the others.
        let most = |kind| rules.board.size().min(rules.places(kind).len() / 2);
        let slice = Slice {
            attackers: 1 + random.below(most(Kind::Attacker)),
            defenders: random.below(most(Kind::Defender)),
        };
        random_position(rules, slice, number % 4 > 1, random)
    })
}

/// A board on which a piece is about to be captured, if the rules allow it.
struct Trap<'a> {
    rules: &'a Ruleset,
    men: ByKind<SquareSet>,
}

impl Trap<'_> {
    /// Places a piece beside a square that may help to capture it, and opposite a free square
    /// on which an enemy can arrive. `None` if a piece has no square.
    fn position(rules: &Ruleset, random: &mut SeededRng) -> Option<Position> {
        let victim = Kind::ALL[random.below(3)];
        let captor = victim.side().other();
        let direction = Direction::ALL[random.below(4)];
        let square = match random.below(2) {
            0 => any_of(&special(rules, victim), rules, random),
            _ => rules.board.step(any_of(&helping(rules, victim), rules, random), direction)?,
        };
        let anvil = rules.board.step(square, direction.opposite())?;
        let arrival = rules.board.step(square, direction)?;

        let mut trap = Trap { rules, men: Default::default() };
        trap.put(victim, square);
        match (victim.side(), random.below(3)) {
            (Side::Attackers, 0) => trap.put(Kind::Attacker, anvil),
            (Side::Defenders, 0) => trap.put(Kind::Defender, anvil),
            (_, 1) => trap.put(Kind::King, anvil),
            _ => {}
        }
        // The enemy arrives along a line; more enemies stand around both squares.
        let line = |s: Square| {
            rules.board.file(s) == rules.board.file(arrival)
                || rules.board.rank(s) == rules.board.rank(arrival)
        };
        let line: SquareSet = rules.board.squares().filter(|&s| s != arrival && line(s)).collect();
        trap.put(captor.soldier(), random_square(line, random));
        for beside in [anvil, square].into_iter().flat_map(|s| rules.board.neighbours(s)) {
            if beside != arrival && random.below(4) > 0 {
                trap.put(captor.soldier(), beside);
            }
        }
        if trap.men[Kind::King].is_empty() {
            trap.put(Kind::King, random_square(rules.places(Kind::King).without(arrival), random));
        }
        let ByKind([attackers, defenders, king]) = trap.men;
        let (king, to_move, rules_id) = (king.first()?, captor, rules.id());
        let position = Position { attackers, defenders, king, to_move, rules: rules_id };
        position.check(rules).is_ok().then_some(position)
    }

    /// Puts a piece on a square if it is free and the piece may stand there.
    fn put(&mut self, kind: Kind, square: Square) {
        let taken = self.men.iter().fold(SquareSet::EMPTY, |all, &men| all | men);
        let second_king = kind == Kind::King && !self.men[Kind::King].is_empty();
        if (self.rules.places(kind) - taken).contains(square) && !second_king {
            self.men[kind].insert(square);
        }
    }
}

/// Returns squares that help to capture such a victim.
fn helping(rules: &Ruleset, victim: Kind) -> [SquareSet; 3] {
    let hostile = rules.hostile[victim];
    [hostile.empty, hostile.occupied, hostile.besieged]
}

/// Returns squares where such a victim is not captured in the usual way.
fn special(rules: &Ruleset, victim: Kind) -> [SquareSet; 2] {
    let side = victim.side();
    match victim {
        Kind::King => [rules.surrounded; 2],
        _ => [rules.protected[side], rules.unaided[side]],
    }
}

/// Returns a square of one of the non-empty sets; if all are empty, any square.
fn any_of(sets: &[SquareSet], rules: &Ruleset, random: &mut SeededRng) -> Square {
    let mut sets: Vec<SquareSet> = sets.iter().copied().filter(|set| !set.is_empty()).collect();
    if sets.is_empty() {
        sets.push(rules.board.squares().collect());
    }
    let set = sets[random.below(sets.len())];
    random_square(set, random)
}
