//! A child process that talks in lines: over pipes, or over a connection that it makes.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(unix)]
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::lines::each_line;

/// Time limit for a program to exit.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);
/// Time limit for a killed program to exit: the system may hold it.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);
/// Time limit for a program to connect to us.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Interval between checks of a condition.
const POLL: Duration = Duration::from_millis(20);

/// How a program talks to its host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link {
    /// By its standard input and output.
    Pipes,
    /// By a connection that it makes to this port of this machine.
    Socket(u16),
}

/// A running program, which is killed when this is dropped.
pub(super) struct EngineProcess {
    child: RunningChild,
    input: Box<dyn Write + Send>,
    lines: Receiver<String>,
    /// The line that asks it to end.
    farewell: &'static str,
}

/// A child that is killed when this is dropped, with the programs that it has started.
struct RunningChild {
    child: Child,
    /// The status of its exit, once it has been waited for.
    status: Option<ExitStatus>,
}

impl Drop for RunningChild {
    fn drop(&mut self) {
        if self.wait_for_exit(Duration::ZERO).is_none() {
            self.kill();
            self.wait_for_exit(KILL_TIMEOUT);
        }
    }
}

impl RunningChild {
    fn start(command: &mut Command) -> Result<RunningChild, ProcessError> {
        let child = command.spawn().map_err(ProcessError::Start)?;
        Ok(RunningChild { child, status: None })
    }

    /// Kills it. It may be a script: the engine in its process group is killed with it.
    fn kill(&mut self) {
        #[cfg(unix)]
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.kill();
    }

    /// Waits for the exit. What a script leaves behind is killed.
    fn wait_for_exit(&mut self, time_limit: Duration) -> Option<ExitStatus> {
        let begin = Instant::now();
        while self.status.is_none() {
            if self.has_exited() {
                // Before its status is taken: then its number may be that of another process.
                self.kill();
                self.status = self.child.wait().ok();
                break;
            }
            if begin.elapsed() >= time_limit {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        self.status
    }

    /// Returns whether it has exited.
    #[cfg(unix)]
    fn has_exited(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(Pid::from_child(&self.child)), options), Ok(None))
    }

