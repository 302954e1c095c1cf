//! Captures by an arriving piece, for all squares of the king at once.

use crate::game::board::{Direction, Square, SquareSet};
use crate::game::rules::{Kind, Ruleset, Side};

use crate::solve::frame::Frame;
use crate::solve::frame::defender_sets::DefenderSets;
use crate::solve::frame::region::Region;
use crate::solve::rows::numbers::Rank;
use crate::solve::rows::row::Row;

/// A soldier beside the square of arrival that may be captured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Victim {
    /// Its square.
    pub square: Square,
    /// The far anvil: the square beyond the soldier.
    pub anvil: Square,
    /// Whether it is captured while the king is not on the anvil.
    pub without_king: bool,
    /// Whether it is captured while the king is on the anvil.
    pub with_king: bool,
}

/// An attacker beside a hostile square, which the king can capture without a defender's help.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exposed {
    /// Its square.
    pub attacker: Square,
    /// The square of the king's arrival.
    pub to: Square,
    /// The hostile square.
    pub anvil: Square,
}

/// Returns every way in which an attacker can be exposed under the rules; none if the king is
/// unarmed.
pub(crate) fn exposed(rules: &Ruleset) -> impl Iterator<Item = Exposed> + '_ {
    let slides = rules.slides();
    let to_attackers = &rules.hostile[Kind::Attacker];
    let hostile = to_attackers.empty | to_attackers.occupied | to_attackers.besieged;
    let attackers = if rules.king_armed { rules.places(Kind::Attacker) } else { SquareSet::EMPTY };
    attackers.iter().flat_map(move |attacker| {
        Direction::ALL.into_iter().filter_map(move |direction| {
            let anvil = slides.next(attacker, direction)?;
            let to = slides.next(attacker, direction.opposite())?;
            hostile.contains(anvil).then_some(Exposed { attacker, to, anvil })
        })
    })
}

/// The soldiers of both sides after a move; the king may be anywhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Soldiers {
    /// The attackers.
    pub attackers: SquareSet,
    /// The defending soldiers.
    pub defenders: SquareSet,
}

impl Soldiers {
    /// Returns the soldiers of one side.
    pub(crate) fn of(&self, side: Side) -> SquareSet {
        match side {
            Side::Attackers => self.attackers,
            Side::Defenders => self.defenders,
        }
    }

    /// Returns the soldiers that a piece of `mover` arriving on `to` captures on at least one lane.
    /// The mover is among the soldiers, unless it is the king.
    pub(crate) fn victims<'a>(
        &'a self,
        rules: &'a Ruleset,
        mover: Side,
        to: Square,
    ) -> impl Iterator<Item = Victim> + 'a {
        let side = mover.other();
        Direction::ALL.into_iter().filter_map(move |direction| {
            let square = rules.slides().next(to, direction)?;
            let anvil = rules.slides().next(square, direction)?;
            self.of(side).contains(square).then(|| self.victim(rules, side, square, anvil))?
        })
    }

    /// Returns the lanes on which a soldier of `mover` that has arrived on `to` captures no soldier.
    #[inline]
    pub(crate) fn quiet<const N: usize>(
        &self,
        frame: &Frame<N>,
        mover: Side,
        to: Square,
    ) -> Row<N> {
        let Frame { rules, region, walls, .. } = frame;
        let victims = self.victims(rules, mover, to);
        let unwalled = victims.fold(!Row::EMPTY, |quiet, victim| quiet & victim.quiet(region));
        let threats = walls.threats(mover, self.attackers, to);
        let closed = threats.filter_map(|threat| threat.wall(self.defenders));
        closed.fold(unwalled, |quiet, wall| quiet & wall.quiet(region))
    }

    /// Returns the soldier of `side` on `square`, if an enemy arriving opposite `anvil` captures it
    /// on at least one lane.
    pub(crate) fn victim(
        &self,
        rules: &Ruleset,
        side: Side,
        square: Square,
        anvil: Square,
    ) -> Option<Victim> {
        if rules.protected[side].contains(square) {
            return None;
        }
        let (without_king, with_king) = self.hostile(rules, side, square, anvil);
        (without_king || with_king).then_some(Victim { square, anvil, without_king, with_king })
    }

    /// Returns whether `anvil` is hostile to a soldier of `side` on `square` while the king is
    /// elsewhere, and while the king is on it.
    fn hostile(&self, rules: &Ruleset, side: Side, square: Square, anvil: Square) -> (bool, bool) {
        if self.of(side.other()).contains(anvil) {
            return (true, true);
        }
        let aided = !rules.unaided[side].contains(square);
        let hostile = &rules.hostile[side.soldier()];
        let own = aided
            && (hostile.occupied.contains(anvil)
                || hostile.besieged.contains(anvil) && self.besieged(rules, side, square, anvil));
        if self.of(side).contains(anvil) {
            return (own, own);
        }
        let with_king = match side {
            Side::Attackers => rules.king_armed,
            Side::Defenders => own,
        };
        (aided && hostile.empty.contains(anvil), with_king)
    }

    /// Returns whether enemies of `side` stand on all neighbours of `anvil` but `square`.
    fn besieged(&self, rules: &Ruleset, side: Side, square: Square, anvil: Square) -> bool {
        let enemies = self.of(side.other());
        Direction::ALL.into_iter().all(|direction| {
            let next = rules.slides().next(anvil, direction);
            next.is_none_or(|next| next == square || enemies.contains(next))
        })
    }

    /// Returns the lanes on which an attacker arriving on `to` captures the king.
    pub(crate) fn king_captures<const N: usize>(
        &self,
        rules: &Ruleset,
        region: &Region<N>,
        to: Square,
    ) -> Row<N> {
        Direction::ALL.into_iter().fold(Row::EMPTY, |lanes, direction| {
            let Some(king) = rules.slides().next(to, direction) else {
                return lanes;
            };
            let captured = if rules.surrounded.contains(king) {
                Direction::ALL.into_iter().all(|d| self.closes(rules, king, d))
            } else {
                self.closes(rules, king, direction)
            };
            if captured { lanes | region.bit(king) } else { lanes }
        })
    }

    /// Returns whether the neighbour of the king in the direction helps to capture it.
    #[inline(always)]
    fn closes(&self, rules: &Ruleset, king: Square, direction: Direction) -> bool {
        let against = &rules.hostile[Kind::King];
        rules.slides().next(king, direction).map_or(rules.king_edge_hostile, |square| {
            self.attackers.contains(square)
                || if self.defenders.contains(square) {
                    against.occupied.contains(square)
                } else {
                    against.empty.contains(square)
                }
        })
    }
}

