#!/usr/bin/env bash
# Checks the dependencies of all packages by deny.toml: their licences and sources, and with
# `advisories` also known vulnerabilities, whose list is fetched from github.com.
#
# Installs cargo-deny if it is missing, which takes several minutes.
#
#   scripts/deny.sh [advisories]
set -euo pipefail
cd "$(dirname "$0")/.."

command -v cargo-deny >/dev/null || cargo install cargo-deny --locked
for package in . python tests/browser tests/fuzz tests/loom; do
    printf '\n== %s\n' "$package"
    cargo deny --manifest-path "$package/Cargo.toml" --config deny.toml \
        check bans licenses sources "$@"
done
