/*
 * The C interface of taflbase: probing the values of tafl positions with few men.
 *
 * Calls that can fail return a TaflStatus and write their results through pointers.
 * After a failure taflbase_last_error returns a message, and nothing is written unless
 * the call says otherwise.
 *
 * Pointers. A null pointer where a value is needed is TAFL_STATUS_INVALID_ARGUMENT.
 * Any other pointer must be valid for the stated number of elements until the call
 * returns, and nothing else may access results meanwhile. What you pass stays yours;
 * of what you get, only a tablebase must be freed, by taflbase_free. Texts are
 * UTF-8 and end with a zero.
 *
 * Threads. Functions that take a const TaflTablebase may be called from any number of
 * threads at once, with the same tablebase. Those that take a non-const one
 * (taflbase_add_directory, taflbase_free) need exclusive access. A message is the
 * calling thread's last failure.
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
 * The size of a buffer for a move as text, with the terminating zero.
 */
#define TAFL_MOVE_TEXT_BYTES 96

/**
 * The size of a buffer for a position as text, with the terminating zero.
 */
#define TAFL_POSITION_TEXT_BYTES 384

/**
 * Tables of wins, draws and losses.
 */
#define TAFL_METRIC_WDL 0

/**
 * Tables of distances, which include wins, draws and losses.
 */
#define TAFL_METRIC_DTW 1

/**
 * Files are mapped into memory: the fastest way. A file that is cut short while it
 * is mapped ends the process.
 */
#define TAFL_ACCESS_MAPPED 0

/**
 * Files are read block by block. Any failure is reported as an error.
 */
#define TAFL_ACCESS_READ 1

/**
 * The value of a move is unknown: the table of the slice it leads to is missing.
 */
#define TAFL_KNOWN_NOTHING 0

/**
 * The outcome of a move is known, but not its distance.
 */
#define TAFL_KNOWN_OUTCOME 1

/**
 * The outcome and the distance of a move are known.
 */
#define TAFL_KNOWN_ALL 2

/**
 * The result of a call. 0 is success; for all others taflbase_last_error returns a
 * message.
 */
typedef enum {
  /**
   * Done.
   */
  TAFL_STATUS_OK = 0,
  /**
   * There is no table of the position's slice, or of one that a capture leads
   * to. The value is unknown: go on searching.
   */
  TAFL_STATUS_MISSING_TABLE = 1,
  /**
   * There is no best move: the side to move has no legal move and has lost.
   */
  TAFL_STATUS_NO_MOVE = 2,
  /**
   * The position is invalid under these rules, or the game is over.
   */
  TAFL_STATUS_BAD_POSITION = 3,
  /**
   * There is no such ruleset, or its file is invalid.
   */
  TAFL_STATUS_BAD_RULES = 4,
  /**
   * A file holds the table of other rules, or of another slice, than its folder and
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
   * A null pointer, a text that is not UTF-8, a number out of range, or an illegal move.
   */
  TAFL_STATUS_INVALID_ARGUMENT = 8,
  /**
   * A bug in taflbase. Free the tablebase and do not use it again.
   */
  TAFL_STATUS_PANIC = 9,
  /**
   * The format of a table is not supported by this version.
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
   * Neither side can force a win. See taflbase_draws_are_undecided and
   * taflbase_draws_are_endless.
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
 * Options for opening tables. Start with taflbase_default_options.
 */
typedef struct {
  /**
   * The maximum memory for decoded blocks, in bytes; 0 disables the cache.
   */
  size_t cache_bytes;
  /**
   * TAFL_ACCESS_MAPPED or TAFL_ACCESS_READ.
   */
  int access;
} TaflOptions;

/**
 * All positions of one material: the king and some soldiers. K2v4 has 2 defenders and
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
 * The size and the hit counts of a tablebase's cache of decoded blocks.
 */
typedef struct {
  /**
   * The number of lookups that found their block. Probes that need none, because the
   * rules or a table's index give the answer, are not counted.
   */
  uint64_t hits;
  /**
   * The number of lookups after which a block had to be decoded.
   */
  uint64_t misses;
  /**
   * The memory that blocks take.
   */
  size_t bytes;
  /**
   * The limit of that memory.
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
 * A legal move with its captures and ending, without its text: for searches.
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
   * How it ends the game: '+' if it captures the king, '-' if the king escapes, 'f' if it makes an
   * exit fort, 'e' if it encircles the defenders, 0 if it does none of these.
   */
  char ending;
} TaflBareMove;

/**
 * An outcome and its distance.
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
 * A legal move with its captures, ending and text.
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
   * How it ends the game: '+' if it captures the king, '-' if the king escapes, 'f' if it makes an
   * exit fort, 'e' if it encircles the defenders, 0 if it does none of these.
   */
  char ending;
  /**
   * The move as text, as in "e5-e8xe9/d8".
   */
  char text[TAFL_MOVE_TEXT_BYTES];
} TaflMove;

