//! What must hold for any input: no panic, errors of one line, and results that agree with each
//! other. Fuzzers search for inputs that break this (`scripts/fuzz.sh`); `cargo test` replays
//! the seeds.
// Public for the fuzz targets, for which this is a library; here it is a module.
#![allow(unreachable_pub, missing_docs)]

#[path = "../support/forge/mod.rs"]
mod forge;

use std::collections::HashMap;
use std::fmt::Display;
use std::fs;
use std::io::{self, Cursor, Read, Write};
use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use taflbase::Tablebase;
use taflbase::build::slices_up_to;
use taflbase::engine::{Engine, EngineOptions, Limits};
use taflbase::index::{SliceIndex, Slot};
use taflbase::moves::{find_move, legal_moves};
use taflbase::notation::parse_move;
use taflbase::position::Position;
use taflbase::protocol::challenge::message::{self, Action, State};
use taflbase::protocol::{SessionOptions, berkeley, challenge, htp, otep};
use taflbase::record::Record;
use taflbase::rules::{Ruleset, Side};
use taflbase::serve::{AppState, ServeOptions, router};
use taflbase::slice::Slice;
use taflbase::table::{Access, Header, Table};
use taflbase::tablebase::{BlockCache, Probed, TablebaseOptions};
use taflbase::unmoves::{UnMove, unmoves};
use taflbase::value::Value;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

/// The built-in rulesets with the tables embedded in the library.
static GAMES: LazyLock<Vec<Tablebase>> = LazyLock::new(|| {
    let game = |name: &&str| Tablebase::new(Ruleset::builtin(name).unwrap());
    Ruleset::builtin_names().iter().map(game).collect()
});

static BRANDUBH: LazyLock<Ruleset> = LazyLock::new(|| Ruleset::builtin("brandubh").unwrap());

fn assert_one_line(error: impl Display) {
    let text = error.to_string();
    assert!(!text.is_empty() && !text.contains('\n'), "{text:?}");
}

/// The explorer with the built-in rulesets and short searches, and its runtime.
static EXPLORER: LazyLock<(Router, Runtime)> = LazyLock::new(|| {
    let options = ServeOptions { search_time: Duration::from_millis(2), ..ServeOptions::default() };
    let site = Arc::new(AppState::open(Vec::new(), None, options).unwrap());
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    (router(site), runtime)
});

/// A request: the first line has the method and the target, the next ones headers; an empty
/// line and the body follow. The tables are sound, so no response is a server error; errors are
/// problems of one line that name no folder.
pub fn request(bytes: &[u8]) {
    let end = bytes.windows(2).position(|two| two == b"\n\n").unwrap_or(bytes.len());
    let body = bytes.get(end + 2..).unwrap_or_default();
    let head = String::from_utf8_lossy(&bytes[..end]);
    let mut lines = head.lines();
    let (method, target) = lines.next().unwrap_or_default().split_once(' ').unwrap_or_default();
    let mut request = Request::builder().method(method).uri(target);
    for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
        request = request.header(name, value);
    }
    // hyper has already rejected requests with invalid syntax.
    let Ok(request) = request.body(Body::from(body.to_vec())) else {
        return;
    };
    let (router, runtime) = &*EXPLORER;
    let (status, kind, body) = runtime.block_on(async {
        let response = router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let kind = response.headers().get("content-type").cloned();
        (status, kind, to_bytes(response.into_body(), usize::MAX).await.unwrap())
    });
    assert!(!status.is_server_error(), "{status}: {}", String::from_utf8_lossy(&body));
    let text = String::from_utf8_lossy(&body);
    if status.is_client_error() && !body.is_empty() {
        assert_eq!(kind.unwrap(), "application/problem+json", "{text}");
        let problem: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(problem["status"], status.as_u16());
        assert_one_line(problem["detail"].as_str().unwrap());
    }
}

/// The first byte selects a game, the others are text.
fn game_and_text(bytes: &[u8]) -> Option<(&'static Tablebase, String)> {
    let (&game, text) = bytes.split_first()?;
    Some((&GAMES[usize::from(game) % GAMES.len()], String::from_utf8_lossy(text).into_owned()))
}

