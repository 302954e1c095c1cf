//! Searches in tables, compared with all placements, probed one by one.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::positions::all_positions;
use taflbase::Tablebase;
use taflbase::board::SquareSet;
use taflbase::build::{Build, BuildOptions};
use taflbase::find::{FindError, Found, Pattern, Query, Search, parse_squares, random};
use taflbase::index::SliceIndex;
use taflbase::position::Position;
use taflbase::rules::{Endless, Ruleset, Side};
use taflbase::slice::Slice;
use taflbase::stats::count_values;
use taflbase::table::Metric;
use taflbase::tablebase::Probed;
use taflbase::value::{Value, Wdl};

/// A position of a table, found by brute force.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Entry {
    position: Position,
    value: Value,
    /// The value with the other side to move.
    other: Value,
    images: usize,
}

/// All positions of a slice, in the order of the table's rows.
struct Slots<'a> {
    base: &'a Tablebase,
    slice: Slice,
    entries: Vec<Entry>,
}

impl<'a> Slots<'a> {
    fn of(base: &'a Tablebase, slice: &str) -> Slots<'a> {
        let slice = slice.parse().unwrap();
        let rules = base.rules();
        let index = SliceIndex::new(rules, slice).unwrap();
        let mut placements = Vec::new();
        all_positions(rules, slice, |position| placements.push(position));
        let slot = |position: &Position| {
            let slot = index.rank(position).unwrap();
            (slot.row, slot.lane, position.to_move)
        };
        let image = |(position, value): (&Position, Result<Value, _>)| {
            let canonical = index.canonical(position).unwrap();
            (slot(&canonical), canonical, value.unwrap())
        };
        let values = base.probe_many_dtw(&placements);
        let mut images: Vec<_> = placements.iter().zip(values).map(image).collect();
        images.sort_by_key(|&(slot, ..)| slot);
        let entry = |images: &[((u64, u16, Side), Position, Value)]| {
            let (slot, position, value) = images[0];
            assert!(images.iter().all(|&image| image == (slot, position, value)));
            Entry { position, value, other: value, images: images.len() }
        };
        let mut entries: Vec<Entry> = images.chunk_by(|a, b| a.0 == b.0).map(entry).collect();
        // In each slot both sides may be to move.
        let (pairs, []) = entries.as_chunks_mut() else { panic!("a side is missing") };
        for [one, other] in pairs {
            let turned = Position { to_move: one.position.to_move.other(), ..one.position };
            assert_eq!(turned, other.position);
            (one.other, other.other) = (other.value, one.value);
        }
        assert!(!entries.is_empty());
        Slots { base, slice, entries }
    }

    fn search(&self, query: &Query) -> Search<'_> {
        let table = self.base.table(self.slice, Metric::Dtw).unwrap();
        Search::new(self.base.rules(), table, query).unwrap()
    }

    fn name(&self) -> String {
        format!("{} {}", self.base.rules().name, self.slice)
    }

    /// Compares the matches and counts of a query with the entries that satisfy `holds`;
    /// returns their number.
    fn compare(&self, query: &Query, holds: impl Fn(&Entry) -> bool) -> usize {
        let expected: Vec<Entry> = self.entries.iter().copied().filter(holds).collect();
        let search = self.search(query);
        let found = all(&search);
        let name = self.name();
        assert_eq!(found.len(), expected.len(), "{name} {query:?}");
        for (found, entry) in found.iter().zip(&expected) {
            assert_eq!(found.position, entry.position, "{name} {query:?}");
            assert_eq!(found.value, Probed::from(entry.value), "{name} {query:?}");
            let other = query.zugzwang.then(|| Probed::from(entry.other));
            assert_eq!(found.other, other, "{name} {query:?}");
            assert_eq!(found.images, entry.images, "{name} {query:?}");
        }
        let counts = search.count().unwrap();
        for side in Side::ALL {
            let own = expected.iter().filter(|entry| entry.position.to_move == side);
            let placements: usize = own.clone().map(|entry| entry.images).sum();
            assert_eq!(counts[side].stored, own.count() as u64, "{name} {query:?}");
            assert_eq!(counts[side].placements, placements as u64, "{name} {query:?}");
        }
        expected.len()
    }

