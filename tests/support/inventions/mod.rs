//! Invented rulesets: random sets of squares for every field of a ruleset file.

// Each test uses a part of it.
#![allow(dead_code)]

use std::fmt::Write;

use taflbase::board::{Board, SquareSet, Symmetry, SymmetryGroup};
use taflbase::random::SeededRng;
use taflbase::rules::Layout;

use crate::positions::random_square;

/// Generators of the smallest symmetry groups of random rulesets.
const GROUPS: [&[usize]; 9] = [&[], &[1], &[4], &[3], &[5], &[1, 2], &[4, 7], &[1, 4], &[0]];

/// A ruleset file under construction.
pub(crate) struct Invention {
    board: Board,
    group: SymmetryGroup,
    random: SeededRng,
    sets: String,
    count: usize,
}

impl Invention {
    /// Starts a ruleset for a board of this size; the seed selects one of many.
    pub(crate) fn new(size: u8, seed: u64) -> Invention {
        let mut random = SeededRng::new(seed);
        let generators = GROUPS[random.below(GROUPS.len())];
        Invention {
            board: Board::new(size).unwrap(),
            group: generated(generators),
            random,
            sets: String::new(),
            count: 0,
        }
    }

    /// Returns all images of this many random squares, which are all in `among`.
    fn squares(&mut self, orbits: usize, among: SquareSet) -> SquareSet {
        let mut set = SquareSet::EMPTY;
        for _ in 0..orbits {
            let square = random_square(among, &mut self.random);
            set.extend(self.group.iter().map(|g| g.apply(self.board, square)));
        }
        set
    }

    /// Returns up to this many squares and their images.
    fn some(&mut self, most: usize) -> SquareSet {
        let orbits = self.random.below(most + 1);
        // Groups with fewer members have smaller orbits.
        let orbits = orbits * 4 / self.group.order().min(4);
        self.squares(orbits, self.board.squares().collect())
    }

    /// Defines sets for these groups of squares and returns a list of their names: one set for
    /// each group, or one set with as many strings.
    fn list(&mut self, groups: &[SquareSet]) -> String {
        let groups = groups.iter().filter(|group| !group.is_empty());
        let texts: Vec<String> = groups.map(|&group| format!("{:?}", self.names(group))).collect();
        if texts.len() > 1 && self.count % 2 == 1 {
            return format!("[{}]", self.define(&format!("[{}]", texts.join(", "))));
        }
        let names: Vec<String> = texts.iter().map(|text| self.define(text)).collect();
        format!("[{}]", names.join(", "))
    }

    /// Returns a list whose union is this set, in two parts.
    fn union(&mut self, set: SquareSet) -> String {
        let half: SquareSet = set.iter().take(set.len() / 2).collect();
        self.list(&[half, set - half])
    }

    /// Defines a set and returns its name in quotes.
    fn define(&mut self, squares: &str) -> String {
        let name = format!("set-{}", self.count);
        self.count += 1;
        writeln!(self.sets, "{name} = {squares}").unwrap();
        format!("{name:?}")
    }

    fn names(&self, set: SquareSet) -> String {
        let names: Vec<String> = set.iter().map(|s| self.board.name(s).to_string()).collect();
        names.join(" ")
    }

    /// Returns up to two gates of any size.
    fn gates(&mut self) -> Vec<SquareSet> {
        let first = self.some(1);
        let second = self.some(1);
        vec![first, second - first]
    }

    /// Returns the text of a file with rules of present games, too, each at random.
    pub(crate) fn modern_text(&mut self) -> String {
        let mut text = self.text();
        let [shieldwall, king_armed, edge] = [(); 3].map(|()| self.random.below(2) == 0);
        let capture = format!(
            "[capture]\nshieldwall = {shieldwall}\nking-armed = {king_armed}\n\
             king-edge-hostile = {edge}\n"
        );
        text = text.replace("[capture]\n", &capture);
        for kind in ["attackers", "defenders", "king"] {
            let reach = self.random.below(2 * self.board.size());
            if (1..self.board.size()).contains(&reach) {
                let header = format!("[movement.{kind}]\n");
                text = text.replace(&header, &format!("{header}reach = {reach}\n"));
            }
        }
        text
    }

    /// Returns the text of the file.
    pub(crate) fn text(&mut self) -> String {
        let all: SquareSet = self.board.squares().collect();
        let orbits = 1 + self.random.below(3);
        let goals = self.squares(orbits, all);
        let mut rules = String::new();
        let mut closed = Vec::new();
        for kind in ["attackers", "defenders", "king"] {
            // The king must be able to stop on his goals.
            let stop = if kind == "king" { self.some(1) - goals } else { self.some(1) };
            let (cross, gates) = (self.some(1), self.gates());
            let [stop_list, cross] = [stop, cross].map(|set| self.union(set));
            let gates = self.list(&gates);
            writeln!(rules, "[movement.{kind}]\nno-stop = {stop_list}").unwrap();
            writeln!(rules, "no-cross = {cross}\nno-entry = {gates}").unwrap();
            closed.push(stop);
        }
        for kind in ["attackers", "defenders", "king"] {
            let [empty, occupied, besieged] = [2, 1, 1].map(|most| self.some(most));
            let [empty, occupied, besieged] =
                [empty, occupied, besieged].map(|set| self.union(set));
            writeln!(rules, "[hostile.{kind}]\nempty = {empty}\noccupied = {occupied}").unwrap();
            if kind == "defenders" {
                writeln!(rules, "besieged = {besieged}").unwrap();
            }
        }
        writeln!(rules, "[capture]").unwrap();
        for field in [
            "protected-attackers",
            "protected-defenders",
            "unaided-attackers",
            "unaided-defenders",
            "king-surrounded",
        ] {
            let set = self.some(1);
            let set = self.union(set);
            writeln!(rules, "{field} = {set}").unwrap();
        }
        let goal_list = self.union(goals);
        writeln!(rules, "[end]\ngoals = {goal_list}").unwrap();
        // The smallest valid start: the king and one attacker.
        let king = (all - goals - closed[2]).first().unwrap();
        let attacker = random_square((all - closed[0]).without(king), &mut self.random);
        let start = Layout {
            attackers: SquareSet::of(attacker),
            defenders: SquareSet::EMPTY,
            king: Some(king),
        };
        format!(
            "name = \"invented\"\ntitle = \"\"\nsource = \"\"\nsize = {}\nstart = \"{}\"\n\
             first-mover = \"attackers\"\n[squares]\n{}{rules}\
             no-moves = \"loses\"\nrepetition = \"draw\"\nendless = \"draw\"\n",
            self.board.size(),
            start.to_text(self.board),
            self.sets,
        )
    }
}

/// Returns the group that the symmetries with these numbers generate.
pub(crate) fn generated(generators: &[usize]) -> SymmetryGroup {
    let mut known = vec![Symmetry::IDENTITY];
    let mut i = 0;
    while i < known.len() {
        for &generator in generators {
            let next = known[i].then(Symmetry::ALL[generator]);
            if !known.contains(&next) {
                known.push(next);
            }
        }
        i += 1;
    }
    SymmetryGroup::stabilizing(|g| known.contains(&g))
}
