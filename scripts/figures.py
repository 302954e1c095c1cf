#!/usr/bin/env python3
"""Writes the figures of README.md and docs/ from the files and commands that give them.

    scripts/figures.py [--check] [--program PROGRAM] [--slow]

With --check nothing is written: the status is 1 if a figure is not what it should be. The
manifests in tables/ and other files of the source are always asked. Figures that a command
of the program gives are left alone without --program; so are those that take minutes
(boards of a thousand squares' side, the largest rulesets' state spaces), without --slow.

A comment lists the figures of the text above it, as far back as the comment or heading
before, in the order in which they stand there:

    With 5 attackers brandubh's attackers to move win 27 % and lose 72 %.
    <!-- figures
    27 %: share win brandubh K0v5 attackers
    72 %: share loss brandubh K0v5 attackers
    -->

What is written before the colon is found in the text, and its numbers are replaced, each
with as many digits as it has. A query may give several numbers ("4, 9 and 14 %"). A number
behind "some" may be 5 % off. A comment `<!-- table: NAME ... -->` stands before a table whose
cells are filled in. The queries, below, are the functions marked @figure and @table.

What was measured (times, memory, speeds, games) no command gives again: it stays as it is.
"""

import argparse
import functools
import json
import math
import re
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
GAMES = ["brandubh", "berkeley", "ashton", "tablut", "large-hnefatafl", "alea-evangelii"]

options = argparse.Namespace(program=None, slow=False)


class Unasked(Exception):
    """A figure that needs --program or --slow."""


class Problem(Exception):
    """A figure that cannot be written."""


FIGURES, TABLES = {}, {}


def figure(function):
    """Makes a function a query; it gives a number, a text, or a list of them."""
    FIGURES[function.__name__] = function
    return function


def table(function):
    """Makes a function fill a table: it changes rows of cells, and is given the header, too."""
    TABLES[function.__name__] = function
    return function


# --- Manifests -----------------------------------------------------------------------


@functools.cache
def manifest(rules):
    path = ROOT / "tables" / rules / "MANIFEST.json"
    slices = json.loads(path.read_text())["slices"]
    return {slice["slice"]: slice for slice in slices}


def soldiers(name):
    """Defenders and attackers of a slice."""
    defenders, attackers = re.fullmatch(r"K(\d+)v(\d+)", name).groups()
    return int(defenders), int(attackers)


def men(name):
    return 1 + sum(soldiers(name))


def select(rules, which):
    """Slices of a manifest: `all`, `men<=6`, `men=7`, `K2v3`, `K0v1..8`, or some of these
    with commas between; a `-` before one takes it off."""
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
    """The sum of a count over slices, for either side to move or for one."""
    sides = [s for name in slices for s in manifest(rules)[name]["sides"]]
    fields = ["draw", "undecided"] if field == "draw" else [field]
    return sum(s[f] for s in sides for f in fields if side in (None, s["to_move"]))


def size(metric, rules, slices):
    """The bytes of the files of one metric, `wdl` or `dtw`, or of `both`."""
    files = [f for name in slices for f in manifest(rules)[name]["files"]]
    return sum(f["bytes"] for f in files if metric in (f["metric"], "both"))


def eighth(rules, slices):
    """Stored positions: one of each class of mirror images, an eighth of the placements."""
    return Fraction(total("positions", rules, slices), 8)


def density(metric, rules, slices):
    return 8 * size(metric, rules, slices) / eighth(rules, slices)


def plies(slice):
    return max(s[f] for s in slice["sides"] for f in ("max_win", "max_loss"))


def complete(rules):
    """Up to how many men all slices are built; none has more of a side than the start."""
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
    """The share of wins, losses or draws; one for each slice that is listed."""
    each = [[name] for name in select(rules, which)]
    if not re.match(r"K", which):
        each = [sum(each, [])]
    return [
        Fraction(total(field, rules, slices, side), total("positions", rules, slices, side))
        for slices in each
    ]


@figure
def positions(rules, which, side=None):
    return total("positions", rules, select(rules, which), side)


@figure
def stored(rules, which):
    return eighth(rules, select(rules, which))


