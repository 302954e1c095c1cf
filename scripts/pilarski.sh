#!/usr/bin/env bash
# Replays the experiments of S. Pilarski's paper on McGill's Tablut and prints ours beside
# his; then the engine against his best player, equal players of growing strength, and
# what a move of each player takes. docs/pilarski.md tells what came out.
#
#   scripts/pilarski.sh [PART...] [--full] [--time S] [--games N] [--folder DIR] [--tables DIR]
#
# Parts: paper, engine, colours, costs; all of them without any. By default 0.1 s a move
# and 20 games for each two players: about an hour on 2 cores. --full plays with his
# 2 s a move and his numbers of games, for days. Games are saved in the folder
# (target/pilarski); the same command goes on with them.
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo run --release --quiet --example pilarski -- "$@"
