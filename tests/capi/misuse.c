/* Every error is a status and a message, and never ends the process.
 *
 *   misuse TABLES DAMAGED FOREIGN BLOCKED
 *
 * Folders of brandubh's tables: sound ones; with a damaged K1v1; with K1v1 of another
 * ruleset; and one where a file has the folder's name. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "taflbase.h"

#define WON "/7/4t2/7/7/2K4/7/2t4/ d"
#define K1V1 "/7/2T4/4K2/7/7/2t4/7/ a"
#define SEVEN_MEN "/7/2T4/4K2/1tt1t2/7/2t2t1/7/ a"
#define LOST_WITHOUT_A_MOVE "/7/7/7/7/2K4/7/7/ a"

#define REQUIRE(condition) \
    ((condition) ? (void)0 : (void)(fail(__LINE__, #condition), exit(EXIT_FAILURE)))

/* Checks that the call fails with this status and a message that contains this text. */
#define FAILS(call, status, words) \
    do { \
        REQUIRE((call) == (status)); \
        REQUIRE(strstr(taflbase_last_error(), words) != NULL); \
    } while (0)

static void fail(int line, const char *condition)
{
    fprintf(stderr, "misuse.c:%d: %s\nlast error: %s\n", line, condition, taflbase_last_error());
}

static TaflTablebase *open_brandubh(const char *folder)
{
    TaflTablebase *tables = NULL;
    REQUIRE(taflbase_open("brandubh", folder, NULL, &tables) == TAFL_STATUS_OK);
    REQUIRE(tables != NULL);
    return tables;
}

static TaflPosition parse(const TaflTablebase *tables, const char *text)
{
    TaflPosition position;
    REQUIRE(taflbase_parse_position(tables, text, &position) == TAFL_STATUS_OK);
    return position;
}

static TaflStatus probe(const char *folder, const char *text)
{
    TaflTablebase *tables = open_brandubh(folder);
    TaflPosition position = parse(tables, text);
    TaflDtw dtw;
    TaflStatus status = taflbase_probe_dtw(tables, &position, &dtw);
    taflbase_free(tables);
    return status;
}

static void wrong_openings(const char *folder)
{
    /* An invalid pointer, which must not be freed. */
    TaflTablebase *tables = (TaflTablebase *)&tables;
    TaflOptions options = taflbase_default_options();

    FAILS(taflbase_open("chess", NULL, NULL, &tables), TAFL_STATUS_BAD_RULES, "chess");
    REQUIRE(tables == NULL);
    FAILS(taflbase_open("", NULL, NULL, &tables), TAFL_STATUS_BAD_RULES, "built-in");
    FAILS(taflbase_open(NULL, folder, NULL, &tables), TAFL_STATUS_INVALID_ARGUMENT, "rules");
    FAILS(taflbase_open("\xff", folder, NULL, &tables), TAFL_STATUS_INVALID_ARGUMENT, "UTF-8");
    FAILS(taflbase_open("brandubh", "no\nfolder", NULL, &tables), TAFL_STATUS_IO,
          "no folder: there is no such table folder");
    FAILS(taflbase_open("brandubh", folder, NULL, NULL), TAFL_STATUS_INVALID_ARGUMENT, "tablebase");
    FAILS(taflbase_open("brandubh", folder, (TaflOptions *)((char *)&options + 1), &tables),
          TAFL_STATUS_INVALID_ARGUMENT, "aligned");
    options.access = 7;
    FAILS(taflbase_open("brandubh", folder, &options, &tables), TAFL_STATUS_INVALID_ARGUMENT,
          "7 is not an access mode");
    options.access = TAFL_ACCESS_READ;
    options.cache_bytes = SIZE_MAX;
    REQUIRE(taflbase_open("brandubh", folder, &options, &tables) == TAFL_STATUS_OK);
    taflbase_free(tables);
    taflbase_free(NULL);
}

