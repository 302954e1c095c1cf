//! Games in play: positions with the history that tables do not know.

use std::fmt;
use std::sync::Arc;

use crate::game::enclosure::enclosure_ending;
use crate::game::moves::{Ending, Move, each_legal_move, find_move, has_move, legal_moves};
use crate::game::position::{Position, PositionError};
use crate::game::rules::{Repetition, Ruleset, Side};

/// A game from its first position to the current one.
#[derive(Clone, Debug)]
pub struct Game {
    rules: Arc<Ruleset>,
    /// From the first to the current one; there is one more than moves.
    positions: Vec<Position>,
    moves: Vec<Move>,
}

/// The outcome of a finished game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Outcome {
    /// The winner; `None` for a draw.
    pub winner: Option<Side>,
    /// The reason for the end.
    pub reason: Reason,
}

/// The reason why a move cannot be played.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PlayError {
    /// The game is over.
    GameOver(Outcome),
    /// The move is not legal in the current position.
    Illegal(String),
    /// The move would repeat a position, which the rules forbid to the defenders.
    Repeats(String),
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayError::GameOver(outcome) => write!(f, "the game is over: {outcome}"),
            PlayError::Illegal(text) => write!(f, "{text} is not a legal move here"),
            PlayError::Repeats(text) => {
                write!(f, "{text} repeats a position, which the defenders may not do")
            }
        }
    }
}

impl std::error::Error for PlayError {}

/// The reason for the end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// The king is captured.
    KingCaptured,
    /// The king has reached a goal.
    KingEscaped,
    /// The king is in an exit fort at the edge.
    ExitFort,
    /// All defenders are encircled.
    Encirclement,
    /// The side to move has no legal move, or no pieces, and has lost.
    NoMove,
    /// A position was repeated.
    Repetition,
    /// The ruleset's limit of plies is reached.
    PlyLimit,
}

impl Reason {
    /// Returns the name that programs read: `king-captured`, `king-escaped`, `exit-fort`,
    /// `encirclement`, `no-move`, `repetition` or `ply-limit`.
    pub fn name(self) -> &'static str {
        match self {
            Reason::KingCaptured => "king-captured",
            Reason::KingEscaped => "king-escaped",
            Reason::ExitFort => "exit-fort",
            Reason::Encirclement => "encirclement",
            Reason::NoMove => "no-move",
            Reason::Repetition => "repetition",
            Reason::PlyLimit => "ply-limit",
        }
    }
}

impl From<Ending> for Outcome {
    fn from(ending: Ending) -> Outcome {
        let reason = match ending {
            Ending::KingCaptured => Reason::KingCaptured,
            Ending::KingEscaped => Reason::KingEscaped,
            Ending::ExitFort => Reason::ExitFort,
            Ending::Encirclement => Reason::Encirclement,
        };
        Outcome::won_by(ending.winner(), reason)
    }
}

impl Outcome {
    /// Creates the outcome of a win.
    pub fn won_by(winner: Side, reason: Reason) -> Outcome {
        Outcome { winner: Some(winner), reason }
    }

    /// Creates the outcome of a draw.
    pub fn drawn(reason: Reason) -> Outcome {
        Outcome { winner: None, reason }
    }
}

impl fmt::Display for Outcome {
    /// Writes `the defenders win: the king has escaped`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner {
            Some(winner) => write!(f, "the {} win: {}", winner.name(), self.reason),
            None => write!(f, "a draw: {}", self.reason),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::KingCaptured => "the king is captured",
            Reason::KingEscaped => "the king has escaped",
            Reason::ExitFort => "the king is in an exit fort",
            Reason::Encirclement => "the attackers have encircled all defenders",
            Reason::NoMove => "the other side has no move",
            Reason::Repetition => "the position has occurred before",
            Reason::PlyLimit => "the ply limit has been reached",
        })
    }
}

impl Game {
    /// Starts a game from the ruleset's starting position.
    ///
    /// # Errors
    /// If [`Position::check`] refuses the starting position.
    pub fn new(rules: Arc<Ruleset>) -> Result<Game, PositionError> {
        let start = Position::start(&rules)?;
        Game::from_position(rules, start)
    }

    /// Starts a game from this position, with an empty history and no plies played.
    ///
    /// # Errors
    /// If [`Position::check`] refuses the position.
    pub fn from_position(rules: Arc<Ruleset>, start: Position) -> Result<Game, PositionError> {
        start.check(&rules)?;
        Ok(Game { rules, positions: vec![start], moves: Vec::new() })
    }

    /// Returns the rules of the game.
    pub fn rules(&self) -> &Arc<Ruleset> {
        &self.rules
    }

    /// Returns the current position.
    pub fn position(&self) -> &Position {
        // The list is never empty.
        &self.positions[self.positions.len() - 1]
    }

