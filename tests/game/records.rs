//! Game records in OpenTafl's notation.

use std::sync::Arc;

use proptest::prelude::*;
use taflbase::history::Game;
use taflbase::notation::parse_move;
use taflbase::position::Position;
use taflbase::record::{GameResult, Record};
use taflbase::rules::{Ruleset, Side};

const HEAD: &str = "[rules:dim:7 surf:n ks:c cenh:tTK start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/]\n\n";

fn rules(name: &str) -> Arc<Ruleset> {
    Arc::new(Ruleset::builtin(name).unwrap())
}

#[track_caller]
fn read(text: &str) -> Record {
    Record::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[track_caller]
fn fault(text: &str) -> String {
    Record::parse(text).expect_err(text).to_string()
}

fn texts(game: &Game) -> Vec<String> {
    game.moves().iter().map(|played| played.display(game.rules().board).to_string()).collect()
}

/// Plays random moves until the choices are used up or the game is over.
fn game(rules: &Arc<Ruleset>, start: Option<Position>, choices: &[usize]) -> Game {
    let start = start.unwrap_or_else(|| Position::start(rules).unwrap());
    let mut game = Game::from_position(Arc::clone(rules), start).unwrap();
    for choice in choices {
        if game.outcome().is_some() {
            break;
        }
        let moves = game.playable_moves();
        game.play(&moves[choice % moves.len()]).unwrap();
    }
    game
}

#[track_caller]
fn assert_same(record: &Record, again: &Record) {
    assert_eq!(again.tags, record.tags);
    assert_eq!(again.result, record.result);
    assert_eq!(again.comments, record.comments);
    assert_eq!(again.game.positions(), record.game.positions());
    assert_eq!(again.game.moves(), record.game.moves());
    assert_eq!(again.game.outcome(), record.game.outcome());
    assert_eq!(again.game.rules().name, record.game.rules().name);
    assert_eq!(again.game.plies_left(), record.game.plies_left());
}

#[test]
fn records_are_written_in_the_standard_form() {
    let rules = rules("brandubh");
    let mut game = Game::new(Arc::clone(&rules)).unwrap();
    for text in ["d1-c1", "d3-c3", "g4-g5"] {
        let played = parse_move(&rules, game.position(), text).unwrap();
        game.play(&played).unwrap();
    }
    let mut record = Record::new(game);
    record.tags.push(("date".to_owned(), "2026.11.22".to_owned()));
    record.tags.push(("event".to_owned(), "a [friendly]\ngame".to_owned()));
    record.comments.insert(1, "the answer, not c1|c2".to_owned());
    assert_eq!(
        record.to_text(),
        "[date:2026.11.22]\n[event:a (friendly) game]\n[result:?]\n[taflbase-rules:brandubh]\n\
         [rules:dim:7 name:Brandubh surf:n atkf:y ks:c cenh:T \
         start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/]\n\n\
         1. d1-c1 d3-c3\n[|the answer, not c1/c2]\n2. g4-g5\n"
    );
    let again = read(&record.to_text());
    assert_eq!(again.tag("date"), Some("2026.11.22"));
    assert_eq!(again.comments[&1], "the answer, not c1/c2");
}

#[test]
fn rules_beyond_the_notation_are_named() {
    let ashton = rules("ashton");
    let game = game(&ashton, None, &[0, 5]);
    let text = Record::new(game).to_text();
    assert!(text.starts_with("[result:?]\n[taflbase-rules:ashton]\n\n1. "), "{text}");
    let start = Position::parse("/t3t3t/1t7/6T2/3T3t1/8t/6T1t/4t4/t2K5/1t3t1t1/ d", &ashton);
    let elsewhere = Record::new(Game::from_position(ashton, start.unwrap()).unwrap());
    let text = elsewhere.to_text();
    let board = "/t3t3t/1t7/6T2/3T3t1/8t/6T1t/4t4/t2K5/1t3t1t1/ d";
    assert!(text.contains(&format!("\n[position:{board}]\n")), "{text}");
    assert_same(&elsewhere, &read(&text));
    // The name of a ruleset from a file means nothing to others.
    let toml = include_str!("../rulesets/mini-camps.toml");
    let own = Arc::new(Ruleset::from_toml(toml, "mini-camps.toml").unwrap());
    let record = Record::new(Game::new(Arc::clone(&own)).unwrap());
    let text = record.to_text();
    assert_eq!(
        fault(&text),
        format!(
            "line 2: {:?} is not a built-in ruleset: read the record with the rules of the game",
            own.name
        )
    );
    assert_same(&record, &Record::parse_with(&text, own).unwrap());
}

#[test]
fn records_of_other_programs_are_read() {
    // As OpenTafl writes them: tags after the rules, a comment of several lines, variations,
    // marks of threats, and a resignation.
    let text = "[date:2015.05.04]\r\n[result:-1]\r\n[rules:dim:7 name:Brandub surf:n atkf:y \
        ks:c nj:n cj:n start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/]\r\n[start-comment:Two\r\n\r\nlines]\r\n\r\n\
        1. d2-e2 c4-c5+\r\n[First.|Second,\r\n\r\nand more: 5. e4-e5]\r\n\r\n\
        1a.1.1a. d1-c1 d3-c3\r\n[a variation|of it]\r\n1b.1.1a. ..... d3-b3\r\n\r\n\
        2. f4-f5 Tc5-a5- \r\n[|]\r\n3. d6-a6xta5 d5-a5xa6\r\n4. ---\r\n";
    let record = read(text);
    assert_eq!(texts(&record.game), ["d2-e2", "c4-c5", "f4-f5", "c5-a5", "d6-a6xa5", "d5-a5xa6"]);
    assert_eq!(record.result, GameResult::Won(Side::Defenders));
    assert_eq!(record.tag("start-comment"), Some("Two\r\n\r\nlines"));
    assert_eq!(record.comments.len(), 2);
    assert_eq!(record.comments[&1], "Second,\r\n\r\nand more: 5. e4-e5");
    assert_eq!(record.game.rules().repetition_occurrence, 3);

    // The side that resigns has lost.
    for tag in ["", "[result:?]\n", "[result:1]\n"] {
        let record = read(&format!("{tag}{HEAD}1.d1-c1 ---"));
        assert_eq!(record.result, GameResult::Won(Side::Attackers), "{tag}");
    }

    // A captured king may be named, marked, or neither.
    let head = "[rules:dim:7 surf:n ks:w start:/3t3/7/7/ttTKT2/7/7/3t3/]\n";
    for capture in ["d1-d3 c4-c5", "d1-d3+"] {
        assert_eq!(read(&format!("{head}1. {capture}")).result, GameResult::Open);
    }
    let head = "[rules:dim:7 surf:n ks:w start:/3t3/7/7/3K3/3t3/1T5/7/]\n";
    for capture in ["d1-d3xKd4", "d1-d3xkd4++", "d1-d3++", "d1-d3"] {
        let record = read(&format!("{head}1. {capture}"));
        assert_eq!(record.result, GameResult::Won(Side::Attackers), "{capture}");
    }
    // Some programs write `++` for any win.
    let head = "[rules:dim:7 surf:n atkf:n start:/2K4/3t3/7/7/7/7/7/]\n";
    for escape in ["c1-a1++", "Kc1-a1--", "c1-a1"] {
        let record = read(&format!("{head}1. {escape}"));
        assert_eq!(record.result, GameResult::Won(Side::Defenders), "{escape}");
    }
    // The position takes precedence over the record's start.
    let moved = read(&HEAD.replace("[rules", "[position:/7/4t2/7/7/2K4/7/2t4/]\n[rules"));
    assert_eq!(moved.game.position().slice().to_string(), "K0v2");
}

/// A rules record that no ruleset can express says how the game began.
#[test]
fn games_by_given_rules_begin_as_the_record_says() {
    let text = |start: &str| format!("[rules:dim:11 sw:s efe:y atkf:n {start}]\n1. f6-f9 f1-f8\n");
    let copenhagen = || rules("copenhagen");
    let given = |start: &str| Record::parse_with(&text(start), copenhagen());
    let board = "start:/5t5/11/11/11/11/5K5/11/11/11/5t5/11/";
    let record = given(board).unwrap();
    assert_eq!(texts(&record.game), ["Kf6-f9", "f1-f8"]);
    let tagged = board.replace("start", "] [position");
    assert_eq!(texts(&given(&tagged).unwrap().game), ["Kf6-f9", "f1-f8"]);
    // The ruleset's own start, where the king cannot move.
    let own = given("").unwrap_err().to_string();
    assert_eq!(own, "line 2, turn 1: f6-f9: a piece on f7 is in the way");
    let small = given("start:/3t3/7/7/3K3/7/7/7/").unwrap_err().to_string();
    assert!(small.starts_with("line 1: rules: start:/3t3"), "{small}");
    let nobody = Record::parse(&text(board)).unwrap_err().to_string();
    assert_eq!(nobody, "line 1: rules: surf:y: only n is supported");
}

#[test]
fn a_limit_on_the_moves_ends_the_reading() {
    let text = format!("{HEAD}1. d1-c1 d3-c3\n2. c1-d1 nonsense");
    let limited = |rules, max| Record::parse_limited(&text, rules, max);
    for given in [None, Some(rules("brandubh"))] {
        let error = limited(given.clone(), 2).unwrap_err();
        let expected = "line 4, turn 2: the game has more than 2 moves: shorten the record";
        assert_eq!(error.to_string(), expected);
        assert!(limited(given, 4).unwrap_err().to_string().contains("nonsense"));
    }
    let whole = text.replace(" nonsense", " ---");
    let record = Record::parse_limited(&whole, None, 3).unwrap();
    assert_eq!(record.game.moves().len(), 3);
    assert_eq!(record.result, GameResult::Won(Side::Attackers));
}

#[test]
fn faults_are_reported_with_line_and_turn() {
    for (text, message) in [
        ("", "line 1: no tag gives the rules: write [rules:dim:7 …]"),
        ("[date", "line 1: the bracket [ is not closed"),
        ("\n[date 2026]", "line 2: \"date 2026\" is not a tag: write [name:value]"),
        ("[date:x]\n[rules:dim:7 sw:s]", "line 2: rules: surf:y: only n is supported"),
        (
            "[taflbase-rules:chess]",
            "line 1: \"chess\" is not a built-in ruleset: read the record with the rules of the game",
        ),
        ("[taflbase-rules:ashton]\n\n[position:/9/]", "line 3: start: 1 instead of 9 ranks"),
    ] {
        assert_eq!(fault(text), message, "{text}");
    }
    for (moves, message) in [
        ("1. d1-c1 d3-c3 d2-c2", "line 3, turn 1: d2-c2 is the turn's third move"),
        ("2. d1-c1", "line 3, turn 1: expected turn 1"),
        ("d1-c1", "line 3, turn 1: expected turn 1"),
        ("1 d1-c1", "line 3, turn 1: expected turn 1"),
        ("1. d1-c1 d3-c3\n[|]\n\n3. g4-g5", "line 6, turn 2: expected turn 2"),
        ("1. d1-c1 d3-c3\n2. e1-e2", "line 4, turn 2: e1-e2: no piece stands on e1"),
        ("1. d1-c1xd3", "line 3, turn 1: d1-c1xd3: the move captures something else: it is d1-c1"),
        (
            "1. d1-c1++",
            "line 3, turn 1: d1-c1++: the move does not end the game like this: it is d1-c1",
        ),
        ("1. --- d1-c1", "line 3, turn 1: d1-c1 follows a resignation"),
        ("1. d1-c1\n[", "line 4: the bracket [ is not closed"),
    ] {
        assert_eq!(fault(&format!("{HEAD}{moves}")), message, "{moves}");
    }
    let won = "[rules:dim:7 surf:n atkf:n start:/2K4/3t3/7/7/7/7/7/]\n1. c1-a1";
    assert_eq!(
        fault(&format!("[result:1]\n{won}")),
        "line 1: the result tag says 1, but the moves give: the defenders win: the king has escaped"
    );
    assert_eq!(
        fault(&format!("[result:-1]\n{HEAD}1. d1-c1 ---")),
        "line 1: the result tag says -1, but the defenders resign"
    );
    assert_eq!(
        fault(&format!("[result:2]\n{won}")),
        "line 1: \"2\" is not a result: write 1 (attackers), 0 (draw), -1 (defenders) or ?"
    );
    assert_eq!(
        fault(&format!("{won} d2-d3")),
        "line 2, turn 1: d2-d3 follows the end of the game (the defenders win: the king has escaped)"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_game_round_trips_through_text(
        name in prop::sample::select(Ruleset::builtin_names()),
        choices in prop::collection::vec(any::<usize>(), 0..120),
        begin in 0_usize..5,
        tags in prop::collection::vec(("[a-z]{1,6}", "[a-zA-Z0-9:.,-]{0,9}"), 0..3),
        comments in prop::collection::btree_map(0_usize..20, "[a-z0-9., \n]{0,20}[a-z]", 0..4),
    ) {
        let rules = rules(name);
        // From the start position, or from a position of another game.
        let before = game(&rules, None, &choices[..begin.min(choices.len())]);
        let start = before.outcome().is_none().then(|| *before.position());
        let mut record = Record::new(game(&rules, start, &choices));
        record.tags = tags.into_iter().filter(|(tag, _)| tag != "rules" && tag != "result").collect();
        let moves = record.game.moves().len();
        record.comments = comments.into_iter().filter(|&(number, _)| number < moves).collect();
        assert_same(&record, &read(&record.to_text()));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,80}") {
        let _ = Record::parse(&text);
        let _ = Record::parse(&format!("{HEAD}{text}"));
    }

    #[test]
    fn no_broken_record_makes_the_reader_panic(
        words in prop::collection::vec(
            "[1-3]\\.|[1-3][ab]\\.1\\.1a\\.|d1-c1|d3-c3|[a-g][1-7]-[a-g][1-7](x[tTK]?[a-g][1-7]){0,2}[-+]{0,3}|\\[[^\\]]{0,5}\\]?|é|---",
            0..12,
        ),
    ) {
        let text = format!("{HEAD}{}", words.join(" "));
        if let Ok(record) = Record::parse(&text) {
            prop_assert!(Record::parse(&record.to_text()).is_ok(), "{}", record.to_text());
        }
    }
}