@figure
def bits(metric, rules, which):
    return density(metric, rules, select(rules, which))


@figure
def bits_of_games(metric):
    """The least and the most bits a stored position, of all games."""
    each = [density(metric, rules, select(rules, "all")) for rules in GAMES]
    return [min(each), max(each)]


@figure
def file_bytes(metric, rules, which):
    return size(metric, rules, select(rules, which))


@figure
def longest(rules, which):
    """The most plies of all slices."""
    return max(plies(manifest(rules)[name]) for name in select(rules, which))


@figure
def longest_slice(rules, which):
    """Which slices have the longest games."""
    names = select(rules, which)
    return ", ".join(n for n in names if plies(manifest(rules)[n]) == longest(rules, which))


@figure
def most_drawn(side):
    """The game and the slice with the largest share of draws, for that side to move."""
    every = [(rules, name) for rules in GAMES for name in manifest(rules)]
    rules, name = max(every, key=lambda one: share("draw", *one, side))
    return f"{rules}'s {name}"


@figure
def number_of_slices(rules, which):
    return len(select(rules, which))


@table
def sets(header, rows):
    """The sets that are built: how far, how many, how small."""
    for row in rows:
        rules = row[0].split(",")[0]
        whole, slices = complete(rules), select(rules, "all")
        others = [name for name in slices if men(name) > whole]
        row[1] = f"{whole} men" + (", and " + ", ".join(others) if others else "")
        for column, name in enumerate(header):
            if name.startswith("stored positions"):
                row[column] = decimal(eighth(rules, slices) / 10**9, 1)
            elif name.endswith("wins, draws, losses"):
                row[column] = decimal(density("wdl", rules, slices), 4)
            elif name == "with distances":
                row[column] = decimal(density("dtw", rules, slices), 3)


@table
def verified(header, rows):
    """What was verified in full, by the number of men that the row has, and how much that is."""
    for row in rows:
        rules = row[0].split(",")[0]
        proved = eighth(rules, select(rules, f"men<={row[1].split()[0]}"))
        row[2] = decimal(proved / 10**6, 1)
        row[3] = percent(proved / eighth(rules, select(rules, "all")))


@table
def costs(header, rows):
    """What all slices of so many men take; a game's name stands in its first row alone."""
    rules = None
    for row in rows:
        rules = row[0].split(",")[0].strip("`") or rules
        slices = select(rules, f"men<={row[1]}")
        row[header.index("disk")] = metric_bytes(size("both", rules, slices))
        billions = eighth(rules, slices) / 10**9
        row[header.index("stored positions, billions")] = decimal(billions, billions < 100)


@table
def who_wins(header, rows):
    """Wins of the attackers to move against a bare king, draws, and the longest games."""
    for row in rows:
        rules = row[0].split(",")[0]
        for column, name in enumerate(header):
            if name.isdigit():
                slice = f"K0v{name}"
                is_built = slice in manifest(rules)
                row[column] = percent(share("win", rules, slice, "attackers")[0]) if is_built else ""
        draws = share("draw", rules, "all")[0]
        row[header.index("draws")] = f"{significant(100 * draws, 2)} %"
        names = f"{longest(rules, 'all')} plies ({longest_slice(rules, 'all')})"
        row[header.index("longest")] = names


@table
def slices(header, rows, rules, which):
    """Slices of a game, with a row for all that the set has, `all 15`."""
    for row in rows:
        name = row[0].split(" (")[0]
        chosen = select(rules, which if name.startswith("all") else name)
        if name.startswith("all"):
            row[0] = f"all {len(chosen)}"
        values = {"placements": f"{total('positions', rules, chosen):,}"}
        for metric, digits in [("wdl", 4), ("dtw", 3)]:
            values[f"{metric.upper()} bytes"] = f"{size(metric, rules, chosen):,}"
            values[f"{metric.upper()} bits"] = decimal(density(metric, rules, chosen), digits)
        for column, name in enumerate(header):
            row[column] = values.get(name, row[column])


# --- Other files of the source ---------------------------------------------------------


