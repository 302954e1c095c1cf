#!/usr/bin/env bash
# Tunes the engine's weights for a ruleset by games with itself, in rounds: the weights
# of the last round play against themselves, and the next ones are fitted to all games
# so far. Prints how much stronger each round is than the one before. (Games of unequal
# players do not serve: their outcomes tell of the players.)
#
#   scripts/tune.sh RULES [ROUNDS [GAMES [NODES]]]
#
# A round of 3000 games of 2000 nodes a move takes two minutes or so on 2 cores for a
# 9x9 board. What comes out is target/tune/RULES/weights-N.toml; copy the best one to
# src/engine/evaluate/weights/RULES.toml and name it in evaluate/weights.rs.
set -euo pipefail
cd "$(dirname "$0")/.."
rules=${1:?which ruleset?} rounds=${2:-3} games=${3:-3000} nodes=${4:-2000}

cargo build --release --bin taflbase --example tune
work=target/tune/$rules
mkdir -p "$work"

# A, B, how many games, a seed, and where to save them; prints the Elo of A.
play() {
    target/release/taflbase match "$rules" "$1" "$2" --games "$3" --nodes "$nodes" \
        --seed "$4" --book-plies 8 --max-plies 200 --output "$work/$5.jsonl" | tail -n 1
}

new=engine:name=own
for ((round = 1; round <= rounds; round++)); do
    old=$new
    # Without tables, one of them plays a little differently.
    play "$old" "$old,tables=none,name=other" "$games" "$round" "games-$round" >"$work/self.txt"
    target/release/examples/tune "$rules" "$work"/games-*.jsonl >"$work/weights-$round.toml"
    new=engine:weights=$work/weights-$round.toml,name=round-$round
    echo "round $round:"
    play "$new" "$old" 1000 "$((1000 + round))" "match-$round"
done