    /// Returns all positions, from the first to the current one; there is one more than moves.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// Returns the moves played.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plays a move; see [`parse_move`](crate::notation::parse_move) and
    /// [`find_move`](crate::moves::find_move).
    ///
    /// # Errors
    /// If the game is over, or the move is not legal in the current position or repeats an earlier
    /// one against the rules. The game is then unchanged.
    pub fn play(&mut self, played: &Move) -> Result<(), PlayError> {
        if let Some(outcome) = self.outcome() {
            return Err(PlayError::GameOver(outcome));
        }
        if find_move(&self.rules, self.position(), played.from, played.to) != Some(*played) {
            return Err(PlayError::Illegal(played.display(self.rules.board).to_string()));
        }
        self.check_repetition(played)?;
        self.push(played);
        Ok(())
    }

    /// Plays a move that is known to be legal, in a game that is known not to be over.
    pub(crate) fn push(&mut self, played: &Move) {
        self.positions.push(self.position().after(played));
        self.moves.push(*played);
    }

    /// Takes back the last move and returns it.
    pub fn undo(&mut self) -> Option<Move> {
        let last = self.moves.pop()?;
        self.positions.pop();
        Some(last)
    }

    /// Returns the number of plies left under the ruleset's limit, if it has one.
    pub fn plies_left(&self) -> Option<u32> {
        let played = u32::try_from(self.moves.len()).unwrap_or(u32::MAX);
        self.rules.ply_limit.map(|limit| limit.saturating_sub(played))
    }

    /// Returns the outcome; `None` if the game is not over.
    pub fn outcome(&self) -> Option<Outcome> {
        let position = self.position();
        let mover = position.to_move.other();
        let ending = match self.moves.last() {
            Some(last) => last.ending,
            None => enclosure_ending(&self.rules, position),
        };
        if let Some(ending) = ending {
            return Some(ending.into());
        }
        if !self.has_move() {
            return Some(Outcome::won_by(mover, Reason::NoMove));
        }
        if self.is_repeated() {
            match self.rules.repetition {
                // A barred move is not made, so that there is nothing to decide after it.
                Repetition::Allowed | Repetition::DefendersBarred => {}
                Repetition::Draw => return Some(Outcome::drawn(Reason::Repetition)),
                Repetition::MoverLoses => {
                    return Some(Outcome::won_by(mover.other(), Reason::Repetition));
                }
                Repetition::DefendersLose => {
                    return Some(Outcome::won_by(Side::Attackers, Reason::Repetition));
                }
            }
        }
        (self.plies_left() == Some(0)).then_some(Outcome::drawn(Reason::PlyLimit))
    }

    /// Checks that the rules do not forbid this otherwise legal move as a repetition; see
    /// [`is_barred`](Game::is_barred).
    ///
    /// # Errors
    /// If they do.
    pub fn check_repetition(&self, played: &Move) -> Result<(), PlayError> {
        if self.is_barred(played) {
            return Err(PlayError::Repeats(played.display(self.rules.board).to_string()));
        }
        Ok(())
    }

    /// Returns whether the rules forbid this otherwise legal move in the current position, because
    /// the defenders would repeat an earlier one. The pieces are compared after the move and before
    /// any are captured, whichever side was to move.
    pub fn is_barred(&self, played: &Move) -> bool {
        let position = self.position();
        if self.rules.repetition != Repetition::DefendersBarred
            || position.to_move != Side::Defenders
        {
            return false;
        }
        let board = position.moved(played.piece, played.from, played.to).layout();
        let occurrences = 1 + self.earlier_positions().filter(|p| p.layout() == board).count();
        occurrences >= self.rules.repetition_occurrence as usize
    }

    /// Returns the moves that may be played now: the legal ones that are not barred.
    pub fn playable_moves(&self) -> Vec<Move> {
        let mut moves = legal_moves(&self.rules, self.position());
        moves.retain(|played| !self.is_barred(played));
        moves
    }

    /// Returns whether the side to move has a legal move that is not barred.
    fn has_move(&self) -> bool {
        let (rules, position) = (&self.rules, self.position());
        match rules.repetition {
            Repetition::DefendersBarred if position.to_move == Side::Defenders => {
                each_legal_move(rules, position).any(|played| !self.is_barred(&played))
            }
            _ => has_move(rules, position),
        }
    }

    /// Returns whether the current position has occurred as often as the ruleset requires.
    fn is_repeated(&self) -> bool {
        let current = self.position();
        let occurrences =
            1 + self.earlier_positions().filter(|&earlier| earlier == current).count();
        occurrences >= self.rules.repetition_occurrence as usize
    }

    /// Returns whether an earlier position can be repeated in a way that counts.
    pub fn can_repeat(&self) -> bool {
        self.rules.repetition != Repetition::Allowed && self.earlier_positions().next().is_some()
    }

