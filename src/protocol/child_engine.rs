use std::time::Duration;

use crate::engine::{Clock, PlayerError, Stopper};

use super::process::{EngineProcess, Link, ProcessError};

/// Tolerance beyond the clock, for communication.
const GRACE: Duration = Duration::from_secs(2);
/// Time limit for a move without a clock.
const NO_CLOCK_TIMEOUT: Duration = Duration::from_secs(600);

/// Returns how long to wait for a move.
pub(super) fn move_timeout(clock: Clock) -> Duration {
    match clock {
        Clock::PerMove(time) | Clock::Game { left: time, .. } => time.saturating_add(GRACE),
        Clock::Nodes(_) | Clock::Depth(_) => NO_CLOCK_TIMEOUT,
    }
}

/// A program that plays as a child process. One that has failed is killed, and can be started again.
pub(super) struct ChildEngine {
    command: String,
    link: Link,
    /// The line that asks it to end.
    farewell: &'static str,
    /// The program, or the reason that it is not running.
    process: Result<EngineProcess, String>,
    /// Stops waiting for a reply.
    stopper: Stopper,
}

impl ChildEngine {
    /// Prepares a program, which is not started yet; the command line is split as by a shell.
    /// `stopper` interrupts the wait for a reply.
    pub(super) fn new(
        command: &str,
        link: Link,
        farewell: &'static str,
        stopper: Stopper,
    ) -> ChildEngine {
        let process = Err("is not running".to_owned());
        ChildEngine { command: command.to_owned(), link, farewell, process, stopper }
    }

    /// Starts it.
    pub(super) fn start(&mut self) -> Result<(), PlayerError> {
        match EngineProcess::start(&self.command, self.link, self.farewell) {
            Ok(process) => {
                self.process = Ok(process);
                Ok(())
            }
            Err(error) => self.fail(error),
        }
    }

    /// Ends it.
    pub(super) fn stop(&mut self) {
        self.process = Err("is not running".to_owned());
    }

    pub(super) fn is_running(&self) -> bool {
        self.process.is_ok()
    }

    /// Returns the program's name, without its folder.
    pub(super) fn name(&self) -> String {
        let words = shlex::split(&self.command).unwrap_or_default();
        let program = words.first().unwrap_or(&self.command);
        program.rsplit(['/', '\\']).next().unwrap_or(program).to_owned()
    }

    /// Returns a handle that interrupts the wait for a reply from another thread.
    pub(super) fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    pub(super) fn error(&self, reason: impl ToString) -> PlayerError {
        PlayerError::new(self.name(), reason)
    }

    /// Kills the program and returns the error.
    pub(super) fn fail<T>(&mut self, reason: impl ToString) -> Result<T, PlayerError> {
        let error = self.error(reason);
        self.process = Err(error.reason.clone());
        Err(error)
    }

    fn process(&mut self) -> Result<&mut EngineProcess, ProcessError> {
        self.process.as_mut().map_err(|reason| ProcessError::Failed(reason.clone()))
    }

    /// Sends a line.
    pub(super) fn send(&mut self, line: &str) -> Result<(), PlayerError> {
        self.process().and_then(|process| process.send(line)).or_else(|error| self.fail(error))
    }

    /// Waits for the first line that `parse` accepts; others are ignored.
    pub(super) fn await_reply<T>(
        &mut self,
        time_limit: Duration,
        parse: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, ProcessError> {
        let Stopper(stopped) = self.stopper();
        self.process()?.await_reply(time_limit, &stopped, parse)
    }
}
