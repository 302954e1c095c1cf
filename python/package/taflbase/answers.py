"""What a `Tablebase`, a `Game` and an `Engine` answer, and what builds and verifications
report.

`category` is for the side to move in the probed position. `dtw` is the distance to the
end of the game in plies.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from ._native import Board
from .enums import Category, Metric, Phase, Reason, Side, Verdict


class Value(NamedTuple):
    """The value of a position."""

    category: Category
    """The outcome for the side to move."""
    dtw: Optional[int]
    """Plies to the end of the game; `None` for a draw."""


class Move(NamedTuple):
    """A legal move."""

    move: str
    """The move, as `e5-e8xe9`: after `x` what it captures. `++` captures the king, `--`
    is his escape; both end the game."""
    after: str
    """The position after it, with the other side to move. A captured king stays on the
    board."""


class MoveProbe(NamedTuple):
    """A move and what it leads to."""

    move: str
    """The move, as in `Move`."""
    category: Category
    """Its outcome for the side that plays it; `unknown` if the table of the slice that
    it leads to is missing."""
    dtw: Optional[int]
    """Plies that are left after the move; `None` for a draw, if it is unknown, and
    where there are WDL tables only."""
    conversion: bool
    """Whether it captures a soldier and the game goes on, with fewer men."""
    after: str
    """The position after it, as in `Move`."""


class Probe(NamedTuple):
    """The value of a position and of each of its moves."""

    position: str
    """The position in its canonical form."""
    to_move: Side
    """The side to move."""
    category: Category
    """The outcome for the side to move."""
    dtw: Optional[int]
    """Plies to the end of the game; `None` for a draw, and where there are WDL tables
    only."""
    moves: list[MoveProbe]
    """The legal moves, best first."""
    board: Board
    """The board, to look at."""

    def _repr_html_(self) -> str:
        """The board with the value below it, and a table of the moves, best first."""
        header = ("move", "value", "conversion", "plies after it")
        rows = [
            (move.move, move.category, "yes" if move.conversion else "", plain(move.dtw))
            for move in self.moves
        ]
        moves = "".join(html_row("td", row) for row in rows)
        return (
            f"<div>{self.board.svg()}<p>{self.to_move} to move: {in_words(self)}</p>"
            f"<table><thead>{html_row('th', header)}</thead><tbody>{moves}</tbody></table></div>"
        )


class Found(NamedTuple):
    """A position that was looked for: one of each class of mirror images."""

    slice: str
    """The slice, as `K1v2`."""
    position: str
    """The position."""
    to_move: Side
    """The side to move."""
    category: Category
    """The outcome for the side to move."""
    dtw: Optional[int]
    """Plies to the end of the game; `None` for a draw, and where there are WDL tables
    only."""
    images: int
    """How many mirror images it stands for, itself included."""
    other_category: Optional[Category]
    """Of a mutual zugzwang, the outcome for the other side if that were to move."""
    other_dtw: Optional[int]
    """The same in plies."""


class Values(NamedTuple):
    """The values of n positions."""

    wdl: NDArray[np.int8]
    """`WIN` (1), `DRAW` (0; undecided, where the rules say so) or `LOSS` (-1) for the
    side to move. With `errors="mark"` also `UNKNOWN` (-128) if there is no table, and
    `INVALID` (-127) if it is not a position of a running game."""
    dtw: NDArray[np.int32]
    """Plies to the end of the game; -1 for a draw, without an answer, and where the
    tables that were asked have no distances."""


class SliceValues(NamedTuple):
    """The n positions of a slice with one side to move. Mirror images are positions of
    their own.

    Squares are numbered `rank * size + file` from a1, which is 0.
    """

    king: NDArray[np.uint16]
    """The king's squares."""
    defenders: NDArray[np.uint16]
    """The defenders' squares, n x defenders, ascending."""
    attackers: NDArray[np.uint16]
    """The attackers' squares, n x attackers, ascending."""
    wdl: NDArray[np.int8]
    """As in `Values`."""
    dtw: NDArray[np.int32]
    """As in `Values`."""


