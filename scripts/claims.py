#!/usr/bin/env python3
"""Compares what books say of the king's paths with the tables, on random positions.

    scripts/claims.py PROGRAM [RULES ...] [--positions N] [--seed N] [--tables DIR]

PROGRAM is taflbase; it reads the tables in the folder `tables`, or in DIR. From each slice with a table of distances, N random positions with each side
to move are taken (`PROGRAM find --random`). Those that end with the next move are left out. Of the
others, the script counts, as a Markdown table:

- clear edge: the king can go to an edge without any piece. S. Pilarski, "Designing an Effective
  Tablut Artificial Intelligence": "an automatic win in two moves";
- safe edge: the king can go to an edge that is free from there to a corner, and no attacker stands
  on the lines that cross it there. Pilarski: "a guaranteed path to victory";
- one path, two paths: the attackers are to move, and the king has a free line to one goal, or to
  several. M. Winther, "Tablut: the game of the Viking sagas", 2006: "it will be impossible to
  block both".

A second table says how a bare king holds a draw when he is to move, on N random positions of each
slice of bare kings with draws. Winther: "he can often acquire a draw by repetition, by repeatedly
threatening to go to a corner square". "drawn" is the share of draws of the slice with this side to
move; "a threat" the share in which some drawing move threatens to reach a goal, "threats only" that
in which all do; "one move" the share in which one move alone draws; "chased" that in which the
attackers, if it were their move, would capture the king at once; "to pass loses" that in which
they would win.

"kept" is the share in which the claim holds: the defenders win within three plies if they are to
move, within two plies if the attackers are. "not won" is the share that the defenders do not win. The last
column is the first exception found, one that is not won if there is any. Positions are stored
ones, one for each class of mirror images.
"""

import argparse
import sys
from collections import Counter

# Leave no cache files in the source folder.
sys.dont_write_bytecode = True

from program import Program, print_head, print_row, ruleset_file
from tafl_rules import ATTACKER, DEFENDER, KING, Rules

HEAD = ["rules", "claim", "positions", "kept", "not won", "exception"]
DRAWS = ["rules", "slice", "drawn", "positions", "a threat", "threats only", "one move"]
DRAWS += ["chased", "to pass loses"]
CLAIMS = ["clear edge", "safe edge", "two paths", "one path"]


class Edges:
    """The edges of a board whose goals are its corners."""

    def __init__(self, rules):
        self.rules, n = rules, rules.size
        whole = [range(n), range(n * (n - 1), n * n), range(0, n * n, n), range(n - 1, n * n, n)]
        self.edges = [list(edge) for edge in whole]
        if rules.goals != {0, n - 1, n * (n - 1), n * n - 1}:
            sys.exit("the king's goals are not the corners")

    def is_clear(self, board, edge, king):
        return not any(board[square] for square in edge if square != king)

    def crossing(self, square, edge):
        """The other squares of the line that crosses an edge in this square."""
        return [s for line in self.rules.lines[square] for s in line if s not in edge]

    def is_safe(self, board, edge, end, king):
        """Whether the edge is free from `end` to one of its corners, and nobody can get there."""
        at = edge.index(end)
        for way in edge[at + 1 :], edge[:at][::-1]:
            if way and not any(board[s] for s in way if s != king):
                crossing = (s for square in way[:-1] for s in self.crossing(square, edge))
                if all(board[s] != ATTACKER for s in crossing):
                    return True
        return False

    def claims(self, board, mover):
        """What the books say of a position."""
        king = board.index(KING)
        targets = [*self.rules.slides(board, king)]
        if mover == ATTACKER:
            paths = len(self.rules.goals & {*targets})
            return {"two paths"} if paths > 1 else {"one path"} if paths else set()
        found = set()
        for edge in self.edges:
            for end in {*targets} & {*edge}:
                if self.is_clear(board, edge, king):
                    found.add("clear edge")
                if self.is_safe(board, edge, end, king):
                    found.add("safe edge")
        return found


def sample(options, name, slice, mover, *selection):
    """Random positions of a slice with their values."""
    asked = ["--slice", slice, "--to-move", mover, *selection]
    random = ["--random", str(options.positions), "--seed", str(options.seed)]
    return options.program.lines("find", name, *asked, *random)


def positions(options, name, slice, mover):
    """Random positions of a slice, without those that end with the next move."""
    found = sample(options, name, slice, mover)
    return [one for one in found if one["dtw"] is None or one["dtw"] > 1]


