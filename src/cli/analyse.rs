use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use taflbase::engine::{Engine, Iteration, IterationReport, Limits, SearchRequest};
use taflbase::history::Game;

use super::arguments::{MAX, PositionArgs, parse_number, parse_seconds};
use super::engine_args::EngineArgs;
use super::error::CliError;
use super::interrupt::on_interrupt;
use super::move_log::move_texts;
use super::output::{Session, grouped, time};

/// Search a position with the engine and print the best lines
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// A built-in ruleset, or a path to a ruleset file
    rules: String,
    #[command(flatten)]
    at: PositionArgs,
    /// Print the N best moves, each with its line; only one where a certificate proves a win
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = parse_number::<u16, 1, 1000>)]
    lines: u16,
    /// Stop after this many plies
    #[arg(long, value_name = "N", value_parser = parse_number::<u32, 1, 1000>)]
    depth: Option<u32>,
    /// Stop after this many positions
    #[arg(long, value_name = "N", value_parser = parse_number::<u64, 1, MAX>)]
    nodes: Option<u64>,
    /// Stop after this much time
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    time: Option<Duration>,
    #[command(flatten)]
    engine: EngineArgs,
}

const HELP: &str = r#"Scores are for the side to move. "win in 5" and "loss in 4" are proved: the game takes at
most that many plies. "table win" is proved, too, by tables without distances, and "proved
win" by a certificate of --proofs, whose strategy the line begins with. "+0.35" is an
estimate in soldiers. A depth in parentheses was cut short by a limit; lines that it did
not reach show the depth they are from. Table hits are positions whose value came from the
tables of the program or of the table folder. Without a limit the search runs until Ctrl-C,
or until the result is final.

Examples:
  taflbase analyse brandubh --time 10
  taflbase analyse ashton "/3t1t3/4t4/4T4/t7t/t1TTKTTtt/t3T3t/4T4/4t4/3ttt3/ d" --lines 3 --depth 6
  taflbase analyse brandubh /7/4t2/7/7/2K4/7/2t4/ d --json

JSON, one line per iteration; a line has either "category" and "plies", or an "estimate" in
hundredths of a soldier; table wins and proved wins have no plies. "complete" is false if a limit cut the
iteration short; each line has the depth that its score is from:
  {"rules":"brandubh","position":"/7/4t2/7/7/2K4/7/2t4/ d","to_move":"defenders","depth":1,"complete":true,"selective_depth":1,"nodes":1,"nodes_per_second":1000,"table_hits":1,"seconds":0.001,"lines":[{"score":"win in 3","category":"win","plies":3,"estimate":null,"depth":1,"moves":["Kc5-c1","e2-e1","Kc1-a1--"]}]}"#;

/// Searches and prints each iteration.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let tables = Arc::new(session.open_to_probe(&args.rules)?);
    let rules = Arc::new(tables.rules().clone());
    let options = args.engine.options(&tables, session.open_proofs(&tables)?.as_ref());
    let position = args.at.position(&rules)?;
    let game = Game::from_position(Arc::clone(&rules), position)?;
    if let Some(outcome) = game.outcome() {
        return Err(CliError::Error(format!("the game is over: {outcome}")));
    }
    let mut engine = Engine::new(rules, options)?;
    let (stopper, stopped) = (engine.stopper(), AtomicBool::new(false));
    on_interrupt(move || {
        stopper.stop();
        !stopped.swap(true, Ordering::Relaxed)
    });
    let mut printer = IterationPrinter { session, game: &game, last: None, result: Ok(()) };
    let limits = Limits { depth: args.depth, nodes: args.nodes, time: args.time };
    let stopper = engine.stopper();
    let lines = NonZeroUsize::new(args.lines.into()).unwrap_or(NonZeroUsize::MIN);
    let request = SearchRequest { lines, ..limits.into() };
    let last = engine.search(&game, request, &mut |iteration| {
        printer.update(iteration);
        // Standard output is closed.
        if printer.result.is_err() {
            stopper.stop();
        }
    });
    printer.update(&last.map_err(CliError::new)?);
    printer.result
}

/// Prints iterations.
struct IterationPrinter<'a> {
    session: &'a Session,
    game: &'a Game,
    last: Option<Iteration>,
    result: Result<(), CliError>,
}

impl IterationPrinter<'_> {
    /// Prints an iteration, unless it is the last one printed.
    fn update(&mut self, iteration: &Iteration) {
        if self.last.as_ref() != Some(iteration) && self.result.is_ok() {
            self.result = self.print(iteration);
            self.last = Some(iteration.clone());
        }
    }

    fn print(&self, iteration: &Iteration) -> Result<(), CliError> {
        if self.session.json() {
            return self.session.json_line(&IterationReport::new(self.game, iteration));
        }
        let mut text = String::new();
        if self.last.is_none() {
            text.push_str("depth  score           nodes   a second   table hits      time  line\n");
        }
        let board = self.game.rules().board;
        let Iteration { depth, is_complete, nodes, table_hits, .. } = *iteration;
        let shown = if is_complete { depth.to_string() } else { format!("({depth})") };
        let speed = grouped(iteration.nodes_per_second() as u64);
        let (nodes, hits, took) = (grouped(nodes), grouped(table_hits), time(iteration.time));
        for (number, line) in iteration.lines.iter().enumerate() {
            let (score, moves) = (line.score, move_texts(board, &line.moves).join(" "));
            let own = if line.depth == depth { String::new() } else { line.depth.to_string() };
            text.push_str(&match number {
                0 => format!(
                    "{shown:>5}  {score:<10}  {nodes:>9}  {speed:>9}  {hits:>11}  {took:>8}  {moves}\n"
                ),
                _ => format!("{own:>5}  {score:<10}{:>45}  {moves}\n", ""),
            });
        }
        self.session.text(&text)
    }
}
