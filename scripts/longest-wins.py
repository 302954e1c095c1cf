#!/usr/bin/env python3
"""Prints the longest win of rulesets among the slices with tables of distances, as Markdown.

    scripts/longest-wins.py PROGRAM RULES ... [--slice K2v3 ...] [--tables DIR]

Of each ruleset the script takes the slice and side to move with the longest win, or those of the
slices named by --slice, and the first of these positions in the order of `PROGRAM find`. A table
describes it: "of" is the number of stored positions with a win of that length; "only" the number
of the winner's moves that alone win, of all his moves on the line; "quickest only" that of those
that alone win as quickly as possible; "forced" the loser's moves that alone hold out as long.

Then follow the lines of best play. A winning move has "!" if no other wins, and "'" if others win,
but none as quickly. Above each line are the plies at which men are captured. At the end the script
lists the stretches of the line in which every winning move is the only one.
"""

import argparse
import re
import sys

# Leave no cache files in the source folder.
sys.dont_write_bytecode = True

from program import Program, print_head, print_row

HEAD = ["rules", "slice", "position", "plies", "of", "only", "quickest only", "forced"]


def longest(options, rules):
    """The first of the longest wins, with the number of them."""
    chosen = [word for slice in options.slice or [] for word in ("--slice", slice)]
    found = options.program.lines("find", rules, "--longest", *chosen)
    most = max(one["dtw"] for one in found)
    all = [one for one in found if one["dtw"] == most]
    return all[0], sum(one["slice"] == all[0]["slice"] for one in all)


class Ply:
    """A move of the line, with the values of the moves beside it."""

    def __init__(self, probed, move, is_winner):
        self.text, self.is_winner = move, is_winner
        wanted = "win" if is_winner else "loss"
        moves = [one for one in probed["moves"] if one["category"] == wanted]
        best = (min if is_winner else max)(one["dtw"] for one in moves)
        self.is_only = len(moves) == 1
        self.is_only_best = sum(one["dtw"] == best for one in moves) == 1
        self.choices, self.kept = len(probed["moves"]), len(moves)
        self.captures = len(re.findall(r"[x/]", move))

    def __str__(self):
        mark = "!" if self.is_only else "'" if self.is_only_best else ""
        return self.text + (mark if self.is_winner else "")


def plies(options, rules, position):
    """The moves of the line from a position."""
    line = options.program.json("line", rules, position)
    pairs = zip(line["positions"], line["moves"])
    return [
        Ply(options.program.json("probe", rules, at), move, number % 2 == 0)
        for number, (at, move) in enumerate(pairs)
    ]


def numbered(line):
    """The moves with numbers, two plies each."""
    pairs = (line[start : start + 2] for start in range(0, len(line), 2))
    return " ".join(f"{n}. {' '.join(map(str, pair))}" for n, pair in enumerate(pairs, 1))


def stretches(line):
    """The stretches of moves that alone win, of two moves or more: `3-7`."""
    numbers = [n for n, ply in enumerate(line[::2], 1) if ply.is_only]
    runs = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"{a}-{b}" for a, b in runs if a < b) or "none"


def describe(rules, found, line):
    """Prints a line of best play with what is said of it."""
    captures = [f"{n // 2 + 1} ({ply.captures})" for n, ply in enumerate(line) if ply.captures]
    winning = line[::2]
    print(f"\n{rules} `{found['position']}`; captures at moves {', '.join(captures) or 'none'};")
    print(f"only moves without a break: {stretches(line)}; winning moves each:", end=" ")
    print(" ".join(f"{ply.kept}/{ply.choices}" for ply in winning))
    print(f"\n{numbered(line)}", flush=True)


def parse():
    """Returns the command line's options."""
    parser = argparse.ArgumentParser(description="Prints the longest wins of rulesets.")
    parser.add_argument("program", metavar="PROGRAM", help="taflbase")
    parser.add_argument("rules", metavar="RULES", nargs="+", help="rulesets with tables")
    parser.add_argument("--slice", action="append", help="only these slices; may be repeated")
    parser.add_argument("--tables", metavar="DIR", help="a folder of tables")
    return parser.parse_args()


def main():
    options = parse()
    options.program = Program(options.program, options.tables, statuses=[0])
    lines = []
    print_head(HEAD)
    for rules in options.rules:
        found, count = longest(options, rules)
        line = plies(options, rules, found["position"])
        winning, losing = line[::2], line[1::2]
        only = sum(ply.is_only for ply in winning)
        quickest = sum(ply.is_only_best for ply in winning)
        forced = sum(ply.is_only_best for ply in losing)
        cells = [rules, found["slice"], f"`{found['position']}`", str(len(line)), f"{count:,}"]
        of = [f"{only} of {len(winning)}", f"{quickest} of {len(winning)}"]
        print_row([*cells, *of, f"{forced} of {len(losing)}"])
        lines.append((rules, found, line))
    for one in lines:
        describe(*one)


if __name__ == "__main__":
    main()
