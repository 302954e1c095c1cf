//! The C interface of taflbase: probing the values of tafl positions with few men.
//!
//! Calls that can fail return a TaflStatus and write their results through pointers.
//! After a failure taflbase_last_error returns a message, and nothing is written unless
//! the call says otherwise.
//!
//! Pointers. A null pointer where a value is needed is TAFL_STATUS_INVALID_ARGUMENT.
//! Any other pointer must be valid for the stated number of elements until the call
//! returns, and nothing else may access results meanwhile. What you pass stays yours;
//! of what you get, only a tablebase must be freed, by taflbase_free. Texts are
//! UTF-8 and end with a zero.
//!
//! Threads. Functions that take a const TaflTablebase may be called from any number of
//! threads at once, with the same tablebase. Those that take a non-const one
//! (taflbase_add_directory, taflbase_free) need exclusive access. A message is the
//! calling thread's last failure.
//!
//! How to build, install and link: docs/c.md.
#![allow(unsafe_code)]
// The contract of all functions is the one above.
#![allow(clippy::missing_safety_doc)]

mod calls;
mod pointers;
mod status;
mod types;

use std::ffi::{CStr, c_char, c_int};
use std::path::Path;

pub use status::TaflStatus;
pub use types::{
    TAFL_ACCESS_MAPPED, TAFL_ACCESS_READ, TAFL_KNOWN_ALL, TAFL_KNOWN_NOTHING, TAFL_KNOWN_OUTCOME,
    TAFL_METRIC_DTW, TAFL_METRIC_WDL, TAFL_MOVE_TEXT_BYTES, TAFL_POSITION_TEXT_BYTES,
    TAFL_SET_WORDS, TaflBareMove, TaflCacheStatistics, TaflDtw, TaflMove, TaflMoveValue,
    TaflOptions, TaflPosition, TaflSlice, TaflWdl,
};

use types::MAX_CAPTURES;

use crate::game::moves::{each_legal_move, find_move};
use crate::game::notation::parse_move;
use crate::game::position::Position;
use crate::game::rules::{Endless, Ruleset};
use crate::tablebase::Tablebase;

use calls::{query, read_arguments, return_list, return_value, return_values};
use pointers::{Output, reference, text};
use status::{CallError, guarded};

/// The tables of one ruleset.
pub struct TaflTablebase(Tablebase);

/// Returns the version of the library, as in "0.1.0". The text is static.
#[unsafe(no_mangle)]
pub extern "C" fn taflbase_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"",
        };
    VERSION.as_ptr()
}

/// Returns one line about the last call that failed in this thread: what is wrong and what
/// to do. Empty if none has failed. The text is valid until the thread's next call
/// that fails, or its end; do not free it.
#[unsafe(no_mangle)]
pub extern "C" fn taflbase_last_error() -> *const c_char {
    status::last_error()
}

/// Returns the default options: a cache of 64 MiB, and mapped files.
#[unsafe(no_mangle)]
pub extern "C" fn taflbase_default_options() -> TaflOptions {
    TaflOptions::default()
}

/// Opens the tables of a ruleset, given by its name or as the path of its file.
///
/// `tables` is the common folder, in which the ruleset's tables are in a folder of its
/// name, as `taflbase build` writes them; null for none. Slices without a file use the small
/// tables embedded in the library. `options` may be null for the defaults.
///
/// Writes the tablebase, or null after a failure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_open(
    rules: *const c_char,
    tables: *const c_char,
    options: *const TaflOptions,
    tablebase: *mut *mut TaflTablebase,
) -> TaflStatus {
    guarded(|| {
        // SAFETY: the caller guarantees that the pointers are valid.
        let mut output = unsafe { Output::new(tablebase, 1, "tablebase") }?;
        output.put(0, std::ptr::null_mut());
        // SAFETY: as above.
        let ruleset = Ruleset::load(unsafe { text(rules, "rules") }?)?;
        let given_options = if options.is_null() {
            TaflOptions::default()
        } else {
            // SAFETY: as above.
            *unsafe { reference(options, "options") }?
        };
        let open_options = given_options.read()?;
        let opened = if tables.is_null() {
            Tablebase::with_options(ruleset, open_options)
        } else {
            // SAFETY: as above.
            let folder = Path::new(unsafe { text(tables, "tables") }?);
            Tablebase::open_with(ruleset, folder, open_options)?
        };
        output.put(0, Box::into_raw(Box::new(TaflTablebase(opened))));
        Ok(())
    })
}

