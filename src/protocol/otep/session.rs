use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::{Engine, Iteration, Limits};
use crate::game::rules::{Ruleset, Side};
use crate::protocol::SessionOptions;
use crate::protocol::lines::each_line;

use super::analysis::analysis;
use super::clock::ClockLine;
use super::host_game::{Fault, HostGame};
use super::notation::simple_move;
use super::search_thread::SearchThread;
use super::task::{DoneSignal, Event, Purpose, Task, next_event};

/// Reserve for communication: OpenTafl polls its clocks ten times a second.
const OVERHEAD: Duration = Duration::from_millis(100);

/// The engine's side of OTEP.
///
/// The engine searches in a background thread, so that the session can read the host's lines
/// meanwhile.
pub struct Session {
    options: SessionOptions,
    game: HostGame,
    clock: Option<ClockLine>,
    /// Rules of the game in OpenTafl's notation.
    rules_text: String,
    /// Engine for these rules, unless it is searching.
    engine: Option<Engine>,
    task: Option<Task>,
    /// Number of tasks so far.
    task_count: u64,
}

impl Drop for Session {
    /// Cancels the search.
    fn drop(&mut self) {
        self.cancel_task();
    }
}

impl Session {
    /// Creates a session.
    pub fn new(options: SessionOptions) -> Session {
        Session {
            options,
            game: HostGame::new(),
            clock: None,
            rules_text: String::new(),
            engine: None,
            task: None,
            task_count: 0,
        }
    }

