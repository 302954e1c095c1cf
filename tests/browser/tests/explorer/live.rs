//! The display of a game that a program plays.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use browser::{Page, environment};
use serde_json::json;

/// A program with a display; it ends with the test.
struct Program(Child);

impl Program {
    fn start(arguments: &[&str]) -> (Program, String) {
        let mut program = Command::new(environment("TAFLBASE"));
        // There is no program to open a browser: the test opens the page.
        program.args(arguments).arg("--display").env("DISPLAY", ":0").env("PATH", "/nonexistent");
        program.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = program.spawn().expect("the program");
        let errors = child.stderr.take().expect("its errors");
        let url = BufReader::new(errors).lines().map_while(Result::ok).find_map(|line| {
            let from = line.find("http://")?;
            line[from..].split_whitespace().next().map(str::to_owned)
        });
        (Program(child), url.expect("the address of the display"))
    }

    fn say(&mut self, line: &str) {
        let input = self.0.stdin.as_mut().expect("its input");
        writeln!(input, "{line}").expect("a line");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn a_display_follows_the_game_and_moves_for_people() {
    let (mut program, url) = Program::start(&["berkeley"]);
    program.say("manual white");
    let page = Page::at(&url).await;
    page.reads(".verdict .title", "Attackers to move").await;
    page.reads(".verdict .more", "Your turn").await;
    page.until("document.querySelectorAll('[role=gridcell] .icon').length === 25").await;
    // By clicks, by a drag, and by typing.
    page.click("[data-square=d1]").await;
    page.until("document.querySelector('[data-square=d2].target')").await;
    page.click("[data-square=d2]").await;
    page.reads(".verdict .title", "Defenders to move").await;
    page.until("document.querySelector('[data-square=d2] .piece-t')").await;
    let (from, to) = (page.middle("[data-square=c5]").await, page.middle("[data-square=c4]").await);
    page.drag(from, to).await;
    page.until("document.querySelector('[data-square=c4] .piece-T')").await;
    page.reads(".verdict .more", "Last move: c5-c4").await;
    program.say("d2-1");
    page.until("document.querySelector('[data-square=d1] .piece-t')").await;
    // The game stays on the board after the program has ended; the console may report the lost
    // connection.
    drop(program);
    page.reads(".fault", "The program does not respond.").await;
    page.until("document.querySelector('[data-square=d1] .piece-t')").await;
    page.leave().await;
    assert!(!page.log().await.is_empty(), "a lost connection");
    page.close().await;
}

#[tokio::test]
async fn a_display_shows_the_winner() {
    let (mut program, url) = Program::start(&["berkeley"]);
    let page = Page::at(&url).await;
    program.say("manual white");
    program.say("limit 1");
    page.reads(".verdict .title", "to move").await;
    for line in ["d1-2", "e7-f", "d2-1"] {
        program.say(line);
    }
    page.reads(".verdict .title", "have won").await;
    page.close().await;
}

#[tokio::test]
async fn a_display_shows_a_draw() {
    let (mut program, url) = Program::start(&["play", "brandubh", "--side", "both"]);
    let page = Page::at(&url).await;
    page.reads(".verdict .more", "Your turn").await;
    for line in ["d2-c2", "d3-c3", "c2-d2", "c3-d3"] {
        program.say(line);
    }
    page.reads(".verdict .title", "The game is drawn").await;
    page.reads(".verdict .more", "This position has occurred before.").await;
    page.close().await;
}

#[tokio::test]
async fn a_display_draws_a_ring_that_wins() {
    let ring = "/11/11/11/5t5/4t1t4/3t1KTt3/4t1t4/11/5t5/11/11/ a";
    let (mut program, url) =
        Program::start(&["play", "copenhagen", "--side", "both", "--position", ring]);
    let page = Page::at(&url).await;
    page.reads(".verdict .more", "Your turn").await;
    assert_eq!(page.value("document.querySelectorAll('.walls path').length").await, json!(0));
    program.say("f9-f8");
    page.reads(".verdict .more", "The attackers have encircled all defenders.").await;
    page.until("document.querySelectorAll('.walls .inside').length === 5").await;
    assert_eq!(page.value("document.querySelectorAll('.fallen').length").await, json!(0));
    page.close().await;
}
