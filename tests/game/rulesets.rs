//! Rulesets: the built-in ones, ruleset files, and refusals.

use std::collections::HashSet;
use std::path::Path;

use taflbase::board::{Square, SquareSet, Symmetry};
use taflbase::rules::{ByKind, BySide, Fingerprint, Kind, Repetition, Ruleset, Side};

const CORNER: &str = include_str!("../rulesets/mini-corner.toml");
const EDGE: &str = include_str!("../rulesets/mini-edge.toml");
const CAMPS: &str = include_str!("../rulesets/mini-camps.toml");
const LOPSIDED: &str = include_str!("../rulesets/lopsided.toml");

fn read(text: &str) -> Ruleset {
    Ruleset::from_toml(text, "test.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn builtin(name: &str) -> Ruleset {
    Ruleset::builtin(name).unwrap()
}

/// Returns the text with one passage replaced, which must occur exactly once.
fn edited(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    text.replace(from, to)
}

/// The fingerprints of the built-in rulesets. Tables depend on them: they change only with the
/// version of the hash.
const FINGERPRINTS: [(&str, &str); 19] = [
    ("ashton", "46c2c2c1c45e62621a12f3b9acd6142d"),
    ("mcgill", "21e76b2a782ad77643e6688a85f0344f"),
    ("tablut", "21e76b2a782ad77643e6688a85f0344f"),
    ("brandubh", "27e632691dd014bf84bc8a4029256f95"),
    ("large-hnefatafl", "21bf88fcfda296d3feda192328488056"),
    ("alea-evangelii", "f0813c671f46133a16d6564c81573ace"),
    ("berkeley", "6de254d860bb274064db69467fe2cbdb"),
    ("ashton-server", "3b060ac3a69b548567b7523e32941043"),
    ("brandubh-online", "4615ba703b48f5726d4d97bef31befec"),
    ("brandubh-1", "e8cbda97a43cc36025e9ae7611495143"),
    ("magpie", "9a3b93f5b0a87189dcefa01eb2b9345c"),
    ("saami-tablut", "e05faf850f1fba07c22891a53708fba4"),
    ("sea-battle-9", "bac69c2265de61d711286e0fd99c5285"),
    ("copenhagen", "e0c3eb7b93a9573c886006f0f4866b87"),
    ("tawlbwrdd-lewis", "0ce8b8d6573771950345c70cc603d5d6"),
    ("tawlbwrdd-bell", "0ce8b8d6573771950345c70cc603d5d6"),
    ("fetlar", "fb8ac0072bd2db7b13d00b7a457f4cf9"),
    ("sea-battle-11", "4fc0f314cba2a6348a0f1d9f77723f00"),
    ("copenhagen-13", "1359e959637de0261d8be2012eb9fe54"),
];

#[test]
fn fingerprints_of_the_builtin_rulesets_do_not_change() {
    let found = Ruleset::builtin_names().iter();
    let found: Vec<(&str, String)> =
        found.map(|&name| (name, builtin(name).fingerprint().to_string())).collect();
    let expected = FINGERPRINTS.map(|(name, hex)| (name, hex.to_owned()));
    assert_eq!(found, expected);
    let distinct: HashSet<String> = found.into_iter().map(|(_, hex)| hex).collect();
    assert_eq!(distinct.len(), 17, "mcgill and tablut share one, and the two of tawlbwrdd");
}

#[test]
fn pieces_may_stand_where_the_rules_allow() {
    for (name, attackers, defenders, king) in [
        ("ashton", 80, 64, 45),
        ("ashton-server", 80, 64, 45),
        ("berkeley", 80, 80, 49),
        ("mcgill", 76, 76, 77),
        ("tablut", 76, 76, 77),
        ("brandubh", 44, 44, 45),
        ("brandubh-online", 44, 44, 45),
        ("large-hnefatafl", 164, 164, 165),
        ("alea-evangelii", 356, 356, 357),
        ("brandubh-1", 44, 44, 45),
        ("magpie", 45, 45, 45),
        ("saami-tablut", 80, 80, 49),
        ("sea-battle-9", 81, 81, 49),
        ("copenhagen", 116, 116, 117),
        ("tawlbwrdd-lewis", 120, 120, 81),
        ("tawlbwrdd-bell", 120, 120, 81),
        ("fetlar", 116, 116, 117),
        ("sea-battle-11", 121, 121, 81),
        ("copenhagen-13", 164, 164, 165),
    ] {
        let places = Kind::ALL.map(|kind| builtin(name).places(kind).len());
        assert_eq!(places, [attackers, defenders, king], "{name}");
    }
}

#[test]
fn armies_and_first_movers_follow_the_rules() {
    for (name, attackers, defenders, first) in [
        ("ashton", 16, 8, Side::Defenders),
        ("mcgill", 16, 8, Side::Attackers),
        ("tablut", 16, 8, Side::Attackers),
        ("brandubh", 8, 4, Side::Attackers),
        ("large-hnefatafl", 24, 12, Side::Attackers),
        ("alea-evangelii", 48, 24, Side::Defenders),
        ("berkeley", 16, 8, Side::Attackers),
        ("ashton-server", 16, 8, Side::Defenders),
        ("brandubh-online", 8, 4, Side::Attackers),
        ("brandubh-1", 8, 4, Side::Attackers),
        ("magpie", 8, 4, Side::Attackers),
        ("saami-tablut", 16, 8, Side::Attackers),
        ("sea-battle-9", 16, 8, Side::Attackers),
        ("copenhagen", 24, 12, Side::Attackers),
        ("tawlbwrdd-lewis", 24, 12, Side::Defenders),
        ("tawlbwrdd-bell", 24, 12, Side::Attackers),
        ("fetlar", 24, 12, Side::Attackers),
        ("sea-battle-11", 24, 12, Side::Attackers),
        ("copenhagen-13", 32, 16, Side::Attackers),
    ] {
        let rules = builtin(name);
        let armies = (rules.start.attackers.len(), rules.start.defenders.len());
        assert_eq!((armies, rules.first), ((attackers, defenders), first), "{name}");
        assert_eq!(rules.start.king, Some(rules.board.centre()));
        assert_eq!(rules.ply_limit, (name == "mcgill").then_some(100));
    }
}

#[test]
fn builtin_rulesets_and_their_starts_have_all_symmetries() {
    for name in Ruleset::builtin_names() {
        let rules = builtin(name);
        assert_eq!(rules.symmetries().order(), 8, "{name}");
        for symmetry in Symmetry::ALL {
            let image = |set| symmetry.apply_set(rules.board, set);
            assert_eq!(image(rules.start.attackers), rules.start.attackers, "{name}");
            assert_eq!(image(rules.start.defenders), rules.start.defenders, "{name}");
        }
    }
}

#[test]
fn rulesets_may_have_fewer_symmetries() {
    assert_eq!(read(CORNER).symmetries().order(), 8);
    assert_eq!(read(EDGE).symmetries().order(), 8);
    assert_eq!(read(LOPSIDED).symmetries().bits(), 0b11, "left and right");
    let turns = read(CAMPS).symmetries();
    assert_eq!(turns.order(), 4);
    for turn in turns.iter() {
        assert!(turns.contains(turn.then(turn)));
        let orders = [1, 2, 4].into_iter().find(|&n| power(turn, n) == Symmetry::IDENTITY);
        assert!(orders.is_some() && turn.index().count_ones() != 1, "a turn, no mirror");
    }
}

fn power(symmetry: Symmetry, n: usize) -> Symmetry {
    std::iter::repeat_n(symmetry, n).fold(Symmetry::IDENTITY, Symmetry::then)
}

/// Returns the squares that the piece can reach on the empty board.
fn reach(rules: &Ruleset, kind: Kind, from: &str) -> String {
    let reach = rules.slides().reach(kind, square(rules, from));
    let names = reach.iter().map(|square| rules.board.name(square).to_string());
    names.collect::<Vec<_>>().join(" ")
}

fn square(rules: &Ruleset, name: &str) -> Square {
    rules.board.parse(name).unwrap()
}

#[test]
fn camps_can_only_be_left() {
    let rules = builtin("ashton");
    let attacker = |from| reach(&rules, Kind::Attacker, from);
    assert_eq!(attacker("b5"), "b1 b2 b3 b4 a5 c5 d5 b6 b7 b8 b9");
    assert_eq!(attacker("a3"), "a1 a2 b3 c3 d3 e3 f3 g3 h3 i3");
    assert_eq!(attacker("c5"), "c1 c2 c3 c4 d5 c6 c7 c8 c9");
    assert_eq!(reach(&rules, Kind::Defender, "e4"), "e3 a4".replace("a4", "b4 c4 d4 f4 g4 h4"));
    assert_eq!(reach(&rules, Kind::King, "e5"), "e3 e4 c5 d5 f5 g5 e6 e7");
    assert_eq!(reach(&rules, Kind::King, "c5"), "c1 c2 c3 c4 d5 c6 c7 c8 c9");
    assert_eq!(reach(&rules, Kind::King, "a5"), "", "no place of his");
}

#[test]
fn other_games_let_all_pieces_cross_the_throne() {
    for name in ["tablut", "berkeley"] {
        let rules = builtin(name);
        assert_eq!(
            reach(&rules, Kind::Attacker, "e4"),
            "e1 e2 e3 a4 b4 c4 d4 f4 g4 h4 i4 e6 e7 e8 e9"
        );
        assert!(
            rules.slides().reach(Kind::King, square(&rules, "e4")).contains(square(&rules, "e5"))
        );
    }
}

#[test]
fn hostility_counts_only_where_it_matters() {
    let rules = builtin("ashton");
    let throne = rules.named_squares("throne");
    let camps = rules.named_squares("camps");
    let ByKind([attacker, defender, king]) = rules.hostile;
    assert_eq!((attacker.empty, attacker.occupied), (throne | camps, camps));
    assert_eq!((defender.empty, defender.occupied), (throne | camps, throne));
    assert_eq!((king.empty, king.occupied), (throne | camps, SquareSet::EMPTY));
    assert_eq!(rules.protected, BySide([camps, SquareSet::EMPTY]));
    let server = builtin("ashton-server");
    assert_eq!(server.unaided[Side::Attackers], server.named_squares("camp-points"));
    assert_eq!(server.protected[Side::Attackers] | server.unaided[Side::Attackers], camps);
    let berkeley = builtin("berkeley");
    let defender = berkeley.hostile[Kind::Defender];
    assert_eq!((defender.occupied, defender.besieged), (SquareSet::EMPTY, throne));
    let online = builtin("brandubh-online");
    assert_eq!(online.surrounded, online.named_squares("throne"));
    assert_eq!(online.hostile[Kind::King].empty, online.board.corners());
}

#[test]
fn decisions_without_effect_are_not_in_the_fingerprint() {
    let original = read(CORNER).fingerprint();
    for (from, to) in [
        ("title = \"Mini tablut, corners\"", "title = \"Other\""),
        ("source = \"Made", "source = \"Invented"),
        ("name = \"mini-corner\"", "name = \"other\""),
        ("notes = []", "notes = [\"A remark.\"]"),
        ("\"/2t2/2T2/tTKTt/2T2/2t2/\"", "\"/2t2/5/t1K1t/5/2t2/\""),
        ("first-mover = \"attackers\"", "first-mover = \"defenders\"\nply-limit = 50"),
        ("repetition = \"draw\"", "repetition = \"allowed\""),
        // No move passes over a corner, and no attacker or defender stands on the throne.
        ("[movement.king]", "[movement.king]\nno-cross = [\"corners\"]"),
        (
            "occupied = [\"throne\"]",
            "occupied = [\"throne\", \"corners\"]\nbesieged = [\"throne\"]",
        ),
        ("[capture]", "[capture]\nprotected-attackers = [\"throne\"]"),
        ("king-surrounded = [\"throne\", ", "king-surrounded = [\"corners\", \"throne\", "),
        ("[movement.king]", "[movement.king]\n[squares]\nunused = \"b2\""),
        ("[hostile.king]", "[hostile.king]\noccupied = [\"throne\"]"),
    ] {
        let changed = read(&edited(CORNER, from, to)).fingerprint();
        assert_eq!(changed, original, "{to}");
    }
}

#[test]
fn decisions_with_an_effect_are_in_the_fingerprint() {
    let mut seen: HashSet<Fingerprint> = HashSet::from([read(LOPSIDED).fingerprint()]);
    for (from, to) in [
        (
            "[movement.attackers]\nno-stop = [\"throne\"]",
            "[movement.attackers]\nno-stop = [\"throne\", \"corners\"]",
        ),
        ("[movement.attackers]\n", "[movement.attackers]\nno-cross = [\"throne\"]\n"),
        ("no-entry = [\"camp\"]", "no-entry = []"),
        ("no-stop = [\"throne\", \"camp\", \"harbour\"]", "no-stop = [\"throne\", \"camp\"]"),
        ("no-stop = [\"camp\", \"corners\"]", "no-stop = [\"camp\", \"corners\", \"wells\"]"),
        (
            "no-stop = [\"camp\", \"corners\"]\n",
            "no-stop = [\"camp\", \"corners\"]\nno-entry = [\"throne\"]\n",
        ),
        ("empty = [\"throne\", \"corners\"]", "empty = [\"throne\"]"),
        (
            "empty = [\"throne\", \"corners\"]",
            "empty = [\"throne\", \"corners\"]\noccupied = [\"corners\"]",
        ),
        ("empty = [\"wells\", \"throne\"]", "empty = [\"wells\"]"),
        ("occupied = [\"wells\"]", "occupied = [\"wells\", \"throne\"]"),
        ("besieged = [\"throne\"]", "besieged = []"),
        ("empty = [\"camp\"]", "empty = [\"camp\", \"throne\"]"),
        ("empty = [\"camp\"]", "empty = [\"camp\"]\noccupied = [\"wells\"]"),
        ("protected-attackers = [\"camp\"]", "protected-attackers = []"),
        ("unaided-attackers = [\"wells\"]", "unaided-attackers = []"),
        ("protected-defenders = [\"beside-throne\"]", "protected-defenders = []"),
        ("protected-defenders = [\"beside-throne\"]", "unaided-defenders = [\"beside-throne\"]"),
        ("king-surrounded = [\"throne\", \"wells\"]", "king-surrounded = [\"throne\"]"),
        ("harbour = \"b1 c1 d1 e1 f1\"", "harbour = \"c1 d1 e1\""),
        (
            "repetition = \"draw\"\nendless = \"draw\"",
            "repetition = \"mover-loses\"\nendless = \"undecided\"",
        ),
    ] {
        let changed = read(&edited(LOPSIDED, from, to)).fingerprint();
        assert!(seen.insert(changed), "{to}");
    }
    let larger = edited(CORNER, "size = 5", "size = 7");
    let larger = edited(&larger, "/2t2/2T2/tTKTt/2T2/2t2/", "/7/3t3/7/3K3/7/7/7/");
    assert_ne!(read(&larger).fingerprint(), read(CORNER).fingerprint());
}

/// Asserts that the reader refuses the text with this message.
fn refuses(text: &str, message: &str) {
    let error = Ruleset::from_toml(text, "my.toml").map(|rules| rules.name.clone());
    let error = error.expect_err(message).to_string();
    assert_eq!(error, format!("my.toml: {message}"));
    assert!(!error.contains('\n'));
}

#[test]
fn malformed_files_are_refused() {
    for (from, to, message) in [
        ("size = 5", "size = \"5\"", "line 6: invalid type: string \"5\", expected i64"),
        (
            "size = 5",
            "sise = 5",
            "line 6: unknown field `sise`, expected one of `name`, `title`, `source`, \
             `notes`, `origin`, `size`, `start`, `first-mover`, `ply-limit`, `squares`, `movement`, \
             `hostile`, `capture`, `end`",
        ),
        (
            "[hostile.king]\nempty",
            "[hostile.king]\nemtpy",
            "line 29: unknown field `emtpy`, expected one of `empty`, `occupied`, `besieged`",
        ),
        (
            "first-mover = \"attackers\"",
            "first-mover = \"white\"",
            "line 8: unknown variant `white`, expected `attackers` or `defenders`",
        ),
        (
            "first-mover = \"attackers\"",
            "first-mover = \"attackers\"\nply-limit = 0",
            "line 9: 0: write a whole number from 1 to 4294967295",
        ),
        (
            "no-moves = \"loses\"",
            "no-moves = \"draw\"",
            "line 36: unknown variant `draw`, expected `loses`",
        ),
        (
            "[capture]\nking",
            "[capture]\n\nKing",
            "line 33: unknown field `King-surrounded`, expected one of `protected-attackers`, \
             `protected-defenders`, `unaided-attackers`, \
             `unaided-defenders`, `king-surrounded`, `king-edge-hostile`, `king-armed`, \
             `shieldwall`",
        ),
        (
            "endless = \"draw\"",
            "endless = ",
            "line 38: string values must be quoted, expected literal string",
        ),
        (
            "[movement.king]\n",
            "[movement.king]\n[squares]\na = 5\n",
            "line 20: expected a string of squares, \"a4 a5\", or a list of such strings",
        ),
    ] {
        refuses(&edited(CORNER, from, to), message);
    }
}

/// This holds whichever of the surrounding tables the file has.
#[test]
fn missing_fields_and_tables_are_named() {
    for (from, to, field) in [
        ("size = 5\n", "", "size"),
        ("first-mover = \"attackers\"\n", "", "first-mover"),
        ("[movement.king]\n", "", "movement.king"),
        ("goals = [\"corners\"]\n", "", "end.goals"),
        ("king-surrounded = [\"throne\", \"beside-throne\"]\n", "", "capture.king-surrounded"),
        ("[hostile.king]\nempty = [\"throne\", \"corners\"]\n", "", "hostile.king"),
        ("[capture]\nking-surrounded = [\"throne\", \"beside-throne\"]\n", "", "capture"),
    ] {
        refuses(&edited(CORNER, from, to), &format!("{field}: required but missing"));
    }
    let dotted = CORNER.replace("[movement.attackers]\n", "[movement]\nattackers.");
    let dotted = dotted.replace("[movement.defenders]\n", "defenders.");
    refuses(&dotted.replace("[movement.king]\n", ""), "movement.king: required but missing");
}

#[test]
fn only_defenders_have_besieged_squares() {
    for kind in ["attackers", "king"] {
        let table = format!("[hostile.{kind}]\n");
        let text = edited(CORNER, &table, &format!("{table}besieged = [\"corners\"]\n"));
        refuses(
            &text,
            &format!("hostile.{kind}.besieged: only hostile.defenders can have besieged squares"),
        );
        read(&edited(CORNER, &table, &format!("{table}besieged = []\n")));
    }
}

#[test]
fn names_and_sizes_are_checked() {
    for name in ["", "Mini", "a b", "a/b", "..", "-a", "é"] {
        let text = edited(CORNER, "\"mini-corner\"", &format!("\"{name}\""));
        refuses(
            &text,
            &format!("name: \"{name}\" may contain only a-z, 0-9 and -, and must not begin with -"),
        );
    }
    for size in ["4", "6", "3", "21", "-5", "261"] {
        let text = edited(CORNER, "size = 5", &format!("size = {size}"));
        refuses(&text, &format!("size: {size} is not an odd number from 5 to 19"));
    }
}

#[test]
fn sets_of_squares_are_checked() {
    let known = "known: throne, beside-throne, corners, edge, camps, escapes, all";
    for (from, to, message) in [
        ("\"d1 e1 d2\"", "\"d1 e1 a9\"", "squares.camps: \"a9\" is not on a 7x7 board"),
        ("\"d1 e1 d2\"", "\"d1 e1 d1\"", "squares.camps: \"d1\" is listed twice"),
        ("\"d1 e1 d2\"", "\"d1 e1 g4\"", "squares.camps: \"g4\" is listed twice"),
        ("\"d1 e1 d2\"", "\" \"", "squares.camps: the set is empty: name one or more squares"),
        ("escapes = ", "edge = \"a1\"\nescapes = ", "squares.edge: this name is predefined"),
        (
            "escapes = ",
            "\"a\\nb\" = \"a1\"\nescapes = ",
            "squares: \"a\\nb\" may contain only a-z, A-Z, 0-9, - and _",
        ),
        (
            "goals = [\"escapes\"]",
            "goals = [\"exits\"]",
            &format!("end.goals: no set is named \"exits\" ({known})"),
        ),
        (
            "[movement.attackers]\nno-stop = [\"throne\"]",
            "[movement.attackers]\nno-stop = [\"camp\"]",
            &format!("movement.attackers.no-stop: no set is named \"camp\" ({known})"),
        ),
        (
            "no-entry = [\"camps\"]",
            "no-entry = [\"camps\", \"edge\"]",
            "movement.attackers.no-entry: \"d1\" is in two groups",
        ),
    ] {
        refuses(&edited(CAMPS, from, to), message);
    }
}

#[test]
fn starts_are_checked() {
    for (start, message) in [
        ("/2t2/2T2/tTKTt/2T2/2t3/", "start: rank 5 has 6 instead of 5 squares"),
        ("/2t2/2T2/tTKTt/2T2/", "start: 4 instead of 5 ranks"),
        ("/2t2/2T2/tT1Tt/2T2/2t2/", "start: there is no king"),
        ("/2t2/2K2/tTKTt/2T2/2t2/", "start: two kings, on c2 and c3"),
        ("/5/2T2/1TKT1/2T2/5/", "start: there are no attackers"),
        ("/2t2/2K2/tTtTt/2T2/2t2/", "start: no attacker may stand on c3"),
        ("/T1t2/2K2/t3t/2T2/2t2/", "start: no defender may stand on a1"),
        ("/K1t2/5/t3t/2T2/2t2/", "start: the king has already won on a1"),
    ] {
        refuses(&edited(CORNER, "/2t2/2T2/tTKTt/2T2/2t2/", start), message);
    }
    let text = edited(CAMPS, "/3t3/3t3/3T3/ttTKTtt/", "/3t3/3t3/3T3/Kt2Ttt/");
    refuses(&text, "start: no king may stand on a4");
}

#[test]
fn goals_and_endings_are_checked() {
    for (from, to, message) in [
        (
            "goals = [\"corners\"]",
            "goals = []",
            "end.goals: there is no square for the king to win on",
        ),
        (
            "[movement.king]",
            "[movement.king]\nno-stop = [\"corners\"]",
            "end.goals: the king may not stop on \"a1\"",
        ),
        (
            "repetition = \"draw\"",
            "repetition = \"mover-loses\"",
            "end.endless: must be \"undecided\" if the mover who repeats a position loses: no game is drawn",
        ),
        (
            "repetition = \"draw\"",
            "repetition = \"draw\"\nrepetition-occurrence = 1",
            "end.repetition-occurrence: 1 is not a repetition: a position is repeated at its second occurrence",
        ),
        (
            "endless = \"draw\"",
            "endless = \"undecided\"",
            "end.endless: must be \"draw\" unless end.repetition is \"mover-loses\"",
        ),
    ] {
        refuses(&edited(CORNER, from, to), message);
    }
}

#[test]
fn a_builtin_name_requires_its_rules() {
    let text = edited(CORNER, "\"mini-corner\"", "\"brandubh\"");
    refuses(&text, "name: \"brandubh\" is a built-in ruleset with other rules");
    let text = include_str!("../../src/game/rules/builtin/brandubh.toml");
    assert!(
        Ruleset::from_toml(&edited(text, "title = \"Brandubh\"", "title = \"Mine\""), "my.toml")
            .is_ok()
    );
}

#[test]
fn files_are_loaded_by_their_path() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rulesets/mini-edge.toml");
    let rules = Ruleset::load(path.to_str().unwrap()).unwrap();
    assert_eq!((rules.name.as_str(), rules.repetition), ("mini-edge", Repetition::MoverLoses));
    let error = Ruleset::load("no-such-rules").unwrap_err().to_string();
    assert!(
        error.starts_with("\"no-such-rules\" is neither a file nor a built-in ruleset (ashton, "),
        "{error}"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bytes.toml");
    std::fs::write(&path, [0xff, 0xfe]).unwrap();
    let error = Ruleset::load(path.to_str().unwrap()).unwrap_err().to_string();
    assert!(error.contains("bytes.toml: ") && error.contains("UTF-8"), "{error}");
}

#[test]
fn descriptions_agree_with_the_data() {
    let text = builtin("ashton-server").describe();
    for line in [
        "  9  .  *  *  t# t# t# *  *  .\n  8  *  .  .  .  t# .  .  .  *\n",
        "  5  t# t# T  T  K+ T  T  t# t#\n",
        "     a  b  c  d  e  f  g  h  i\n",
        "* the king wins here: escapes\n# no way in from outside: camps\n",
        "a4 a5 b5 a6 | d1 e1 f1 e2 | i4 h5 i5 i6 | e8 d9 e9 f9\n",
        "may leave throne, but never arrive there or cross it\n",
        "never captured on camp-edges\n",
        "on camp-points, captured only between two enemy pieces\n",
        "hostile while occupied by a friendly piece: throne\n",
        "on beside-throne: attackers on 3 sides and hostile squares\n",
        "  king wins on  escapes\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let renamed = include_str!("../../src/game/rules/builtin/ashton-server.toml")
        .replace("ashton-server", "mine");
    let renamed = read(&renamed).describe();
    assert_eq!(
        renamed.lines().skip(1).collect::<Vec<_>>(),
        text.lines().skip(1).collect::<Vec<_>>()
    );
    for name in Ruleset::builtin_names() {
        assert!(builtin(name).describe().contains(&builtin(name).fingerprint().to_string()));
    }
}

#[test]
fn the_json_view_has_the_fields_of_the_file() {
    let json = builtin("berkeley").describe_json();
    assert_eq!(json["first_mover"], "attackers");
    assert_eq!(json["fingerprint"], builtin("berkeley").fingerprint().to_string());
    assert_eq!(json["hostile"]["defenders"]["besieged"][0], "e5");
    assert_eq!(json["end"]["repetition"], "mover-loses");
    assert_eq!(json["end"]["goals"].as_array().map(Vec::len), Some(32));
    assert_eq!(json["places"]["king"], 49);
    let json = builtin("ashton").describe_json();
    assert_eq!(json["movement"]["attackers"]["no_entry"][1][3], "e2");
    assert_eq!(json["movement"]["king"]["no_entry"][0][0], "e5");
    assert_eq!(json["symmetries"], 8);
    assert_eq!(builtin("mcgill").describe_json()["ply_limit"], 100);
}

#[test]
fn the_documented_example_is_valid() {
    let text = include_str!("../../docs/rulesets.md");
    let example = text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let rules = read(example.unwrap());
    assert_eq!((rules.name.as_str(), rules.ply_limit), ("my-tablut", Some(200)));
    assert_eq!(rules.symmetries().order(), 8);
}

#[test]
fn rules_of_present_play_are_in_the_fingerprint_and_described() {
    let mut seen: HashSet<Fingerprint> = HashSet::from([read(CORNER).fingerprint()]);
    for (from, to, field, words) in [
        ("[capture]", "[capture]\nshieldwall = true", "shieldwall", "a row of two or more"),
        ("[capture]", "[capture]\nking-armed = false", "king-armed", "takes no part in captures"),
        ("[capture]", "[capture]\nking-edge-hostile = true", "king-edge-hostile", "off the board"),
        ("[end]", "[end]\nexit-fort = true", "exit-fort", "in a room of empty squares"),
        ("[end]", "[end]\nencirclement = true", "encirclement", "from the whole edge"),
        ("[movement.king]", "[movement.king]\nreach = 2", "reach", "at most 2 at once"),
        ("[movement.attackers]", "[movement.attackers]\nreach = 1", "reach", "at most 1 at once"),
        (
            "repetition = \"draw\"\nendless = \"draw\"",
            "repetition = \"defenders-barred\"\nendless = \"attackers\"",
            "attackers",
            "the attackers win, as",
        ),
    ] {
        let changed = read(&edited(CORNER, from, to));
        assert!(seen.insert(changed.fingerprint()), "{to}");
        let text = changed.describe().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(words), "{words}\n{text}");
        let json = changed.describe_json().to_string();
        assert!(json.contains(&field.replace('-', "_")), "{json}");
        let key = format!("\"{}\":", field.replace('-', "_"));
        let plain = read(CORNER).describe_json().to_string();
        assert!(field == "attackers" || !plain.contains(&key), "{plain}");
    }
    // The value of endless play counts, and the rule that gives it does not.
    let lost = "repetition = \"defenders-lose\"\nendless = \"attackers\"";
    let lost = read(&edited(CORNER, "repetition = \"draw\"\nendless = \"draw\"", lost));
    assert!(!seen.insert(lost.fingerprint()));
    // A reach beyond the board is no limit, and a king who is never at the edge needs no help there.
    let far = read(&edited(CORNER, "[movement.king]", "[movement.king]\nreach = 4"));
    assert_eq!(far.fingerprint(), read(CORNER).fingerprint());
    let edge = read(&edited(EDGE, "[capture]", "[capture]\nking-edge-hostile = true"));
    assert_eq!(edge.fingerprint(), read(EDGE).fingerprint());
}

#[test]
fn contradictory_rules_of_present_play_are_refused() {
    for (from, to, message) in [
        (
            "endless = \"draw\"",
            "endless = \"attackers\"",
            "end.endless: must be \"draw\" unless the defenders may not repeat positions: see end.repetition",
        ),
        (
            "repetition = \"draw\"\nendless = \"draw\"",
            "repetition = \"allowed\"\nendless = \"attackers\"",
            "end.endless: must be \"draw\" unless the defenders may not repeat positions: see end.repetition",
        ),
        (
            "repetition = \"draw\"",
            "repetition = \"defenders-barred\"",
            "end.endless: must be \"attackers\" if the defenders may not repeat positions: no game is drawn",
        ),
        (
            "repetition = \"draw\"\nendless = \"draw\"",
            "repetition = \"mover-loses\"\nendless = \"attackers\"",
            "end.endless: must be \"undecided\" if end.repetition is \"mover-loses\": either side can lose",
        ),
        (
            "goals = [\"corners\"]",
            "goals = [\"beside-throne\"]\nexit-fort = true",
            "end.exit-fort: there is no fort at the edge if no goal is there: see end.goals",
        ),
        (
            "goals = [\"corners\"]",
            "goals = [\"edge\"]\nexit-fort = true",
            "end.exit-fort: the king can never be in a fort: he has won wherever he may stop at the edge",
        ),
        (
            "[movement.king]",
            "[movement.king]\nreach = 0",
            "line 19: 0: write a whole number from 1 to 255",
        ),
        (
            "[capture]",
            "[capture]\nshieldwall = 1",
            "line 32: invalid type: integer `1`, expected a boolean",
        ),
    ] {
        refuses(&edited(CORNER, from, to), message);
    }
}

#[test]
fn lists_group_rulesets_by_board_and_source() {
    let mut all: Vec<_> =
        Ruleset::builtin_names().iter().map(|name| builtin(name).summary()).collect();
    all.sort_by_key(taflbase::rules::RulesetSummary::list_order);
    let groups: Vec<String> =
        all.iter().map(|entry| format!("{}, {}", entry.group, entry.origin.words())).collect();
    let mut distinct = groups.clone();
    distinct.dedup();
    assert_eq!(
        distinct,
        [
            "7x7, historical source",
            "7x7, present play",
            "9x9, historical source",
            "9x9, present play",
            "11x11 and larger, historical source",
            "11x11 and larger, present play",
        ]
    );
}