static void wrong_pointers(const char *folder)
{
    TaflTablebase *tables = open_brandubh(folder);
    TaflPosition position = parse(tables, WON);
    TaflWdl wdl;
    TaflDtw dtw;
    TaflMove move;
    TaflBareMove bare;
    TaflSlice slice;
    TaflStatus status;
    size_t length;
    char text[TAFL_POSITION_TEXT_BYTES];
    const TaflStatus invalid = TAFL_STATUS_INVALID_ARGUMENT;

    FAILS(taflbase_parse_position(NULL, WON, &position), invalid, "tablebase");
    FAILS(taflbase_parse_position(tables, NULL, &position), invalid, "otn");
    FAILS(taflbase_parse_position(tables, WON, NULL), invalid, "position");
    FAILS(taflbase_probe_wdl(NULL, &position, &wdl), invalid, "tablebase");
    FAILS(taflbase_probe_wdl(tables, NULL, &wdl), invalid, "position");
    FAILS(taflbase_probe_wdl(tables, &position, NULL), invalid, "result");
    FAILS(taflbase_probe_dtw(tables, &position, NULL), invalid, "result");
    FAILS(taflbase_best_move(tables, NULL, &move), invalid, "position");
    FAILS(taflbase_line(tables, &position, NULL, 1, &length), invalid, "moves");
    FAILS(taflbase_line(tables, &position, &move, 1, NULL), invalid, "length");
    FAILS(taflbase_legal_moves(tables, &position, NULL, 1, &length), invalid, "moves");
    FAILS(taflbase_generate_moves(tables, &position, NULL, 1, &length), invalid, "moves");
    FAILS(taflbase_probe_moves(tables, &position, NULL, 1, &length), invalid, "moves");
    FAILS(taflbase_make_move(tables, &position, NULL, &position), invalid, "played");
    FAILS(taflbase_parse_move(tables, &position, NULL, &bare), invalid, "text");
    FAILS(taflbase_parse_move(tables, &position, "c5-c1", NULL), invalid, "result");
    FAILS(taflbase_print_move(tables, NULL, text), invalid, "played");
    FAILS(taflbase_print_position(tables, &position, NULL), invalid, "text");
    FAILS(taflbase_slices(tables, TAFL_METRIC_DTW, NULL, 1, &length), invalid, "slices");
    FAILS(taflbase_slices(tables, TAFL_METRIC_DTW, &slice, 1, NULL), invalid, "length");
    FAILS(taflbase_slices(tables, 2, &slice, 1, &length), invalid, "2 is not a metric");
    FAILS(taflbase_play(tables, &position, NULL, &position), invalid, "played");
    move.from = move.to = 0;
    FAILS(taflbase_play(tables, &position, &move, &position), invalid, "no legal move");
    FAILS(taflbase_probe_many_wdl(tables, NULL, 1, &wdl, &status), invalid, "positions");
    FAILS(taflbase_probe_many_wdl(tables, &position, 1, NULL, &status), invalid, "wdl");
    FAILS(taflbase_probe_many_dtw(tables, &position, 1, &dtw, NULL), invalid, "statuses");
    FAILS(taflbase_probe_many_dtw(tables, &position, SIZE_MAX, &dtw, &status), invalid,
          "positions");
    FAILS(taflbase_add_directory(NULL, folder), invalid, "tablebase");
    FAILS(taflbase_add_directory(tables, NULL), invalid, "directory");
    REQUIRE(taflbase_probe_many_wdl(tables, NULL, 0, NULL, NULL) == TAFL_STATUS_OK);
    REQUIRE(taflbase_max_men(NULL) == 0 && taflbase_max_men_dtw(NULL) == 0);
    REQUIRE(taflbase_board_size(NULL) == 0);
    REQUIRE(!taflbase_draws_are_undecided(NULL) && !taflbase_draws_are_endless(NULL));
    REQUIRE(taflbase_cache_statistics(NULL).limit_bytes == 0);
    taflbase_free(tables);
}

static void wrong_positions(const char *folder)
{
    TaflTablebase *tables = open_brandubh(folder);
    const TaflPosition won = parse(tables, WON);
    TaflPosition position = won;
    TaflWdl wdl = TAFL_WDL_LOSS;
    const TaflStatus bad = TAFL_STATUS_BAD_POSITION;

    FAILS(taflbase_parse_position(tables, "nonsense", &position), bad, "");
    FAILS(taflbase_parse_position(tables, "/7/7/7/7/7/7/7/ d", &position), bad, "king");
    memset(&position, 0xff, sizeof position);
    FAILS(taflbase_probe_wdl(tables, &position, &wdl), bad, "65535");
    position = won;
    position.to_move = '\n';
    FAILS(taflbase_probe_wdl(tables, &position, &wdl), bad, "\\n");
    position = won;
    position.attackers[5] = 1ULL << 63;
    FAILS(taflbase_probe_wdl(tables, &position, &wdl), bad, "383");
    position = won;
    position.defenders[0] |= 1ULL << won.king;
    FAILS(taflbase_probe_wdl(tables, &position, &wdl), bad, "c5");
    /* Nothing was written. */
    REQUIRE(wdl == TAFL_WDL_LOSS);
    REQUIRE(taflbase_probe_wdl(tables, &won, &wdl) == TAFL_STATUS_OK && wdl == TAFL_WDL_WIN);
    taflbase_free(tables);
}

