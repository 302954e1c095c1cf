use serde::Serialize;
use taflbase::bound::{
    BigUint, Bound, Bounds, Equation, Estimate, OtherGame, ProofGame, Reachability,
    SampledPlacement, Sampling, SolvedCounts, TABLE_1, equations, moves, readings, scientific,
    scientific_floor,
};
use taflbase::proportion::Proportion;
use taflbase::rules::Ruleset;

/// The ruleset of Galassi's paper.
const GALASSI: &str = "ashton";

/// The result of the command in JSON.
#[derive(Serialize)]
pub(super) struct BoundReport {
    pub rules: String,
    pub attackers: usize,
    pub defenders: usize,
    pub symmetries: usize,
    pub equations: Option<Vec<EquationRow>>,
    pub readings: Option<Vec<EquationReading>>,
    pub running: Vec<BoundRow>,
    pub finished: Vec<BoundRow>,
    pub positions: Vec<BoundRow>,
    pub solved: SolvedReport,
    pub sample: Option<SampleReport>,
    pub table: Vec<TableRow>,
}

/// One of the paper's equations.
#[derive(Serialize)]
pub(super) struct EquationRow {
    pub equation: u8,
    pub name: &'static str,
    pub words: &'static str,
    pub value: String,
    pub printed: Option<&'static str>,
    pub agrees: Option<bool>,
    pub followed: String,
}

/// A reading of equation 12 that gives the printed number.
#[derive(Serialize)]
pub(super) struct EquationReading {
    cells: usize,
    black: usize,
    values: [String; 3],
}

#[derive(Serialize)]
pub(super) struct BoundRow {
    pub name: &'static str,
    pub words: String,
    pub value: String,
}

/// Counts over the solved slices.
#[derive(Serialize)]
pub(super) struct SolvedReport {
    pub slices: Vec<String>,
    pub positions: u64,
    pub decided: u64,
    pub stuck: u64,
}

#[derive(Serialize)]
pub(super) struct SampleReport {
    pub placements: u64,
    pub seed: u64,
    pub budget: u64,
    pub reached: Proportion,
    pub unreachable: Proportion,
    pub unknown: Proportion,
    pub decided: Proportion,
    pub stuck: Proportion,
    pub mean_plies: Option<f64>,
    pub max_plies: Option<usize>,
    pub estimate: String,
    pub estimate_low: String,
    pub estimate_high: String,
    pub drawn: Option<Vec<DrawnPlacement>>,
}

/// A sampled placement.
#[derive(Serialize)]
pub(super) struct DrawnPlacement {
    pub position: String,
    pub verdict: &'static str,
    pub moves: Option<Vec<String>>,
}

/// A row of Table 1.
#[derive(Serialize)]
pub(super) struct TableRow {
    pub game: String,
    pub bound: String,
    pub solution: &'static str,
    pub source: String,
}

impl BoundReport {
    pub(super) fn new(
        reachability: &Reachability,
        bounds: &Bounds,
        solved: &SolvedCounts,
        drawn: Option<&(Sampling, Estimate, Vec<SampledPlacement>)>,
        with_games: bool,
    ) -> BoundReport {
        let rules = reachability.rules;
        // The paper's equations count the positions of its own game only.
        let is_papers = is_papers(rules);
        BoundReport {
            rules: rules.name.clone(),
            attackers: reachability.max_material.attackers,
            defenders: reachability.max_material.defenders,
            symmetries: reachability.group.order(),
            equations: is_papers.then(|| equations().into_iter().map(EquationRow::from).collect()),
            readings: is_papers.then(|| {
                let all = readings().into_iter();
                all.map(|reading| EquationReading {
                    cells: reading.cells,
                    black: reading.black,
                    values: reading.values.map(|value: BigUint| value.to_string()),
                })
                .collect()
            }),
            running: bound_rows(&bounds.running),
            finished: bound_rows(&bounds.finished),
            positions: bound_rows(&bounds.positions),
            solved: SolvedReport {
                slices: solved.slices.iter().map(ToString::to_string).collect(),
                positions: solved.positions,
                decided: solved.decided,
                stuck: solved.stuck,
            },
            sample: drawn.map(|(sampling, estimate, drawn)| {
                let games = with_games
                    .then(|| drawn.iter().map(|d| DrawnPlacement::new(rules, d)).collect());
                SampleReport::new(*sampling, estimate, games)
            }),
            table: table(rules, bounds, drawn.map(|(_, estimate, _)| estimate)),
        }
    }
}

