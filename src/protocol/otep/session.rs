use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::{Engine, EngineOptions, Iteration, Limits};
use crate::game::moves::legal_moves;
use crate::game::rules::{Ruleset, Side};
use crate::tablebase::Tablebase;

use super::analysis::analysis;
use super::clock::ClockLine;
use super::kept::{Fault, Kept};
use super::lines::each_line;
use super::simple;
use super::task::{Aim, Done, Event, Task, next_event};
use super::thinking::Thinking;

/// Kept back from the clock for the way of an answer: OpenTafl looks at its clocks ten
/// times a second.
const OVERHEAD: Duration = Duration::from_millis(100);

/// How the engine of a [`Session`] works.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// Threads that search together.
    pub threads: NonZeroUsize,
    /// Bytes of the transposition table.
    pub table_bytes: usize,
    /// How much less than nothing a draw is ([`EngineOptions::contempt`]).
    pub contempt: i32,
    /// What a move takes where the host tells no clock.
    pub limits: Limits,
    /// A folder of tables, besides those that are part of the library.
    pub tables: Option<PathBuf>,
}

/// The engine's side of OTEP.
///
/// The engine thinks in a thread of its own, so that what the host says meanwhile is
/// heard at once.
pub struct Session {
    options: SessionOptions,
    kept: Kept,
    clock: Option<ClockLine>,
    /// The record of the rules.
    record: String,
    /// For games by these rules.
    engine: Option<Engine>,
    task: Option<Task>,
    tasks: u64,
}

impl Drop for Session {
    /// Nobody waits for an answer any more.
    fn drop(&mut self) {
        self.halt();
    }
}

impl Session {
    /// A session that has not begun.
    pub fn new(options: SessionOptions) -> Session {
        Session {
            options,
            kept: Kept::new(),
            clock: None,
            record: String::new(),
            engine: None,
            task: None,
            tasks: 0,
        }
    }