/// A position in one of the games, which the first byte selects.
pub fn position(bytes: &[u8]) {
    let Some((tables, text)) = game_and_text(bytes) else {
        return;
    };
    match Position::parse(&text, tables.rules()) {
        Ok(position) => explore(tables, &position),
        Err(error) => assert_one_line(error),
    }
}

/// A position as in [`position`], or the start position if it is invalid; the second line is a
/// move.
pub fn moves(bytes: &[u8]) {
    let Some((tables, text)) = game_and_text(bytes) else {
        return;
    };
    let rules = tables.rules();
    let (position, text) = text.split_once('\n').unwrap_or(("", &text));
    let position = Position::parse(position, rules);
    let position = position.unwrap_or_else(|_| Position::start(rules).unwrap());
    match parse_move(rules, &position, text) {
        Ok(played) => {
            assert_eq!(find_move(rules, &position, played.from, played.to), Some(played));
            let canonical = played.display(rules.board).to_string();
            assert_eq!(parse_move(rules, &position, &canonical), Ok(played));
        }
        Err(error) => assert_one_line(error),
    }
}

/// Checks a position's text, moves, un-moves and values.
fn explore(tables: &Tablebase, position: &Position) {
    let rules = tables.rules();
    let text = position.to_text(rules);
    assert_eq!(Position::parse(&text, rules).as_ref(), Ok(position));
    for played in legal_moves(rules, position) {
        let text = played.display(rules.board).to_string();
        assert_eq!(parse_move(rules, position, &text), Ok(played));
        let after = position.after(&played);
        assert!(played.ending.is_some() || after.check(rules).is_ok(), "{text}");
        if played.is_quiet() {
            let unmove = UnMove { piece: played.piece, from: played.from, to: played.to };
            assert!(unmoves(rules, &after).contains(&unmove), "{text}");
        }
    }
    for unmove in unmoves(rules, position) {
        let before = position.before(&unmove);
        let played = find_move(rules, &before, unmove.from, unmove.to);
        assert_eq!(played.map(|played| before.after(&played)), Some(*position));
    }
    match tables.probe(position) {
        Ok(probe) => {
            let best = probe.moves.first().map_or(Probed::from(Value::Loss(0)), |best| {
                let after = best.value.unwrap();
                Probed { wdl: after.wdl, plies: after.plies.map(|plies| plies + 1) }
            });
            assert_eq!(probe.value.wdl, best.wdl);
            if let Some(plies) = probe.value.plies {
                assert_eq!(best.plies, Some(plies));
                assert_eq!(tables.line(position).unwrap().len(), usize::from(plies));
            }
        }
        Err(error) => {
            assert!(position.slice().men() > tables.max_men(), "{text}: {error}");
            assert_one_line(error);
        }
    }
}

/// The text of a ruleset file.
pub fn ruleset(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let rules = match Ruleset::from_toml(&text, "rules.toml") {
        Ok(rules) => rules,
        Err(error) => return assert_one_line(error),
    };
    assert!(!rules.describe().is_empty());
    assert!(!rules.describe_json().is_null());
    let again = Ruleset::from_toml(&text, "again.toml").unwrap();
    assert_eq!(rules.fingerprint(), again.fingerprint());
    let tables = Tablebase::new(rules);
    let rules = tables.rules();
    explore(&tables, &Position::start(rules).unwrap());
    for slice in slices_up_to(rules, 3) {
        match SliceIndex::new(rules, slice) {
            Ok(index) => for_some_positions(&index, 9, |position| {
                let slot = index.rank(position).unwrap();
                assert_eq!(index.rank(&index.unrank(slot, position.to_move).unwrap()), Some(slot));
                for symmetry in rules.symmetries().iter() {
                    assert_eq!(index.rank(&position.image(rules, symmetry)), Some(slot));
                }
                if position.check(rules).is_ok() {
                    explore(&tables, position);
                }
            }),
            Err(error) => assert_one_line(error),
        }
    }
}

/// Visits at most this many positions of a slice, spread over all of it.
fn for_some_positions(index: &SliceIndex, count: u64, mut visit: impl FnMut(&Position)) {
    let lanes = index.lanes().count() as u64;
    for i in 0..count.min(lanes * index.rows()) {
        let slot = Slot { lane: (i * 7 % lanes) as u16, row: index.rows() * i / count };
        if let Some(position) = index.unrank(slot, Side::ALL[i as usize % 2]) {
            visit(&position);
        }
    }
}

