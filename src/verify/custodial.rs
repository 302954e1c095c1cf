use crate::game::board::{Board, Direction, Square, SquareSet};
use crate::game::rules::{Hostility, Kind, Ruleset, Side};

/// Captures, implemented from the ruleset's decisions, independently of the move generator.
///
/// Captures of soldiers are first computed without the king, since they depend on his square
/// on only a few lanes.
#[derive(Debug)]
pub(super) struct CustodialCaptures<'a> {
    pub rules: &'a Ruleset,
    /// By square of arrival: each neighbour with a square behind it. The edge of the board is
    /// never hostile to soldiers.
    lines: Vec<Vec<Line>>,
    /// By square.
    neighbours: Vec<SquareSet>,
    /// By square of arrival: each neighbour on which a king may be captured, with the squares where
    /// further attackers are needed in any case.
    king_lines: Vec<Vec<(KingLine, SquareSet)>>,
    /// By square of arrival: both ways along the edge, if the rules have shieldwalls.
    edges: Vec<Vec<EdgeWay>>,
}

/// A king beside the square of arrival.
#[derive(Clone, Copy, Debug)]
pub(super) struct KingLine {
    pub king: Square,
    /// The squares beside him that must be hostile, too.
    closing: SquareSet,
}

/// The squares along an edge, nearest first: those before the corner, each with the square in front
/// of it, and the corner.
#[derive(Debug)]
struct EdgeWay {
    squares: Vec<(Square, Square)>,
    corner: Square,
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