    /// Says hello, and obeys the host until it says goodbye. After the input's end, only
    /// what is being thought about is answered.
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
        thread::spawn(move || {
            // What cannot be read is the end.
            let _ = each_line(input, |line| reader.send(Event::Line(line, Instant::now())).is_ok());
            let _ = reader.send(Event::End);
        });
        say(&mut output, "hello")?;
        let mut has_ended = false;
        while !(has_ended && self.task.is_none()) {
            let answer = match next_event(&inbox, self.task.as_ref()) {
                Event::Line(line, _) if line.trim() == "goodbye" => break,
                Event::Line(line, came) => self.obey(&line, came, &events).map(|()| None),
                Event::End => {
                    has_ended = true;
                    Ok(None)
                }
                Event::Answer(number) => self.answer(number),
            };
            match answer {
                Ok(None) => {}
                Ok(Some(line)) => say(&mut output, &line)?,
                Err(fault) => {
                    let code = if fault.critical { -1 } else { 0 };
                    say(&mut output, &format!("error {code} {}", fault.text.replace('\n', " ")))?;
                }
            }
        }
        Ok(())
    }

    /// Does what a line says that came at that time, since when a clock may run.
    fn obey(&mut self, line: &str, came: Instant, events: &Sender<Event>) -> Result<(), Fault> {
        let line = line.trim();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match command {
            "rules" => {
                self.halt();
                self.clock = None;
                // Another game by the same rules goes on with the same memory: to take it from
                // the system anew would cost time when the clock runs.
                if self.record != rest {
                    self.engine = None;
                    rest.clone_into(&mut self.record);
                }
                let rules = self.kept.begin(rest)?;
                if self.engine.is_none() {
                    self.engine = Some(self.new_engine(&rules)?);
                }
                Ok(())
            }
            "position" => {
                self.halt();
                self.kept.place(rest)
            }
            "side" => {
                self.kept.name_side(side(command, rest).map_err(Fault::harmless)?);
                Ok(())
            }
            "clock" => self.set_clock(rest, came),
            "play" => {
                self.halt();
                self.play(side(command, rest).map_err(Fault::critical)?, came, events)
            }
            "analyze" => {
                self.halt();
                self.analyze(rest, came, events)
            }
            "opponent-move" => {
                self.halt();
                self.kept.opponent_moved(rest)
            }
            "move" => self.kept.confirmed(rest),
            "error" => {
                self.kept.was_refused();
                Ok(())
            }
            "finish" => {
                self.halt();
                self.clock = None;
                Ok(())
            }
            // What is added to the protocol one day must not end a game.
            _ => Ok(()),
        }
    }

    fn set_clock(&mut self, text: &str, came: Instant) -> Result<(), Fault> {
        self.clock =
            ClockLine::parse(text).map_err(|error| Fault::harmless(format!("clock: {error}")))?;
        if let (Some(Task { aim: Aim::Play(side), deadline, .. }), Some(clock)) =
            (&mut self.task, &self.clock)
        {
            let time = clock.limits(*side, OVERHEAD).time;
            *deadline = time.map(|time| came + time);
        }
        Ok(())
    }

    fn play(&mut self, side: Side, came: Instant, events: &Sender<Event>) -> Result<(), Fault> {
        self.kept.game_for(Some(side))?;
        let limits = match &self.clock {
            Some(clock) => clock.limits(side, OVERHEAD + came.elapsed()),
            None => self.options.limits,
        };
        // One more than those that the host did not want.
        let lines = NonZeroUsize::MIN.saturating_add(self.kept.refused().len());
        self.think(lines, limits, Aim::Play(side), events)
    }

    fn analyze(&mut self, text: &str, came: Instant, events: &Sender<Event>) -> Result<(), Fault> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let wanted = match words[..] {
            [lines, seconds] => lines.parse().ok().zip(seconds.parse::<u32>().ok()),
            _ => None,
        };
        let Some((lines, seconds)) = wanted else {
            let wrong = format!("analyze: {text:?} is not <number of lines> <seconds>");
            return Err(Fault::harmless(wrong));
        };
        self.kept.game_for(None).map_err(|fault| Fault::harmless(fault.text))?;
        let spent = OVERHEAD + came.elapsed();
        let time = Duration::from_secs(seconds.into()).saturating_sub(spent).max(OVERHEAD);
        self.think(lines, Limits::time(time), Aim::Analyze, events)
    }

    /// Begins to think about the game.
    fn think(
        &mut self,
        lines: NonZeroUsize,
        limits: Limits,
        aim: Aim,
        events: &Sender<Event>,
    ) -> Result<(), Fault> {
        let game = self.kept.game_for(None)?.clone();
        let rules = Arc::clone(game.rules());
        let engine = match self.engine.take() {
            Some(engine) => engine,
            None => self.new_engine(&rules)?,
        };
        self.tasks += 1;
        let number = self.tasks;
        let done = Done { number, events: events.clone() };
        let thinking = Thinking::start(engine, game, limits, lines, done);
        self.task = Some(Task { number, thinking, aim, deadline: None });
        Ok(())
    }

    fn new_engine(&self, rules: &Arc<Ruleset>) -> Result<Engine, Fault> {
        let SessionOptions { threads, table_bytes, contempt, .. } = self.options;
        let mut options =
            EngineOptions { threads, table_bytes, contempt, ..EngineOptions::new(rules) };
        if let Some(folder) = &self.options.tables {
            let rules = Ruleset::clone(rules);
            let tables = Tablebase::open(rules, folder).map_err(Fault::critical)?;
            options.tables = Some(Arc::new(tables));
        }
        Engine::new(Arc::clone(rules), options).map_err(Fault::critical)
    }

    /// What the engine has found, if it is what it was asked last.
    fn answer(&mut self, number: u64) -> Result<Option<String>, Fault> {
        let Some(task) = self.task.take_if(|task| task.number == number) else {
            return Ok(None);
        };
        let (engine, found) =
            task.thinking.end().ok_or_else(|| Fault::critical("the engine has failed"))?;
        self.engine = Some(engine);
        let found = found.map_err(Fault::critical)?;
        match task.aim {
            Aim::Play(_) => self.answer_move(&found).map(Some),
            Aim::Analyze => Ok(Some(analysis(&found, self.kept.game_for(None)?))),
        }
    }

    /// The best move that the host has not refused.
    fn answer_move(&mut self, found: &Iteration) -> Result<String, Fault> {
        let refused = self.kept.refused().to_vec();
        let game = self.kept.game_for(None)?;
        let board = game.rules().board;
        // Where tables answer, there may be fewer lines than were wanted.
        let best = found.lines.iter().filter_map(|line| line.moves.first().copied());
        let others = legal_moves(game.rules(), game.position());
        let Some(best) = best.chain(others).find(|mv| !refused.contains(mv)) else {
            return Err(Fault::critical("the host has refused all legal moves"));
        };
        self.kept.send(best);
        Ok(format!("move {}", simple(&best, board)))
    }

    /// Ends what is being thought about, without an answer.
    fn halt(&mut self) {
        if let Some(task) = self.task.take() {
            self.engine = task.thinking.abandon();
        }
    }
}