/// A neighbour of the square of arrival on which the arriving piece may capture a soldier. Apart
/// from the attackers, the capture depends only on the king and on a defender on the anvil.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Threat {
    /// The square.
    pub square: Square,
    /// The far anvil: the square beyond.
    pub anvil: Square,
    /// Whether a defender on the anvil makes a difference.
    pub can_be_backed: bool,
    lone: Option<Victim>,
    backed: Option<Victim>,
}

impl Threat {
    /// Returns the threats of a piece of `mover` that has arrived on `to`, given the attackers
    /// after the move.
    pub(crate) fn by_arrival(
        rules: &Ruleset,
        mover: Side,
        attackers: SquareSet,
        to: Square,
    ) -> impl Iterator<Item = Threat> + '_ {
        let slides = rules.slides();
        let side = mover.other();
        let hostile = &rules.hostile[side.soldier()];
        // A king or a defender on the anvil captures attackers.
        let anvils = match side {
            Side::Attackers => !SquareSet::EMPTY,
            Side::Defenders => attackers | hostile.empty | hostile.occupied | hostile.besieged,
        };
        Direction::ALL.into_iter().filter_map(move |direction| {
            let square = slides.next(to, direction)?;
            let anvil = slides.next(square, direction)?;
            let enemy = attackers.contains(square) == (side == Side::Attackers);
            if !enemy || !anvils.contains(anvil) {
                return None;
            }
            let victims = SquareSet::of(square) - attackers;
            let can_be_backed =
                rules.places(Kind::Defender).contains(anvil) && !attackers.contains(anvil);
            let soldiers = Soldiers { attackers, defenders: victims };
            let with_anvil = Soldiers { attackers, defenders: victims.with(anvil) };
            let lone = soldiers.victim(rules, side, square, anvil);
            let backed =
                if can_be_backed { with_anvil.victim(rules, side, square, anvil) } else { None };
            let threat = Threat { square, anvil, can_be_backed, lone, backed };
            (lone.is_some() || backed.is_some()).then_some(threat)
        })
    }

    /// Returns whether a defender of the row stands on the anvil.
    #[inline]
    pub(crate) fn is_backed(&self, sets: &DefenderSets, rank: Rank) -> bool {
        self.can_be_backed && sets.has_man_on(sets.men(rank), self.anvil)
    }

    /// Returns the soldier on the square, if it is captured on at least one lane.
    #[inline]
    pub(crate) fn victim(&self, backed: bool) -> Option<Victim> {
        if backed { self.backed } else { self.lone }
    }
}

