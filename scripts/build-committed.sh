#!/usr/bin/env bash
# Rebuilds the tables that are part of the source, in a minute or two: after a change of the
# files that a build writes, or of src/tablebase/embedded.rs, which lists the embedded tables.
#
#   scripts/build-committed.sh
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --release --quiet
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Copies the tables of one metric, up to a number of men, into tables/.
commit() {
    local rules=$1 metric=$2 men=$3
    target/release/taflbase --tables "$folder" build "$rules" --men "$men" --json >/dev/null
    mkdir -p "tables/$rules"
    target/release/taflbase --tables "$folder" plan "$rules" --men "$men" --json |
        sed 's/.*"slice":"\([^"]*\)".*/\1/' |
        while read -r slice; do
            cp "$folder/$rules/$slice.$metric" "tables/$rules/"
            git add --force "tables/$rules/$slice.$metric"
        done
}

commit brandubh wdl 6
commit brandubh dtw 5
commit brandubh-online dtw 5
commit berkeley dtw 5
commit ashton dtw 4
commit ashton-server dtw 4
commit tablut dtw 4
commit tablut wdl 5
commit large-hnefatafl dtw 3
commit large-hnefatafl wdl 4
commit alea-evangelii dtw 3
commit brandubh-1 dtw 4
commit brandubh-1 wdl 5
commit magpie dtw 4
commit saami-tablut dtw 4
commit sea-battle-9 dtw 4
commit copenhagen dtw 4
commit fetlar dtw 3
commit fetlar wdl 4
commit tawlbwrdd-lewis dtw 4
commit sea-battle-11 dtw 4
commit copenhagen-13 dtw 3
commit copenhagen-13 wdl 4
