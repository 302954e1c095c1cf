use crate::game::position::Position;
use crate::game::rules::Ruleset;

use super::{OWN_RULES, OWN_TAGS, RESULTS, Record};

/// The record as a text.
pub(super) fn text(record: &Record) -> String {
    let mut tags = Vec::new();
    let mut tag = |name: &str, value: &str| {
        let line = clean(&format!("{}:{value}", name.replace(':', "-")));
        tags.push(format!("[{}]\n", line.replace(['\n', '\r'], " ")));
    };
    for (name, value) in record.tags.iter().filter(|(name, _)| !OWN_TAGS.contains(&&**name)) {
        tag(name, value);
    }
    if let Some((word, _)) = RESULTS.iter().find(|(_, result)| *result == record.result) {
        tag("result", word);
    }
    let rules = record.game.rules();
    let start = &record.game.positions()[0];
    let otn = rules.to_otn(start).ok();
    if !otn.as_deref().is_some_and(|otn| says_all(otn, rules)) {
        tag(OWN_RULES, &rules.name);
    }
    match otn {
        Some(otn) => tag("rules", &otn),
        None if Position::start(rules).as_ref() == Ok(start) => {}
        None => tag("position", &start.to_text(rules)),
    }
    format!("{}\n{}", tags.concat(), turns(record))
}

/// Whether games are played as the ruleset says by who reads the rules record.
fn says_all(otn: &str, rules: &Ruleset) -> bool {
    let played = |rules: &Ruleset| {
        (
            rules.repetition,
            rules.repetition_occurrence,
            rules.repetition_counts_start,
            rules.ply_limit,
        )
    };
    Ruleset::from_otn(otn).is_ok_and(|read| played(&read) == played(rules))
}

/// The turns with their comments.
fn turns(record: &Record) -> String {
    let board = record.game.rules().board;
    let mut text = String::new();
    for (turn, moves) in record.game.moves().chunks(2).enumerate() {
        let moves: Vec<String> = moves.iter().map(|mv| mv.display(board).to_string()).collect();
        text.push_str(&format!("{}. {}\n", turn + 1, moves.join(" ")));
        let comment = |number| record.comments.get(&(2 * turn + number)).map(|text| clean(text));
        let comments: Vec<Option<String>> = (0..moves.len()).map(comment).collect();
        if comments.iter().any(Option::is_some) {
            let parts: Vec<String> = comments.into_iter().map(Option::unwrap_or_default).collect();
            text.push_str(&format!("[{}]\n", parts.join("|")));
        }
    }
    text
}

/// Without what would end a tag or a part of a comment.
fn clean(text: &str) -> String {
    text.replace('[', "(").replace(']', ")").replace('|', "/")
}
