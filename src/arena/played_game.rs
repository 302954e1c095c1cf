use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::engine::{Clock, PlayerError};
use crate::game::history::{Game, Outcome};
use crate::game::moves::Move;
use crate::game::rules::{BySide, Side};
use crate::system::numbers::counted;

use super::contestant::Contestant;

/// The time by which a player may exceed its clock, since the machine may be busy.
const TOLERANCE: Duration = Duration::from_millis(250);

/// A finished game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PlayedGame {
    /// All moves, including those of the opening.
    pub(super) moves: Vec<Move>,
    /// The players' scores of their moves, without those of the opening.
    pub(super) scores: Vec<Option<String>>,
    pub(super) end: GameEnd,
}

/// The end of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct GameEnd {
    pub(super) winner: Option<Side>,
    pub(super) reason: String,
    /// Whether the loser failed instead of losing on the board or resigning.
    pub(super) is_fault: bool,
}

impl GameEnd {
    fn of(outcome: Outcome) -> GameEnd {
        GameEnd { winner: outcome.winner, reason: outcome.reason.to_string(), is_fault: false }
    }

    /// The end of a game whose loser has resigned or failed.
    fn given_up(loser: Side, error: PlayerError) -> GameEnd {
        let PlayerError { reason, resigns, .. } = error;
        GameEnd { winner: Some(loser.other()), reason, is_fault: !resigns }
    }
}

/// Plays the game to its end; returns `None` if it was stopped. Each player has its own copy of
/// the clock.
///
/// # Errors
/// If a player cannot begin. A player that fails later loses.
pub(super) fn play(
    mut game: Game,
    players: &mut BySide<&mut dyn Contestant>,
    clock: Clock,
    max_plies: usize,
    stopped: &AtomicBool,
) -> Result<Option<PlayedGame>, PlayerError> {
    for player in players.iter_mut() {
        player.begin(&game)?;
    }
    let mut clocks = BySide::from_fn(|_| clock);
    let mut scores = Vec::new();
    let end = loop {
        if let Some(outcome) = game.outcome() {
            break GameEnd::of(outcome);
        }
        if game.moves().len() >= max_plies {
            let plies = counted(max_plies, ["ply", "plies"]);
            let reason = format!("games of this match end after {plies}");
            break GameEnd { winner: None, reason, is_fault: false };
        }
        let side = game.position().to_move;
        let answer = request_move(&game, players[side], &mut clocks[side]);
        if stopped.load(Ordering::Relaxed) {
            players.iter_mut().for_each(|player| player.end(&game, None));
            return Ok(None);
        }
        let played = answer.and_then(|chosen| {
            let name = || players[side].name();
            game.play(&chosen).map_err(|error| PlayerError::new(name(), error.to_string()))
        });
        match played {
            Ok(()) => scores.push(players[side].score().map(|score| score.to_string())),
            Err(error) => break GameEnd::given_up(side, error),
        }
    };
    let outcome = game.outcome();
    players.iter_mut().for_each(|player| player.end(&game, outcome));
    Ok(Some(PlayedGame { moves: game.moves().to_vec(), scores, end }))
}

/// Returns the player's move, if it is in time.
fn request_move(
    game: &Game,
    player: &mut dyn Contestant,
    clock: &mut Clock,
) -> Result<Move, PlayerError> {
    let started = Instant::now();
    let chosen = player.choose(game, *clock)?;
    charge_clock(clock, started.elapsed())
        .map_err(|reason| PlayerError::new(player.name(), reason))?;
    Ok(chosen)
}

