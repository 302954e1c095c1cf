//! The types that C passes in and gets back: plain data. C may pass in any bit pattern, so that
//! inputs have no enums.

use std::ffi::{c_char, c_int};

use crate::game::board::{Board, Square, SquareSet};
use crate::game::moves::{Ending, Move};
use crate::game::position::{Position, PositionError};
use crate::game::rules::{Kind, Ruleset, Side};
use crate::game::slice::Slice;
use crate::game::value::{Value, Wdl};
use crate::table::{Access, Metric};
use crate::tablebase::{BlockCache, CacheStatistics, MoveProbe, TablebaseOptions};

use super::status::CallError;

/// The words of a set of squares: square s is bit s % 64 of word s / 64.
pub const TAFL_SET_WORDS: usize = 6;

/// The size of a buffer for a move as text, with the terminating zero.
pub const TAFL_MOVE_TEXT_BYTES: usize = 96;

/// The most soldiers that a move captures: on 19x19, 16 by shieldwalls and one in front.
pub(super) const MAX_CAPTURES: usize = 17;

/// The size of a buffer for a position as text, with the terminating zero.
pub const TAFL_POSITION_TEXT_BYTES: usize = 384;

/// Tables of wins, draws and losses.
pub const TAFL_METRIC_WDL: c_int = 0;

/// Tables of distances, which include wins, draws and losses.
pub const TAFL_METRIC_DTW: c_int = 1;

/// Files are mapped into memory: the fastest way. A file that is cut short while it
/// is mapped ends the process.
pub const TAFL_ACCESS_MAPPED: c_int = 0;

/// Files are read block by block. Any failure is reported as an error.
pub const TAFL_ACCESS_READ: c_int = 1;

/// Options for opening tables. Start with taflbase_default_options.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TaflOptions {
    /// The maximum memory for decoded blocks, in bytes; 0 disables the cache.
    pub cache_bytes: usize,
    /// TAFL_ACCESS_MAPPED or TAFL_ACCESS_READ.
    pub access: c_int,
}

/// The size and the hit counts of a tablebase's cache of decoded blocks.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct TaflCacheStatistics {
    /// The number of lookups that found their block. Probes that need none, because the
    /// rules or a table's index give the answer, are not counted.
    pub hits: u64,
    /// The number of lookups after which a block had to be decoded.
    pub misses: u64,
    /// The memory that blocks take.
    pub bytes: usize,
    /// The limit of that memory.
    pub limit_bytes: usize,
}

/// A position. Squares are numbered rank * size + file from a1, which is 0: on a 7x7
/// board c5 is 4 * 7 + 2.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TaflPosition {
    /// The attackers' squares.
    pub attackers: [u64; TAFL_SET_WORDS],
    /// The defenders' squares, without the king.
    pub defenders: [u64; TAFL_SET_WORDS],
    /// The king's square.
    pub king: u16,
    /// The side to move: 'a' for the attackers, 'd' for the defenders.
    pub to_move: c_char,
}

/// All positions of one material: the king and some soldiers. K2v4 has 2 defenders and
/// 4 attackers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TaflSlice {
    /// The defenders, without the king.
    pub defenders: u16,
    /// The attackers.
    pub attackers: u16,
}

/// An outcome with best play, for the side to move.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TaflWdl {
    /// The other side wins.
    Loss = -1,
    /// Neither side can force a win. See taflbase_draws_are_undecided and
    /// taflbase_draws_are_endless.
    Draw = 0,
    /// The side to move wins.
    Win = 1,
}

/// An outcome and its distance.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TaflDtw {
    /// The outcome.
    pub wdl: TaflWdl,
    /// Plies to the end of the game, the winner hurrying and the loser delaying: 1
    /// for a move that wins at once, 0 for a side without a move. 0 for a draw.
    pub plies: u16,
}

/// A legal move with its captures and ending, without its text: for searches.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TaflBareMove {
    /// The squares of the soldiers that it captures.
    pub captured: [u64; TAFL_SET_WORDS],
    /// Where the piece stood.
    pub from: u16,
    /// Where it arrives.
    pub to: u16,
    /// The piece: 't' for an attacker, 'T' for a defender, 'K' for the king.
    pub piece: c_char,
    /// How it ends the game: '+' if it captures the king, '-' if the king escapes, 'f' if it makes an
    /// exit fort, 'e' if it encircles the defenders, 0 if it does none of these.
    pub ending: c_char,
}

