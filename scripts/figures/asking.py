"""Shared by all queries: the options, the registry of queries, and calls of the program."""

import argparse
import functools
import json
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

options = argparse.Namespace(program=None, slow=False)


class Skipped(Exception):
    """A figure that needs --program or --slow."""


class Problem(Exception):
    """A figure that cannot be updated."""


FIGURES, TABLES = {}, {}


def figure(function):
    """Registers a function as a query that returns a number, a text, or a list of numbers."""
    FIGURES[function.__name__] = function
    return function


def table(function):
    """Registers a function that fills table rows: it modifies the cells of a row, given the
    header."""
    TABLES[function.__name__] = function
    return function


def query(queries, name):
    if name not in queries:
        raise Problem(f"no query {name}; the queries are: {', '.join(sorted(queries))}")
    return queries[name]


def need_slow():
    if options.program is None or not options.slow:
        raise Skipped


# An empty table folder, so that the program uses only its embedded tables.
NO_TABLES = tempfile.TemporaryDirectory()


def command(*arguments):
    """Returns the command line of the program, with JSON output."""
    if options.program is None:
        raise Skipped
    return [options.program, "--json", "--tables", NO_TABLES.name, *arguments]


@functools.cache
def run(*arguments):
    """Runs a command and returns its lines of JSON."""
    line = command(*arguments)
    found = subprocess.run(line, cwd=ROOT, capture_output=True, text=True)
    if found.returncode > 1:
        said = found.stderr.strip().splitlines()[-1:]
        raise Problem(f"{' '.join(line)} exits with status {found.returncode}: {said}")
    return [json.loads(line) for line in found.stdout.splitlines()]
