#!/usr/bin/env bash
# Repeats the experiments of S. Pilarski's paper on McGill's Tablut and prints our results
# beside his; then the engine against his best player, equal players of growing strength, and
# the cost of a move of each player. The results are in docs/pilarski.md.
#
#   scripts/pilarski.sh [PART...] [--full] [--time S] [--games N] [--folder DIR] [--tables DIR]
#
# Parts: paper, engine, colours, costs; default: all. By default 0.1 s per move and 20 games
# per pair of players: about an hour on 2 cores. --full plays with his 2 s per move and his
# numbers of games, for days. Games are saved in the folder (target/pilarski), from which the
# same command resumes.
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo run --release --quiet --example pilarski -- "$@"
