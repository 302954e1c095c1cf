"""What every query uses: the options, the lists of queries, and the program."""

import argparse
import functools
import json
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

options = argparse.Namespace(program=None, slow=False)


class Unasked(Exception):
    """A figure that needs --program or --slow."""


class Problem(Exception):
    """A figure that cannot be written."""


FIGURES, TABLES = {}, {}


def figure(function):
    """Makes a function a query; it gives a number, a text, or a list of numbers."""
    FIGURES[function.__name__] = function
    return function


def table(function):
    """Makes a function fill the rows of tables: it is given the header and the cells of a row,
    which it changes."""
    TABLES[function.__name__] = function
    return function


def query(queries, name):
    if name not in queries:
        raise Problem(f"there is no query {name}; there are: {', '.join(sorted(queries))}")
    return queries[name]


def need_slow():
    if options.program is None or not options.slow:
        raise Unasked


# The program is given no tables but its own, whatever has been built here.
NO_TABLES = tempfile.TemporaryDirectory()


def command(*arguments):
    """The command line of the program; JSON is printed."""
    if options.program is None:
        raise Unasked
    return [options.program, "--json", "--tables", NO_TABLES.name, *arguments]


@functools.cache
def run(*arguments):
    """The lines of JSON that a command prints."""
    line = command(*arguments)
    found = subprocess.run(line, cwd=ROOT, capture_output=True, text=True)
    if found.returncode > 1:
        said = found.stderr.strip().splitlines()[-1:]
        raise Problem(f"{' '.join(line)} ends with status {found.returncode}: {said}")
    return [json.loads(line) for line in found.stdout.splitlines()]