    fn is_occupied(&self, square: Square) -> bool {
        (self.attackers | self.of(Side::Defenders)).contains(square)
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
            edges: Vec::new(),
        };
        if rules.shieldwall {
            captures.edges = board.squares().map(|at| edge_ways(board, at)).collect();
        }
        captures.king_lines = board.squares().map(|at| captures.king_lines_from(at)).collect();
        captures
    }

    fn king_lines_from(&self, at: Square) -> Vec<(KingLine, SquareSet)> {
        let Hostility { empty, occupied, besieged } = self.rules.hostile[Kind::King];
        let mut king_lines = Vec::new();
        for king in self.neighbours(at) & self.rules.places(Kind::King) {
            let (closing, sides) = match self.rules.surrounded.contains(king) {
                true => (self.neighbours(king).without(at), 3),
                false => {
                    let line = self.lines(at).iter().find(|line| line.victim == king);
                    (line.map(|line| line.beyond).into_iter().collect(), 1)
                }
            };
            // Sides off the board are closed only if the edge is hostile to him.
            if closing.len() == sides || self.rules.king_edge_hostile {
                // Squares that may be hostile need no attacker.
                let needed = closing - (empty | occupied | besieged);
                king_lines.push((KingLine { king, closing }, needed));
            }
        }
        king_lines
    }

    /// Returns the men of a side that take part in captures.
    fn captors(&self, side: Side, men: &Men) -> SquareSet {
        match side {
            Side::Defenders if !self.rules.king_armed => men.defenders,
            _ => men.of(side),
        }
    }

    /// Returns whether arrivals on this square may close a shieldwall.
    pub(super) fn is_at_edge(&self, at: Square) -> bool {
        self.edges.get(at.index()).is_some_and(|ways| !ways.is_empty())
    }

    /// Returns the soldiers in the rows that an arrival on `at` walls in.
    fn walled_in(&self, mover: Side, at: Square, men: &Men) -> SquareSet {
        let (captors, side) = (self.captors(mover, men), mover.other());
        let enemies = men.of(side);
        let mut captured = SquareSet::EMPTY;
        for EdgeWay { squares, corner } in self.edges.get(at.index()).into_iter().flatten() {
            let walled = squares.iter().take_while(|(square, front)| {
                enemies.contains(*square) && captors.contains(*front)
            });
            let row: SquareSet = walled.map(|&(square, _)| square).collect();
            let is_closed = match squares.get(row.len()) {
                Some((end, _)) => captors.contains(*end),
                None => captors.contains(*corner) || !men.is_occupied(*corner),
            };
            if is_closed && row.len() > 1 {
                captured |= row;
            }
        }
        (captured & men.soldiers(side)) - self.rules.protected[side] - self.rules.unaided[side]
    }

    /// Returns the rows of attackers along the edge beside this square that walls may capture.
    pub(super) fn rows_beside(
        &self,
        at: Square,
        attackers: SquareSet,
    ) -> impl Iterator<Item = SquareSet> + '_ {
        let spared = self.rules.protected[Side::Attackers] | self.rules.unaided[Side::Attackers];
        self.edges
            .get(at.index())
            .into_iter()
            .flatten()
            .map(move |way| {
                let squares = way.squares.iter().map(|&(square, _)| square);
                squares.take_while(|&square| attackers.contains(square)).collect::<SquareSet>()
                    - spared
            })
            .filter(|row| !row.is_empty())
    }

    /// Returns the king squares for which rows beside `at` may be walled in or not.
    fn king_matters_at_edge(&self, mover: Side, at: Square, attackers: SquareSet) -> SquareSet {
        let mut kings = SquareSet::EMPTY;
        for EdgeWay { squares, corner } in self.edges.get(at.index()).into_iter().flatten() {
            // The first two of a row, or the men in front of them.
            let of_attackers = squares.iter().take(2).filter(|&&(square, front)| {
                attackers.contains(if mover == Side::Attackers { front } else { square })
            });
            if of_attackers.count() == 2 {
                kings.extend(squares.iter().flat_map(|&(square, front)| [square, front]));
                kings.insert(*corner);
            }
        }
        kings
    }

    /// Returns the squares next to this one.
    pub(super) fn neighbours(&self, square: Square) -> SquareSet {
        self.neighbours[square.index()]
    }

    /// Returns the lines on which a piece arriving on `at` may capture.
    pub(super) fn lines(&self, at: Square) -> &[Line] {
        &self.lines[at.index()]
    }

    /// Returns the soldiers that a piece of `mover` captures by arriving on `at`; an unarmed king
    /// is not asked about.
    pub(super) fn soldiers(&self, mover: Side, at: Square, men: &Men) -> SquareSet {
        let victims = men.soldiers(mover.other());
        let custodial: SquareSet = self
            .lines(at)
            .iter()
            .filter(|line| victims.contains(line.victim) && self.captures_on(mover, **line, men))
            .map(|line| line.victim)
            .collect();
        if self.edges.is_empty() { custodial } else { custodial | self.walled_in(mover, at, men) }
    }

    /// Returns the king squares for which the result of [`CustodialCaptures::soldiers`] may
    /// differ from that without a king: behind a victim, around a square that is hostile only
    /// while its occupant is besieged, and around rows at the edge.
    pub(super) fn king_matters(&self, mover: Side, at: Square, men: &Men) -> SquareSet {
        let victims = men.soldiers(mover.other());
        let besieged = self.hostility(mover.other().soldier()).besieged;
        let mut squares = self.king_matters_at_edge(mover, at, men.attackers);
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
        let captors = self.captors(mover, men);
        if self.rules.protected[side].contains(line.victim) {
            return false;
        }
        if men.of(mover).contains(line.beyond) {
            return captors.contains(line.beyond);
        }
        !self.rules.unaided[side].contains(line.victim)
            && self.is_hostile(self.hostility(side.soldier()), line, captors, men.of(side))
    }

    /// Returns whether an attacker that has arrived next to the king on this line captures him.
    pub(super) fn king(&self, line: KingLine, attackers: SquareSet, defenders: SquareSet) -> bool {
        let (hostility, victim) = (self.hostility(Kind::King), line.king);
        line.closing.iter().all(|beyond| {
            attackers.contains(beyond)
                || self.is_hostile(hostility, Line { victim, beyond }, attackers, defenders)
        })
    }

    /// Returns the lines on which an attacker that arrives on `at` may capture a king, for some
    /// placement of the defenders; `attackers` is after the move.
    pub(super) fn king_capture_lines(
        &self,
        at: Square,
        attackers: SquareSet,
    ) -> impl Iterator<Item = KingLine> {
        self.king_lines[at.index()]
            .iter()
            .filter(move |(line, needed)| {
                needed.is_subset(attackers) && !attackers.contains(line.king)
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

/// Returns both ways along the edge from a square there; none from corners and inner squares.
fn edge_ways(board: Board, at: Square) -> Vec<EdgeWay> {
    let (file, rank, last) = (board.file(at), board.rank(at), board.size() - 1);
    // A square by its distances from the first corner and from the edge.
    let place: Box<dyn Fn(usize, usize) -> Square> = match (file, rank) {
        (0, _) => Box::new(|along, inwards| board.at(inwards, along)),
        (_, 0) => Box::new(|along, inwards| board.at(along, inwards)),
        (file, _) if file == last => Box::new(|along, inwards| board.at(last - inwards, along)),
        (_, rank) if rank == last => Box::new(|along, inwards| board.at(along, last - inwards)),
        _ => return Vec::new(),
    };
    if board.corners().contains(at) {
        return Vec::new();
    }
    let along = if [0, last].contains(&file) { rank } else { file };
    let with_front = |at: usize| (place(at, 0), place(at, 1));
    vec![
        EdgeWay { squares: (1..along).rev().map(with_front).collect(), corner: place(0, 0) },
        EdgeWay { squares: (along + 1..last).map(with_front).collect(), corner: place(last, 0) },
    ]
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
