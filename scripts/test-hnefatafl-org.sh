#!/usr/bin/env bash
# Lets two clients play on the real server of hnefatafl.org, on this machine: a whole game, a draw,
# and a lost connection. Usage: scripts/test-hnefatafl-org.sh [PROGRAM [SERVER]]
#
# PROGRAM is taflbase (default: target/release/taflbase), SERVER is hnefatafl-server (default: from the
# PATH), which is installed with Rust 1.94 or later and OpenSSL's headers (Debian: libssl-dev,
# pkg-config) by
#
#   cargo install hnefatafl-copenhagen --version 6.4.1 --locked \
#     --no-default-features --features server --bin hnefatafl-server
#
# It listens on port 49152, which must be free. It keeps no data, and its home is a temporary folder.
set -euo pipefail

program=$(realpath "${1:-target/release/taflbase}")
server=$(command -v "${2:-hnefatafl-server}" || true)
if [ -z "$server" ]; then
    echo "no hnefatafl-server: install it as the head of $0 says, or name it" >&2
    exit 2
fi
place=$(mktemp -d)
started=()
trap 'kill "${started[@]}" 2>/dev/null || true; rm -rf "$place"' EXIT

HOME=$place XDG_DATA_HOME=$place "$server" --skip-the-data-file >"$place/server.log" 2>&1 &
started+=($!)
for _ in $(seq 100); do
    if (exec 3<>/dev/tcp/127.0.0.1/49152) 2>/dev/null; then break; fi
    sleep 0.1
done
echo "a secret" >"$place/password"

# Starts a client in the background: client LOG ROLE NAME [OPTION...]
client() {
    local log=$1 role=$2 name=$3
    shift 3
    "$program" hnefatafl-org "$role" --host 127.0.0.1 --name "$name" \
        --password-file "$place/password" --threads 1 --hash 16 --json "$@" \
        >"$place/$log.json" 2>"$place/$log.log" &
    started+=($!)
    last=$!
}

# Waits for the number of the game that a client has proposed.
number() {
    for _ in $(seq 100); do
        sed -n 's/.*game \([0-9]*\) waits.*/\1/p' "$place/$1.log" | grep . && return
        sleep 0.1
    done
    cat "$place/$1.log" >&2
    return 1
}

# Both clients must have ended with the same result of the same game.
agree() {
    for log in "$@"; do
        grep -q '"result"' "$place/$log.json" || { cat "$place/$log.log" >&2; return 1; }
    done
    local first second
    first=$(grep -o '"result":"[a-z_]*"' "$place/$1.json")
    second=$(grep -o '"result":"[a-z_]*"' "$place/$2.json")
    [ "$first" = "$second" ] || { echo "$first is not $second" >&2; return 1; }
    echo "$first, $(grep -o '"moves":\[[^]]*' "$place/$1.json" | tr ',' '\n' | wc -l) plies"
}

new=(--create-account)
for size in 11 7 13; do
    client a attacker ann "${new[@]}" --board-size $size --clock 0.25+0
    a=$last
    client b defender bob "${new[@]}" --join "$(number a)"
    b=$last
    wait $a && wait $b || true
    echo "board size $size: $(agree a b)"
    new=()
done

# The defenders are killed, and another client resumes their game.
client a attacker ann --clock 0.5+0
a=$last
game=$(number a)
client b defender bob --join "$game"
b=$last
sleep 4
kill -9 $b
wait $b 2>/dev/null || true
sleep 1
client c defender bob --resume "$game"
c=$last
wait $a && wait $c || true
echo "resumed: $(agree a c)"
