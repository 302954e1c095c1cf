#!/usr/bin/env bash
# Builds a set of slices, slice by slice, and prints a row of the table of
# docs/results.md for each. May be stopped at any moment and run again: slices
# that are there are kept, and the one in progress goes on.
#
#   scripts/build-set.sh SET [build options]     (SET: see scripts/sets.sh)
#
# Tables and manifests go to $TAFLBASE_TABLES (default: tables). Each row is also
# appended to <tables>/<ruleset>/build-log.md. Needs jq and GNU time.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/sets.sh

[[ $# -ge 1 ]] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
find_set "$1"
shift
need jq jq
need /usr/bin/time time
cargo build --release --quiet
program=target/release/taflbase
tables=${TAFLBASE_TABLES:-tables}
folder=$tables/$rules
mkdir -p "$folder"
log=$folder/build-log.md
report=$(mktemp)
trap 'rm -f "$report" "$report.time"' EXIT

row='| \(.slice) | \([.sides[].positions] | add) | \($seconds) | \($core) | \($mib) MiB '
row+='| \([.files[] | select(.metric == "wdl").bytes] | add) '
row+='| \([.files[] | select(.metric == "dtw").bytes] | add) |'

header='| slice | positions | seconds | core-seconds | peak memory | bytes WDL | bytes DTW |'
[[ -s $log ]] || printf '%s\n|---|---|---|---|---|---|---|\n' "$header" >"$log"
echo "$header"
for slice in $(slices_of "$rules" "${wanted[@]}"); do
    /usr/bin/time -q -o "$report.time" -f '%e %U %S %M' \
        "$program" --tables "$tables" build "$rules" --slice "$slice" --json "$@" >"$report"
    read -r seconds user system kib <"$report.time"
    jq -r --arg slice "$slice" --arg seconds "$seconds" --argjson mib $((kib / 1024)) \
        --arg core "$(awk "BEGIN { print $user + $system }")" \
        "select(.built and .slice == \$slice) | \"$row\"" "$report" | tee -a "$log"
    "$program" --tables "$tables" manifest "$rules" --slice "$slice" \
        --output "$folder/MANIFEST.json" >/dev/null
done