/* Any content of a move is refused or does no harm. */
static void wrong_moves(const char *folder)
{
    TaflTablebase *tables = open_brandubh(folder);
    const TaflPosition won = parse(tables, WON);
    TaflPosition position = won, after;
    TaflBareMove good, move;
    TaflWdl wdl;
    size_t length;
    char text[TAFL_POSITION_TEXT_BYTES];
    const TaflStatus invalid = TAFL_STATUS_INVALID_ARGUMENT, bad = TAFL_STATUS_BAD_POSITION;

    FAILS(taflbase_parse_move(tables, &won, "nonsense", &good), invalid, "nonsense");
    FAILS(taflbase_parse_move(tables, &won, "c5-d4", &good), invalid, "c5-d4");
    FAILS(taflbase_parse_move(tables, &won, "Kc5-c1xa1", &good), invalid, "Kc5-c1");
    REQUIRE(taflbase_parse_move(tables, &won, " c5-c1", &good) == TAFL_STATUS_OK);
    REQUIRE(good.piece == 'K' && good.from == won.king && good.to == 2 && good.ending == 0);
    move = good;
    move.to = 49;
    FAILS(taflbase_make_move(tables, &won, &move, &after), invalid, "49");
    FAILS(taflbase_print_move(tables, &move, text), invalid, "49");
    move = good;
    move.piece = 'x';
    FAILS(taflbase_make_move(tables, &won, &move, &after), invalid, "piece");
    move = good;
    move.ending = 'x';
    FAILS(taflbase_make_move(tables, &won, &move, &after), invalid, "ending");
    move = good;
    memset(move.captured, 0xff, sizeof move.captured);
    FAILS(taflbase_print_move(tables, &move, text), invalid, "beyond the board");
    memset(move.captured, 0, sizeof move.captured);
    move.captured[0] = 0x3ffff;
    FAILS(taflbase_print_move(tables, &move, text), invalid, "more than 17");
    /* The king moves to an attacker's square: the result is not a position. */
    move = good;
    move.to = 7 + 4;
    REQUIRE(taflbase_make_move(tables, &won, &move, &after) == TAFL_STATUS_OK);
    FAILS(taflbase_probe_wdl(tables, &after, &wdl), bad, "e2");
    FAILS(taflbase_generate_moves(tables, &after, &move, 1, &length), bad, "e2");
    FAILS(taflbase_print_position(tables, &after, text), bad, "e2");
    FAILS(taflbase_parse_move(tables, &after, "c1-c2", &move), bad, "e2");
    position.king = 400;
    FAILS(taflbase_make_move(tables, &position, &good, &after), bad, "400");
    taflbase_free(tables);
}

static void one_of_many(const char *folder)
{
    TaflTablebase *tables = open_brandubh(folder);
    TaflPosition positions[4];
    TaflDtw dtw[4];
    TaflStatus statuses[4];
    positions[0] = parse(tables, WON);
    positions[1] = positions[0];
    positions[1].king = 400;
    positions[2] = parse(tables, SEVEN_MEN);
    positions[3] = parse(tables, K1V1);
    FAILS(taflbase_probe_many_dtw(tables, positions, 4, dtw, statuses), TAFL_STATUS_BAD_POSITION,
          "position 1: ");
    REQUIRE(statuses[0] == TAFL_STATUS_OK && dtw[0].wdl == TAFL_WDL_WIN && dtw[0].plies == 3);
    REQUIRE(statuses[1] == TAFL_STATUS_BAD_POSITION);
    REQUIRE(statuses[2] == TAFL_STATUS_MISSING_TABLE);
    TaflDtw alone;
    REQUIRE(taflbase_probe_dtw(tables, &positions[3], &alone) == TAFL_STATUS_OK);
    REQUIRE(statuses[3] == TAFL_STATUS_OK);
    REQUIRE(dtw[3].wdl == alone.wdl && dtw[3].plies == alone.plies);
    taflbase_free(tables);
}

