#!/usr/bin/env bash
# Plays this build of the engine against an older one, ruleset by ruleset, and prints by
# how much it is stronger, in Elo with the interval that holds it in 95 of 100 cases, and
# the signatures of both searches (`taflbase bench --engine`). Status 1 if it is clearly
# weaker in any ruleset: if that interval, or the test, says so.
#
#   scripts/regress.sh [OPTIONS] OLD [RULES ...]
#
# OLD is a revision of this repository, which is built, or a program.
#
#   --new PROGRAM     plays in place of the working tree's build; or a revision
#   --games N         games of each ruleset, an even number (200)
#   --nodes N         positions for a move (3000)
#   --time SECONDS    time for a move instead; a tenth and 0.1 s of it stay unused
#   --sprt ELO0,ELO1  stop when it is certain enough that the new one is stronger by no
#                     more than ELO0, which fails if that is below 0, or by ELO1
#
# Both play as external programs over OTEP, so that they have the same conditions, with one
# thread and 16 MiB. OTEP can say neither ashton's rules nor mcgill's; by berkeley's it
# tells engines that the third occurrence of a position counts, while the match counts the
# second. The games are saved in target/regress/: the same command goes on where it was
# stopped.
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

# The program of that revision, or that program.
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
        # The crates of the working tree, so that only the source differs.
        cp Cargo.lock "$work/source/" 2>/dev/null || true
        cargo build --release --quiet --bin taflbase --manifest-path "$work/source/Cargo.toml" \
            --target-dir "$work/build" >&2
        cp "$work/build/release/taflbase" "$work/taflbase-$commit"
        git worktree remove --force "$work/source"
    fi
    echo "$work/taflbase-$commit"
}

# A name that changes with the program, for the files of its games.
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
        wrong "$which cannot be told how many positions to search: use --time"
    fi
done

for which in "$new" "$old"; do
    echo "$which: $("$which" bench --engine | tail -n 1)"
done

# The value of a field of the match's answer.
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
    # Where all pairs came out alike, there is no interval: a score of 0 says enough.
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
