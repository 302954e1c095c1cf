"""Figures of built tables, from tables/*/MANIFEST.json."""

import functools
import json
import re
from fractions import Fraction

from asking import ROOT, Problem, figure, table
from formats import decimal, metric_bytes, percent, significant

# The games of historical sources, which the highlights of docs/results.md are about.
GAMES = ["brandubh", "berkeley", "ashton", "tablut", "large-hnefatafl", "alea-evangelii"]


@functools.cache
def document(rules):
    return json.loads((ROOT / "tables" / rules / "MANIFEST.json").read_text())


@functools.cache
def manifest(rules):
    return {slice["slice"]: slice for slice in document(rules)["slices"]}


def soldiers(name):
    """Returns the defenders and attackers of a slice."""
    defenders, attackers = re.fullmatch(r"K(\d+)v(\d+)", name).groups()
    return int(defenders), int(attackers)


def men(name):
    return 1 + sum(soldiers(name))


def select(rules, which):
    """Selects slices of a manifest: `all`, `men<=6`, `men=7`, `K2v3`, `K0v1..8`, or a
    comma-separated list; a `-` in front excludes."""
    chosen = []
    for part in which.split(","):
        wanted = part.removeprefix("-")
        if match := re.fullmatch(r"(K\d+v)(\d+)\.\.(\d+)", wanted):
            found = [f"{match[1]}{n}" for n in range(int(match[2]), int(match[3]) + 1)]
        elif match := re.fullmatch(r"men(<?=)(\d+)", wanted):
            limit, exact = int(match[2]), match[1] == "="
            found = [s for s in manifest(rules) if men(s) == limit or not exact and men(s) < limit]
        else:
            found = list(manifest(rules)) if wanted == "all" else [wanted]
        for name in found:
            if name not in manifest(rules):
                raise Problem(f"the manifest of {rules} has no {name}")
        if part.startswith("-"):
            chosen = [name for name in chosen if name not in found]
        else:
            chosen += [name for name in found if name not in chosen]
    return chosen


def total(field, rules, slices, side=None):
    """Returns the sum of a count over slices, for both sides to move or for one. `draw` counts all
    positions that neither side can force."""
    sides = [s for name in slices for s in manifest(rules)[name]["sides"]]
    fields = ["draw", "undecided", "endless"] if field == "draw" else [field]
    # Only some rules have endless positions.
    return sum(s.get(f, 0) for s in sides for f in fields if side in (None, s["to_move"]))


def size(metric, rules, slices):
    """Returns the bytes of the files of one metric, `wdl` or `dtw`, or of `both`."""
    files = [f for name in slices for f in manifest(rules)[name]["files"]]
    return sum(f["bytes"] for f in files if metric in (f["metric"], "both"))


def eighth(rules, slices):
    """Returns the stored positions: one of each class of mirror images, an eighth of all."""
    return Fraction(total("positions", rules, slices), 8)


def density(metric, rules, slices):
    return 8 * size(metric, rules, slices) / eighth(rules, slices)


def plies(slice):
    return max(s[f] for s in slice["sides"] for f in ("max_win", "max_loss"))


def complete(rules):
    """Returns the number of men up to which all slices with the start's material are built."""
    path = ROOT / "src" / "game" / "rules" / "builtin" / f"{rules}.toml"
    start = re.search(r'^start = "(.*)"', path.read_text(), re.MULTILINE)[1]
    most = start.count("T"), start.count("t")
    for count in range(2, 2 + sum(most)):
        for attackers in range(1, min(most[1], count - 1) + 1):
            defenders = count - 1 - attackers
            if defenders <= most[0] and f"K{defenders}v{attackers}" not in manifest(rules):
                return count - 1
    return 1 + sum(most)


@figure
def share(field, rules, which, side=None):
    """The proportion of wins, losses or draws; one for each listed slice."""
    each = [[name] for name in select(rules, which)]
    if not re.match(r"K", which):
        each = [sum(each, [])]
    return [
        Fraction(total(field, rules, slices, side), total("positions", rules, slices, side))
        for slices in each
    ]


@figure
def stored(rules, which):
    return eighth(rules, select(rules, which))


@figure
def bits(metric, rules, which):
    return density(metric, rules, select(rules, which))


@figure
def bits_of_games(metric):
    """The minimum and maximum of bits per stored position over all games."""
    each = [density(metric, rules, select(rules, "all")) for rules in GAMES]
    return [min(each), max(each)]


@figure
def file_bytes(metric, rules, which):
    return size(metric, rules, select(rules, which))


@figure
def longest(rules, which):
    """The maximum of plies over the slices."""
    return max(plies(manifest(rules)[name]) for name in select(rules, which))


@figure
def longest_win(rules, which):
    """The plies of the longest win over the slices, with either side to move."""
    chosen = (manifest(rules)[name] for name in select(rules, which))
    return max(side["max_win"] for slice in chosen for side in slice["sides"])


