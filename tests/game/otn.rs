//! Rules records in OpenTafl's notation: which rulesets they describe, and which are refused.

use proptest::prelude::*;
use taflbase::board::SquareSet;
use taflbase::position::Position;
use taflbase::rules::{Endless, Kind, OtnError, Repetition, Ruleset, Side};

const SEVEN: &str = "start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/";
const NINE: &str = "start:/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/";

fn read(record: &str) -> Ruleset {
    Ruleset::from_otn(record).unwrap_or_else(|error| panic!("{record}: {error}"))
}

#[track_caller]
fn refusal(record: &str) -> String {
    Ruleset::from_otn(record).expect_err(record).to_string()
}

fn builtin(name: &str) -> Ruleset {
    Ruleset::builtin(name).unwrap()
}

#[test]
fn known_records_are_the_builtin_rulesets() {
    let corners = "ks:c cenh:tcnkmTCNKM surf:n tfr:d";
    let edge = "esc:e surf:n tfr:w ks:c cor: linc:y";
    for (name, record, repetition) in [
        ("brandubh", format!("dim:7 {corners} {SEVEN}"), Repetition::Draw),
        ("tablut", format!("dim:9 {corners} {NINE}"), Repetition::Draw),
        ("berkeley", format!("dim:9 {edge} {NINE}"), Repetition::MoverLoses),
    ] {
        let (rules, known) = (read(&record), builtin(name));
        assert_eq!(rules.fingerprint(), known.fingerprint(), "{name}");
        assert_eq!((rules.name.as_str(), &rules.title), (name, &known.title));
        assert_eq!((rules.start, rules.first), (known.start, Side::Attackers), "{name}");
        // OpenTafl counts the third occurrence.
        assert_eq!((rules.repetition, rules.repetition_occurrence), (repetition, 3), "{name}");
        assert_eq!((rules.endless, rules.ply_limit), (known.endless, None), "{name}");
    }
}

#[test]
fn builtin_rulesets_are_written_if_the_notation_allows() {
    for (name, words) in [
        ("brandubh", "dim:7 name:Brandubh surf:n atkf:y ks:c cenh:T start:"),
        ("tablut", "dim:9 name:Tablut surf:n atkf:y ks:c cenh:T start:"),
        ("mcgill", "dim:9 name:Tablut_McGill surf:n atkf:y tfr:i ks:c cenh:T"),
        ("large-hnefatafl", "dim:13 "),
        ("alea-evangelii", "dim:19 name:Alea_Evangelii surf:n atkf:n ks:c cenh:T start:"),
        ("berkeley", "dim:9 name:Tablut_Berkeley esc:e surf:n atkf:y tfr:w ks:c linc:y cenh: cor:"),
    ] {
        let rules = builtin(name);
        let start = Position::start(&rules).unwrap();
        let record = rules.to_otn(&start).unwrap();
        assert!(record.starts_with(words), "{record}");
        assert!(record.ends_with(&format!("start:{}", rules.start.to_text(rules.board))));
        let again = read(&record);
        assert_eq!(again.fingerprint(), rules.fingerprint(), "{record}");
        assert_eq!(again.first, rules.first);
        assert!(again.repetition == rules.repetition || name == "mcgill", "{record}");
    }
    for (name, field) in [
        ("ashton", "capture.protected-attackers"),
        ("ashton-server", "capture.protected-attackers"),
        ("brandubh-online", "capture.king-surrounded"),
        ("copenhagen", "capture.shieldwall"),
        ("fetlar", "end.encirclement"),
        ("magpie", "capture.king-edge-hostile"),
        ("saami-tablut", "end.encirclement"),
    ] {
        let rules = builtin(name);
        let error = rules.to_otn(&Position::start(&rules).unwrap()).unwrap_err();
        assert_eq!(error, OtnError::Inexpressible { field: field.to_owned() }, "{name}");
    }
}

#[test]
fn a_record_may_have_any_start() {
    let rules = builtin("brandubh");
    let start = Position::parse("/7/4t2/7/7/2K4/7/2t4/ d", &rules).unwrap();
    let again = read(&rules.to_otn(&start).unwrap());
    assert_eq!(Position::start(&again), Ok(start));
}