impl Victim {
    /// Returns the lanes on which the soldier is not captured.
    pub(crate) fn quiet<const N: usize>(&self, region: &Region<N>) -> Row<N> {
        let anvil = region.bit(self.anvil);
        match (self.without_king, self.with_king) {
            (true, true) => Row::EMPTY,
            (true, false) => anvil,
            (false, true) => !anvil,
            (false, false) => !Row::EMPTY,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::capture::Captures;
    use crate::game::position::Position;
    use crate::game::slice::Slice;
    use crate::solve::captures::groups::capture_groups_with_walls;
    use crate::solve::frame::shieldwalls::{Shieldwalls, Wall};
    use crate::solve::test_support::{RULESETS, kings, soldiers, with_words};

    /// Returns the captures of an arrived piece according to the game's own rules.
    fn game_captures(
        rules: &Ruleset,
        soldiers: Soldiers,
        king: Square,
        mover: Side,
        to: Square,
    ) -> Captures {
        let Soldiers { attackers, defenders } = soldiers;
        let board = Position { attackers, defenders, king, to_move: mover, rules: rules.id() };
        Captures::by_arrival(rules, &board, mover, to)
    }

    /// Returns all walls of the rules, whatever the numbers of men.
    fn all_walls(rules: &Ruleset) -> Shieldwalls {
        Shieldwalls::new(rules, Slice { defenders: 9, attackers: 9 })
    }

    fn check_arrival<const N: usize>(
        rules: &Ruleset,
        region: &Region<N>,
        soldiers: Soldiers,
        mover: Side,
        to: Square,
    ) {
        let victims: Vec<Victim> = soldiers.victims(rules, mover, to).collect();
        let threats = Threat::by_arrival(rules, mover, soldiers.attackers, to);
        let met = threats.filter(|threat| soldiers.of(mover.other()).contains(threat.square));
        let victim = |threat: Threat| {
            threat.victim(threat.can_be_backed && soldiers.defenders.contains(threat.anvil))
        };
        assert_eq!(met.filter_map(victim).collect::<Vec<_>>(), victims, "threats by {to:?}");
        let mut groups: Vec<(Row<N>, SquareSet)> = Vec::new();
        let possible = all_walls(rules);
        let threats = possible.threats(mover, soldiers.attackers, to);
        let walls: Vec<Wall> =
            threats.filter_map(|threat| threat.wall(soldiers.defenders)).collect();
        capture_groups_with_walls(region, &victims, &walls, |lanes, captured| {
            groups.push((lanes, captured));
        });
        let unwalled = victims.iter().fold(!Row::EMPTY, |quiet, v| quiet & v.quiet(region));
        let quiet = walls.iter().fold(unwalled, |quiet, wall| quiet & wall.quiet(region));
        let king_captures = soldiers.king_captures(rules, region, to);
        for king in kings(rules, soldiers) {
            let lane = region.bit(king);
            let mut here = groups.iter().filter(|(lanes, _)| !(*lanes & lane).is_empty());
            let captured = here.next().map_or(SquareSet::EMPTY, |(_, captured)| *captured);
            let expected = game_captures(rules, soldiers, king, mover, to);
            assert_eq!(captured, expected.soldiers, "{soldiers:?}, king {king:?} to {to:?}");
            assert!(here.next().is_none(), "groups share no lane");
            assert_eq!(!(quiet & lane).is_empty(), captured.is_empty());
            if mover == Side::Attackers {
                assert_eq!(
                    !(king_captures & lane).is_empty(),
                    expected.king,
                    "{soldiers:?} to {to:?}"
                );
            }
        }
    }

    fn check<const N: usize>(rules: &'static Ruleset) {
        let region = Region::<N>::new(rules);
        proptest!(ProptestConfig::with_cases(300), |(soldiers in soldiers(rules))| {
            for mover in Side::ALL {
                for to in soldiers.of(mover) {
                    check_arrival(rules, &region, soldiers, mover, to);
                }
            }
            for king in kings(rules, soldiers) {
                let victims = soldiers.victims(rules, Side::Defenders, king);
                let armed = victims.filter(|v| v.without_king && rules.king_armed);
                let custodial: SquareSet = armed.map(|v| v.square).collect();
                let possible = all_walls(rules);
                let threats = possible.threats(Side::Defenders, soldiers.attackers, king);
                let captured = threats.fold(custodial, |all, threat| {
                    all | threat.victims_of_king(soldiers.defenders)
                });
                let expected = game_captures(rules, soldiers, king, Side::Defenders, king).soldiers;
                assert_eq!(captured, expected, "by the king on {king:?}");
            }
        });
    }

    #[test]
    fn captures_agree_with_the_game() {
        for rules in &*RULESETS {
            with_words!(check, rules);
        }
    }
}