    /// Returns whether it has exited.
    #[cfg(not(unix))]
    fn has_exited(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

/// Why a program does not reply.
#[derive(Debug)]
pub(super) enum ProcessError {
    /// The command line is empty.
    NoCommand,
    /// The command line has an unclosed quote.
    OpenQuote,
    Start(io::Error),
    /// We cannot listen on the port to which it connects.
    Listen(u16, io::Error),
    /// It has not connected to this port.
    Unconnected(u16),
    /// The system refuses the thread that reads its lines.
    Thread(io::Error),
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
            ProcessError::Listen(port, error) => {
                write!(f, "connects to port {port}, where we cannot listen: {error}")
            }
            ProcessError::Unconnected(port) => {
                write!(f, "has not connected to port {port} of this machine")
            }
            ProcessError::Thread(error) => {
                write!(f, "cannot be read: cannot start a thread: {error}")
            }
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
    /// Starts a program; the command line is split as by a shell. At the end it is sent `farewell`.
    pub(super) fn start(
        command: &str,
        link: Link,
        farewell: &'static str,
    ) -> Result<EngineProcess, ProcessError> {
        let words = shlex::split(command).ok_or(ProcessError::OpenQuote)?;
        let (program, arguments) = words.split_first().ok_or(ProcessError::NoCommand)?;
        let mut start = Command::new(program);
        start.args(arguments);
        // A terminal sends Ctrl-C to all processes of the group. The host ends its programs itself; one
        // that ended before it would lose its game.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut start, 0);
        match link {
            Link::Pipes => EngineProcess::with_pipes(start, farewell),
            Link::Socket(port) => EngineProcess::with_socket(start, port, farewell),
        }
    }

    fn with_pipes(
        mut start: Command,
        farewell: &'static str,
    ) -> Result<EngineProcess, ProcessError> {
        let piped = start.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut running = RunningChild::start(piped)?;
        let (input, output) = (running.child.stdin.take(), running.child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err(ProcessError::Closed);
        };
        let lines = lines_of(output)?;
        Ok(EngineProcess { child: running, input: Box::new(input), lines, farewell })
    }

    fn with_socket(
        mut start: Command,
        port: u16,
        farewell: &'static str,
    ) -> Result<EngineProcess, ProcessError> {
        /// Held while a program connects: each must find its own host.
        static LISTENING: Mutex<()> = Mutex::new(());
        let _alone = LISTENING.lock().unwrap_or_else(PoisonError::into_inner);
        let listen = |error| ProcessError::Listen(port, error);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(listen)?;
        listener.set_nonblocking(true).map_err(listen)?;
        let silent = start.stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = RunningChild::start(silent)?;
        let stream = accept(&listener, &mut child, port)?;
        let input = stream.try_clone().map_err(listen)?;
        Ok(EngineProcess { child, input: Box::new(input), lines: lines_of(stream)?, farewell })
    }

    /// Sends a line.
    pub(super) fn send(&mut self, line: &str) -> Result<(), ProcessError> {
        let sent = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        sent.map_err(|_| self.closed())
    }

    /// Returns the error for a closed pipe. A program closes its pipes shortly before its exit
    /// status is available.
    fn closed(&mut self) -> ProcessError {
        self.child.wait_for_exit(EXIT_TIMEOUT).map_or(ProcessError::Closed, ProcessError::Ended)
    }

    /// Waits for the first line that `parse` accepts; others are ignored.
    pub(super) fn await_reply<T>(
        &mut self,
        time_limit: Duration,
        stopped: &AtomicBool,
        mut parse: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, ProcessError> {
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
        if self.send(self.farewell).is_ok() {
            self.child.wait_for_exit(EXIT_TIMEOUT);
        }
    }
}

/// Reads lines in a thread, which ends with the input, or when the receiver is dropped.
fn lines_of(input: impl Read + Send + 'static) -> Result<Receiver<String>, ProcessError> {
    /// Maximum unread lines; then the program's writes block.
    const MAX_UNREAD: usize = 1024;
    let (sender, lines) = mpsc::sync_channel(MAX_UNREAD);
    let read = move || each_line(input, |line| sender.send(line).is_ok());
    thread::Builder::new().spawn(read).map_err(ProcessError::Thread)?;
    Ok(lines)
}

/// Waits for the program's connection.
fn accept(
    listener: &TcpListener,
    child: &mut RunningChild,
    port: u16,
) -> Result<TcpStream, ProcessError> {
    let begin = Instant::now();
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                let prepared =
                    stream.set_nonblocking(false).and_then(|()| stream.set_nodelay(true));
                return prepared
                    .map(|()| stream)
                    .map_err(|error| ProcessError::Listen(port, error));
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(ProcessError::Listen(port, error)),
        }
        if let Some(status) = child.wait_for_exit(POLL) {
            return Err(ProcessError::Ended(status));
        }
        if begin.elapsed() > CONNECT_TIMEOUT {
            return Err(ProcessError::Unconnected(port));
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn start(command: &str) -> Result<EngineProcess, ProcessError> {
        EngineProcess::start(command, Link::Pipes, "goodbye")
    }

    /// Whether a process with this id runs.
    fn runs(id: u32) -> bool {
        // "17 (sleep) S …"; Z has ended, but its parent has not asked for its status yet.
        let status = std::fs::read_to_string(format!("/proc/{id}/stat"));
        status.is_ok_and(|status| !status.contains(") Z "))
    }

    #[test]
    fn a_dropped_program_is_killed() {
        let begin = Instant::now();
        // One exits at `goodbye`, the other does not read it.
        let polite = start("sh -c 'read line; exit 0'").unwrap();
        let deaf = start("sleep 1000").unwrap();
        let ids = [polite.child.child.id(), deaf.child.child.id()];
        drop(polite);
        assert!(begin.elapsed() < Duration::from_millis(400));
        drop(deaf);
        assert!(begin.elapsed() < Duration::from_secs(5));
        if cfg!(target_os = "linux") {
            assert_eq!(ids.map(runs), [false, false]);
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_programs_of_a_killed_script_are_killed_with_it() {
        let second = Duration::from_secs(1);
        // The second script ends before its engine.
        for last in ["wait; true", "read line; exit 3"] {
            let mut script = start(&format!("sh -c 'sleep 60 & echo $!; {last}'")).unwrap();
            let parse = |line: &str| line.parse().ok();
            let reply = script.await_reply(9 * second, &AtomicBool::new(false), parse);
            let engine: u32 = reply.unwrap();
            assert!(runs(engine));
            drop(script);
            let dropped = Instant::now();
            while runs(engine) {
                assert!(dropped.elapsed() < 9 * second, "{engine} runs on");
                thread::sleep(POLL);
            }
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn ctrl_c_does_not_reach_a_program() {
        let print = "sh -c 'echo $$ $(cut -d \" \" -f 5 /proc/self/stat)'";
        let mut program = start(print).unwrap();
        let words = |line: &str| {
            let numbers: Vec<u32> = line.split(' ').map_while(|word| word.parse().ok()).collect();
            <[u32; 2]>::try_from(numbers).ok()
        };
        let not_stopped = AtomicBool::new(false);
        let [id, group] = program.await_reply(Duration::from_secs(9), &not_stopped, words).unwrap();
        assert_eq!((id, group), (program.child.child.id(), id));
    }

    #[test]
    fn a_program_that_does_not_connect_is_reported() {
        let port =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
        let start =
            |command| EngineProcess::start(command, Link::Socket(port), "quit").err().unwrap();
        assert_eq!(start("sh -c 'exit 4'").to_string(), "has ended with exit status 4");
        let _taken = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
        let error = start("true").to_string();
        assert!(error.starts_with(&format!("connects to port {port}, where we cannot listen: ")));
    }

    #[test]
    fn exit_silence_and_flood_are_distinguished() {
        let second = Duration::from_secs(1);
        let hello = |line: &str| (line == "hello").then_some(());
        let mut noisy = start("sh -c 'echo starting; echo hello; exec sleep 1000'").unwrap();
        let goes_on = AtomicBool::new(false);
        assert!(noisy.await_reply(10 * second, &goes_on, hello).is_ok());
        let error = noisy.await_reply(second / 20, &goes_on, hello).unwrap_err().to_string();
        assert_eq!(error, "has not answered within 0.1 s");
        let mut ended = start("sh -c 'echo no; exit 3'").unwrap();
        let error = ended.await_reply(10 * second, &goes_on, hello).unwrap_err().to_string();
        assert_eq!(error, "has ended with exit status 3");
        // The pipe may still be open for a moment.
        let mut sent = Ok(());
        while sent.is_ok() {
            sent = ended.send("rules");
        }
        assert_eq!(sent.unwrap_err().to_string(), "has ended with exit status 3");
        let mut killed = start("sh -c 'kill -9 $$'").unwrap();
        let error = killed.await_reply(10 * second, &goes_on, hello).unwrap_err().to_string();
        assert_eq!(error, "has ended with signal 9 (SIGKILL)");
        let mut mute = start("sh -c 'exec >&-; exec sleep 1000'").unwrap();
        let error = mute.await_reply(10 * second, &goes_on, hello).unwrap_err().to_string();
        assert_eq!(error, "runs, but has closed its input or output");
        let mut flood = start("sh -c 'while true; do echo x; done'").unwrap();
        let error = flood.await_reply(second / 5, &goes_on, hello).unwrap_err();
        assert!(matches!(error, ProcessError::TimedOut(_)), "{error}");
        let stopped = noisy.await_reply(1000 * second, &AtomicBool::new(true), hello).unwrap_err();
        assert!(matches!(stopped, ProcessError::Stopped), "{stopped}");
        for (command, reason) in
            [("", "no command"), ("'", "a quote is not closed"), ("/no/such", "cannot be")]
        {
            let error = start(command).err().unwrap().to_string();
            assert!(error.starts_with(reason), "{error}");
        }
    }
}
