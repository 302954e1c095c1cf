//! A program behind pipes.

use std::fmt;
use std::io::{self, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::lines::each_line;

/// How long a program may take to end.
const PATIENCE: Duration = Duration::from_millis(500);

/// A running program, which is ended when this is dropped.
pub(super) struct Peer {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

/// Why a program does not answer.
#[derive(Debug)]
pub(super) enum PeerError {
    /// The command line has no words.
    NoCommand,
    /// A quote of the command line is not closed.
    OpenQuote,
    Start(io::Error),
    /// It has failed before, and this is why.
    Failed(String),
    /// It has ended.
    Ended(ExitStatus),
    /// It runs, but reads no more, or writes no more.
    Closed,
    /// It has not answered in this time.
    Late(Duration),
    /// Nobody waits for its answer any more.
    Stopped,
}

impl fmt::Display for PeerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PeerError::NoCommand => f.write_str("no command: write the program and its arguments"),
            PeerError::OpenQuote => f.write_str("a quote is not closed"),
            PeerError::Start(error) => write!(f, "cannot be started: {error}"),
            PeerError::Failed(reason) => f.write_str(reason),
            PeerError::Ended(status) => {
                // "exit status: 3", "signal: 9 (SIGKILL)".
                write!(f, "has ended with {}", status.to_string().replacen(": ", " ", 1))
            }
            PeerError::Closed => f.write_str("runs, but has closed its input or output"),
            PeerError::Late(time) => {
                write!(f, "has not answered within {:.1} s", time.as_secs_f64())
            }
            PeerError::Stopped => f.write_str("was stopped"),
        }
    }
}

impl Peer {
    /// Starts the program of a command line, whose words are those of a shell.
    pub(super) fn start(command: &str) -> Result<Peer, PeerError> {
        /// Who writes more than this unread waits.
        const UNREAD: usize = 1024;
        let words = shlex::split(command).ok_or(PeerError::OpenQuote)?;
        let (program, arguments) = words.split_first().ok_or(PeerError::NoCommand)?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(PeerError::Start)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(PeerError::Closed);
        };
        let (sender, lines) = mpsc::sync_channel(UNREAD);
        // It ends with the pipe, or when nobody listens any more.
        thread::spawn(move || each_line(output, |line| sender.send(line).is_ok()));
        Ok(Peer { child, input, lines })
    }

    /// Says a line.
    pub(super) fn say(&mut self, line: &str) -> Result<(), PeerError> {
        let said = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        said.map_err(|_| self.gone())
    }

    /// Why it cannot be talked with any more. A program that ends closes its pipes a little
    /// before it can be seen to have ended.
    fn gone(&mut self) -> PeerError {
        self.ends_within(PATIENCE).map_or(PeerError::Closed, PeerError::Ended)
    }

    /// Waits for its end.
    fn ends_within(&mut self, patience: Duration) -> Option<ExitStatus> {
        let begin = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(None) if begin.elapsed() < patience => thread::sleep(Duration::from_millis(5)),
                Ok(status) => return status,
                Err(_) => return None,
            }
        }
    }

    /// The first line that is an answer; others are passed over.
    pub(super) fn answer<T>(
        &mut self,
        within: Duration,
        stopped: &AtomicBool,
        mut answer: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, PeerError> {
        /// How long it takes to notice that it is to stop.
        const TICK: Duration = Duration::from_millis(20);
        let begin = Instant::now();
        loop {
            // A stop ends one wait.
            if stopped.swap(false, Ordering::Relaxed) {
                return Err(PeerError::Stopped);
            }
            let left = within.saturating_sub(begin.elapsed());
            match self.lines.recv_timeout(left.min(TICK)) {
                Ok(line) => {
                    if let Some(answer) = answer(line.trim()) {
                        return Ok(answer);
                    }
                    if left.is_zero() {
                        return Err(PeerError::Late(within));
                    }
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return Err(PeerError::Late(within));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.gone()),
            }
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        if self.say("goodbye").is_ok() {
            self.ends_within(PATIENCE);
        }
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Whether a program of this number runs.
    fn runs(id: u32) -> bool {
        std::path::Path::new(&format!("/proc/{id}")).exists()
    }

    #[test]
    fn a_dropped_program_is_ended() {
        let begin = Instant::now();
        // One says goodbye, the other does not listen.
        let polite = Peer::start("sh -c 'read line; exit 0'").unwrap();
        let deaf = Peer::start("sleep 1000").unwrap();
        let ids = [polite.child.id(), deaf.child.id()];
        drop(polite);
        assert!(begin.elapsed() < Duration::from_millis(400));
        drop(deaf);
        assert!(begin.elapsed() < Duration::from_secs(5));
        if cfg!(target_os = "linux") {
            assert_eq!(ids.map(runs), [false, false]);
        }
    }

    #[test]
    fn a_program_that_ends_or_says_nothing_is_told_from_one_that_answers() {
        let second = Duration::from_secs(1);
        let hello = |line: &str| (line == "hello").then_some(());
        let mut noisy = Peer::start("sh -c 'echo starting; echo hello; exec sleep 1000'").unwrap();
        let goes_on = AtomicBool::new(false);
        assert!(noisy.answer(10 * second, &goes_on, hello).is_ok());
        let error = noisy.answer(second / 20, &goes_on, hello).unwrap_err().to_string();
        assert_eq!(error, "has not answered within 0.1 s");
        let mut ended = Peer::start("sh -c 'echo no; exit 3'").unwrap();
        let error = ended.answer(10 * second, &goes_on, hello).unwrap_err().to_string();
        assert_eq!(error, "has ended with exit status 3");
        // The pipe is closed, sooner or later.
        let mut said = Ok(());
        while said.is_ok() {
            said = ended.say("rules");
        }
        assert_eq!(said.unwrap_err().to_string(), "has ended with exit status 3");
        let mut killed = Peer::start("sh -c 'kill -9 $$'").unwrap();
        let error = killed.answer(10 * second, &goes_on, hello).unwrap_err().to_string();
        assert_eq!(error, "has ended with signal 9 (SIGKILL)");
        let mut mute = Peer::start("sh -c 'exec >&-; exec sleep 1000'").unwrap();
        let error = mute.answer(10 * second, &goes_on, hello).unwrap_err().to_string();
        assert_eq!(error, "runs, but has closed its input or output");
        let flood = "sh -c 'while true; do echo x; done'";
        let mut flood = Peer::start(flood).unwrap();
        let error = flood.answer(second / 5, &goes_on, hello).unwrap_err();
        assert!(matches!(error, PeerError::Late(_)), "{error}");
        let stopped = noisy.answer(1000 * second, &AtomicBool::new(true), hello).unwrap_err();
        assert!(matches!(stopped, PeerError::Stopped), "{stopped}");
        for (command, reason) in
            [("", "no command"), ("'", "a quote is not closed"), ("/no/such", "cannot be")]
        {
            let error = Peer::start(command).err().unwrap().to_string();
            assert!(error.starts_with(reason), "{error}");
        }
    }
}