/**
 * A legal move and its value.
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
 * Returns the version of the library, as in "0.1.0". The text is static.
 */
const char *taflbase_version(void);

/**
 * Returns one line about the last call that failed in this thread: what is wrong and what
 * to do. Empty if none has failed. The text is valid until the thread's next call
 * that fails, or its end; do not free it.
 */
const char *taflbase_last_error(void);

/**
 * Returns the default options: a cache of 64 MiB, and mapped files.
 */
TaflOptions taflbase_default_options(void);

/**
 * Opens the tables of a ruleset, given by its name or as the path of its file.
 *
 * `tables` is the common folder, in which the ruleset's tables are in a folder of its
 * name, as `taflbase build` writes them; null for none. Slices without a file use the small
 * tables embedded in the library. `options` may be null for the defaults.
 *
 * Writes the tablebase, or null after a failure.
 */
TaflStatus taflbase_open(const char *rules,
                         const char *tables,
                         const TaflOptions *options,
                         TaflTablebase **tablebase);

/**
 * Adds the tables in a folder, all of which must be of the ruleset; of two tables of a
 * slice, that of the folder added last is used. Files are opened when they are first
 * needed. No other thread may use the tablebase meanwhile.
 */
TaflStatus taflbase_add_directory(TaflTablebase *tablebase, const char *directory);

/**
 * Frees the tablebase and closes its files; ignores a null pointer. Call it once for each
 * tablebase, while no other thread uses it.
 */
void taflbase_free(TaflTablebase *tablebase);

/**
 * Returns the maximum number of men, king included, of any table. 0 for a null pointer.
 */
size_t taflbase_max_men(const TaflTablebase *tablebase);

/**
 * Returns the maximum number of men, king included, of a DTW table, for taflbase_probe_dtw
 * and taflbase_best_move. 0 for a null pointer.
 */
size_t taflbase_max_men_dtw(const TaflTablebase *tablebase);

/**
 * Lists the slices with a table of the metric, TAFL_METRIC_WDL or TAFL_METRIC_DTW,
 * smallest first, according to file names. Writes their number to `length`, and
 * the first of them, at most `capacity`; `slices` may be null if `capacity` is 0.
 */
TaflStatus taflbase_slices(const TaflTablebase *tablebase,
                           int metric,
                           TaflSlice *slices,
                           size_t capacity,
                           size_t *length);

/**
 * Returns statistics that show whether the cache is large enough. All 0 for a null pointer.
 */
TaflCacheStatistics taflbase_cache_statistics(const TaflTablebase *tablebase);

/**
 * Returns the number of files, and of ranks, of the ruleset's board. 0 for a null pointer.
 */
size_t taflbase_board_size(const TaflTablebase *tablebase);

/**
 * Whether TAFL_WDL_DRAW means under these rules that the outcome depends on the moves
 * played before (as in `berkeley`): treat it as unknown. False for a null pointer.
 */
bool taflbase_draws_are_undecided(const TaflTablebase *tablebase);

/**
 * Whether TAFL_WDL_DRAW means under these rules that the attackers win, by endless play: neither
 * side can force a win, and the defenders may not repeat positions. False for a null pointer.
 */
