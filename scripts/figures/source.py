"""Figures from other source files."""

import functools
import re
import subprocess

from asking import ROOT, Skipped, figure, options


@figure
def lines(path):
    return len((ROOT / path).read_text().splitlines())


@figure
def version():
    """The version of the program."""
    return re.search(r'^version = "(.*)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]


@figure
def embedded_bytes():
    """The bytes of the embedded tables, by the list in the source."""
    text = (ROOT / "src" / "tablebase" / "embedded.rs").read_text()
    found = re.findall(r'^ *"([\w-]+)" "(\w+)": (.*);$', text, re.MULTILINE)
    paths = [
        ROOT / "tables" / rules / f"{slice}.{metric}"
        for rules, metric, names in found
        for slice in re.findall(r'"(\w+)"', names)
    ]
    return sum(path.stat().st_size for path in paths)


@functools.cache
def count_crates(features):
    """Counts the crates that cargo compiles for this machine: the library and the dependencies of
    it and of build scripts, each version once, without dev-dependencies."""
    command = ["cargo", "tree", "--prefix", "none", "--edges", "normal,build", *features]
    found = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    # A line is `name v1.2.3 (where from) (proc-macro) (*)`.
    return len({" ".join(line.split()[:2]) for line in found.stdout.splitlines()})


@figure
def crates(feature="none"):
    """Crates with `none`, a feature, or `default`. Resolving versions needs the registry, so this
    requires --program."""
    if options.program is None:
        raise Skipped
    if feature == "default":
        return count_crates(())
    chosen = () if feature == "none" else ("--features", feature)
    return count_crates(("--no-default-features", *chosen))
