use taflbase::bound::{BigUint, scientific, scientific_floor};
use taflbase::proportion::Proportion;
use taflbase::rules::Ruleset;

use super::report::{BoundReport, BoundRow, EquationRow, SampleReport};
use crate::cli::output::{columns, count_of, counted, grouped};

/// The width of the text.
const WIDTH: usize = 88;
/// Significant digits of abbreviated numbers.
const DIGITS: usize = 4;

/// Formats the report as text.
pub(super) fn text(rules: &Ruleset, report: &BoundReport) -> String {
    let defenders = counted(report.defenders, ["defender", "defenders"]);
    let attackers = counted(report.attackers, ["attacker", "attackers"]);
    let mut text = format!("{}: a king, {defenders} and {attackers}\n", rules.title);
    if let Some(equations) = &report.equations {
        text += "\nGalassi's equations, each from its definition\n";
        for equation in equations {
            text += &line(equation);
        }
        let verdicts: Vec<bool> = equations.iter().filter_map(|equation| equation.agrees).collect();
        let different = verdicts.iter().filter(|&&agrees| !agrees).count();
        let what = ["does not agree", "do not agree"];
        let sentence = count_of(different, verdicts.len(), "printed number", what);
        text += &format!("{sentence}.\n");
    }
    for (title, bounds) in [
        ("Placements of games that go on, at most", &report.running),
        ("Boards of finished games, at most", &report.finished),
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
    let comparison = match (printed, agrees) {
        (Some(printed), Some(true)) => format!("printed {printed}: agrees"),
        (Some(printed), _) => format!("printed {printed}: DOES NOT AGREE"),
        (None, _) => "no number is printed".to_owned(),
    };
    let head = format!("{number:>2}  {:<9}  ", short(value));
    let body = indented(&format!("{name}: {words}; {comparison}"), ' ', head.len());
    let mut text = head.clone() + body.trim_start() + &indented(&grouped(value), ',', head.len());
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

/// Formats the counts over the solved slices.
fn solved(report: &BoundReport) -> String {
    let solved = &report.solved;
    let Some((first, last)) = solved.slices.first().zip(solved.slices.last()) else {
        return "\nNo tables with distances.\n".to_owned();
    };
    let [positions, decided, stuck] = [solved.positions, solved.decided, solved.stuck].map(grouped);
    format!(
        "\nIn {}, {first} to {last}, of {positions} positions\n\
         {decided} are won at once, and {stuck} have no move.\n",
        counted(solved.slices.len(), ["solved slice", "solved slices"])
    )
}

fn sample(sample: &SampleReport) -> String {
    let SampleReport { placements, seed, budget, .. } = sample;
    let proportions = [
        ("reached by a proof game", &sample.reached),
        ("proved unreachable", &sample.unreachable),
        ("unknown", &sample.unknown),
        ("won at once by the side to move", &sample.decided),
        ("without a move", &sample.stuck),
    ];
    let rows = proportions.map(|(name, Proportion { value, low, high })| {
        let percentages = [value, low, high].map(|share| format!("{:.1}", 100.0 * share));
        [&[name.to_owned()][..], &percentages].concat()
    });
    let (seed, budget) = (grouped(seed), counted(*budget, ["position", "positions"]));
    let mut text =
        format!("\nA sample of {}, seed {seed}, at most {budget} for each\n", grouped(placements));
    text += &columns(1, &["", "%", "from", "to (95 %)"], &rows);
    if let (Some(mean), Some(longest)) = (sample.mean_plies, sample.max_plies) {
        text += &format!("The proof games have {mean:.1} plies on average, {longest} at most.\n");
    }
    text += &format!(
        "An estimated {} positions are reachable, {} or more with 97.5 % confidence.\n",
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

/// Abbreviates a number.
fn short(number: &str) -> String {
    shortened(number, scientific)
}

fn shortened(number: &str, as_text: fn(&BigUint, usize) -> String) -> String {
    number.parse::<BigUint>().map_or_else(|_| number.to_owned(), |n| as_text(&n, DIGITS))
}

/// Wraps a text into indented lines, which break after the character `cut`.
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
    lines.iter().map(|line| format!("{:indent$}{}\n", "", line.trim_end())).collect()
}
