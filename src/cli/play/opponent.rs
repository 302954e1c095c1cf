use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use taflbase::Tablebase;
use taflbase::arena::{Contestant, Level, PlayerContext, factory};
use taflbase::engine::{Clock, Engine, Limits, Score, SearchRequest, Stopper};
use taflbase::history::Game;
use taflbase::moves::Move;

use super::super::error::CliError;
use super::Args;

/// For each move, unless the user says otherwise.
const DEFAULT_TIME: Duration = Duration::from_secs(2);
/// Bytes of memory of the weaker levels, which look at few positions.
const SMALL_TABLE: usize = 16 << 20;

/// Who plays the sides that the user does not.
pub(super) enum Opponent {
    /// The engine.
    Engine { level: &'static Level, engine: Box<Engine>, limits: Limits },
    /// A player as in a match, which thinks as long as the strongest level.
    Player(Box<dyn Contestant>, Limits),
}

impl Opponent {
    /// The one that the arguments name.
    pub(super) fn named(
        args: &Args,
        tables: &Arc<Tablebase>,
        game: &Game,
    ) -> Result<Opponent, CliError> {
        match args.opponent.trim() {
            "engine" => Opponent::at(args.level, args, tables),
            described => {
                Ok(Opponent::Player(player(described, tables, game)?, strongest_limits(args)))
            }
        }
    }

    /// The engine at that level.
    pub(super) fn at(
        level: &'static Level,
        args: &Args,
        tables: &Arc<Tablebase>,
    ) -> Result<Opponent, CliError> {
        let mut options = args.engine.options(tables);
        if !level.uses_tables() {
            options.tables = None;
            options.table_bytes = options.table_bytes.min(SMALL_TABLE);
        }
        let engine = Box::new(Engine::new(Arc::new(tables.rules().clone()), options)?);
        let limits = match has_own_limits(level) {
            true => level.limits(DEFAULT_TIME),
            false => strongest_limits(args),
        };
        Ok(Opponent::Engine { level, engine, limits })
    }

    /// Its name in records of games.
    pub(super) fn name(&self) -> String {
        match self {
            Opponent::Engine { level, .. } => format!("taflbase ({})", level.name()),
            Opponent::Player(player, _) => player.name(),
        }
    }

    /// Who that is, in a sentence.
    pub(super) fn described(&self) -> String {
        match self {
            Opponent::Engine { level, .. } => format!("the engine (level {})", level.name()),
            Opponent::Player(player, _) => player.name(),
        }
    }

    /// What ends its thinking, if it can be ended.
    pub(super) fn stopper(&self) -> Option<Stopper> {
        match self {
            Opponent::Engine { engine, .. } => Some(engine.stopper()),
            Opponent::Player(player, _) => player.stopper(),
        }
    }

    /// Another game begins.
    pub(super) fn begin(&mut self, game: &Game) -> Result<(), CliError> {
        match self {
            Opponent::Engine { engine, .. } => {
                engine.clear();
                Ok(())
            }
            Opponent::Player(player, _) => player.begin(game).map_err(CliError::new),
        }
    }

    /// Its move, and what it thinks of it.
    pub(super) fn choose(&mut self, game: &Game) -> Result<(Move, String), CliError> {
        match self {
            Opponent::Engine { level, engine, limits } => {
                let request = SearchRequest { lines: level.lines(), ..(*limits).into() };
                let found = engine.search(game, request, &mut |_| {})?;
                let chosen = level.choose(&found, any_seed());
                let line = found.lines.iter().find(|line| line.moves.first() == chosen.as_ref());
                let line = line.unwrap_or(&found.lines[0]);
                let told = format!(" ({}, depth {})", score_text(line.score), found.depth);
                Ok((line.moves[0], told))
            }
            Opponent::Player(player, limits) => {
                let clock = match *limits {
                    Limits { nodes: Some(nodes), time: None, .. } => Clock::Nodes(nodes),
                    Limits { time, .. } => Clock::PerMove(time.unwrap_or(DEFAULT_TIME)),
                };
                let chosen = player.choose(game, clock).map_err(CliError::new)?;
                let told = |score| format!(" ({})", score_text(score));
                Ok((chosen, player.score().map_or(String::new(), told)))
            }
        }
    }
}

/// Whether the level has a limit of its own, whatever the arguments say.
pub(super) fn has_own_limits(level: &Level) -> bool {
    level.limits(DEFAULT_TIME).nodes.is_some()
}

/// The limits of the strongest level.
fn strongest_limits(args: &Args) -> Limits {
    let time = args.time.or(args.nodes.is_none().then_some(DEFAULT_TIME));
    Limits { time, nodes: args.nodes, ..Limits::default() }
}

/// Twice the limits of the strongest level: who gives a hint sees more than the opponent.
pub(super) fn hint_limits(args: &Args) -> Limits {
    let Limits { time, nodes, .. } = strongest_limits(args);
    let (time, nodes) = (time.map(|time| 2 * time), nodes.map(|nodes| nodes.saturating_mul(2)));
    Limits { time, nodes, ..Limits::default() }
}

/// A score with its unit.
pub(super) fn score_text(score: Score) -> String {
    match score {
        Score::Estimate(_) => format!("{score} soldiers"),
        Score::Win(1) => format!("{score} ply"),
        Score::Win(_) | Score::Loss(_) => format!("{score} plies"),
        _ => score.to_string(),
    }
}

/// Another one each time.
fn any_seed() -> u64 {
    RandomState::new().hash_one(0)
}

/// The player that is described like in a match.
fn player(
    described: &str,
    tables: &Arc<Tablebase>,
    game: &Game,
) -> Result<Box<dyn Contestant>, CliError> {
    let context = PlayerContext {
        rules: Arc::clone(game.rules()),
        tables: Some(Arc::clone(tables)),
        // Every game is another one.
        seed: any_seed(),
    };
    let refused = |error| CliError::Error(format!("--opponent {described:?}: {error}"));
    let make = factory(described, &context).map_err(refused)?;
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
        ] {
            assert_eq!(score_text(score), text);
        }
    }
}
