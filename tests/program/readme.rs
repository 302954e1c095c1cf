//! The program prints what the README's consoles show.

use std::process::Command;

/// Returns the commands of the README's consoles, each with the lines shown after it.
fn shown() -> Vec<(String, Vec<String>)> {
    let mut shown: Vec<(String, Vec<String>)> = Vec::new();
    let mut in_console = false;
    for line in include_str!("../../README.md").lines() {
        match line {
            "```console" => in_console = true,
            "```" => in_console = false,
            _ if !in_console => {}
            _ => match (line.strip_prefix("$ "), shown.last_mut()) {
                (Some(command), _) => shown.push((command.to_owned(), Vec::new())),
                (None, Some((_, lines))) => lines.push(line.to_owned()),
                (None, None) => panic!("no command before {line}"),
            },
        }
    }
    shown
}

/// Splits a command line into words, as a shell does.
fn words(command: &str) -> Vec<String> {
    let quoted = command.split('"').enumerate();
    quoted
        .flat_map(|(i, part)| match i % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

/// Returns whether a line is as shown; a time at its end may differ.
fn is_shown(line: &str, shown: &str) -> bool {
    let last = |line: &str| line.split_whitespace().last().unwrap_or("").parse::<f64>().is_ok();
    let but_last =
        |line: &str| line.trim_end().rsplit_once(' ').map(|(rest, _)| rest.trim_end().to_owned());
    line == shown
        || last(line) && last(shown) && shown.contains('.') && but_last(line) == but_last(shown)
}

#[test]
fn the_readmes_commands_print_what_it_shows() {
    let place = tempfile::tempdir().unwrap();
    let commands = shown();
    assert!(commands.len() >= 2);
    for (command, shown) in commands {
        let arguments = command.strip_prefix("cargo run --release -- ").expect(&command);
        let mut program = Command::new(env!("CARGO_BIN_EXE_taflbase"));
        program
            .args(words(arguments))
            .current_dir(&place)
            .env_remove("TAFLBASE_TABLES")
            .env_remove("TAFLBASE_PROOFS");
        let output = program.output().unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let mut lines = text.lines();
        let mut any_between = false;
        for expected in &shown {
            if expected == "…" {
                any_between = true;
                continue;
            }
            let found = match any_between {
                true => lines.any(|line| is_shown(line, expected)),
                false => lines.next().is_some_and(|line| is_shown(line, expected)),
            };
            assert!(found, "{command}: not printed: {expected}\n{text}");
            any_between = false;
        }
    }
}
