use std::path::PathBuf;
use std::sync::Arc;

use taflbase::Tablebase;
use taflbase::draw::{BoardPicture, Sheet};
use taflbase::find::parse_outcome;
use taflbase::moves::Move;
use taflbase::position::Position;
use taflbase::proof::ProofBook;
use taflbase::tablebase::{
    MoveAnswer, PositionProof, ProbeAnswer, ProbeError, Probed, ProvedBounds,
};
use taflbase::value::{Plies, Wdl};

use super::arguments::{PositionArgs, in_pool};
use super::batch;
use super::error::CliError;
use super::output::{Session, columns, win_caveat, winner};
use super::pictures::Pictures;

/// Look up the value of a position and of its moves, or of many positions
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// A built-in ruleset, or a path to a ruleset file
    rules: String,
    #[command(flatten)]
    at: PositionArgs,
    /// Probe the positions of this file, one per line; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "svg", "png"])]
    batch: Option<PathBuf>,
    #[command(flatten)]
    pictures: Pictures,
}

const HELP: &str = r#"Values, including those of moves, are for the side to move in the probed position.
Distances are plies to the end of the game; those of moves count from after the move. A
move into a slice that is not built has the value "unknown". Rulesets without draws
(berkeley) have "undecided" positions, whose winner depends on the moves before; the
distances of wins and losses are then upper bounds. Where the attackers win endless play
(copenhagen), a position that neither side can force is "endless": the attackers win it.

Tables of few men are part of the program: the king and 4 soldiers of brandubh,
brandubh-online and berkeley, 3 of the other games on boards up to 11x11 but fetlar, and
2 of fetlar and the larger games; brandubh, brandubh-1, tablut, mcgill, fetlar,
copenhagen-13 and large-hnefatafl also have win, draw or loss, without distances, with one
soldier more.
Files take precedence over these tables.

With --proofs, a position that no table has may be proved by a certificate of `solve`, or
be one move away from it: its value is then marked as proved, without a distance. Of a
move or position it may also be proved that its side does not lose ("at least draw") or
does not win ("at most draw"). A certificate is believed as a table is; `solve --check`
checks it.

A move with -- wins for the defenders at once: the king escapes, or an exit fort is complete.
One with ++ wins for the attackers: the king is captured, or all defenders are encircled. A
conversion is a capture after which the game continues in a slice of fewer men.

--batch prints one line per line of the file, separated by tabs: the position (spaces for
its tabs), its value ("unknown" without a table, "invalid" if the line is not a position),
and the plies or the error; with --json, {"position":…,"category":…,"dtw":…}. The status
is 1 if a line is unknown or invalid.

With --svg or --png, the picture shows the board and the best move, if it is known.

Examples:
  taflbase probe brandubh "/7/4t2/7/7/2K4/7/2t4/ d"
  taflbase probe brandubh --batch positions.txt
  taflbase probe brandubh "/3t3/3t3/7/t1T1T1t/3K3/3t3/3t3/ d" --proofs won.cert
  taflbase probe brandubh /7/7/5K1/7/3t3/4t2/7/ a --json
  taflbase probe brandubh "/7/4t2/7/7/2K4/7/2t4/ d" --svg board.svg

JSON, one line (here with one of the moves); "position" of a move is the one after it;
"dtw" is null for draws, and where no DTW table has the distance:
  {"rules":"brandubh","position":"/7/4t2/7/7/2K4/7/2t4/ d","to_move":"defenders","category":"win","dtw":3,"moves":[{"move":"Kc5-c1","category":"win","dtw":2,"conversion":false,"position":"/2K4/4t2/7/7/7/7/2t4/ a"}]}
What only a certificate knows has "proof" in addition, also in its moves (there without
"move" and "certificate"):
  "proof":{"at_least":"win","at_most":"win","move":"c4-c6","certificate":"won.cert"}
A move that completes a shieldwall, an exit fort or a ring around all defenders
("encirclement") has "formations" in addition:
  "formations":[{"kind":"shieldwall","inside":["e1","f1"],"wall":["d1","g1","e2","f2"]}]"#;

