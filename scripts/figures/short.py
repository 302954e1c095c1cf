"""Figures of short tafl, from `taflbase short`."""

import functools
import subprocess

from asking import Problem, command, figure, need_slow, run, table


@functools.cache
def theorem(side, soldier):
    return run("short", f"{side}x{side}", "--soldier", soldier, "--theorem")[0]


@figure
def short_positions(side, soldier):
    return theorem(side, soldier)["positions"]


@figure
def short_set(which, name, part, side="60"):
    """Counts of the theorem's sets: `sets` or `sets_as_printed`; `needed` or `held`."""
    return theorem(side, "se")[which][name][part]


@figure
def not_needed():
    """Positions of the sets from which a soldier's move also wins."""
    return short_set("sets", "held", "said") - short_set("sets", "needed", "said")


@functools.cache
def grundy(side, soldier):
    """P-positions with the soldier in play, and the largest Grundy value."""
    if int(side) > 40:
        need_slow()
    line = command("short", f"{side}x{side}", "--soldier", soldier, "--grundy")
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    # Up to a hundred million numbers on one line: parse them as a stream.
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
        raise Problem(f"{' '.join(line)} exits with status {process.returncode}")
    return zeros + (last == 0), max(largest, last)


@table
def largest_values(header, row):
    """A row for each board, a column for each rule of the soldier."""
    row[1:] = [f"{grundy(row[0], name.strip('`'))[1]}" for name in header[1:]]


@table
def p_positions(header, row):
    """The number of P-positions, and of all positions."""
    side, rules = row[0], [name.strip("`") for name in header[1:]]
    row[1:] = [f"{grundy(side, rule)[0]:,} of {short_positions(side, rule):,}" for rule in rules]


@table
def periods(header, row, soldier, board, last):
    """The king's squares, up to the last one: rows by his row, columns by his column."""
    need_slow()
    found = run("short", board, "--soldier", soldier, "--king", last, "--periods")
    seen = {tuple(one["king"]): one for one in found}
    for column, name in list(enumerate(header))[1:]:
        one = seen[int(row[0]), int(name)]
        row[column] = "–" if one["period"] is None else f"{one['period']}, {one['from']}"