    /// Sends `hello`, then handles the host's lines until `goodbye`. At the end of the input, a
    /// running search is finished and answered. If the system refuses a thread for that, the host
    /// gets an error instead.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn run(
        mut self,
        input: impl Read + Send + 'static,
        mut output: impl Write,
    ) -> io::Result<()> {
        let (events, inbox) = mpsc::channel();
        let reader = events.clone();
        let read = move || {
            // A read error counts as the end of the input.
            let _ = each_line(input, |line| reader.send(Event::Line(line, Instant::now())).is_ok());
            let _ = reader.send(Event::EndOfInput);
        };
        if let Err(error) = thread::Builder::new().spawn(read) {
            return write_line(&mut output, &error_line(&no_thread(&error)));
        }
        write_line(&mut output, "hello")?;
        let mut has_ended = false;
        while !(has_ended && self.task.is_none()) {
            let reply = match next_event(&inbox, self.task.as_ref()) {
                Event::Line(line, _) if line.trim() == "goodbye" => break,
                Event::Line(line, arrival) => {
                    self.handle_line(&line, arrival, &events).map(|()| None)
                }
                Event::EndOfInput => {
                    has_ended = true;
                    Ok(None)
                }
                Event::SearchEnded(number) => self.finish_task(number),
            };
            match reply {
                Ok(None) => {}
                Ok(Some(line)) => write_line(&mut output, &line)?,
                Err(fault) => write_line(&mut output, &error_line(&fault))?,
            }
        }
        Ok(())
    }

    /// Handles a line of the host. Clocks run from its arrival.
    fn handle_line(
        &mut self,
        line: &str,
        arrival: Instant,
        events: &Sender<Event>,
    ) -> Result<(), Fault> {
        let trimmed = line.trim();
        let (command, arguments) = trimmed.split_once(char::is_whitespace).unwrap_or((trimmed, ""));
        let rest = arguments.trim();
        match command {
            "rules" => {
                self.cancel_task();
                self.clock = None;
                // A new game by the same rules keeps the engine: allocating its table again would
                // take time off the clock.
                if self.rules_text != rest {
                    self.engine = None;
                    rest.clone_into(&mut self.rules_text);
                }
                let rules = self.game.begin(rest)?;
                if self.engine.is_none() {
                    self.engine = Some(self.new_engine(&rules)?);
                }
                Ok(())
            }
            "position" => {
                self.cancel_task();
                self.game.set_board(rest)
            }
            "side" => {
                self.cancel_task();
                self.game.set_side(parse_side(command, rest).map_err(Fault::harmless)?);
                Ok(())
            }
            "clock" => self.set_clock(rest, arrival),
            "play" => {
                self.cancel_task();
                self.play(parse_side(command, rest).map_err(Fault::critical)?, arrival, events)
            }
            "analyze" => {
                self.cancel_task();
                self.analyze(rest, arrival, events)
            }
            "opponent-move" => {
                self.cancel_task();
                self.game.opponent_moved(rest)
            }
            "move" => {
                self.cancel_task();
                self.game.confirmed(rest)
            }
            "error" => {
                self.cancel_task();
                self.game.was_rejected();
                Ok(())
            }
            "finish" => {
                self.cancel_task();
                self.clock = None;
                Ok(())
            }
            // Unknown commands are ignored, so that extensions of the protocol do no harm.
            _ => Ok(()),
        }
    }

    fn set_clock(&mut self, text: &str, arrival: Instant) -> Result<(), Fault> {
        self.clock =
            ClockLine::parse(text).map_err(|error| Fault::harmless(format!("clock: {error}")))?;
        if let (Some(Task { purpose: Purpose::Play(side), deadline, .. }), Some(clock)) =
            (&mut self.task, &self.clock)
        {
            let time = clock.limits(*side, OVERHEAD).time;
            *deadline = time.map(|time| arrival + time);
        }
        Ok(())
    }

    fn play(&mut self, side: Side, arrival: Instant, events: &Sender<Event>) -> Result<(), Fault> {
        self.game.game_for(Some(side))?;
        let limits = match &self.clock {
            Some(clock) => clock.limits(side, OVERHEAD + arrival.elapsed()),
            None => self.options.limits,
        };
        // One line more than there are rejected moves.
        let lines = NonZeroUsize::MIN.saturating_add(self.game.rejected().len());
        self.start_search(lines, limits, Purpose::Play(side), events)
    }

    fn analyze(
        &mut self,
        text: &str,
        arrival: Instant,
        events: &Sender<Event>,
    ) -> Result<(), Fault> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let wanted = match words[..] {
            [lines, seconds] => lines.parse().ok().zip(seconds.parse::<u32>().ok()),
            _ => None,
        };
        let Some((lines, seconds)) = wanted else {
            return Err(Fault::harmless(format!(
                "analyze: {text:?} is not <number of lines> <seconds>"
            )));
        };
        self.game.game_for(None).map_err(|fault| Fault::harmless(fault.text))?;
        let spent = OVERHEAD + arrival.elapsed();
        let time = Duration::from_secs(seconds.into()).saturating_sub(spent).max(OVERHEAD);
        self.start_search(lines, Limits::time(time), Purpose::Analyze, events)
    }

    /// Starts a search of the current position.
    fn start_search(
        &mut self,
        lines: NonZeroUsize,
        limits: Limits,
        purpose: Purpose,
        events: &Sender<Event>,
    ) -> Result<(), Fault> {
        let game = self.game.game_for(None)?.clone();
        let rules = Arc::clone(game.rules());
        let engine = match self.engine.take() {
            Some(engine) => engine,
            None => self.new_engine(&rules)?,
        };
        self.task_count += 1;
        let number = self.task_count;
        let done = DoneSignal { number, events: events.clone() };
        let search = SearchThread::start(engine, game, limits, lines, done)
            .map_err(|error| no_thread(&error))?;
        self.task = Some(Task { number, search, purpose, deadline: None });
        Ok(())
    }

    fn new_engine(&self, rules: &Arc<Ruleset>) -> Result<Engine, Fault> {
        self.options.open_engine(rules).map_err(Fault::critical)
    }

    /// Returns the reply for an ended search, or `None` if it was not the current task.
    fn finish_task(&mut self, number: u64) -> Result<Option<String>, Fault> {
        let Some(task) = self.task.take_if(|task| task.number == number) else {
            return Ok(None);
        };
        let (engine, result) =
            task.search.join().ok_or_else(|| Fault::critical("the engine has failed"))?;
        self.engine = Some(engine);
        let found = result.map_err(Fault::critical)?;
        match task.purpose {
            Purpose::Play(_) => self.play_best(&found).map(Some),
            Purpose::Analyze => Ok(Some(analysis(&found, self.game.game_for(None)?))),
        }
    }

    /// Plays the best move that the host has not rejected, and returns the reply.
    fn play_best(&mut self, found: &Iteration) -> Result<String, Fault> {
        let rejected = self.game.rejected().to_vec();
        let game = self.game.game_for(None)?;
        let board = game.rules().board;
        // A result from the tables may have fewer lines than requested.
        let best = found.lines.iter().filter_map(|line| line.moves.first().copied());
        let others = game.playable_moves();
        let Some(best) = best.chain(others).find(|mv| !rejected.contains(mv)) else {
            return Err(Fault::critical("the host has rejected all legal moves"));
        };
        self.game.play(best);
        Ok(format!("move {}", simple_move(&best, board)))
    }

    /// Cancels the running search, without a reply.
    fn cancel_task(&mut self) {
        if let Some(task) = self.task.take() {
            self.engine = task.search.cancel();
        }
    }
}

