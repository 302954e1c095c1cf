//! Prints the results as tables in Markdown.

use std::time::Duration;

use taflbase::Game;
use taflbase::arena::{GameRecord, PlayerId};
use taflbase::engine::pilarski::{Heuristic, Method, MonteCarlo, PilarskiPlayer};
use taflbase::engine::{Clock, Player};
use taflbase::notation::parse_move;
use taflbase::proportion::Proportion;
use taflbase::rules::Side;

use super::games::{Arena, Tally};
use super::paper::{PAIRINGS, Printed};

type Failure = Box<dyn std::error::Error>;

fn colour(side: Side) -> &'static str {
    match side {
        Side::Attackers => "Muscovites",
        Side::Defenders => "Swedes",
    }
}

/// Formats a share with its confidence interval: `80 % (49 to 94)`.
fn share(points: f64, games: u32) -> String {
    let Proportion { value, low, high } = Proportion::wilson(points, games.into());
    let [value, low, high] = [value, low, high].map(|share| 100.0 * share);
    format!("{value:.0} % ({low:.0} to {high:.0})")
}

/// Prints our results for tables I to VI beside the paper's.
pub(crate) fn paper(arena: &Arena, games: Option<usize>) -> Result<(), Failure> {
    println!("## Tables I to VI, {} s a move\n", arena.time.as_secs_f64());
    println!(
        "| table | player | as | against | his wins, losses, draws (moves) | ours (plies) | his share of wins | ours |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for pairing in &PAIRINGS {
        let most = pairing.printed.iter().map(|printed| printed.games()).max().unwrap_or(10);
        let played = arena.play(pairing.a, pairing.b, games.unwrap_or(2 * most as usize))?;
        for (side, printed) in Side::ALL.into_iter().zip(pairing.printed) {
            let tally = Tally::of(&played, PlayerId::A, side);
            let Printed { wins, losses, draws, moves } = printed;
            println!(
                "| {} | {} | {} | {} | {wins}, {losses}, {draws} ({moves}) | {}, {}, {} ({:.0}) | {} | {} |",
                pairing.table,
                pairing.a,
                colour(side),
                pairing.b,
                tally.wins,
                tally.losses,
                tally.draws,
                tally.mean_plies(),
                share(f64::from(wins), printed.games()),
                share(f64::from(tally.wins), tally.games()),
            );
        }
    }
    println!();
    Ok(())
}

/// Plays the engine, with and without tables, against the paper's best player.
pub(crate) fn engine(arena: &Arena, games: Option<usize>) -> Result<(), Failure> {
    println!("## The engine against the combination, {} s a move\n", arena.time.as_secs_f64());
    println!("| engine | as | wins, losses, draws (plies) | points |");
    println!("|---|---|---|---|");
    for engine in ["engine", "engine:tables=none"] {
        let played = arena.play(engine, "combination", games.unwrap_or(200))?;
        for side in Side::ALL {
            let tally = Tally::of(&played, PlayerId::A, side);
            println!(
                "| {} | {} | {}, {}, {} ({:.0}) | {} |",
                if engine == "engine" { "with tables" } else { "without" },
                colour(side),
                tally.wins,
                tally.losses,
                tally.draws,
                tally.mean_plies(),
                share(tally.score() * f64::from(tally.games()), tally.games()),
            );
        }
    }
    println!();
    Ok(())
}

/// Plays each player against itself, from the weakest to the strongest.
pub(crate) fn colours(arena: &Arena, games: Option<usize>) -> Result<(), Failure> {
    println!("## Equal players, {} s a move\n", arena.time.as_secs_f64());
    println!(
        "| players | Muscovites' points | Muscovites win, Swedes win, draws (plies) | draws: plies in positions seen before | captures |"
    );
    println!("|---|---|---|---|---|");
    for player in [
        "random",
        "greedy",
        "traditional",
        "expanded",
        "heuristic",
        "improved",
        "combination",
        "engine",
    ] {
        let played = arena.play(player, player, games.unwrap_or(100))?;
        let tally = Tally::of_side(&played, Side::Attackers);
        let draws: Vec<&GameRecord> = played.iter().filter(|game| game.winner.is_none()).collect();
        let stats: Vec<DrawStats> =
            draws.iter().map(|game| draw_stats(arena, game)).collect::<Result<_, _>>()?;
        println!(
            "| {player} | {} | {}, {}, {} ({:.0}) | {} | {} |",
            share(tally.score() * f64::from(tally.games()), tally.games()),
            tally.wins,
            tally.losses,
            tally.draws,
            tally.mean_plies(),
            mean(&stats, |game| 100.0 * game.repeated, " %"),
            mean(&stats, |game| game.captures, ""),
        );
    }
    println!();
    Ok(())
}

