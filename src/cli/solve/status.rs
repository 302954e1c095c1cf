//! `taflbase solve --status`.

use std::path::Path;

use serde::Serialize;
use taflbase::Position;
use taflbase::bytes::Bytes;
use taflbase::proof::Answer;
use taflbase::proof::store::{
    StoreTree, TreeMove, TreeQuestion, TreeRoot, disk_bytes, rules_file, with_tree,
};
use taflbase::rules::{Ruleset, Side};

use crate::cli::arguments::PositionArgs;
use crate::cli::error::CliError;
use crate::cli::move_log::move_texts;
use crate::cli::output::{Session, columns, counted, grouped, time};

use super::{AnswerJson, NODES, answer_name, number, numbers_text};

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
    jobs: u32,
    open: u64,
    claimed: u32,
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
    fn new(question: &TreeQuestion, rules: &Ruleset) -> QuestionJson {
        let status = &question.status;
        let moves = question.moves.iter().map(|of_move| MoveJson {
            played: of_move.played.display(rules.board).to_string(),
            answer: AnswerJson::new(of_move.status.answer()),
        });
        QuestionJson {
            answer: AnswerJson::new(status.answer()),
            jobs: status.jobs,
            open: question.open,
            claimed: status.claimed,
            nodes: status.nodes,
            seconds: question.time.as_secs_f64(),
            moves: moves.collect(),
            line: move_texts(rules.board, &question.line),
        }
    }
}

/// Prints what a store says about a position; without one, about those that were asked for.
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
    let position = at.given(rules)?;
    if let Some(position) = &position {
        position.check(rules)?;
    }
    let start = Position::start(rules).ok();
    let (mut roots, mut certificates) = (Vec::new(), 0);
    let mut look = |tree: &mut dyn StoreTree| {
        roots = match position.or_else(|| start.filter(|_| tree.roots().is_empty())) {
            Some(position) => vec![tree.root(&position)],
            None => tree.roots().to_vec(),
        };
        certificates = tree.certificates();
    };
    with_tree(folder, &tables, &|text| session.note(text), &mut look).map_err(CliError::new)?;
    let bytes = disk_bytes(folder).map_err(CliError::new)?;
    if session.json() {
        return roots.iter().try_for_each(|root| {
            session.json_line(&StatusJson {
                rules: &rules.name,
                position: root.position.to_text(rules),
                attackers: QuestionJson::new(&root.questions[Side::Attackers], rules),
                defenders: QuestionJson::new(&root.questions[Side::Defenders], rules),
                certificates,
                bytes,
            })
        });
    }
    let mut text = String::new();
    for root in &roots {
        if Some(root.position) != start {
            text.push_str(&format!("{}\n", root.position.to_text(rules)));
        }
        text.push_str(&root_text(root, rules));
    }
    let certificates = counted(certificates, ["certificate", "certificates"]);
    text.push_str(&format!("{certificates}; {} on disk\n", Bytes(bytes)));
    session.text(&text)
}

/// Describes what is known of a position in words.
fn root_text(root: &TreeRoot, rules: &Ruleset) -> String {
    let mut text = String::new();
    for side in Side::ALL {
        let question = &root.questions[side];
        let (status, answer) = (&question.status, question.status.answer());
        text.push_str(&format!("{} win? {}", side.name(), answer_name(answer)));
        if let Answer::Open { .. } = answer {
            text.push_str(&format!(": {}", numbers_text(answer)));
        }
        text.push('\n');
        if answer != Answer::Unasked {
            text.push_str(&format!(
                "  jobs: {} done, {} open, {} claimed; {} in {}\n",
                grouped(status.jobs),
                grouped(question.open),
                grouped(status.claimed),
                counted(status.nodes, NODES),
                time(question.time)
            ));
        }
        if !question.moves.is_empty() {
            let rows: Vec<Vec<String>> =
                question.moves.iter().map(|of_move| row(of_move, rules)).collect();
            let table = columns(2, &["move", "answer", "proof", "disproof"], &rows);
            text.extend(table.lines().map(|row| format!("  {row}\n")));
        }
        if !question.line.is_empty() {
            text.push_str(&format!(
                "  next: {}\n",
                move_texts(rules.board, &question.line).join(" ")
            ));
        }
    }
    text
}

fn row(of_move: &TreeMove, rules: &Ruleset) -> Vec<String> {
    let played = of_move.played.display(rules.board).to_string();
    let answer = of_move.status.answer();
    let [proof, disproof] = answer.numbers().map(number);
    vec![played, answer_name(answer).to_owned(), proof, disproof]
}