@figure
def longest_slice(rules, which):
    """The slices with the longest games."""
    names = select(rules, which)
    return ", ".join(n for n in names if plies(manifest(rules)[n]) == longest(rules, which))


def longest_win(rules, name, winner):
    """Returns the longest win of a side in a slice."""
    wins = manifest(rules)[name].get("longest", [])
    found = [win for win in wins if win["winner"] == winner]
    if not found:
        raise Problem(f"the manifest of {rules} has no longest win of the {winner} in {name}")
    return found[0]


@figure
def longest_position(rules, name, winner):
    return longest_win(rules, name, winner)["position"]


@figure
def longest_plies(rules, name, winner):
    return longest_win(rules, name, winner)["plies"]


@figure
def fingerprint(rules):
    return document(rules)["fingerprint"]


@figure
def value_hash(metric, rules, name):
    files = manifest(rules)[name]["files"]
    return next(file["values"] for file in files if file["metric"] == metric)


@figure
def most_drawn(side):
    """The game and slice with the largest proportion of draws, for one side to move."""
    every = [(rules, name) for rules in GAMES for name in manifest(rules)]
    rules, name = max(every, key=lambda one: share("draw", *one, side))
    return f"{rules}'s {name}"


def game_of(row):
    """Returns the first ruleset of a row: `tablut`, `mcgill` share their tables."""
    return row[0].split(",")[0].strip("`")


@table
def sets(header, row):
    """The built slices of a game: men, positions, bits per position."""
    rules = game_of(row)
    whole, chosen = complete(rules), select(rules, "all")
    others = [name for name in chosen if men(name) > whole]
    row[1] = f"{whole} men" + (", and " + ", ".join(others) if others else "")
    row[2] = decimal(eighth(rules, chosen) / 10**9, 1)
    row[3] = decimal(density("wdl", rules, chosen), 4)
    row[4] = decimal(density("dtw", rules, chosen), 3)


@table
def verified(header, row):
    """Fully verified slices, up to the number of men in the row, and their proportion."""
    rules = game_of(row)
    proved = eighth(rules, select(rules, f"men<={row[1].split()[0]}"))
    row[2] = decimal(proved / 10**6, 1)
    row[3] = percent(proved / eighth(rules, select(rules, "all")))


@table
def costs(header, row):
    """The cost of all slices up to a number of men."""
    rules = game_of(row)
    chosen = select(rules, f"men<={row[1]}")
    billions = eighth(rules, chosen) / 10**9
    row[header.index("disk")] = metric_bytes(size("both", rules, chosen))
    row[header.index("stored positions, billions")] = decimal(billions, 1 if billions < 100 else 0)


@table
def who_wins(header, row):
    """Wins of the attackers to move against a bare king, draws, and the longest games."""
    rules = game_of(row)
    for column, name in enumerate(header):
        if name.isdigit():
            slice = f"K0v{name}"
            row[column] = ""
            if slice in manifest(rules):
                row[column] = percent(share("win", rules, slice, "attackers")[0])
    draws = share("draw", rules, "all")[0]
    row[header.index("draws")] = f"{significant(100 * draws, 2)} %"
    names = f"{longest(rules, 'all')} plies ({longest_slice(rules, 'all')})"
    row[header.index("longest")] = names


def longest_of(rules, winner):
    """Returns the longest win of a side in a game: the plies, the slice and the side to move."""
    found = []
    for name, slice in manifest(rules).items():
        for side in slice["sides"]:
            field = "max_win" if side["to_move"] == winner else "max_loss"
            found.append((side[field], name, side["to_move"]))
    return max(found, key=lambda one: one[0])


@table
def longest_wins(header, row):
    """The longest win of the row's side in its game, and its position if the manifest has it."""
    rules, winner = game_of(row), row[1]
    plies, name, to_move = longest_of(rules, winner)
    try:
        position = f"`{longest_position(rules, name, winner)}`"
    except Problem:
        position = ""
    row[2:] = [str(plies), name, to_move, position]


@table
def material(header, row, rules, field, side):
    """The share of an outcome for one side to move, by defenders (rows) and attackers."""
    for column, attackers in enumerate(header):
        name = f"K{row[0]}v{attackers}"
        if attackers.isdigit():
            row[column] = ""
            if name in manifest(rules):
                row[column] = percent(share(field, rules, name, side)[0])


@table
def slices(header, row, rules, which):
    """Slices of a game, and the total of the set, `all 15`."""
    name = row[0].split(" (")[0]
    chosen = select(rules, which if name.startswith("all") else name)
    if name.startswith("all"):
        row[0] = f"all {len(chosen)}"
    values = {"placements": f"{total('positions', rules, chosen):,}"}
    for metric, digits in [("wdl", 4), ("dtw", 3)]:
        values[f"{metric.upper()} bytes"] = f"{size(metric, rules, chosen):,}"
        values[f"{metric.upper()} bits"] = decimal(density(metric, rules, chosen), digits)
    for column, title in enumerate(header):
        row[column] = values.get(title, row[column])
