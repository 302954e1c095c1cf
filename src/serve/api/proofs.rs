use serde::Serialize;

use crate::proof::{BookCertificate, ProofBook};

use super::super::extract::RulesetPath;
use super::super::problem::Problem;
use super::super::response::{Caching, JsonReply};
use super::super::served_ruleset::ServedRuleset;

#[derive(Serialize)]
struct ProofsReply<'a> {
    rules: &'a str,
    /// Number of positions that the certificates have a move for.
    positions: usize,
    certificates: Vec<CertificateEntry<'a>>,
}

#[derive(Serialize)]
struct CertificateEntry<'a> {
    name: &'a str,
    position: String,
    /// `attackers` or `defenders`, if that side wins; `draw` or `undecided`; or `open`, if it is
    /// only known that one side does not win.
    value: String,
    /// Number of moves of its strategies.
    moves: usize,
}

/// Lists the certificates.
pub(super) async fn list(RulesetPath(served): RulesetPath) -> Result<JsonReply, Problem> {
    let certificates = served.book.as_deref().map_or(&[][..], ProofBook::certificates);
    let reply = ProofsReply {
        rules: served.name(),
        positions: served.book.as_deref().map_or(0, ProofBook::positions),
        certificates: certificates.iter().map(|known| entry(&served, known)).collect(),
    };
    Ok(JsonReply::new(&reply, Caching::Revalidate)?.about(served.name(), None))
}

fn entry<'a>(served: &ServedRuleset, known: &'a BookCertificate) -> CertificateEntry<'a> {
    CertificateEntry {
        name: &known.name,
        position: known.position.to_text(&served.rules),
        value: known.value.to_string(),
        moves: known.moves,
    }
}
