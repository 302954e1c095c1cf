/* Reads positions, a line each, and prints their values and best moves. Then probes
 * them from several threads, with a cache that is too small, and compares. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "taflbase.h"

enum { THREADS = 4, MOST = 10000 };

static TaflTablebase *tables;
static size_t count;
static TaflPosition positions[MOST];
static TaflDtw values[MOST];
static TaflWdl outcomes[MOST];
static TaflStatus statuses[MOST];

static void fail(const char *what, size_t i)
{
    fprintf(stderr, "position %lu: %s (%s)\n", (unsigned long)i, what, taflbase_last_error());
    exit(EXIT_FAILURE);
}

static void require(int holds, const char *what, size_t i)
{
    if (!holds)
        fail(what, i);
}

static void read_positions(void)
{
    char text[TAFL_POSITION_TEXT_BYTES + 1], printed[TAFL_POSITION_TEXT_BYTES];
    while (count < MOST && fgets(text, sizeof text, stdin) != NULL) {
        TaflStatus status = taflbase_parse_position(tables, text, &positions[count]);
        require(status == TAFL_STATUS_OK, "parse", count);
        text[strcspn(text, "\n")] = '\0';
        require(taflbase_print_position(tables, &positions[count], printed) == TAFL_STATUS_OK
                    && strcmp(printed, text) == 0,
                "print a position", count);
        count++;
    }
}

static int same_position(const TaflPosition *one, const TaflPosition *other)
{
    return memcmp(one->attackers, other->attackers, sizeof one->attackers) == 0
        && memcmp(one->defenders, other->defenders, sizeof one->defenders) == 0
        && one->king == other->king && one->to_move == other->to_move;
}

/* A move without text equals the one with text, round-trips through text, and has the same
 * effect. */
static void compare_bare(size_t i, const TaflMove *move, const TaflBareMove *bare)
{
    char text[TAFL_MOVE_TEXT_BYTES];
    TaflBareMove parsed;
    TaflPosition played, made = positions[i];
    require(memcmp(bare->captured, move->captured, sizeof bare->captured) == 0
                && bare->from == move->from && bare->to == move->to
                && bare->piece == move->piece && bare->ending == move->ending,
            "a bare move", i);
    require(taflbase_print_move(tables, bare, text) == TAFL_STATUS_OK
                && strcmp(text, move->text) == 0,
            "print a move", i);
    require(taflbase_parse_move(tables, &positions[i], text, &parsed) == TAFL_STATUS_OK
                && memcmp(parsed.captured, bare->captured, sizeof bare->captured) == 0
                && parsed.from == bare->from && parsed.to == bare->to
                && parsed.piece == bare->piece && parsed.ending == bare->ending,
            "parse a move", i);
    require(taflbase_play(tables, &positions[i], move, &played) == TAFL_STATUS_OK, "play", i);
    require(taflbase_make_move(tables, &made, bare, &made) == TAFL_STATUS_OK
                && same_position(&played, &made),
            "make a move", i);
}

/* All moves have values: the best one that of the position, each one that of the position
 * after it. */
