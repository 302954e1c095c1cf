#!/usr/bin/env bash
# Verifies in full what has not been verified yet of a ruleset's tables, smallest
# first, and prints one line for each slice. What is proved is noted, with the
# hash of its values, in <tables>/<ruleset>/proved.txt; may be stopped at any
# moment and run again.
#
#   scripts/verify-rest.sh RULES [PERCENT SEED]
#
# With PERCENT and SEED, a seeded sample of each slice's blocks is verified
# instead, and nothing is noted. Tables are those of $TAFLBASE_TABLES (default:
# tables). Needs jq and GNU time.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/sets.sh

[[ $# == 1 || $# == 3 ]] || { sed -n '2,12s/^# \{0,1\}//p' "$0" >&2; exit 2; }
rules=$1
sample=()
[[ $# == 3 ]] && sample=(--sample "$2" --seed "$3")
need jq jq
need /usr/bin/time time
cargo build --release --quiet
program=target/release/taflbase
tables=${TAFLBASE_TABLES:-tables}
proved=$tables/$(basename "$rules" .toml)/proved.txt
report=$(mktemp)
trap 'rm -f "$report" "$report.time" "$report.slices"' EXIT

# The values' hashes tell tables that were built again with other results.
"$program" --tables "$tables" manifest "$rules" --json |
    jq -r '.slices[] | "\(.slice) \([.files[].values] | join(" "))"' >"$report.slices"
wrong=0
while read -r slice hashes; do
    if [[ -z ${sample[*]-} ]] && grep -qxsF "$slice $hashes" "$proved"; then
        continue
    fi
    status=0
    /usr/bin/time -q -o "$report.time" -f '%e s, %U s of cores, %M KiB' "$program" \
        --tables "$tables" verify "$rules" --slice "$slice" --json "${sample[@]}" >"$report" ||
        status=$?
    # 1: something is wrong, and the rest is still to be looked at.
    [[ $status -le 1 ]] || exit "$status"
    wrong=$((wrong | status))
    verdict=$(jq -r '.verdict' "$report")
    echo "$slice: $verdict ($(cat "$report.time"))"
    if [[ $verdict == proved && -z ${sample[*]-} ]]; then
        echo "$slice $hashes" >>"$proved"
    fi
done <"$report.slices"
exit $wrong
