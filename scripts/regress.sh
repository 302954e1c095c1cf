#!/usr/bin/env bash
# Plays this build of the engine against an older one, ruleset by ruleset, and prints the
# difference in Elo with its 95 % confidence interval, and the signatures of both searches
# (`taflbase bench --engine`). Exit status 1 if it is clearly weaker in any ruleset, by the
# interval or the sequential test.
#
#   scripts/regress.sh [OPTIONS] OLD [RULES ...]
#
# OLD is a program, or a revision of this repository, which is built.
#
#   --new PROGRAM     a program or revision to play instead of the working tree's build
#   --games N         games per ruleset, an even number (200)
#   --nodes N         positions per move (3000)
#   --time SECONDS    time per move instead, of which a tenth and 0.1 s are kept in reserve
#   --sprt ELO0,ELO1  stop when a sequential test decides that the new one is at most ELO0
#                     (a failure if below 0) or at least ELO1 stronger
#
# Both play as external programs over OTEP under the same conditions, with one thread and
# 16 MiB. OTEP cannot express the rules of ashton and mcgill; with berkeley it announces that
# the third occurrence of a position counts, while the match counts the second. Games are
# saved in target/regress/, from which the same command resumes.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    sed -n '2,/^set /s/^# \{0,1\}//p' scripts/regress.sh >&2
    exit 2
}
wrong() {
    echo "regress.sh: $1" >&2
    exit 2
}

new='' games=200 nodes=3000 time='' sprt=()
while [[ ${1-} == --* ]]; do
    [ $# -ge 2 ] || usage
    case $1 in
        --new) new=$2 ;;
        --games) games=$2 ;;
        --nodes) nodes=$2 ;;
        --time) time=$2 ;;
        --sprt) sprt=(--sprt "$2") ;;
        *) usage ;;
    esac
    shift 2
done
[ $# -ge 1 ] || usage
old=$1
shift
rulesets=("$@")
if [ ${#rulesets[@]} = 0 ]; then
    rulesets=(brandubh tablut berkeley large-hnefatafl)
fi
work=$PWD/target/regress
mkdir -p "$work"

# Prints the path of a program, or of a revision's build.
program() {
    local commit
    if [ -f "$1" ]; then
        realpath "$1"
        return
    fi
    commit=$(git rev-parse --quiet --verify --short=12 "$1^{commit}") ||
        wrong "$1 is neither a program nor a revision"
    if [ ! -f "$work/taflbase-$commit" ]; then
        rm -rf "$work/source"
        git worktree prune
        git worktree add --quiet --detach "$work/source" "$commit"
        # Use the working tree's crate versions, so that only the source differs.
        cp Cargo.lock "$work/source/" 2>/dev/null || true
        cargo build --release --quiet --bin taflbase --manifest-path "$work/source/Cargo.toml" \
            --target-dir "$work/build" >&2
        cp "$work/build/release/taflbase" "$work/taflbase-$commit"
        git worktree remove --force "$work/source"
    fi
    echo "$work/taflbase-$commit"
}

# Prints a short hash of the program, for the file names of its games.
print() { sha256sum "$1" | cut -c 1-8; }

old=$(program "$old")
if [ -n "$new" ]; then
    new=$(program "$new")
else
    cargo build --release --quiet
    new=$work/taflbase-new
    cp --remove-destination target/release/taflbase "$new"
fi

clock=(--nodes "$nodes") limit="--nodes $nodes"
if [ -n "$time" ]; then
    clock=(--time "$time") limit=''
fi
for which in "$new" "$old"; do
    if [ -n "$limit" ] && ! "$which" otep --help | grep -q -e --nodes; then
        wrong "$which has no otep --nodes: use --time"
    fi
done

for which in "$new" "$old"; do
    echo "$which: $("$which" bench --engine | tail -n 1)"
done

# Prints a field of the match's JSON.
field() { sed -n "s/.*\"$1\":\([^,}]*\).*/\1/p" <<<"$answer"; }
whole() { field "$1" | sed 's/[.].*//'; }
is_negative() { awk -v value="$1" 'BEGIN { exit !(value != "null" && value < 0) }'; }

status=0
player() { echo "otep:'$1' otep --threads 1 --hash 16 $limit"; }
for rules in "${rulesets[@]}"; do
    saved=$work/$(basename "$rules")-$(print "$new")-$(print "$old")-${clock[0]#--}${clock[1]}.jsonl
    answer=$("$new" match "$rules" "$(player "$new")" "$(player "$old")" --games "$games" \
        "${clock[@]}" "${sprt[@]}" --output "$saved" --json)
    verdict=''
    # If all pairs have the same result, there is no interval, but a score of 0 is a loss.
    if is_negative "$(field elo_high)" || is_negative "$(field accepted)" ||
        [ "$(field score)" = 0.0 ]; then
        verdict='  WEAKER'
        status=1
    fi
    stronger="Elo $(whole elo) ($(whole elo_low) to $(whole elo_high))"
    if [ "$(field elo_low)" = null ]; then
        stronger='all pairs alike'
    fi
    echo "$rules: $stronger, score $(field score) in $(field games) games$verdict"
done
exit $status