bool taflbase_draws_are_endless(const TaflTablebase *tablebase);

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
 * the captures and the ending may be omitted; if present, they must be right.
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
 * Probes win, draw or loss for the side to move.
 */
TaflStatus taflbase_probe_wdl(const TaflTablebase *tablebase,
                              const TaflPosition *position,
                              TaflWdl *wdl);

/**
 * Probes the outcome and its distance.
 */
TaflStatus taflbase_probe_dtw(const TaflTablebase *tablebase,
                              const TaflPosition *position,
                              TaflDtw *dtw);

/**
 * Finds the best move: the quickest win, a draw, or the slowest loss. Returns
 * TAFL_STATUS_MISSING_TABLE if the choice depends on tables that are missing: those of
 * distances, unless the position is drawn, or those that captures lead to, unless
 * another move is known to be the best.
 */
TaflStatus taflbase_best_move(const TaflTablebase *tablebase,
                              const TaflPosition *position,
                              TaflMove *best);

/**
 * Finds a line of best play to the end of the game: as many moves as taflbase_probe_dtw
 * returns plies, none for a draw. Writes its `length` and its first moves, at most
 * `capacity` of them; `moves` may be null if `capacity` is 0.
 */
TaflStatus taflbase_line(const TaflTablebase *tablebase,
                         const TaflPosition *position,
                         TaflMove *moves,
                         size_t capacity,
                         size_t *length);

/**
 * Lists the legal moves of a position, by origin and then by target in square order;
 * `moves`, `capacity` and `length` as for taflbase_line. Needs no tables. In a search,
 * use taflbase_generate_moves, which makes no texts.
 */
TaflStatus taflbase_legal_moves(const TaflTablebase *tablebase,
                                const TaflPosition *position,
                                TaflMove *moves,
                                size_t capacity,
                                size_t *length);

/**
 * Lists the moves of taflbase_legal_moves without their texts, many times faster; `moves`,
 * `capacity` and `length` as for taflbase_line.
 */
TaflStatus taflbase_generate_moves(const TaflTablebase *tablebase,
                                   const TaflPosition *position,
                                   TaflBareMove *moves,
                                   size_t capacity,
                                   size_t *length);

/**
 * Makes a move that taflbase_generate_moves or taflbase_parse_move has returned for this
 * position; the result is that of taflbase_play. The move is not checked again: another
 * move may lead to an invalid position, and a probe of it fails or returns a meaningless
 * value. `after` may be `position`.
 */
TaflStatus taflbase_make_move(const TaflTablebase *tablebase,
                              const TaflPosition *position,
                              const TaflBareMove *played,
                              TaflPosition *after);

/**
 * Lists the legal moves of a position with their values, best first: the quickest win,
 * then draws, then the slowest loss, then unknown moves; `moves`, `capacity` and
 * `length` as for taflbase_line.
 */
TaflStatus taflbase_probe_moves(const TaflTablebase *tablebase,
                                const TaflPosition *position,
                                TaflMoveValue *moves,
                                size_t capacity,
                                size_t *length);

/**
 * Makes a legal move, of which only `from` and `to` are read. Captured soldiers are
 * removed; a captured king stays on the board. After a move that ends the game there is
 * nothing to probe.
 */
TaflStatus taflbase_play(const TaflTablebase *tablebase,
                         const TaflPosition *position,
                         const TaflMove *played,
                         TaflPosition *after);

/**
 * Probes win, draw or loss of `count` positions on all cores, and reads each block of a table
 * only once: much faster than single probes, for bulk work.
 *
 * `wdl` and `statuses` have room for `count` each: the result of taflbase_probe_wdl for
 * the position, and its status. Returns TAFL_STATUS_OK if all probes succeeded, and
 * otherwise the status of the first that failed, whose number, from 0, is in the
 * message. The others are probed all the same.
 */
TaflStatus taflbase_probe_many_wdl(const TaflTablebase *tablebase,
                                   const TaflPosition *positions,
                                   size_t count,
                                   TaflWdl *wdl,
                                   TaflStatus *statuses);

/**
 * Probes the outcomes and distances of `count` positions, as taflbase_probe_many_wdl does.
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