#[test]
fn rulesets_of_files_are_written_if_they_round_trip() {
    let read_file = |text| Ruleset::from_toml(text, "test.toml").unwrap();
    for text in [
        include_str!("../rulesets/mini-corner.toml"),
        include_str!("../rulesets/mini-edge.toml"),
        include_str!("../rulesets/great-corner.toml"),
    ] {
        let rules = read_file(text);
        let start = Position::start(&rules).unwrap();
        let again = read(&rules.to_otn(&start).unwrap());
        assert_eq!(again.fingerprint(), rules.fingerprint());
        assert!(again.name.starts_with("otn-"), "{}", again.name);
    }
    for text in [
        include_str!("../rulesets/mini-camps.toml"),
        include_str!("../rulesets/lopsided.toml"),
        include_str!("../rulesets/strange.toml"),
    ] {
        let rules = read_file(text);
        let error = rules.to_otn(&Position::start(&rules).unwrap()).unwrap_err();
        assert!(matches!(error, OtnError::Inexpressible { .. }), "{error}");
    }
}

#[test]
fn a_throne_without_re_entry_is_written_and_read() {
    // Ashton's castle: the king starts there, and can neither return nor pass over it.
    let text = include_str!("../../src/game/rules/builtin/ashton.toml");
    let text = text.replace("name = \"ashton\"", "name = \"castle\"");
    let lines = text.lines().filter(|line| !line.starts_with("camps = "));
    let text: Vec<String> =
        lines.map(|line| line.replace(", \"camps\"", "").replace("\"camps\"", "")).collect();
    let rules = Ruleset::from_toml(&text.join("\n"), "castle.toml").unwrap();
    let record = rules.to_otn(&Position::start(&rules).unwrap()).unwrap();
    assert!(record.contains(" cenp: cens: "), "{record}");
    assert_eq!(read(&record).fingerprint(), rules.fingerprint());
    // Or he may pass, but only from there.
    let gate = read(&format!("dim:7 surf:n cenre:tTk {SEVEN}"));
    let king = &gate.movement[Kind::King];
    assert_eq!(king.gates, [SquareSet::of(gate.board.centre())]);
    assert!(gate.movement[Kind::Attacker].gates.is_empty());
    let alone = read(&format!("dim:7 surf:n corre: {SEVEN}"));
    assert!(alone.movement[Kind::King].gates.is_empty(), "corre counts beside cenre only");
    let both = read(&format!("dim:7 surf:n cenre:tTK corp:tTK corre:K {SEVEN}"));
    assert_eq!(both.movement[Kind::Attacker].gates, [both.board.corners()]);
}

#[test]
fn every_supported_field_is_read() {
    let rules = read(&format!("dim:7\n name:My_Game surf:n atkf:n ks:w esc:e nj:n cj:n {SEVEN}"));
    assert_eq!((rules.name.as_str(), rules.title.as_str()), ("otn-my-game", "My Game"));
    assert_eq!(rules.first, Side::Defenders);
    assert!(rules.surrounded.is_empty());
    // The king may stop on corners, so he wins on the whole edge.
    assert_eq!(rules.goals, rules.board.edge());

    let strong = read(&format!("dim:7 surf:n cor:a1,g7, {SEVEN}"));
    assert_eq!(strong.surrounded, strong.places(Kind::King));
    assert_eq!(strong.list_of(strong.goals), ["a1", "g7"]);
    assert_eq!((strong.repetition, strong.endless), (Repetition::Draw, Endless::Draw));

    let forts = read(&format!("dim:7 surf:n afor:a4,b4 dfor:c3 dfors:TK aforp:t aforh:TK {SEVEN}"));
    let attacker = &forts.hostile[Kind::Attacker];
    let defender = &forts.hostile[Kind::Defender];
    assert!(!attacker.empty.contains(forts.board.parse("a4").unwrap()));
    assert!(defender.empty.contains(forts.board.parse("a4").unwrap()));
    assert!(!forts.places(Kind::Defender).contains(forts.board.parse("b4").unwrap()));

    let slow = read(&format!("dim:7 surf:n ka:n spd:2 {SEVEN}"));
    assert!(!slow.king_armed && Kind::ALL.iter().all(|&kind| slow.movement[kind].reach.is_some()));
    let written = slow.to_otn(&Position::start(&slow).unwrap()).unwrap();
    assert!(written.contains(" ka:n spd:2 "), "{written}");
    assert_eq!(read(&written).fingerprint(), slow.fingerprint());

    // The record with the last rank first.
    let upright = read("dim:5 surf:n start:/1tt2/2T2/tTKTt/2T2/2t2/");
    let inverted = read("dim:5 surf:n starti:/2t2/2T2/tTKTt/2T2/1tt2/");
    assert_eq!(upright.start, inverted.start);
}

