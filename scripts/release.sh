#!/usr/bin/env bash
# Builds the release files from the last commit and tests each in isolation. Publishes nothing.
#   scripts/release.sh [--test] [FOLDER]        (default: target/release-files)
# Writes to FOLDER, for this machine's architecture, in place of the files of an earlier release:
#   taflbase-VERSION-ARCH-linux.tar.gz    the program, static, with its manual pages and
#                                         completions for shells
#   libtaflbase-VERSION-ARCH-linux.tar.gz the C library, shared and static, its header,
#                                         and a file for pkg-config
#   taflbase-VERSION-cp39-abi3-*.whl      the Python package
#   taflbase-VERSION.tar.gz               the source
#   taflbase-VERSION.crate                the crate
#   SHA256SUMS
# The program and a C program are run in an otherwise empty root (for the C program with the
# libraries that it is linked with); the wheel is tested with every installed Python from 3.9
# on. --test also runs the tests of the packed crate, which takes as long as CI. Needs a
# Linux toolchain with rustup, musl-gcc, cc, pkg-config, unshare, and Python with its module
# venv.
set -euo pipefail
cd "$(dirname "$0")/.."

tests=no
if [[ ${1:-} == --test ]]; then tests=yes; shift; fi
[[ $# -le 1 ]] || { sed -n '2,17s/^# \{0,1\}//p' "$0" >&2; exit 2; }
need() {
    command -v "$1" > /dev/null || { echo "release.sh: $1 is missing: install $2" >&2; exit 2; }
}
need rustup rustup; need musl-gcc musl-tools; need cc gcc; need pkg-config pkg-config
need unshare util-linux; need python3 python3
[[ -z $(git status --porcelain) ]] || {
    echo "release.sh: uncommitted changes: commit or stash them" >&2; exit 2
}

files=$(mkdir -p "${1:-target/release-files}" && cd "${1:-target/release-files}" && pwd)
rm -f "$files"/{libtaflbase-*,taflbase-*,SHA256SUMS}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export CARGO_TARGET_DIR=$PWD/target/release-build
TAFLBASE_COMMIT=$(git rev-parse HEAD)
export TAFLBASE_COMMIT
git clone -q . "$place/source"
cd "$place/source"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
arch=$(uname -m)
target=$arch-unknown-linux-musl
step() { printf '\n== %s\n' "$*"; }

# A position of few men, which needs no table files.
position="/7/4t2/7/7/2K4/7/2t4/ d"
# Runs a command with a folder as its root.
alone() { unshare --map-root-user --user --mount chroot "$@"; }

step "the program"
rustup target add "$target"
cargo build --release --target "$target"
name=taflbase-$version-$arch-linux
stage=$place/$name
mkdir -p "$stage"/{man,completions}
install -s -m 755 "$CARGO_TARGET_DIR/$target/release/taflbase" "$stage"
cp README.md CHANGELOG.md CITATION.cff LICENSE-* "$stage"
"$stage/taflbase" man "$stage/man"
for shell in bash zsh fish; do
    "$stage/taflbase" completions "$shell" > "$stage/completions/taflbase.$shell"
done
mkdir -p "$place/root"
cp "$stage/taflbase" "$place/root"
alone "$place/root" /taflbase --version | grep -q "$TAFLBASE_COMMIT"
alone "$place/root" /taflbase probe brandubh "$position" | grep -q "win in 3 plies"
alone "$place/root" /taflbase build brandubh --men 3 --tables /tables > /dev/null
alone "$place/root" /taflbase verify brandubh --tables /tables > /dev/null
tar -C "$place" -czf "$files/$name.tar.gz" "$name"

step "the C library"
name=libtaflbase-$version-$arch-linux
stage=$place/$name
scripts/install-c.sh "$stage"
cp LICENSE-* docs/c.md examples/*.c "$stage"
root=$place/c-root
mkdir -p "$root"
flags=$(PKG_CONFIG_PATH=$stage/lib/pkgconfig pkg-config --cflags --libs taflbase)
# shellcheck disable=SC2086
cc -o "$root/probe" examples/probe.c $flags -Wl,-rpath,/lib
cc -o "$root/probe-static" examples/probe.c -I"$stage/include" "$stage/lib/libtaflbase.a" \
    -lpthread -ldl -lm
for library in $(LD_LIBRARY_PATH=$stage/lib ldd "$root/probe" "$root/probe-static" \
    | grep -o '/[^ ]*' | grep -v ':$' | sort -u); do
    install -D "$library" "$root$library"
done
mkdir -p "$root/lib"
cp -a "$stage"/lib/libtaflbase.so* "$root/lib"
for program in probe probe-static; do
    alone "$root" "/$program" brandubh "$position" | grep -q "^best move: Kc5-c1$"
done
tar -C "$place" -czf "$files/$name.tar.gz" "$name"

step "the Python package"
python3 -m venv "$place/tools"
"$place/tools/bin/pip" install -q maturin
"$place/tools/bin/maturin" build --release -m python/Cargo.toml -o "$files"
wheel=$(ls "$files"/taflbase-*.whl)
tried=
for python in python3 python3.{9..20} ~/.pyenv/versions/*/bin/python3; do
    command -v "$python" > /dev/null || continue
    # A shim may exist for a Python that is not installed.
    number=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2> /dev/null) \
        || continue
    [[ $tried != *" $number "* ]] || continue
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' || continue
    "$python" -m venv "$place/python-$number"
    "$place/python-$number/bin/pip" install -q "$wheel"
    (cd / && "$place/python-$number/bin/python" -I -c "
import taflbase
assert taflbase.__version__ == '$version'
assert taflbase.open('brandubh').best_move('$position') == 'Kc5-c1'
")
    tried="$tried $number "
done
echo "the wheel works with Python$tried"

step "the source"
git archive --prefix="taflbase-$version/" -o "$files/taflbase-$version.tar.gz" HEAD
# Also builds the packed crate.
cargo package
cp "$CARGO_TARGET_DIR/package/taflbase-$version.crate" "$files"
if [[ $tests == yes ]]; then
    tar -C "$place" -xzf "$files/taflbase-$version.crate"
    (cd "$place/taflbase-$version" && cargo test --features capi)
fi

cd "$files"
sha256sum -- libtaflbase-* taflbase-* > SHA256SUMS
step "done"
cat SHA256SUMS