class SliceClasses(NamedTuple):
    """n positions of a slice with one side to move, one for each class of mirror
    images. Where pieces stand in the other images is not told: for that take
    `SliceValues`.
    """

    king: NDArray[np.uint16]
    """As in `SliceValues`."""
    defenders: NDArray[np.uint16]
    """As in `SliceValues`."""
    attackers: NDArray[np.uint16]
    """As in `SliceValues`."""
    images: NDArray[np.uint8]
    """How many positions each stands for, itself included: weights for totals."""
    wdl: NDArray[np.int8]
    """As in `Values`."""
    dtw: NDArray[np.int32]
    """As in `Values`."""


class _Record(Mapping[str, Any]):
    """A frozen dataclass that can be read like the JSON object it comes from."""

    def __getitem__(self, name: str) -> Any:
        if name not in iter(self):
            raise KeyError(name)
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        return (field.name for field in fields(self))  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(fields(self))  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class CacheStatistics(_Record):
    """The use of the cache of decoded blocks. `statistics["hits"]` is `statistics.hits`."""

    hits: int
    """Blocks that were found in the cache."""
    misses: int
    """Blocks that had to be read."""
    bytes: int
    """The memory in use."""
    limit_bytes: int
    """The most memory that it may take."""


@dataclass(frozen=True, eq=False)
class Bar(_Record):
    """A bar of a histogram: the placements of one value."""

    category: Category
    """The outcome for the side to move."""
    dtw: Optional[int]
    """Plies to the end of the game; `None` for a draw, and for WDL tables."""
    positions: int
    """The number of placements, mirror images counted separately."""


@dataclass(frozen=True, eq=False)
class SideStats(_Record):
    """Statistics of a slice with one side to move, with the names of
    `taflbase stats --json`. All counts are over placements, mirror images counted
    separately. `stats["win"]` is `stats.win`."""

    rules: str
    """The name of the ruleset."""
    slice: str
    """The slice, as `K1v2`."""
    defenders: int
    """Defending soldiers."""
    attackers: int
    """Attacking soldiers."""
    to_move: Side
    """The side to move."""
    positions: int
    """All placements."""
    win: int
    """Those that the side to move wins."""
    loss: int
    """Those that it loses."""
    draw: int
    """Drawn ones."""
    undecided: int
    """Undecided ones, under rules without draws."""
    max_win: Optional[int]
    """The longest win in plies; 0 if there is none, `None` for WDL tables."""
    max_loss: Optional[int]
    """The longest loss, likewise."""
    longest_win: Optional[str]
    """The first position in index order with the longest win."""
    longest_loss: Optional[str]
    """The first position in index order with the longest loss."""
    mutual_zugzwangs: Optional[int]
    """Placements in which each side does worse if it is to move; the same number for both
    sides. `None` where undecided positions leave it open."""
    histogram: list[Bar]
    """The placements of each value: wins, the quickest first, then draws, then losses, the
    quickest first."""


class SideCounts(NamedTuple):
    """Counts of a slice with one side to move, over all placements, as a manifest and a
    build report have them."""

    to_move: Side
    """The side to move."""
    positions: int
    """All placements."""
    win: int
    """Those that the side to move wins."""
    loss: int
    """Those that it loses."""
    draw: int
    """Drawn ones."""
    undecided: int
    """Undecided ones, under rules without draws."""
    max_win: Optional[int]
    """The longest win in plies; 0 if there is none, `None` for WDL tables."""
    max_loss: Optional[int]
    """The longest loss, likewise."""


class TableFile(NamedTuple):
    """A table of a manifest."""

    metric: Metric
    """What it holds."""
    bytes: int
    """The size of the file."""
    blake3: str
    """The checksum of the file, in hexadecimal."""
    values: str
    """The hash of the values, which does not depend on how they are compressed."""


