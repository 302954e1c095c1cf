"""Figures of state spaces and their samples, from `taflbase bound`."""

import math
import re
from fractions import Fraction

from asking import FIGURES, ROOT, figure, need_slow, run, table
from formats import decimal, scientific
from intervals import clopper_pearson


# State spaces that take half a minute.
LARGE = {"alea-evangelii"}


def state_space(rules):
    if rules in LARGE:
        need_slow()
    return run("bound", rules)[0]


def bounds_of(rules):
    space = state_space(rules)
    rows = space["running"] + space["positions"]
    found = {row["name"]: int(row["value"]) for row in rows}
    found["games-over"] = sum(int(row["value"]) for row in space["finished"])
    found["captured"] = next(int(r["value"]) for r in space["finished"] if r["name"] == "captured")
    found["all"] = found["unmoved"] + found["games-over"]
    return found


def equations_of_the_paper():
    return {e["equation"]: e for e in state_space("ashton")["equations"]}


@figure
def bound(rules, name):
    return bounds_of(rules)[name]


@figure
def equation(number):
    """An equation of the paper, for ashton."""
    return int(equations_of_the_paper()[int(number)]["value"])


@figure
def misread(number):
    """Equation 12, 13 or 14 with the limit that gives what the paper prints."""
    return int(state_space("ashton")["readings"][0]["values"][int(number) - 12])


def of_ashton(name):
    """A bound of ashton's, or `equation14`, or `misread14`."""
    match = re.fullmatch(r"(equation|misread)(\d+)", name)
    return FIGURES[match[1]](match[2]) if match else bounds_of("ashton")[name]


@figure
def less(before, after):
    """The difference of two bounds of ashton."""
    return of_ashton(before) - of_ashton(after)


@figure
def gain(before, after):
    """The difference, relative to the first bound."""
    return Fraction(less(before, after), of_ashton(before))


@figure
def too_large(rules):
    """The factor by which the bound on positions is at most too large, by the sample; rounded
    up."""
    drawn, reached = sampled(rules)
    return Fraction(math.ceil(100 / clopper_pearson(reached, drawn)[0]), 100)


@figure
def paper_captures():
    """Boards with a captured king: the paper's sum, with equation 12 as stated."""
    return sum(equation(number) for number in (9, 10, 11, 12))


@table
def equations(header, row):
    """The paper's equations and its printed numbers."""
    one = equations_of_the_paper()[int(row[0])]
    row[2] = f"{int(one['value']):,}"
    if one["agrees"]:
        row[4] = "agrees"
    elif one["agrees"] is False:
        digits = len(one["printed"].split("e")[0].replace(".", ""))
        row[4] = f"**no: {scientific(int(one['value']), digits)}**"


@table
def bounds(header, row):
    """Columns by the names of bounds."""
    names = {
        "mirror images once": "symmetry",
        "games over": "games-over",
        "slots of the index": "slots",
        "king escapes at once": "escapes",
        "defenders without a move, at most": "no-move-defenders",
        "attackers, at most": "no-move-attackers",
    }

    found = bounds_of(row[0].strip("`"))
    for column, name in list(enumerate(header))[1:]:
        row[column] = scientific(found[names.get(name, name)], 4)


@table
def solved(header, row):
    """Counts over the embedded tables."""
    found = state_space(row[0].strip("`"))["solved"]
    slices = found["slices"]
    row[1] = f"{slices[0]} to {slices[-1]}, {len(slices)}"
    row[2:] = [f"{found[name]:,}" for name in ("positions", "decided", "stuck")]


@table
def samples(header, row):
    """Counts are given, `123`; shares with exact intervals follow, `123: 41.0 % (35.4 to 46.8)`."""
    drawn = int(row[1])
    for column in range(2, 6):
        count = int(row[column].split(":")[0])
        low, high = clopper_pearson(count, drawn)
        shown = [decimal(100 * x, 1) for x in (Fraction(count, drawn), low, high)]
        row[column] = f"{count}: {shown[0]} % ({shown[1]} to {shown[2]})"


def sampled(rules):
    """Returns the numbers of drawn and of reached placements, by the table of samples."""
    text = (ROOT / "docs" / "state-space.md").read_text()
    match = re.search(rf"^\| `{rules}` \| (\d+) \| (\d+)\b", text, re.MULTILINE)
    return int(match[1]), int(match[2])


@table
def estimates(header, row):
    """Reachable positions; a lower bound is rounded down."""
    rules = row[0].strip("`")
    count = bounds_of(rules)["positions"]
    drawn, reached = sampled(rules)
    row[1] = scientific(count, 4)
    row[2] = scientific(count * Fraction(reached, drawn), 3)
    row[3] = scientific(count * clopper_pearson(reached, drawn)[0], 3, down=True)


@table
def table_1(header, row):
    """Table 1 of the paper: our rows."""
    names = {
        "placements, games over included": "all",
        "placements of games that go on": "unmoved",
        "the same, mirror images once": "symmetry",
    }
    rules, _, what = row[0].partition(", ")
    if row[3] != "taflbase":
        return
    if what in names:
        row[1] = scientific(bounds_of(rules)[names[what]], 2)
    else:
        drawn, reached = sampled(rules)
        limit = bounds_of(rules)["unmoved"] * clopper_pearson(reached, drawn)[0]
        row[1] = "from " + scientific(limit, 2, down=True)
