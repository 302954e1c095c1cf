#!/usr/bin/env bash
# Fuzzes the parsers of tables, positions, moves, rulesets, records of rules and games, and
# the input from other programs (frames and messages of the challenge, Berkeley's commands,
# the lines of OpenTafl and of hnefatafl.org, requests to the explorer), each for SECONDS
# (default: 60). An input that fails a check (tests/fuzz_seeds/checks.rs) is saved in
# target/fuzz/found/: fix the cause, and move the input to tests/fuzz_seeds/, which
# `cargo test` replays.
#
# Needs a C++ compiler; installs cargo-fuzz if it is missing.
#
#   scripts/fuzz.sh [SECONDS [TARGET ...]]
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
shift || true
targets=("$@")
if [ ${#targets[@]} = 0 ]; then
    targets=(table position moves ruleset otn record server message commands host htp request)
fi

cargo fuzz --version >/dev/null 2>&1 || cargo install --locked cargo-fuzz
# Allows the sanitizers and coverage counters on the stable toolchain.
export RUSTC_BOOTSTRAP=1
# Avoids a false positive: GCC poisons constant tables in zstd's functions on return.
export CFLAGS="${CFLAGS:-} -fno-sanitize-address-use-after-scope"
folder=$PWD/target/fuzz

# Further seed folders of a target.
more() {
    case $1 in
        table) echo tests/data ;;
        ruleset) echo src/game/rules/builtin tests/rulesets ;;
    esac
}

for target in "${targets[@]}"; do
    mkdir -p "$folder/corpus/$target" "$folder/found/$target"
    # shellcheck disable=SC2046
    cargo fuzz run --fuzz-dir tests/fuzz --target-dir "$folder" "$target" \
        "$folder/corpus/$target" "tests/fuzz_seeds/$target" $(more "$target") -- \
        -max_total_time="$seconds" -artifact_prefix="$folder/found/$target/" \
        -max_len=4096 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1
done