/// A legal move with its captures, ending and text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TaflMove {
    /// The squares of the soldiers that it captures.
    pub captured: [u64; TAFL_SET_WORDS],
    /// Where the piece stood.
    pub from: u16,
    /// Where it arrives.
    pub to: u16,
    /// The piece: 't' for an attacker, 'T' for a defender, 'K' for the king.
    pub piece: c_char,
    /// How it ends the game: '+' if it captures the king, '-' if the king escapes, 'f' if it makes an
    /// exit fort, 'e' if it encircles the defenders, 0 if it does none of these.
    pub ending: c_char,
    /// The move as text, as in "e5-e8xe9/d8".
    pub text: [c_char; TAFL_MOVE_TEXT_BYTES],
}

/// The value of a move is unknown: the table of the slice it leads to is missing.
pub const TAFL_KNOWN_NOTHING: c_int = 0;

/// The outcome of a move is known, but not its distance.
pub const TAFL_KNOWN_OUTCOME: c_int = 1;

/// The outcome and the distance of a move are known.
pub const TAFL_KNOWN_ALL: c_int = 2;

/// A legal move and its value.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TaflMoveValue {
    /// The move.
    pub played: TaflMove,
    /// TAFL_KNOWN_NOTHING, TAFL_KNOWN_OUTCOME or TAFL_KNOWN_ALL.
    pub known: c_int,
    /// Its outcome for the side that plays it; a draw if nothing is known.
    pub wdl: TaflWdl,
    /// The plies that are left after it: 0 for a move that ends the game. 0 for a draw,
    /// and where they are not known.
    pub plies: u16,
}

impl Default for TaflOptions {
    fn default() -> TaflOptions {
        TaflOptions { cache_bytes: BlockCache::DEFAULT_BYTES, access: TAFL_ACCESS_MAPPED }
    }
}

impl TaflOptions {
    pub(super) fn read(self) -> Result<TablebaseOptions, CallError> {
        let access = match self.access {
            TAFL_ACCESS_MAPPED => Access::Mapped,
            TAFL_ACCESS_READ => Access::Read,
            other => {
                return Err(CallError::argument(format!(
                    "{other} is not an access mode: use TAFL_ACCESS_MAPPED or TAFL_ACCESS_READ"
                )));
            }
        };
        let cache = BlockCache::new(self.cache_bytes);
        Ok(TablebaseOptions { access, cache, ..TablebaseOptions::default() })
    }
}

impl From<CacheStatistics> for TaflCacheStatistics {
    fn from(statistics: CacheStatistics) -> TaflCacheStatistics {
        let CacheStatistics { hits, misses, bytes, limit_bytes } = statistics;
        TaflCacheStatistics { hits, misses, bytes, limit_bytes }
    }
}

impl TaflPosition {
    /// Converts to a position. Only the king's square and the side to move are checked: a probe
    /// checks the rest.
    pub(super) fn read(&self, rules: &Ruleset) -> Result<Position, PositionError> {
        let board = rules.board;
        let number = usize::from(self.king);
        let off_board = PositionError::OffBoard { kind: Kind::King, number, board };
        let king = board.square(number).ok_or(off_board)?;
        let to_move = match self.to_move as u8 {
            b'a' => Side::Attackers,
            b'd' => Side::Defenders,
            other => return Err(PositionError::UnknownSide(char::from(other).to_string())),
        };
        let attackers = SquareSet::from_words(self.attackers);
        let defenders = SquareSet::from_words(self.defenders);
        Ok(Position { attackers, defenders, king, to_move, rules: rules.id() })
    }
}

impl From<Position> for TaflPosition {
    fn from(position: Position) -> TaflPosition {
        let to_move = match position.to_move {
            Side::Attackers => b'a',
            Side::Defenders => b'd',
        };
        TaflPosition {
            attackers: position.attackers.words(),
            defenders: position.defenders.words(),
            king: position.king.index() as u16,
            to_move: to_move as c_char,
        }
    }
}

impl From<Wdl> for TaflWdl {
    fn from(wdl: Wdl) -> TaflWdl {
        match wdl {
            Wdl::Loss => TaflWdl::Loss,
            Wdl::Draw => TaflWdl::Draw,
            Wdl::Win => TaflWdl::Win,
        }
    }
}

