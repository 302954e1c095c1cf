use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::{Engine, EngineOptions, Iteration, Limits};
use crate::moves::legal_moves;
use crate::rules::{Ruleset, Side};
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
        Session { options, kept: Kept::new(), clock: None, engine: None, task: None, tasks: 0 }
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
            let _ = each_line(input, |line| reader.send(Event::Line(line)).is_ok());
            let _ = reader.send(Event::End);
        });
        say(&mut output, "hello")?;
        let mut has_ended = false;
        while !(has_ended && self.task.is_none()) {
            let answer = match next_event(&inbox, self.task.as_ref()) {
                Event::Line(line) if line.trim() == "goodbye" => break,
                Event::Line(line) => self.obey(&line, &events).map(|()| None),
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

    fn obey(&mut self, line: &str, events: &Sender<Event>) -> Result<(), Fault> {
        let line = line.trim();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match command {
            "rules" => {
                self.halt();
                self.clock = None;
                self.engine = None;
                let rules = self.kept.begin(rest)?;
                // It takes its memory before a clock runs.
                self.engine = Some(self.new_engine(&rules)?);
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
            "clock" => self.set_clock(rest),
            "play" => {
                self.halt();
                self.play(side(command, rest).map_err(Fault::critical)?, events)
            }
            "analyze" => {
                self.halt();
                self.analyze(rest, events)
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

    fn set_clock(&mut self, text: &str) -> Result<(), Fault> {
        self.clock =
            ClockLine::parse(text).map_err(|error| Fault::harmless(format!("clock: {error}")))?;
        if let (Some(Task { aim: Aim::Play(side), deadline, .. }), Some(clock)) =
            (&mut self.task, &self.clock)
        {
            let time = clock.limits(*side, OVERHEAD).time;
            *deadline = time.map(|time| Instant::now() + time);
        }
        Ok(())
    }

    fn play(&mut self, side: Side, events: &Sender<Event>) -> Result<(), Fault> {
        let limits = match &self.clock {
            Some(clock) => clock.limits(side, OVERHEAD),
            None => self.options.limits,
        };
        // One more than those that the host did not want.
        self.kept.game_for(Some(side))?;
        let lines = NonZeroUsize::MIN.saturating_add(self.kept.refused().len());
        self.think(lines, limits, Aim::Play(side), events)
    }

    fn analyze(&mut self, text: &str, events: &Sender<Event>) -> Result<(), Fault> {
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
        let time = Duration::from_secs(seconds.into()).saturating_sub(OVERHEAD).max(OVERHEAD);
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