@figure
def lines(path):
    return len((ROOT / path).read_text().splitlines())


@figure
def embedded_bytes():
    """The tables that are compiled in, by the list in the source."""
    text = (ROOT / "src" / "tablebase" / "embedded.rs").read_text()
    found = re.findall(r'^ *"([\w-]+)" "(\w+)": (.*);$', text, re.MULTILINE)
    paths = [
        ROOT / "tables" / rules / f"{slice}.{metric}"
        for rules, metric, names in found
        for slice in re.findall(r'"(\w+)"', names)
    ]
    return sum(path.stat().st_size for path in paths)


@functools.cache
def count_crates(features):
    """What cargo compiles for this machine: the library and all that it and its build
    scripts depend on, each crate and version once, without what tests alone need."""
    command = ["cargo", "tree", "--prefix", "none", "--edges", "normal,build", *features]
    found = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    # A line is `name v1.2.3 (where from) (proc-macro) (*)`.
    return len({" ".join(line.split()[:2]) for line in found.stdout.splitlines()})


@figure
def crates(feature="none"):
    """`none`, the name of a feature, or `default`. Versions are chosen when cargo is run, and
    need the registry then, so this is asked with --program alone."""
    if options.program is None:
        raise Unasked
    if feature == "default":
        return count_crates(())
    chosen = () if feature == "none" else ("--features", feature)
    return count_crates(("--no-default-features", *chosen))


# --- Commands of the program -----------------------------------------------------------


# The program is given no tables but its own, whatever has been built here.
NO_TABLES = tempfile.TemporaryDirectory()


@functools.cache
def run(*arguments):
    """The lines of JSON that a command prints."""
    if options.program is None:
        raise Unasked
    command = [options.program, "--json", "--tables", NO_TABLES.name, *arguments]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if found.returncode > 1:
        said = found.stderr.strip().splitlines()[-1:]
        raise Problem(f"{' '.join(command)} ends with status {found.returncode}: {said}")
    return [json.loads(line) for line in found.stdout.splitlines()]


@figure
def zugzwangs(rules, *slices):
    """Mutual zugzwangs that both lose, mirror images left out."""
    chosen = [word for slice in slices for word in ("--slice", slice)]
    return len(run("find", rules, *chosen, "--zugzwang"))


# Its state space takes half a minute.
LARGE = {"alea-evangelii"}


def state_space(rules):
    if rules in LARGE and not options.slow:
        raise Unasked
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
    """One of the paper's, for ashton."""
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
    """What the second of ashton's bounds takes off the first."""
    return of_ashton(before) - of_ashton(after)


@figure
def gain(before, after):
    """The same, as a share of the first."""
    return Fraction(less(before, after), of_ashton(before))


@figure
def too_large(rules):
    """By what factor the bound on positions is too large at the most, by the sample; as a
    limit from above it is rounded up."""
    drawn, reached = sampled(rules)
    return Fraction(math.ceil(100 / clopper_pearson(reached, drawn)[0]), 100)


@figure
def paper_captures():
    """Boards with a captured king, as the paper adds them up, with equation 12 as stated."""
    return sum(equation(number) for number in (9, 10, 11, 12))


@table
def equations(header, rows):
    found = equations_of_the_paper()
    for row in rows:
        one = found[int(row[0])]
        row[2] = f"{int(one['value']):,}"
        if one["agrees"]:
            row[4] = "agrees"
        elif one["agrees"] is False:
            digits = len(one["printed"].split("e")[0].replace(".", ""))
            row[4] = f"**no: {scientific(int(one['value']), digits)}**"


def by_ruleset(rows, fill):
    """Fills the rows of the rulesets that are asked now."""
    for row in rows:
        try:
            fill(row, row[0].strip("`"))
        except Unasked:
            if options.program is None:
                raise


@table
def bounds(header, rows):
    """Columns by the names of bounds; `mirror images once` is the one by symmetry."""
    names = {
        "mirror images once": "symmetry",
        "games over": "games-over",
        "slots of the index": "slots",
        "king escapes at once": "escapes",
        "defenders without a move, at most": "no-move-defenders",
        "attackers, at most": "no-move-attackers",
    }

    def fill(row, rules):
        for column, name in list(enumerate(header))[1:]:
            row[column] = scientific(bounds_of(rules)[names.get(name, name)], 4)

    by_ruleset(rows, fill)