static void answers(const char *folder)
{
    TaflTablebase *tables = open_brandubh(NULL);
    TaflPosition position = parse(tables, WON);
    TaflMove moves[3];
    TaflBareMove bare[2];
    TaflSlice slices[100];
    size_t length;

    REQUIRE(position.king == 4 * 7 + 2 && position.to_move == 'd');
    REQUIRE(position.attackers[0] == (1ULL << (7 + 4) | 1ULL << (6 * 7 + 2)));
    REQUIRE(taflbase_board_size(tables) == 7 && taflbase_max_men(tables) == 6);
    REQUIRE(taflbase_max_men_dtw(tables) == 5 && !taflbase_draws_are_undecided(tables));
    /* A list is truncated, and its full length returned. */
    memset(slices, 0x55, sizeof slices);
    REQUIRE(taflbase_slices(tables, TAFL_METRIC_DTW, slices, 1, &length) == TAFL_STATUS_OK);
    REQUIRE(slices[0].defenders == 0 && slices[0].attackers == 1);
    REQUIRE(length > 1 && length <= 100 && slices[1].defenders == 0x5555);
    REQUIRE(taflbase_slices(tables, TAFL_METRIC_DTW, slices, 100, &length) == TAFL_STATUS_OK);
    REQUIRE(1 + slices[length - 1].defenders + slices[length - 1].attackers == 5);
    REQUIRE(taflbase_slices(tables, TAFL_METRIC_WDL, slices, 100, &length) == TAFL_STATUS_OK);
    REQUIRE(length > 0 && 1 + slices[length - 1].defenders + slices[length - 1].attackers == 6);
    memset(bare, 0x55, sizeof bare);
    REQUIRE(taflbase_generate_moves(tables, &position, bare, 1, &length) == TAFL_STATUS_OK);
    REQUIRE(length > 1 && bare[0].from == position.king && bare[1].from == 0x5555);
    /* A longer line is truncated, and its full length returned. */
    memset(moves, 0x55, sizeof moves);
    REQUIRE(taflbase_line(tables, &position, moves, 1, &length) == TAFL_STATUS_OK && length == 3);
    REQUIRE(strcmp(moves[0].text, "Kc5-c1") == 0 && moves[1].from == 0x5555);
    REQUIRE(taflbase_line(tables, &position, NULL, 0, &length) == TAFL_STATUS_OK && length == 3);
    REQUIRE(taflbase_line(tables, &position, moves, 3, &length) == TAFL_STATUS_OK && length == 3);
    REQUIRE(moves[0].piece == 'K' && moves[0].ending == 0 && moves[0].from == position.king);
    REQUIRE(moves[1].piece == 't' && moves[2].ending == '-' && moves[2].to == 0);
    position = parse(tables, LOST_WITHOUT_A_MOVE);
    FAILS(taflbase_best_move(tables, &position, moves), TAFL_STATUS_NO_MOVE, "no legal move");
    position = parse(tables, SEVEN_MEN);
    FAILS(taflbase_best_move(tables, &position, moves), TAFL_STATUS_MISSING_TABLE, "K1v5");
    FAILS(taflbase_add_directory(tables, "no/such/folder"), TAFL_STATUS_IO, "no/such/folder");
    REQUIRE(taflbase_add_directory(tables, folder) == TAFL_STATUS_OK);
    taflbase_free(tables);
    REQUIRE(taflbase_open("berkeley", NULL, NULL, &tables) == TAFL_STATUS_OK);
    REQUIRE(taflbase_draws_are_undecided(tables) && taflbase_board_size(tables) == 9);
    REQUIRE(!taflbase_draws_are_endless(tables));
    taflbase_free(tables);
    REQUIRE(taflbase_open("copenhagen", NULL, NULL, &tables) == TAFL_STATUS_OK);
    REQUIRE(taflbase_draws_are_endless(tables) && !taflbase_draws_are_undecided(tables));
    taflbase_free(tables);
    char version[100];
    sprintf(version, "%d.%d.%d", TAFLBASE_VERSION_MAJOR, TAFLBASE_VERSION_MINOR,
            TAFLBASE_VERSION_PATCH);
    REQUIRE(strcmp(taflbase_version(), TAFLBASE_VERSION) == 0);
    REQUIRE(strcmp(version, TAFLBASE_VERSION) == 0);
}

int main(int argc, char **argv)
{
    TaflTablebase *tables;
    if (argc != 5)
        return EXIT_FAILURE;
    REQUIRE(strcmp(taflbase_last_error(), "") == 0);
    wrong_openings(argv[1]);
    wrong_pointers(argv[1]);
    wrong_positions(argv[1]);
    wrong_moves(argv[1]);
    one_of_many(argv[1]);
    answers(argv[1]);
    REQUIRE(probe(argv[1], K1V1) == TAFL_STATUS_OK);
    FAILS(probe(argv[1], SEVEN_MEN), TAFL_STATUS_MISSING_TABLE, "K1v5");
    FAILS(probe(argv[2], K1V1), TAFL_STATUS_CORRUPTED, "K1v1");
    FAILS(probe(argv[3], K1V1), TAFL_STATUS_WRONG_RULES, "K1v1");
    FAILS(taflbase_open("brandubh", argv[4], NULL, &tables), TAFL_STATUS_IO, argv[4]);
    return EXIT_SUCCESS;
}
