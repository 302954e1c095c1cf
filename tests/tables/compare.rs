//! Comparisons of rulesets, recomputed by probing every placement one by one.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::positions::all_positions;
use taflbase::Tablebase;
use taflbase::build::{Build, BuildOptions};
use taflbase::compare::{CompareError, ComparedPosition, SideComparison, compare_slice};
use taflbase::index::Slot;
use taflbase::position::Position;
use taflbase::rules::{BySide, Ruleset, Side};
use taflbase::slice::Slice;
use taflbase::table::Metric;
use taflbase::tablebase::Probed;
use taflbase::value::Wdl;

/// The number of most changed positions that are compared.
const MOST: usize = 20;

/// The outcomes, and whether the second distance is longer or shorter.
type Kind = (Wdl, Wdl, Ordering);

/// What a comparison of one side must find.
#[derive(Default)]
struct Expected {
    first: BTreeMap<Wdl, u64>,
    only_first: BTreeMap<Wdl, u64>,
    only_second: BTreeMap<Wdl, u64>,
    /// The number of placements, and the first slot.
    kinds: BTreeMap<Kind, (u64, Slot)>,
    /// The difference and the slot of the position with the greatest one.
    widest: Option<(u16, Slot)>,
    /// Positions that change their outcome: whether there is a draw, the plies and the slot, and
    /// the least of the mirror images that both rulesets have.
    changed: BTreeSet<(bool, u16, Slot, Position)>,
}

fn kind(first: Probed, second: Probed) -> Kind {
    let distance = match (first.plies, second.plies) {
        (Some(first), Some(second)) => second.cmp(&first),
        _ => Ordering::Equal,
    };
    let same = first.wdl == second.wdl;
    (first.wdl, second.wdl, if same { distance } else { Ordering::Equal })
}

impl Expected {
    fn add(&mut self, first: Probed, second: Probed, slot: Slot, least: Position) {
        let (count, example) = self.kinds.entry(kind(first, second)).or_insert((0, slot));
        *count += 1;
        *example = slot.min(*example);
        let plies = [first, second].map(|value| value.plies.unwrap_or(0));
        if first.wdl != second.wdl {
            let has_draw = [first.wdl, second.wdl].contains(&Wdl::Draw);
            self.changed.insert((has_draw, plies[0] + plies[1], slot, least));
        } else if kind(first, second).2 != Ordering::Equal {
            let difference = plies[0].abs_diff(plies[1]);
            self.widest = match self.widest {
                Some((most, other)) if most > difference => Some((most, other)),
                Some((most, other)) if most == difference => Some((most, other.min(slot))),
                _ => Some((difference, slot)),
            };
        }
    }
}

/// Two tablebases, whose comparison is checked.
struct Rulesets<'a> {
    first: &'a Tablebase,
    second: &'a Tablebase,
    /// Whether the tables have distances: a probe finds some without.
    has_distances: [bool; 2],
}

