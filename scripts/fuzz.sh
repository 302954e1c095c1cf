#!/usr/bin/env bash
# Fuzzes the readers of tables, positions, moves, rulesets, records of rules and games, and
# what other programs send (frames and messages of the challenge, commands of Berkeley's
# interface, lines of OpenTafl, requests to the explorer), each for so many seconds: 60,
# unless told otherwise. What breaks a check (tests/fuzz_seeds/checks.rs) is left in
# target/fuzz/found/: mend its cause, and move it to tests/fuzz_seeds/, where `cargo test`
# goes through it.
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
    targets=(table position moves ruleset otn record server message commands host request)
fi

cargo fuzz --version >/dev/null 2>&1 || cargo install --locked cargo-fuzz
# The compiler's sanitizers and counters, with the stable toolchain.
export RUSTC_BOOTSTRAP=1
# Tables of constants inside zstd's functions stay where they are, but GCC takes them for
# gone when such a function returns.
export CFLAGS="${CFLAGS:-} -fno-sanitize-address-use-after-scope"
folder=$PWD/target/fuzz

# Other folders that a target begins with.
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
