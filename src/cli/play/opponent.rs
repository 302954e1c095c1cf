use std::sync::Arc;
use std::time::Duration;

use taflbase::arena::{Contestant, Level, PlayerContext, factory};
use taflbase::engine::{Clock, Engine, Limits, PlayerError, Score, SearchRequest, Stopper};
use taflbase::history::Game;
use taflbase::moves::Move;
use taflbase::random::fresh_seed;

use super::super::engine_args::proved_positions;
use super::super::error::CliError;
use super::Args;
use super::terminal::Sources;

/// The default time per move.
const DEFAULT_TIME: Duration = Duration::from_secs(2);
/// The transposition table of the weaker levels, which search few positions, in bytes.
const SMALL_TABLE: usize = 16 << 20;

/// The player of the sides that the user does not play.
pub(super) enum Opponent {
    /// The engine.
    Engine { level: &'static Level, engine: Box<Engine>, limits: Limits },
    /// Another player, with the limits of the strongest level.
    Player {
        player: Box<dyn Contestant>,
        limits: Limits,
        /// Whether it has failed, and has to begin the game again.
        has_failed: bool,
    },
}

impl Opponent {
    /// Creates the opponent that the arguments select.
    pub(super) fn named(args: &Args, sources: &Sources, game: &Game) -> Result<Opponent, CliError> {
        match args.opponent.trim() {
            "engine" => Opponent::at(args.level, args, sources),
            described => Ok(Opponent::Player {
                player: player(described, sources, game)?,
                limits: strongest_limits(args),
                has_failed: false,
            }),
        }
    }

    /// Creates the engine at a level.
    pub(super) fn at(
        level: &'static Level,
        args: &Args,
        sources: &Sources,
    ) -> Result<Opponent, CliError> {
        let tables = &sources.tables;
        let mut options = args.engine.options(tables, sources.book.as_ref());
        if !level.uses_tables {
            (options.tables, options.proofs) = (None, None);
            options.table_bytes = options.table_bytes.min(SMALL_TABLE);
        }
        let engine = Box::new(Engine::new(Arc::new(tables.rules().clone()), options)?);
        let limits = match has_own_limits(level) {
            true => level.limits(DEFAULT_TIME),
            false => strongest_limits(args),
        };
        Ok(Opponent::Engine { level, engine, limits })
    }

    /// Returns the name for records of games.
    pub(super) fn name(&self) -> String {
        match self {
            Opponent::Engine { level, .. } => format!("taflbase ({})", level.name),
            Opponent::Player { player, .. } => player.name(),
        }
    }

    /// Describes the opponent within a sentence.
    pub(super) fn described(&self) -> String {
        match self {
            Opponent::Engine { level, .. } => format!("the engine (level {})", level.name),
            Opponent::Player { player, .. } => player.name(),
        }
    }

    /// Returns the handle that stops a search, if it can be stopped.
    pub(super) fn stopper(&self) -> Option<Stopper> {
        match self {
            Opponent::Engine { engine, .. } => Some(engine.stopper()),
            Opponent::Player { player, .. } => player.stopper(),
        }
    }

    /// Starts a new game.
    pub(super) fn begin(&mut self, game: &Game) -> Result<(), CliError> {
        match self {
            Opponent::Engine { engine, .. } => {
                engine.clear();
                Ok(())
            }
            Opponent::Player { player, has_failed, .. } => {
                *has_failed = false;
                player.begin(game).map_err(CliError::new)
            }
        }
    }

