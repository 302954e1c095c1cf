/*
 * The C interface of taflbase: what tafl positions with few men are worth.
 *
 * Calls that can fail return a TaflStatus and write their results through pointers.
 * After a failure taflbase_last_error has a message, and nothing is written unless
 * the call says otherwise.
 *
 * Pointers. A null pointer where a value is needed is TAFL_STATUS_INVALID_ARGUMENT.
 * Any other pointer must be good: for as many elements as are said, until the call
 * returns, and for results used by nobody else meanwhile. What you pass stays yours;
 * of what you get, only a tablebase has to be freed, by taflbase_free. Texts are
 * UTF-8 and end with a zero.
 *
 * Threads. All functions that take a const TaflTablebase are for any number of
 * threads at once, with the same tablebase. Those that take one that is not const
 * (taflbase_add_directory, taflbase_free) need it for themselves. A message is the
 * last failure's of the thread that asks.
 *
 * How to build, install and link: docs/c.md.
 */

#ifndef TAFLBASE_H
#define TAFLBASE_H

/* Made by cbindgen from src/capi: see tests/capi. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The version of the header, as taflbase_version has the library's.
 */
#define TAFLBASE_VERSION "0.1.0"
#define TAFLBASE_VERSION_MAJOR 0
#define TAFLBASE_VERSION_MINOR 1
#define TAFLBASE_VERSION_PATCH 0

/**
 * The words of a set of squares: square s is bit s % 64 of word s / 64.
 */
#define TAFL_SET_WORDS 6

/**
 * The room for a move as text, with the zero at its end.
 */
#define TAFL_MOVE_TEXT_BYTES 32

/**
 * The room for a position as text, with the zero at its end.
 */
#define TAFL_POSITION_TEXT_BYTES 384

/**
 * Tables of wins, draws and losses.
 */
#define TAFL_METRIC_WDL 0

/**
 * Tables of distances, which have wins, draws and losses, too.
 */
#define TAFL_METRIC_DTW 1

/**
 * Files are mapped into memory: the fastest way. A file that is cut short while it
 * is mapped ends the process.
 */
#define TAFL_ACCESS_MAPPED 0

/**
 * Files are read block by block. Whatever happens to them is an error.
 */
#define TAFL_ACCESS_READ 1

/**
 * Nothing is known of what a move leads to: the table of its slice is missing.
 */
#define TAFL_KNOWN_NOTHING 0

/**
 * The outcome of a move is known, and not its distance.
 */
#define TAFL_KNOWN_OUTCOME 1

/**
 * All is known of a move.
 */
#define TAFL_KNOWN_ALL 2

/**
 * How a call ended. 0 is success; for everything else taflbase_last_error has a
 * message.
 */
typedef enum {
  /**
   * Done.
   */
  TAFL_STATUS_OK = 0,
  /**
   * There is no table of the position's slice, or of one that a capture leads
   * to. It says nothing about the position: search on.
   */
  TAFL_STATUS_MISSING_TABLE = 1,
  /**
   * There is no best move: the side to move has no legal move and has lost.
   */
  TAFL_STATUS_NO_MOVE = 2,
  /**
   * This is no position of a running game under these rules.
   */
  TAFL_STATUS_BAD_POSITION = 3,
  /**
   * There is no such ruleset, or its file is not sound.
   */
  TAFL_STATUS_BAD_RULES = 4,
  /**
   * A file is the table of other rules, or of another slice, than its folder and
   * name say.
   */
  TAFL_STATUS_WRONG_RULES = 5,
  /**
   * A table is damaged.
   */
  TAFL_STATUS_CORRUPTED = 6,
  /**
   * A file or folder cannot be read.
   */
  TAFL_STATUS_IO = 7,
  /**
   * A null pointer, a text that is not UTF-8, a number out of range, or no legal move.
   */
  TAFL_STATUS_INVALID_ARGUMENT = 8,
  /**
   * A bug in taflbase. Free the tablebase and use it no more.
   */
  TAFL_STATUS_PANIC = 9,
  /**
   * A table is of a format that this version does not read.
   */
  TAFL_STATUS_UNSUPPORTED = 10,
} TaflStatus;

/**
 * An outcome with best play, for the side to move.
 */
