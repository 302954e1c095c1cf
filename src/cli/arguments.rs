//! Arguments shared by several commands.

use std::ffi::OsString;
use std::num::IntErrorKind;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PathBufValueParser, TypedValueParser};
use taflbase::Tablebase;
use taflbase::build::slices_up_to;
use taflbase::engine::Clock;
use taflbase::position::Position;
use taflbase::rules::Ruleset;
use taflbase::slice::Slice;
use taflbase::table::Metric;
use taflbase::tablebase::ProbeError;

use super::error::CliError;
use super::output::{Session, is_standard};

/// Joins the two words of a position after `--position`, which clap could not separate from the
/// arguments that follow, and repeats `--slice` before each of several slices.
pub(super) fn join_split(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    for argument in arguments {
        let side = argument == "a" || argument == "d";
        match &mut joined[..] {
            [.., before] if is_slice(before) && is_slice(&argument) => {
                joined.extend(["--slice".into(), argument]);
            }
            [.., option, board] if side && option == "--position" => {
                board.push(" ");
                board.push(argument);
            }
            _ => joined.push(argument),
        }
    }
    joined
}

fn is_slice(argument: &OsString) -> bool {
    argument.to_str().is_some_and(|text| text.parse::<Slice>().is_ok())
}

/// The number of worker threads.
#[derive(clap::Args)]
pub(super) struct Threads {
    /// Use N worker threads, up to 1024; 0: one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = parse_number::<u16, 0, 1024>)]
    threads: u16,
}

impl Threads {
    /// Returns the number of threads; 0 stands for one per core.
    pub(super) fn count(&self) -> usize {
        self.threads.into()
    }

    /// Runs the work in a pool of this many threads.
    pub(super) fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, CliError> {
        in_pool(self.count(), work)
    }
}

/// Runs the work in a pool of this many threads; 0 stands for one per core. In the pool that Rayon has
/// without this, a thread that the system refuses is a panic.
pub(super) fn in_pool<T: Send>(
    threads: usize,
    work: impl FnOnce() -> T + Send,
) -> Result<T, CliError> {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => Ok(pool.install(work)),
        Err(error) => Err(CliError::Error(format!("cannot start a thread: {error}"))),
    }
}

/// The slices to build.
#[derive(clap::Args)]
pub(super) struct RequestedSlices {
    /// A built-in ruleset, or a path to a ruleset file
    pub rules: String,
    #[command(flatten)]
    choice: SliceChoice,
}

#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct SliceChoice {
    /// Take every slice with at most N men, including the king
    #[arg(long, value_name = "N", value_parser = parse_men)]
    men: Option<usize>,
    /// Take these slices; may be repeated
    #[arg(long = "slice", value_name = "K2v4 ...", value_delimiter = ',')]
    slices: Vec<Slice>,
    /// Take the slice of the start position: the whole game
    #[arg(long)]
    start: bool,
}

impl RequestedSlices {
    /// Returns whether the whole game from the start position is requested.
    pub(super) fn is_whole_game(&self) -> bool {
        self.choice.start
    }

    /// Returns the requested slices, without those they depend on.
    pub(super) fn slices(&self, rules: &Ruleset) -> Result<Vec<Slice>, CliError> {
        if self.choice.start {
            return Ok(vec![Position::start(rules)?.slice()]);
        }
        match self.choice.men {
            None => Ok(self.choice.slices.clone()),
            Some(men) => Ok(slices_up_to(rules, men)),
        }
    }
}

/// Parses the maximum number of men of slices.
pub(super) fn parse_men(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(men @ 2..) => Ok(men),
        _ => Err("write a number from 2 up: the smallest slice, K0v1, has 2 men".to_owned()),
    }
}

/// A position to search or probe.
#[derive(clap::Args)]
pub(super) struct PositionArgs {
    /// Board and side to move, quoted or as two arguments [default: the start position]
    #[arg(value_name = "POS", num_args = 1..=2)]
    position: Vec<String>,
}

impl PositionArgs {
    /// Returns the position; without arguments, the ruleset's start position.
    pub(super) fn position(&self, rules: &Ruleset) -> Result<Position, CliError> {
        self.given(rules)?.map_or_else(|| Ok(Position::start(rules)?), Ok)
    }

    /// Returns the position; `None` without arguments.
    pub(super) fn given(&self, rules: &Ruleset) -> Result<Option<Position>, CliError> {
        if self.position.is_empty() {
            return Ok(None);
        }
        Ok(Some(Position::parse(&self.position.join(" "), rules)?))
    }
}

