//! Games at the terminal, with lines from a pipe.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use taflbase::rules::Ruleset;

use crate::place::{Place, Run};

/// The king wins in three plies.
const WIN: &str = "/7/4t2/7/7/2K4/7/2t4/ d";

/// Plays a game with these lines as input.
fn typed(arguments: &[&str], lines: &[u8]) -> Run {
    let limits: &[&str] = match arguments.contains(&"--level") {
        true => &[],
        false => &["--nodes", "300"],
    };
    let place = Place::new();
    let common = ["play", "--hash", "1", "--threads", "1"];
    let mut command = place.command(&[&common[..], limits, arguments].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that has exited does not read them.
    let _ = child.stdin.take().unwrap().write_all(lines);
    Run::ended(child.wait_with_output().unwrap())
}

/// Returns the output after the greeting, which ends before the first board.
fn greeted(run: Run) -> String {
    let out = run.done();
    let (greeting, game) = out.split_once("\n\n").unwrap();
    assert!(greeting.ends_with("? for all commands."), "{greeting}");
    format!("\n{game}")
}

/// Returns the output without the greeting and the boards.
fn output_of(arguments: &[&str], lines: &str) -> Vec<String> {
    let out = greeted(typed(arguments, lines.as_bytes()));
    let is_board = |line: &&str| {
        let mut words = line.split_whitespace();
        words.all(|word| word.len() <= 2)
    };
    out.lines().filter(|line| !is_board(line)).map(str::to_owned).collect()
}

#[test]
fn a_game_of_two_people_ends_with_a_result() {
    let both = ["brandubh", "--position", WIN, "--side", "both"];
    let end = "the defenders win: the king has escaped";
    assert_eq!(output_of(&both, "Kc5-c1\ne2-e1\nKc1-a1\n"), [end]);
    assert_eq!(output_of(&both, "c5-c1\ne2e1\nc1a\n"), [end]);
    let more =
        output_of(&both, "c5-c1\ne2e1\nc1a\nhint\ntables\nc1g1\nundo\nboard\nquit\nnonsense\n");
    assert_eq!(more[..3], [end, "the game is over", "the game is over"]);
    assert_eq!(more[4..], ["/2K1t2/7/7/7/7/7/2t4/ d"]);
    let drawn = output_of(&["brandubh", "--side", "both"], "d1-c1\nd3-c3\nc1-d1\nc3-d3\nd1c1\n");
    assert_eq!(drawn, ["a draw: the position has occurred before", "the game is over"]);
    let stuck = output_of(&["brandubh", "--position", "/7/tT5/T6/7/2K4/7/7/ a"], "moves\n");
    assert_eq!(stuck, ["the defenders win: the other side has no move", "the game is over"]);
}

#[test]
fn boards_are_drawn_after_each_move() {
    let out = greeted(typed(&["brandubh", "--position", WIN, "--side", "both"], b"c5c1\n"));
    let boards: Vec<&str> = out.split("     a  b  c  d  e  f  g\n").collect();
    assert_eq!(boards.len(), 3);
    assert!(boards[0].contains("  5  .  .  K  .  .  .  .\n"), "{out}");
    assert!(boards[1].contains("  1  *  .  K  .  .  .  *\n"), "{out}");
    assert!(!out.contains('\x1b'));
    let coloured = ["brandubh", "--position", WIN, "--side", "both", "--color", "always"];
    assert!(typed(&coloured, b"").done().contains("\x1b[1;33mK"));
}

#[test]
fn a_board_can_be_seen_from_the_other_side() {
    let both = ["brandubh", "--position", WIN, "--side", "both"];
    let out = greeted(typed(&both, b"flip\nc5c1\nflip\n"));
    let boards: Vec<&str> = out.trim_matches('\n').split("\n\n\n").collect();
    let [first, turned, moved, back] = boards[..] else { panic!("{out}") };
    let mirrored = |board: &str| {
        let (ranks, files) = board.rsplit_once('\n').unwrap();
        let lines = ranks.lines().rev().chain([files]).map(|line| {
            let (rank, squares) = line.split_at(3);
            let squares: Vec<&str> = squares.split_whitespace().rev().collect();
            (rank.to_owned(), squares.join(" "))
        });
        lines.collect::<Vec<_>>()
    };
    let plain = |board: &str| {
        let lines = board.lines().map(|line| {
            let (rank, squares) = line.split_at(3);
            (rank.to_owned(), squares.split_whitespace().collect::<Vec<_>>().join(" "))
        });
        lines.collect::<Vec<_>>()
    };
    assert_eq!(plain(turned), mirrored(first), "{out}");
    assert_eq!(plain(moved), mirrored(back), "{out}");
    assert_ne!(moved, turned);
    assert!(turned.ends_with("     g  f  e  d  c  b  a"), "{out}");
}

#[test]
fn a_captured_king_is_removed_from_the_board() {
    let position = "/7/7/2t4/1tK4/7/2t4/2t4/ a";
    let out = typed(&["brandubh", "--position", position, "--side", "both"], b"c6-c5\n").done();
    let last = out.rsplit("\n\n").nth(1).unwrap();
    assert!(!last.contains('K'), "{out}");
    assert!(out.ends_with("the attackers win: the king is captured\n"), "{out}");
}

#[test]
fn the_engine_replies_and_undo_takes_back_both_moves() {
    let lines = output_of(&["brandubh", "--position", WIN], "c5c1\nboard\nundo\nboard\nundo\n");
    assert!(lines[0].starts_with("attackers: "), "{lines:?}");
    // The defenders are to move again after the engine's reply.
    assert!(lines[1].ends_with(" d"), "{lines:?}");
    assert_eq!(lines[2..], [WIN, "there is no move to take back"]);
}

#[test]
fn the_engine_begins_if_it_is_to_move() {
    let lines = output_of(&["brandubh", "--side", "defenders"], "board\n");
    assert!(lines[0].starts_with("attackers: "), "{lines:?}");
    assert!(lines[1].ends_with(" d"), "{lines:?}");
}

#[test]
fn the_engine_plays_alone_to_the_end() {
    let lines = output_of(&["brandubh", "--position", WIN, "--side", "none"], "");
    assert_eq!(lines.last().unwrap(), "the defenders win: the king has escaped");
    assert_eq!(lines.len(), 4);
    assert!(lines[0].starts_with("defenders: Kc5-c1 (win in 3 plies, depth "), "{lines:?}");
    assert!(lines[2].starts_with("defenders: Kc1-a1-- (win in 1 ply, depth "), "{lines:?}");
}

#[test]
fn another_player_can_replace_the_engine() {
    // The greedy player captures first; otherwise its king would move to the corner's file.
    let path = "/9/9/3tKt3/1t2t2t1/9/9/9/9/7t1/ d";
    for (opponent, first) in [("heuristic", "Ke3-e1"), ("greedy:seed=1", "Ke3-e1")] {
        let played = output_of(
            &["mcgill", "--position", path, "--side", "attackers", "--opponent", opponent],
            "",
        );
        assert_eq!(played, [format!("defenders: {first}")], "{opponent}");
    }
    let own = output_of(&["mcgill", "--side", "none", "--opponent", "expanded:depth=4"], "");
    assert!(own.last().unwrap().contains("win:") || own.last().unwrap().contains("draw:"));
}

#[test]
fn a_game_goes_on_without_an_opponent_that_fails_or_resigns() {
    let exits = "otep:sh -c 'echo hello; read a; read b; read c; exit 3'";
    let arguments = ["brandubh", "--side", "defenders", "--opponent", exits];
    let lines = output_of(&arguments, "d1-c1\nside defenders\nd3-c3\n");
    let failed = "sh: has ended with exit status 3: you play both sides now; `side` changes that";
    // It is started again when it is to move again.
    assert_eq!(lines.iter().filter(|line| *line == failed).count(), 2, "{lines:?}");

    let resigns = "htp:sh -c 'while read line; do case \"$line\" in generate_move*) \
                   echo = play attacker resigns _;; *) echo =;; esac; done'";
    let arguments = ["copenhagen", "--side", "defenders", "--opponent", resigns];
    let lines = output_of(&arguments, "undo\n");
    let end = "the defenders win: the attackers resign";
    assert!(lines.iter().filter(|line| *line == end).count() >= 1, "{lines:?}");
}

#[test]
fn an_invalid_opponent_is_refused() {
    for (arguments, words) in [
        (["mcgill", "--opponent", "nobody"], "there is no kind of player \"nobody\""),
        (["mcgill", "--opponent", "heuristic:c=1"], "no key \"c\""),
        (["mcgill", "--opponent", "improved:c=x"], "c=x: write a number from 0 to 100"),
        (["berkeley", "--opponent", "combination"], "the four corners"),
    ] {
        typed(&arguments, b"").refused(2, &[words]);
    }
}

#[test]
fn a_hint_is_not_played() {
    let lines = output_of(&["brandubh", "--position", WIN], "hint\nboard\n");
    assert!(lines[0].starts_with("hint: Kc5-c1 "), "{lines:?}");
    assert_eq!(lines[1], WIN);
}

#[test]
fn tables_shows_values_or_that_there_are_none() {
    let lines = output_of(&["brandubh", "--position", WIN], "tables\n");
    assert_eq!(lines[0], "defenders to move: win in 3 plies");
    assert_eq!(lines[1], "move    value  conversion  plies after it");
    assert!(lines[2].starts_with("Kc5-c1  win "), "{lines:?}");
    let none = output_of(&["brandubh"], "tables\nmoves\n");
    assert!(none[0].starts_with("there is no table of K4v8"), "{none:?}");
    assert!(none[1].starts_with("d1-b1  d1-c1  d1-e1"), "{none:?}");
}

#[test]
fn sides_change_and_games_begin_again() {
    let lines =
        output_of(&["brandubh", "--side", "both"], "d1c1\nside attackers\nnew\nboard\nside x\n");
    // The engine has replied at once.
    assert!(lines[0].starts_with("defenders: "), "{lines:?}");
    assert_eq!(lines[1], "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/ a");
    assert_eq!(lines[2], "write side attackers, side defenders, side both or side none");
}

#[test]
fn games_are_saved_and_loaded() {
    let place = Place::new();
    let path = place.path("game.otg");
    let file = path.to_str().unwrap();
    let both = ["brandubh", "--side", "both"];
    let lines = output_of(&both, &format!("d1c1\nd3c3\nsave {file}\nb4b5\nsave {file}\nboard\n"));
    assert_eq!(lines[..2], [format!("saved in {file}"), format!("saved in {file}")]);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("1. d1-c1 d3-c3") && text.contains("[attackers:human]"), "{text}");
    let again = output_of(&both, &format!("load {file}\nboard\nundo\nundo\nundo\nundo\n"));
    assert_eq!(again, [&lines[2], "there is no move to take back"]);
    // Another game does not overwrite it.
    let refused = output_of(&both, &format!("save {file}\n"));
    assert_eq!(refused, [format!("{file} already exists: name another file")]);
    let engine = output_of(&["brandubh"], &format!("load {file}\nsave\nload /no/where\nquit\n"));
    assert!(engine[0].starts_with("defenders: "), "{engine:?}");
    assert_eq!(engine[1], "write save and a file name");
    assert!(engine[2].starts_with("/no/where: "), "{engine:?}");
    let other = output_of(&["tablut"], &format!("load {file}\n"));
    assert_eq!(
        other,
        [format!(
            "{file}: a game of \"brandubh\", and not of \"tablut\": start taflbase play with its \
             rules"
        )]
    );
    // The same rules may have another name.
    let same = Ruleset::text("brandubh").unwrap().replace("\"brandubh\"", "\"mine\"");
    let mine = place.path("mine.toml");
    std::fs::write(&mine, &same).unwrap();
    let both_by_mine = [mine.to_str().unwrap(), "--side", "both"];
    let loaded = output_of(&both_by_mine, &format!("load {file}\nboard\n"));
    assert_eq!(loaded, [&*lines[2]]);
    // With another start it is another game, although its moves can be played.
    std::fs::write(&mine, same.replace("\"/3t3/3t3/3T3", "\"/2t4/3t3/3T3")).unwrap();
    let refused = output_of(&both_by_mine, &format!("load {file}\n"));
    assert!(refused[0].contains("a game of \"brandubh\", and not of \"mine\""), "{refused:?}");
    // A record of others is not overwritten either.
    let annotated = format!("[event:x]\n{text}");
    std::fs::write(&path, &annotated).unwrap();
    let kept = output_of(&both, &format!("load {file}\nsave {file}\nboard\n"));
    assert_eq!(kept[0], format!("{file} already exists: name another file"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), annotated);
}

