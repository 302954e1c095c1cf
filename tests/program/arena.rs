//! Matches, through the library and as the program plays them.

use std::fs;
use std::num::NonZeroUsize;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use taflbase::arena::{
    Contestant, Factory, GameRecord, Hypothesis, PlayerContext, PlayerId, Results, Settings, Sprt,
    Standing, Store, Tournament, TournamentError, factory,
};
use taflbase::engine::{Clock, Player, PlayerError};
use taflbase::history::Game;
use taflbase::moves::{Move, legal_moves};
use taflbase::notation::parse_move;
use taflbase::rules::Ruleset;

use crate::place::{Place, Run};

const RANDOM: [&str; 2] = ["random:seed=1", "random:seed=2"];

fn tournament(players: [&str; 2], pairs: usize, concurrency: usize) -> Tournament {
    let rules = Arc::new(Ruleset::builtin("brandubh").unwrap());
    let context = PlayerContext { rules: Arc::clone(&rules), tables: None, proofs: None, seed: 1 };
    Tournament {
        players: players.map(|text| factory(text, &context).unwrap()),
        settings: Settings {
            rules,
            players: players.map(str::to_owned),
            clock: Clock::Nodes(100),
            seed: 5,
            book_plies: 4,
            max_plies: 200,
        },
        pairs,
        sprt: None,
        concurrency: NonZeroUsize::new(concurrency).unwrap(),
    }
}

/// Plays all games; returns the records in the order of the match.
fn played(tournament: &Tournament) -> (Results, Vec<GameRecord>) {
    let mut games = Vec::new();
    let on_game = &mut |game: &GameRecord, _: &Results| games.push(game.clone());
    let results = tournament.run(None, &AtomicBool::new(false), on_game).unwrap();
    games.sort_by_key(|game| (game.pair, game.attackers as u8));
    (results, games)
}

#[test]
fn results_do_not_depend_on_concurrency() {
    // With this many nodes, entries that one game left in the hash table would change the next.
    let with = |concurrency| {
        let mut match_ = tournament(["engine:hash=1", RANDOM[0]], 4, concurrency);
        match_.settings.clock = Clock::Nodes(3000);
        played(&match_)
    };
    let ((results, games), (parallel, same)) = (with(1), with(3));
    assert_eq!(games, same);
    assert_eq!(results.standing(), parallel.standing());
    assert_eq!((games.len(), results.standing().games()), (8, 8));
    // The engine reports scores, the random player does not.
    for game in &games {
        let first = game.scores.iter().position(Option::is_some).unwrap();
        // An opening of 4 plies leaves the attackers to move.
        assert_eq!(first == 0, game.attackers == PlayerId::A);
        assert_eq!(game.scores.len(), game.moves.len());
    }
}

#[test]
fn saved_games_can_be_played_again() {
    let rules = Arc::new(Ruleset::builtin("brandubh").unwrap());
    let (results, games) = played(&tournament(RANDOM, 30, 2));
    let mut expected = Standing::default();
    for pair in games.chunks(2) {
        assert_eq!(pair[0].opening, pair[1].opening);
        assert_eq!(pair[0].attackers, pair[1].attackers.other());
    }
    for record in &games {
        let mut game = Game::new(Arc::clone(&rules)).unwrap();
        for text in record.opening.iter().chain(&record.moves) {
            assert_eq!(game.outcome(), None);
            let played = parse_move(&rules, game.position(), text).unwrap();
            game.play(&played).unwrap();
        }
        assert_eq!(game.moves().len(), record.plies());
        match game.outcome() {
            Some(outcome) => {
                assert_eq!(outcome.winner.map(|side| record.player(side)), record.winner);
                assert_eq!(outcome.reason.to_string(), record.reason);
            }
            None => assert_eq!((record.plies(), record.winner), (200, None)),
        }
        for (who, tallies) in PlayerId::ALL.into_iter().zip([&mut expected.a, &mut expected.b]) {
            let tally = &mut tallies[record.side(who)];
            match record.winner {
                None => tally.draws += 1,
                Some(winner) => {
                    *(if winner == who { &mut tally.wins } else { &mut tally.losses }) += 1
                }
            }
        }
    }
    let standing = results.standing();
    assert_eq!((standing.a, standing.b), (expected.a, expected.b));
    let [attackers, defenders] = standing.a.0;
    assert_ne!(attackers.wins, attackers.losses);
    assert_ne!(defenders.wins, defenders.losses);
    assert_eq!(standing.plies, games.iter().map(|game| game.plies() as u64).sum::<u64>());
    assert_eq!(standing.pairs.count(), 30);
}