fn parse_side(command: &str, name: &str) -> Result<Side, String> {
    Side::from_name(name)
        .ok_or_else(|| format!("{command}: {name:?} is neither attackers nor defenders"))
}

fn no_thread(error: &io::Error) -> Fault {
    Fault::critical(format!("cannot start a thread: {error}"))
}

fn error_line(fault: &Fault) -> String {
    let code = if fault.critical { -1 } else { 0 };
    format!("error {code} {}", fault.text.replace('\n', " "))
}

fn write_line(output: &mut impl Write, line: &str) -> io::Result<()> {
    writeln!(output, "{line}")?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::Receiver;

    use super::*;

    const RULES: &str =
        "rules dim:7 ks:c cenh:tcnkmTCNKM surf:n tfr:d start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/";
    /// A search time that no test should wait for.
    const LONG: Duration = Duration::from_secs(60);

    struct Host {
        session: Session,
        events: Sender<Event>,
        inbox: Receiver<Event>,
    }

    impl Host {
        /// Starts a game of brandubh without a clock.
        fn new() -> Host {
            let options = SessionOptions {
                threads: NonZeroUsize::MIN,
                table_bytes: 1 << 20,
                contempt: 0,
                limits: Limits::time(LONG),
                tables: None,
                proofs: Vec::new(),
            };
            let (events, inbox) = mpsc::channel();
            let mut host = Host { session: Session::new(options), events, inbox };
            host.send(RULES, Duration::ZERO);
            host
        }

        /// Sends a line that arrived `late` ago.
        fn send(&mut self, line: &str, late: Duration) {
            let arrival = Instant::now().checked_sub(late).unwrap();
            let handled = self.session.handle_line(line, arrival, &self.events);
            assert!(handled.is_ok(), "{line}: {}", handled.unwrap_err().text);
        }

        /// Returns the next reply.
        fn receive(&mut self) -> String {
            let Event::SearchEnded(number) = next_event(&self.inbox, self.session.task.as_ref())
            else {
                panic!("unexpected event");
            };
            match self.session.finish_task(number) {
                Ok(reply) => reply.unwrap(),
                Err(fault) => panic!("{}", fault.text),
            }
        }
    }

    /// The stopper of the first search stops all later ones.
    #[test]
    fn a_game_has_one_engine() {
        let mut host = Host::new();
        let stopper = host.session.engine.as_ref().unwrap().stopper();
        let began = Instant::now();
        for (line, answer) in [
            ("play attackers", "move "),
            ("error 2", ""),
            ("play attackers", "move "),
            ("error 2", ""),
            ("analyze 3 60", "status depth "),
            (RULES, ""),
            ("play attackers", "move "),
        ] {
            host.send(line, Duration::ZERO);
            if !answer.is_empty() {
                stopper.stop();
                let reply = host.receive();
                assert!(reply.starts_with(answer), "{line}: {reply}");
            }
        }
        assert!(began.elapsed() < LONG / 2);
    }

    /// A move for the position before must not be played in the one after.
    #[test]
    fn what_changes_the_game_cancels_the_search() {
        let board = "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/";
        for line in [
            RULES,
            &format!("position {board}"),
            "side defenders",
            &format!("opponent-move d1-c1 {board}"),
            &format!("move {board}"),
            "error 2",
        ] {
            let mut host = Host::new();
            host.send(&format!("position {board}"), Duration::ZERO);
            host.send("play attackers", Duration::ZERO);
            assert!(host.session.task.is_some());
            host.send(line, Duration::ZERO);
            assert!(host.session.task.is_none(), "{line}");
        }
    }

    #[test]
    fn time_is_counted_from_the_arrival_of_a_line() {
        let mut host = Host::new();
        let late = LONG - Duration::from_secs(1);
        let began = Instant::now();
        host.send("clock 60000* 60000* 60 1 1", Duration::ZERO);
        host.send("play attackers", late);
        assert!(host.receive().starts_with("move "));
        host.send("analyze 1 60", late);
        assert!(host.receive().contains("\nanalysis 1 "));
        host.send("play defenders", Duration::ZERO);
        host.send("clock 60000* 60000* 60 1 1", late);
        assert!(host.receive().starts_with("move "));
        assert!(began.elapsed() < LONG / 2);
    }
}