/// As on a full disk, nothing can be written.
#[cfg(unix)]
#[test]
fn a_game_that_cannot_be_saved_replaces_none() {
    let place = Place::new();
    let both = ["play", "brandubh", "--side", "both", "--hash", "1", "--threads", "1"];
    let save = |lines: &str, limit: &str| {
        let program = place.command(&both);
        let mut command = Command::new("sh");
        command.current_dir(place.path(".")).args(["-c", &format!("{limit} exec \"$0\" \"$@\"")]);
        command.arg(program.get_program()).args(program.get_args());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        Run::ended(child.wait_with_output().unwrap()).done()
    };
    save("d1c1\nsave old.otg\n", "");
    let before = std::fs::read(place.path("old.otg")).unwrap();
    let full = "trap '' XFSZ; ulimit -f 0;";
    let out = save("load old.otg\nd3c3\nsave old.otg\nsave new.otg\nsave new.otg\n", full);
    assert_eq!(out.matches("old.otg: cannot ").count(), 1, "{out}");
    assert_eq!(out.matches("new.otg: cannot ").count(), 2, "{out}");
    assert_eq!(std::fs::read(place.path("old.otg")).unwrap(), before);
    let names = std::fs::read_dir(place.path(".")).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["old.otg"]);
}

#[test]
fn barred_moves_are_not_offered() {
    for listed in ["moves", "g4"] {
        for barred in ["g4-f4", "g4f"] {
            let typed = format!("d1-d2\nf4-g4\nd2-d1\n{listed}\n{barred}\n");
            let lines = output_of(&["copenhagen", "--side", "both"], &typed);
            let (last, moves) = lines.split_last().unwrap();
            assert!(last.contains("g4-f4 repeats a position"), "{lines:?}");
            let moves = moves.join(" ");
            assert!(moves.contains("g4-g3") && !moves.contains("g4-f4"), "{moves}");
        }
    }
}