/// Probes one position.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let base = Arc::new(session.open_to_probe(&args.rules)?);
    let book = session.open_proofs(&base)?;
    let rules = base.rules();
    if let Some(path) = &args.batch {
        return in_pool(0, || batch::run(&base, book.as_deref(), path, session))?;
    }
    let position = args.at.position(rules)?;
    let probed = probe(&base, book.as_deref(), &position);
    let (answer, best) =
        probed.map_err(|error| session.position_error(&base, &args.rules, error))?;
    let verdict = format!("{} to move: {}", answer.to_move, verdict(&answer));
    let mut board = BoardPicture::new(rules, position.layout());
    if let Some(best) = best {
        board = board.with_move(&best);
    }
    let is_output_free = args.pictures.write(|| {
        let captioned = board.clone().with_caption(&verdict, Some(position.to_move));
        Sheet::new(format!("{}: {}", rules.title, answer.position), vec![captioned])
    })?;
    if !is_output_free {
        return Ok(());
    }
    if session.json() {
        return session.json_line(&answer);
    }
    session.text(&format!("{}\n{verdict}\n\n", board.to_text(session.style())))?;
    session.text(&move_table(&answer.moves))?;
    let wdl = parse_outcome(rules, answer.category).ok();
    let caveat = win_caveat(rules, wdl.and_then(|wdl| winner(position.to_move, wdl)));
    if !caveat.is_empty() {
        session.text(&format!("\n{caveat}"))?;
    }
    if let Some(source) = answer.proof.as_ref().and_then(source) {
        return session.text(&format!("\n{source}\n"));
    }
    if answer.dtw.is_some() || answer.category == base.category(Wdl::Draw) {
        return Ok(());
    }
    let slice = position.slice();
    let build = session.command("build", &args.rules, &format!("--slice {slice}"));
    session.text(&format!("\nNo distances: {slice} has only a WDL table; run `{build}`\n"))
}

/// Probes a position in the tables, or else in the book. Also returns the best move, if it is
/// known.
pub(super) fn probe<'a>(
    base: &'a Tablebase,
    book: Option<&ProofBook>,
    position: &Position,
) -> Result<(ProbeAnswer<'a>, Option<Move>), ProbeError> {
    let (value, moves, best) = match base.probe(position) {
        Ok(probe) => {
            let best = match probe.best_move(position) {
                // The choice depends on missing tables.
                Err(ProbeError::MissingTable { .. }) => None,
                best => best?,
            };
            (Some(probe.value), probe.moves, best)
        }
        Err(ProbeError::MissingTable { slice, metric }) => {
            let missing = ProbeError::MissingTable { slice, metric };
            let Some(book) = book else { return Err(missing) };
            let moves = base.probe_moves(position)?;
            let answer = book.answer(base, position, None, &moves).map_err(ProbeError::Position)?;
            if answer.proof.is_none() {
                return Err(missing);
            }
            let strategy = book.strategy_move(position);
            return Ok((answer, strategy.map(|book_move| book_move.played)));
        }
        Err(error) => return Err(error),
    };
    let answer = match book {
        Some(book) => book.answer(base, position, value, &moves).map_err(ProbeError::Position)?,
        None => ProbeAnswer::new(base, position, value, &moves),
    };
    Ok((answer, best))
}

/// Formats the value of a position: `win in 3 plies`, `win (proved)`.
pub(super) fn verdict(answer: &ProbeAnswer) -> String {
    match &answer.proof {
        Some(proof) => proved_words(&proof.bounds),
        None => in_plies(answer.category, answer.dtw),
    }
}

/// Names the certificate that proves a position, and the move of its strategy.
pub(super) fn source(proof: &PositionProof) -> Option<String> {
    let certificate = proof.certificate.as_ref()?;
    Some(match &proof.played {
        Some(played) => format!("Proved by {certificate}, which plays {played}"),
        None => format!("Proved by {certificate}"),
    })
}

/// Formats a proved outcome: `win (proved)`, `at least draw (proved)`.
fn proved_words(bounds: &ProvedBounds) -> String {
    let ProvedBounds { at_least, at_most, .. } = *bounds;
    match (at_least, at_most) {
        _ if at_least == at_most => format!("{at_least} (proved)"),
        (_, "win") => format!("at least {at_least} (proved)"),
        _ => format!("at most {at_most} (proved)"),
    }
}

/// Formats the moves in columns.
pub(super) fn move_table(moves: &[MoveAnswer]) -> String {
    let header = ["move", "value", "conversion", "plies after it"];
    columns(3, &header, &moves.iter().map(row).collect::<Vec<_>>())
}

fn row(answer: &MoveAnswer) -> Vec<String> {
    let value = answer.proof.as_ref().map_or(answer.category.to_owned(), proved_words);
    let conversion = if answer.conversion { "yes" } else { "" };
    let plies = answer.dtw.map_or(String::new(), |plies| plies.to_string());
    vec![answer.played.clone(), value, conversion.to_owned(), plies]
}

/// Formats a value: `win in 3 plies`.
pub(super) fn words(base: &Tablebase, value: Probed) -> String {
    in_plies(base.category(value.wdl), value.plies)
}

fn in_plies(category: &str, plies: Option<Plies>) -> String {
    match plies {
        Some(1) => format!("{category} in 1 ply"),
        Some(plies) => format!("{category} in {plies} plies"),
        None => category.to_owned(),
    }
}
