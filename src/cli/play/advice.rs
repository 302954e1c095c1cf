//! Greeting, help, hints and table values for the user.

use std::sync::Arc;

use taflbase::arena::Level;
use taflbase::draw::BoardPicture;
use taflbase::engine::Engine;
use taflbase::rules::{Kind, Side};

use super::super::error::CliError;
use super::super::probe::{move_table, probe, verdict};
use super::UserSides;
use super::command::COMMANDS;
use super::opponent::{Opponent, hint_limits, score_text};
use super::terminal::{Sources, TerminalGame};

impl TerminalGame<'_> {
    /// Prints who plays, the legend of the board, and how to enter moves.
    pub(super) fn greet(&self) -> Result<(), CliError> {
        let [attackers, defenders] = Side::ALL.map(|side| self.player(side));
        let players = match self.user_sides {
            UserSides::Attackers => format!("you play the attackers against {defenders}"),
            UserSides::Defenders => format!("you play the defenders against {attackers}"),
            UserSides::Both => "you play both sides".to_owned(),
            UserSides::None if attackers == defenders => format!("{attackers} plays both sides"),
            UserSides::None => {
                format!("{attackers} plays the attackers against {defenders}")
            }
        };
        let moves = self.game.playable_moves();
        let example = moves.first().map_or(String::new(), |first| {
            format!("Type a move like {}, hint for a good one, or ", self.written(first))
        });
        self.say(&format!(
            "{}: {players}.\n{}{example}? for all commands.",
            self.rules().title,
            self.legend(),
        ))
    }

    /// Describes who plays a side, unless the user does.
    fn player(&self, side: Side) -> String {
        match self.strategist.as_ref().filter(|strategist| strategist.has(side)) {
            Some(strategist) => strategist.described(),
            None => self.opponent.described(),
        }
    }

    /// Formats the legend of the board, one entry per line.
    fn legend(&self) -> String {
        let style = self.session.style();
        let pieces =
            [(Kind::Attacker, "attacker"), (Kind::Defender, "defender"), (Kind::King, "the king")]
                .map(|(kind, name)| format!("{} {name}", style.piece(kind)));
        let board = BoardPicture::new(self.rules(), self.game.position().layout());
        let legend = format!("{}\n{}", pieces.join(", "), board.legend(self.rules()));
        legend.lines().map(|line| format!("  {line}\n")).collect()
    }

    /// Lists the commands.
    pub(super) fn help(&self) -> Result<(), CliError> {
        let lines = COMMANDS
            .iter()
            .map(|(name, rest, meaning)| format!("{:<12}{meaning}\n", format!("{name} {rest}")));
        self.say(&format!(
            "{:<12}play a move: e5-e8, e5 e8, or an unambiguous beginning\n{}\n\
             On the board:\n{}\n\
             Scores are for the side to move, in soldiers: \"+1.00 soldiers\" is worth one soldier\n\
             more. \"win in 5 plies\" and \"proved win\" are proved; a ply is a move of one side.",
            "MOVE",
            lines.collect::<String>(),
            self.legend(),
        ))
    }

    /// Prints the engine's best line, searched at full strength with more time than the opponent
    /// has.
    pub(super) fn hint(&mut self) -> Result<(), CliError> {
        let limits = hint_limits(self.args);
        let Sources { tables, book, .. } = &self.sources;
        let engine = match &mut self.opponent {
            Opponent::Engine { level, engine, .. } if level.uses_tables => engine,
            _ => match &mut self.adviser {
                Some(adviser) => adviser,
                adviser => {
                    let options = self.args.engine.options(tables, book.as_ref());
                    adviser.insert(Engine::new(Arc::clone(self.game.rules()), options)?)
                }
            },
        };
        let (game, stopper) = (&self.game, engine.stopper());
        let found = self.interrupt.run(Some(stopper), || engine.search(game, limits, &mut |_| {}));
        let Some(found) = found.transpose()? else {
            return self.say("stopped");
        };
        let best = &found.lines[0];
        let line: Vec<String> = best.moves.iter().map(|played| self.written(played)).collect();
        let score = score_text(best.score);
        self.say(&format!("hint: {} ({score}, depth {})", line.join(" "), found.depth))
    }

    /// Prints the values of the position and of each move from the tables and the proofs.
    pub(super) fn ask_tables(&self) -> Result<(), CliError> {
        let position = self.game.position();
        let Sources { rules_name, tables, book } = &self.sources;
        match probe(tables, book.as_deref(), position) {
            Ok((answer, _)) => {
                let side = position.to_move.name();
                let moves = move_table(&answer.moves);
                self.say(&format!("{side} to move: {}\n\n{moves}", verdict(&answer)))
            }
            Err(error) => match self.session.probe_error(tables, rules_name, error) {
                CliError::Negative(answer) => self.say(&answer),
                other => Err(other),
            },
        }
    }

    /// Changes the engine's level, or lists the levels if the name is unknown.
    pub(super) fn change_level(&mut self, name: &str) -> Result<(), CliError> {
        let Some(level) = Level::of(name) else {
            let names: Vec<&str> = Level::ALL.iter().map(|level| level.name).collect();
            let opponent = self.opponent.described();
            return self.say(&format!(
                "your opponent is {opponent}\nto change the level, write level and one of {}",
                names.join(", ")
            ));
        };
        self.opponent = Opponent::at(level, self.args, &self.sources)?;
        self.say(&format!("your opponent is {}", self.opponent.described()))
    }
}
