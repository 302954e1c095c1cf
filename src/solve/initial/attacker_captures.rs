//! The captures of defenders by attacker moves.

use crate::game::board::SquareSet;
use crate::game::rules::Side;

use crate::solve::captures::by_attackers::AttackerMove;
use crate::solve::captures::groups::{capture_groups, capture_groups_with_walls};
use crate::solve::captures::soldiers::{Soldiers, Threat, Victim};
use crate::solve::frame::Frame;
use crate::solve::frame::shieldwalls::{Wall, WallThreat};
use crate::solve::initial::seeds::ImmediateMoves;
use crate::solve::initial::sub_slice::{ChildRows, SubSlices};
use crate::solve::rows::numbers::Rank;
use crate::solve::rows::row::Row;

/// Adds the values after the captures of one attacker move.
pub(super) struct AttackerCaptures<'a, 'm, const N: usize> {
    frame: &'a Frame<'a, N>,
    sub_slices: &'a SubSlices<'a, N>,
    mv: &'m AttackerMove<N>,
    children: ChildRows<N>,
    immediate: &'m mut ImmediateMoves<N>,
}

impl<'a, 'm, const N: usize> AttackerCaptures<'a, 'm, N> {
    /// Prepares to add the captures of this move to the attackers' immediate moves.
    pub(super) fn new(
        frame: &'a Frame<'a, N>,
        sub_slices: &'a SubSlices<'a, N>,
        mv: &'m AttackerMove<N>,
        immediate: &'m mut ImmediateMoves<N>,
    ) -> AttackerCaptures<'a, 'm, N> {
        AttackerCaptures { frame, sub_slices, mv, children: ChildRows::default(), immediate }
    }

    /// Adds the captures on these lanes, by defender rank.
    pub(super) fn add(mut self, lanes: &[Row<N>]) {
        let walls: Vec<WallThreat> = self.mv.walls(self.frame).collect();
        if walls.is_empty() {
            self.add_custodial(lanes);
        } else {
            self.add_with_walls(&walls, lanes);
        }
    }

    fn add_custodial(&mut self, lanes: &[Row<N>]) {
        let (frame, mv, sets) = (self.frame, self.mv, &self.frame.defenders);
        let threats: Vec<Threat> = mv.threats(frame).collect();
        let exact = mv.shielded_ranks(frame).next().is_some();
        let mut victims = Vec::with_capacity(threats.len());
        for (i, threat) in threats.iter().enumerate() {
            for &rank in sets.ranks_holding(threat.square) {
                let legal = lanes[rank.index()].without(mv.king_in_way);
                let men = sets.men(rank);
                // A row with men on several of the squares was handled at the first of them.
                if legal.is_empty() || threats[..i].iter().any(|t| sets.has_man_on(men, t.square)) {
                    continue;
                }
                let king = if exact { mv.king_captures(frame, rank) } else { mv.king_captured };
                victims.clear();
                let threatened = threats[i..].iter().filter(|t| sets.has_man_on(men, t.square));
                victims.extend(threatened.filter_map(|t| t.victim(t.is_backed(sets, rank))));
                // A move that captures the king is decisive, whatever else it captures.
                capture_groups(&frame.region, &victims, |group, captured| {
                    self.add_group(rank, captured, group & legal.without(king));
                });
            }
        }
    }

    /// Adds the captures of a move that may close shieldwalls. Few moves do, so each row is handled
    /// by itself.
    fn add_with_walls(&mut self, threats: &[WallThreat], lanes: &[Row<N>]) {
        let (frame, mv) = (self.frame, self.mv);
        for (rank, lanes) in frame.defenders.ranks().zip(lanes) {
            let legal = lanes.without(mv.king_in_way);
            if legal.is_empty() {
                continue;
            }
            let soldiers = Soldiers { attackers: mv.after, defenders: frame.defenders.set(rank) };
            let victims: Vec<Victim> =
                soldiers.victims(frame.rules, Side::Attackers, mv.to).collect();
            let walls: Vec<Wall> =
                threats.iter().filter_map(|threat| threat.wall(soldiers.defenders)).collect();
            let king = mv.king_captures(frame, rank);
            capture_groups_with_walls(&frame.region, &victims, &walls, |group, captured| {
                self.add_group(rank, captured, group & legal.without(king));
            });
        }
    }

    /// Adds the values after the capture of these defenders on these lanes of a row.
    fn add_group(&mut self, rank: Rank, captured: SquareSet, lanes: Row<N>) {
        if lanes.is_empty() {
            return;
        }
        let AttackerCaptures { frame, sub_slices, mv, children, immediate } = self;
        let number = captured.len() - 1;
        let child = &sub_slices.fewer_defenders[number];
        let rows = children.rows(number, || child.rows_of(mv.after));
        let fewer = &child.frame.defenders;
        let left = fewer.rank_without(frame.defenders.men(rank), captured);
        rows.values(
            &frame.region,
            |g| fewer.images(g)[left.index()],
            lanes,
            |code, lanes| immediate.add_capture(code, rank, lanes),
        );
    }
}
