#!/usr/bin/env bash
# Builds and installs the C interface: the header, the shared library with its SONAME, and
# the static library, in which only the names of the header are global. For Linux and other
# systems with ELF files and GNU or LLVM binutils; otherwise see docs/c.md.
#
#   scripts/install-c.sh PREFIX [CARGO ARGUMENTS]
#
# Installs to PREFIX/include, PREFIX/lib and PREFIX/lib/pkgconfig; PREFIX can be moved as a
# whole. The cargo arguments replace `--release --no-default-features`. CC, AR, NM and
# OBJCOPY override the default tools.
set -euo pipefail
if (($# == 0)) || [[ $1 == -* ]]; then
  echo "usage: scripts/install-c.sh PREFIX [CARGO ARGUMENTS]" >&2
  exit 2
fi
mkdir -p "$1/include" "$1/lib/pkgconfig"
prefix=$(cd "$1" && pwd)
shift
(($#)) || set -- --release --no-default-features
cd "$(dirname "$0")/.."
header=src/capi/taflbase.h
cc=${CC:-cc} nm=${NM:-nm} objcopy=${OBJCOPY:-objcopy} ar=${AR:-ar}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

version=$(sed -n 's/^#define TAFLBASE_VERSION "\(.*\)"$/\1/p' $header)
# The compatible version: of 0.y.z it is 0.y, as in semantic versioning.
case $version in
  0.*) compatible=$(cut -d. -f1,2 <<< "$version") ;;
  *) compatible=${version%%.*} ;;
esac
soname=libtaflbase.so.$compatible

cargo rustc --lib --features capi --crate-type cdylib,staticlib "$@" \
  --message-format json-render-diagnostics -- -C link-arg=-Wl,-soname,"$soname" > "$work/built"
library() { grep -o "\"[^\"]*/libtaflbase\.$1\"" "$work/built" | tail -n 1 | tr -d '"'; }

# Link one object with everything that the functions of the header need, and make all other
# names local: they belong to zstd and Rust's standard library, which a program may also have.
"$nm" --defined-only --extern-only "$(library a)" 2> "$work/nm" |
  sed -n 's/.* T \(taflbase_[a-z_]*\)$/\1/p' > "$work/names"
[[ -s $work/names ]] || { cat "$work/nm" >&2; exit 1; }
"$cc" -r -nostdlib -o "$work/taflbase.o" $(sed 's/^/-Wl,-u,/' "$work/names") "$(library a)"
# Remove the sections with the standard library's bitcode, which are useless after linking, and
# which `ar` and linkers with an LLVM plugin reject.
"$objcopy" --keep-global-symbols="$work/names" --strip-debug \
  --remove-section=.llvmbc --remove-section=.llvmcmd "$work/taflbase.o"
rm -f "$prefix/lib/libtaflbase.a"
"$ar" -rcs "$prefix/lib/libtaflbase.a" "$work/taflbase.o"

"$objcopy" --strip-unneeded "$(library so)" "$work/shared"
install -m 755 "$work/shared" "$prefix/lib/libtaflbase.so.$version"
ln -sf "libtaflbase.so.$version" "$prefix/lib/$soname"
ln -sf "$soname" "$prefix/lib/libtaflbase.so"
install -m 644 $header "$prefix/include"
cat > "$prefix/lib/pkgconfig/taflbase.pc" << END
prefix=\${pcfiledir}/../..
Name: taflbase
Description: Endgame tablebases for tafl games
Version: $version
Libs: -L\${prefix}/lib -ltaflbase
Libs.private: -lpthread -ldl -lm
Cflags: -I\${prefix}/include
END
echo "installed taflbase $version in $prefix" >&2