/// Statistics of a drawn game.
struct DrawStats {
    /// The share of plies that lead to an earlier position.
    repeated: f64,
    /// The number of captured pieces.
    captures: f64,
}

/// Formats the mean over the games; `-` if there are none.
fn mean(games: &[DrawStats], of: fn(&DrawStats) -> f64, unit: &str) -> String {
    match games.len() {
        0 => "-".to_owned(),
        count => format!("{:.1}{unit}", games.iter().map(of).sum::<f64>() / count as f64),
    }
}

fn draw_stats(arena: &Arena, record: &GameRecord) -> Result<DrawStats, Failure> {
    let mut game = Game::new(arena.rules.clone())?;
    for text in record.opening.iter().chain(&record.moves) {
        game.play(&parse_move(game.rules(), game.position(), text)?)?;
    }
    let positions = game.positions();
    let repeated =
        (1..positions.len()).filter(|&at| positions[..at].contains(&positions[at])).count();
    let captures: usize = game.moves().iter().map(|played| played.captured.len()).sum();
    let repeated = repeated as f64 / record.plies().max(1) as f64;
    Ok(DrawStats { repeated, captures: captures as f64 })
}

/// Prints the time and memory of each player's moves, in games against itself.
pub(crate) fn costs(arena: &Arena) -> Result<(), Failure> {
    println!("## What a move takes, {} s allowed\n", arena.time.as_secs_f64());
    println!("| player | mean | longest | simulations a second | tree |");
    println!("|---|---|---|---|---|");
    for (name, method) in [
        ("greedy", Method::Greedy),
        ("heuristic", Method::Heuristic(Heuristic::default())),
        ("traditional", Method::MonteCarlo(MonteCarlo::traditional())),
        ("expanded", Method::MonteCarlo(MonteCarlo::expanded())),
        ("improved", Method::MonteCarlo(MonteCarlo::improved())),
        ("combination", Method::MonteCarlo(MonteCarlo::combination())),
    ] {
        let mut player = PilarskiPlayer::new(name.to_owned(), arena.rules.clone(), method, 1)?;
        let mut moves = Vec::new();
        for number in 0..3 {
            let mut game = Game::new(arena.rules.clone())?;
            player.set_game_number(number);
            while game.outcome().is_none() {
                let chosen = player.choose(&game, Clock::PerMove(arena.time))?;
                game.play(&chosen)?;
                moves.push(player.last_move_stats());
            }
        }
        let total: Duration = moves.iter().map(|stats| stats.time).sum();
        let longest = moves.iter().map(|stats| stats.time).max().unwrap_or_default();
        let simulations: u64 = moves.iter().map(|stats| stats.simulations).sum();
        // Moves played at once have no simulations, and would distort the rate.
        let searched: Duration =
            moves.iter().filter(|stats| stats.simulations > 0).map(|stats| stats.time).sum();
        let max_bytes = moves.iter().map(|stats| stats.bytes).max().unwrap_or(0);
        let rate = simulations as f64 / searched.as_secs_f64().max(1e-9);
        println!(
            "| {name} | {:.3} ms | {:.3} ms | {} | {} |",
            1000.0 * total.as_secs_f64() / moves.len() as f64,
            1000.0 * longest.as_secs_f64(),
            if simulations > 0 { format!("{rate:.0}") } else { "-".to_owned() },
            match max_bytes {
                0 => "-".to_owned(),
                bytes => format!("{:.1} MiB", bytes as f64 / 1048576.0),
            },
        );
    }
    println!();
    Ok(())
}
