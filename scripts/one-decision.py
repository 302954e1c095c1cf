#!/usr/bin/env python3
"""Varies one decision of a ruleset at a time, and prints what changes as a Markdown table.

    scripts/one-decision.py PROGRAM [--base RULES] [--men N] [--work DIR]

PROGRAM is taflbase. For each decision that differs from the base's, the script

1. writes the ruleset file with that decision;
2. runs `PROGRAM build` for all slices of up to --men men;
3. runs `PROGRAM compare BASE FILE`.

The base is a built-in ruleset without camps whose king wins in the corners: brandubh or tablut.
Rows are sorted by the share of placements whose outcome changes. All shares are in per cent, of
the placements of all slices with either side to move, mirror images counted separately:

- "attackers" and "defenders": the outcome is better for them than in the base, of the placements
  that exist under both rulesets;
- "distance": the outcome is the same and the distance is not;
- "attackers win" and "draws": of all placements of the ruleset;
- "apart": placements that exist under one of the rulesets only, of those of the base;

and "longest" is the longest win in plies. With --work, files and tables are kept in that folder,
and reused.
"""

import argparse
import json
import sys
import tempfile
import tomllib
from pathlib import Path

# Leave no cache files in the source folder.
sys.dont_write_bytecode = True

from program import Program, print_head, print_row, ruleset_file

HEAD = ["decision", "outcome", "attackers", "defenders", "distance", "attackers win", "draws"]
HEAD += ["apart", "longest"]
SOLDIERS = ["attackers", "defenders"]
KINDS = [*SOLDIERS, "king"]
WORTH = {"loss": 0, "draw": 1, "undecided": 1, "win": 2}


def hostile(kinds, square, fields=("empty", "occupied")):
    """Makes the squares hostile to none of these kinds."""
    return [("without", f"hostile.{kind}.{field}", square) for kind in kinds for field in fields]


def movement(change, kinds, field, square):
    return [(change, f"movement.{kind}.{field}", square) for kind in kinds]


DECISIONS = {
    "the king wins on the whole edge": [("set", "end.goals", ["edge"])],
    "the king is captured by two everywhere": [("set", "capture.king-surrounded", [])],
    "the king is captured by four on the throne only": [
        ("set", "capture.king-surrounded", ["throne"])
    ],
    "the king is captured by four everywhere": [("set", "capture.king-surrounded", ["all"])],
    "the throne is hostile to nobody": hostile(KINDS, "throne"),
    "the throne is not hostile to attackers": hostile(["attackers"], "throne"),
    "the throne is not hostile to defenders": hostile(["defenders"], "throne"),
    "the throne is not hostile to the king": hostile(["king"], "throne"),
    "the throne with the king on it is not hostile to defenders": hostile(
        ["defenders"], "throne", ["occupied"]
    ),
    "the throne with the king on it is hostile to defenders only if besieged": [
        *hostile(["defenders"], "throne", ["occupied"]),
        ("with", "hostile.defenders.besieged", "throne"),
    ],
    "corners are hostile to nobody": hostile(KINDS, "corners"),
    "corners are not hostile to attackers": hostile(["attackers"], "corners"),
    "corners are not hostile to defenders": hostile(["defenders"], "corners"),
    "corners are not hostile to the king": hostile(["king"], "corners"),
    "nobody may cross the throne": movement("with", KINDS, "no-cross", "throne"),
    "soldiers may not cross the throne": movement("with", SOLDIERS, "no-cross", "throne"),
    "the king may not return to the throne": movement("with", ["king"], "no-entry", "throne"),
    "soldiers may stop on the throne": movement("without", SOLDIERS, "no-stop", "throne"),
    "soldiers may stop on the corners": movement("without", SOLDIERS, "no-stop", "corners"),
    "attackers on the edge are never captured": [("with", "capture.protected-attackers", "edge")],
    "defenders on the edge are never captured": [("with", "capture.protected-defenders", "edge")],
}


