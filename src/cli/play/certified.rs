//! Games against the strategy of a certificate.

use std::path::Path;
use std::sync::Arc;

use taflbase::Tablebase;
use taflbase::engine::{Engine, Limits, PlayerError, Stopper};
use taflbase::history::Game;
use taflbase::moves::Move;
use taflbase::position::Position;
use taflbase::proof::{BookMove, ProofBook, ProvedValue};
use taflbase::rules::Side;
use taflbase::slice::Slice;

use super::super::certificate;
use super::super::error::CliError;
use super::Args;
use super::opponent::{score_text, strongest_limits};

/// A certificate to play by.
pub(super) struct Certified {
    pub(super) book: Arc<ProofBook>,
    pub(super) position: Position,
    value: ProvedValue,
    /// The sides that have a strategy.
    holders: Vec<Side>,
    /// The slices of missing tables that it depends on.
    missing: Vec<Slice>,
    name: String,
}

/// The player of the sides that have a strategy. Where it ends in tables or by rule, the engine goes
/// on.
pub(super) struct Strategist {
    certified: Certified,
    engine: Engine,
    limits: Limits,
}

impl Strategist {
    pub(super) fn new(
        certified: Certified,
        args: &Args,
        tables: &Arc<Tablebase>,
    ) -> Result<Strategist, CliError> {
        let options = args.engine.options(tables, Some(&certified.book));
        let engine = Engine::new(Arc::new(tables.rules().clone()), options)?;
        Ok(Strategist { certified, engine, limits: strongest_limits(args) })
    }

    /// Returns whether it plays a side.
    pub(super) fn has(&self, side: Side) -> bool {
        self.certified.has(side)
    }

    /// Returns the name for records of games.
    pub(super) fn name(&self) -> &str {
        &self.certified.name
    }

    /// Describes the player within a sentence.
    pub(super) fn described(&self) -> String {
        let Certified { value, holders, name, .. } = &self.certified;
        let claim = match (value, &holders[..]) {
            (ProvedValue::Win(side), _) => format!("the {} win", side.name()),
            (ProvedValue::Open, [holder]) => format!("the {} do not lose", holder.name()),
            _ => "neither side can force a win".to_owned(),
        };
        format!("the certificate {name} (proved: {claim})")
    }

    /// Returns the handle that stops the engine's search.
    pub(super) fn stopper(&self) -> Stopper {
        self.engine.stopper()
    }

    /// Forgets the last game.
    pub(super) fn begin(&mut self) {
        self.engine.clear();
    }

    /// Chooses a move; also returns what is known of it as text.
    pub(super) fn choose(&mut self, game: &Game) -> Result<(Move, String), PlayerError> {
        let proved = self.certified.book.strategy_move(game.position());
        // Where a repetition loses, no proof that a side does not lose can rule one out.
        if let Some(BookMove { played, wins, .. }) = proved
            && !loses(game, &played)
        {
            let claim = if wins { "proved win" } else { "proved not to lose" };
            return Ok((played, format!(" ({claim})")));
        }
        let found = self
            .engine
            .search(game, self.limits, &mut |_| {})
            .map_err(|error| PlayerError::new(self.name(), error))?;
        let best = &found.lines[0];
        Ok((best.moves[0], format!(" ({}, depth {})", score_text(best.score), found.depth)))
    }
}

/// Returns whether a move ends the game with a loss of the side that plays it.
fn loses(game: &Game, played: &Move) -> bool {
    let mover = game.position().to_move;
    let mut then = game.clone();
    let is_legal = then.play(played).is_ok();
    let winner = then.outcome().and_then(|outcome| outcome.winner);
    !is_legal || winner == Some(mover.other())
}

impl Certified {
    /// Reads a certificate of the tables' rules.
    pub(super) fn open(path: &Path, tables: &Arc<Tablebase>) -> Result<Certified, CliError> {
        let certificate = certificate::read(path, tables.rules())?;
        let missing = certificate.compare_tables(tables);
        let missing = missing.map_err(|error| certificate::refused(path, &error))?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let (position, value) = (*certificate.position(), certificate.value());
        let holders = certificate.holders().into_iter().map(|(holder, _)| holder).collect();
        let book = Arc::new(ProofBook::new([(name.clone(), certificate)], Arc::clone(tables)));
        Ok(Certified { book, position, value, holders, missing, name })
    }

    /// Returns the side that the user plays unless told otherwise: one without a strategy, or else
    /// the side to move.
    pub(super) fn user_side(&self) -> Side {
        let free = Side::ALL.into_iter().find(|&side| !self.has(side));
        free.unwrap_or(self.position.to_move)
    }

    /// Returns whether a side has a strategy.
    fn has(&self, side: Side) -> bool {
        self.holders.contains(&side)
    }

    /// Says which tables are missing, if any.
    pub(super) fn missing_tables(&self) -> Option<String> {
        let slices: Vec<String> = self.missing.iter().map(Slice::to_string).collect();
        (!slices.is_empty()).then(|| {
            format!(
                "the certificate depends on tables that are missing ({}): the engine searches there",
                slices.join(", ")
            )
        })
    }
}