typedef enum {
  /**
   * The other side wins.
   */
  TAFL_WDL_LOSS = -1,
  /**
   * Neither side can force a win. See taflbase_draws_are_undecided.
   */
  TAFL_WDL_DRAW = 0,
  /**
   * The side to move wins.
   */
  TAFL_WDL_WIN = 1,
} TaflWdl;

/**
 * The tables of one ruleset.
 */
typedef struct TaflTablebase TaflTablebase;

/**
 * How tables are opened. Begin with taflbase_default_options.
 */
typedef struct {
  /**
   * The most bytes that decoded blocks may take; 0 keeps none.
   */
  size_t cache_bytes;
  /**
   * TAFL_ACCESS_MAPPED or TAFL_ACCESS_READ.
   */
  int access;
} TaflOptions;

/**
 * All positions of one material: the king and so many soldiers. K2v4 has 2 defenders and
 * 4 attackers.
 */
typedef struct {
  /**
   * The defenders, without the king.
   */
  uint16_t defenders;
  /**
   * The attackers.
   */
  uint16_t attackers;
} TaflSlice;

/**
 * What a tablebase's cache of decoded blocks holds, and how it has served so far.
 */
typedef struct {
  /**
   * How often a block that was needed was there. Probes that need none, because the
   * rules or a table's index give the answer, are not counted.
   */
  uint64_t hits;
  /**
   * How often a block had to be decoded.
   */
  uint64_t misses;
  /**
   * The memory that blocks take.
   */
  size_t bytes;
  /**
   * The most that they may take.
   */
  size_t limit_bytes;
} TaflCacheStatistics;

/**
 * A position. Squares are numbered rank * size + file from a1, which is 0: on a 7x7
 * board c5 is 4 * 7 + 2.
 */
typedef struct {
  /**
   * The attackers' squares.
   */
  uint64_t attackers[TAFL_SET_WORDS];
  /**
   * The defenders' squares, without the king.
   */
  uint64_t defenders[TAFL_SET_WORDS];
  /**
   * The king's square.
   */
  uint16_t king;
  /**
   * The side to move: 'a' for the attackers, 'd' for the defenders.
   */
  char to_move;
} TaflPosition;

/**
 * A legal move with all that it does, without its text: for searches.
 */
typedef struct {
  /**
   * The squares of the soldiers that it captures.
   */
  uint64_t captured[TAFL_SET_WORDS];
  /**
   * Where the piece stood.
   */
  uint16_t from;
  /**
   * Where it arrives.
   */
  uint16_t to;
  /**
   * The piece: 't' for an attacker, 'T' for a defender, 'K' for the king.
   */
  char piece;
  /**
   * How it ends the game: '+' if it captures the king, '-' if the king escapes,
   * 0 if it does neither.
   */
  char ending;
} TaflBareMove;

/**
 * An outcome and how far away it is.
 */
typedef struct {
  /**
   * The outcome.
   */
  TaflWdl wdl;
  /**
   * Plies to the end of the game, the winner hurrying and the loser delaying: 1
   * for a move that wins at once, 0 for a side without a move. 0 for a draw.
   */
  uint16_t plies;
} TaflDtw;

/**
 * A legal move with all that it does, and its text.
 */
typedef struct {
  /**
   * The squares of the soldiers that it captures.
   */
  uint64_t captured[TAFL_SET_WORDS];
  /**
   * Where the piece stood.
   */
  uint16_t from;
  /**
   * Where it arrives.
   */
  uint16_t to;
  /**
   * The piece: 't' for an attacker, 'T' for a defender, 'K' for the king.
   */
  char piece;
  /**
   * How it ends the game: '+' if it captures the king, '-' if the king escapes,
   * 0 if it does neither.
   */
  char ending;
  /**
   * The move as text, as in "e5-e8xe9/d8".
   */
  char text[TAFL_MOVE_TEXT_BYTES];
} TaflMove;

/**
 * A legal move and what it leads to.
 */
typedef struct {
  /**
   * The move.
   */
  TaflMove played;
  /**
   * TAFL_KNOWN_NOTHING, TAFL_KNOWN_OUTCOME or TAFL_KNOWN_ALL.
   */
  int known;
  /**
   * Its outcome for the side that plays it; a draw if nothing is known.
   */
  TaflWdl wdl;
  /**
   * The plies that are left after it: 0 for a move that ends the game. 0 for a draw,
   * and where they are not known.
   */
  uint16_t plies;
} TaflMoveValue;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the library, as in "0.1.0". The text is there for good.
 */