/// The bytes of a table file, and the same with correct checksums: a forged table may give any
/// value, but must not break anything else.
pub fn table(bytes: &[u8]) {
    container(bytes);
    let mut bytes = bytes.to_vec();
    forge::put_checksums_right(&mut bytes);
    container(&bytes);
    prober(&bytes);
}

/// Reads the table as a container of codes.
fn container(bytes: &[u8]) {
    let table = match Table::new(bytes) {
        Ok(table) => table,
        Err(error) => return assert_one_line(error),
    };
    let sound = table.check().map_err(|errors| errors.iter().for_each(assert_one_line)).is_ok();
    let per_side = table.header().grid.blocks_per_side();
    let some = 0..per_side.min(99);
    for block in some.clone().chain(some.map(|block| per_side + block)) {
        let mut values = Vec::new();
        let read = table.read_block(block, &mut values);
        let packed = table.read_packed(block);
        match (read, packed) {
            (Ok(()), Ok(packed)) => {
                for at in (0..values.len()).step_by(1 + values.len() / 99) {
                    assert_eq!(table.value_of(&packed, at).unwrap(), values[at]);
                }
                if let Some(value) = table.one_value(block).unwrap() {
                    assert!(values.iter().all(|&other| other == value));
                }
            }
            (Err(error), _) => {
                assert!(!sound, "{error}");
                assert_one_line(error);
            }
            (Ok(()), Err(error)) => panic!("{error}"),
        }
    }
}

/// Some positions of each small slice of brandubh.
static POSITIONS: LazyLock<HashMap<Slice, Vec<Position>>> = LazyLock::new(|| {
    let some = |slice| {
        let index = SliceIndex::new(&BRANDUBH, slice).unwrap();
        let mut positions = Vec::new();
        for_some_positions(&index, 9, |position| positions.push(*position));
        (slice, positions)
    };
    slices_up_to(&BRANDUBH, 4).into_iter().map(some).collect()
});

/// Reads the table as one file of a folder.
fn prober(bytes: &[u8]) {
    let Ok(Header { metric, slice, .. }) = Header::of(bytes) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(metric.file_name(slice)), bytes).unwrap();
    let access = [Access::Mapped, Access::Read][bytes.len() % 2];
    let options = TablebaseOptions { access, cache: BlockCache::new(1 << 20), embedded: false };
    let mut tables = Tablebase::with_options(BRANDUBH.clone(), options);
    tables.add_directory(folder.path()).unwrap();
    for position in POSITIONS.get(&slice).into_iter().flatten() {
        let wdl = tables.probe_wdl(position).map_err(assert_one_line);
        let many = tables.probe_many_wdl(&[*position]).remove(0).map_err(assert_one_line);
        assert_eq!(wdl, many);
        let _ = tables.probe_dtw(position).map_err(assert_one_line);
        let _ = tables.line(position).map_err(assert_one_line);
    }
}

/// A rules record. Rules that can be written are read back unchanged.
pub fn otn(bytes: &[u8]) {
    let rules = match Ruleset::from_otn(&String::from_utf8_lossy(bytes)) {
        Ok(rules) => rules,
        Err(error) => return assert_one_line(error),
    };
    let start = Position::start(&rules).unwrap();
    match rules.to_otn(&start) {
        Ok(record) => {
            let again = Ruleset::from_otn(&record).unwrap();
            assert_eq!(again.fingerprint(), rules.fingerprint(), "{record}");
            assert_eq!(Position::start(&again).as_ref(), Ok(&start), "{record}");
        }
        Err(error) => assert_one_line(error),
    }
    explore(&Tablebase::new(rules), &start);
}

/// A game record. What is written is read back unchanged.
pub fn record(bytes: &[u8]) {
    let record = match Record::parse(&String::from_utf8_lossy(bytes)) {
        Ok(record) => record,
        Err(error) => return assert_one_line(error),
    };
    let text = record.to_text();
    let again = Record::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(again.game.moves(), record.game.moves(), "{text}");
    assert_eq!(again.game.positions(), record.game.positions(), "{text}");
    assert_eq!(again.result, record.result, "{text}");
}

