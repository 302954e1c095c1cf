mod blocking;
mod on_board;
mod on_graph;
mod theorem;

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use taflbase::short::{Board, ShortError, Soldier};

use super::arguments::Threads;
use super::error::CliError;
use super::machine::available_bytes;
use super::output::{Session, counted, size};
use super::pictures::Pictures;

/// Solve short tafl, impartial games of a king and one soldier on a board or graph
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// Rows and columns of the board
    #[arg(value_name = "AxB", value_parser = parse_board)]
    board: Option<Board>,
    /// Move the soldier by this rule: se, nw, closer or stationary
    #[arg(long, value_name = "RULE", default_value = "se")]
    #[arg(value_parser = PossibleValuesParser::new(Soldier::ALL.map(Soldier::name)))]
    soldier: String,
    /// Compute Grundy values, not only P-positions
    #[arg(long)]
    grundy: bool,
    /// Take this square (row and column from 0, like 7,8) or vertex of the king; may be repeated
    /// [default: all; in pictures the south-east corner]
    #[arg(long, value_name = "R,C")]
    king: Vec<String>,
    /// Draw the sets of the theorem's proof, too; for --soldier se
    #[arg(long, conflicts_with_all = ["grundy", "graph"])]
    sets: bool,
    /// Compare the theorems on the rule with every position; for se, the slides' theorem
    #[arg(long, conflicts_with_all = ["grundy", "king", "sets", "periods", "graph", "svg", "png"])]
    theorem: bool,
    /// Find periods of P-positions far south of the king, for his squares up to --king; for
    /// --soldier nw and closer
    #[arg(long, requires = "king", conflicts_with_all = ["grundy", "sets", "graph", "svg", "png"])]
    periods: bool,
    /// Put a stationary soldier on this square and solve the king's squares; may be repeated
    #[arg(long, value_name = "R,C")]
    #[arg(conflicts_with_all = ["king", "sets", "theorem", "periods", "graph"])]
    at: Vec<String>,
    /// Play on the graph of this edge list; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board", "svg", "png"])]
    graph: Option<PathBuf>,
    /// Treat edges as undirected: the king moves nearer to this vertex
    #[arg(long, value_name = "VERTEX", requires = "graph", conflicts_with = "board")]
    exit: Option<String>,
    #[command(flatten)]
    pictures: Pictures,
    #[command(flatten)]
    threads: Threads,
}

const HELP: &str = r#"Either player moves either piece; whoever leaves the king without a move wins. The king
slides north or west. The soldier slides: se, south or east, and stays within the quadrant
north and west of the king; nw, north or west; closer, any direction that ends closer to
the king; stationary, never. Neither jumps over the other. Where a king has passed a soldier
of se or stationary, it is out of play. In a P-position whoever is to move loses; it has the
Grundy value 0. Squares are counted from 0 at the north-west corner.

A picture has the king on one square and marks each square of the soldier: P for a
P-position, and with --sets H, V1, V2 and R, from which only a king's move wins. More than
one --king gives several pictures. The results are in docs/short-tafl.md.

--theorem prints the number of positions that a theorem covers and those where it is wrong;
the status is 1 if there are any. --periods examines the rows of the soldier's squares: a
king has a period if the P-positions repeat row by row, as many columns to the east as rows
to the south. A period is reported if it occurs three times or more up to the last row and
begins in the first half of the rows; otherwise a larger board may show one that is longer
or begins later.

With --at, the soldiers stay on these squares, and the king's squares are solved and drawn.

An edge list has one edge per line: two vertices and optionally the name of a line, "e5 e4
west". The king moves from the first to the second, and slides on along edges of the same
line; edges without a name are single steps. A single word is a vertex. Text after # is
ignored. The soldier moves as the king does (nw), backwards to squares that the king can
still reach (se), or either way if that ends fewer edges from the king (closer).

Examples:
  taflbase short 8x9
  taflbase short 20x20 --king 12,17 --sets --svg sets.svg
  taflbase short 60x60 --theorem
  taflbase short 400x400 --soldier nw --king 6,8 --periods
  taflbase short 20x20 --soldier stationary --at 2,5 --at 7,3
  taflbase short --graph edges.txt --exit home --grundy

JSON, one line: all P-positions with the soldier in play, as row and column of the king and
of the soldier; --grundy adds the values of all positions with the soldier in play, ordered
by the king's square, then the soldier's, row by row; --king restricts both to these squares:
  {"rows":2,"columns":2,"soldier":"se","p_positions":[[0,1,0,0],[1,0,0,0],[1,1,0,1],[1,1,1,0]],"grundy":[0,0,1,0,0]}
--theorem; "clauses" and the proof's sets only with se; "values" are the Grundy values:
  {"rows":60,"columns":60,"soldier":"se","positions":3345300,"outcomes":{"said":3345300,"wrong":0,"examples":[]},"values":{"said":118533,"wrong":0,"examples":[]},"clauses":{"said":3345300,"wrong":0,"examples":[]},"sets":{"needed":{"said":1619200,"wrong":0,"examples":[]},"held":{"said":1619316,"wrong":0,"examples":[]}},"sets_as_printed":{"needed":{"said":1619200,"wrong":0,"examples":[]},"held":{"said":1685958,"wrong":3306,"examples":[[2,3,0,1]]}}}
--periods, one line per square of the king; null if no period is found:
  {"rows":400,"columns":400,"soldier":"nw","king":[1,2],"looked_at":400,"period":2,"from":3,"offsets":[[-1],[1]]}
--at --grundy, with the king's squares only; values are null on the soldiers' squares:
  {"rows":2,"columns":2,"soldier":"stationary","at":[[0,0]],"p_positions":[[0,1],[1,0]],"grundy":[null,0,0,1]}
--graph, with the names of vertices:
  {"vertices":3,"edges":3,"soldier":"se","p_positions":[["b","a"]],"grundy":[0,1,2]}"#;

/// Runs the variant of the command that the arguments select.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let rule: Soldier = args.soldier.parse()?;
    if args.sets && rule != Soldier::SouthEast {
        return Err(CliError::new("--sets requires --soldier se, whose theorem has them"));
    }
    match (&args.graph, args.board) {
        (Some(file), _) => on_graph::run(args, file, rule, session),
        (None, Some(board)) if args.theorem => theorem::compare(args, board, rule, session),
        (None, Some(board)) if args.periods => theorem::periods(args, board, rule, session),
        (None, Some(board)) if !args.at.is_empty() => blocking::run(args, board, rule, session),
        (None, Some(board)) => on_board::run(args, board, rule, session),
        (None, None) => {
            Err(CliError::new("no board: write rows and columns AxB, like 8x9, or --graph FILE"))
        }
    }
}

fn parse_board(text: &str) -> Result<Board, String> {
    text.parse().map_err(|error: ShortError| error.to_string())
}

/// Formats a number of positions, and that of the P-positions among them.
fn counts_text(positions: usize, p_positions: usize) -> String {
    let positions = counted(positions, ["position", "positions"]);
    let p_positions = counted(p_positions, ["of them a P-position", "of them P-positions"]);
    format!("{positions}, {p_positions}")
}

/// The advice to those whose board or graph does not fit into memory.
const SMALLER: &str = "use a smaller one";

/// Fails if `needed` bytes do not fit into the free memory; `advice` says what takes less.
fn check_memory(what: &str, needed: u64, advice: &str) -> Result<(), CliError> {
    match available_bytes() {
        Some(free) if needed > free => Err(CliError::Error(format!(
            "{what} takes {} of memory, but {} are free: {advice}",
            size(needed),
            size(free)
        ))),
        _ => Ok(()),
    }
}
