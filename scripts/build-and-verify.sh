#!/usr/bin/env bash
# Builds and verifies a small set of every game in an empty folder, which takes some minutes,
# and prints a table row for each: seconds and peak memory of both steps, and bytes.
#
#   scripts/build-and-verify.sh [FOLDER]     (default: a new temporary folder)
#
# Needs GNU time as /usr/bin/time (Debian: apt-get install time).
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-$(mktemp -d)}
[[ -x /usr/bin/time ]] || { echo "GNU time is missing: apt-get install time" >&2; exit 2; }
cargo build --release --quiet
program=target/release/taflbase

# Runs the program; prints seconds and MiB of peak memory.
measure() {
    local log
    log=$(mktemp)
    /usr/bin/time -o "$log" -f '%e %M' "$program" --tables "$folder" "$@" >"$log.out" 2>"$log.err" ||
        { cat "$log.err" >&2; exit 1; }
    awk '{ printf "%s s | %d MiB", $1, $2 / 1024 }' "$log"
    rm -f "$log" "$log.out" "$log.err"
}

echo "| set | build | peak memory | verify | peak memory | bytes |"
echo "|---|---|---|---|---|---|"
while read -r rules men; do
    name=$(basename "$rules" .toml)
    row="| $name --men $men | $(measure build "$rules" --men "$men") | $(measure verify "$rules") |"
    bytes=0
    [[ -d $folder/$name ]] && bytes=$(cat "$folder/$name"/K* | wc -c)
    echo "$row $bytes |"
done <<'SETS'
brandubh 6
ashton 5
berkeley 5
mcgill 5
tablut 5
large-hnefatafl 4
alea-evangelii 3
tests/rulesets/mini-corner.toml 9
SETS