    /// Checks values, distances and sides.
    fn check_values(&self) {
        self.compare(&Query::default(), |_| true);
        for wdl in [Wdl::Win, Wdl::Draw, Wdl::Loss] {
            let query = Query { wdl: Some(wdl), ..Query::default() };
            self.compare(&query, |entry| entry.value.wdl() == wdl);
        }
        for to_move in Side::ALL {
            let query = Query { to_move: Some(to_move), plies: Some(2..=3), ..Query::default() };
            let plies = |entry: &Entry| matches!(entry.value.plies(), Some(2..=3));
            self.compare(&query, |entry| entry.position.to_move == to_move && plies(entry));
        }
    }

    /// Checks mutual zugzwangs and their number in `stats`; returns the number of positions.
    fn check_zugzwangs(&self) -> usize {
        let endless = self.base.rules().endless;
        let is_certain = |entry: &Entry| {
            let (own, other) = (entry.value.wdl(), entry.other.wdl());
            match endless {
                Endless::Draw | Endless::Attackers => own < -other && other < -own,
                Endless::Undecided => own == Wdl::Loss && other == Wdl::Loss,
            }
        };
        let query = Query { zugzwang: true, ..Query::default() };
        let attack = |entry: &Entry| entry.position.to_move == Side::Attackers;
        let found = self.compare(&query, |entry| attack(entry) && is_certain(entry));
        let query = Query { to_move: Some(Side::Defenders), ..query };
        assert_eq!(self.compare(&query, |entry| !attack(entry) && is_certain(entry)), found);

        let is_open = |entry: &&Entry| {
            endless == Endless::Undecided
                && [entry.value, entry.other].contains(&Value::Draw)
                && ![entry.value.wdl(), entry.other.wdl()].contains(&Wdl::Win)
        };
        let placements = |entry: &Entry| attack(entry) && is_certain(entry);
        let placements = self.entries.iter().filter(|entry| placements(entry));
        let number = placements.map(|entry| entry.images as u64).sum();
        let number = (self.entries.iter().filter(is_open).count() == 0).then_some(number);
        let table = self.base.table(self.slice, Metric::Dtw).unwrap();
        for stats in count_values(self.base.rules(), table).unwrap() {
            assert_eq!(stats.mutual_zugzwangs, number, "{}", self.name());
        }
        found
    }

    /// Checks the longest wins and losses of each side.
    fn check_longest(&self) {
        let draws = self.search(&Query { wdl: Some(Wdl::Draw), ..Query::default() });
        assert!(matches!(draws.longest(1), Err(FindError::OpenWithoutDistance(_))));
        for wdl in [None, Some(Wdl::Win), Some(Wdl::Loss)] {
            let search = self.search(&Query { wdl, ..Query::default() });
            let plies = |entry: &Entry| {
                let asked = wdl.unwrap_or(Wdl::Win);
                entry.value.plies().filter(|_| entry.value.wdl() == asked)
            };
            let longest = Side::ALL.map(|side| {
                let own = self.entries.iter().filter(|entry| entry.position.to_move == side);
                own.filter_map(plies).max()
            });
            let is_longest = |entry: &&Entry| {
                plies(entry).is_some() && plies(entry) == longest[entry.position.to_move as usize]
            };
            let expected: Vec<Position> =
                self.entries.iter().filter(is_longest).map(|entry| entry.position).collect();
            for count in [7, usize::MAX] {
                let found = search.longest(count).unwrap();
                let found: Vec<Position> = found.iter().map(|found| found.position).collect();
                let first = &expected[..count.min(expected.len())];
                assert_eq!(found, first, "{} {wdl:?} {count}", self.name());
            }
        }
    }