/// Plays the first legal move, and fails this many times.
struct Failing(Arc<AtomicUsize>);

impl Player for Failing {
    fn name(&self) -> String {
        "failing".to_owned()
    }

    fn begin(&mut self, _: &Game) -> Result<(), PlayerError> {
        Ok(())
    }

    fn choose(&mut self, game: &Game, _: Clock) -> Result<Move, PlayerError> {
        let fails = |left: usize| left.checked_sub(1);
        match self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fails) {
            Ok(_) => Err(PlayerError::new(self.name(), "tired")),
            Err(_) => Ok(legal_moves(game.rules(), game.position())[0]),
        }
    }
}

impl Contestant for Failing {}

#[test]
fn a_failed_player_loses_the_game_and_is_restarted() {
    let (failures, made) = (Arc::new(AtomicUsize::new(3)), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&made);
    let failing: Factory = Box::new(move || {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Failing(Arc::clone(&failures))))
    });
    let mut match_ = tournament(RANDOM, 5, 1);
    match_.players[1] = failing;
    let (results, games) = played(&match_);
    let faults: Vec<&GameRecord> = games.iter().filter(|game| game.fault).collect();
    assert_eq!(faults.len(), 3);
    for game in faults {
        assert_eq!((game.winner, game.reason.as_str()), (Some(PlayerId::A), "tired"));
    }
    let faults: u64 = results.standing().b.iter().map(|tally| tally.faults).sum();
    assert_eq!((faults, made.load(Ordering::Relaxed)), (3, 4));
    assert!(results.is_complete());
}

#[test]
fn a_player_that_cannot_be_made_ends_the_match() {
    let mut match_ = tournament(RANDOM, 5, 2);
    match_.players[0] = Box::new(|| Err(PlayerError::new("ghost", "not there")));
    let ended = match_.run(None, &AtomicBool::new(false), &mut |_, _| {});
    let Err(error @ TournamentError::Player(_)) = ended else {
        panic!("the match went on");
    };
    assert_eq!(error.to_string(), "ghost: not there");
}

#[test]
fn a_sequential_test_stops_the_match() {
    let stopped = |concurrency| {
        let mut match_ = tournament(["engine:hash=1", RANDOM[0]], 200, concurrency);
        match_.settings.clock = Clock::Nodes(400);
        match_.sprt = Some(Sprt::new(-200.0, 0.0));
        played(&match_)
    };
    let (results, games) = stopped(1);
    assert_eq!(results.verdict(), Some(Hypothesis::Second));
    assert!(results.is_complete() && games.len() < 400);
    let standing = results.standing();
    assert_eq!(standing.games(), 2 * standing.pairs.count());
    let (parallel, _) = stopped(3);
    assert_eq!(parallel.standing(), standing);
    assert_eq!(parallel.log_likelihood_ratio(), results.log_likelihood_ratio());
}

