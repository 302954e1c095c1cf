use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use taflbase::replay::{EndCause, ReplayVerdict, ReplayedGame, replay};
use taflbase::rules::Ruleset;

use super::error::CliError;
use super::output::{Session, counted, size};

/// Replay games that people played through the rules
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// The file of games: one on each line, or an OpenTafl record (.otg)
    file: PathBuf,
    /// Built-in ruleset, or a path to a ruleset file
    rules: String,
}

const HELP: &str = r#"Plays each game through the rules, and names the first move that is illegal, captures
otherwise or follows the end of the game. The status is 1 if a game does not agree.

A game on a line has its moves, two numbers that are not read, and the result: White (the
defenders), Black, Draw, Ongoing or nothing. Captures follow the move; that of the king is not
marked. If time ran out, the last word is "timeout":
  d1-d3 e5-e2 g1-g3 f4-c4 g3-e3xe2,1,0,Ongoing
Empty lines are skipped, and a first line that names the columns. A line that cannot be
read counts as illegal. A file has at most 256 MiB.

Positions are judged, and the history of a game is not: repetitions and a ply limit end no
game and forbid no move. They are counted.

Examples:
  taflbase replay games.csv copenhagen
  taflbase replay game.otg brandubh --json

JSON, one line per game, then the sums. A verdict is agrees, illegal, captures-differ,
ended-early or other-result (the moves end the game with another result). A cause is
king-escaped, exit-fort, king-captured, encirclement, no-move, timeout,
otherwise (a side won, and the moves do not say how), draw or ongoing:
  {"line":1,"plies":5,"verdict":"agrees","cause":"ongoing","shieldwalls":0,"repeats":false,"ply":null,"reason":null}
  {"rules":"copenhagen","games":1,"agree":1,"illegal":0,"captures_differ":0,"ended_early":0,"other_result":0,"causes":{"ongoing":1}}"#;

/// The most bytes of a file of games: some hundred thousand. Devices and pipes may have no end.
const MAX_BYTES: u64 = 256 << 20;

/// A game for programs.
#[derive(Serialize)]
struct GameLine<'a> {
    line: usize,
    plies: usize,
    verdict: &'static str,
    cause: &'static str,
    shieldwalls: usize,
    repeats: bool,
    ply: Option<usize>,
    reason: Option<&'a str>,
}

/// The sums over all games, for programs.
#[derive(Serialize)]
struct Sums<'a> {
    rules: &'a str,
    games: usize,
    agree: usize,
    illegal: usize,
    captures_differ: usize,
    ended_early: usize,
    other_result: usize,
    causes: BTreeMap<&'static str, usize>,
}

/// Replays the games of a file.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let rules = Arc::new(Ruleset::load(&args.rules)?);
    let shown = args.file.display();
    let mut bytes = Vec::new();
    File::open(&args.file)
        .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| CliError::Error(format!("{shown}: cannot read the games: {error}")))?;
    if bytes.len() as u64 > MAX_BYTES {
        let most = size(MAX_BYTES);
        return Err(CliError::Error(format!("{shown}: it has more than {most}: divide it")));
    }
    // A byte that is no text is in a word that is no move.
    let text = String::from_utf8_lossy(&bytes);
    let games = replay(&text, &rules)?;
    if games.is_empty() {
        return Err(CliError::Error(format!(
            "{shown}: there are no games: write one on each line, as the help shows"
        )));
    }
    let sums = Sums::new(&rules, &games);
    if session.json() {
        games.iter().try_for_each(|game| session.json_line(&GameLine::new(game)))?;
        session.json_line(&sums)?;
    } else {
        session.text(&report(&games, &sums))?;
    }
    match games.len() - sums.agree {
        0 => Ok(()),
        1 => Err(CliError::Negative(format!("{shown}: one game does not agree with the rules"))),
        wrong => {
            let reason = format!("{shown}: {wrong} games do not agree with the rules");
            Err(CliError::Negative(reason))
        }
    }
}

impl<'a> Sums<'a> {
    fn new(rules: &'a Ruleset, games: &[ReplayedGame]) -> Sums<'a> {
        let with = |is_wanted: fn(&ReplayVerdict) -> bool| {
            games.iter().filter(|game| is_wanted(&game.verdict)).count()
        };
        let mut causes = BTreeMap::new();
        for game in games {
            *causes.entry(game.cause.name()).or_default() += 1;
        }
        Sums {
            rules: &rules.name,
            games: games.len(),
            agree: with(|verdict| matches!(verdict, ReplayVerdict::Agrees)),
            illegal: with(|verdict| matches!(verdict, ReplayVerdict::Illegal(_))),
            captures_differ: with(|verdict| matches!(verdict, ReplayVerdict::CapturesDiffer(_))),
            ended_early: with(|verdict| matches!(verdict, ReplayVerdict::EndedEarly(_))),
            other_result: with(|verdict| matches!(verdict, ReplayVerdict::OtherResult(_))),
            causes,
        }
    }
}

impl<'a> GameLine<'a> {
    fn new(game: &'a ReplayedGame) -> GameLine<'a> {
        let difference = game.verdict.difference();
        GameLine {
            line: game.line,
            plies: game.plies,
            verdict: game.verdict.name(),
            cause: game.cause.name(),
            shieldwalls: game.shieldwalls,
            repeats: game.repeats,
            ply: difference.and_then(|difference| difference.ply),
            reason: difference.map(|difference| difference.reason.as_str()),
        }
    }
}

/// Writes the games that do not agree, and then the sums.
fn report(games: &[ReplayedGame], sums: &Sums) -> String {
    let mut text = String::new();
    for game in games {
        if let Some(difference) = game.verdict.difference() {
            let ply = difference.ply.map(|ply| format!(", ply {ply}")).unwrap_or_default();
            text += &format!("line {}{ply}: {}\n", game.line, difference.reason);
        }
    }
    text += &format!(
        "{} of {}: {} agree, {} illegal, {} with other captures, {} ended early, {} with another \
         result\n",
        counted(sums.games, ["game", "games"]),
        sums.rules,
        sums.agree,
        sums.illegal,
        sums.captures_differ,
        sums.ended_early,
        sums.other_result
    );
    let causes = EndCause::ALL.iter().filter_map(|cause| {
        sums.causes.get(cause.name()).map(|count| format!("{} {count}", cause.name()))
    });
    text += &format!("ends: {}\n", causes.collect::<Vec<_>>().join(", "));
    let plies: usize = games.iter().map(|game| game.plies).sum();
    let walls: usize = games.iter().map(|game| game.shieldwalls).sum();
    let repeating = games.iter().filter(|game| game.repeats).count();
    text += &format!(
        "{}, {}, the repetition rule or ply limit applies in {repeating}\n",
        counted(plies, ["ply", "plies"]),
        counted(walls, ["shieldwall", "shieldwalls"])
    );
    text
}