    /// Compares a pattern with a test of every image of each position.
    fn check_pattern(&self, pattern: Pattern) -> usize {
        let rules = self.base.rules();
        let stands = |position: &Position| {
            pattern.attackers.is_subset(position.attackers)
                && pattern.defenders.is_subset(position.defenders)
                && !pattern.empty.meets(position.occupied())
                && pattern.king.is_none_or(|king| king.contains(position.king))
        };
        let images = rules.symmetries().iter();
        self.compare(&Query { pattern, ..Query::default() }, |entry| {
            images.clone().any(|symmetry| stands(&entry.position.image(rules, symmetry)))
        })
    }
}

fn all(search: &Search<'_>) -> Vec<Found> {
    let mut all = Vec::new();
    let take = |found| {
        all.push(found);
        ControlFlow::Continue(())
    };
    search.each(take).unwrap();
    all
}

/// Opens the tables embedded in the library.
fn embedded(rules: &str) -> Tablebase {
    Tablebase::new(Ruleset::builtin(rules).unwrap())
}

/// Builds tables of a test ruleset.
fn built(rules: &str, slices: &[&str]) -> (Tablebase, tempfile::TempDir) {
    let path = format!("{}/tests/rulesets/{rules}.toml", env!("CARGO_MANIFEST_DIR"));
    let rules = Ruleset::load(&path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let slices: Vec<Slice> = slices.iter().map(|slice| slice.parse().unwrap()).collect();
    Build::new(&rules, folder.path(), &slices).run().unwrap();
    (Tablebase::open_files(rules, folder.path()).unwrap(), folder)
}

/// Checks everything that needs no pattern; returns the number of zugzwangs.
fn check(base: &Tablebase, slices: &[&str]) -> usize {
    let mut zugzwangs = 0;
    for slice in slices {
        let slots = Slots::of(base, slice);
        slots.check_values();
        slots.check_longest();
        zugzwangs += slots.check_zugzwangs();
    }
    zugzwangs
}

#[test]
fn matches_on_small_boards_agree_with_the_prober() {
    let (base, _folder) = built("mini-corner", &["K0v4", "K1v3", "K2v2", "K3v1", "K0v5"]);
    assert!(check(&base, &["K0v4", "K1v3", "K2v2", "K3v1", "K0v5"]) > 0);
    let (base, _folder) = built("mini-camps", &["K0v3", "K1v2"]);
    check(&base, &["K0v1", "K0v3", "K1v2"]);
    // Rulesets with no symmetries, with rotations only, and with two reflections.
    for rules in ["strange", "strange-turns", "lopsided"] {
        let (base, _folder) = built(rules, &["K0v2", "K1v1"]);
        check(&base, &["K0v2", "K1v1"]);
    }
}

#[test]
fn undecided_positions_may_or_may_not_be_zugzwangs() {
    let (base, _folder) = built("mini-edge", &["K0v6", "K1v3"]);
    assert_eq!(base.rules().endless, Endless::Undecided);
    check(&base, &["K0v5", "K0v6", "K1v3"]);
    let table = base.table("K0v6".parse().unwrap(), Metric::Dtw).unwrap();
    let stats = count_values(base.rules(), table).unwrap();
    assert_eq!(stats[Side::Attackers].mutual_zugzwangs, None);
}

#[test]
fn matches_in_the_games_agree_with_the_prober() {
    assert!(check(&embedded("brandubh"), &["K0v1", "K1v1", "K0v3"]) > 0);
    check(&embedded("brandubh-online"), &["K0v2", "K2v1"]);
    for rules in ["ashton", "ashton-server", "tablut", "mcgill", "berkeley"] {
        check(&embedded(rules), &["K0v1", "K0v2"]);
    }
    for rules in ["large-hnefatafl", "alea-evangelii"] {
        check(&embedded(rules), &["K0v1"]);
    }
}

#[test]
fn patterns_match_positions_with_a_matching_image() {
    let base = embedded("brandubh");
    let board = base.rules().board;
    let squares = |names: &str| parse_squares(names.split_whitespace(), board).unwrap();
    let none = Pattern::default();
    let slots = Slots::of(&base, "K1v1");
    for pattern in [
        Pattern { king: Some(squares("d4")), ..none },
        Pattern { king: Some(squares("c3 b1")), ..none },
        Pattern { attackers: squares("b1"), ..none },
        Pattern { empty: squares("b2 f2 b6 f6"), ..none },
        Pattern { attackers: squares("c4"), defenders: squares("d3"), ..none },
        Pattern { empty: squares("b2 c3 d5 f1 g3"), king: Some(squares("d4 b1")), ..none },
        Pattern::parse("/*/*/2t*/3K*/*/*/7/", board).unwrap(),
        Pattern::parse("/7/7/7/2?K?2/7/7/7/", board).unwrap(),
    ] {
        assert!(slots.check_pattern(pattern) > 0, "{pattern:?}");
    }
    let beyond = Pattern { attackers: squares("b1 c1"), ..none };
    assert_eq!(slots.check_pattern(beyond), 0);

    let (base, _folder) = built("strange-turns", &["K1v1"]);
    let slots = Slots::of(&base, "K1v1");
    let square = |number| SquareSet::of(base.rules().board.square(number).unwrap());
    let places = base.rules().places(taflbase::rules::Kind::Attacker);
    for square in places.iter().map(|attacker| square(attacker.index())) {
        slots.check_pattern(Pattern { attackers: square, ..none });
    }
}

#[test]
fn a_stopped_search_has_returned_the_first_positions() {
    let base = embedded("brandubh");
    let table = base.best_table("K2v2".parse().unwrap()).unwrap();
    let query = Query { wdl: Some(Wdl::Loss), ..Query::default() };
    let search = Search::new(base.rules(), table, &query).unwrap();
    let mut first = Vec::new();
    let take = |found| {
        first.push(found);
        if first.len() < 1000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    search.each(take).unwrap();
    let all = all(&search);
    assert!(all.len() > 1000);
    assert_eq!(first, all[..1000]);
}

#[test]
fn a_search_can_be_stopped() {
    let base = embedded("brandubh");
    let table = base.table("K1v2".parse().unwrap(), Metric::Dtw).unwrap();
    let search = || Search::new(base.rules(), table, &Query::default()).unwrap();
    let whole = all(&search());
    let asked = AtomicUsize::new(0);
    let count = || {
        asked.fetch_add(1, Ordering::Relaxed);
        true
    };
    assert_eq!(all(&search().cancel_unless(&count)), whole);
    let times = asked.into_inner();
    assert!(times > 2, "{times}");
    let left = AtomicUsize::new(times / 2);
    let half = || left.fetch_sub(1, Ordering::Relaxed) > 0;
    let some = all(&search().cancel_unless(&half));
    assert!(!some.is_empty() && some.len() < whole.len());
    assert_eq!(some, whole[..some.len()]);
    let never = search().cancel_unless(&|| false);
    assert!(never.longest(usize::MAX).unwrap().is_empty());
    assert!(random(&[never], 3, 7).unwrap().is_empty());
}

#[test]
fn random_positions_depend_only_on_the_seed() {
    let base = embedded("brandubh");
    let query = Query { wdl: Some(Wdl::Loss), ..Query::default() };
    let search = |slice: &str| {
        let table = base.best_table(slice.parse().unwrap()).unwrap();
        Search::new(base.rules(), table, &query).unwrap()
    };
    let searches = [search("K0v3"), search("K2v2")];
    let draw = |count, seed, threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| random(&searches, count, seed).unwrap())
    };
    let drawn = draw(500, 7, 1);
    assert_eq!(draw(500, 7, 3), drawn);
    assert_eq!(draw(20, 7, 2), drawn[..20]);
    assert_eq!(draw(0, 7, 2), []);
    let other = draw(500, 8, 3);
    let shared = other.iter().filter(|found| drawn.contains(found)).count();
    assert!(shared < 100, "{shared}");

    // Each position is equally likely: in both slices, and in all of their rows.
    let found: Vec<Vec<Found>> = searches.iter().map(all).collect();
    let sizes: Vec<usize> = found.iter().map(Vec::len).collect();
    let expected = 500.0 * sizes[0] as f64 / (sizes[0] + sizes[1]) as f64;
    let [first, second] = [&found[0], &found[1]].map(|found| {
        found.iter().zip(0..).map(|(found, at)| (found.position, at)).collect::<HashMap<_, usize>>()
    });
    let of_first = drawn.iter().filter(|one| first.contains_key(&one.position)).count() as f64;
    assert!((of_first - expected).abs() < 5.0 * expected.sqrt(), "{of_first} of {expected}");
    let places: Vec<usize> =
        drawn.iter().filter_map(|one| second.get(&one.position).copied()).collect();
    assert_eq!(places.len() + of_first as usize, drawn.len());
    let mean = places.iter().sum::<usize>() as f64 / (places.len() * sizes[1]) as f64;
    assert!((0.4..0.6).contains(&mean), "{mean}");

    // If there are no more, all of them are drawn.
    let few = Query { plies: Some(2..=2), zugzwang: true, ..query.clone() };
    let table = base.best_table("K0v3".parse().unwrap()).unwrap();
    let few = Search::new(base.rules(), table, &few).unwrap();
    let drawn = random(std::slice::from_ref(&few), 100, 1).unwrap();
    assert_eq!(drawn.len(), all(&few).len());
}