@table
def solved(header, rows):
    def fill(row, rules):
        found = state_space(rules)["solved"]
        slices = found["slices"]
        row[1] = f"{slices[0]} to {slices[-1]}, {len(slices)}"
        row[2:] = [f"{found[name]:,}" for name in ("positions", "decided", "stuck")]

    by_ruleset(rows, fill)


@table
def samples(header, rows):
    """Counts are given, `123`; shares with exact intervals follow, `123: 41.0 % (35.4 to 46.8)`."""
    for row in rows:
        drawn = int(row[1])
        for column in range(2, 6):
            count = int(row[column].split(":")[0])
            low, high = clopper_pearson(count, drawn)
            shown = [decimal(100 * x, 1) for x in (Fraction(count, drawn), low, high)]
            row[column] = f"{count}: {shown[0]} % ({shown[1]} to {shown[2]})"


def sampled(rules):
    """How many placements were drawn, and how many were reached, by the table of samples."""
    text = (ROOT / "docs" / "state-space.md").read_text()
    match = re.search(rf"^\| `{rules}` \| (\d+) \| (\d+)\b", text, re.MULTILINE)
    return int(match[1]), int(match[2])


@table
def estimates(header, rows):
    """Positions that games can come to; what is claimed as a limit is rounded down."""

    def fill(row, rules):
        count = bounds_of(rules)["positions"]
        drawn, reached = sampled(rules)
        low = clopper_pearson(reached, drawn)[0]
        row[1] = scientific(count, 4)
        row[2] = scientific(count * Fraction(reached, drawn), 3)
        row[3] = scientific(count * low, 3, down=True)

    by_ruleset(rows, fill)


@table
def table_1(header, rows):
    """Table 1 of the paper: the rows of ours."""
    names = {
        "placements, games over included": "all",
        "placements of games that go on": "unmoved",
        "the same, mirror images once": "symmetry",
    }
    for row in rows:
        rules, _, what = row[0].partition(", ")
        if row[3] != "taflbase":
            continue
        try:
            if what in names:
                row[1] = scientific(bounds_of(rules)[names[what]], 2)
            else:
                drawn, reached = sampled(rules)
                low = clopper_pearson(reached, drawn)[0]
                row[1] = "from " + scientific(bounds_of(rules)["unmoved"] * low, 2, down=True)
        except Unasked:
            if options.program is None:
                raise


@functools.cache
def theorem(side, soldier):
    return run("short", f"{side}x{side}", "--soldier", soldier, "--theorem")[0]


@figure
def short_positions(side, soldier):
    return theorem(side, soldier)["positions"]


@figure
def short_set(which, name, part, side="60"):
    """What the theorem's sets hold: `sets` or `sets_as_printed`; `needed` or `held`."""
    return theorem(side, "se")[which][name][part]


@figure
def not_needed():
    """Positions of the sets that a soldier's move wins, too."""
    return short_set("sets", "held", "said") - short_set("sets", "needed", "said")