class ManifestSlice(NamedTuple):
    """A slice of a manifest."""

    slice: str
    """The slice, as `K1v2`."""
    sides: list[SideCounts]
    """The counts with the attackers to move, and with the defenders to move."""
    files: list[TableFile]
    """The tables, WDL before DTW."""


class Manifest(NamedTuple):
    """What the tables of a ruleset are, to compare tables by. As text it is the file
    that `taflbase manifest` writes."""

    rules: str
    """The name of the ruleset."""
    fingerprint: str
    """The fingerprint of the ruleset, for which the tables hold."""
    slices: list[ManifestSlice]
    """The slices, smallest first."""

    def __str__(self) -> str:
        def text(value: Any) -> str:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

        def line(entry: ManifestSlice) -> str:
            sides = [side._asdict() for side in entry.sides]
            files = [file._asdict() for file in entry.files]
            return "    " + text({"slice": entry.slice, "sides": sides, "files": files})

        head = f'  "rules": {text(self.rules)},\n  "fingerprint": {text(self.fingerprint)},\n'
        slices = ",\n".join(line(entry) for entry in self.slices) + "\n" * bool(self.slices)
        return f'{{\n{head}  "slices": [\n{slices}  ]\n}}\n'


class Progress(NamedTuple):
    """How far a build or a verification is."""

    slice: str
    """The slice that is worked on."""
    phase: Phase
    """The step of the work on it."""
    winner: Optional[Side]
    """The side that wins in the positions that are being solved, in the phases `TABLES`
    and `PLY`."""
    ply: Optional[int]
    """Their distance, in the phase `PLY`."""
    done: int
    """Rows of this phase that are done."""
    total: int
    """Rows that this phase goes through; 0 if it does not count any."""


class BuiltSlice(NamedTuple):
    """A slice of a finished build."""

    slice: str
    """The slice, as `K1v2`."""
    built: bool
    """Whether it was built now; otherwise its tables were there."""
    sides: list[SideCounts]
    """The counts with the attackers to move, and with the defenders to move."""
    files: dict[Metric, int]
    """The sizes of its tables, in bytes."""
    time: float
    """The seconds that it took."""


class Verification(NamedTuple):
    """The result of verifying a slice."""

    slice: str
    """The slice, as `K1v2`."""
    verdict: Verdict
    """The result in a word."""
    positions: int
    """The stored positions that were recomputed, with either side to move; 0 if something
    is wrong."""
    blocks: Optional[int]
    """The blocks of a sample; a block has the positions of one set of attackers."""
    findings: int
    """The number of wrong values, counts and hashes."""
    messages: list[str]
    """The first few of them, in words."""


class Clock(NamedTuple):
    """The clock of a game, in seconds; a side without a clock has `None`."""

    attackers: Optional[float] = None
    """The time that the attackers have left."""
    defenders: Optional[float] = None
    """The time that the defenders have left."""
    attackers_increment: float = 0.0
    """What each of their moves adds to the attackers' time."""
    defenders_increment: float = 0.0
    """What each of their moves adds to the defenders' time."""


class Outcome(NamedTuple):
    """How a game has ended."""

    winner: Optional[Side]
    """The winner; `None` for a draw."""
    reason: Reason
    """Why the game is over."""


class Score(NamedTuple):
    """What a position is worth to the side to move, as far as a search can tell.

    As text it is what `taflbase analyse` tells: `win in 5`, `table loss`, `+0.35`.
    """

    category: Optional[Category]
    """`WIN` or `LOSS`, for certain; `None` for an estimate."""
    plies: Optional[int]
    """The game takes so many plies at most; `None` for an estimate, and for a win or loss
    that tables without distances tell."""
    estimate: Optional[int]
    """Hundredths of a soldier, a draw is 0; `None` for a win or a loss."""

    def points(self, win: int = 100_000) -> int:
        """The score as one number, more for what is better: the estimate; `win` less the
        plies for a win, and 1000 less than `win` if they are not known; for a loss the
        same below 0."""
        if self.estimate is not None:
            return self.estimate
        points = win - (1000 if self.plies is None else self.plies)
        return points if self.category == "win" else -points

    def __str__(self) -> str:
        if self.estimate is not None:
            return f"{self.estimate / 100:+.2f}"
        if self.plies is None:
            return f"table {self.category}"
        return f"{self.category} in {self.plies}"


