#!/usr/bin/env python3
"""Solves small games, checks the proofs, and prints the results as a Markdown table.

    scripts/small-games.py PROGRAM [FILE ...] [--nodes N] [--time SECONDS] [--max-men N]

PROGRAM is taflbase; the games are ruleset files, by default those of examples/rulesets. For each
game the script

1. runs `PROGRAM solve` from the start position on one thread, without table files: only the
   tables embedded in the program are probed, unless --probe names a folder of tables;
2. has `PROGRAM solve --check` check the certificate;
3. on boards of 5x5, if there are at most --max-men men: builds the tables of the start position
   and compares their value with the proof. The search cannot use these tables.

A game whose value is not proved within --nodes or --time is "open". With --nodes, and enough time,
the results do not depend on the machine, but for the seconds: the processor time of step 1.
"moves" and "bytes" are the size of the certificate. The exit status is 1 if a certificate does
not hold or a table has another value.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

GAMES = Path(__file__).resolve().parent.parent / "examples" / "rulesets"
HEAD = ["game", "men", "value", "nodes", "seconds", "moves", "bytes", "certificate", "tables"]
# The board of the games that are compared with tables.
TABLE_BOARD = 5


class Game:
    """A ruleset file, and what its start position is made of."""

    def __init__(self, program, path):
        self.path = path
        rules = program.json("rules", path)
        self.name = rules["name"]
        start = rules["start"]
        self.size = rules["size"]
        self.defenders, self.attackers = start.count("T"), start.count("t")
        self.men = 1 + self.defenders + self.attackers
        self.slice = f"K{self.defenders}v{self.attackers}"


class Program:
    """The program to run."""

    def __init__(self, path, tables):
        self.path = path
        self.tables = tables

    def run(self, *arguments, tables=None):
        """Runs a command, and returns its status, output and messages."""
        command = [self.path, *map(str, arguments), "--json", "--tables", tables or self.tables]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
        return done

    def json(self, *arguments, tables=None):
        """Returns the only line of a command's output; exits if there is none."""
        done = self.run(*arguments, tables=tables)
        lines = done.stdout.splitlines()
        if len(lines) != 1:
            sys.exit(f"{self.path} {' '.join(map(str, arguments))}: {done.stderr.strip()}")
        return json.loads(lines[0])


def processor_seconds():
    """Returns the processor time of all programs run so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def certificate_moves(path):
    """Returns the number of moves in a certificate, from its header."""
    with path.open("rb") as file:
        file.readline()
        header = json.loads(file.readline())
    return sum(part["moves"] for part in header["parts"])


def check(program, game, certificate, proved):
    """Returns "holds" if the certificate does, and for the value that was proved."""
    done = program.run("solve", game.path, "--check", certificate)
    if done.returncode != 0:
        print(f"{game.name}: {done.stderr.strip()}", file=sys.stderr)
        return "fails"
    return "holds" if json.loads(done.stdout)["value"] == proved else "other value"


def table_value(program, game, tables):
    """Builds the tables of the start position, and returns its value in the words of `solve`."""
    program.run("build", game.path, "--slice", game.slice, "--metric", "wdl", tables=tables)
    probe = program.json("probe", game.path, tables=tables)
    sides = ["attackers", "defenders"]
    if probe["to_move"] == "defenders":
        sides.reverse()
    mover, other = sides
    return {"win": mover, "loss": other}.get(probe["category"], probe["category"])


def row(program, game, options, work):
    """Solves a game and returns its row of the table, and whether all went well."""
    certificate = work / f"{game.name}.cert"
    certificate.unlink(missing_ok=True)
    limits = ["--time", options.time, "--memory", options.memory, "--threads", 1]
    if options.nodes:
        limits += ["--nodes", options.nodes]
    before = processor_seconds()
    proof = program.json("solve", game.path, "--certificate", certificate, *limits)
    seconds = processor_seconds() - before
    value = proof["value"]
    moves = size = holds = tables = "-"
    if proof["certificate"]:
        moves = f"{certificate_moves(certificate):,}"
        size = f"{certificate.stat().st_size:,}"
        holds = check(program, game, certificate, value)
    if game.size == TABLE_BOARD and game.men <= options.max_men:
        known = table_value(program, game, options.tables or work / "tables")
        if value == "open":
            tables = known
        else:
            tables = "agree" if known == value else f"disagree: {known}"
    men = f"{game.men} ({game.slice})"
    nodes, seconds = f"{proof['nodes']:,}", f"{seconds:.1f}"
    cells = [game.name, men, value, nodes, seconds, moves, size, holds, tables]
    return cells, holds in ("-", "holds") and not tables.startswith("disagree")


def parse():
    """Returns the command line's options."""
    about = "Solves small games and prints the results as a Markdown table."
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("program", metavar="PROGRAM", help="taflbase")
    parser.add_argument("files", metavar="FILE", nargs="*", type=Path, help="ruleset files")
    parser.add_argument("--time", type=float, default=120, help="clock seconds for each game")
    parser.add_argument("--nodes", type=int, help="nodes for each game [default: no limit]")
    parser.add_argument("--memory", default="256MiB", help="memory for proof numbers")
    help = "compare 5x5 games of at most this many men with tables; 0: none"
    parser.add_argument("--max-men", type=int, default=13, help=help)
    help = "probe the tables in this folder in the search [default: the embedded ones alone]"
    parser.add_argument("--probe", type=Path, metavar="DIR", help=help)
    help = "keep the tables to compare with in this folder, and reuse those in it"
    parser.add_argument("--tables", type=Path, metavar="DIR", help=help)
    help = "keep certificates in this folder [default: a temporary one]"
    parser.add_argument("--work", type=Path, metavar="DIR", help=help)
    return parser.parse_args()


def main():
    options = parse()
    files = options.files or sorted(GAMES.glob("*.toml"))
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        # An empty folder, lest the program probe tables of the current folder.
        program = Program(options.program, options.probe or tempfile.mkdtemp(dir=temporary))
        print(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}", flush=True)
        good = True
        for path in files:
            cells, is_good = row(program, Game(program, path), options, work)
            print(f"| {' | '.join(cells)} |", flush=True)
            good &= is_good
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