#[test]
fn unknown_input_is_reported_and_the_game_continues() {
    let typed = "d1\nd1-d3\nd4-d5\nxyzzy\nh\n\nhelp\nd1c1\n";
    let lines = output_of(&["brandubh", "--side", "both"], typed);
    for (printed, expected) in lines.iter().zip([
        "which one of these?",
        "d1-b1  d1-c1  d1-e1  d1-f1",
        "a piece on d2 is in the way",
        "the king stands on d4, and the attackers are to move",
        "\"xyzzy\" is neither a move nor a command: ? lists them",
        "hint or help?",
        "MOVE        play a move: e5-e8, e5 e8, or an unambiguous beginning",
    ]) {
        assert_eq!(printed, expected);
    }
    assert!(lines.iter().any(|line| line.starts_with("undo        take back")), "{lines:?}");
    let both = ["brandubh", "--side", "both"];
    let lines = self::typed(&both, b"\xff\xfe\nd1c1\nboard\n").done();
    assert!(
        lines.contains(" is neither a move nor a command") && lines.ends_with(" d\n"),
        "{lines}"
    );
}

#[test]
fn the_greeting_explains_how_to_play() {
    for (arguments, players) in [
        (&["brandubh"][..], "you play the attackers against the engine (level strongest)"),
        (&["brandubh", "--side", "defenders"], "you play the defenders against the engine"),
        (&["brandubh", "--side", "both"], "you play both sides."),
        (&["brandubh", "--side", "none"], "the engine (level strongest) plays both sides."),
        (&["brandubh", "--level", "easy"], "against the engine (level easy)."),
        (&["brandubh", "--opponent", "heuristic"], "against heuristic."),
    ] {
        let out = typed(arguments, b"side both\nquit\n").done();
        let mut greeting = out.lines();
        assert!(greeting.next().unwrap().contains(players), "{out}");
        assert_eq!(greeting.next(), Some("  t attacker, T defender, K the king"));
        assert_eq!(greeting.next(), Some("  * the king wins here: corners"));
        assert!(greeting.any(|line| line.starts_with("Type a move like d1-b1, hint ")), "{out}");
    }
    let coloured = typed(&["brandubh", "--color", "always"], b"").done();
    assert!(coloured.contains("\x1b[1;31mt\x1b[0m attacker"), "{coloured}");
}

