//! Rulesets that nobody plays: random sets of squares for every field of a
//! ruleset file, and one board with all that the built-in rulesets leave out.

use std::fmt::Write;

use taflbase::board::{Board, Square, SquareSet, Symmetry, SymmetryGroup};
use taflbase::rules::{Layout, Ruleset};
use taflbase::slice::Slice;

use crate::positions::Random;
use crate::tables::{Tables, load};

/// Generators of the groups that random rulesets have at least.
const GROUPS: [&[usize]; 9] = [&[], &[1], &[4], &[3], &[5], &[1, 2], &[4, 7], &[1, 4], &[0]];

/// A ruleset file in the making.
struct Invention {
    board: Board,
    group: SymmetryGroup,
    random: Random,
    sets: String,
    count: usize,
}

impl Invention {
    fn new(size: u8, seed: u64) -> Invention {
        let mut random = Random::new(seed);
        let generators = GROUPS[random.below(GROUPS.len())];
        Invention {
            board: Board::new(size).unwrap(),
            group: generated(generators),
            random,
            sets: String::new(),
            count: 0,
        }
    }

    /// All images of so many random squares, which are all in `among`.
    fn squares(&mut self, orbits: usize, among: SquareSet) -> SquareSet {
        let mut set = SquareSet::EMPTY;
        for _ in 0..orbits {
            let square = self.random.square(among);
            set.extend(self.group.iter().map(|g| g.apply(self.board, square)));
        }
        set
    }

    /// Up to so many squares and their images.
    fn some(&mut self, most: usize) -> SquareSet {
        let orbits = self.random.below(most + 1);
        // Groups with fewer members have smaller orbits.
        let orbits = orbits * 4 / self.group.order().min(4);
        self.squares(orbits, self.board.squares().collect())
    }

    /// A list of the names of these groups of squares, which it defines.
    fn list(&mut self, groups: &[SquareSet]) -> String {
        let mut names = Vec::new();
        for group in groups.iter().filter(|group| !group.is_empty()) {
            let name = format!("set-{}", self.count);
            self.count += 1;
            let squares: Vec<String> = group.iter().map(|s| self.name(s)).collect();
            writeln!(self.sets, "{name} = \"{}\"", squares.join(" ")).unwrap();
            names.push(format!("\"{name}\""));
        }
        format!("[{}]", names.join(", "))
    }

    fn name(&self, square: Square) -> String {
        self.board.name(square).to_string()
    }

    /// Up to two gates of any size.
    fn gates(&mut self) -> Vec<SquareSet> {
        let first = self.some(1);
        let second = self.some(1);
        vec![first, second - first]
    }

    /// The file.
    fn text(&mut self) -> String {
        let all: SquareSet = self.board.squares().collect();
        let orbits = 1 + self.random.below(3);
        let goals = self.squares(orbits, all);
        let mut rules = String::new();
        let mut closed = Vec::new();
        for kind in ["attackers", "defenders", "king"] {
            let stop = if kind == "king" { self.some(1) - goals } else { self.some(1) };
            let (cross, gates) = (self.some(1), self.gates());
            let [stop_list, cross] = [stop, cross].map(|set| self.list(&[set]));
            let gates = self.list(&gates);
            writeln!(rules, "[movement.{kind}]\nno-stop = {stop_list}").unwrap();
            writeln!(rules, "no-cross = {cross}\nno-entry = {gates}").unwrap();
            closed.push(stop);
        }
        for kind in ["attackers", "defenders", "king"] {
            let [empty, occupied, besieged] = [2, 1, 1].map(|most| self.some(most));
            let [empty, occupied, besieged] = [empty, occupied, besieged].map(|s| self.list(&[s]));
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
            let set = self.list(&[set]);
            writeln!(rules, "{field} = {set}").unwrap();
        }
        let goal_list = self.list(&[goals]);
        writeln!(rules, "[end]\ngoals = {goal_list}").unwrap();
        let king = (all - goals - closed[2]).first().unwrap();
        let start = Layout {
            attackers: SquareSet::of(self.random.square((all - closed[0]).without(king))),
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

/// The group that symmetries of these numbers generate.
fn generated(generators: &[usize]) -> SymmetryGroup {
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

fn slices(names: &[&str]) -> Vec<Slice> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

/// For each seed, all positions of the smallest slices and samples of others.
fn invented_rules_are_consistent(size: u8, seeds: std::ops::Range<u64>, sampled: &[&str]) {
    for seed in seeds {
        let text = Invention::new(size, seed).text();
        let rules = Ruleset::from_toml(&text, "invented").unwrap_or_else(|e| panic!("{e}\n{text}"));
        let (whole, sampled) = (slices(&["K0v1", "K1v1", "K0v2"]), slices(sampled));
        let run = || {
            let tables = Tables::build(&rules, &[&whole[..], &sampled].concat());
            for &slice in &whole {
                tables.check_all(slice);
            }
            for &slice in &sampled {
                tables.check_some(slice, 200);
            }
        };
        if let Err(panic) = std::panic::catch_unwind(run) {
            eprintln!("seed {seed}:\n{text}");
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn invented_rules_on_the_smallest_board_are_consistent() {
    invented_rules_are_consistent(5, 0..24, &["K0v3", "K1v2", "K2v1", "K2v2", "K1v3", "K3v1"]);
}

#[test]
fn invented_rules_on_a_larger_board_are_consistent() {
    invented_rules_are_consistent(7, 1000..1006, &["K0v3", "K1v2", "K2v1"]);
}

/// Checks all positions of some slices and samples of others.
fn strange(ruleset: &str, whole: &[&str], sampled: &[&str]) {
    let (whole, sampled) = (slices(whole), slices(sampled));
    let tables = Tables::build(&load(ruleset), &[&whole[..], &sampled].concat());
    for &slice in &whole {
        tables.check_all(slice);
    }
    for &slice in &sampled {
        let seen = tables.check_some(slice, 2000);
        assert!(seen.conversions > 0, "{slice}: {seen:?}");
    }
}

#[test]
fn strange_rules_are_consistent() {
    let rules = load("strange");
    assert_eq!(rules.symmetries().order(), 1);
    strange("strange", &["K0v1", "K0v2", "K1v1"], &["K0v3", "K1v2", "K2v1", "K2v2"]);
}

#[test]
fn strange_turns_are_consistent() {
    let turns = load("strange-turns").symmetries();
    assert_eq!(turns.bits(), generated(&[5]).bits(), "quarter turns");
    let whole = ["K0v1", "K0v2", "K1v1", "K0v3", "K1v2", "K2v1"];
    strange("strange-turns", &whole, &["K0v4", "K1v3", "K2v2", "K3v1", "K4v1", "K2v3"]);
}