trait List {
    fn list_of(&self, squares: SquareSet) -> Vec<String>;
}

impl List for Ruleset {
    fn list_of(&self, squares: SquareSet) -> Vec<String> {
        squares.iter().map(|square| self.board.name(square).to_string()).collect()
    }
}

#[test]
fn unsupported_games_are_refused_with_the_field_and_its_value() {
    for (fields, message) in [
        ("", "surf:y: only n is supported"),
        ("surf:n sw:s efe:y", "sw:s: only n is supported"),
        ("surf:n efe:y", "efe:y: only n is supported"),
        ("surf:n ka:h", "ka:h: only y or n is supported"),
        ("surf:n ks:m", "ks:m: only s or y or c or w or n is supported"),
        ("surf:n kj:r", "kj:r: only n is supported"),
        ("surf:n ber:c", "ber:c: only n is supported"),
        (
            "surf:n spd:-1,1,",
            "spd:-1,1,: only -1, any distance, or one number for all pieces is supported",
        ),
        ("surf:n tfr:l", "tfr:l: only d or i or w is supported"),
        ("surf:n cor:", "cor:: esc:c needs a corner for the king to win on"),
        ("surf:n cors:", "cors:: the king wins on a1, but may not stop there"),
        ("surf:n cor:a1,h8", "cor:a1,h8: \"h8\" is not on the board"),
        ("surf:n cor:d4", "cor:d4: d4 is a special square of two kinds"),
        (
            "surf:n cens:",
            "cens:: the king starts where it may pass again but never stop: rulesets cannot express this",
        ),
        (
            "surf:n linc:y cens:TK",
            "linc:y: only supported where no defender may stop on the throne",
        ),
        ("surf:n cenh:x", "cenh:x: 'x' is not a kind of piece"),
        ("surf:n dim:9", "the rules record has dim twice"),
        ("surf:n xyz:1", "xyz:1: unknown field of a rules record"),
        ("surf", "\"surf\" is not a field of a rules record: write dim:7 esc:e … start:/…/"),
    ] {
        let record = format!("dim:7 {fields} {SEVEN}");
        assert_eq!(refusal(&record), message, "{fields}");
    }
    assert_eq!(refusal(SEVEN), "surf:y: only n is supported");
    assert_eq!(refusal(&format!("surf:n {SEVEN}")), "the rules record has no dim");
    assert_eq!(refusal("dim:7 surf:n"), "the rules record has no start");
    assert_eq!(
        refusal(&format!("dim:8 surf:n {SEVEN}")),
        "dim:8: the number of ranks must be odd, from 5 to 19"
    );
    // Commanders and knights.
    assert_eq!(
        refusal("dim:5 surf:n start:/2c2/2N2/tTKTt/2T2/2t2/"),
        "start:/2c2/2N2/tTKTt/2T2/2t2/: rank 1: \"c\" is not a piece: write t, T, K or a count"
    );
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "[a-zA-Z0-9:,/ -]{0,80}") {
        let _ = Ruleset::from_otn(&text);
    }

    #[test]
    fn no_fields_make_the_reader_panic(
        fields in prop::collection::vec(
            ("(esc|cor|cen|afor|dfor|ks|tfr|linc|(cen|cor|afor|dfor)(p|s|h|re)|cenhe)",
             "([a-g][1-7],){0,3}|[tTkKcC]{0,4}|[a-z]"),
            0..6,
        ),
    ) {
        let fields: Vec<String> = fields.iter().map(|(key, value)| format!("{key}:{value}")).collect();
        let record = format!("dim:7 surf:n {} {SEVEN}", fields.join(" "));
        if let Ok(rules) = Ruleset::from_otn(&record) {
            // If it can be written, it is read back unchanged.
            let start = Position::start(&rules).unwrap();
            if let Ok(written) = rules.to_otn(&start) {
                prop_assert_eq!(read(&written).fingerprint(), rules.fingerprint(), "{}", written);
            }
        }
    }
}
