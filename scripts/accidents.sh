#!/usr/bin/env bash
# Crash test: kills builds and damages their work files at random, and compares the resulting
# tables with those of an undisturbed build.
#   scripts/accidents.sh [RUNS] [RULES] [SLICE] [MEMORY ...]
# Builds are killed (kill -9) at random moments; after half of the kills, up to three work
# files are truncated, removed, swapped, or have a bit flipped. Each build uses a random one
# of the amounts of memory (tables that do not fit are on disk), one or two threads, and one
# of two scratch folders. RUNS is the number of finished tables to compare; each takes a few
# kills. Works in a temporary folder. Exit status 0: all tables are identical.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-20} rules=${2:-brandubh} slice=${3:-K2v3}
shift $(($# < 3 ? $# : 3))
memories=("$@")
[ ${#memories[@]} -gt 0 ] || memories=(1GiB)

cargo build --release --quiet
taflbase=$PWD/target/release/taflbase
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

pick() { local -n list=$1; echo "${list[RANDOM % ${#list[@]}]}"; }
random() { echo $(((RANDOM << 15 | RANDOM) % $1)); }
now() { date +%s%N; }
scratches=("$place/one" "$place/two")

damage() {
    local files size
    mapfile -t files < <(find "$place"/one "$place"/two "$place"/tables -path '*.work/*' -type f 2>/dev/null)
    [ ${#files[@]} -gt 0 ] || return 0
    for _ in $(seq $((RANDOM % 3 + 1))); do
        local file other
        file=$(pick files) other=$(pick files)
        [ -s "$file" ] || continue
        size=$(stat -c %s "$file")
        case $((RANDOM % 4)) in
        0) truncate -s "$(random "$size")" "$file" ;;
        1) rm "$file" ;;
        2) local at byte
            at=$(random "$size")
            byte=$(od -An -tu1 -j "$at" -N 1 "$file")
            printf "\\x$(printf %x $((byte ^ 1 << RANDOM % 8)))" |
                dd of="$file" bs=1 seek="$at" conv=notrunc status=none ;;
        3) [ "$file" = "$other" ] || mv "$file" "$other" ;;
        esac
        damages=$((damages + 1))
    done
}

# Prepares a folder with all slices that the slice depends on.
prepare() {
    rm -rf "$place/tables" "$place/one" "$place/two"
    mkdir -p "$place/tables/$rules"
    find "$place/whole/$rules" -type f ! -name "$slice.*" -exec cp {} "$place/tables/$rules" \;
}

build() {
    exec "$taflbase" build "$rules" --slice "$slice" --tables "$place/tables" "$@" \
        >/dev/null 2>>"$place/err"
}

"$taflbase" build "$rules" --slice "$slice" --tables "$place/whole" >/dev/null 2>&1
prepare
begun=$(now)
(build)
takes=$((($(now) - begun) / 1000000))
: >"$place/err"
kills=0 damages=0
for run in $(seq "$runs"); do
    prepare
    for _ in $(seq $((RANDOM % 4 + 1))); do
        options=(--threads $((RANDOM % 2 + 1)) --memory "$(pick memories)" --scratch "$(pick scratches)")
        build "${options[@]}" &
        wait=$(random "$takes")
        sleep "$(printf '%d.%03d' $((wait / 1000)) $((wait % 1000)))"
        if kill -9 $! 2>/dev/null; then
            wait $! 2>/dev/null || true
            kills=$((kills + 1))
            [ $((RANDOM % 2)) = 0 ] || damage
        fi
    done
    (build "${options[@]}") || { cat "$place/err" >&2; exit 1; }
    for table in "$place/whole/$rules/$slice".*; do
        cmp "$table" "$place/tables/$rules/${table##*/}" || {
            echo "run $run: ${table##*/} differs" >&2
            exit 1
        }
    done
done
echo "$runs tables of $rules $slice are identical after $kills kills and $damages damaged files;" \
    "work was done again $(grep -c 'done again' "$place/err" || true) times"