/// Adds the tables in a folder, all of which must be of the ruleset; of two tables of a
/// slice, that of the folder added last is used. Files are opened when they are first
/// needed. No other thread may use the tablebase meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_add_directory(
    tablebase: *mut TaflTablebase,
    directory: *const c_char,
) -> TaflStatus {
    guarded(|| {
        // SAFETY: the caller guarantees that the pointers are valid.
        let folder = Path::new(unsafe { text(directory, "directory") }?);
        // SAFETY: as above; no other thread uses the tablebase.
        unsafe { reference(tablebase, "tablebase") }?;
        // SAFETY: the pointer is neither null nor misaligned, and no other thread uses it.
        let tables = unsafe { &mut (*tablebase).0 };
        tables.add_directory(folder)?;
        Ok(())
    })
}

/// Frees the tablebase and closes its files; ignores a null pointer. Call it once for each
/// tablebase, while no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_free(tablebase: *mut TaflTablebase) {
    if !tablebase.is_null() {
        guarded(|| {
            // SAFETY: taflbase_open made it from a box, and the caller guarantees that it is
            // freed only once.
            drop(unsafe { Box::from_raw(tablebase) });
            Ok(())
        });
    }
}

/// Returns the maximum number of men, king included, of any table. 0 for a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_max_men(tablebase: *const TaflTablebase) -> usize {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { query(tablebase, Tablebase::max_men) }
}

/// Returns the maximum number of men, king included, of a DTW table, for taflbase_probe_dtw
/// and taflbase_best_move. 0 for a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_max_men_dtw(tablebase: *const TaflTablebase) -> usize {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { query(tablebase, Tablebase::max_men_dtw) }
}

/// Lists the slices with a table of the metric, TAFL_METRIC_WDL or TAFL_METRIC_DTW,
/// smallest first, according to file names. Writes their number to `length`, and
/// the first of them, at most `capacity`; `slices` may be null if `capacity` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_slices(
    tablebase: *const TaflTablebase,
    metric: c_int,
    slices: *mut TaflSlice,
    capacity: usize,
    length: *mut usize,
) -> TaflStatus {
    guarded(|| {
        // SAFETY: the caller guarantees that the pointers are valid.
        let (tables, mut list, mut length) = unsafe {
            let tables = &reference(tablebase, "tablebase")?.0;
            let list = Output::new(slices, capacity, "slices")?;
            (tables, list, Output::new(length, 1, "length")?)
        };
        let found = tables.slices(types::metric(metric)?);
        length.put(0, list.write(found.into_iter().map(TaflSlice::from)));
        Ok(())
    })
}

/// Returns statistics that show whether the cache is large enough. All 0 for a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_cache_statistics(
    tablebase: *const TaflTablebase,
) -> TaflCacheStatistics {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { query(tablebase, |tables| tables.cache().statistics().into()) }
}

/// Returns the number of files, and of ranks, of the ruleset's board. 0 for a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_board_size(tablebase: *const TaflTablebase) -> usize {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { query(tablebase, |tables| tables.rules().board.size()) }
}

/// Whether TAFL_WDL_DRAW means under these rules that the outcome depends on the moves
/// played before (as in `berkeley`): treat it as unknown. False for a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_draws_are_undecided(tablebase: *const TaflTablebase) -> bool {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { query(tablebase, |tables| tables.rules().endless == Endless::Undecided) }
}

/// Whether TAFL_WDL_DRAW means under these rules that the attackers win, by endless play: neither
/// side can force a win, and the defenders may not repeat positions. False for a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_draws_are_endless(tablebase: *const TaflTablebase) -> bool {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { query(tablebase, |tables| tables.rules().endless == Endless::Attackers) }
}

/// Reads a position as OpenTafl writes it: the board from rank 1 up, a blank, and the
/// side to move, as in "/7/4t2/7/7/2K4/7/2t4/ d".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_parse_position(
    tablebase: *const TaflTablebase,
    otn: *const c_char,
    position: *mut TaflPosition,
) -> TaflStatus {
    guarded(|| {
        // SAFETY: the caller guarantees that the pointers are valid.
        let (tables, otn, mut output) = unsafe {
            let tables = &reference(tablebase, "tablebase")?.0;
            (tables, text(otn, "otn")?, Output::new(position, 1, "position")?)
        };
        output.put(0, Position::parse(otn, tables.rules())?.into());
        Ok(())
    })
}

/// Writes a position as taflbase_parse_position reads it. `text` has room for
/// TAFL_POSITION_TEXT_BYTES.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_print_position(
    tablebase: *const TaflTablebase,
    position: *const TaflPosition,
    text: *mut c_char,
) -> TaflStatus {
    guarded(|| {
        // SAFETY: the caller guarantees that the pointers are valid.
        let ((tables, position), mut output) = unsafe {
            let output = Output::new(text, TAFL_POSITION_TEXT_BYTES, "text")?;
            (read_arguments(tablebase, position)?, output)
        };
        position.check(tables.rules())?;
        output.write_text(&position.to_text(tables.rules()));
        Ok(())
    })
}