impl<'a> Rulesets<'a> {
    fn new(first: &'a Tablebase, second: &'a Tablebase) -> Rulesets<'a> {
        Rulesets { first, second, has_distances: [true; 2] }
    }

    fn value(&self, number: usize, position: &Position) -> Probed {
        let base = [self.first, self.second][number];
        let value = base.probe_value(position).unwrap();
        Probed { plies: value.plies.filter(|_| self.has_distances[number]), ..value }
    }

    /// Returns the position under the other ruleset, if it exists there.
    fn under(&self, rules: &Ruleset, position: &Position) -> Option<Position> {
        let same = Position { rules: rules.id(), ..*position };
        same.check(rules).is_ok().then_some(same)
    }

    fn least_image(&self, position: &Position) -> Position {
        let [first, second] = [self.first.rules(), self.second.rules()];
        let both = first.symmetries().iter().filter(|&g| second.symmetries().contains(g));
        both.map(|g| position.image(first, g)).min().unwrap()
    }

    fn expected(&self, slice: Slice) -> BySide<Expected> {
        let [first, second] = [self.first.rules(), self.second.rules()];
        let index = self.first.index(slice).unwrap();
        let mut expected = BySide::<Expected>::default();
        all_positions(first, slice, |position| {
            let side = &mut expected[position.to_move];
            let value = self.value(0, &position);
            *side.first.entry(value.wdl).or_default() += 1;
            match self.under(second, &position) {
                Some(other) => {
                    let slot = index.rank(&position).unwrap();
                    side.add(value, self.value(1, &other), slot, self.least_image(&position));
                }
                None => *side.only_first.entry(value.wdl).or_default() += 1,
            }
        });
        all_positions(second, slice, |position| {
            if self.under(first, &position).is_none() {
                let value = self.value(1, &position);
                *expected[position.to_move].only_second.entry(value.wdl).or_default() += 1;
            }
        });
        expected
    }

    /// Compares a slice and checks everything; returns the number of changed outcomes.
    fn check(&self, slice: &str) -> u64 {
        let slice = slice.parse().unwrap();
        let compared = compare_slice(self.first, self.second, slice, MOST, |_, _| true).unwrap();
        let expected = self.expected(slice);
        for (found, expected) in compared.iter().zip(&expected) {
            self.check_counts(found, expected);
            self.check_examples(found, expected);
        }
        compared.iter().map(SideComparison::other_outcome).sum()
    }

    fn check_counts(&self, found: &SideComparison, expected: &Expected) {
        for (found, expected) in [
            (found.first, &expected.first),
            (found.only_first, &expected.only_first),
            (found.only_second, &expected.only_second),
        ] {
            let counts =
                [(Wdl::Win, found.wins), (Wdl::Draw, found.draws), (Wdl::Loss, found.losses)];
            let counts = counts.into_iter().filter(|(_, count)| *count > 0);
            assert_eq!(&counts.collect::<BTreeMap<_, _>>(), expected);
        }
        assert_eq!(found.has_distances, self.has_distances == [true; 2]);
        let kinds: BTreeMap<Kind, u64> = found
            .changes
            .iter()
            .map(|change| ((change.first, change.second, change.distance), change.placements))
            .collect();
        assert_eq!(kinds.len(), found.changes.len());
        let counts = expected.kinds.iter().map(|(&kind, &(count, _))| (kind, count));
        assert_eq!(kinds, counts.collect());
        assert_eq!(found.shared(), kinds.values().sum::<u64>());
        assert_eq!(found.second.total() - found.only_second.total(), found.shared());
        let of_distance = kinds.iter().filter(|(kind, _)| kind.2 != Ordering::Equal);
        assert_eq!(found.other_distance(), of_distance.map(|(_, count)| count).sum::<u64>());
        let of_outcome = kinds.iter().filter(|(kind, _)| kind.0 != kind.1);
        assert_eq!(found.other_outcome(), of_outcome.map(|(_, count)| count).sum::<u64>());
    }

    fn check_examples(&self, found: &SideComparison, expected: &Expected) {
        for change in &found.changes {
            let kind = (change.first, change.second, change.distance);
            assert_eq!(self.slot(&change.example, found.to_move), expected.kinds[&kind].1);
            assert_eq!(self::kind(change.example.first, change.example.second), kind);
        }
        let widest = found.greatest_difference.as_ref();
        let widest = widest.map(|one| (one.difference().unwrap(), self.slot(one, found.to_move)));
        assert_eq!(widest, expected.widest);
        let keys = found.most_changed.iter().map(|one| {
            let plies = [one.first, one.second].map(|value| value.plies.unwrap_or(0));
            let has_draw = [one.first.wdl, one.second.wdl].contains(&Wdl::Draw);
            (has_draw, plies[0] + plies[1], self.slot(one, found.to_move), one.position)
        });
        let keys: Vec<_> = keys.map(|(a, b, c, p)| (a, b, c, self.least_image(&p))).collect();
        let expected = expected.changed.iter().copied();
        if found.most_changed.len() < MOST {
            assert!(keys.iter().copied().collect::<BTreeSet<_>>().into_iter().eq(expected));
        } else {
            // Images of one slot may come in either order.
            let slots = expected.take(MOST).map(|(draw, plies, slot, _)| (draw, plies, slot));
            assert!(keys.into_iter().map(|(draw, plies, slot, _)| (draw, plies, slot)).eq(slots));
        }
    }

    /// Checks the values of a position and that it is canonical, and returns its slot.
    fn slot(&self, compared: &ComparedPosition, to_move: Side) -> Slot {
        let position = compared.position;
        assert_eq!(position.to_move, to_move);
        assert_eq!(self.value(0, &position), compared.first);
        let other = self.under(self.second.rules(), &position).unwrap();
        assert_eq!(self.value(1, &other), compared.second);
        let index = self.first.index(position.slice()).unwrap();
        if self.first.rules().symmetries() == self.second.rules().symmetries() {
            assert_eq!(index.canonical(&position), Some(position));
        }
        index.rank(&position).unwrap()
    }
}

