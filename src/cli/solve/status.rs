//! `taflbase solve --status`.

use std::path::Path;

use serde::Serialize;
use taflbase::bytes::Bytes;
use taflbase::proof::Answer;
use taflbase::proof::store::{MoveStatus, QuestionStatus, StoreStatus, rules_file, status};
use taflbase::rules::{Ruleset, Side};

use crate::cli::arguments::PositionArgs;
use crate::cli::error::CliError;
use crate::cli::output::{Session, columns, grouped, time};

use super::{AnswerJson, answer_name, notice, number};

#[derive(Serialize)]
struct StatusJson<'a> {
    rules: &'a str,
    position: String,
    attackers: QuestionJson,
    defenders: QuestionJson,
    certificates: usize,
    bytes: u64,
}

#[derive(Serialize)]
struct QuestionJson {
    #[serde(flatten)]
    answer: AnswerJson,
    jobs: u64,
    open: u64,
    claimed: u64,
    nodes: u64,
    seconds: f64,
    moves: Vec<MoveJson>,
    line: Vec<String>,
}

#[derive(Serialize)]
struct MoveJson {
    #[serde(rename = "move")]
    played: String,
    #[serde(flatten)]
    answer: AnswerJson,
}

impl QuestionJson {
    fn new(question: &QuestionStatus, rules: &Ruleset) -> QuestionJson {
        let moves = question.moves.iter().map(|MoveStatus { played, answer }| MoveJson {
            played: played.display(rules.board).to_string(),
            answer: AnswerJson::new(*answer),
        });
        QuestionJson {
            answer: AnswerJson::new(question.answer),
            jobs: question.jobs,
            open: question.open,
            claimed: question.claimed,
            nodes: question.nodes,
            seconds: question.time.as_secs_f64(),
            moves: moves.collect(),
            line: line(question, rules),
        }
    }
}

fn line(question: &QuestionStatus, rules: &Ruleset) -> Vec<String> {
    question.line.iter().map(|played| played.display(rules.board).to_string()).collect()
}

/// Prints what a store says about a position.
pub(super) fn run(
    rules: Option<&str>,
    at: &PositionArgs,
    folder: &Path,
    session: &Session,
) -> Result<(), CliError> {
    let own_rules = rules_file(folder).map_err(CliError::new)?;
    let own_rules = own_rules.to_string_lossy();
    let tables = session.open_to_probe(rules.unwrap_or(&own_rules))?;
    let rules = tables.rules();
    let position = at.position(rules)?;
    let found = status(folder, &tables, &position, &notice).map_err(CliError::new)?;
    if session.json() {
        return session.json_line(&StatusJson {
            rules: &rules.name,
            position: position.to_text(rules),
            attackers: QuestionJson::new(&found.questions[Side::Attackers], rules),
            defenders: QuestionJson::new(&found.questions[Side::Defenders], rules),
            certificates: found.certificates,
            bytes: found.bytes,
        });
    }
    session.text(&text(&found, rules))
}

/// Describes a store in words.
fn text(found: &StoreStatus, rules: &Ruleset) -> String {
    let mut text = String::new();
    for side in Side::ALL {
        let question = &found.questions[side];
        if question.answer == Answer::Unasked {
            text.push_str(&format!("{} win? not asked\n", side.name()));
            continue;
        }
        text.push_str(&format!(
            "{} win? {}\n  jobs: {} done, {} open, {} claimed; {} nodes in {}\n",
            side.name(),
            answer_text(question.answer),
            grouped(question.jobs),
            grouped(question.open),
            grouped(question.claimed),
            grouped(question.nodes),
            time(question.time)
        ));
        let rows: Vec<Vec<String>> =
            question.moves.iter().map(|status| row(status, rules)).collect();
        let table = columns(2, &["move", "answer", "proof", "disproof"], &rows);
        text.extend(table.lines().map(|row| format!("  {row}\n")));
        if !question.line.is_empty() {
            text.push_str(&format!("  next: {}\n", line(question, rules).join(" ")));
        }
    }
    let certificates = grouped(found.certificates as u64);
    text.push_str(&format!("{certificates} certificates; {} on disk\n", Bytes(found.bytes)));
    text
}

fn answer_text(answer: Answer) -> String {
    let name = answer_name(answer);
    match answer {
        Answer::Open { .. } => {
            let [proof, disproof] = answer.numbers().map(number);
            format!("{name}: proof number {proof}, disproof {disproof}")
        }
        _ => name.to_owned(),
    }
}

fn row(status: &MoveStatus, rules: &Ruleset) -> Vec<String> {
    let played = status.played.display(rules.board).to_string();
    let [proof, disproof] = status.answer.numbers().map(number);
    vec![played, answer_name(status.answer).to_owned(), proof, disproof]
}
