#!/usr/bin/env bash
# Load test of the explorer's server, on the cores that it runs on itself. Prints responses per
# second, latency, CPU time per response, and memory for:
#
#   16 connections that request 20,000 random positions of brandubh in turn;
#   the same while the engine searches; 400 connections, with the latency of /health;
#   1,000 connections, with the status codes.
#
# Exit status 1 if a response is neither 200 nor 503, if anything fails, or if the server uses
# more memory than its cache and 64 MiB.
#
#   scripts/load.sh [SECONDS]        (for each test; default: 10)
#
# Uses the tables in TAFLBASE_TABLES or the folder tables, and those of the program. Needs
# wrk and curl: apt-get install wrk curl
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-10}
for tool in wrk curl; do
    command -v "$tool" > /dev/null || {
        echo "load.sh: $tool is missing: apt-get install wrk curl" >&2; exit 2
    }
done
ulimit -n "$(ulimit -Hn)"
cargo build --release --quiet
program=target/release/taflbase
place=target/load
mkdir -p "$place"

# In a query, _ stands for a space.
for slice in K0v4 K1v3 K2v2 K3v1; do
    "$program" find brandubh --slice "$slice" --random 5000
done | grep -o '/[^ ]*/ [ad]$' | tr ' ' _ > "$place/positions"
cat > "$place/ask.lua" <<'LUA'
local paths, at, statuses = {}, 0, {}
for position in io.lines("target/load/positions") do
    paths[#paths + 1] = wrk.format("GET", "/api/v1/rulesets/brandubh/probe?position=" .. position)
end
function request()
    at = at % #paths + 1
    return paths[at]
end
function done(summary, latency)
    local errors = summary.errors
    io.write(string.format("%d responses per second; half within %.1f ms, 99 %% within %.1f ms; "
        .. "not 200: %d; failed connections: %d\n",
        summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000,
        latency:percentile(99) / 1000, errors.status,
        errors.connect + errors.read + errors.write + errors.timeout))
end
LUA

cache=128
rm -f "$place/address"
"$program" serve --addr 127.0.0.1:0 --json --cache ${cache}MiB \
    --search-time "$seconds" > "$place/address" 2> "$place/log" &
server=$!
trap 'kill "$server" 2> /dev/null || true' EXIT
until [ -s "$place/address" ]; do sleep 0.1; done
url=$(sed 's/.*"url":"\([^"]*\)".*/\1/' "$place/address")

# CPU time of the server so far, in seconds.
cpu() { awk -v hertz="$(getconf CLK_TCK)" '{ print ($14 + $15) / hertz }' "/proc/$server/stat"; }
answered() { curl -s "${url}metrics" | awk '/^taflbase_http_request_seconds_count/ { print $2 }'; }
ask() { wrk -t1 -c"$1" -d"${seconds}s" --timeout 20s -s "$place/ask.lua" "$url" | tail -1; }

echo "20,000 positions, 16 connections:"
cpu_before=$(cpu) count_before=$(answered)
ask 16
awk -v a="$cpu_before" -v b="$(cpu)" -v m="$count_before" -v n="$(answered)" \
    'BEGIN { printf "%.0f microseconds of CPU per response\n", (b - a) / (n - m) * 1e6 }'

echo "the same while the engine searches:"
start=/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/_a
curl -sN -m "$((seconds + 5))" "${url}api/v1/rulesets/brandubh/analysis?position=$start" \
    > "$place/analysis" &
ask 16
wait $!
echo "$(grep -c '^event: iteration' "$place/analysis") iterations meanwhile"

echo "400 connections:"
ask 400 &
sleep 1
for _ in $(seq 20); do
    curl -s -o /dev/null -w '%{time_total}\n' "${url}health"
    sleep 0.1
done | sort -n | awk '{ t[NR] = $1 } END {
    printf "/health meanwhile: half within %.0f ms, all within %.0f ms\n", t[10] * 1000, t[NR] * 1000 }'
wait $!

echo "1,000 connections:"
ask 1000
sleep 1
curl -s "${url}metrics" > "$place/metrics"
grep -o 'status="[0-9]*"} [0-9]*' "$place/metrics" | tr -d '"}' | awk '
    { split($1, part, "="); sum[part[2]] += $2 }
    END { for (status in sum) printf "status %s: %d\n", status, sum[status] }' | sort
grep -E '^taflbase_(http_shed|log_lines)' "$place/metrics"
memory=$(awk '/^VmHWM/ { print int($2 / 1024) }' "/proc/$server/status")
echo "peak memory: $memory MiB, with a cache of $cache MiB"

kill -TERM "$server"
wait "$server"
trap - EXIT
others=$(grep -o 'status="[0-9]*"' "$place/metrics" | grep -vc -e '"200"' -e '"503"' || true)
[ "$others" = 0 ] && [ "$memory" -le $((cache + 64)) ]