/// Slices that have tables.
#[derive(clap::Args)]
pub(super) struct ExistingSlices {
    /// A built-in ruleset, or a path to a ruleset file
    pub rules: String,
    /// Take these slices; may be repeated [default: every slice with a table]
    #[arg(long = "slice", value_name = "K2v4 ...", value_delimiter = ',')]
    slices: Vec<Slice>,
}

impl ExistingSlices {
    /// Returns whether slices were named on the command line.
    pub(super) fn are_named(&self) -> bool {
        !self.slices.is_empty()
    }

    /// Returns the slices that were named on the command line.
    pub(super) fn named(&self) -> &[Slice] {
        &self.slices
    }

    /// Returns the slices, smallest first. A named slice is included even if it has no table.
    ///
    /// # Errors
    /// If no slices are named and none has a table of these rules.
    pub(super) fn slices(
        &self,
        base: &Tablebase,
        session: &Session,
    ) -> Result<Vec<Slice>, CliError> {
        self.slices_and([].into_iter(), base, session)
    }

    /// Returns the slices as [`slices`](Self::slices) does; if none are named, also those that
    /// are `listed` elsewhere.
    pub(super) fn slices_and(
        &self,
        listed: impl Iterator<Item = Slice>,
        base: &Tablebase,
        session: &Session,
    ) -> Result<Vec<Slice>, CliError> {
        let mut slices = self.slices.clone();
        if slices.is_empty() {
            slices.extend(listed);
            slices.extend(slices_with_tables(base));
        }
        slices.sort();
        slices.dedup();
        if slices.is_empty() { Err(no_tables(&self.rules, session)) } else { Ok(slices) }
    }
}

/// Returns the slices that have a table of these rules, smallest first.
pub(super) fn slices_with_tables(base: &Tablebase) -> Vec<Slice> {
    let mut slices = Vec::new();
    for metric in Metric::ALL {
        let mut with_files = base.slices(metric);
        // A file in the ruleset's folder may belong to other rules.
        with_files.retain(|&slice| {
            !matches!(base.table(slice, metric), Err(ProbeError::MissingTable { .. }))
        });
        slices.extend(with_files);
    }
    slices.sort();
    slices.dedup();
    slices
}

/// Returns the negative answer that a ruleset has no tables, with the command that builds some.
pub(super) fn no_tables(rules: &str, session: &Session) -> CliError {
    CliError::Negative(format!(
        "there are no tables of {rules} in {}: build them with `{}`",
        session.tables().display(),
        session.command("build", rules, "--men 4"),
    ))
}

/// The upper limit of a number without a limit.
pub(super) const MAX: u64 = u64::MAX;

/// Parses an integer from `FIRST` to `LAST`.
pub(super) fn parse_number<T: TryFrom<u64>, const FIRST: u64, const LAST: u64>(
    text: &str,
) -> Result<T, String> {
    let parsed = text.parse::<u64>();
    let is_too_large = parsed.as_ref().is_err_and(|e| *e.kind() == IntErrorKind::PosOverflow);
    let number = parsed.ok().filter(|number| (FIRST..=LAST).contains(number));
    number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| match LAST {
        MAX if !is_too_large => format!("write a number from {FIRST} up"),
        _ => format!("write a number from {FIRST} to {LAST}"),
    })
}

/// Returns a parser of the path of a file. Refuses `-`, which elsewhere is standard output.
pub(super) fn named_file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match is_standard(&path) {
        true => Err("it cannot go to standard output; name a file"),
        false => Ok(path),
    })
}

/// As [`named_file`], of a file that a later run reads. Refuses devices and pipes, whose content may
/// have no end.
pub(super) fn kept_file() -> impl TypedValueParser<Value = PathBuf> {
    named_file().try_map(|path| match path.metadata() {
        Ok(there) if !there.is_file() => Err("it is not a file that can be read again; name one"),
        _ => Ok(path),
    })
}