impl From<Value> for TaflDtw {
    fn from(value: Value) -> TaflDtw {
        TaflDtw { wdl: value.wdl().into(), plies: value.plies().unwrap_or(0) }
    }
}

impl TaflMoveValue {
    pub(super) fn new(probed: &MoveProbe, board: Board) -> TaflMoveValue {
        let known = match probed.value {
            None => TAFL_KNOWN_NOTHING,
            Some(value) if value.is_exact() => TAFL_KNOWN_ALL,
            Some(_) => TAFL_KNOWN_OUTCOME,
        };
        TaflMoveValue {
            played: TaflMove::new(probed.played, board),
            known,
            wdl: probed.value.map_or(TaflWdl::Draw, |value| value.wdl.into()),
            plies: probed.value.and_then(|value| value.plies).unwrap_or(0),
        }
    }
}

impl TaflMove {
    pub(super) fn new(played: Move, board: Board) -> TaflMove {
        let TaflBareMove { captured, from, to, piece, ending } = played.into();
        let mut text = [0; TAFL_MOVE_TEXT_BYTES];
        // With `MAX_CAPTURES` it takes 80 bytes at most.
        let written = played.display(board).to_string();
        for (to, byte) in text[..TAFL_MOVE_TEXT_BYTES - 1].iter_mut().zip(written.bytes()) {
            *to = byte as c_char;
        }
        TaflMove { captured, from, to, piece, ending, text }
    }
}

impl From<Move> for TaflBareMove {
    #[inline]
    fn from(played: Move) -> TaflBareMove {
        let ending = match played.ending {
            Some(Ending::KingCaptured) => b'+',
            Some(Ending::KingEscaped) => b'-',
            Some(Ending::ExitFort) => b'f',
            Some(Ending::Encirclement) => b'e',
            None => 0,
        };
        TaflBareMove {
            captured: played.captured.words(),
            from: played.from.index() as u16,
            to: played.to.index() as u16,
            piece: played.piece.letter() as u8 as c_char,
            ending: ending as c_char,
        }
    }
}

impl TaflBareMove {
    /// Converts to a move, without checking that it is legal in a position.
    #[inline]
    pub(super) fn read(&self, board: Board) -> Result<Move, CallError> {
        let piece = match self.piece as u8 {
            b't' => Kind::Attacker,
            b'T' => Kind::Defender,
            b'K' => Kind::King,
            other => return Err(unknown("piece", other, "t, T or K")),
        };
        let ending = match self.ending as u8 {
            0 => None,
            b'+' => Some(Ending::KingCaptured),
            b'-' => Some(Ending::KingEscaped),
            b'f' => Some(Ending::ExitFort),
            b'e' => Some(Ending::Encirclement),
            other => return Err(unknown("ending", other, "+, -, f, e or 0")),
        };
        let captured = SquareSet::from_words(self.captured);
        let (from, to) = (square(board, self.from)?, square(board, self.to)?);
        Ok(Move { piece, from, to, captured, ending })
    }
}

#[inline]
fn square(board: Board, number: u16) -> Result<Square, CallError> {
    board
        .square(usize::from(number))
        .ok_or_else(|| CallError::argument(format!("the board has no square {number}")))
}

/// Returns the error for a field of a move with an invalid value.
#[cold]
fn unknown(field: &str, found: u8, values: &str) -> CallError {
    let letter = char::from(found);
    CallError::argument(format!("{letter:?} is invalid as the {field} of a move: use {values}"))
}

impl From<Slice> for TaflSlice {
    fn from(slice: Slice) -> TaflSlice {
        // The area of every board fits.
        TaflSlice { defenders: slice.defenders as u16, attackers: slice.attackers as u16 }
    }
}

/// Returns the metric of a TAFL_METRIC number.
pub(super) fn metric(number: c_int) -> Result<Metric, CallError> {
    match number {
        TAFL_METRIC_WDL => Ok(Metric::Wdl),
        TAFL_METRIC_DTW => Ok(Metric::Dtw),
        other => Err(CallError::argument(format!(
            "{other} is not a metric: use TAFL_METRIC_WDL or TAFL_METRIC_DTW"
        ))),
    }
}