def probe(options, name, texts):
    """The outcomes of positions."""
    return [one["category"] for one in options.program.lines("probe", name, "--batch", "-", given=texts)]


def draws(options, rules, name, slice):
    """The cells of the second table for a slice, none if it has no draws."""
    stats = options.program.lines("stats", name, "--slice", slice["slice"])[1]
    found = sample(options, name, slice["slice"], "defenders", "--value", "draw")
    if not found:
        return None
    boards = [rules.parse(one["position"])[0] for one in found]
    moves, after = [], []
    for number, board in enumerate(boards):
        for move in rules.moves(board, DEFENDER):
            reached, wins = rules.play(board, *move)
            if not wins and ATTACKER in reached:
                goals = rules.goals & {*rules.slides(reached, reached.index(KING))}
                moves.append((number, bool(goals)))
                after.append(rules.text(reached, ATTACKER))
    drawing = [[] for _ in boards]
    for (number, threatens), outcome in zip(moves, probe(options, name, after)):
        if outcome == "draw":
            drawing[number].append(threatens)
    shares = [any, all, lambda threats: len(threats) == 1]
    parts = [sum(map(share, drawing)) for share in shares]
    passed = probe(options, name, [rules.text(board, ATTACKER) for board in boards])
    parts += [sum(rules.wins_at_once(board, ATTACKER) for board in boards)]
    parts += [passed.count("win")]
    drawn = 100 * stats["draw"] / stats["positions"]
    percents = [f"{100 * part / len(found):.1f} %" for part in parts]
    return [name, slice["slice"], f"{drawn:.3f} %", f"{len(found):,}", *percents]


def slices(options, name):
    """The slices of the manifest."""
    return options.program.lines("manifest", name)[0]["slices"]


def row(options, rules, name):
    """Counts for a ruleset: by claim the positions, those where it holds, those not won; and the
    exceptions found first."""
    edges, count, exceptions = Edges(rules), Counter(), {}
    with_distances = [
        one["slice"]
        for one in slices(options, name)
        if any(file["metric"] == "dtw" for file in one["files"])
    ]
    for slice in with_distances:
        for mover, side, within in ("attackers", ATTACKER, 2), ("defenders", DEFENDER, 3):
            wanted = "loss" if side == ATTACKER else "win"
            for found in positions(options, name, slice, mover):
                board, _ = rules.parse(found["position"])
                is_won = found["category"] == wanted
                for claim in edges.claims(board, side):
                    is_kept = is_won and found["dtw"] <= within
                    count[claim] += 1
                    count[claim, "kept"] += is_kept
                    count[claim, "not won"] += not is_won
                    if not is_kept:
                        exceptions.setdefault((claim, is_won), found["position"])
    return count, exceptions


def parse():
    """Returns the command line's options."""
    parser = argparse.ArgumentParser(description="Compares claims about the king with tables.")
    parser.add_argument("program", metavar="PROGRAM", help="taflbase")
    help = "built-in rulesets with goals in the corners [default: brandubh and tablut]"
    parser.add_argument("rules", metavar="RULES", nargs="*", default=["brandubh", "tablut"],
                        help=help)
    parser.add_argument("--positions", type=int, default=20_000, help="for each slice and side")
    parser.add_argument("--seed", type=int, default=1, help="the random seed")
    parser.add_argument("--tables", metavar="DIR", help="a folder of tables")
    return parser.parse_args()


def paths_table(options, rules_of):
    """Prints what the books say of the king's paths."""
    print_head(HEAD)
    for name, rules in rules_of.items():
        count, exceptions = row(options, rules, name)
        for claim in CLAIMS:
            if count[claim]:
                kept, lost = (100 * count[claim, word] / count[claim] for word in HEAD[3:5])
                shown = exceptions.get((claim, False)) or exceptions.get((claim, True), "")
                cells = [name, claim, f"{count[claim]:,}", f"{kept:.2f} %", f"{lost:.3f} %", shown]
                print_row(cells)


def draws_table(options, rules_of):
    """Prints how bare kings hold draws."""
    print()
    print_head(DRAWS)
    for name, rules in rules_of.items():
        for slice in slices(options, name):
            if slice["slice"].startswith("K0v") and any(one["draw"] for one in slice["sides"]):
                cells = draws(options, rules, name, slice)
                if cells:
                    print_row(cells)


def main():
    options = parse()
    options.program = Program(options.program, options.tables, statuses=[0])
    rules_of = {name: Rules(ruleset_file(name)) for name in options.rules}
    paths_table(options, rules_of)
    draws_table(options, rules_of)


if __name__ == "__main__":
    main()
