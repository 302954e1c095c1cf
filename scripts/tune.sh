#!/usr/bin/env bash
# Tunes the engine's weights for a ruleset by self-play, in rounds: the weights of the last
# round play against themselves, and the next ones are fitted to all games so far. Prints the
# difference in Elo to the round before. (Games of unequal players would bias the fit.)
#
#   scripts/tune.sh RULES [ROUNDS [GAMES [NODES]]]
#
# A round of 3000 games of 2000 nodes per move takes about two minutes on 2 cores for a
# 9x9 board. Writes target/tune/RULES/weights-N.toml; copy the best one to
# src/engine/evaluate/weights/RULES.toml and name it in evaluate/weights.rs.
set -euo pipefail
cd "$(dirname "$0")/.."
rules=${1:?which ruleset?} rounds=${2:-3} games=${3:-3000} nodes=${4:-2000}

cargo build --release --bin taflbase --example tune
work=target/tune/$rules
mkdir -p "$work"

# Plays $3 games of $1 and $2 with seed $4, saved in $5; prints the Elo of $1.
play() {
    target/release/taflbase match "$rules" "$1" "$2" --games "$3" --nodes "$nodes" \
        --seed "$4" --book-plies 8 --max-plies 200 --output "$work/$5.jsonl" | tail -n 1
}

new=engine:name=own
for ((round = 1; round <= rounds; round++)); do
    old=$new
    # Without tables one of the players differs a little, so that games vary.
    play "$old" "$old,tables=none,name=other" "$games" "$round" "games-$round" >"$work/self.txt"
    target/release/examples/tune games "$rules" "$work"/games-*.jsonl >"$work/weights-$round.toml"
    new=engine:weights=$work/weights-$round.toml,name=round-$round
    echo "round $round:"
    play "$new" "$old" 1000 "$((1000 + round))" "match-$round"
done