class Line(NamedTuple):
    """A line of play that a search expects."""

    score: Score
    """What it leads to, for the side to move in the position that was searched."""
    moves: list[Move]
    """The moves, at least one."""
    depth: int
    """The plies of the search that the score is from: less than the iteration's for moves
    that an unfinished iteration did not get to."""


class Iteration(NamedTuple):
    """What a search knows after an iteration."""

    depth: int
    """The plies that were searched."""
    complete: bool
    """Whether all moves were searched to this depth: a limit or a stop may have come in
    between."""
    selective_depth: int
    """The plies of the longest line that was looked at."""
    lines: list[Line]
    """As many best lines as the engine was to search, best first: fewer if there are
    fewer moves, or fewer that keep what the tables promise."""
    nodes: int
    """Positions looked at so far, by all threads."""
    table_hits: int
    """Those of them whose value the tables told."""
    time: float
    """Seconds since the search began."""

    @property
    def score(self) -> Score:
        """The score of the best line."""
        return self.lines[0].score

    @property
    def best_move(self) -> str:
        """The first move of the best line."""
        return self.lines[0].moves[0].move

    @property
    def nodes_per_second(self) -> int:
        """Positions a second."""
        return int(self.nodes / max(self.time, 1e-9))


def in_words(probe: Probe) -> str:
    """The value as `taflbase probe` tells it."""
    if probe.dtw is None:
        return probe.category
    return f"{probe.category} in {probe.dtw} {'ply' if probe.dtw == 1 else 'plies'}"


def plain(plies: Optional[int]) -> str:
    return "" if plies is None else str(plies)


def html_row(cell: str, texts: Iterable[str]) -> str:
    """A row of a table. No text here has a character that HTML takes for its own."""
    return "<tr>" + "".join(f"<{cell}>{text}</{cell}>" for text in texts) + "</tr>"


def side_stats(report: str) -> list[SideStats]:
    """The statistics in the JSON of `taflbase stats`."""

    def bar(fields: dict[str, Any]) -> Bar:
        return Bar(**{**fields, "category": Category(fields["category"])})

    def side(fields: dict[str, Any]) -> SideStats:
        histogram = [bar(each) for each in fields["histogram"]]
        return SideStats(
            **{**fields, "to_move": Side(fields["to_move"]), "histogram": histogram}
        )

    return [side(fields) for fields in json.loads(report)]


def side_counts(counts: list[dict[str, Any]]) -> list[SideCounts]:
    """The counts in JSON."""
    return [SideCounts(**{**side, "to_move": Side(side["to_move"])}) for side in counts]


def manifest(text: str) -> Manifest:
    """The manifest in the JSON of `taflbase manifest`."""

    def entry(fields: dict[str, Any]) -> ManifestSlice:
        files = [
            TableFile(**{**file, "metric": Metric(file["metric"])}) for file in fields["files"]
        ]
        return ManifestSlice(fields["slice"], side_counts(fields["sides"]), files)

    fields = json.loads(text)
    slices = [entry(each) for each in fields["slices"]]
    return Manifest(fields["rules"], fields["fingerprint"], slices)


def built_slice(
    slice: str, built: bool, counts: str, files: list[tuple[str, int]], time: float
) -> BuiltSlice:
    """A slice of a build, its counts in JSON."""
    sizes = {Metric(metric): size for metric, size in files}
    return BuiltSlice(slice, built, side_counts(json.loads(counts)), sizes, time)