#[test]
fn tables_without_distances_have_only_outcomes() {
    let base = embedded("brandubh");
    let slice = "K0v4".parse().unwrap();
    let (folder, rules) = (tempfile::tempdir().unwrap(), base.rules().clone());
    let options = BuildOptions { metric: Metric::Wdl, ..BuildOptions::default() };
    Build::new(&rules, folder.path(), &[slice]).options(&options).run().unwrap();
    let small = Tablebase::open_files(rules, folder.path()).unwrap();
    let table = small.best_table(slice).unwrap();
    let with_distances = base.best_table(slice).unwrap();
    for query in [
        Query { wdl: Some(Wdl::Draw), ..Query::default() },
        Query { zugzwang: true, ..Query::default() },
    ] {
        let search = Search::new(base.rules(), table, &query).unwrap();
        let known = all(&Search::new(base.rules(), with_distances, &query).unwrap());
        let found = all(&search);
        assert_eq!(found.len(), known.len());
        for (found, known) in found.iter().zip(known) {
            assert_eq!((found.position, found.images), (known.position, known.images));
            assert_eq!(found.value, Probed { plies: None, ..known.value });
        }
        let refused = search.longest(1).unwrap_err();
        match query.wdl {
            Some(Wdl::Draw) => assert!(matches!(refused, FindError::OpenWithoutDistance(_))),
            _ => assert!(matches!(refused, FindError::NoDistances(_))),
        }
    }
    let plies = Query { plies: Some(1..=1), ..Query::default() };
    let refused = Search::new(base.rules(), table, &plies).err().unwrap();
    assert!(refused.to_string().starts_with("K0v4 has a WDL table only"), "{refused}");
    // As in a probe, a win by the rules has its distance.
    let wins = Query { wdl: Some(Wdl::Win), ..Query::default() };
    let drawn = random(&[Search::new(base.rules(), table, &wins).unwrap()], 200, 1).unwrap();
    for found in &drawn {
        assert_eq!(found.value, small.probe_value(&found.position).unwrap());
    }
    for plies in [Some(1), None] {
        assert!(drawn.iter().any(|found| found.value.plies == plies), "{plies:?}");
    }
}

#[test]
fn tables_of_other_rules_are_refused() {
    let base = embedded("brandubh");
    let table = base.best_table("K0v2".parse().unwrap()).unwrap();
    let other = Ruleset::builtin("brandubh-online").unwrap();
    let refused = Search::new(&other, table, &Query::default()).err().unwrap();
    assert_eq!(refused.to_string(), "the table was made for other rules");
}