/// Reads a legal move of a position, as in "e5-e8xe9/d8" or "Ke1-a1--". The piece's letter,
/// the captures and the ending may be omitted; if present, they must be right.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_parse_move(
    tablebase: *const TaflTablebase,
    position: *const TaflPosition,
    text: *const c_char,
    played: *mut TaflBareMove,
) -> TaflStatus {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe {
        let notation = pointers::text(text, "text");
        return_value(tablebase, position, played, |tables, position| {
            position.check(tables.rules())?;
            Ok(parse_move(tables.rules(), position, notation?)?.into())
        })
    }
}

/// Writes a move as text, as in "e5-e8xe9/d8". `text` has room for TAFL_MOVE_TEXT_BYTES.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_print_move(
    tablebase: *const TaflTablebase,
    played: *const TaflBareMove,
    text: *mut c_char,
) -> TaflStatus {
    guarded(|| {
        // SAFETY: the caller guarantees that the pointers are valid.
        let (tables, bare_move, mut output) = unsafe {
            let tables = &reference(tablebase, "tablebase")?.0;
            let bare_move = reference(played, "played")?;
            (tables, bare_move, Output::new(text, TAFL_MOVE_TEXT_BYTES, "text")?)
        };
        let board = tables.rules().board;
        let printed = bare_move.read(board)?;
        if printed.captured.iter().any(|square| square.index() >= board.area()) {
            return Err(CallError::argument("the move captures on a square beyond the board"));
        }
        if printed.captured.len() > MAX_CAPTURES {
            let reason = format!("the move captures more than {MAX_CAPTURES} soldiers");
            return Err(CallError::argument(reason));
        }
        output.write_text(&printed.display(board).to_string());
        Ok(())
    })
}

/// Probes win, draw or loss for the side to move.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_probe_wdl(
    tablebase: *const TaflTablebase,
    position: *const TaflPosition,
    wdl: *mut TaflWdl,
) -> TaflStatus {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { return_value(tablebase, position, wdl, |t, p| Ok(t.probe_wdl(p)?.into())) }
}

/// Probes the outcome and its distance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_probe_dtw(
    tablebase: *const TaflTablebase,
    position: *const TaflPosition,
    dtw: *mut TaflDtw,
) -> TaflStatus {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { return_value(tablebase, position, dtw, |t, p| Ok(t.probe_dtw(p)?.into())) }
}

/// Finds the best move: the quickest win, a draw, or the slowest loss. Returns
/// TAFL_STATUS_MISSING_TABLE if the choice depends on tables that are missing: those of
/// distances, unless the position is drawn, or those that captures lead to, unless
/// another move is known to be the best.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_best_move(
    tablebase: *const TaflTablebase,
    position: *const TaflPosition,
    best: *mut TaflMove,
) -> TaflStatus {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { return_value(tablebase, position, best, best_move) }
}

/// Finds a line of best play to the end of the game: as many moves as taflbase_probe_dtw
/// returns plies, none for a draw. Writes its `length` and its first moves, at most
/// `capacity` of them; `moves` may be null if `capacity` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_line(
    tablebase: *const TaflTablebase,
    position: *const TaflPosition,
    moves: *mut TaflMove,
    capacity: usize,
    length: *mut usize,
) -> TaflStatus {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { return_list(tablebase, position, (moves, capacity), length, write_line) }
}

/// Lists the legal moves of a position, by origin and then by target in square order;
/// `moves`, `capacity` and `length` as for taflbase_line. Needs no tables. In a search,
/// use taflbase_generate_moves, which makes no texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_legal_moves(
    tablebase: *const TaflTablebase,
    position: *const TaflPosition,
    moves: *mut TaflMove,
    capacity: usize,
    length: *mut usize,
) -> TaflStatus {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { return_list(tablebase, position, (moves, capacity), length, write_legal_moves) }
}

/// Lists the moves of taflbase_legal_moves without their texts, many times faster; `moves`,
/// `capacity` and `length` as for taflbase_line.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_generate_moves(
    tablebase: *const TaflTablebase,
    position: *const TaflPosition,
    moves: *mut TaflBareMove,
    capacity: usize,
    length: *mut usize,
) -> TaflStatus {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { return_list(tablebase, position, (moves, capacity), length, write_bare_moves) }
}

/// Makes a move that taflbase_generate_moves or taflbase_parse_move has returned for this
/// position; the result is that of taflbase_play. The move is not checked again: another
/// move may lead to an invalid position, and a probe of it fails or returns a meaningless
/// value. `after` may be `position`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_make_move(
    tablebase: *const TaflTablebase,
    position: *const TaflPosition,
    played: *const TaflBareMove,
    after: *mut TaflPosition,
) -> TaflStatus {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe {
        let bare_move = reference(played, "played");
        return_value(tablebase, position, after, |t, p| make_bare_move(t, p, bare_move?))
    }
}

