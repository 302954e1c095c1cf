/* A program that defines functions with names of zstd's and Rust's: the library neither
 * clashes with them nor calls them. */
#include <stdio.h>
#include <stdlib.h>

#include "taflbase.h"

#define OWN(name) \
    void *name(void); \
    void *name(void) \
    { \
        fprintf(stderr, #name " is not for the library\n"); \
        exit(EXIT_FAILURE); \
    }

OWN(ZSTD_createDCtx)
OWN(ZSTD_freeDCtx)
OWN(ZSTD_decompressDCtx)
OWN(ZSTD_DCtx_reset)
OWN(ZSTD_isError)
OWN(ZSTD_versionNumber)
OWN(blake3_hash_many)
OWN(rust_eh_personality)

int main(int argc, char **argv)
{
    TaflTablebase *tables;
    TaflPosition position;
    TaflDtw value;
    if (argc != 2 || taflbase_open("brandubh", argv[1], NULL, &tables) != TAFL_STATUS_OK
        || taflbase_parse_position(tables, "/7/4t2/7/7/2K4/7/2t4/ d", &position)
            != TAFL_STATUS_OK
        || taflbase_probe_dtw(tables, &position, &value) != TAFL_STATUS_OK) {
        fprintf(stderr, "%s\n", taflbase_last_error());
        return EXIT_FAILURE;
    }
    printf("%d %d %d\n", value.wdl, value.plies, taflbase_cache_statistics(tables).misses > 0);
    taflbase_free(tables);
    return EXIT_SUCCESS;
}