/// Subtracts the time of a move from a clock.
fn charge_clock(clock: &mut Clock, spent: Duration) -> Result<(), String> {
    let (had, increment) = match clock {
        Clock::PerMove(time) => (*time, None),
        Clock::Game { left, increment } => (*left, Some(*increment)),
        Clock::Nodes(_) | Clock::Depth(_) => return Ok(()),
    };
    if spent > had + TOLERANCE {
        return Err(format!("out of time: {:.1} s were left", had.as_secs_f64()));
    }
    if let Some(increment) = increment {
        *clock = Clock::Game { left: had.saturating_sub(spent) + increment, increment };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::Player;
    use crate::game::moves::{find_move, legal_moves};
    use crate::game::rules::Ruleset;

    /// Calls a function with the first legal move.
    struct Puppet(fn(&Game, Move) -> Result<Move, PlayerError>);

    impl Player for Puppet {
        fn name(&self) -> String {
            "puppet".to_owned()
        }

        fn begin(&mut self, _game: &Game) -> Result<(), PlayerError> {
            Ok(())
        }

        fn choose(&mut self, game: &Game, _clock: Clock) -> Result<Move, PlayerError> {
            self.0(game, legal_moves(game.rules(), game.position())[0])
        }
    }

    impl Contestant for Puppet {}

    fn end(rules: &str, defenders: Puppet, clock: Clock, max_plies: usize) -> (usize, GameEnd) {
        let rules = Arc::new(Ruleset::builtin(rules).unwrap());
        let game = Game::new(rules).unwrap();
        let (mut attackers, mut defenders) = (Puppet(|_, first| Ok(first)), defenders);
        let mut players: BySide<&mut dyn Contestant> = BySide([&mut attackers, &mut defenders]);
        let stopped = AtomicBool::new(false);
        let played = play(game, &mut players, clock, max_plies, &stopped).unwrap().unwrap();
        (played.moves.len(), played.end)
    }

    #[test]
    fn a_player_that_fails_loses_with_the_reason() {
        let clock = Clock::Nodes(1);
        let error = |_: &Game, _| Err(PlayerError::new("puppet", "no idea"));
        let winner = Some(Side::Attackers);
        let lost = GameEnd { winner, reason: "no idea".to_owned(), is_fault: true };
        assert_eq!(end("brandubh", Puppet(error), clock, 9), (1, lost));
        let resignation = |_: &Game, _| Err(PlayerError::resignation("puppet"));
        let lost = GameEnd { winner, reason: "resigns".to_owned(), is_fault: false };
        assert_eq!(end("brandubh", Puppet(resignation), clock, 9), (1, lost));
        let illegal = |_: &Game, first: Move| Ok(Move { to: first.from, ..first });
        let (plies, lost) = end("brandubh", Puppet(illegal), clock, 9);
        assert_eq!((plies, lost.winner, lost.is_fault), (1, Some(Side::Attackers), true));
        assert!(lost.reason.ends_with(" is not a legal move here"), "{}", lost.reason);
    }

    /// A soldier of each side goes back and forth.
    #[test]
    fn a_barred_repetition_loses() {
        let back_and_forth = |game: &Game, first: Move| {
            let Some(&Move { from, to, .. }) = game.moves().iter().rev().nth(1) else {
                return Ok(first);
            };
            Ok(find_move(game.rules(), game.position(), to, from).unwrap())
        };
        let rules = Arc::new(Ruleset::builtin("copenhagen").unwrap());
        let game = Game::new(rules).unwrap();
        let (mut attackers, mut defenders) = (Puppet(back_and_forth), Puppet(back_and_forth));
        let mut players: BySide<&mut dyn Contestant> = BySide([&mut attackers, &mut defenders]);
        let stopped = AtomicBool::new(false);
        let played = play(game, &mut players, Clock::Nodes(1), 9, &stopped).unwrap().unwrap();
        assert_eq!(played.moves.len(), 3);
        let GameEnd { winner, reason, is_fault } = played.end;
        assert_eq!((winner, is_fault), (Some(Side::Attackers), true));
        assert!(reason.ends_with("repeats a position, which the defenders may not do"), "{reason}");
    }

    #[test]
    fn a_long_game_is_drawn() {
        let first = |_: &Game, first| Ok(first);
        let (plies, drawn) = end("ashton", Puppet(first), Clock::Depth(1), 2);
        assert_eq!((plies, drawn.winner, drawn.is_fault), (2, None, false));
        assert!(drawn.reason.contains("after 2 plies"));
    }

    #[test]
    fn time_is_spent() {
        let second = Duration::from_secs(1);
        let mut clock = Clock::Game { left: 2 * second, increment: second / 2 };
        charge_clock(&mut clock, second).unwrap();
        assert_eq!(clock, Clock::Game { left: second * 3 / 2, increment: second / 2 });
        assert!(charge_clock(&mut clock, 2 * second).unwrap_err().contains("1.5 s were left"));
        let mut clock = Clock::PerMove(second);
        assert_eq!(charge_clock(&mut clock, second + TOLERANCE), Ok(()));
        assert!(charge_clock(&mut clock, second + 2 * TOLERANCE).is_err());
        assert_eq!(charge_clock(&mut Clock::Nodes(1), 99 * second), Ok(()));
        let slow = |_: &Game, first| {
            std::thread::sleep(Duration::from_millis(300));
            Ok(first)
        };
        let clock = Clock::PerMove(Duration::from_millis(1));
        let (_, lost) = end("brandubh", Puppet(slow), clock, 4);
        assert_eq!(lost.winner, Some(Side::Attackers));
    }
}
