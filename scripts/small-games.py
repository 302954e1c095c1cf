#!/usr/bin/env python3
"""Solves small games, checks the proofs, and prints the results as Markdown tables.

    scripts/small-games.py PROGRAM [FILE ...] [--nodes N] [--time SECONDS] [--max-men N]
    scripts/small-games.py PROGRAM [FILE ...] --whole --tables DIR [--nodes N] [--time SECONDS]

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

With --whole it solves the games strongly instead. For each game it

1. builds the missing tables of all slices of the game in --tables, each on one thread;
2. reads the value of the start from `PROGRAM build FILE --start`;
3. searches for the same value with `PROGRAM solve`, without these tables.

It prints a row for each game and a table that shows how the value moves with the men. "placements"
count both sides to move and mirror images separately; "core-seconds" are those of all slices of the
game, as they were when each was built: DIR/core-seconds.json keeps them. The exit status is 1 if
the search proves another value.
"""

import argparse
import json
import resource
import sys
import tempfile
from pathlib import Path

# Leave no cache files in the source folder.
sys.dont_write_bytecode = True

from program import Program, print_head, print_row

GAMES = Path(__file__).resolve().parent.parent / "examples" / "rulesets"
HEAD = ["game", "men", "value", "nodes", "seconds", "moves", "bytes", "certificate", "tables"]
WHOLE_HEAD = ["game", "start", "slice", "winner", "plies", "slices", "placements", "bytes"]
WHOLE_HEAD += ["core-seconds", "search"]
# The board of the games that are compared with tables.
TABLE_BOARD = 5


class Game:
    """A ruleset file, and what its start position is made of."""

    def __init__(self, program, path):
        self.path = path
        rules = program.json("rules", path)
        self.name, self.start, self.size = rules["name"], rules["start"], rules["size"]
        self.fingerprint = rules["fingerprint"]
        self.defenders, self.attackers = self.start.count("T"), self.start.count("t")
        self.men = 1 + self.defenders + self.attackers
        self.slice = f"K{self.defenders}v{self.attackers}"

    def slices(self):
        """Returns the slices that captures from the start may lead to, smallest first."""
        pairs = [(d, a) for d in range(self.defenders + 1) for a in range(1, self.attackers + 1)]
        return [f"K{d}v{a}" for d, a in sorted(pairs, key=lambda pair: (sum(pair), pair[1]))]


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


def search_limits(options):
    """Returns the arguments of `solve` that limit a search."""
    limits = ["--time", options.time, "--memory", options.memory, "--threads", 1]
    return limits + (["--nodes", options.nodes] if options.nodes else [])


def row(program, game, options, work):
    """Solves a game and returns its row of the table, and whether all went well."""
    certificate = work / f"{game.name}.cert"
    certificate.unlink(missing_ok=True)
    before = processor_seconds()
    limits = search_limits(options)
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


class BuildTimes:
    """The core-seconds that building each slice took, kept in a file beside the tables."""

    def __init__(self, tables):
        self.path = tables / "core-seconds.json"
        self.seconds = json.loads(self.path.read_text()) if self.path.exists() else {}

    def build(self, program, game, tables):
        """Builds the missing slices of a game, and returns the core-seconds of all; None if some
        were built by another command."""
        spent = [self.build_slice(program, game, slice, tables) for slice in game.slices()]
        return None if None in spent else sum(spent)

    def build_slice(self, program, game, slice, tables):
        """Builds a slice if it is missing; returns the core-seconds that it took, if known."""
        key = f"{game.fingerprint} {slice}"
        before = processor_seconds()
        build = ["build", game.path, "--slice", slice, "--threads", 1]
        if program.lines(*build, tables=tables)[-1]["built"]:
            self.seconds[key] = round(processor_seconds() - before, 2)
            self.path.write_text(json.dumps(self.seconds, indent=1) + "\n")
        return self.seconds.get(key)


def whole_row(program, game, options, times):
    """Builds a whole game; returns its row, its value, and whether the search agrees."""
    seconds = times.build(program, game, options.tables)
    # The tables exist: the command only prints.
    answer = program.lines("build", game.path, "--start", tables=options.tables)[-1]
    value, plies = answer["value"], answer["dtw"]
    proof = program.json("solve", game.path, *search_limits(options))
    search = f"{proof['nodes']:,} nodes: {'agrees' if proof['value'] == value else proof['value']}"
    numbers = [f"{answer[key]:,}" for key in ("slices", "placements", "bytes")]
    spent = "-" if seconds is None else f"{seconds:,.1f}"
    start = f"`{game.start}`"
    cells = [game.name, start, game.slice, value, plies or "-", *numbers, spent, search]
    is_good = proof["value"] in (value, "open")
    return [str(cell) for cell in cells], f"{value} {plies or ''}".strip(), is_good


def balance(values):
    """Formats the values of games as tables of attackers by defenders, one for each rules."""
    text = ""
    for title in dict.fromkeys(title for title, _, _ in values):
        own = {(a, d): value for (of, a, d), value in values.items() if of == title}
        columns = sorted({defenders for _, defenders in own})
        text += f"\n| {title} | {' | '.join(f'{d} defenders' for d in columns)} |\n"
        text += f"|{'---|' * (1 + len(columns))}\n"
        for attackers in sorted({attackers for attackers, _ in own}):
            cells = [own.get((attackers, defenders), "") for defenders in columns]
            text += f"| {attackers} attackers | {' | '.join(cells)} |\n"
    return text


def print_whole_games(program, files, options):
    """Prints the tables of whole games; returns whether tables and search agree."""
    options.tables.mkdir(parents=True, exist_ok=True)
    times = BuildTimes(options.tables)
    print_head(WHOLE_HEAD)
    good, values = True, {}
    for path in files:
        game = Game(program, path)
        cells, value, is_good = whole_row(program, game, options, times)
        print_row(cells)
        values[game.name.rpartition("-")[0], game.attackers, game.defenders] = value
        good &= is_good
    print(balance(values), end="")
    return good


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
    help = "build the whole games in --tables instead, and compare them with the search"
    parser.add_argument("--whole", action="store_true", help=help)
    options = parser.parse_args()
    if options.whole and not options.tables:
        parser.error("--whole needs --tables")
    return options


def main():
    options = parse()
    files = options.files or sorted(GAMES.glob("*.toml"))
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        # An empty folder, lest the program probe tables of the current folder.
        program = Program(options.program, options.probe or tempfile.mkdtemp(dir=temporary))
        if options.whole:
            sys.exit(0 if print_whole_games(program, files, options) else 1)
        print_head(HEAD)
        good = True
        for path in files:
            cells, is_good = row(program, Game(program, path), options, work)
            print_row(cells)
            good &= is_good
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