#[test]
fn moves_and_commands_may_be_written_in_other_ways() {
    let both = ["brandubh", "--position", WIN, "--side", "both"];
    let lines = output_of(&both, "c5 c1\nE2E1\nboard\nexit\nboard\n");
    assert_eq!(lines, ["/2K1t2/7/7/7/7/7/2t4/ d"]);
    let help = output_of(&both, "help\n");
    assert_eq!(output_of(&both, "?\n"), help);
    for words in ["resign      resign", "level NAME  set", "  T defender", "+1.00 soldiers"] {
        assert!(help.iter().any(|line| line.contains(words.trim_start())), "{words}: {help:?}");
    }
}

#[test]
fn a_side_can_resign_and_take_it_back() {
    let place = Place::new();
    let path = place.path("game.otg");
    let lines = format!("resign\nresign\nc5c1\nsave {}\nundo\nc5c1\nundo\nnew\n", path.display());
    let lines = output_of(&["brandubh", "--position", WIN], &lines);
    let end = "the attackers win: the defenders resign";
    assert_eq!(lines[..3], [end, "the game is over", "the game is over"]);
    assert!(lines[4].starts_with("attackers: "), "{lines:?}");
    assert_eq!(lines.len(), 5);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("[result:1]"), "{text}");
    let again = output_of(&["brandubh", "--position", WIN], "resign\nnew\nboard\n");
    assert_eq!(again, [end, WIN]);
}

