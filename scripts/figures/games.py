"""Figures from games that the program plays and endgames that it finds."""

import re

from asking import Problem, figure, need_slow, run, table
from intervals import percent_of_points

SIDES = ["attackers", "defenders"]


@figure
def zugzwangs(rules, *slices):
    """Mutual zugzwangs that both lose, mirror images left out."""
    chosen = [word for slice in slices for word in ("--slice", slice)]
    return len(run("find", rules, *chosen, "--zugzwang"))


@table
def matches(header, row, rules, nodes, games):
    """Results of two players with a fixed number of positions or simulations per move, which are
    reproducible; all games begin from the start position."""
    need_slow()
    players = [row[0].strip("`"), row[1].strip("`")]
    limits = ["--nodes", nodes, "--games", games, "--book-plies", "0"]
    sides = run("match", rules, *players, *limits)[0]["a"]
    counts = [[sides[side][of] for of in ("wins", "losses", "draws")] for side in SIDES]
    row[2:4] = [", ".join(map(str, count)) for count in counts]
    row[4] = percent_of_points(*map(sum, zip(*counts)))


@table
def points(header, row, counted="draws"):
    """Cells like `6, 1, 3 (51)`, wins, losses and draws, each with its share of points (of
    wins, if draws do not count) in a cell like `75 % (42 to 90)`, in the same order."""
    games = [re.match(r"(\d+), (\d+), (\d+)\b", cell) for cell in row]
    played = [[int(number) for number in match.groups()] for match in games if match]
    shares = [i for i, cell in enumerate(row) if re.fullmatch(r"\d+ % \(\d+ to \d+\)", cell)]
    if len(played) != len(shares):
        raise Problem(f"the row needs one percentage per result: {' | '.join(row)}")
    for result, column in zip(played, shares):
        row[column] = percent_of_points(*result, counted == "draws")
