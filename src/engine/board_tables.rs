use std::ops::BitAnd;

use crate::game::board::{Board, Direction, Square, SquareSet};
use crate::game::rules::{ByKind, BySide, Kind, Movement, RulesId, Ruleset, Side};
use crate::system::random::SeededRng;

use super::bits::Bits;
use super::edge::EdgeTables;

/// A square beyond the edge of the board.
pub(crate) const NOWHERE: usize = u16::MAX as usize;

/// Squares on the rank and the file of one square. Bit `i` of `rank` is file `i`, and bit `i` of
/// `file` is rank `i`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Lines {
    pub(crate) rank: u32,
    pub(crate) file: u32,
}

impl BitAnd for Lines {
    type Output = Lines;
    #[inline]
    fn bitand(self, other: Lines) -> Lines {
        Lines { rank: self.rank & other.rank, file: self.file & other.file }
    }
}

impl Lines {
    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.rank | self.file == 0
    }

    #[inline]
    pub(crate) fn len(self) -> u32 {
        self.rank.count_ones() + self.file.count_ones()
    }
}

/// Lookup tables for the board and its rules. They are the same for all positions.
pub(crate) struct BoardTables<const W: usize> {
    pub(crate) rules: RulesId,
    pub(crate) size: usize,
    pub(crate) all: Bits<W>,
    /// The first and the last file, which shifts must not wrap around.
    west: Bits<W>,
    east: Bits<W>,
    /// By square.
    pub(crate) rank: Vec<u8>,
    pub(crate) file: Vec<u8>,
    neighbours: Vec<[u16; 4]>,
    /// By square, the neighbours as a set.
    pub(crate) adjacent: Vec<Bits<W>>,
    /// By square and direction, in the order of [`Direction::ALL`], all squares to the edge.
    rays: Vec<[Bits<W>; 4]>,
    /// The limits of the soldiers' slides, if they are the same from every square and of any
    /// length.
    pub(crate) slide_limits: BySide<Option<SlideLimits<W>>>,
    /// By kind and square, where a piece may stop on empty lines. It may cross all squares up to
    /// these.
    pub(crate) stops: ByKind<Vec<Lines>>,
    /// By square, the goals on its rank and file.
    pub(crate) goal_lines: Vec<Lines>,
    /// By square, the squares on its rank and file that have a goal on theirs.
    pub(crate) goal_line_squares: Vec<Lines>,
    pub(crate) hostile: ByKind<HostileSquares<W>>,
    /// Squares whose occupants cannot be captured, and those where only two men can capture.
    pub(crate) protected: BySide<Bits<W>>,
    pub(crate) unaided: BySide<Bits<W>>,
    /// Squares where a king is captured from all four sides only.
    pub(crate) surrounded: Bits<W>,
    /// Whether the king captures, as the man that arrives and as the one beyond the victim.
    pub(crate) king_armed: bool,
    pub(crate) edge: EdgeTables<W>,
    /// Whether the attackers win by encircling all defenders.
    pub(crate) encirclement: bool,
    /// Whether nobody is encircled while the king sees a goal: all goals are at the edge, or the
    /// attackers do not win by encirclement.
    pub(crate) escapes_prevent_rings: bool,
    pub(crate) goals: Bits<W>,
    /// Squares that the king may cross or stop on.
    pub(crate) king_squares: Bits<W>,
    /// Zobrist keys by kind and square, and that of the side to move.
    keys: ByKind<Vec<u64>>,
    pub(crate) side_key: u64,
}

/// Where slides may end, and what they may cross.
#[derive(Clone, Copy)]
pub(crate) struct SlideLimits<const W: usize> {
    pub(crate) stop: Bits<W>,
    pub(crate) cross: Bits<W>,
}

/// Hostile squares; see [`Hostility`](crate::rules::Hostility).
pub(crate) struct HostileSquares<const W: usize> {
    pub(crate) empty: Bits<W>,
    pub(crate) occupied: Bits<W>,
    pub(crate) besieged: Bits<W>,
}

impl<const W: usize> BoardTables<W> {
    pub(crate) fn new(rules: &Ruleset) -> BoardTables<W> {
        let board = rules.board;
        let stops = ByKind::from_fn(|kind| {
            board
                .squares()
                .map(|from| lines(rules, from, rules.slides().reach(kind, from)))
                .collect()
        });
        let hostile = ByKind::from_fn(|kind| HostileSquares {
            empty: Bits::of(rules.hostile[kind].empty),
            occupied: Bits::of(rules.hostile[kind].occupied),
            besieged: Bits::of(rules.hostile[kind].besieged),
        });
        // A fixed seed: searches with one thread are reproducible.
        let mut random = SeededRng::new(0x7461_666c_6261_7365);
        let keys = ByKind::from_fn(|_| board.squares().map(|_| random.next_u64()).collect());
        let movement = &rules.movement[Kind::King];
        let goal_lines: Vec<Lines> =
            board.squares().map(|from| lines(rules, from, rules.goals)).collect();
        let on_goal_lines =
            board.squares().filter(|at| !goal_lines[at.index()].is_empty()).collect();
        let goal_line_squares =
            board.squares().map(|from| lines(rules, from, on_goal_lines)).collect();
        BoardTables {
            rules: rules.id(),
            size: board.size(),
            all: board.squares().collect(),
            west: squares_on_file(board, 0),
            east: squares_on_file(board, board.size() - 1),
            rank: board.squares().map(|s| board.rank(s) as u8).collect(),
            file: board.squares().map(|s| board.file(s) as u8).collect(),
            neighbours: board.squares().map(|from| neighbours(rules, from)).collect(),
            adjacent: board.squares().map(|from| adjacent(rules, from)).collect(),
            rays: board.squares().map(|from| rays(board, from)).collect(),
            slide_limits: BySide::from_fn(|side| slide_limits(rules, side)),
            stops,
            goal_lines,
            goal_line_squares,
            hostile,
            protected: BySide::from_fn(|side| Bits::of(rules.protected[side])),
            unaided: BySide::from_fn(|side| Bits::of(rules.unaided[side])),
            surrounded: Bits::of(rules.surrounded),
            king_armed: rules.king_armed,
            edge: EdgeTables::new(rules),
            encirclement: rules.encirclement,
            escapes_prevent_rings: !rules.encirclement || rules.goals.is_subset(board.edge()),
            goals: Bits::of(rules.goals),
            king_squares: board
                .squares()
                .filter(|&s| movement.cross.contains(s) || movement.stop.contains(s))
                .collect(),
            keys,
            side_key: random.next_u64(),
        }
    }

