//! The sets of soldiers that a move captures together, with the lanes of each.

use crate::game::board::{Square, SquareSet};

use crate::solve::captures::soldiers::Victim;
use crate::solve::frame::region::Region;
use crate::solve::frame::shieldwalls::Wall;
use crate::solve::rows::row::Row;

/// Calls `group` for every set of men captured together, with the lanes on which exactly that set
/// is captured. Lanes without captures are left out.
pub(crate) fn capture_groups<const N: usize>(
    region: &Region<N>,
    victims: &[Victim],
    mut group: impl FnMut(Row<N>, SquareSet),
) {
    let always: SquareSet = victims.iter().filter(|v| v.without_king).map(|v| v.square).collect();
    let mut rest: Row<N> = !Row::EMPTY;
    for victim in victims.iter().filter(|v| v.with_king != v.without_king) {
        // On this lane the king is on this anvil, so it is on no other one.
        let anvil = region.bit(victim.anvil);
        let captured = if victim.with_king {
            always.with(victim.square)
        } else {
            always.without(victim.square)
        };
        if !captured.is_empty() && !anvil.is_empty() {
            group(anvil, captured);
        }
        rest = rest.without(anvil);
    }
    if !always.is_empty() {
        group(rest, always);
    }
}

/// Calls `group` as [`capture_groups`] does, for victims of shieldwalls as well.
pub(crate) fn capture_groups_with_walls<const N: usize>(
    region: &Region<N>,
    victims: &[Victim],
    walls: &[Wall],
    mut group: impl FnMut(Row<N>, SquareSet),
) {
    if walls.is_empty() {
        return capture_groups(region, victims, group);
    }
    let captured = |king: Option<Square>| -> SquareSet {
        let custodial = victims.iter().filter(|victim| match king == Some(victim.anvil) {
            true => victim.with_king,
            false => victim.without_king,
        });
        let custodial: SquareSet = custodial.map(|victim| victim.square).collect();
        let standing = walls.iter().filter(|wall| wall.captures(king));
        standing.fold(custodial, |all, wall| all | wall.victims)
    };
    let anvils = victims.iter().filter(|v| v.with_king != v.without_king).map(|v| v.anvil);
    let kings: SquareSet = anvils.chain(walls.iter().filter_map(Wall::king)).collect();
    let elsewhere = !region.row(kings);
    let groups = kings.iter().map(|king| (region.bit(king), captured(Some(king))));
    for (lanes, set) in groups.chain([(elsewhere, captured(None))]) {
        if !lanes.is_empty() && !set.is_empty() {
            group(lanes, set);
        }
    }
}
