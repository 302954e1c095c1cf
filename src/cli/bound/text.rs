use taflbase::bound::{BigUint, scientific, scientific_floor};
use taflbase::proportion::Proportion;
use taflbase::rules::Ruleset;

use super::report::{BoundReport, BoundRow, EquationRow, SampleReport};
use crate::cli::output::{columns, count_of, grouped};

/// How wide the text is.
const WIDTH: usize = 88;
/// Digits of numbers that are not told in full.
const DIGITS: usize = 4;

/// All of it for people.
pub(super) fn text(rules: &Ruleset, report: &BoundReport) -> String {
    let BoundReport { attackers, defenders, .. } = report;
    let mut text =
        format!("{}: a king, {defenders} defenders and {attackers} attackers\n", rules.title);
    if let Some(equations) = &report.equations {
        text += "\nGalassi's equations, each from its definition\n";
        for equation in equations {
            text += &line(equation);
        }
        let verdicts: Vec<bool> = equations.iter().filter_map(|equation| equation.agrees).collect();
        let different = verdicts.iter().filter(|&&agrees| !agrees).count();
        let what = ["does not agree", "do not agree"];
        let told = count_of(different, verdicts.len(), "printed number", what);
        text += &format!("{told}.\n");
    }
    for (title, bounds) in [
        ("Placements of games that go on, at the most", &report.running),
        ("Boards of games that are over, at the most", &report.finished),
        ("Positions, with a side to move", &report.positions),
    ] {
        text += &format!("\n{title}\n");
        text.extend(bounds.iter().map(row));
    }
    text += &solved(report);
    if let Some(sample) = &report.sample {
        text += &self::sample(sample);
    }
    let games = report.table.iter().map(|game| {
        vec![game.game.clone(), game.bound.clone(), game.solution.to_owned(), game.source.clone()]
    });
    let header = ["game", "states", "solved", "source"];
    text + "\nTable 1 of Galassi's paper, with rows of this ruleset\n"
        + &columns(4, &header, &games.collect::<Vec<_>>())
}

fn line(equation: &EquationRow) -> String {
    let EquationRow { equation: number, name, words, value, printed, agrees, followed } = equation;
    let printed = match (printed, agrees) {
        (Some(printed), Some(true)) => format!("printed {printed}: agrees"),
        (Some(printed), _) => format!("printed {printed}: DOES NOT AGREE"),
        (None, _) => "no number is printed".to_owned(),
    };
    let head = format!("{number:>2}  {:<9}  ", short(value));
    let words = indented(&format!("{name}: {words}; {printed}"), ' ', head.len());
    let mut text = head.clone() + words.trim_start() + &indented(&grouped(value), ',', head.len());
    if !followed.is_empty() {
        text += &indented(followed, ' ', head.len());
    }
    text
}

fn row(row: &BoundRow) -> String {
    let BoundRow { name, words, value } = row;
    let head = format!("{name:<17}  {:<9}  ", short(value));
    let text = indented(words, ' ', head.len());
    format!("{head}{}{}", text.trim_start(), indented(&grouped(value), ',', head.len()))
}

/// What tables tell of few men.
fn solved(report: &BoundReport) -> String {
    let solved = &report.solved;
    let Some((first, last)) = solved.slices.first().zip(solved.slices.last()) else {
        return "\nThere are no tables of distances to count.\n".to_owned();
    };
    let [positions, decided, stuck] = [solved.positions, solved.decided, solved.stuck].map(grouped);
    format!(
        "\nIn {} solved slices, {first} to {last}, of {positions} positions\n\
         {decided} are won at once, and {stuck} have no move.\n",
        solved.slices.len()
    )
}

fn sample(sample: &SampleReport) -> String {
    let SampleReport { placements, seed, budget, .. } = sample;
    let shares = [
        ("reached by a proof game", &sample.reached),
        ("proved unreachable", &sample.unreachable),
        ("unknown", &sample.unknown),
        ("won at once by the side to move", &sample.decided),
        ("without a move", &sample.stuck),
    ];
    let rows = shares.map(|(name, Proportion { value, low, high })| {
        let percent = |share: &f64| format!("{:.1}", 100.0 * share);
        vec![name.to_owned(), percent(value), percent(low), percent(high)]
    });
    let [seed, budget] = [seed, budget].map(grouped);
    let mut text = format!(
        "\nA sample of {}, seed {seed}, at most {budget} positions for each\n",
        grouped(placements)
    );
    text += &columns(1, &["", "%", "from", "to (95 %)"], &rows);
    if let (Some(mean), Some(longest)) = (sample.mean_plies, sample.max_plies) {
        text +=
            &format!("The proof games have {mean:.1} plies in the mean, {longest} at the most.\n");
    }
    text += &format!(
        "So games can come to {} positions, {} or more with 97.5 % confidence.\n",
        short(&sample.estimate),
        shortened(&sample.estimate_low, scientific_floor)
    );
    for one in sample.drawn.iter().flatten() {
        text += &format!("\n{}  {}\n", one.position, one.verdict);
        if let Some(moves) = &one.moves {
            text += &indented(&moves.join(" "), ' ', 2);
        }
    }
    text
}

/// A number in a few digits.
fn short(number: &str) -> String {
    shortened(number, scientific)
}

fn shortened(number: &str, as_text: fn(&BigUint, usize) -> String) -> String {
    number.parse::<BigUint>().map_or_else(|_| number.to_owned(), |n| as_text(&n, DIGITS))
}

/// Lines that are cut after these signs, each that far from the edge.
fn indented(text: &str, cut: char, indent: usize) -> String {
    let mut lines = vec![String::new()];
    for part in text.split_inclusive(cut) {
        let last = lines.len() - 1;
        if indent + lines[last].len() + part.trim_end().len() > WIDTH && !lines[last].is_empty() {
            lines.push(String::new());
        }
        let last = lines.len() - 1;
        lines[last].push_str(part);
    }
    let lines = lines.iter().map(|line| format!("{:indent$}{}\n", "", line.trim_end()));
    lines.collect()
}