/// The text of a message of the challenge: a state or an action.
pub fn message(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match message::from_text::<State>(&text) {
        Ok(state) => {
            let written = message::to_text(&state).unwrap();
            assert_eq!(message::from_text::<State>(&written).unwrap(), state);
            for tables in GAMES.iter() {
                let _ = state.layout(tables.rules().board).map_err(assert_one_line);
            }
        }
        Err(error) => assert_one_line(error),
    }
    match message::from_text::<Action>(&text) {
        Ok(action) => {
            let written = message::to_text(&action).unwrap();
            assert_eq!(message::from_text::<Action>(&written).unwrap(), action);
        }
        Err(error) => assert_one_line(error),
    }
}

/// Options of an engine that searches as little as possible.
fn session_options() -> SessionOptions {
    SessionOptions {
        threads: NonZeroUsize::MIN,
        table_bytes: 1 << 20,
        contempt: 0,
        limits: Limits::nodes(9),
        tables: None,
        proofs: Vec::new(),
    }
}

/// What a host sends to an OTEP engine, which answers line by line.
pub fn host(bytes: &[u8]) {
    // After a goodbye, nothing waits for a clock.
    let lines = [bytes, b"\ngoodbye\n"].concat();
    let mut output = Vec::new();
    otep::Session::new(session_options()).run(Cursor::new(lines), &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    assert!(output.starts_with("hello\n"), "{output:?}");
    for line in output.lines() {
        let known = ["hello", "move ", "error ", "status ", "analysis ", "["];
        assert!(known.iter().any(|word| line.starts_with(word)), "{line:?}");
    }
}

/// Creates an engine that searches as little as possible.
fn engine(rules: &Arc<Ruleset>) -> Engine {
    let options = EngineOptions { table_bytes: 1 << 20, tables: None, ..EngineOptions::new(rules) };
    Engine::new(Arc::clone(rules), options).unwrap()
}

/// What a server of the challenge sends. The first byte selects our side.
pub fn server(bytes: &[u8]) {
    /// Reads what was sent, and discards what is written.
    struct Wire<'a>(&'a [u8]);

    impl Read for Wire<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(buffer)
        }
    }

    impl Write for Wire<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let Some((&first, sent)) = bytes.split_first() else {
        return;
    };
    let rules = Arc::new(Ruleset::builtin("ashton-server").unwrap());
    let side = Side::ALL[usize::from(first % 2)];
    let entry =
        challenge::PlayerConfig { name: String::new(), side, time: Duration::from_millis(4) };
    let end = challenge::play(&mut Wire(sent), &rules, &mut engine(&rules), &entry, &mut |_| {});
    match end {
        Ok(end) => assert_eq!(end.verdict.side(), None),
        Err(error) => assert_one_line(error),
    }
}

/// Commands of Berkeley's text interface.
pub fn commands(bytes: &[u8]) {
    let rules = Arc::new(Ruleset::builtin("berkeley").unwrap());
    let game = Duration::from_millis(50);
    let effort = berkeley::SearchBudget { plies: 1, nodes: 9, game, careful_plies: 9 };
    let engine = engine(&rules);
    let mut session = berkeley::Session::new(rules, engine, effort, 0).unwrap();
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    session.run(bytes, &mut output, &mut errors, false).unwrap();
    for line in String::from_utf8(output).unwrap().lines() {
        let is_board = line == "===" || line.len() == 20;
        assert!(is_board || line.starts_with("* "), "{line:?}");
    }
}

/// Commands of the hnefatafl text protocol, each of which has one answer.
pub fn htp(bytes: &[u8]) {
    // Clocks that have run down: a search would use the time of others.
    let text = String::from_utf8_lossy(bytes).replace("fischer", "fischer 0 0 #");
    let commands = text.split('\n').map(|line| line.split('#').next().unwrap_or_default().trim());
    let commands = commands.filter(|command| !command.is_empty());
    let count = commands.take_while(|&command| command != "quit").count();
    let mut output = Vec::new();
    htp::Session::new(session_options()).unwrap().run(text.as_bytes(), &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    let answers = output.lines().filter(|line| line.starts_with("= ") || line.starts_with("? "));
    assert_eq!(answers.count(), count, "{output}");
}
