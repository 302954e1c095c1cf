#!/usr/bin/env bash
# Tunes the engine's weights for a ruleset by games with itself, in rounds: in each the
# weights of the last two rounds play against each other, and the next ones are fitted
# to all games so far. Prints how much stronger each round is than the one before, and
# then than the weights that the engine has.
#
#   scripts/tune.sh RULES [ROUNDS [GAMES [NODES]]]
#
# A round of 3000 games of 2000 nodes a move takes about a minute on 2 cores for a 9x9
# board. What comes out is target/tune/RULES/weights-N.toml; copy the best one to
# src/engine/evaluate/weights/RULES.toml and name it in evaluate/weights.rs.
set -euo pipefail
cd "$(dirname "$0")/.."
rules=${1:?which ruleset?} rounds=${2:-3} games=${3:-3000} nodes=${4:-2000}

cargo build --release --bin taflbase --example tune
work=target/tune/$rules
mkdir -p "$work"

# A, B, the round's seed and file; prints the Elo of A.
play() {
    target/release/taflbase match "$rules" "$1" "$2" --games "$games" --nodes "$nodes" \
        --seed "$3" --book-plies 8 --max-plies 200 --output "$work/$4.jsonl" |
        tee "$work/$4.txt" | tail -n 1
}

# Two equal players play every game twice; without tables, one of them plays a little
# differently.
old=engine new=engine:tables=none
for ((round = 1; round <= rounds; round++)); do
    play "$new" "$old" "$round" "games-$round"
    target/release/examples/tune "$rules" "$work"/games-*.jsonl >"$work/weights-$round.toml"
    old=$new
    new=engine:weights=$work/weights-$round.toml
done
echo "against the engine's own weights:"
play "$new" engine 0 last