fn embedded(rules: &str) -> Tablebase {
    Tablebase::new(Ruleset::builtin(rules).unwrap())
}

/// Builds tables of a ruleset file for tests, with some of its text replaced.
fn built(
    rules: &str,
    replaced: &[(&str, &str)],
    slices: &[&str],
    metric: Metric,
) -> (Tablebase, tempfile::TempDir) {
    let path = format!("{}/{rules}.toml", env!("CARGO_MANIFEST_DIR"));
    let mut text = std::fs::read_to_string(&path).unwrap();
    for (old, new) in replaced {
        assert!(text.contains(old), "{old}");
        text = text.replace(old, new);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rules.toml");
    std::fs::write(&file, text).unwrap();
    let rules = Ruleset::load(file.to_str().unwrap()).unwrap();
    let slices: Vec<Slice> = slices.iter().map(|slice| slice.parse().unwrap()).collect();
    let options = BuildOptions { metric, ..BuildOptions::default() };
    Build::new(&rules, folder.path(), &slices).options(&options).run().unwrap();
    (Tablebase::open_files(rules, folder.path()).unwrap(), folder)
}

const BRANDUBH: &str = "src/game/rules/builtin/brandubh";
const NAME: (&str, &str) = ("name = \"brandubh\"", "name = \"varied\"");

#[test]
fn equal_rows_agree_with_single_probes() {
    let [first, second] = ["brandubh", "brandubh-online"].map(embedded);
    let rulesets = Rulesets::new(&first, &second);
    assert!(rulesets.check("K0v2") + rulesets.check("K1v1") > 0);
    let edge = ("goals = [\"corners\"]", "goals = [\"edge\"]");
    let (second, _folder) = built(BRANDUBH, &[NAME, edge], &["K0v2", "K1v1"], Metric::Dtw);
    // The king's squares differ: placements exist under one ruleset only, either way around.
    for rulesets in [Rulesets::new(&first, &second), Rulesets::new(&second, &first)] {
        assert!(rulesets.check("K0v2") + rulesets.check("K1v1") > 0);
    }
}

#[test]
fn rows_that_differ_agree_with_single_probes() {
    let first = embedded("brandubh");
    let stop =
        ("[movement.attackers]\nno-stop = [\"throne\", \"corners\"]", "[movement.attackers]");
    let (second, _folder) = built(BRANDUBH, &[NAME, stop], &["K0v2", "K1v1"], Metric::Dtw);
    for rulesets in [Rulesets::new(&first, &second), Rulesets::new(&second, &first)] {
        assert!(rulesets.check("K0v2") + rulesets.check("K1v1") > 0);
    }
}

#[test]
fn other_symmetries_agree_with_single_probes() {
    let slices = ["K0v2", "K1v1"];
    let rulesets = ["mini-corner", "lopsided", "strange", "strange-turns"];
    let bases =
        rulesets.map(|rules| built(&format!("tests/rulesets/{rules}"), &[], &slices, Metric::Dtw));
    let mut compared = 0;
    for (first, _) in &bases {
        for (second, _) in &bases {
            let is_other = first.rules().name != second.rules().name;
            if is_other && first.rules().board == second.rules().board {
                slices.iter().for_each(|slice| {
                    Rulesets::new(first, second).check(slice);
                });
                compared += 1;
            }
        }
    }
    assert!(compared > 0);
}

#[test]
fn undecided_positions_are_not_won() {
    let slices = ["K0v2", "K1v1"];
    let draw = [
        ("repetition = \"mover-loses\"", "repetition = \"draw\""),
        ("endless = \"undecided\"", "endless = \"draw\""),
        ("name = \"mini-edge\"", "name = \"varied\""),
    ];
    let (first, _folder) = built("tests/rulesets/mini-edge", &[], &slices, Metric::Dtw);
    let (second, _other_folder) = built("tests/rulesets/mini-edge", &draw, &slices, Metric::Dtw);
    for slice in slices {
        assert_eq!(Rulesets::new(&first, &second).check(slice), 0);
    }
}

#[test]
fn tables_without_distances_have_only_outcomes() {
    let first = embedded("brandubh");
    let stop =
        ("[movement.attackers]\nno-stop = [\"throne\", \"corners\"]", "[movement.attackers]");
    let weak = ("king-surrounded = [\"throne\", \"beside-throne\"]", "king-surrounded = []");
    for change in [stop, weak] {
        let (second, _folder) = built(BRANDUBH, &[NAME, change], &["K0v2"], Metric::Wdl);
        let there = Rulesets { has_distances: [true, false], ..Rulesets::new(&first, &second) };
        let back = Rulesets { has_distances: [false, true], ..Rulesets::new(&second, &first) };
        assert_eq!(there.check("K0v2"), back.check("K0v2"));
    }
}

#[test]
fn equal_rulesets_show_no_change() {
    let [first, second] = ["tablut", "mcgill"].map(embedded);
    for slice in ["K0v2", "K1v1"] {
        let compared =
            compare_slice(&first, &second, slice.parse().unwrap(), MOST, |_, _| true).unwrap();
        for side in &compared {
            assert!(side.shared() > 0 && side.first == side.second);
            assert_eq!((side.other_outcome(), side.other_distance()), (0, 0));
            assert_eq!((side.only_first.total(), side.only_second.total()), (0, 0));
            assert!(side.most_changed.is_empty() && side.greatest_difference.is_none());
        }
    }
}

#[test]
fn comparisons_report_progress_and_can_be_stopped() {
    let [first, second] = ["brandubh", "brandubh-online"].map(embedded);
    let slice: Slice = "K1v2".parse().unwrap();
    let compare = |threads: usize| {
        let mut steps = Vec::new();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let go_on = |done, rows| {
            steps.push((done, rows));
            true
        };
        let compared = pool.install(|| compare_slice(&first, &second, slice, 5, go_on)).unwrap();
        (compared, steps)
    };
    let (compared, steps) = compare(1);
    assert_eq!(compare(3).0, compared);
    let rows = first.index(slice).unwrap().rows();
    assert!(steps.len() > 1 && steps.is_sorted() && steps.last() == Some(&(rows, rows)));
    let stopped = compare_slice(&first, &second, slice, 5, |done, rows| done < rows / 2);
    assert!(matches!(stopped, Err(CompareError::Stopped)));
}

#[test]
fn boards_of_other_sizes_are_refused() {
    let [first, second] = ["brandubh", "tablut"].map(embedded);
    let refused = compare_slice(&first, &second, "K0v1".parse().unwrap(), 1, |_, _| true);
    let message = refused.unwrap_err().to_string();
    assert!(message.starts_with("brandubh is played on 7x7 and tablut on 9x9"), "{message}");
}