    /// Chooses a move; also returns its evaluation as text. A player that has failed begins the
    /// game again.
    pub(super) fn choose(&mut self, game: &Game) -> Result<(Move, String), PlayerError> {
        match self {
            Opponent::Engine { level, engine, limits } => {
                let request = SearchRequest { lines: level.lines, ..(*limits).into() };
                let found = engine
                    .search(game, request, &mut |_| {})
                    .map_err(|error| PlayerError::new("taflbase", error))?;
                let chosen = level.choose(&found, fresh_seed());
                let line = found
                    .lines
                    .iter()
                    .find(|line| line.moves.first() == chosen.as_ref())
                    .unwrap_or(&found.lines[0]);
                let evaluation = format!(" ({}, depth {})", score_text(line.score), found.depth);
                Ok((line.moves[0], evaluation))
            }
            Opponent::Player { player, limits, has_failed } => {
                if std::mem::replace(has_failed, true) {
                    player.begin(game)?;
                }
                let clock = match *limits {
                    Limits { nodes: Some(nodes), time: None, .. } => Clock::Nodes(nodes),
                    Limits { time, .. } => Clock::PerMove(time.unwrap_or(DEFAULT_TIME)),
                };
                let chosen = player.choose(game, clock)?;
                *has_failed = false;
                let evaluation = match player.score() {
                    Some(score) => format!(" ({})", score_text(score)),
                    None => String::new(),
                };
                Ok((chosen, evaluation))
            }
        }
    }
}

/// Returns whether the level ignores the limits of the arguments.
pub(super) fn has_own_limits(level: &Level) -> bool {
    level.limits(DEFAULT_TIME).nodes.is_some()
}

/// Returns the limits of the strongest level.
pub(super) fn strongest_limits(args: &Args) -> Limits {
    let time = args.time.or(args.nodes.is_none().then_some(DEFAULT_TIME));
    Limits { time, nodes: args.nodes, ..Limits::default() }
}

/// Returns the limits for hints: twice those of the strongest level, to see further.
pub(super) fn hint_limits(args: &Args) -> Limits {
    let Limits { time, nodes, .. } = strongest_limits(args);
    let (time, nodes) = (time.map(|time| 2 * time), nodes.map(|nodes| nodes.saturating_mul(2)));
    Limits { time, nodes, ..Limits::default() }
}

/// Formats a score with its unit.
pub(super) fn score_text(score: Score) -> String {
    match score {
        Score::Estimate(_) => format!("{score} soldiers"),
        Score::Win(1) => format!("{score} ply"),
        Score::Win(_) | Score::Loss(_) => format!("{score} plies"),
        _ => score.to_string(),
    }
}

/// Creates a player from a description as for `match`.
fn player(
    described: &str,
    sources: &Sources,
    game: &Game,
) -> Result<Box<dyn Contestant>, CliError> {
    let context = PlayerContext {
        rules: Arc::clone(game.rules()),
        tables: Some(Arc::clone(&sources.tables)),
        proofs: sources.book.as_ref().map(proved_positions),
        seed: fresh_seed(),
    };
    let make = factory(described, &context)
        .map_err(|error| CliError::Error(format!("--opponent {described:?}: {error}")))?;
    let mut player = make().map_err(CliError::new)?;
    player.begin(game).map_err(CliError::new)?;
    Ok(player)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn hints_are_searched_further_than_any_level() {
        for options in [&[][..], &["--time", "3"], &["--nodes", "100"], &["--level", "hard"]] {
            let line = Line::parse_from([&["play", "brandubh"], options].concat());
            let (most, hints) = (strongest_limits(&line.args), hint_limits(&line.args));
            assert_eq!(hints.time, most.time.map(|time| 2 * time), "{options:?}");
            assert_eq!(hints.nodes, most.nodes.map(|nodes| 2 * nodes), "{options:?}");
            let level = line.args.level.limits(DEFAULT_TIME);
            assert!(hints.time > level.time || hints.nodes > level.nodes, "{options:?}");
        }
    }

    #[test]
    fn scores_have_units() {
        for (score, text) in [
            (Score::Estimate(35), "+0.35 soldiers"),
            (Score::Win(1), "win in 1 ply"),
            (Score::Loss(4), "loss in 4 plies"),
            (Score::TableWin, "table win"),
            (Score::ProvedWin, "proved win"),
        ] {
            assert_eq!(score_text(score), text);
        }
    }
}
