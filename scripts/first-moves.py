#!/usr/bin/env python3
"""Searches for proofs of each move from a position, mirror images once, and prints a Markdown table.

    scripts/first-moves.py PROGRAM RULES [POS] [--nodes N] [--tables DIR]

RULES is a built-in ruleset or a ruleset file, POS a position, by default the start position. For
each move the script runs `PROGRAM solve` on one thread from the position after it. "value" is what
is proved; the other columns are the proof and disproof number of each question once it had --nodes
nodes. The lower the proof number of "defenders win" in comparison, the nearer is a proof that
they do. With a limit of nodes, the results do not depend on the machine.
"""

import argparse
import sys

# Leave no cache files in the source folder.
sys.dont_write_bytecode = True

from program import Program, print_head, print_row, ruleset_file
from tafl_rules import ATTACKER, DEFENDER, SIDES, Rules

HEAD = ["move", "value", "attackers win", "defenders win", "nodes", "seconds"]


def name(rules, move):
    """A move as in d2-a2."""
    squares = (chr(ord("a") + s % rules.size) + str(s // rules.size + 1) for s in move)
    return "-".join(squares)


def successors(rules, board, mover):
    """The moves that do not end the game, the first of several that mirror each other, with the
    positions after them."""
    seen = set()
    for move in sorted(rules.moves(board, mover)):
        after, wins = rules.play(board, *move)
        if wins:
            sys.exit(f"{name(rules, move)} wins at once")
        key = rules.key(after)
        if key not in seen:
            seen.add(key)
            yield name(rules, move), rules.text(after, ATTACKER + DEFENDER - mover)


def question(answer):
    """The answer to a question, or its proof and disproof number."""
    if answer["answer"] == "open":
        return f"{answer['proof']}/{answer['disproof']}"
    return answer["answer"]


def row(options, program, move, position):
    """The cells of a move, and what the rows are sorted by: the outcome for the defenders."""
    limits = ["--threads", 1, "--nodes", options.nodes, "--memory", options.memory]
    found = program.json("solve", options.rules, position, *limits)
    attackers, defenders = found["attackers"], found["defenders"]
    cells = [move, found["value"], question(attackers), question(defenders)]
    cells += [f"{found['nodes']:,}", f"{found['seconds']:.0f}"]
    won = {"won": 0, "open": 1}.get(defenders["answer"], 2)
    return (won, defenders["proof"] or 0), cells


def parse():
    """Returns the command line's options."""
    about = "Searches for proofs of each move from a position, and prints a Markdown table."
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("program", metavar="PROGRAM", help="taflbase")
    parser.add_argument("rules", metavar="RULES", help="a built-in ruleset or a ruleset file")
    parser.add_argument("position", metavar="POS", nargs="?", help="[default: the start position]")
    parser.add_argument("--nodes", type=int, default=100_000, help="nodes for each move")
    parser.add_argument("--memory", default="1GiB", help="memory for proof numbers")
    parser.add_argument("--tables", metavar="DIR", help="a folder of tables")
    return parser.parse_args()


def main():
    options = parse()
    program = Program(options.program, options.tables)
    try:
        rules = Rules(ruleset_file(options.rules))
    except ValueError as error:
        sys.exit(f"{options.rules}: this script does not know these rules: {error}")
    known = program.json("rules", options.rules)
    start = f"{known['start']} {known['first_mover'][0]}"
    board, mover = rules.parse(options.position or start)
    rows = [row(options, program, *move) for move in successors(rules, board, mover)]
    print_head(HEAD)
    for _, cells in sorted(rows):
        print_row(cells)


if __name__ == "__main__":
    main()