    /// Returns the squares from here to the edge in each direction, in the order of
    /// [`Direction::ALL`].
    #[inline]
    pub(crate) fn rays(&self, square: usize) -> &[Bits<W>; 4] {
        &self.rays[square]
    }

    /// Returns the neighbour of a square in each direction, in the order of [`Direction::ALL`].
    #[inline]
    pub(crate) fn neighbours(&self, square: usize) -> [usize; 4] {
        self.neighbours[square].map(usize::from)
    }

    #[inline]
    pub(crate) fn key(&self, kind: Kind, square: usize) -> u64 {
        self.keys[kind][square]
    }

    /// Returns the number of squares.
    #[inline]
    pub(crate) fn area(&self) -> usize {
        self.rank.len()
    }

    #[inline]
    pub(crate) fn at(&self, file: usize, rank: usize) -> usize {
        rank * self.size + file
    }

    /// Returns each square's neighbour in that direction.
    #[inline]
    pub(crate) fn shifted(&self, squares: Bits<W>, direction: Direction) -> Bits<W> {
        match direction {
            Direction::East => squares.without(self.east).up(1),
            Direction::West => squares.without(self.west).down(1),
            Direction::North => squares.up(self.size) & self.all,
            Direction::South => squares.down(self.size),
        }
    }

    /// Returns the squares that slides from these squares in that direction come to, if they cross
    /// no other squares than those of `cross`.
    // Out of line it takes a fifth of the nodes a second on boards of six words.
    #[inline(always)]
    pub(crate) fn slid(&self, from: Bits<W>, cross: Bits<W>, direction: Direction) -> Bits<W> {
        let mut slid = from;
        // A board of one word has at most 8 ranks.
        if W > 1 {
            let mut front = from;
            while !front.is_empty() {
                front = self.shifted(front, direction) & cross;
                slid = slid | front;
            }
            return self.shifted(slid, direction);
        }
        // Three steps of doubled length do (a Kogge-Stone fill).
        let (by, is_up, mut way) = match direction {
            Direction::East => (1, true, cross.without(self.west)),
            Direction::West => (1, false, cross.without(self.east)),
            Direction::North => (self.size, true, cross),
            Direction::South => (self.size, false, cross),
        };
        slid = slid | way & slid.moved(by, is_up);
        way = way & way.moved(by, is_up);
        slid = slid | way & slid.moved(2 * by, is_up);
        way = way & way.moved(2 * by, is_up);
        slid = slid | way & slid.moved(4 * by, is_up);
        self.shifted(slid, direction)
    }

    /// Returns the squares from `from`, exclusive, to `to`, inclusive, which is on its rank or file.
    #[inline]
    pub(crate) fn between(&self, from: usize, to: usize) -> Bits<W> {
        let direction = match (self.rank[from] == self.rank[to], from < to) {
            (true, true) => Direction::East,
            (true, false) => Direction::West,
            (false, true) => Direction::North,
            (false, false) => Direction::South,
        } as usize;
        self.rays[from][direction].without(self.rays[to][direction])
    }

    /// Returns the squares and their neighbours.
    #[inline]
    pub(crate) fn grown(&self, squares: Bits<W>) -> Bits<W> {
        Direction::ALL.into_iter().fold(squares, |all, d| all | self.shifted(squares, d))
    }
}

fn squares_on_file<const W: usize>(board: Board, file: usize) -> Bits<W> {
    board.squares().filter(|&s| board.file(s) == file).collect()
}

fn neighbours(rules: &Ruleset, from: Square) -> [u16; 4] {
    Direction::ALL
        .map(|d| rules.slides().next(from, d).map_or(NOWHERE as u16, |s| s.index() as u16))
}

fn rays<const W: usize>(board: Board, from: Square) -> [Bits<W>; 4] {
    Direction::ALL.map(|direction| board.ray(from, direction).collect())
}

fn adjacent<const W: usize>(rules: &Ruleset, from: Square) -> Bits<W> {
    Direction::ALL.into_iter().filter_map(|d| rules.slides().next(from, d)).collect()
}

fn slide_limits<const W: usize>(rules: &Ruleset, side: Side) -> Option<SlideLimits<W>> {
    let Movement { stop, cross, gates, reach } = &rules.movement[side.soldier()];
    (gates.is_empty() && reach.is_none())
        .then(|| SlideLimits { stop: Bits::of(*stop), cross: Bits::of(*cross) })
}

/// Returns the squares of the set on the rank and the file of `from`.
fn lines(rules: &Ruleset, from: Square, set: SquareSet) -> Lines {
    let board = rules.board;
    let mut lines = Lines::default();
    for square in set.without(from) {
        if board.rank(square) == board.rank(from) {
            lines.rank |= 1 << board.file(square);
        } else if board.file(square) == board.file(from) {
            lines.file |= 1 << board.rank(square);
        }
    }
    lines
}