/// Lists the legal moves of a position with their values, best first: the quickest win,
/// then draws, then the slowest loss, then unknown moves; `moves`, `capacity` and
/// `length` as for taflbase_line.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_probe_moves(
    tablebase: *const TaflTablebase,
    position: *const TaflPosition,
    moves: *mut TaflMoveValue,
    capacity: usize,
    length: *mut usize,
) -> TaflStatus {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { return_list(tablebase, position, (moves, capacity), length, write_move_values) }
}

/// Makes a legal move, of which only `from` and `to` are read. Captured soldiers are
/// removed; a captured king stays on the board. After a move that ends the game there is
/// nothing to probe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_play(
    tablebase: *const TaflTablebase,
    position: *const TaflPosition,
    played: *const TaflMove,
    after: *mut TaflPosition,
) -> TaflStatus {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe {
        let requested = reference(played, "played");
        return_value(tablebase, position, after, |t, p| play_legal_move(t, p, requested?))
    }
}

/// Probes win, draw or loss of `count` positions on all cores, and reads each block of a table
/// only once: much faster than single probes, for bulk work.
///
/// `wdl` and `statuses` have room for `count` each: the result of taflbase_probe_wdl for
/// the position, and its status. Returns TAFL_STATUS_OK if all probes succeeded, and
/// otherwise the status of the first that failed, whose number, from 0, is in the
/// message. The others are probed all the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_probe_many_wdl(
    tablebase: *const TaflTablebase,
    positions: *const TaflPosition,
    count: usize,
    wdl: *mut TaflWdl,
    statuses: *mut TaflStatus,
) -> TaflStatus {
    let probe = Tablebase::probe_many_wdl;
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { return_values(tablebase, positions, count, (wdl, "wdl"), statuses, probe) }
}

/// Probes the outcomes and distances of `count` positions, as taflbase_probe_many_wdl does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taflbase_probe_many_dtw(
    tablebase: *const TaflTablebase,
    positions: *const TaflPosition,
    count: usize,
    dtw: *mut TaflDtw,
    statuses: *mut TaflStatus,
) -> TaflStatus {
    let probe = Tablebase::probe_many_dtw;
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { return_values(tablebase, positions, count, (dtw, "dtw"), statuses, probe) }
}

fn best_move(tables: &Tablebase, position: &Position) -> Result<TaflMove, CallError> {
    let best = tables.best_move(position)?.ok_or_else(|| {
        CallError::new(TaflStatus::NoMove, "the side to move has no legal move: it has lost")
    })?;
    Ok(TaflMove::new(best, tables.rules().board))
}

fn write_line(
    tables: &Tablebase,
    position: &Position,
    moves: &mut Output<TaflMove>,
) -> Result<usize, CallError> {
    let line = tables.line(position)?.into_iter();
    Ok(moves.write(line.map(|played| TaflMove::new(played, tables.rules().board))))
}

fn write_legal_moves(
    tables: &Tablebase,
    position: &Position,
    moves: &mut Output<TaflMove>,
) -> Result<usize, CallError> {
    let rules = tables.rules();
    position.check(rules)?;
    let legal = each_legal_move(rules, position);
    Ok(moves.write(legal.map(|played| TaflMove::new(played, rules.board))))
}

#[inline]
fn write_bare_moves(
    tables: &Tablebase,
    position: &Position,
    moves: &mut Output<TaflBareMove>,
) -> Result<usize, CallError> {
    position.check(tables.rules())?;
    Ok(moves.write(each_legal_move(tables.rules(), position).map(TaflBareMove::from)))
}

#[inline]
fn make_bare_move(
    tables: &Tablebase,
    position: &Position,
    played: &TaflBareMove,
) -> Result<TaflPosition, CallError> {
    Ok(position.after(&played.read(tables.rules().board)?).into())
}

fn write_move_values(
    tables: &Tablebase,
    position: &Position,
    moves: &mut Output<TaflMoveValue>,
) -> Result<usize, CallError> {
    let (probed, board) = (tables.probe(position)?.moves, tables.rules().board);
    Ok(moves.write(probed.iter().map(|probed| TaflMoveValue::new(probed, board))))
}

fn play_legal_move(
    tables: &Tablebase,
    position: &Position,
    &TaflMove { from, to, .. }: &TaflMove,
) -> Result<TaflPosition, CallError> {
    let rules = tables.rules();
    position.check(rules)?;
    let [start, target] = [from, to].map(|number| rules.board.square(number.into()));
    let legal = start.zip(target).and_then(|(from, to)| find_move(rules, position, from, to));
    let played = legal.ok_or_else(|| {
        CallError::argument(format!("there is no legal move from square {from} to square {to}"))
    })?;
    Ok(position.after(&played).into())
}
