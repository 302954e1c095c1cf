#!/usr/bin/env bash
# Tests scripts/check-certificate with certificates of the program: good ones hold, and damaged
# ones are refused with one line.
#
#   PROGRAM=target/release/taflbase PYTHON=python3 scripts/test-certificates.sh
#
# PYTHON is a Python 3.11 or newer with the package zstandard. If it has the package taflbase too,
# certificates that rest on tables are tested.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${PROGRAM:-target/release/taflbase}") python=${PYTHON:-python3}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
unset TAFLBASE_TABLES TAFLBASE_PROOFS
mkdir "$place/none"

fail() {
  echo "test-certificates.sh: $*" >&2
  exit 1
}

# Checks a certificate: `verdict FILE [OPTION ...]` prints the line and the exit status.
verdict() {
  local line status=0 errors=$place/errors-$BASHPID
  line=$("$python" scripts/check-certificate "$@" 2>"$errors") || status=$?
  [[ -s $errors ]] && fail "$1: $(cat "$errors")"
  [[ $line != *$'\n'* ]] || fail "$1: more than a line: $line"
  echo "$status $line"
}

# Proves a position and checks the certificate: `proves NAME RULES POSITION VALUE [TABLES]`.
proves() {
  local name=$1 rules=$2 position=$3 value=$4 tables=${5:-$place/none} options=() found program_says
  [[ $rules == *.toml ]] && options=(--rules "$rules")
  [[ $tables == "$place/none" ]] || options+=(--tables "$tables")
  "$program" solve "$rules" "$position" --tables "$tables" --memory 64MiB --threads 1 \
    --certificate "$place/$name" >/dev/null 2>&1 || fail "$name is not proved"
  found=$(verdict "$place/$name" "${options[@]}")
  [[ $found == "0 holds: "*" $position: $value"[\;\ ]* ]] || fail "$name: $found"
  # Both checkers count alike.
  program_says=$("$program" solve "$rules" --check "$place/$name" --tables "$tables" --json)
  "$python" - "$found" "$program_says" <<'PYTHON' || fail "$name: $found, but $program_says"
import json, re, sys
counts = [int(count) for count in re.findall("[0-9]+", sys.argv[1].split("; ")[-1])]
names = ["positions", "by_rule", "by_table", "tables", "inner"]
sys.exit(counts != [json.loads(sys.argv[2])[name] for name in names])
PYTHON
  echo "$found" | cut -c 3-
}

# Damages the unpacked strategies of a certificate in some places, one at a time, and counts the
# refusals. A changed move can win as well, and a changed rank can still fall.
damage() {
  local name=$1 least=$2 damaged=$place/damaged-$1 refused=0 file found
  shift 2
  mkdir "$damaged"
  "$python" - "$place/$name" "$damaged" <<'PYTHON'
import json, random, sys
from pathlib import Path
import zstandard

magic, header, packed = Path(sys.argv[1]).read_bytes().split(b"\n", 2)
body = zstandard.ZstdDecompressor().decompressobj().decompress(packed)
random.seed(len(body))


def write(name, header, body):
    packed = zstandard.ZstdCompressor(write_checksum=True).compress(body)
    (Path(sys.argv[2]) / name).write_bytes(magic + b"\n" + header + b"\n" + packed)


for number in range(30):
    changed = bytearray(body)
    changed[random.randrange(len(body))] ^= 1 << random.randrange(8)
    write(f"bit-{number}", header, bytes(changed))
# The first move: all of its code comes first, after the byte of what it shares.
fields = json.loads(header)
size = -(-(fields["position"].count("/") - 1) ** 2 // 4)
last = 1 + size + (8 if fields["parts"][0]["wins"] else 4)
start, end = body[1 + size : 3 + size], body[3 + size : 5 + size]
write("must-stay", header, body[: 1 + size] + start + start + body[5 + size :])
write("must-back", header, body[: 1 + size] + end + start + body[5 + size :])
write("must-far", header, body[: 3 + size] + b"\xff\xff" + body[5 + size :])
write("must-twice", header, body[:last] + body[:last] + body[last:])
write("must-bits", header, body[:size] + bytes([body[size] ^ 0xC0]) + body[1 + size :])
write("must-short", header, body[:-1])
write("must-long", header, body + b"\0")
nothing = json.dumps({**fields, "value": "open", "parts": []}).encode()
write("must-claim", nothing, b"")
write("must-again", json.dumps({**fields, "parts": fields["parts"] * 2}).encode(), body * 2)
swapped = {"attackers": "defenders", "defenders": "attackers"}
fields["value"] = swapped.get(fields["value"], fields["value"])
for part in fields["parts"]:
    part["holder"] = swapped[part["holder"]]
write("must-holder", json.dumps(fields).encode(), body)
whole = Path(sys.argv[1]).read_bytes()
for name, text in {
    "must-magic": b"t" + whole,
    "must-value": whole.replace(b'"value":"', b'"value":"un', 1),
    "must-field": whole.replace(b'"rules"', b'"rule"', 1),
    "must-nest": magic + b"\n" + b"[" * 100_000 + b"\n" + packed,
    "must-header": whole[: len(magic) + len(header) // 2],
    "must-cut": whole[:-3],
    "must-frame": whole[:-1] + bytes([whole[-1] ^ 1]),
    "must-more": whole + b"\0",
    "must-empty": b"",
}.items():
    (Path(sys.argv[2]) / name).write_bytes(text)
PYTHON
  for file in "$damaged"/*; do
    found=$(verdict "$file" "$@")
    case $found in
      "1 does not hold: "*) refused=$((refused + 1)) ;;
      "0 holds: "*) [[ $file != */must-* ]] || fail "$name, damaged: ${file##*/} holds" ;;
      *) fail "$name, damaged: ${file##*/}: $found" ;;
    esac
  done
  ((refused >= least)) || fail "$name: only $refused of the damaged files are refused"
  echo "$name: $refused of $(ls "$damaged" | wc -l) damaged files are refused"
}

