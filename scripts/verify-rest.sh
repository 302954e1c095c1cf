#!/usr/bin/env bash
# Verifies the slices of a ruleset that are not proved yet, smallest first, and
# prints one line per slice. Proved slices are recorded with the hashes of their
# values in <tables>/<ruleset>/proved.txt, so that the script can be interrupted
# and run again.
#
#   scripts/verify-rest.sh RULES [PERCENT SEED]
#
# With PERCENT and SEED, verifies a seeded sample of each slice's blocks instead,
# and records nothing. Uses the tables in $TAFLBASE_TABLES (default: tables).
# Needs jq and GNU time.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/sets.sh

[[ $# == 1 || $# == 3 ]] || { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
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

# The hashes detect tables that were rebuilt with other values.
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
    # After status 1 (a fault was found) the other slices are still verified.
    [[ $status -le 1 ]] || exit "$status"
    wrong=$((wrong | status))
    verdict=$(jq -r '.verdict' "$report")
    echo "$slice: $verdict ($(cat "$report.time"))"
    if [[ $verdict == proved && -z ${sample[*]-} ]]; then
        echo "$slice $hashes" >>"$proved"
    fi
done <"$report.slices"
exit $wrong
