//! A child process that talks in lines over pipes.

use std::fmt;
use std::io::{self, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::protocol::lines::each_line;

/// Time limit for a program to exit.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);

/// A running program, which is killed when this is dropped.
pub(super) struct EngineProcess {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

/// Why a program does not reply.
#[derive(Debug)]
pub(super) enum ProcessError {
    /// The command line is empty.
    NoCommand,
    /// The command line has an unclosed quote.
    OpenQuote,
    Start(io::Error),
    /// It has failed before, for this reason.
    Failed(String),
    /// It has exited.
    Ended(ExitStatus),
    /// It runs, but has closed its input or output.
    Closed,
    /// It has not replied within this time.
    TimedOut(Duration),
    /// The wait was interrupted.
    Stopped,
}

impl fmt::Display for ProcessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProcessError::NoCommand => {
                f.write_str("no command: write the program and its arguments")
            }
            ProcessError::OpenQuote => f.write_str("a quote is not closed"),
            ProcessError::Start(error) => write!(f, "cannot be started: {error}"),
            ProcessError::Failed(reason) => f.write_str(reason),
            ProcessError::Ended(status) => {
                // "exit status: 3", "signal: 9 (SIGKILL)".
                write!(f, "has ended with {}", status.to_string().replacen(": ", " ", 1))
            }
            ProcessError::Closed => f.write_str("runs, but has closed its input or output"),
            ProcessError::TimedOut(time) => {
                write!(f, "has not answered within {:.1} s", time.as_secs_f64())
            }
            ProcessError::Stopped => f.write_str("was stopped"),
        }
    }
}

impl EngineProcess {
    /// Starts a program; the command line is split as by a shell.
    pub(super) fn start(command: &str) -> Result<EngineProcess, ProcessError> {
        /// Maximum unread lines; then the program's writes block.
        const MAX_UNREAD: usize = 1024;
        let words = shlex::split(command).ok_or(ProcessError::OpenQuote)?;
        let (program, arguments) = words.split_first().ok_or(ProcessError::NoCommand)?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(ProcessError::Start)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(ProcessError::Closed);
        };
        let (sender, lines) = mpsc::sync_channel(MAX_UNREAD);
        // The thread ends with the pipe, or when the receiver is dropped.
        thread::spawn(move || each_line(output, |line| sender.send(line).is_ok()));
        Ok(EngineProcess { child, input, lines })
    }

    /// Sends a line.
    pub(super) fn send(&mut self, line: &str) -> Result<(), ProcessError> {
        let sent = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        sent.map_err(|_| self.closed())
    }

    /// Returns the error for a closed pipe. A program closes its pipes shortly before its exit
    /// status is available.
    fn closed(&mut self) -> ProcessError {
        self.wait_for_exit(EXIT_TIMEOUT).map_or(ProcessError::Closed, ProcessError::Ended)
    }

    /// Waits for the exit.
    fn wait_for_exit(&mut self, time_limit: Duration) -> Option<ExitStatus> {
        let begin = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(None) if begin.elapsed() < time_limit => thread::sleep(Duration::from_millis(5)),
                Ok(status) => return status,
                Err(_) => return None,
            }
        }
    }

    /// Waits for the first line that `parse` accepts; others are ignored.
    pub(super) fn await_reply<T>(
        &mut self,
        time_limit: Duration,
        stopped: &AtomicBool,
        mut parse: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, ProcessError> {
        /// Interval between checks of `stopped`.
        const POLL: Duration = Duration::from_millis(20);
        let begin = Instant::now();
        loop {
            // A stop interrupts a single wait.
            if stopped.swap(false, Ordering::Relaxed) {
                return Err(ProcessError::Stopped);
            }
            let left = time_limit.saturating_sub(begin.elapsed());
            match self.lines.recv_timeout(left.min(POLL)) {
                Ok(line) => {
                    if let Some(reply) = parse(line.trim()) {
                        return Ok(reply);
                    }
                    // A program that floods us with other lines must time out, too.
                    if left.is_zero() {
                        return Err(ProcessError::TimedOut(time_limit));
                    }
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return Err(ProcessError::TimedOut(time_limit));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.closed()),
            }
        }
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        if self.send("goodbye").is_ok() {
            self.wait_for_exit(EXIT_TIMEOUT);
        }
        // This fails if it has exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Whether a process with this id runs.
    fn runs(id: u32) -> bool {
        std::path::Path::new(&format!("/proc/{id}")).exists()
    }

    #[test]
    fn a_dropped_program_is_killed() {
        let begin = Instant::now();
        // One exits at `goodbye`, the other does not read it.
        let polite = EngineProcess::start("sh -c 'read line; exit 0'").unwrap();
        let deaf = EngineProcess::start("sleep 1000").unwrap();
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
    fn exit_silence_and_flood_are_distinguished() {
        let second = Duration::from_secs(1);
        let hello = |line: &str| (line == "hello").then_some(());
        let mut noisy =
            EngineProcess::start("sh -c 'echo starting; echo hello; exec sleep 1000'").unwrap();
        let goes_on = AtomicBool::new(false);
        assert!(noisy.await_reply(10 * second, &goes_on, hello).is_ok());
        let error = noisy.await_reply(second / 20, &goes_on, hello).unwrap_err().to_string();
        assert_eq!(error, "has not answered within 0.1 s");
        let mut ended = EngineProcess::start("sh -c 'echo no; exit 3'").unwrap();
        let error = ended.await_reply(10 * second, &goes_on, hello).unwrap_err().to_string();
        assert_eq!(error, "has ended with exit status 3");
        // The pipe may still be open for a moment.
        let mut sent = Ok(());
        while sent.is_ok() {
            sent = ended.send("rules");
        }
        assert_eq!(sent.unwrap_err().to_string(), "has ended with exit status 3");
        let mut killed = EngineProcess::start("sh -c 'kill -9 $$'").unwrap();
        let error = killed.await_reply(10 * second, &goes_on, hello).unwrap_err().to_string();
        assert_eq!(error, "has ended with signal 9 (SIGKILL)");
        let mut mute = EngineProcess::start("sh -c 'exec >&-; exec sleep 1000'").unwrap();
        let error = mute.await_reply(10 * second, &goes_on, hello).unwrap_err().to_string();
        assert_eq!(error, "runs, but has closed its input or output");
        let mut flood = EngineProcess::start("sh -c 'while true; do echo x; done'").unwrap();
        let error = flood.await_reply(second / 5, &goes_on, hello).unwrap_err();
        assert!(matches!(error, ProcessError::TimedOut(_)), "{error}");
        let stopped = noisy.await_reply(1000 * second, &AtomicBool::new(true), hello).unwrap_err();
        assert!(matches!(stopped, ProcessError::Stopped), "{stopped}");
        for (command, reason) in
            [("", "no command"), ("'", "a quote is not closed"), ("/no/such", "cannot be")]
        {
            let error = EngineProcess::start(command).err().unwrap().to_string();
            assert!(error.starts_with(reason), "{error}");
        }
    }
}