fn side(command: &str, name: &str) -> Result<Side, String> {
    let known = Side::ALL.into_iter().find(|side| side.name() == name);
    known.ok_or_else(|| format!("{command}: {name:?} is neither attackers nor defenders"))
}

fn say(output: &mut impl Write, line: &str) -> io::Result<()> {
    writeln!(output, "{line}")?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::Receiver;

    use super::*;

    const RULES: &str =
        "rules dim:7 ks:c cenh:tcnkmTCNKM surf:n tfr:d start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/";
    /// A search without an end in sight; to wait for half of it is too long.
    const LONG: Duration = Duration::from_secs(60);

    struct Host {
        session: Session,
        events: Sender<Event>,
        inbox: Receiver<Event>,
    }

    impl Host {
        /// In a game of brandubh, without a clock.
        fn new() -> Host {
            let options = SessionOptions {
                threads: NonZeroUsize::MIN,
                table_bytes: 1 << 20,
                contempt: 0,
                limits: Limits::time(LONG),
                tables: None,
            };
            let (events, inbox) = mpsc::channel();
            let mut host = Host { session: Session::new(options), events, inbox };
            host.say(RULES, Duration::ZERO);
            host
        }

        /// Says something, which is read after so much time.
        fn say(&mut self, line: &str, late: Duration) {
            let came = Instant::now().checked_sub(late).unwrap();
            let obeyed = self.session.obey(line, came, &self.events);
            assert!(obeyed.is_ok(), "{line}: {}", obeyed.unwrap_err().text);
        }

        /// The answer.
        fn hear(&mut self) -> String {
            let Event::Answer(number) = next_event(&self.inbox, self.session.task.as_ref()) else {
                panic!("only answers are sent");
            };
            match self.session.answer(number) {
                Ok(answer) => answer.unwrap(),
                Err(fault) => panic!("{}", fault.text),
            }
        }
    }

    /// What ends the first one's search ends that of all others.
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
            host.say(line, Duration::ZERO);
            if !answer.is_empty() {
                stopper.stop();
                let heard = host.hear();
                assert!(heard.starts_with(answer), "{line}: {heard}");
            }
        }
        assert!(began.elapsed() < LONG / 2);
    }

    #[test]
    fn time_is_counted_from_when_a_line_came() {
        let mut host = Host::new();
        let late = LONG - Duration::from_secs(1);
        let began = Instant::now();
        host.say("clock 60000* 60000* 60 1 1", Duration::ZERO);
        host.say("play attackers", late);
        assert!(host.hear().starts_with("move "));
        host.say("analyze 1 60", late);
        assert!(host.hear().contains("\nanalysis 1 "));
        host.say("play defenders", Duration::ZERO);
        host.say("clock 60000* 60000* 60 1 1", late);
        assert!(host.hear().starts_with("move "));
        assert!(began.elapsed() < LONG / 2);
    }
}
