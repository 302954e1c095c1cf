#!/usr/bin/env bash
# Tunes the estimates of the proof search for a ruleset: the engine plays itself, a position of each
# game is searched for a proof, and weights are fitted to a part of the positions that are solved on
# the way (see examples/tune/proofs.rs).
#
#   scripts/tune-proofs.sh RULES [GAMES [NODES]]
#
# 2400 games of 1000 nodes per move, their searches and the fit take about two minutes on 2 cores for
# brandubh. Writes four files target/tune/RULES/proofs/SIDE-win-SIDE-move.toml: the side whose win is in
# question, and the side to move. Copy them to a folder of src/proof/estimates and name it in mod.rs.
set -euo pipefail
cd "$(dirname "$0")/.."
rules=${1:?which ruleset?} games=${2:-2400} nodes=${3:-1000}

cargo build --release --bin taflbase --example tune
work=target/tune/$rules
mkdir -p "$work/proofs"
# Without tables one of the players differs a little, so that games vary.
target/release/taflbase match "$rules" engine:name=own engine:tables=none,name=other \
    --games "$games" --nodes "$nodes" --book-plies 8 --max-plies 200 \
    --output "$work/proofs/games.jsonl" | tail -n 1
target/release/examples/tune proofs "$rules" "$work/proofs/games.jsonl" "$work/proofs"
