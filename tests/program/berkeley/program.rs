//! The program: its arguments, its pipes, and two copies that play each other.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::place::refuse_threads;

use super::games::FORCED;
use super::session::set_up;

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taflbase"));
    command
        .arg("berkeley")
        .args(arguments)
        .env_remove("TAFLBASE_TABLES")
        .env_remove("TAFLBASE_PROOFS");
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program with these commands; returns its status, output and errors.
fn run(arguments: &[&str], commands: &str) -> (Option<i32>, String, String) {
    let mut child = program(arguments).spawn().unwrap();
    // A program that exits at once does not read them.
    let _ = child.stdin.take().unwrap().write_all(commands.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn there_is_no_display() {
    let (status, out, err) = run(&["--display"], "");
    assert_eq!((status, out.as_str()), (Some(2), ""));
    assert!(err.contains("no display") && err.lines().count() == 1, "{err}");
}

#[test]
fn a_refused_thread_is_an_error() {
    let mut command = program(&["--display"]);
    let output = refuse_threads(&mut command).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("cannot start a thread") && err.lines().count() == 1, "{err}");
}

#[test]
fn commands_come_from_a_file_or_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.in");
    let commands = "manual white\na4-3\nfly\ndump\nquit\nfly\n";
    fs::write(&file, commands).unwrap();
    let result = run(&[], commands);
    assert_eq!(run(&[file.to_str().unwrap()], ""), result);
    let (status, out, err) = result;
    assert_eq!((status, err.as_str()), (Some(0), "Error: Bad command: fly\n"));
    assert!(out.starts_with("===\n 9 ") && out.ends_with(" i\n===\n"), "{out}");
    for wrong in [folder.path().join("nowhere"), folder.path().to_owned()] {
        let wrong = wrong.to_str().unwrap();
        let (status, out, err) = run(&[wrong], "");
        assert_eq!((status, out.as_str()), (Some(2), ""));
        assert!(err.contains(wrong) && err.lines().count() == 1, "{err}");
    }
}

/// Whole games take as long as the program's clock, see `a_game_takes_at_most_three_minutes`. Here
/// the limit ends one after a move of each side, each in a twenty-fifth of that time.
#[test]
fn a_game_against_itself_ends_in_time() {
    let started = Instant::now();
    let (status, out, err) = run(&[], "limit 1\nseed 6\nauto black\n");
    assert!(started.elapsed() < Duration::from_secs(180) * 2 / 25);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert_eq!(out.lines().count(), 3, "{out}");
    assert_eq!(out.lines().last(), Some("* White wins."));
}

/// A program that plays one colour, and its pipes.
struct Copy {
    child: Child,
    commands: ChildStdin,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Copy {
    fn new(commands: &str) -> Copy {
        let mut child = program(&[]).stderr(Stdio::inherit()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut copy = Copy { commands: child.stdin.take().unwrap(), child, lines };
        copy.tell(commands);
        copy
    }

    fn tell(&mut self, commands: &str) {
        self.commands.write_all(commands.as_bytes()).unwrap();
        self.commands.flush().unwrap();
    }

    /// Returns the next move or result, without its star.
    fn hear(&mut self) -> String {
        let line = self.lines.next().unwrap().unwrap();
        line.strip_prefix("* ").expect(&line).to_owned()
    }

    fn end(mut self) -> String {
        self.tell("dump\nquit\n");
        let dumped: Vec<String> = self.lines.map(|line| line.unwrap()).collect();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        dumped.join("\n")
    }
}

/// Lets two programs play each other; returns the end on which they agree.
fn played(by_black: &str, by_white: &str, black_begins: bool) -> String {
    let mut black = Copy::new(by_black);
    let mut white = Copy::new(by_white);
    let end = 'game: loop {
        for is_black in [black_begins, !black_begins] {
            let (mover, other) =
                if is_black { (&mut black, &mut white) } else { (&mut white, &mut black) };
            let heard = mover.hear();
            // The program that moved last is the first to report the end of the game.
            if heard.ends_with("wins.") {
                assert_eq!(other.hear(), heard);
                break 'game heard;
            }
            other.tell(&(heard + "\n"));
        }
    };
    assert_eq!(black.end(), white.end());
    end
}

#[test]
fn two_copies_play_each_other_to_an_end_on_which_they_agree() {
    // The limit ends the game where the pieces would only after minutes.
    let (black, white) = ("seed 1\nmanual white\nauto black\n", "seed 2\nauto white\n");
    let end = played(&format!("limit 1\n{black}"), &format!("limit 1\n{white}"), true);
    assert_eq!(end, "White wins.");
    // The pieces end these.
    for (position, end) in FORCED {
        let board = set_up(position);
        let [black, white] = ["black", "white"].map(|side| format!("{board}auto {side}\n"));
        assert_eq!(played(&black, &white, position.ends_with('a')), end, "{position}");
    }
}