    /// Iterates over the earlier positions that can recur and that count as occurrences. None of
    /// them is from before the last capture, as captured pieces do not return.
    pub fn earlier_positions(&self) -> impl Iterator<Item = &Position> {
        let last_capture = self.moves.iter().rposition(|played| !played.captured.is_empty());
        let first_counted = usize::from(!self.rules.repetition_counts_start);
        let first = last_capture.map_or(first_counted, |last| last + 1);
        self.positions[..self.positions.len() - 1].iter().skip(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::notation::parse_move;

    fn played(rules: &str, start: Option<&str>, moves: &str) -> Game {
        let rules = Arc::new(Ruleset::builtin(rules).unwrap());
        let mut game = match start {
            None => Game::new(rules).unwrap(),
            Some(text) => {
                let start = Position::parse(text, &rules).unwrap();
                Game::from_position(rules, start).unwrap()
            }
        };
        for text in moves.split_whitespace() {
            assert_eq!(game.outcome(), None, "before {text}");
            let played = parse_move(game.rules(), game.position(), text).unwrap();
            game.play(&played).unwrap();
        }
        game
    }

    #[test]
    fn a_repetition_means_what_the_ruleset_says() {
        let shuffle = "d1-c1 d3-c3 c1-d1 c3-d3";
        let drawn = Some(Outcome::drawn(Reason::Repetition));
        assert_eq!(played("brandubh", None, shuffle).outcome(), drawn);

        let lost = played("berkeley", None, "i6-f6 f5-f3 i4-i3 e5-f5 i3-i4 f5-e5");
        let won = Outcome::won_by(Side::Attackers, Reason::Repetition);
        assert_eq!(lost.outcome(), Some(won));

        // The server does not count the start, so the draw comes one position later.
        let start = Some("/t3t3t/1t7/6T2/3T3t1/8t/6T1t/4t4/t2K5/1t3t1t1/ d");
        let back = "g3-f3 e7-f7 f3-g3 f7-e7";
        assert_eq!(played("ashton", start, back).outcome(), drawn);
        assert_eq!(played("ashton-server", start, back).outcome(), None);
        let again = format!("{back} g3-f3");
        assert_eq!(played("ashton-server", start, &again).outcome(), drawn);
    }

    #[test]
    fn a_capture_lets_nothing_come_back() {
        let start = Some("/7/7/2tT3/7/1TK4/7/5t1/ d");
        assert_eq!(played("brandubh", start, "Kc5-c6 f7-f6").earlier_positions().count(), 2);
        let mut game = played("brandubh", start, "b5-b3xc3 f7-f6");
        assert_eq!(game.earlier_positions().count(), 1);
        game.undo();
        assert_eq!(game.earlier_positions().count(), 0);
        game.undo();
        assert_eq!((game.moves().len(), game.undo()), (0, None));
    }

    #[test]
    fn outcomes_name_their_reasons() {
        let escaped = played("brandubh", Some("/7/4t2/7/7/2K4/7/2t4/ d"), "Kc5-c1 e2-e1 Kc1-a1");
        let outcome = escaped.outcome().unwrap();
        assert_eq!(outcome.to_string(), "the defenders win: the king has escaped");
        assert_eq!(outcome.reason.name(), "king-escaped");
        let last = played("brandubh", Some("/7/7/2t4/7/1TK4/7/7/ d"), "b5-b3");
        assert_eq!(last.outcome(), None);
        let taken = played("brandubh", Some("/7/7/2tT3/7/1TK4/7/7/ d"), "b5-b3");
        let outcome = taken.outcome().unwrap();
        assert_eq!(outcome, Outcome::won_by(Side::Defenders, Reason::NoMove));
    }

    #[test]
    fn the_ply_limit_ends_a_game() {
        let mut game = played("mcgill", None, "");
        assert_eq!(game.plies_left(), Some(100));
        let squares = ["d1-c1", "e4-f4", "c1-b1", "f4-g4"];
        for text in squares {
            let played = parse_move(game.rules(), game.position(), text).unwrap();
            game.play(&played).unwrap();
        }
        assert_eq!((game.plies_left(), game.outcome()), (Some(96), None));
    }

    #[test]
    fn only_legal_moves_of_a_running_game_are_played() {
        let mut game = played("brandubh", None, "");
        let first = parse_move(game.rules(), game.position(), "d1-b1").unwrap();
        game.play(&first).unwrap();
        let before = game.position().to_owned();
        let error = game.play(&first).unwrap_err();
        assert_eq!(error.to_string(), "d1-b1 is not a legal move here");
        assert_eq!((game.position(), game.moves().len()), (&before, 1));
        // The consequences stored in the move must be right, too.
        let mut wrong = parse_move(game.rules(), game.position(), "d3-c3").unwrap();
        wrong.ending = Some(Ending::KingEscaped);
        assert!(matches!(game.play(&wrong), Err(PlayError::Illegal(_))));

        let shuffle = "d1-c1 d3-c3 c1-d1 c3-d3";
        let mut drawn = played("brandubh", None, shuffle);
        let error = drawn.play(&first).unwrap_err();
        assert_eq!(error.to_string(), "the game is over: a draw: the position has occurred before");
    }
}
