//! Repeats and extends the experiments of S. Pilarski's paper. `scripts/pilarski.sh` runs this;
//! the results are in `docs/pilarski.md`.
//!
//!     cargo run --release --example pilarski -- PART… [--full] [--time S] [--games N]
//!         [--folder DIR] [--tables DIR]
//!
//! The parts: `paper` (tables I to VI), `engine` (the engine against his best player),
//! `colours` (equal players of increasing strength), `costs`. Games are saved in the folder, and
//! the same command resumes from them.

mod games;
mod paper;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// The command line options.
struct Options {
    parts: Vec<String>,
    full: bool,
    time: Duration,
    /// Games per pair of players, over both colours; `None` for as many as in the paper.
    games: Option<usize>,
    folder: PathBuf,
    tables: Option<PathBuf>,
}

const PARTS: [&str; 4] = ["paper", "engine", "colours", "costs"];

fn options(arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options {
        parts: Vec::new(),
        full: false,
        time: Duration::from_millis(100),
        games: Some(20),
        folder: PathBuf::from("target/pilarski"),
        tables: None,
    };
    let mut arguments = arguments.peekable();
    let (mut time, mut games) = (None, None);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument}: a value is missing"));
        match argument.as_str() {
            "--full" => options.full = true,
            "--time" => {
                let text = value()?;
                let seconds = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0);
                let parsed = seconds.and_then(|it| Duration::try_from_secs_f64(it).ok());
                time = Some(parsed.ok_or(format!("--time {text}: write seconds, like 0.1"))?);
            }
            "--games" => {
                let text = value()?;
                let number = text.parse().ok().filter(|&n| n > 0 && n % 2 == 0);
                let parsed =
                    number.ok_or(format!("--games {text}: write an even number from 2"))?;
                games = Some(parsed);
            }
            "--folder" => options.folder = value()?.into(),
            "--tables" => options.tables = Some(value()?.into()),
            part if PARTS.contains(&part) => options.parts.push(argument),
            other => return Err(format!("{other:?}: the parts are {}", PARTS.join(", "))),
        }
    }
    // --time and --games take precedence over --full, wherever they stand.
    if options.full {
        (options.time, options.games) = (Duration::from_secs(2), None);
    }
    options.time = time.unwrap_or(options.time);
    options.games = games.or(options.games);
    if options.parts.is_empty() {
        options.parts = PARTS.map(str::to_owned).to_vec();
    }
    Ok(options)
}

fn main() -> ExitCode {
    let done =
        options(std::env::args().skip(1)).map_err(Into::into).and_then(|options| run(&options));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pilarski: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let arena = games::Arena::new(options)?;
    for part in &options.parts {
        match part.as_str() {
            "paper" => report::paper(&arena, options.games)?,
            "engine" => report::engine(&arena, options.games)?,
            "colours" => report::colours(&arena, options.games)?,
            _ => report::costs(&arena)?,
        }
    }
    Ok(())
}