def varied(base, name, changes):
    """Returns a ruleset with these changes."""
    rules = json.loads(json.dumps(base))
    rules |= {"name": name, "title": name, "source": "varied by scripts/one-decision.py"}
    files = "abcdefghijklmnopqrs"[: rules["size"]]
    every = " ".join(f"{file}{rank + 1}" for rank in range(rules["size"]) for file in files)
    rules["squares"] = {**rules.get("squares", {}), "all": every}
    for change, path, value in changes:
        *tables, field = path.split(".")
        table = rules
        for part in tables:
            table = table.setdefault(part, {})
        before = table.get(field, [])
        others = [square for square in before if square != value]
        table[field] = {"set": value, "with": [*others, value], "without": others}[change]
    return rules


def toml(table, path=""):
    """Returns the text of a ruleset file. Strings, numbers and lists are written as in JSON."""
    lines, tables = [], []
    for key, value in table.items():
        if isinstance(value, dict):
            name = f"{path}{key}"
            tables.append(f"\n[{name}]\n{toml(value, f'{name}.')}")
        else:
            lines.append(f"{key} = {json.dumps(value)}\n")
    return "".join(lines + tables)


def longest_win(program, rules):
    """Returns the longest win in plies."""
    manifest = program.json("manifest", rules)
    sides = (side for entry in manifest["slices"] for side in entry["sides"])
    return max(side["max_win"] for side in sides)


def attackers_win(line, field):
    return line[field]["win" if line["to_move"] == "attackers" else "loss"]


def better(line, side):
    """Returns the number of placements whose outcome is better for a side."""
    sign = 1 if line["to_move"] == side else -1
    gains = (
        change["positions"]
        for change in line["changes"]
        if sign * (WORTH[change["other_category"]] - WORTH[change["category"]]) > 0
    )
    return sum(gains)


def row(decision, lines, longest, counts="other_counts"):
    """Returns a row of the table, and its sort key."""

    def total(of):
        return sum(map(of, lines))

    shared = total(lambda line: line["shared"])
    positions = total(lambda line: line[counts]["positions"])
    draws = total(lambda line: line[counts]["draw"] + line[counts]["undecided"])
    apart = total(lambda line: line["only"]["positions"] + line["other_only"]["positions"])
    changed = total(lambda line: line["changed_outcome"])
    shares = [
        changed / shared,
        *(total(lambda line: better(line, side)) / shared for side in SOLDIERS),
        total(lambda line: line["changed_distance"]) / shared,
        total(lambda line: attackers_win(line, counts)) / positions,
        draws / positions,
        apart / total(lambda line: line["counts"]["positions"]),
    ]
    return changed / shared, [decision, *(f"{100 * share:.3f}" for share in shares), str(longest)]


def parse():
    """Returns the command line's options."""
    parser = argparse.ArgumentParser(description="Compares rulesets that differ in one decision.")
    parser.add_argument("program", metavar="PROGRAM", help="taflbase")
    parser.add_argument("--base", default="brandubh", help="a built-in ruleset")
    parser.add_argument("--men", type=int, default=5, help="compare all slices of at most N men")
    help = "keep ruleset files and tables in this folder [default: a temporary one]"
    parser.add_argument("--work", type=Path, metavar="DIR", help=help)
    return parser.parse_args()


def main():
    options = parse()
    base = tomllib.loads(ruleset_file(options.base).read_text("utf-8"))
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        program = Program(options.program, work / "tables", statuses=[0])
        slices = [line["slice"] for line in program.lines("build", options.base, "--men", options.men)]
        rows = []
        for number, (decision, changes) in enumerate(DECISIONS.items(), 1):
            # Not the name of a built-in ruleset, as brandubh-1 would be.
            name = f"{options.base}-decision-{number}"
            file = work / f"{name}.toml"
            file.write_text(toml(varied(base, name, changes)), "utf-8")
            program.lines("build", file, "--men", options.men)
            compare = ["compare", options.base, file, "--most", 0, "--slice", ",".join(slices)]
            lines = program.lines(*compare)
            rows.append(row(decision, lines, longest_win(program, file)))
            print(f"{decision}: {rows[-1][1][1]} %", file=sys.stderr, flush=True)
        _, own = row(options.base, lines, longest_win(program, options.base), "counts")
        own[1:5], own[7] = [""] * 4, ""
    rows.sort(key=lambda row: -row[0])
    print_head(HEAD)
    for cells in [own, *(cells for _, cells in rows)]:
        print_row(cells)


if __name__ == "__main__":
    main()