const char *taflbase_version(void);

/**
 * One line about the last call that failed in this thread: what was wrong, and what
 * to do. Empty if none has failed. The text is there until the thread's next call
 * that fails, or its end; do not free it.
 */
const char *taflbase_last_error(void);

/**
 * A cache of 64 MiB, and mapped files.
 */
TaflOptions taflbase_default_options(void);

/**
 * Opens the tables of a ruleset, given by its name or as the path of its file.
 *
 * `tables` is the common folder, in which the ruleset's tables are in a folder of its
 * name, as `taflbase build` writes them; null for none. Behind them stand the small
 * tables that are part of the library. `options` may be null for the default ones.
 *
 * Writes the tablebase, or null after a failure.
 */
TaflStatus taflbase_open(const char *rules,
                         const char *tables,
                         const TaflOptions *options,
                         TaflTablebase **tablebase);

/**
 * Adds the tables in a folder, all of which must be the ruleset's; of two tables of a
 * slice, that of the folder added last is taken. Files are opened when they are first
 * needed. Not while another thread uses the tablebase.
 */
TaflStatus taflbase_add_directory(TaflTablebase *tablebase, const char *directory);

/**
 * Frees the tablebase and closes its files; a null pointer is let be. Once for each
 * tablebase, and not while another thread uses it.
 */
void taflbase_free(TaflTablebase *tablebase);

/**
 * The most men, king included, of which there is any table. 0 for a null pointer.
 */
size_t taflbase_max_men(const TaflTablebase *tablebase);

/**
 * The most men, king included, of which there are distances: those of taflbase_probe_dtw
 * and taflbase_best_move. 0 for a null pointer.
 */
size_t taflbase_max_men_dtw(const TaflTablebase *tablebase);

/**
 * The slices of which there is a table of the metric, TAFL_METRIC_WDL or TAFL_METRIC_DTW,
 * smallest first, going by the names of files. Writes how many there are to `length`, and
 * the first ones, `capacity` of them at most; `slices` may be null if `capacity` is 0.
 */
TaflStatus taflbase_slices(const TaflTablebase *tablebase,
                           int metric,
                           TaflSlice *slices,
                           size_t capacity,
                           size_t *length);

/**
 * How the cache has served: whether it is large enough. All 0 for a null pointer.
 */
TaflCacheStatistics taflbase_cache_statistics(const TaflTablebase *tablebase);

/**
 * The files of the ruleset's board, and its ranks. 0 for a null pointer.
 */
size_t taflbase_board_size(const TaflTablebase *tablebase);

/**
 * Whether TAFL_WDL_DRAW means under these rules that the outcome depends on what was
 * played before (as in `berkeley`): treat it as unknown. False for a null pointer.
 */
bool taflbase_draws_are_undecided(const TaflTablebase *tablebase);

/**
 * Reads a position as OpenTafl writes it: the board from rank 1 up, a blank, and the
 * side to move, as in "/7/4t2/7/7/2K4/7/2t4/ d".
 */
TaflStatus taflbase_parse_position(const TaflTablebase *tablebase,
                                   const char *otn,
                                   TaflPosition *position);

/**
 * Writes a position as taflbase_parse_position reads it. `text` has room for
 * TAFL_POSITION_TEXT_BYTES.
 */
TaflStatus taflbase_print_position(const TaflTablebase *tablebase,
                                   const TaflPosition *position,
                                   char *text);

/**
 * Reads a legal move of a position, as in "e5-e8xe9/d8" or "Ke1-a1--". The piece's letter,
 * the captures and the ending may be missing; what is there must be right.
 */
TaflStatus taflbase_parse_move(const TaflTablebase *tablebase,
                               const TaflPosition *position,
                               const char *text,
                               TaflBareMove *played);

/**
 * Writes a move as text, as in "e5-e8xe9/d8". `text` has room for TAFL_MOVE_TEXT_BYTES.
 */
TaflStatus taflbase_print_move(const TaflTablebase *tablebase,
                               const TaflBareMove *played,
                               char *text);

