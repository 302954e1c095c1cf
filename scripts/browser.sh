#!/usr/bin/env bash
# Tests the explorer's page in a real browser: every feature, accessibility by axe-core in all
# views and both themes, and an empty console. Needs Debian's packages chromium-headless-shell,
# chromium-driver, fonts-dejavu-core, and npm.
#   scripts/browser.sh [FILTER…]: run only the tests whose names contain a filter
# TAFLBASE is the program to test; by default it is built. CHROMIUM is the browser: by default
# the one without windows, which starts with a fifth of the processor time. It is the program itself,
# not Debian's script that starts it, since chromedriver ends only what it has started.
set -euo pipefail
cd "$(dirname "$0")/.."

axe_version=4.14.1
axe_sha256=29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c

export CHROMIUM=${CHROMIUM:-/usr/lib/chromium/chromium-headless-shell}
missing=()
[[ -x $CHROMIUM ]] || missing+=(chromium-headless-shell)
command -v chromedriver >/dev/null || missing+=(chromium-driver)
command -v npm >/dev/null || missing+=(npm)
command -v fc-list >/dev/null && fc-list | grep -q DejaVu || missing+=(fonts-dejavu-core)
if ((${#missing[@]})); then
  echo "browser.sh: missing here: apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 2
fi

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
mkdir -p "$CARGO_TARGET_DIR"
place=$(mktemp -d)
finish() {
  # The driver ends its browsers when it is asked to end, not when it is killed.
  if [[ -n ${driver_port:-} ]] && exec 3<>"/dev/tcp/127.0.0.1/$driver_port"; then
    printf 'GET /shutdown HTTP/1.1\r\nHost: localhost\r\n\r\n' >&3
    timeout 10 cat <&3 >/dev/null || true
  fi 2>/dev/null
  kill $(jobs -p) 2>/dev/null || true
  wait
  rm -rf "$place"
}
trap finish EXIT

# axe-core is not part of the source: it is downloaded once, and checked by its hash.
axe=$CARGO_TARGET_DIR/axe-$axe_version.js
if [[ ! -e $axe ]]; then
  (cd "$place" && npm pack --silent "axe-core@$axe_version" >/dev/null &&
    tar -xzf "axe-core-$axe_version.tgz" package/axe.min.js)
  echo "$axe_sha256  $place/package/axe.min.js" | sha256sum --check --quiet
  mv "$place/package/axe.min.js" "$axe"
fi

if [[ -z ${TAFLBASE:-} ]]; then
  cargo build
  TAFLBASE=$CARGO_TARGET_DIR/debug/taflbase
fi
TAFLBASE=$(realpath "$TAFLBASE")
cargo test --no-run --manifest-path tests/browser/Cargo.toml

# Waits for a command's output and prints the part in \(\): `await FILE PATTERN`.
await() {
  local found=
  for _ in {1..200}; do
    found=$(sed -n "s/.*$2.*/\1/p" "$1" | head -n 1)
    [[ -n $found ]] && break
    sleep 0.05
  done
  [[ -n $found ]] || { echo "browser.sh: no match for $2 in $1:" >&2; cat "$1"* >&2; exit 1; }
  echo "$found"
}

export TAFLBASE AXE=$axe
# Serve and offer the embedded tables, those of a ruleset with undecided positions, a ruleset with the
# smallest board, a certificate, and the store of a proof that is not complete.
unset TAFLBASE_TABLES TAFLBASE_PROOFS
rules=tests/rulesets
"$TAFLBASE" build "$rules/strange.toml" --men 4 --tables "$place/tables" >/dev/null 2>&1
"$TAFLBASE" solve brandubh "/3t3/3t3/7/t1T1T1t/3K3/3t3/3t3/ d" \
  --certificate "$place/won.cert" >/dev/null
"$TAFLBASE" solve brandubh --store "$place/store" --job-nodes 500 --nodes 20000 \
  --memory 16MiB --threads 1 >/dev/null 2>&1 || [[ $? == 1 ]]
"$TAFLBASE" serve --addr 127.0.0.1:0 --json --tables "$place/tables" \
  --rules "$rules/strange.toml" --rules "$rules/mini-edge.toml" --proofs "$place/won.cert" \
  --proofs "$place/store" --downloads \
  >"$place/server" 2>"$place/server.log" &
chromedriver --port=0 >"$place/driver" 2>&1 &
EXPLORER=$(await "$place/server" '"url":"\([^"]*\)"')
driver_port=$(await "$place/driver" 'started successfully on port \([0-9]*\)')
DRIVER=http://127.0.0.1:$driver_port
export EXPLORER DRIVER
cargo test --manifest-path tests/browser/Cargo.toml -- --test-threads=2 "$@"
