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
    char text[400];
    while (count < MOST && fgets(text, sizeof text, stdin) != NULL) {
        TaflStatus status = taflbase_parse_position(tables, text, &positions[count]);
        require(status == TAFL_STATUS_OK, "parse", count);
        count++;
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
    }
}

/* Every thread begins elsewhere, and makes errors of its own. */
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