#[test]
fn games_after_the_pair_that_decides_do_not_count() {
    let place = Place::new();
    let arguments = ["match", "brandubh", "engine:hash=1", "random", "--nodes", "400", "--json"];
    let arguments = [&arguments[..], &["--games", "80", "--output", "games.jsonl"]].concat();
    let all = &place.run(&arguments).json()[0];
    assert_eq!((&all["games"], &all["accepted"]), (&80.into(), &Value::Null));
    let tested = &place.run(&[&arguments[..], &["--sprt", "-200,0"]].concat()).json()[0];
    assert_eq!((&tested["accepted"], &tested["complete"]), (&0.0.into(), &true.into()));
    assert!(tested["games"].as_u64() < Some(80), "{tested}");
}

#[test]
fn only_one_match_writes_to_a_file() {
    let place = Place::new();
    let settings = tournament(RANDOM, 1, 1).settings;
    let path = place.path("games.jsonl");
    let (store, games) = Store::open(&path, &settings).unwrap();
    assert!(games.is_empty());
    let error = Store::open(&path, &settings).unwrap_err().to_string();
    assert!(error.ends_with("games.jsonl: another match is writing there"), "{error}");
    drop(store);
    assert!(Store::open(&path, &settings).is_ok());
}

const MATCH: [&str; 7] = ["match", "brandubh", RANDOM[0], RANDOM[1], "--games", "20", "--output"];

fn sorted_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort();
    lines
}