/**
 * Win, draw or loss for the side to move.
 */
TaflStatus taflbase_probe_wdl(const TaflTablebase *tablebase,
                              const TaflPosition *position,
                              TaflWdl *wdl);

/**
 * The outcome and its distance.
 */
TaflStatus taflbase_probe_dtw(const TaflTablebase *tablebase,
                              const TaflPosition *position,
                              TaflDtw *dtw);

/**
 * The best move: the quickest win, a draw, or the slowest loss. It is
 * TAFL_STATUS_MISSING_TABLE if the choice depends on tables that are missing: those of
 * distances, unless the position is drawn, and of what a capture leads to, unless
 * another move is known to be the best.
 */
TaflStatus taflbase_best_move(const TaflTablebase *tablebase,
                              const TaflPosition *position,
                              TaflMove *best);

/**
 * One line of best play to the end of the game: as many moves as taflbase_probe_dtw
 * tells plies, none for a draw. Writes its `length`, and its first moves, `capacity` of
 * them at most; `moves` may be null if `capacity` is 0.
 */
TaflStatus taflbase_line(const TaflTablebase *tablebase,
                         const TaflPosition *position,
                         TaflMove *moves,
                         size_t capacity,
                         size_t *length);

/**
 * The legal moves of a position, by origin and then by target in the order of squares;
 * `moves`, `capacity` and `length` as for taflbase_line. No tables are needed. A search
 * takes taflbase_generate_moves, which makes no texts.
 */
TaflStatus taflbase_legal_moves(const TaflTablebase *tablebase,
                                const TaflPosition *position,
                                TaflMove *moves,
                                size_t capacity,
                                size_t *length);

/**
 * The moves of taflbase_legal_moves without their texts, many times faster; `moves`,
 * `capacity` and `length` as for taflbase_line.
 */
TaflStatus taflbase_generate_moves(const TaflTablebase *tablebase,
                                   const TaflPosition *position,
                                   TaflBareMove *moves,
                                   size_t capacity,
                                   size_t *length);

/**
 * The position after a move that taflbase_generate_moves or taflbase_parse_move has given
 * for this position; the same as that of taflbase_play. Whether the move is legal is not
 * looked at again: after another move, what is there may be no position, and a probe of it
 * fails or answers for what is there. `after` may be `position`.
 */
TaflStatus taflbase_make_move(const TaflTablebase *tablebase,
                              const TaflPosition *position,
                              const TaflBareMove *played,
                              TaflPosition *after);

/**
 * The legal moves of a position with their values, best first: the quickest win, then
 * draws, then the slowest loss, then those of which nothing is known; `moves`, `capacity`
 * and `length` as for taflbase_line.
 */
TaflStatus taflbase_probe_moves(const TaflTablebase *tablebase,
                                const TaflPosition *position,
                                TaflMoveValue *moves,
                                size_t capacity,
                                size_t *length);

/**
 * The position after a legal move, of which only `from` and `to` are read. Captured
 * soldiers are gone; a captured king stays on the board, and after a move that ends the
 * game there is nothing to probe.
 */
TaflStatus taflbase_play(const TaflTablebase *tablebase,
                         const TaflPosition *position,
                         const TaflMove *played,
                         TaflPosition *after);

/**
 * Win, draw or loss of `count` positions, each block of a table read once and by all
 * cores: much faster than one by one, for bulk work.
 *
 * `wdl` and `statuses` have room for `count` each: what taflbase_probe_wdl writes for the
 * position, and what it returns. Returns TAFL_STATUS_OK if all positions were answered,
 * and otherwise the status of the first that was not, whose number, from 0, the message
 * tells. The others are answered all the same.
 */
TaflStatus taflbase_probe_many_wdl(const TaflTablebase *tablebase,
                                   const TaflPosition *positions,
                                   size_t count,
                                   TaflWdl *wdl,
                                   TaflStatus *statuses);

/**
 * The outcomes and distances of `count` positions, as taflbase_probe_many_wdl.
 */
TaflStatus taflbase_probe_many_dtw(const TaflTablebase *tablebase,
                                   const TaflPosition *positions,
                                   size_t count,
                                   TaflDtw *dtw,
                                   TaflStatus *statuses);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TAFLBASE_H */
