//! The results of a match as text and JSON.

use serde::Serialize;
use taflbase::arena::{Elo, Hypothesis, PlayerId, Results, Sprt, Standing, Tally};
use taflbase::rules::{BySide, Side};

use super::super::output::columns;
use super::Args;

/// Adds up a player's games with both sides.
pub(super) fn both(tallies: &BySide<Tally>) -> Tally {
    tallies[Side::Attackers].and(tallies[Side::Defenders])
}

/// Formats Elo with its interval: `+35.2 (95 %: +10.1 to +60.9)`.
pub(super) fn elo_text(Elo { value, interval }: Elo) -> String {
    match interval {
        Some((low, high)) => format!("{value:+.1} (95 %: {low:+.1} to {high:+.1})"),
        None => format!("{value:+.1}"),
    }
}

fn percent(proportion: Option<f64>) -> String {
    proportion.map_or(String::new(), |proportion| format!("{:.1} %", 100.0 * proportion))
}

fn tally_row(name: String, tally: Tally) -> Vec<String> {
    let Tally { wins, draws, losses, faults } = tally;
    let counts = [tally.games(), wins, draws, losses, faults].map(|count| count.to_string());
    [&[name][..], &counts, &[percent(tally.score())]].concat()
}

/// Formats the final table.
pub(super) fn report(args: &Args, results: &Results, standing: &Standing) -> String {
    let mut rows = Vec::new();
    for (who, text) in PlayerId::ALL.into_iter().zip([&args.a, &args.b]) {
        let tallies = standing.tallies(who);
        rows.push(tally_row(format!("{}: {text}", who.name()), both(tallies)));
        for side in Side::ALL {
            rows.push(tally_row(format!("   as {}", side.name()), tallies[side]));
        }
    }
    let header = ["player", "games", "wins", "draws", "losses", "faults", "score"];
    let mut text = columns(1, &header, &rows);
    if let Some(plies) = standing.mean_plies() {
        text.push_str(&format!("\nmean length of a game: {plies:.1} plies\n"));
    }
    // The two games of a pair share an opening, so that their results depend on each other: the
    // statistics take a pair as one sample.
    let pairs = &standing.pairs;
    if let Some(elo) = pairs.elo() {
        let [none, half, one, more, two] = pairs.0;
        text.push_str(&format!(
            "pairs by points of A: {none} of 0, {half} of ½, {one} of 1, {more} of 1½, {two} of 2\n"
        ));
        text.push_str(&if elo.value.is_finite() {
            format!("Elo of A: {}", elo_text(elo))
        } else {
            let all = if elo.value > 0.0 { "won" } else { "lost" };
            format!("A {all} all games: Elo is undefined")
        });
        let normalised = pairs.normalised_elo().zip(pairs.likelihood_of_superiority());
        if let Some((normalised, los)) = normalised {
            text.push_str(&format!(", normalised {normalised:+.1}, LOS {}", percent(Some(los))));
        }
        text.push('\n');
    }
    if let Some((sprt, ratio)) = args.sprt.zip(results.log_likelihood_ratio()) {
        let (lower, upper) = sprt.bounds();
        let Sprt { elo0, elo1, .. } = sprt;
        let verdict = match results.verdict() {
            Some(Hypothesis::First) => format!("A is at most {elo0} Elo stronger"),
            Some(Hypothesis::Second) => format!("A is at least {elo1} Elo stronger"),
            None => "undecided".to_owned(),
        };
        text.push_str(&format!(
            "SPRT of {sprt}: LLR {ratio:.2} in {lower:.2} to {upper:.2}: {verdict}\n"
        ));
    }
    text
}

/// The results of a match in JSON.
#[derive(Serialize)]
pub(super) struct MatchJson<'a> {
    rules: &'a str,
    players: [&'a str; 2],
    games: u64,
    a: SidesJson,
    b: SidesJson,
    mean_plies: Option<f64>,
    pairs: [u64; 5],
    score: Option<f64>,
    variance: Option<f64>,
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    normalised_elo: Option<f64>,
    los: Option<f64>,
    llr: Option<f64>,
    accepted: Option<f64>,
    complete: bool,
}

#[derive(Serialize)]
struct SidesJson {
    attackers: Tally,
    defenders: Tally,
}

impl From<&BySide<Tally>> for SidesJson {
    fn from(tallies: &BySide<Tally>) -> SidesJson {
        let [attackers, defenders] = tallies.0;
        SidesJson { attackers, defenders }
    }
}

impl<'a> MatchJson<'a> {
    pub(super) fn new(
        rules: &'a str,
        args: &'a Args,
        results: &Results,
        standing: &Standing,
    ) -> MatchJson<'a> {
        let pairs = &standing.pairs;
        let (elo, interval) =
            pairs.elo().map_or((None, None), |elo| (Some(elo.value), elo.interval));
        let accepted = args.sprt.zip(results.verdict()).map(|(sprt, verdict)| match verdict {
            Hypothesis::First => sprt.elo0,
            Hypothesis::Second => sprt.elo1,
        });
        MatchJson {
            rules,
            players: [&args.a, &args.b],
            games: standing.games(),
            a: (&standing.a).into(),
            b: (&standing.b).into(),
            mean_plies: standing.mean_plies(),
            pairs: pairs.0,
            score: pairs.score(),
            variance: pairs.variance(),
            elo,
            elo_low: interval.map(|(low, _)| low),
            elo_high: interval.map(|(_, high)| high),
            normalised_elo: pairs.normalised_elo(),
            los: pairs.likelihood_of_superiority(),
            llr: results.log_likelihood_ratio(),
            accepted,
            complete: results.is_complete(),
        }
    }
}
