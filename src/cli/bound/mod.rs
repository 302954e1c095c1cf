mod report;
mod text;

use taflbase::bound::{Bounds, Estimate, Reachability, Sampling, sample, solved};
use taflbase::rules::Ruleset;

use super::arguments::{MAX, Threads, parse_number};
use super::error::CliError;
use super::meter::Meter;
use super::output::Session;
use report::BoundReport;

/// Bound the number of positions of a game, by counting and by sampling
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// A built-in ruleset, or a path to a ruleset file
    rules: String,
    /// Sample N placements and search for a game from the start position to each
    #[arg(long, value_name = "N", value_parser = parse_number::<u64, 1, 100_000>)]
    sample: Option<u64>,
    /// Use this random seed for the sample
    #[arg(long, value_name = "SEED", default_value_t = 1, requires = "sample")]
    seed: u64,
    /// Search at most this many positions per game
    #[arg(long, value_name = "NODES", default_value_t = 1_000_000, requires = "sample")]
    #[arg(value_parser = parse_number::<u64, 1, MAX>)]
    budget: u64,
    /// Print each sampled placement and the game that leads to it
    #[arg(long, requires = "sample")]
    games: bool,
    #[command(flatten)]
    threads: Threads,
}

const HELP: &str = r#"All numbers are exact except those of the sample. A placement is the men on the board; a
position adds the side to move. Each bound is tighter than the one before:

  naive     each square independently
  men       one king, and no more men than in the start position
  squares   men only on squares where they may stand: all positions that can be probed
  reach     men only on squares that they can reach from the start position
  camps     camps that attackers cannot re-enter, only as they can have been left
  unmoved   if all attackers are in full camps, none of them has moved
  symmetry  mirror images counted once

Boards of finished games are counted separately, except those of games that ended by an exit
fort or an encirclement, or because a side had no move. Positions from which the king escapes at
once are counted exactly, and positions without a move are bounded from above. Both, and
captures of the king, are also counted in the existing tables (those of the program and of
--tables) and in the sample.

--sample draws placements uniformly, with either side to move. Each is reached by a game
from the start position in which both sides cooperate, or proved unreachable by exhausting
its predecessors, or unknown. The games are checked against the rules: nobody wins on the
way, no position repeats, and no ply limit is exceeded. Intervals are exact 95 % intervals
(Clopper-Pearson). The derivations are in docs/state-space.md.

For the rules of Galassi's paper, its equations are evaluated first and compared with the
printed numbers.

Examples:
  taflbase bound ashton
  taflbase bound brandubh --sample 300
  taflbase bound tablut --sample 10 --seed 7 --games

JSON, one line; large numbers are strings; "equations", "readings" and "sample" may be null,
and "drawn" is null without --games; lists are shortened here:
  {"rules":"ashton","attackers":16,"defenders":8,"symmetries":8,"equations":[{"equation":6,"name":"UB'_no_end","words":"equations 4 and 5","value":"947889249256532407079664255","printed":"9.5e26","agrees":true,"followed":""}],"readings":[{"cells":61,"black":15,"values":["1","2","3"]}],"running":[{"name":"naive","words":"each square independently: empty, or any piece that may stand there","value":"141440778841410474143624665261815556472832"}],"finished":[],"positions":[],"solved":{"slices":["K0v1"],"positions":7040,"decided":5472,"stuck":0},"sample":{"placements":300,"seed":1,"budget":1000000,"reached":{"share":0.9,"low":0.86,"high":0.93},"unreachable":{"share":0,"low":0,"high":0.01},"unknown":{"share":0.1,"low":0.07,"high":0.14},"decided":{"share":0.5,"low":0.4,"high":0.6},"stuck":{"share":0,"low":0,"high":0.01},"mean_plies":60.5,"max_plies":90,"estimate":"17","estimate_low":"16","estimate_high":"18","drawn":null},"table":[{"game":"Tablut","bound":"1.4e27","solution":"no","source":"Galassi"}]}"#;

/// Counts, samples and prints.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let base = session.open_to_probe(&args.rules)?;
    let rules: &Ruleset = base.rules();
    let reachability = Reachability::new(rules);
    let bounds = Bounds::new(&reachability)?;
    let solved = args.threads.run(|| solved(&base, reachability.max_material))??;
    let mut drawn = None;
    if let Some(placements) = args.sample {
        let sampling = Sampling { placements, seed: args.seed, budget: args.budget };
        let meter = Meter::new("proof games");
        let found = args
            .threads
            .run(|| sample(&reachability, sampling, &|done, of| meter.update(done, of)))??;
        drop(meter);
        let estimate = Estimate::new(&bounds, &found);
        drawn = Some((sampling, estimate, found));
    }
    let report = BoundReport::new(&reachability, &bounds, &solved, drawn.as_ref(), args.games);
    match session.json() {
        true => session.json_line(&report),
        false => session.text(&text::text(rules, &report)),
    }
}
