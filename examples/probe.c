/* Prints the value of a position, the best move, and a line of best play.
 *
 *   probe brandubh "/7/4t2/7/7/2K4/7/2t4/ d" [TABLES]
 *
 * How to compile it: docs/c.md. */
#include <stdio.h>
#include <stdlib.h>

#include "taflbase.h"

static void check(TaflStatus status)
{
    if (status != TAFL_STATUS_OK) {
        fprintf(stderr, "probe: %s\n", taflbase_last_error());
        exit(EXIT_FAILURE);
    }
}

static void print_outcome(const TaflTablebase *tables, TaflDtw value)
{
    if (value.wdl != TAFL_WDL_DRAW)
        printf("%s in %d plies\n", value.wdl == TAFL_WDL_WIN ? "win" : "loss", value.plies);
    else if (taflbase_draws_are_endless(tables))
        printf("endless\n");
    else
        printf("%s\n", taflbase_draws_are_undecided(tables) ? "undecided" : "draw");
}

static void print_best_move(const TaflTablebase *tables, const TaflPosition *position)
{
    TaflMove best;
    TaflStatus status = taflbase_best_move(tables, position, &best);
    if (status == TAFL_STATUS_NO_MOVE) {
        printf("best move: none\n");
    } else {
        check(status);
        printf("best move: %s\n", best.text);
    }
}

static void print_line(const TaflTablebase *tables, const TaflPosition *position, size_t plies)
{
    size_t length;
    TaflMove *moves = malloc((plies + 1) * sizeof *moves);
    if (moves == NULL) {
        fprintf(stderr, "probe: out of memory\n");
        exit(EXIT_FAILURE);
    }
    check(taflbase_line(tables, position, moves, plies, &length));
    printf("line:");
    for (size_t i = 0; i < length; i++)
        printf(" %s", moves[i].text);
    printf("\n");
    free(moves);
}

int main(int argc, char **argv)
{
    TaflTablebase *tables;
    TaflPosition position;
    TaflDtw value;

    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: probe RULES POSITION [TABLES]\n");
        return EXIT_FAILURE;
    }
    check(taflbase_open(argv[1], argc == 4 ? argv[3] : NULL, NULL, &tables));
    check(taflbase_parse_position(tables, argv[2], &position));
    check(taflbase_probe_dtw(tables, &position, &value));
    print_outcome(tables, value);
    print_best_move(tables, &position);
    print_line(tables, &position, value.plies);
    taflbase_free(tables);
    return EXIT_SUCCESS;
}