/// Parses a number of bytes like `16GiB`, `500MB` or `1073741824`.
pub(super) fn parse_bytes(text: &str) -> Result<u64, String> {
    let trimmed = text.trim();
    let digits = trimmed.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == ' ');
    let unit: u64 = match trimmed[digits.len()..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "p" | "pib" => 1 << 50,
        "e" | "eib" => 1 << 60,
        "kb" => 1000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        "pb" => 1_000_000_000_000_000,
        "eb" => 1_000_000_000_000_000_000,
        _ => return Err("write bytes with a unit, like 16GiB or 500MB".to_owned()),
    };
    let number: f64 =
        digits.parse().map_err(|_| "write a number of bytes, like 16GiB or 500MB".to_owned())?;
    let bytes = number * unit as f64;
    // 2^64, which is too large.
    let limit = u64::MAX as f64;
    match bytes {
        1.0.. if bytes < limit => Ok(bytes as u64),
        1.0.. => Err("that is too large: write less than 16EiB".to_owned()),
        _ => Err("write a number of bytes from 1 up, like 16GiB".to_owned()),
    }
}

/// The end of the range of a duration: some three weeks.
const MAX_SECONDS: u64 = 1 << 21;

/// Parses a duration in seconds, from a millisecond up.
pub(super) fn parse_seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|time| time.as_millis() > 0 && time.as_secs() < MAX_SECONDS)
        .ok_or_else(|| format!("write seconds from 0.001 to {}, like 2 or 0.5", MAX_SECONDS - 1))
}

/// Parses the value of `--clock`, minutes and seconds: `5+2`.
pub(super) fn parse_clock(text: &str) -> Result<Clock, String> {
    let times = text
        .split_once('+')
        .and_then(|(minutes, seconds)| Some((duration(60.0, minutes)?, duration(1.0, seconds)?)));
    match times {
        Some((left, increment)) if !left.is_zero() => Ok(Clock::Game { left, increment }),
        _ => Err("write minutes and seconds, each up to 12 days, like 5+2 or 0.5+0.1".to_owned()),
    }
}

/// Parses a number of units, each of this many seconds, up to twelve days.
fn duration(unit: f64, number: &str) -> Option<Duration> {
    let seconds = unit * number.parse::<f64>().ok()?;
    Duration::try_from_secs_f64(seconds).ok().filter(|time| time.as_secs() < 1 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_has_units() {
        for (text, bytes) in [
            ("16GiB", Ok(16 << 30)),
            ("16g", Ok(16 << 30)),
            ("1.5 KiB", Ok(1536)),
            ("500MB", Ok(500_000_000)),
            ("2PiB", Ok(2 << 50)),
            ("15.5EiB", Ok(31 << 59)),
            ("7", Ok(7)),
        ] {
            assert_eq!(parse_bytes(text), bytes, "{text}");
        }
        for wrong in ["", "GiB", "12XB", "-1", "0", "nan", "inf", "1 2"] {
            assert!(parse_bytes(wrong).unwrap_err().starts_with("write "), "{wrong}");
        }
        for large in ["16EiB", "18446744073709551616", "1e99TiB"] {
            assert!(parse_bytes(large).unwrap_err().starts_with("that is too large"), "{large}");
        }
    }

    #[test]
    fn durations_have_a_range() {
        for (text, millis) in [("0.001", 1), ("0.5", 500), ("2097151", 2_097_151_000)] {
            assert_eq!(parse_seconds(text), Ok(Duration::from_millis(millis)));
        }
        for wrong in ["0.0001", "0", "-1", "2097152", "1e9", "1e99", "nan", "two"] {
            let error = "write seconds from 0.001 to 2097151, like 2 or 0.5".to_owned();
            assert_eq!(parse_seconds(wrong), Err(error), "{wrong}");
        }
        assert!(parse_clock("17476+1048575").is_ok());
        for wrong in ["17477+1", "5+1048576", "5"] {
            assert!(parse_clock(wrong).unwrap_err().contains("each up to 12 days"), "{wrong}");
        }
    }

    #[test]
    fn only_positions_and_slices_are_joined() {
        let join = |words: &str| {
            let words = words.split(',').map(OsString::from);
            let joined = join_split(words).into_iter();
            joined.map(|word| word.into_string().unwrap()).collect::<Vec<_>>().join(",")
        };
        assert_eq!(join("p,--position,/5/,a,x,3"), "p,--position,/5/ a,x,3");
        assert_eq!(join("p,--position,/5/ d,a,3"), "p,--position,/5/ d a,3");
        assert_eq!(join("probe,x,/5/,a"), "probe,x,/5/,a");
        let slices = "x,--slice,K0v1,--slice,K1v1,--json";
        assert_eq!(join("x,--slice,K0v1,K1v1,--json"), slices);
        assert_eq!(join(slices), slices);
    }
}
