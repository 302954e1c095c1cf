#!/usr/bin/env bash
# Builds brandubh with several MPI processes and compares all files byte by byte with those
# of one process; kills a process in each phase and resumes with another number of processes.
# Proves a small game by several processes with one store.
#
#   scripts/test-mpi.sh [MEN [PROCESSES...]]     (default: 6 men by 2, 3 and 4)
#
# Needs Open MPI and libclang: apt-get install openmpi-bin libopenmpi-dev libclang-dev.
# Tests $PROGRAM; by default it is built.
set -euo pipefail
cd "$(dirname "$0")/.."
men=${1:-6}
shift $(($# > 0 ? 1 : 0))
processes=("$@")
[[ $# -gt 0 ]] || processes=(2 3 4)

command -v mpirun >/dev/null ||
    { echo "mpirun is missing: apt-get install openmpi-bin" >&2; exit 2; }
program=${PROGRAM:-target/release/taflbase}
[[ -n ${PROGRAM:-} ]] || cargo build --release --features mpi --quiet
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [[ $(id -u) -eq 0 ]]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# Builds with $1 processes into $2; passes on the other arguments.
among() {
    local count=$1 tables=$2
    shift 2
    mpirun --oversubscribe -n "$count" \
        "$program" --tables "$tables" build brandubh --threads 1 --json "$@"
}

same() {
    diff -rq --exclude=.lock "$folder/alone" "$1" || { echo "$2: files differ" >&2; exit 1; }
    echo "$2: identical files"
}

"$program" --tables "$folder/alone" build brandubh --men "$men" --json >/dev/null 2>&1
for count in "${processes[@]}"; do
    among "$count" "$folder/by-$count" --men "$men" >"$folder/output" 2>"$folder/log" ||
        { cat "$folder/log" >&2; exit 1; }
    grep -q '"ranks"' "$folder/output" || { echo "$count processes: none built together" >&2; exit 1; }
    same "$folder/by-$count" "$count processes"
done

# Builds one slice and kills a process when a file of each kind exists.
slice=K2v3
rm -rf "$folder/alone"
"$program" --tables "$folder/alone" build brandubh --slice "$slice" --json >/dev/null 2>&1
cp -r "$folder/alone" "$folder/smaller"
rm "$folder/smaller/brandubh/$slice".*
for file in 'initial@*.part' 'attackers-1@*' 'attackers-6@*' 'attackers-all@*' 'defenders-3@*' \
    'defenders-all@*'; do
    rm -rf "$folder/killed"
    cp -r "$folder/smaller" "$folder/killed"
    among 3 "$folder/killed" --slice "$slice" >/dev/null 2>&1 &
    launcher=$!
    until compgen -G "$folder/killed/brandubh/$slice.work/$file" >/dev/null; do
        kill -0 "$launcher" 2>/dev/null || { echo "$file: never written" >&2; exit 1; }
        sleep 0.002
    done
    # The child of $launcher is mpirun; the processes are mpirun's children.
    kill -9 "$(pgrep -P "$(pgrep -P "$launcher")" | sed -n 2p)"
    begun=$(date +%s)
    status=0
    wait "$launcher" || status=$?
    [[ $status -ne 0 ]] || { echo "$file: a process was killed, but the launcher succeeded" >&2; exit 1; }
    [[ $(($(date +%s) - begun)) -le 20 ]] || { echo "$file: the other processes did not stop" >&2; exit 1; }
    kept=$(find "$folder/killed/brandubh/$slice.work" -name '*@*' ! -name '*.part' | wc -l)
    among 2 "$folder/killed" --slice "$slice" >/dev/null 2>&1
    same "$folder/killed" "3 processes, one killed at $file with $kept files of work kept, then 2"
done

# A proof needs no messages: processes with one store share its jobs. How many jobs each of them gets
# is a matter of time, but together they need fewer nodes than if each made its own proof.
prove() {
    local count=$1
    mpirun --oversubscribe -n "$count" "$program" solve examples/rulesets/brandubh-6v3.toml \
        --threads 1 --for defenders --memory 16MiB --store "$folder/store-$count" --job-nodes 2000 \
        --json >"$folder/output" 2>"$folder/log" || { cat "$folder/log" >&2; exit 1; }
    [[ $(grep -c '"value":"defenders"' "$folder/output") -eq $count ]] ||
        { echo "a proof by $count processes: not all have the answer" >&2; exit 1; }
    nodes=$(sed 's/.*"nodes":\([0-9]*\).*/\1/' "$folder/output" | awk '{ sum += $1 } END { print sum }')
}
prove 1
nodes_alone=$nodes
prove 3
[[ $nodes -lt $((3 * nodes_alone)) ]] ||
    { echo "a proof by 3 processes: $nodes nodes, $nodes_alone by one" >&2; exit 1; }
echo "a proof by 3 processes with one store: $nodes nodes, $nodes_alone by one; all have the answer"

# A launcher of another MPI library must be rejected.
alone=$(SLURM_STEP_NUM_TASKS=2 "$program" --tables "$folder/none" build brandubh --men 3 2>&1 || true)
grep -q 'MPI connects 1 of them' <<<"$alone" || { echo "not refused: $alone" >&2; exit 1; }
[[ ! -e $folder/none/brandubh ]]
echo "not connected: refused"

# A program without MPI must report it.
if [[ -n ${WITHOUT:-} ]]; then
    refused=$(mpirun --oversubscribe -n 2 "$WITHOUT" --tables "$folder/none" build brandubh --men 3 2>&1 || true)
    grep -q 'without MPI' <<<"$refused" || { echo "not refused: $refused" >&2; exit 1; }
    [[ ! -e $folder/none/brandubh ]]
    echo "without MPI: refused"
fi
