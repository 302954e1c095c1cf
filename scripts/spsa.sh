#!/usr/bin/env bash
# Tunes the engine's weights for a ruleset by SPSA (see examples/spsa.rs), and prints the
# difference in Elo to the current ones. For boards where most games are drawn, on which
# scripts/tune.sh learns little.
#
#   scripts/spsa.sh RULES [ROUNDS [GAMES]]
#
# A round is 16 games of 1200 nodes per move: 1 to 3 core-seconds. Writes
# target/tune/RULES/spsa.toml.
set -euo pipefail
cd "$(dirname "$0")/.."
rules=${1:?which ruleset?} rounds=${2:-1000} games=${3:-1000}

cargo build --release --bin taflbase --example spsa
work=target/tune/$rules
mkdir -p "$work"
target/release/examples/spsa "$rules" "$rounds" >"$work/spsa.toml"
rm -f "$work/match-spsa.jsonl"
target/release/taflbase match "$rules" "engine:weights=$work/spsa.toml,tables=none,name=new" \
    engine:tables=none,name=old --games "$games" --nodes 2000 --seed 99 --book-plies 8 \
    --max-plies 300 --output "$work/match-spsa.jsonl" | tail -n 1