static void compare_moves(size_t i, TaflDtw value)
{
    static TaflMove legal[400];
    static TaflBareMove bare[400];
    static TaflMoveValue probed[400];
    size_t count, length;
    require(taflbase_legal_moves(tables, &positions[i], legal, 400, &count) == TAFL_STATUS_OK,
            "legal moves", i);
    require(taflbase_generate_moves(tables, &positions[i], bare, 400, &length) == TAFL_STATUS_OK
                && length == count && count <= 400,
            "bare moves", i);
    for (size_t n = 0; n < count; n++)
        compare_bare(i, &legal[n], &bare[n]);
    require(taflbase_probe_moves(tables, &positions[i], probed, 400, &length) == TAFL_STATUS_OK,
            "probe moves", i);
    require(count == length && count <= 400, "as many moves", i);
    for (size_t n = 0; n < length; n++) {
        TaflPosition after, again;
        TaflDtw dtw;
        const TaflMoveValue *move = &probed[n];
        size_t found = 0;
        while (found < count && strcmp(legal[found].text, move->played.text) != 0)
            found++;
        require(found < count, "a legal move", i);
        require(move->known == TAFL_KNOWN_ALL, "a known move", i);
        require(taflbase_play(tables, &positions[i], &legal[found], &after) == TAFL_STATUS_OK,
                "play", i);
        require(taflbase_play(tables, &positions[i], &move->played, &again) == TAFL_STATUS_OK
                    && same_position(&after, &again) && after.to_move != positions[i].to_move,
                "the same position", i);
        if (move->played.ending != 0) {
            require(move->wdl == TAFL_WDL_WIN && move->plies == 0, "an ending", i);
        } else {
            require(taflbase_probe_dtw(tables, &after, &dtw) == TAFL_STATUS_OK, "after", i);
            require(dtw.wdl == -move->wdl && dtw.plies == move->plies, "a move's value", i);
        }
        if (n == 0)
            require(move->wdl == value.wdl
                        && (value.wdl == TAFL_WDL_DRAW || move->plies + 1 == value.plies),
                    "the best move's value", i);
    }
}

static void print_answers(void)
{
    static const char *const names[] = {"loss", "draw", "win"};
    require(taflbase_probe_many_dtw(tables, positions, count, values, statuses) == TAFL_STATUS_OK,
            "many dtw", 0);
    require(taflbase_probe_many_wdl(tables, positions, count, outcomes, statuses) == TAFL_STATUS_OK,
            "many wdl", 0);
    for (size_t i = 0; i < count; i++) {
        TaflMove best;
        TaflStatus status = taflbase_best_move(tables, &positions[i], &best);
        require(status == TAFL_STATUS_OK || status == TAFL_STATUS_NO_MOVE, "best move", i);
        require(statuses[i] == TAFL_STATUS_OK && outcomes[i] == values[i].wdl, "wdl", i);
        printf("%s %d %s\n", names[values[i].wdl + 1], values[i].plies,
               status == TAFL_STATUS_OK ? best.text : "none");
        compare_moves(i, values[i]);
    }
}

/* Every thread begins with another position, and causes its own errors. */
static void *probe_all(void *argument)
{
    size_t thread = (size_t)argument;
    char expected[16];
    sprintf(expected, "\"%lu\"", (unsigned long)thread);
    for (size_t n = 0; n < count; n++) {
        size_t i = (n + thread * count / THREADS) % count;
        TaflDtw dtw;
        TaflWdl wdl;
        TaflPosition wrong = positions[i];
        wrong.to_move = (char)('0' + thread);
        require(taflbase_probe_wdl(tables, &wrong, &wdl) == TAFL_STATUS_BAD_POSITION, "wrong", i);
        require(taflbase_probe_dtw(tables, &positions[i], &dtw) == TAFL_STATUS_OK, "dtw", i);
        require(taflbase_probe_wdl(tables, &positions[i], &wdl) == TAFL_STATUS_OK, "wdl", i);
        require(dtw.wdl == values[i].wdl && dtw.plies == values[i].plies, "other dtw", i);
        require(wdl == values[i].wdl, "other wdl", i);
        require(strstr(taflbase_last_error(), expected) != NULL, "another thread's message", i);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    TaflOptions options = taflbase_default_options();
    options.cache_bytes = 1 << 16;
    require(argc == 3 && taflbase_open(argv[1], argv[2], &options, &tables) == TAFL_STATUS_OK,
            "open", 0);
    read_positions();
    print_answers();
    for (size_t i = 0; i < THREADS; i++)
        require(pthread_create(&threads[i], NULL, probe_all, (void *)i) == 0, "thread", i);
    for (size_t i = 0; i < THREADS; i++)
        require(pthread_join(threads[i], NULL) == 0, "join", i);
    TaflCacheStatistics cache = taflbase_cache_statistics(tables);
    require(cache.limit_bytes == options.cache_bytes && cache.bytes <= cache.limit_bytes,
            "bytes", 0);
    require(cache.hits > 0 && cache.misses > 0, "hits and misses", 0);
    taflbase_free(tables);
    return EXIT_SUCCESS;
}
