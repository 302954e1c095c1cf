use crate::game::position::Position;
use crate::game::rules::Ruleset;

use super::{DERIVED_TAGS, RESULTS, RULESET_TAG, Record};

/// Writes the record.
pub(super) fn text(record: &Record) -> String {
    let mut tags = Vec::new();
    for (name, value) in record.tags.iter().filter(|(name, _)| !DERIVED_TAGS.contains(&&**name)) {
        tags.push(tag(name, value));
    }
    if let Some((word, _)) = RESULTS.iter().find(|(_, result)| *result == record.result) {
        tags.push(tag("result", word));
    }
    let rules = record.game.rules();
    let start = &record.game.positions()[0];
    let otn = rules.to_otn(start).ok();
    if !otn.as_deref().is_some_and(|otn| is_complete(otn, rules)) {
        tags.push(tag(RULESET_TAG, &rules.name));
    }
    match otn {
        Some(otn) => tags.push(tag("rules", &otn)),
        None if Position::start(rules).as_ref() == Ok(start) => {}
        None => tags.push(tag("position", &start.to_text(rules))),
    }
    format!("{}\n{}", tags.concat(), turns(record))
}

/// Writes a tag on a line of its own.
fn tag(name: &str, value: &str) -> String {
    let line = clean(&format!("{}:{value}", name.replace(':', "-")));
    format!("[{}]\n", line.replace(['\n', '\r'], " "))
}

/// Returns whether the rules record also expresses the ruleset's repetition rules and ply limit,
/// which do not count for the fingerprint.
fn is_complete(otn: &str, rules: &Ruleset) -> bool {
    Ruleset::from_otn(otn).is_ok_and(|read| read.is_same_game_as(rules))
}

/// Writes the turns with their comments.
fn turns(record: &Record) -> String {
    let board = record.game.rules().board;
    let mut text = String::new();
    for (turn, moves) in record.game.moves().chunks(2).enumerate() {
        let names: Vec<String> = moves.iter().map(|mv| mv.display(board).to_string()).collect();
        text.push_str(&format!("{}. {}\n", turn + 1, names.join(" ")));
        let numbers = 2 * turn..2 * turn + moves.len();
        let comments: Vec<Option<&String>> =
            numbers.map(|number| record.comments.get(&number)).collect();
        if comments.iter().any(Option::is_some) {
            let parts: Vec<String> = comments
                .into_iter()
                .map(|comment| comment.map_or_else(String::new, |text| clean(text)))
                .collect();
            text.push_str(&format!("[{}]\n", parts.join("|")));
        }
    }
    text
}

/// Replaces the characters that would end a tag or a part of a comment.
fn clean(text: &str) -> String {
    text.replace('[', "(").replace(']', ")").replace('|', "/")
}
