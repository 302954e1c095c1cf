#!/usr/bin/env bash
# Tunes the engine's weights for a ruleset by games with itself, in rounds: those who
# play in a round have the weights of the last two, and the next ones are fitted to
# the games of both. Prints how much stronger each round has made it.
#
#   scripts/tune.sh RULES [ROUNDS [GAMES [NODES]]]
#
# 4 rounds of 3000 games of 3000 nodes a move take about 10 minutes on 2 cores for a 9x9
# board. What comes out is target/tune/RULES/weights-N.toml; copy the best one to
# src/engine/evaluate/weights/RULES.toml and name it in evaluate/weights.rs.
set -euo pipefail
cd "$(dirname "$0")/.."
rules=${1:?which ruleset?} rounds=${2:-4} games=${3:-3000} nodes=${4:-3000}

profile=${PROFILE:-release}
cargo build --profile "$profile" --bin taflbase --example tune
if [ "$profile" = dev ]; then bin=target/debug; else bin=target/$profile; fi
work=target/tune/$rules
mkdir -p "$work"

old=engine new=engine:name=new
files=()
for ((round = 1; round <= rounds; round++)); do
    "$bin/taflbase" match "$rules" "$new" "$old" --games "$games" --nodes "$nodes" \
        --seed "$round" --book-plies 8 --max-plies 200 --output "$work/games-$round.jsonl" |
        tee "$work/match-$round.txt" | tail -n 1
    files=("${files[@]: -1}" "$work/games-$round.jsonl")
    "$bin/examples/tune" "$rules" "${files[@]}" >"$work/weights-$round.toml"
    old=$new
    new=engine:weights=$work/weights-$round.toml,name=round-$round
done