fn bound_rows(bounds: &[Bound]) -> Vec<BoundRow> {
    bounds.iter().map(BoundRow::new).collect()
}

/// Returns whether the rules and the start position are those of the paper.
fn is_papers(rules: &Ruleset) -> bool {
    Ruleset::builtin(GALASSI).is_some_and(|papers| {
        papers.fingerprint() == rules.fingerprint() && papers.start == rules.start
    })
}

/// Returns the paper's rows, followed by ours.
fn table(rules: &Ruleset, bounds: &Bounds, estimate: Option<&Estimate>) -> Vec<TableRow> {
    let paper = TABLE_1.iter().map(|&OtherGame { game, bound, solution, source }| TableRow {
        game: game.to_owned(),
        bound: bound.to_owned(),
        solution,
        source: source.to_owned(),
    });
    let mut own = vec![
        ("placements, games over included", scientific(&bounds.total(), 2)),
        ("placements of games that go on", scientific(bounds.placements(), 2)),
        ("the same, mirror images once", scientific(bounds.orbits(), 2)),
    ];
    if let Some(estimate) = estimate {
        // Half of the estimate of positions is one of placements.
        let limit = scientific_floor(&(&estimate.positions[1] / 2_u8), 2);
        own.push(("reached, by the sample", format!("from {limit}")));
    }
    paper
        .chain(own.into_iter().map(|(name, bound)| TableRow {
            game: format!("{}, {name}", rules.name),
            bound,
            solution: "no",
            source: "taflbase".to_owned(),
        }))
        .collect()
}

impl BoundRow {
    fn new(bound: &Bound) -> BoundRow {
        BoundRow { name: bound.name, words: bound.words.clone(), value: bound.value.to_string() }
    }
}

impl From<Equation> for EquationRow {
    fn from(equation: Equation) -> EquationRow {
        let Equation { number, name, words, value, printed, agrees, followed } = equation;
        EquationRow {
            equation: number,
            name,
            words,
            value: value.to_string(),
            printed,
            agrees,
            followed,
        }
    }
}

impl SampleReport {
    fn new(
        sampling: Sampling,
        estimate: &Estimate,
        drawn: Option<Vec<DrawnPlacement>>,
    ) -> SampleReport {
        let [number, low, high] = estimate.positions.clone().map(|number| number.to_string());
        SampleReport {
            placements: sampling.placements,
            seed: sampling.seed,
            budget: sampling.budget,
            reached: estimate.reached,
            unreachable: estimate.unreachable,
            unknown: estimate.unknown,
            decided: estimate.decided,
            stuck: estimate.stuck,
            mean_plies: estimate.plies.map(|(mean, _)| mean),
            max_plies: estimate.plies.map(|(_, longest)| longest),
            estimate: number,
            estimate_low: low,
            estimate_high: high,
            drawn,
        }
    }
}

impl DrawnPlacement {
    fn new(rules: &Ruleset, drawn: &SampledPlacement) -> DrawnPlacement {
        let (verdict, game) = match &drawn.proof_game {
            ProofGame::Reached(game) => ("reached", Some(moves(rules, game))),
            ProofGame::Unreachable => ("unreachable", None),
            ProofGame::Unknown => ("unknown", None),
        };
        DrawnPlacement { position: drawn.position.to_text(rules), verdict, moves: game }
    }
}
