"""Runs the program for the scripts that print tables, and prints these."""

import json
import subprocess
import sys
from pathlib import Path

BUILTIN = Path(__file__).resolve().parent.parent / "src" / "game" / "rules" / "builtin"


def ruleset_file(rules):
    """The path of a ruleset, which is built in or a file."""
    return Path(rules) if str(rules).endswith(".toml") else BUILTIN / f"{rules}.toml"


class Program:
    """The program to run, and its folder of tables; without one it chooses itself. The script ends
    if a command has another exit status than one of `statuses`."""

    def __init__(self, path, tables=None, statuses=(0, 1)):
        self.path, self.tables, self.statuses = path, tables, statuses

    def run(self, *arguments, tables=None, given=()):
        """Runs a command with these lines of input, and returns its status, output and messages."""
        command = [self.path, *map(str, arguments), "--json"]
        if folder := tables or self.tables:
            command += ["--tables", folder]
        text = "".join(f"{line}\n" for line in given)
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        if done.returncode not in self.statuses:
            sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
        return done

    def lines(self, *arguments, tables=None, given=()):
        """Returns the lines of a command's output."""
        done = self.run(*arguments, tables=tables, given=given)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def json(self, *arguments, tables=None):
        """Returns the only line of a command's output; exits if there is none."""
        done = self.run(*arguments, tables=tables)
        lines = done.stdout.splitlines()
        if len(lines) != 1:
            sys.exit(f"{self.path} {' '.join(map(str, arguments))}: {done.stderr.strip()}")
        return json.loads(lines[0])


def print_row(cells):
    """Prints a row of a Markdown table."""
    print(f"| {' | '.join(cells)} |", flush=True)


def print_head(titles):
    """Prints the first two rows of a Markdown table."""
    print_row(titles)
    print(f"|{'---|' * len(titles)}", flush=True)