#[test]
fn levels_are_those_of_the_page() {
    let win = ["brandubh", "--position", WIN, "--side", "none", "--level", "hard"];
    assert!(output_of(&win, "")[0].starts_with("defenders: Kc5-c1 (win in 3 plies, depth 1)"));
    // A level that does not use tables has to search.
    let easy = ["brandubh", "--position", WIN, "--side", "none", "--level", "medium"];
    assert!(!output_of(&easy, "")[0].ends_with("depth 1)"));
    let typed_levels = "level\nlevel easy\nlevel best\n";
    let lines = output_of(&["brandubh"], typed_levels);
    let levels =
        "to change the level, write level and one of beginner, easy, medium, hard, strongest";
    let easy = "your opponent is the engine (level easy)";
    assert_eq!(
        lines,
        ["your opponent is the engine (level strongest)", levels, easy, easy, levels]
    );
    let place = Place::new();
    let path = place.path("game.otg");
    let save = format!("level beginner\nd1c1\nsave {}\n", path.display());
    assert!(output_of(&["brandubh"], &save)[1].starts_with("defenders: "));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("[defenders:taflbase (beginner)]"), "{text}");
    typed(&["brandubh", "--level", "best"], b"").refused(2, &["'best'", "beginner, easy"]);
    let both = ["brandubh", "--level", "easy", "--opponent", "heuristic"];
    typed(&both, b"").refused(2, &["--level", "--opponent"]);
    let timed = ["brandubh", "--level", "easy", "--time", "3"];
    typed(&timed, b"").refused(2, &["level easy has limits of its own", "--time"]);
    output_of(&["brandubh", "--level", "strongest", "--nodes", "10"], "quit\n");
}

/// The tables decide this position; a level that does not use them still gets hints from them.
#[test]
fn a_hint_is_stronger_than_the_opponent() {
    for level in ["beginner", "hard"] {
        let lines = output_of(&["brandubh", "--position", WIN, "--level", level], "hint\n");
        assert_eq!(lines, ["hint: Kc5-c1 e2-e1 Kc1-a1-- (win in 3 plies, depth 1)"]);
    }
    let lines = output_of(&["brandubh", "--opponent", "random"], "hint\n");
    assert!(lines[0].contains(" soldiers, depth "), "{lines:?}");
}

#[test]
fn refusals_are_one_line() {
    typed(&["chess"], b"").refused(2, &["\"chess\"", "brandubh"]);
    typed(&["brandubh", "--position", "/7/ a"], b"")
        .refused(2, &["position", "1 instead of 7 ranks"]);
    typed(&["brandubh", "--side", "white"], b"").refused(2, &["'white'", "attackers"]);
    typed(&["brandubh", "--json"], b"").refused(2, &["--json", "analyse"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_the_engines_move_to_the_user() {
    let place = Place::new();
    let arguments = ["play", "tablut", "--side", "defenders", "--time", "600", "--hash", "1"];
    let mut command = place.command(&arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(out.any(|line| line.ends_with("a  b  c  d  e  f  g  h  i")));
    thread::sleep(Duration::from_millis(300));
    let kill = ["-c", "kill -INT \"$0\"", &child.id().to_string()];
    Command::new("sh").args(kill).status().unwrap();
    child.stdin.take().unwrap().write_all(b"board\n").unwrap();
    let rest: Vec<String> = out.collect();
    let stopped = "stopped: you play both sides now; `side` changes that";
    assert!(rest.iter().any(|line| line == stopped), "{rest:?}");
    assert!(rest.last().unwrap().ends_with(" a"), "{rest:?}");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
