#!/usr/bin/env bash
# Builds a set of slices, slice by slice, and prints a row of the table of
# docs/results.md for each. Can be interrupted and run again: existing slices are
# reused, and the one in progress is resumed. The row of a slice that was not built by
# one run has no time and no memory ("-"), since those of the earlier run are unknown.
#
#   scripts/build-set.sh SET [build options]     (SET: see scripts/sets.sh)
#
# Tables and manifests go to $TAFLBASE_TABLES (default: tables). Each row is also
# appended to <tables>/<ruleset>/build-log.md. Needs jq and GNU time.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/sets.sh

[[ $# -ge 1 ]] || { sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
find_set "$1"
shift
need jq jq
need /usr/bin/time time
# The manifest names the commit that built a slice.
TAFLBASE_COMMIT=$(git describe --always --dirty --abbrev=40 --exclude='*')
export TAFLBASE_COMMIT
cargo build --release --quiet
program=target/release/taflbase
tables=${TAFLBASE_TABLES:-tables}
folder=$tables/$rules
mkdir -p "$folder"
log=$folder/build-log.md
report=$(mktemp)
trap 'rm -f "$report" "$report.time"' EXIT

numbers='[.slice, ([.sides[].positions] | add), (.files[] | select(.metric == "wdl") | .bytes),
    (.files[] | select(.metric == "dtw") | .bytes), .built] | @tsv'
row='
function grouped(n,   text, rest) {
    for (rest = sprintf("%.0f", n); length(rest) > 3; rest = substr(rest, 1, length(rest) - 3))
        text = "," substr(rest, length(rest) - 2) text
    return rest text
}
{
    # One position of each class of mirror images is stored.
    stored = $2 / 8
    used = "- | - | -"
    if (resumed == "no" && $5 == "true")
        used = sprintf("%.1f | %.1f | %d MiB", core, stored / (core > 0 ? core : 0.01) / 1e6, mib)
    printf "| %s | %s | %s | %s | %s | %.4f | %.3f |\n", $1, grouped($2), used, grouped($3),
        grouped($4), 8 * $3 / stored, 8 * $4 / stored
}'

header='| slice | placements | core-seconds | million positions a core-second | peak memory '
header+='| WDL bytes | DTW bytes | WDL bits | DTW bits |'
[[ -s $log ]] || printf '%s\n|---|---|---|---|---|---|---|---|---|\n' "$header" >"$log"
echo "$header"
scratch=$tables
[[ " $*" =~ \ --scratch[=\ ]([^ ]+) ]] && scratch=${BASH_REMATCH[1]}
for slice in $(slices_of "$rules" "${wanted[@]}"); do
    resumed=no
    [[ ! -e $scratch/$rules/$slice.work ]] || resumed=yes
    # A run can be stopped after it has built a slice and before it has printed the row.
    listed=false
    ! grep -qF "| $slice |" "$log" || listed=true
    /usr/bin/time -q -o "$report.time" -f '%U %S %M' \
        "$program" --tables "$tables" build "$rules" --slice "$slice" --json "$@" >"$report"
    read -r user system kib <"$report.time"
    wanted_row="select(.slice == \$slice and (.built or (\$listed | not))) | $numbers"
    jq -r --arg slice "$slice" --argjson listed "$listed" "$wanted_row" "$report" |
        awk -v core="$(awk "BEGIN { print $user + $system }")" -v mib=$((kib / 1024)) \
            -v resumed="$resumed" "$row" |
        tee -a "$log"
    "$program" --tables "$tables" manifest "$rules" --slice "$slice" --longest \
        --output "$folder/MANIFEST.json" >/dev/null
done