rules=tests/rulesets
proves attackers "$rules/mini-camps.toml" "/tt5/5t1/3T3/4Kt1/1t5/t4t1/3t3/ a" attackers
proves defenders "$rules/mini-corner.toml" "/1t3/tK3/1t2t/3t1/5/ a" defenders
proves draw "$rules/mini-corner.toml" "/2t2/3tt/1T2K/4t/5/ a" draw
proves undecided "$rules/mini-edge.toml" "/2t2/4t/1tKt1/t4/4t/ a" undecided
sed -e 's/^king-surrounded = .*/king-surrounded = ["all"]/' -e 's/^repetition = .*/repetition = "defenders-barred"/' \
  -e 's/^endless = .*/endless = "attackers"\nencirclement = false/' "$rules/mini-corner.toml" >"$place/barred.toml"
proves endless "$place/barred.toml" "/2t2/3tt/1T2K/4t/5/ a" endless
# Most of the time goes into starting Python.
jobs=()
damage attackers 30 --rules "$rules/mini-camps.toml" & jobs+=($!)
damage defenders 30 --rules "$rules/mini-corner.toml" & jobs+=($!)
damage draw 30 --rules "$rules/mini-corner.toml" & jobs+=($!)
damage undecided 30 --rules "$rules/mini-edge.toml" & jobs+=($!)
for job in "${jobs[@]}"; do wait "$job"; done

found=$(verdict "$place/draw" --rules "$rules/mini-camps.toml")
[[ $found == "1 does not hold: "* ]] || fail "other rules: $found"
found=$(verdict "$place/draw")
[[ $found == "2 not checked: "* ]] || fail "no such built-in rules: $found"
found=$(verdict "$place/absent")
[[ $found == "2 not checked: "* ]] || fail "no such file: $found"
# Rules that it does not know say nothing about the certificate.
for unknown in shieldwall:walls king-armed:unarmed exit-fort:forts encirclement:rings reach:steps; do
  found=$(verdict "$place/draw" --rules "$rules/${unknown#*:}.toml")
  [[ $found == "2 not checked: "*"${unknown%:*}"* ]] || fail "$unknown: $found"
done

if "$python" -c "import taflbase" 2>/dev/null; then
  "$program" build "$rules/mini-corner.toml" --men 4 --tables "$place/folder" >/dev/null 2>&1
  proves tables "$rules/mini-corner.toml" "/2t2/3tt/1T2K/4t/5/ a" draw "$place/folder"
  damage tables 30 --rules "$rules/mini-corner.toml" --tables "$place/folder"
  proves built-in brandubh "/3t3/3t3/7/t1T1T1t/3K3/3t3/3t3/ d" defenders
  sed "0,/\"values\":\"./s//\"values\":\"x/" "$place/built-in" >"$place/other-values"
  found=$(verdict "$place/other-values")
  [[ $found == "2 not checked: "*"other values"* ]] || fail "other values: $found"
  found=$(verdict "$place/tables" --rules "$rules/mini-corner.toml" --tables "$place/none")
  [[ $found == "2 not checked: "* ]] || fail "missing tables: $found"
else
  echo "test-certificates.sh: certificates with tables are not tested: no package taflbase"
fi
