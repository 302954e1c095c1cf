use std::fs::OpenOptions;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A folder in which the program runs.
pub(crate) struct Place(TempDir);

/// The result of a run.
pub(crate) struct Run {
    pub status: i32,
    pub out: String,
    pub err: String,
}

/// The path of a ruleset file for tests.
pub(crate) fn ruleset(name: &str) -> String {
    format!("{}/tests/rulesets/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

/// Makes the system refuse each thread of a program, since there is no memory for its stack.
pub(crate) fn refuse_threads(command: &mut Command) -> &mut Command {
    command.env("RUST_MIN_STACK", (1u64 << 46).to_string())
}

impl Place {
    pub(crate) fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    /// Creates a folder with tables of a ruleset.
    pub(crate) fn with(rules: &str, men: &str) -> Place {
        let place = Place::new();
        place.run(&["build", rules, "--men", men]).done();
        place
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_taflbase"));
        command
            .args(arguments)
            .current_dir(&self.0)
            .env_remove("TAFLBASE_TABLES")
            .env_remove("TAFLBASE_PROOFS");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(self.command(arguments))
    }

    /// Runs the program with a limit on its address space.
    #[cfg(target_os = "linux")]
    pub(crate) fn run_within(&self, kib: u64, arguments: &[&str]) -> Run {
        let program = self.command(arguments);
        let mut shell = Command::new("sh");
        shell.args(["-c", r#"ulimit -v "$0" && exec "$@""#, &kib.to_string()]);
        shell.arg(program.get_program()).args(program.get_args());
        // Each thread reserves some address space.
        shell.env("RAYON_NUM_THREADS", "2");
        shell.env_remove("TAFLBASE_TABLES").env_remove("TAFLBASE_PROOFS").current_dir(&self.0);
        Run::of(shell)
    }

    /// Runs the program with a standard output that has no room, on Linux.
    pub(crate) fn run_full(&self, arguments: &[&str]) -> Run {
        let mut command = self.command(arguments);
        command.stdout(OpenOptions::new().write(true).open("/dev/full").unwrap());
        Run::of(command)
    }
}

impl Run {
    /// Runs a command to its end.
    pub(crate) fn of(mut command: Command) -> Run {
        Run::ended(command.output().unwrap())
    }

    /// Converts the output of a process that has ended.
    pub(crate) fn ended(output: Output) -> Run {
        let Output { status, stdout, stderr } = output;
        let (out, err) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
        // `None` if a signal ended the process.
        let status = status.code().unwrap_or_else(|| panic!("{status}: {err}"));
        Run { status, out, err }
    }

    /// Returns the output of a run that succeeded.
    #[track_caller]
    pub(crate) fn done(self) -> String {
        assert_eq!(self.status, 0, "{}", self.err);
        self.out
    }

    #[track_caller]
    pub(crate) fn json(self) -> Vec<Value> {
        let lines = self.done();
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Checks the status, and that the one line of the message contains these words.
    #[track_caller]
    pub(crate) fn refused(&self, status: i32, words: &[&str]) {
        assert_eq!(self.status, status, "{}{}", self.out, self.err);
        let message = self.err.strip_prefix("taflbase: ").expect(&self.err);
        assert_eq!(message.lines().count(), 1, "{message}");
        for word in words {
            assert!(message.contains(word), "{word:?} is not in: {message}");
        }
    }
}
