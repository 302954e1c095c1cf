//! Arguments that several commands take.

use std::ffi::OsString;
use std::time::Duration;

use taflbase::Tablebase;
use taflbase::build::slices_up_to;
use taflbase::position::Position;
use taflbase::rules::Ruleset;
use taflbase::slice::Slice;
use taflbase::table::Metric;
use taflbase::tablebase::ProbeError;

use super::error::{CliError, INTERRUPTED_STATUS};
use super::output::Session;

/// Joins the two words of a position behind `--position`, which could else not
/// be told from the arguments that follow, and lets `--slice` take several
/// slices.
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

/// Threads to work on.
#[derive(clap::Args)]
pub(super) struct Threads {
    /// Worker threads, up to 1024; 0: one for each core
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = parse_number::<u16, 0, 1024>)]
    threads: u16,
}

impl Threads {
    /// How many threads; 0: one for each core.
    pub(super) fn count(&self) -> usize {
        self.threads.into()
    }

    /// Does the work on so many threads.
    pub(super) fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, CliError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.count()).build();
        Ok(pool.map_err(CliError::new)?.install(work))
    }
}

/// Slices to build.
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
    /// Every slice with at most N men, the king included
    #[arg(long, value_name = "N", value_parser = parse_men)]
    men: Option<usize>,
    /// These slices; may be repeated
    #[arg(long = "slice", value_name = "K2v4 ...", value_delimiter = ',')]
    slices: Vec<Slice>,
}

impl RequestedSlices {
    /// The slices, without those that they need.
    pub(super) fn slices(&self, rules: &Ruleset) -> Result<Vec<Slice>, CliError> {
        match self.choice.men {
            None => Ok(self.choice.slices.clone()),
            Some(men) => Ok(slices_up_to(rules, men)),
        }
    }
}

fn parse_men(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(men @ 2..) => Ok(men),
        _ => Err("write a number from 2 up: the smallest slice, K0v1, has 2 men".to_owned()),
    }
}

/// A position that is searched or probed.
#[derive(clap::Args)]
pub(super) struct PositionArgs {
    /// The position: board and side to move, quoted or as two arguments [default: the start]
    #[arg(value_name = "POS", num_args = 1..=2)]
    position: Vec<String>,
}

impl PositionArgs {
    /// The position; without words, the ruleset's start.
    pub(super) fn position(&self, rules: &Ruleset) -> Result<Position, CliError> {
        Ok(match self.position.is_empty() {
            true => Position::start(rules)?,
            false => Position::parse(&self.position.join(" "), rules)?,
        })
    }
}

/// Slices of which there are tables.
#[derive(clap::Args)]
pub(super) struct ExistingSlices {
    /// A built-in ruleset, or a path to a ruleset file
    pub rules: String,
    /// These slices; may be repeated [default: every slice with a table]
    #[arg(long = "slice", value_name = "K2v4 ...", value_delimiter = ',')]
    slices: Vec<Slice>,
}

impl ExistingSlices {
    /// Whether slices were asked for by name.
    pub(super) fn are_named(&self) -> bool {
        !self.slices.is_empty()
    }

    /// The slices, smallest first.
    ///
    /// Fails if none has a table of these rules. A slice that was asked for by
    /// name is there, even without a table.
    pub(super) fn slices(
        &self,
        base: &Tablebase,
        session: &Session,
    ) -> Result<Vec<Slice>, CliError> {
        self.slices_and([].into_iter(), base, session)
    }

    /// The slices as [`slices`](Self::slices), with those `listed` elsewhere
    /// unless slices were asked for by name.
    pub(super) fn slices_and(
        &self,
        listed: impl Iterator<Item = Slice>,
        base: &Tablebase,
        session: &Session,
    ) -> Result<Vec<Slice>, CliError> {
        let rules = &self.rules;
        let mut slices = self.slices.clone();
        if slices.is_empty() {
            slices.extend(listed);
            // Files beside the ruleset's folder may be of other rules.
            let missing = |slice, metric| {
                let table = base.table(slice, metric);
                matches!(table, Err(ProbeError::MissingTable { .. }))
            };
            for metric in Metric::ALL {
                let named = base.slices(metric).into_iter();
                slices.extend(named.filter(|&slice| !missing(slice, metric)));
            }
        }
        slices.sort();
        slices.dedup();
        if slices.is_empty() {
            return Err(CliError::Negative(format!(
                "there are no tables of {rules} in {}: build some with `{}`",
                session.tables().display(),
                session.command("build", rules, "--men 4"),
            )));
        }
        Ok(slices)
    }
}

/// No bound to a number.
pub(super) const MAX: u64 = u64::MAX;

/// A whole number in that range.
pub(super) fn parse_number<T: TryFrom<u64>, const FIRST: u64, const LAST: u64>(
    text: &str,
) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| (FIRST..=LAST).contains(number));
    number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| match LAST {
        MAX => format!("write a number from {FIRST} up"),
        _ => format!("write a number from {FIRST} to {LAST}"),
    })
}

/// Bytes from a text like `16GiB`, `500MB` or `1073741824`.
pub(super) fn parse_bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == ' ');
    let unit: u64 = match text[digits.len()..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        _ => return Err("write bytes with a unit, like 16GiB or 500MB".to_owned()),
    };
    let number: f64 =
        digits.parse().map_err(|_| "write a number of bytes, like 16GiB or 500MB".to_owned())?;
    let bytes = number * unit as f64;
    if bytes >= 1.0 && bytes <= u64::MAX as f64 {
        Ok(bytes as u64)
    } else {
        Err("write a number of bytes from 1 up, like 16GiB".to_owned())
    }
}

/// A time, in seconds.
pub(super) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    // A month, and a millisecond.
    let sensible = |time: &Duration| time.as_millis() > 0 && time.as_secs() < 1 << 21;
    seconds.filter(sensible).ok_or_else(|| "write seconds, like 2 or 0.5".to_owned())
}

/// Lets Ctrl-C do this from now on; it ends the program where there was nothing to do.
pub(super) fn on_interrupt(act: impl Fn() -> bool + Send + 'static) {
    // Where there is no such thing as Ctrl-C, it does nothing.
    let _ = ctrlc::set_handler(move || {
        if !act() {
            std::process::exit(INTERRUPTED_STATUS.into());
        }
    });
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
            ("7", Ok(7)),
        ] {
            assert_eq!(parse_bytes(text), bytes, "{text}");
        }
        for wrong in ["", "GiB", "12XB", "-1", "0", "1e99TiB", "nan", "inf", "1 2"] {
            assert!(parse_bytes(wrong).is_err(), "{wrong}");
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