@functools.cache
def grundy(side, soldier):
    """P-positions with the soldier in play, and the largest Grundy value."""
    if options.program is None or int(side) > 40 and not options.slow:
        raise Unasked
    command = [options.program, "--json", "short", f"{side}x{side}"]
    command += ["--soldier", soldier, "--grundy"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    # Up to a hundred million numbers on one line: they are read as they come.
    largest = zeros = 0
    rest, is_values = b"", False
    while chunk := process.stdout.read(1 << 24):
        chunk = rest + chunk
        if not is_values:
            _, mark, after = chunk.partition(b'"grundy":[')
            if not mark:
                rest = chunk[-16:]
                continue
            is_values, chunk = True, after
        numbers, _, rest = chunk.rpartition(b",")
        found = list(map(int, numbers.split(b","))) if numbers else []
        largest, zeros = max(largest, *found, 0), zeros + found.count(0)
    last = int(rest.strip().rstrip(b"]}"))
    if process.wait():
        raise Problem(f"{' '.join(command)} ends with status {process.returncode}")
    return zeros + (last == 0), max(largest, last)


def by_side(header, rows, show):
    """A row for each board, a column for each rule of the soldier."""
    for row in rows:
        for column, name in list(enumerate(header))[1:]:
            try:
                row[column] = show(row[0], name.strip("`"))
            except Unasked:
                if options.program is None:
                    raise


@table
def largest_values(header, rows):
    by_side(header, rows, lambda side, soldier: f"{grundy(side, soldier)[1]}")


@table
def p_positions(header, rows):
    def show(side, soldier):
        return f"{grundy(side, soldier)[0]:,} of {short_positions(side, soldier):,}"

    by_side(header, rows, show)


@table
def periods(header, rows, soldier, board):
    """The king's squares: rows by his row, columns by his column."""
    if options.program is None or not options.slow:
        raise Unasked
    last = f"{rows[-1][0]},{header[-1]}"
    found = run("short", board, "--soldier", soldier, "--king", last, "--periods")
    seen = {tuple(one["king"]): one for one in found}
    for row in rows:
        for column, name in list(enumerate(header))[1:]:
            one = seen[int(row[0]), int(name)]
            period, first = one["period"], one["from"]
            row[column] = "–" if period is None else f"{period}, {first}"


# --- Samples and games -----------------------------------------------------------------


def at_least(successes, trials, probability):
    """The chance of that many successes or more."""
    chance, factor = Fraction(0), Fraction(1)
    other = 1 - probability
    for count in range(trials + 1):
        if count >= successes:
            chance += factor * probability**count * other ** (trials - count)
        factor = factor * (trials - count) / (count + 1)
    return chance


@functools.cache
def clopper_pearson(successes, trials):
    """The exact 95 % interval of a share: beyond its ends so many successes, or so few, come
    up in less than 2.5 of 100 samples. To the 20th binary digit; the ends are no nearer to
    the share than they should be."""
    digits, tail = 20, Fraction(25, 1000)

    def search(holds):
        """The largest of the fractions 0, 1/2^20, … of which this holds, as it does of 0."""
        low, high = 0, 1 << digits
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if holds(Fraction(middle, 1 << digits)) else (low, middle)
        return Fraction(low, 1 << digits)

    low = search(lambda p: at_least(successes, trials, p) <= tail) if successes else Fraction(0)
    # As few successes are as many failures.
    failures = trials - successes
    high = search(lambda p: at_least(failures, trials, p) <= tail) if failures else Fraction(0)
    return low, 1 - high


def wilson(points, games):
    """Wilson's 95 % interval; the points may be halves, for which there is no exact one."""
    square, share = 1.959963984540054**2, points / games
    middle = share + square / (2 * games)
    half = (square * (share * (1 - share) / games + square / (4 * games**2))) ** 0.5
    scale = 1 + square / games
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


@table
def matches(header, rows, rules, nodes, games):
    """What two players come to with so many positions or simulations a move, which depends on
    nothing else; all games begin at the start."""
    if options.program is None or not options.slow:
        raise Unasked
    for row in rows:
        players = [row[0].strip("`"), row[1].strip("`")]
        limits = ["--nodes", nodes, "--games", games, "--book-plies", "0"]
        sides = run("match", rules, *players, *limits)[0]["a"]
        for column, name in [(2, "attackers"), (3, "defenders")]:
            row[column] = ", ".join(str(sides[name][of]) for of in ("wins", "losses", "draws"))
        counts = [sum(sides[name][of] for name in sides) for of in ("wins", "losses", "draws")]
        row[4] = percent_of_points(*counts)


def percent_of_points(wins, losses, draws, is_half=True):
    """The share of points, or of wins, with its interval: `75 % (42 to 90)`."""
    won, games = wins + (draws / 2 if is_half else 0), wins + losses + draws
    shown = [f"{100 * x:.0f}" for x in (won / games, *wilson(won, games))]
    return f"{shown[0]} % ({shown[1]} to {shown[2]})"


@table
def points(header, rows, counted="draws"):
    """Cells like `6, 1, 3 (51)`, wins, losses and draws, each with its share of points (of
    wins, if draws do not count) in a cell like `75 % (42 to 90)`, in the same order."""
    for row in rows:
        games = [re.match(r"(\d+), (\d+), (\d+)\b", cell) for cell in row]
        played = [[int(number) for number in match.groups()] for match in games if match]
        shares = [i for i, cell in enumerate(row) if re.fullmatch(r"\d+ % \(\d+ to \d+\)", cell)]
        if len(played) != len(shares):
            raise Problem(f"not one share for each result: {' | '.join(row)}")
        for result, column in zip(played, shares):
            row[column] = percent_of_points(*result, counted == "draws")


# --- Numbers in texts ------------------------------------------------------------------

UNITS = {
    "%": Fraction(1, 100),
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "million": 10**6,
    "billion": 10**9,
}
NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?"


def decimal(value, digits):
    """A number with that many digits behind the point; halves are rounded up."""
    unit = 10 ** int(digits)
    rounded = int(Fraction(value) * unit + Fraction(1, 2))
    whole, part = divmod(rounded, unit)
    return f"{whole}.{part:0{int(digits)}d}" if digits else f"{whole}"


def percent(share):
    """One digit behind the point, or two that say something."""
    return f"{significant(100 * share, 2) if 0 < share < Fraction(1, 2000) else decimal(100 * share, 1)} %"


def significant(value, digits):
    places = 0
    while value and value * 10**places < 10 ** (digits - 1):
        places += 1
    return decimal(value, places)


def scientific(value, digits, down=False):
    """`9.479e26`; a limit from below is rounded down."""
    exponent = len(str(int(value))) - 1
    while value and value < Fraction(10) ** exponent:
        exponent -= 1
    unit = Fraction(10) ** (exponent - digits + 1)
    rounded = int(value / unit + (0 if down else Fraction(1, 2)))
    if rounded == 10**digits:
        rounded, exponent = rounded // 10, exponent + 1
    first, rest = str(rounded)[0], str(rounded)[1:]
    return f"{first}.{rest}e{exponent}" if rest else f"{first}e{exponent}"


def metric_bytes(count):
    """`87 MB`, `1.1 GB`."""
    if count < 10**9:
        return f"{decimal(Fraction(count, 10**6), 0)} MB"
    return f"{decimal(Fraction(count, 10**9), 1)} GB"


def as_shown(value, shown, scale):
    """A number in the form of the one that it replaces."""
    value = Fraction(value) / scale
    if "e" in shown:
        return scientific(value, len(shown.split("e")[0].replace(".", "")))
    digits = len(shown.partition(".")[2])
    text = decimal(value, digits)
    if value and not text.strip("0."):
        raise Problem(f"{shown} would be nothing, and it is {float(value):.2g}: give it more digits")
    whole, point, part = text.partition(".")
    is_grouped = "," in shown or len(whole) > 4
    return (f"{int(whole):,}" if is_grouped else whole) + point + part


def renewed(text, values):
    """A text with other numbers; where the value is a text, that text."""
    values = values if isinstance(values, list) else [values]
    if isinstance(values[0], str):
        return values[0]
    unit = re.search(rf"(?<=\d)\s+({'|'.join(UNITS)})(?!\w)", text)
    scale = UNITS[unit[1]] if unit else 1
    shown = list(re.finditer(NUMBER, text))
    if len(shown) != len(values):
        raise Problem(f"“{text}” has {len(shown)} numbers, and the query gives {len(values)}")
    if text.startswith("some "):
        is_near = all(
            abs(value / scale - int(match[0].replace(",", ""))) <= Fraction(value, 20) / scale
            for match, value in zip(shown, values)
        )
        if is_near:
            return text
    for match, value in reversed(list(zip(shown, values))):
        text = text[: match.start()] + as_shown(value, match[0], scale) + text[match.end() :]
    return text


# --- Documents -------------------------------------------------------------------------


class Document:
    """A Markdown file, whose figures are renewed from its beginning to its end."""

    def __init__(self, path):
        self.path, self.text = path, path.read_text()
        self.changes, self.problems, self.left = [], [], 0
        self.count = 0

    def line(self, at):
        return f"{self.path.relative_to(ROOT)}:{self.text.count(chr(10), 0, at) + 1}"

    def renew(self):
        comment = re.compile(r"^ *<!-- (?:figures\n(.*?)^ *-->|table: (.*?) -->\n)", re.M | re.S)
        at = 0
        while match := comment.search(self.text, at):
            before = self.text
            try:
                if match[2]:
                    self.renew_table(match)
                else:
                    self.renew_figures(match, at)
            except Unasked:
                self.left += 1
            except (Problem, KeyError, TypeError, ValueError, IndexError) as error:
                self.problems.append(f"{self.line(match.start())}: {error!s}")
            # What is behind the comment has moved with it.
            at = match.end() + len(self.text) - len(before)
            if match[2]:
                at = match.end()

    def renew_figures(self, match, start):
        """Renews the text above a comment, and the comment's own texts."""
        heading = self.text.rfind("\n#", start, match.start())
        at, above = max(start, heading), self.text[: match.start()]
        comment = self.text[match.start() : match.end()]
        end = self.text[match.end() :]
        for entry in match[1].strip().splitlines():
            shown, _, query = entry.strip().partition(": ")
            words = r"\s+".join(re.escape(word) for word in shown.split())
            found = re.compile(rf"(?<![\w.,]){words}(?!\w|[.,]\d)").search(above, at)
            if not found:
                raise Problem(f"“{shown}” is not in the text above, in its turn")
            name, *arguments = query.split()
            at = found.end()
            try:
                value = FIGURES[name](*arguments)
            except Unasked:
                self.left += 1
                continue
            self.count += 1
            text = renewed(found[0], value)
            if text != found[0]:
                again = " ".join(text.split())
                self.changes.append(f"{self.line(found.start())}: {shown} -> {again}")
                above = above[: found.start()] + text + above[found.end() :]
                at = found.start() + len(text)
                comment = comment.replace(entry, entry.replace(shown, again, 1), 1)
        self.text = above + comment + end

    def renew_table(self, match):
        """Renews the table below a comment."""
        body = re.compile(r"(?:^\|.*\n)+", re.M).match(self.text, match.end())
        if not body:
            raise Problem("no table stands behind this comment")
        cells = [[c.strip() for c in line.strip("|").split("|")] for line in body[0].splitlines()]
        header, rows = cells[0], cells[2:]
        old = [list(row) for row in rows]
        name, *arguments = match[2].split()
        TABLES[name](header, rows, *arguments)
        self.count += sum(map(len, rows))
        for before, after in zip(old, rows):
            for title, was, now in zip(header, before, after):
                if was != now:
                    place = f"{before[0]}, {title}" if before[0] else title
                    self.changes.append(f"{self.line(match.start())}: {place}: {was} -> {now}")
        if old != rows:
            head = body[0].splitlines()[:2]
            lines = head + ["| " + " | ".join(row) + " |" for row in rows]
            self.text = self.text[: body.start()] + "\n".join(lines) + "\n" + self.text[body.end() :]


def main():
    parser = argparse.ArgumentParser(description="Writes the figures of the documents.")
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if one is wrong")
    parser.add_argument("--program", metavar="PROGRAM", help="ask this taflbase, too")
    parser.add_argument("--slow", action="store_true", help="ask it for what takes minutes, too")
    parser.parse_args(namespace=options)
    if options.program:
        options.program = str(Path(options.program).resolve())
    count = left = wrong = 0
    for path in DOCUMENTS:
        document = Document(path)
        document.renew()
        for message in document.problems + document.changes:
            print(message, file=sys.stderr)
        wrong += len(document.problems) + (len(document.changes) if options.check else 0)
        count, left = count + document.count, left + document.left
        if document.changes and not options.check:
            path.write_text(document.text)
    print(f"{count} figures, {left} places not asked for, {wrong} wrong")
    if wrong and options.check:
        print("scripts/figures.py, with the same options but --check, writes them", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
