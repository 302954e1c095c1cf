/* An alpha-beta search that probes tables at every node. The same search as
 * examples/alpha_beta, so that both can be compared and timed.
 *
 *   alpha_beta RULES DEPTH [TABLES] < positions
 *
 * Reads positions, one per line, and searches each twice, without and with tables: those in
 * TABLES and those built into the library.
 *
 * How to compile it: docs/c.md. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "taflbase.h"

/* The score of a win in n plies found by the search is WON - n; the score of a position n
 * plies from the root that a table calls won is TABLE_WON - n. */
enum { WON = 10000, TABLE_WON = 9000 };

typedef struct {
    const TaflTablebase *tables;
    int probes;
    /* The number of pieces in the largest table; larger positions are not probed. */
    int most_men;
    int draws_are_undecided;
    int draws_are_endless;
    unsigned long nodes;
    /* Nodes whose value came from a table. */
    unsigned long answered;
    /* The moves of all positions from the root to the current node. */
    TaflBareMove *moves;
    size_t capacity;
} Search;

static void fail(const char *message)
{
    fprintf(stderr, "alpha_beta: %s\n", message);
    exit(EXIT_FAILURE);
}

static void check(TaflStatus status)
{
    if (status != TAFL_STATUS_OK)
        fail(taflbase_last_error());
}

static void *allocate(void *memory, size_t bytes)
{
    memory = realloc(memory, bytes);
    if (memory == NULL)
        fail("out of memory");
    return memory;
}

static int count(const uint64_t set[TAFL_SET_WORDS])
{
    int squares = 0;
    for (int i = 0; i < TAFL_SET_WORDS; i++)
        for (uint64_t word = set[i]; word != 0; word &= word - 1)
            squares++;
    return squares;
}

/* Probes the tables; returns whether they decide the position. */
static int probe(const Search *search, const TaflPosition *position, TaflWdl *wdl)
{
    if (!search->probes
        || 1 + count(position->attackers) + count(position->defenders) > search->most_men)
        return 0;
    TaflStatus status = taflbase_probe_wdl(search->tables, position, wdl);
    if (status == TAFL_STATUS_MISSING_TABLE)
        return 0;
    /* Any other error means a damaged table. */
    check(status);
    /* The attackers win an endless game. */
    if (*wdl == TAFL_WDL_DRAW && search->draws_are_endless)
        *wdl = position->to_move == 'a' ? TAFL_WDL_WIN : TAFL_WDL_LOSS;
    /* The result of an undecided position depends on the game's history: search on. */
    return *wdl != TAFL_WDL_DRAW || !search->draws_are_undecided;
}

static int material(const TaflPosition *position)
{
    int balance = count(position->attackers) - 2 * count(position->defenders);
    return position->to_move == 'a' ? balance : -balance;
}

/* Generates the moves of a position into search->moves, from index `first` on; returns the
 * index after the last. */
static size_t generate(Search *search, const TaflPosition *position, size_t first)
{
    for (;;) {
        size_t length, room = search->capacity - first;
        TaflBareMove *moves = search->moves + first;
        check(taflbase_generate_moves(search->tables, position, moves, room, &length));
        if (length <= room)
            return first + length;
        search->capacity = 2 * (first + length);
        search->moves = allocate(search->moves, search->capacity * sizeof *search->moves);
    }
}

/* Orders wins first, then captures by the number of captured pieces. */
static int urgency(const TaflBareMove *move)
{
    return (move->ending != 0 ? 4 : 0) + count(move->captured);
}

static void sort(TaflBareMove *moves, size_t length)
{
    for (size_t i = 1; i < length; i++) {
        TaflBareMove move = moves[i];
        int own = urgency(&move);
        size_t to = i;
        for (; to > 0 && urgency(&moves[to - 1]) < own; to--)
            moves[to] = moves[to - 1];
        moves[to] = move;
    }
}

/* Returns the score for the side to move, `ply` plies from the root. */
static int value(Search *search, const TaflPosition *position, size_t first, int depth, int ply,
                 int alpha, int beta)
{
    TaflWdl wdl;
    int best = -WON;
    search->nodes++;
    /* Not at the root, which needs a move, not only a value. */
    if (ply > 0 && probe(search, position, &wdl)) {
        search->answered++;
        return wdl == TAFL_WDL_DRAW ? 0 : wdl == TAFL_WDL_WIN ? TABLE_WON - ply : ply - TABLE_WON;
    }
    size_t end = generate(search, position, first);
    if (end == first)
        return ply - WON;
    if (depth == 0)
        return material(position);
    sort(search->moves + first, end - first);
    for (size_t i = first; i < end && alpha < beta; i++) {
        int next = WON - ply - 1;
        if (search->moves[i].ending == 0) {
            TaflPosition after;
            check(taflbase_make_move(search->tables, position, &search->moves[i], &after));
            next = -value(search, &after, end, depth - 1, ply + 1, -beta, -alpha);
        }
        if (next > best)
            best = next;
        if (best > alpha)
            alpha = best;
    }
    return best;
}

/* Returns 1 for won, -1 for lost, 0 for neither. */
static int verdict(int value)
{
    return (value > TABLE_WON / 2) - (value < -TABLE_WON / 2);
}

static size_t read_positions(const TaflTablebase *tables, TaflPosition **positions)
{
    char text[2 * TAFL_POSITION_TEXT_BYTES];
    size_t length = 0;
    while (fgets(text, sizeof text, stdin) != NULL) {
        *positions = allocate(*positions, (length + 1) * sizeof **positions);
        check(taflbase_parse_position(tables, text, *positions + length++));
    }
    return length;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"without tables", "with tables"};
    TaflTablebase *tables;
    TaflPosition *positions = NULL;
    Search search = {0};
    size_t changed = 0;

    if (argc < 3 || argc > 4)
        fail("usage: alpha_beta RULES DEPTH [TABLES] < positions");
    int depth = atoi(argv[2]);
    check(taflbase_open(argv[1], argc == 4 ? argv[3] : NULL, NULL, &tables));
    search.tables = tables;
    search.most_men = (int)taflbase_max_men(tables);
    search.draws_are_undecided = taflbase_draws_are_undecided(tables);
    search.draws_are_endless = taflbase_draws_are_endless(tables);
    size_t length = read_positions(tables, &positions);
    int *values = allocate(NULL, (length + 1) * sizeof *values);
    for (int probes = 0; probes < 2; probes++) {
        clock_t begun = clock();
        search.probes = probes;
        search.nodes = search.answered = 0;
        for (size_t i = 0; i < length; i++) {
            int found = value(&search, &positions[i], 0, depth, 0, -WON, WON);
            if (probes && verdict(found) != verdict(values[i]))
                changed++;
            values[i] = found;
        }
        double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
        printf("%-14s %12lu nodes, %5.2f million a second, %10lu answered by a table\n",
               names[probes], search.nodes, (double)search.nodes / seconds / 1e6,
               search.answered);
    }
    printf("tables change the verdict on %lu of %lu positions\n", (unsigned long)changed,
           (unsigned long)length);
    free(values);
    free(positions);
    free(search.moves);
    taflbase_free(tables);
    return EXIT_SUCCESS;
}
