//! Fits the estimates of the proof search to the positions that it solves.
//!
//! One position of each game is searched for a short time, and a part of the positions that the
//! search solves on its way is kept: whether the side to move reaches its aim is then known. A fit for
//! each question and side to move predicts it.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::Value;
use taflbase::engine::{Counts, Term, Weight, Weights};
use taflbase::proof::{ProofError, ProofOptions, SolvedPosition, solved_positions};
use taflbase::random::SeededRng;
use taflbase::rules::Side;
use taflbase::{Position, Ruleset, Tablebase};

use crate::fit::{Pace, Sample, fit, flattened, loss, prior, weight_at, weights};
use crate::replay;

/// The outcomes are no matter of chance, so the fit may go far from the engine's weights.
const PACE: Pace = Pace { rate: 8.0, trust: 30.0 };
/// The nodes of a search.
const NODES: u64 = 50_000;
/// The bytes of its table, which are more than it needs.
const TABLE_BYTES: usize = 32 << 20;
/// One of this many solved positions is kept: those that are left are less alike.
const ONE_IN: u64 = 4;

pub(crate) fn tune(
    rules: &Arc<Ruleset>,
    games: &[Value],
    folder: &Path,
) -> Result<(), Box<dyn std::error::Error>> {
    let tables = Tablebase::new(Ruleset::clone(rules));
    let options = ProofOptions {
        max_nodes: Some(NODES),
        table_bytes: TABLE_BYTES,
        tables: Some(&tables),
        ..ProofOptions::default()
    };
    let positions: Vec<Position> = games
        .iter()
        .zip(0..)
        .filter_map(|(game, number)| random_position(rules, game, &mut SeededRng::new(number)))
        .collect();
    let searches: Result<Vec<_>, ProofError> = positions
        .par_iter()
        .map(|position| solved_positions(rules, position, &options, ONE_IN))
        .collect();
    let solved: Vec<SolvedPosition> = searches?.into_iter().flatten().collect();
    let mut err = std::io::stderr();
    writeln!(err, "{} searches, {} positions", positions.len(), solved.len())?;
    for prover in Side::ALL {
        for mover in Side::ALL {
            let of_case =
                |at: &&SolvedPosition| at.prover == prover && at.position.to_move == mover;
            let of_case: Vec<_> = solved.iter().filter(of_case).copied().collect();
            let name = format!("{}-win-{}-move", prover.name(), mover.name());
            writeln!(err, "{name}: {} positions", of_case.len())?;
            let text = fitted(rules, &name, &of_case, positions.len());
            std::fs::write(folder.join(name + ".toml"), text)?;
        }
    }
    Ok(())
}

/// Returns a position of the game; `None` if the record is not one of `match`.
fn random_position(
    rules: &Arc<Ruleset>,
    record: &Value,
    random: &mut SeededRng,
) -> Option<Position> {
    let mut positions = Vec::new();
    replay(rules, record, |_, game| positions.push(*game.position()))?;
    random.choose(&positions).copied()
}

/// Fits the weights of one case, and returns the text of their file.
fn fitted(rules: &Ruleset, name: &str, solved: &[SolvedPosition], searches: usize) -> String {
    let previous = Weights::of(rules);
    let classes = previous.places.0[0].len();
    // The weight of a threat comes after all others.
    let threat = 3 * classes + Term::COUNT;
    let samples: Vec<Sample> =
        solved.par_iter().map(|solved| sample(rules, solved, threat)).collect();
    let mut start = flattened(&previous);
    start.extend([0.0, 0.0]);
    let fitted = fit(&samples, &prior(&samples, &start), PACE);
    let loss = loss(&samples, &fitted);
    let text = weights(&fitted, classes).to_toml(rules, std::slice::from_ref(&rules.name));
    let Weight { start, end } = weight_at(&fitted, threat);
    let text = text.replacen("[terms]\n", &format!("[terms]\nthreat = [{start}, {end}]\n"), 1);
    let positions = samples.len();
    format!(
        "# {name}: fitted by scripts/tune-proofs.sh to {positions} positions that {searches} searches\n\
         # solved; mean cross entropy {loss:.4}.\n{text}"
    )
}

fn sample(rules: &Ruleset, solved: &SolvedPosition, threat: usize) -> Sample {
    let Counts { mut counts, phase } = Counts::of(rules, &solved.position);
    if solved.is_threat {
        counts.push((threat, 1));
    }
    // The weights are those of the defenders.
    let is_for_defenders = solved.succeeds == (solved.position.to_move == Side::Defenders);
    Sample { counts, phase, outcome: f64::from(u8::from(is_for_defenders)) }
}
