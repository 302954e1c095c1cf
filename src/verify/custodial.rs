use crate::game::board::{Board, Direction, Square, SquareSet};
use crate::game::rules::{Hostility, Kind, Ruleset, Side};

/// Custodial captures, implemented from the ruleset's square sets, independently of the move
/// generator.
///
/// Captures of soldiers are first computed without the king, since they depend on his square
/// on only a few lanes.
#[derive(Debug)]
pub(super) struct CustodialCaptures<'a> {
    pub rules: &'a Ruleset,
    /// By square of arrival: each neighbour with a square behind it. The edge of the board is
    /// never hostile.
    lines: Vec<Vec<Line>>,
    /// By square.
    neighbours: Vec<SquareSet>,
    /// By square of arrival: each line on which a king may be captured, with the squares where
    /// further attackers are needed in any case.
    king_lines: Vec<Vec<(Line, Vec<Square>)>>,
}

/// A neighbour of a square of arrival, and the square behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub victim: Square,
    pub beyond: Square,
}

/// The men after a move, before captures are removed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Men {
    pub attackers: SquareSet,
    pub defenders: SquareSet,
    /// `None` for a king who is elsewhere and has no influence.
    pub king: Option<Square>,
}

impl Men {
    fn of(&self, side: Side) -> SquareSet {
        match (side, self.king) {
            (Side::Attackers, _) => self.attackers,
            (Side::Defenders, None) => self.defenders,
            (Side::Defenders, Some(king)) => self.defenders.with(king),
        }
    }

    fn soldiers(&self, side: Side) -> SquareSet {
        match side {
            Side::Attackers => self.attackers,
            Side::Defenders => self.defenders,
        }
    }
}

impl<'a> CustodialCaptures<'a> {
    pub(super) fn new(rules: &'a Ruleset) -> CustodialCaptures<'a> {
        let board = rules.board;
        let mut captures = CustodialCaptures {
            rules,
            lines: board.squares().map(|at| lines_from(board, at)).collect(),
            neighbours: board.squares().map(|at| board.neighbours(at).collect()).collect(),
            king_lines: Vec::new(),
        };
        captures.king_lines = board.squares().map(|at| captures.king_lines_from(at)).collect();
        captures
    }

    fn king_lines_from(&self, at: Square) -> Vec<(Line, Vec<Square>)> {
        let Hostility { empty, occupied, besieged } = self.rules.hostile[Kind::King];
        let kings = self.rules.places(Kind::King);
        let mut king_lines = Vec::new();
        for &line in self.lines(at).iter().filter(|line| kings.contains(line.victim)) {
            let closing = match self.rules.surrounded.contains(line.victim) {
                true => self.neighbours(line.victim).without(at),
                false => SquareSet::of(line.beyond),
            };
            // Squares that may be hostile need no attacker.
            let needed = closing - (empty | occupied | besieged);
            king_lines.push((line, needed.iter().collect()));
        }
        king_lines
    }

    /// Returns the squares next to this one.
    pub(super) fn neighbours(&self, square: Square) -> SquareSet {
        self.neighbours[square.index()]
    }

    /// Returns the lines on which a piece arriving on `at` may capture.
    pub(super) fn lines(&self, at: Square) -> &[Line] {
        &self.lines[at.index()]
    }

    /// Returns the soldiers that a piece of `mover` captures by arriving on `at`.
    pub(super) fn soldiers(&self, mover: Side, at: Square, men: &Men) -> SquareSet {
        let victims = men.soldiers(mover.other());
        self.lines(at)
            .iter()
            .filter(|line| victims.contains(line.victim) && self.captures_on(mover, **line, men))
            .map(|line| line.victim)
            .collect()
    }

    /// Returns the king squares for which the result of [`CustodialCaptures::soldiers`] may
    /// differ from that without a king: behind a victim, and around a square that is hostile
    /// only while its occupant is besieged.
    pub(super) fn king_matters(&self, mover: Side, at: Square, men: &Men) -> SquareSet {
        let victims = men.soldiers(mover.other());
        let besieged = self.hostility(mover.other().soldier()).besieged;
        let mut squares = SquareSet::EMPTY;
        for line in self.lines(at) {
            if victims.contains(line.victim) {
                squares.insert(line.beyond);
                if besieged.contains(line.beyond) {
                    squares |= self.neighbours(line.beyond);
                }
            }
        }
        squares - men.attackers - men.defenders
    }

    fn captures_on(&self, mover: Side, line: Line, men: &Men) -> bool {
        let side = mover.other();
        let captors = men.of(mover);
        if self.rules.protected[side].contains(line.victim) {
            return false;
        }
        if captors.contains(line.beyond) {
            return true;
        }
        !self.rules.unaided[side].contains(line.victim)
            && self.is_hostile(self.hostility(side.soldier()), line, captors, men.of(side))
    }

    /// Returns whether an attacker that has arrived next to the king on this line captures him.
    pub(super) fn king(&self, line: Line, attackers: SquareSet, defenders: SquareSet) -> bool {
        let hostility = self.hostility(Kind::King);
        let closes = |line: Line| {
            attackers.contains(line.beyond)
                || self.is_hostile(hostility, line, attackers, defenders)
        };
        if self.rules.surrounded.contains(line.victim) {
            let around = self.neighbours(line.victim);
            around.len() == 4 && around.iter().all(|beyond| closes(Line { beyond, ..line }))
        } else {
            closes(line)
        }
    }

    /// Returns the lines on which an attacker that arrives on `at` may capture a king, for some
    /// placement of the defenders; `attackers` is after the move.
    pub(super) fn king_capture_lines(
        &self,
        at: Square,
        attackers: SquareSet,
    ) -> impl Iterator<Item = Line> {
        self.king_lines[at.index()]
            .iter()
            .filter(move |(line, needed)| {
                needed.iter().all(|&square| attackers.contains(square))
                    && !attackers.contains(line.victim)
            })
            .map(|&(line, _)| line)
    }

    /// Returns whether the square beyond a victim is hostile without a captor on it.
    fn is_hostile(
        &self,
        hostility: &Hostility,
        line: Line,
        captors: SquareSet,
        comrades: SquareSet,
    ) -> bool {
        let square = line.beyond;
        if !comrades.contains(square) {
            return hostility.empty.contains(square);
        }
        hostility.occupied.contains(square)
            || hostility.besieged.contains(square)
                && self.neighbours(square).is_subset(captors.with(line.victim))
    }

    fn hostility(&self, kind: Kind) -> &Hostility {
        &self.rules.hostile[kind]
    }
}

fn lines_from(board: Board, at: Square) -> Vec<Line> {
    Direction::ALL
        .into_iter()
        .filter_map(|direction| {
            let victim = board.step(at, direction)?;
            Some(Line { victim, beyond: board.step(victim, direction)? })
        })
        .collect()
}