#[test]
fn a_stopped_match_is_resumed() {
    let place = Place::new();
    let whole = place.run(&[&MATCH[..], &["whole.jsonl", "--json"]].concat()).done();
    let lines = fs::read_to_string(place.path("whole.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 20);
    // Seven games, one of them without its end.
    let torn: usize = lines.lines().take(6).map(|line| line.len() + 1).sum();
    fs::write(place.path("torn.jsonl"), &lines[..torn + 100]).unwrap();
    let again = place.run(&[&MATCH[..], &["torn.jsonl", "--json"]].concat()).done();
    assert_eq!(again, whole);
    let resumed = fs::read_to_string(place.path("torn.jsonl")).unwrap();
    assert!(resumed.starts_with(&lines[..torn]));
    assert_eq!(sorted_lines(&resumed), sorted_lines(&lines));
    // First nothing is left to play, then more games are requested.
    let longer = ["torn.jsonl", "--games", "24", "--json"];
    let more = &place.run(&[&MATCH[..4], &["--output"], &longer[..]].concat()).json()[0];
    assert_eq!(more["games"], 24);
}

#[test]
fn games_of_another_match_are_refused() {
    let place = Place::new();
    place.run(&[&MATCH[..], &["games.jsonl"]].concat()).done();
    let before = fs::read(place.path("games.jsonl")).unwrap();
    for (other, words) in [
        (&["--seed", "3"][..], &["line 1", "\"seed\" is 0 there, 3 here"][..]),
        (&["--depth", "2"], &["\"clock\" is \"nodes 10000\" there, \"depth 2\" here"]),
        (&["--book-plies", "3"], &["\"book_plies\"", "name another file"]),
    ] {
        place.run(&[&MATCH[..], &["games.jsonl"], other].concat()).refused(2, words);
    }
    let players = ["match", "brandubh", RANDOM[1], RANDOM[0], "--output", "games.jsonl"];
    place.run(&players).refused(2, &["\"players\""]);
    let rules = ["match", "tablut", RANDOM[0], RANDOM[1], "--output", "games.jsonl"];
    place.run(&rules).refused(2, &["games.jsonl", "is \"brandubh\"", "\"tablut\" here"]);
    assert_eq!(fs::read(place.path("games.jsonl")).unwrap(), before);
    let text = String::from_utf8(before).unwrap();
    let first = text.lines().next().unwrap();
    fs::write(place.path("games.jsonl"), format!("{first}\nnonsense\n{first}\n")).unwrap();
    let damaged = place.run(&[&MATCH[..], &["games.jsonl"]].concat());
    damaged.refused(2, &["games.jsonl: line 2 is not a game of a match"]);
    let (_, rest) = first.split_once("\"opening\":[\"").unwrap();
    let opening = &rest[..5];
    let other = text.replace(&format!("\"opening\":[\"{opening}"), "\"opening\":[\"x");
    fs::write(place.path("games.jsonl"), other).unwrap();
    let changed = place.run(&[&MATCH[..], &["games.jsonl"]].concat());
    changed.refused(2, &["begins with another opening"]);
}

#[test]
fn only_an_incomplete_game_is_removed_from_a_file() {
    let place = Place::new();
    place.run(&[&MATCH[..], &["games.jsonl"]].concat()).done();
    let games = fs::read_to_string(place.path("games.jsonl")).unwrap();
    let first = games.lines().next().unwrap();
    let other_seed = first.replace("\"seed\":0", "\"seed\":3");
    for (content, words) in [
        ("notes without a line break".to_owned(), &["line 1 is not a game of a match"][..]),
        (format!("{first}\n{{\"notes\":1}}"), &["line 2 is not a game of a match"]),
        (format!("{first}\n{other_seed}"), &["line 2", "\"seed\" is 3 there, 0 here"]),
        (other_seed[..other_seed.len() - 9].to_owned(), &["line 1 is not a game of a match"]),
    ] {
        fs::write(place.path("games.jsonl"), &content).unwrap();
        place.run(&[&MATCH[..], &["games.jsonl"]].concat()).refused(2, words);
        assert_eq!(fs::read_to_string(place.path("games.jsonl")).unwrap(), content);
    }
    // An interruption may leave any part of a line.
    for torn in ["{", "{\"rules\":\"bran", &first[..first.len() - 1], first] {
        fs::write(place.path("games.jsonl"), torn).unwrap();
        place.run(&[&MATCH[..], &["games.jsonl"]].concat()).done();
        let again = fs::read_to_string(place.path("games.jsonl")).unwrap();
        assert_eq!(sorted_lines(&again), sorted_lines(&games), "{torn}");
    }
    // So may a power cut, and zeros behind it. A game that only lacks its line break is kept.
    let spaced = first.replace("\"pair\":", "\"pair\": ");
    for (left, kept) in [(first, first), (&first[..99], ""), ("", ""), (&spaced, &spaced)] {
        fs::write(place.path("games.jsonl"), format!("{left}{}", "\0".repeat(4096))).unwrap();
        place.run(&[&MATCH[..], &["games.jsonl"]].concat()).done();
        let again = fs::read_to_string(place.path("games.jsonl")).unwrap();
        assert!(again.starts_with(kept) && again.lines().count() == 20, "{left}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_match_and_prints_its_results() {
    let place = Place::new();
    let arguments =
        ["match", "tablut", "engine:hash=1", "random", "--time", "0.2", "--games", "200"];
    let arguments = [&arguments[..], &["--output", "games.jsonl", "--max-plies", "12"]].concat();
    let mut command = place.command(&[&arguments[..], &["--json"]].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let lines =
        || fs::read_to_string(place.path("games.jsonl")).unwrap_or_default().lines().count();
    while lines() < 3 && child.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(10));
    }
    let kill = ["-c", "kill -INT \"$0\"", &child.id().to_string()];
    Command::new("sh").args(kill).status().unwrap();
    let stopped = Run::ended(child.wait_with_output().unwrap());
    assert_eq!(stopped.status, 130, "{}", stopped.err);
    let last = "taflbase: stopped; the same command resumes it";
    assert_eq!(stopped.err.lines().last(), Some(last));
    let result: Value = serde_json::from_str(&stopped.out).unwrap();
    assert_eq!((&result["complete"], &result["games"]), (&false.into(), &lines().into()));
    assert!(lines() < 200);
}

#[test]
fn long_games_are_draws_and_are_listed_in_a_table() {
    let place = Place::new();
    let arguments = ["match", "brandubh", "random", "random:name=dice", "--max-plies", "7"];
    let run = place.run(&[&arguments[..], &["--games", "4", "--sprt", "-5,5"]].concat());
    assert_eq!(run.err, "");
    let text = run.done();
    for line in [
        "player               games  wins  draws  losses  faults   score",
        "A: random                4     0      4       0       0  50.0 %",
        "   as attackers          2     0      2       0       0  50.0 %",
        "B: random:name=dice      4     0      4       0       0  50.0 %",
        "mean length of a game: 7.0 plies",
        "pairs by points of A: 0 of 0, 0 of ½, 2 of 1, 0 of 1½, 0 of 2",
        "Elo of A: +0.0",
        "SPRT of -5,5: LLR 0.00 in -2.94 to 2.94: undecided",
    ] {
        assert!(text.lines().any(|printed| printed == line), "{line} is not in:\n{text}");
    }
}

#[test]
fn a_player_that_wins_all_games_has_no_elo() {
    let place = Place::new();
    let arguments = ["match", "brandubh", "engine", "random", "--nodes", "2000", "--games", "2"];
    let text = place.run(&arguments).done();
    assert!(text.contains("\nA won all games: Elo is undefined\n"), "{text}");
}

#[test]
fn programs_play_over_otep() {
    let place = Place::new();
    let program = env!("CARGO_BIN_EXE_taflbase");
    let other = format!("otep:'{program}' otep --threads 1 --hash 1");
    let arguments =
        ["match", "brandubh", &other, "random", "--time", "1", "--games", "2", "--json"];
    let result = &place.run(&arguments).json()[0];
    assert_eq!(result["pairs"], serde_json::json!([0, 0, 0, 0, 1]), "{result}");
    let nobody = place.run(&["match", "brandubh", "random", "otep:/no/where", "--games", "2"]);
    nobody.refused(2, &["otep:/no/where: cannot be started"]);
}

#[test]
fn json_has_the_fields_that_the_help_names() {
    let place = Place::new();
    let help = place.run(&["match", "--help"]).done();
    let example = help.lines().find(|line| line.starts_with("  {")).unwrap();
    let example: Value = serde_json::from_str(example).unwrap();
    let found =
        &place.run(&["match", "brandubh", "random", "random", "--games", "2", "--json"]).json()[0];
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(found), keys(&example));
    assert_eq!(keys(&found["a"]["attackers"]), keys(&example["a"]["attackers"]));
}

#[test]
fn refusals_are_one_line() {
    let place = Place::new();
    for (arguments, words) in [
        (&["match", "brandubh", "random"][..], &["<B>", "usage: taflbase match"][..]),
        (&["match", "brandubh", "random", "chess"], &["player B, \"chess\"", "engine, random"]),
        (&["match", "brandubh", "engine:hash=x", "random"], &["player A", "hash=x", "MiB"]),
        (&["match", "brandubh", "random", "random", "--games", "3"], &["'3'", "even number"]),
        (&["match", "brandubh", "random", "random", "--sprt", "5,0"], &["smaller", "0,5"]),
        (&["match", "brandubh", "random", "random", "--clock", "5"], &["'5'", "5+2"]),
        (&["match", "brandubh", "random", "random", "--time", "0"], &["--time", "0.5"]),
        (&["match", "brandubh", "random", "random", "--time", "1", "--nodes", "9"], &["--nodes"]),
        (
            &["match", "brandubh", "random", "random", "--book-plies", "1"],
            &["only 5 can be found", "fewer games"],
        ),
        (
            &["match", "brandubh", "random", "random", "--max-plies", "6"],
            &["opening of 6 plies", "at least 7"],
        ),
        (&["match", "brandubh", "random", "random", "--output", "no/where"], &["no/where"]),
        (
            &["match", "brandubh", "random", "traditional", "--depth", "2"],
            &["traditional", "Monte Carlo needs a time or a number of positions"],
        ),
    ] {
        let run = place.run(arguments);
        run.refused(2, words);
        assert_eq!(run.out, "", "{arguments:?}");
    }
}
