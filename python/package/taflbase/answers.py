"""The results of `Tablebase`, `Game` and `Engine`, and the reports of builds and
verifications.

`category` is from the point of view of the side to move in the probed position. `dtw` is the
distance to the end of the game in plies.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from ._native import Board, __version__
from .enums import Category, Metric, Phase, Reason, Side, Verdict

if TYPE_CHECKING:
    from typing_extensions import disjoint_base
else:

    def disjoint_base(class_):
        return class_


class Value(NamedTuple):
    """The value of a position."""

    category: Category
    """The outcome for the side to move."""
    dtw: Optional[int]
    """Plies to the end of the game; `None` for a draw."""


class Move(NamedTuple):
    """A legal move."""

    move: str
    """The move, as in `e5-e8xe9`, with the captured squares after `x`. `++` marks the
    king's capture and `--` his escape; both end the game."""
    after: str
    """The position after the move, with the other side to move. A captured king stays on
    the board."""


class MoveProbe(NamedTuple):
    """The value of a move."""

    move: str
    """The move, as in `Move`."""
    category: Category
    """The outcome for the side that plays it; `unknown` if the table of the slice that it
    leads to is missing."""
    dtw: Optional[int]
    """Plies to the end of the game after the move; `None` for a draw, if it is unknown,
    and where there are only WDL tables."""
    conversion: bool
    """Whether it captures soldiers and does not end the game."""
    after: str
    """The position after the move, as in `Move`."""


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
    """The board, for display."""

    def _repr_html_(self) -> str:
        """Returns the board, the value below it, and a table of the moves, best first."""
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
    """A position found by `Tablebase.find`: one of each class of mirror images."""

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
    """The number of distinct mirror images, the position itself included."""
    other_category: Optional[Category]
    """For a mutual zugzwang, the outcome for the other side if it were to move."""
    other_dtw: Optional[int]
    """The distance that belongs to `other_category`, in plies."""


class Values(NamedTuple):
    """The values of n positions."""

    wdl: NDArray[np.int8]
    """`WIN` (1), `DRAW` (0; undecided or endless under rules without draws) or `LOSS` (-1) for the
    side to move. With `errors="mark"` also `UNKNOWN` (-128) if there is no table, and
    `INVALID` (-127) if it is not a position of a game in progress."""
    dtw: NDArray[np.int32]
    """Plies to the end of the game; -1 for a draw, for a marked position, and where the
    tables that were read have no distances."""


class SliceSource(NamedTuple):
    """What the values of a slice are of: a citation of them."""

    rules: str
    """The name of the ruleset."""
    fingerprint: str
    """Its fingerprint."""
    slice: str
    """The slice, as `K1v2`."""
    to_move: Side
    """The side to move."""


class _SliceColumns:
    """Arrays with one row for each position, as columns."""

    source: Optional[SliceSource] = None
    """What the values are of; `None` if the arrays were not made by a tablebase."""

    def columns(self) -> dict[str, NDArray[Any]]:
        """Returns the columns by name: `king`, `defender1` ..., `attacker1` ..., `wdl`, `dtw`, and
        of classes `images`. They share the memory of the arrays. `pandas.DataFrame` and
        `polars.DataFrame` take them."""
        columns: dict[str, NDArray[Any]] = {}
        for name, array in self._asdict().items():  # type: ignore[attr-defined]
            if array.ndim == 1:
                columns[name] = array
            else:
                squares = enumerate(array.T, start=1)
                columns |= {f"{name[:-1]}{number}": column for number, column in squares}
        return columns

    def to_arrow(self) -> Any:
        """Returns the columns as a `pyarrow.Table` without copying them. Only `dtw` is copied, if it
        is -1 somewhere: there the table has no value. The metadata name the rules, the
        fingerprint, the slice, the side to move, and the version of this package. Needs
        pyarrow: `pip install "taflbase[arrow]"`."""
        pyarrow = _import_pyarrow()
        arrays = {name: pyarrow.array(column) for name, column in self.columns().items()}
        dtw: NDArray[np.int32] = self.dtw  # type: ignore[attr-defined]
        if (missing := dtw < 0).any():
            arrays["dtw"] = pyarrow.array(dtw, mask=missing)
        named = self.source._asdict() if self.source else {}
        metadata = {f"taflbase.{name}": str(value) for name, value in named.items()}
        metadata["taflbase.version"] = __version__
        return pyarrow.table(arrays, metadata=metadata)


def _import_pyarrow() -> Any:
    try:
        return importlib.import_module("pyarrow")
    except ImportError as error:
        message = "to_arrow needs pyarrow: pip install pyarrow"
        raise ImportError(message) from error


class _SliceValues(NamedTuple):
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


@disjoint_base
class SliceValues(_SliceColumns, _SliceValues):
    """The n positions of a slice with one side to move. Mirror images are separate
    positions.

    Squares are numbered `rank * size + file` from a1, which is 0.
    """


class _SliceClasses(NamedTuple):
    king: NDArray[np.uint16]
    """As in `SliceValues`."""
    defenders: NDArray[np.uint16]
    """As in `SliceValues`."""
    attackers: NDArray[np.uint16]
    """As in `SliceValues`."""
    images: NDArray[np.uint8]
    """The number of positions that each represents, itself included: weights for totals."""
    wdl: NDArray[np.int8]
    """As in `Values`."""
    dtw: NDArray[np.int32]
    """As in `Values`."""


@disjoint_base
class SliceClasses(_SliceColumns, _SliceClasses):
    """n positions of a slice with one side to move, one for each class of mirror images.
    For the squares of pieces in all images use `SliceValues`.
    """


class _Record(Mapping[str, Any]):
    """A frozen dataclass that is also a mapping, like the JSON object that it comes from."""

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
    """Statistics of the cache of decoded blocks. `statistics["hits"]` is `statistics.hits`."""

    hits: int
    """Blocks found in the cache."""
    misses: int
    """Blocks read from tables."""
    bytes: int
    """The memory in use."""
    limit_bytes: int
    """The maximum memory."""


@dataclass(frozen=True, eq=False)
class Bar(_Record):
    """A bar of a histogram: the placements with one value."""

    category: Category
    """The outcome for the side to move."""
    dtw: Optional[int]
    """Plies to the end of the game; `None` for a draw, and for WDL tables."""
    positions: int
    """The number of placements, mirror images counted separately."""


@dataclass(frozen=True, eq=False)
class SideStats(_Record):
    """Statistics of a slice with one side to move, named as in `taflbase stats --json`.
    All counts are over placements; mirror images count separately. `stats["win"]` is
    `stats.win`."""

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
    sides. `None` if it depends on undecided positions."""
    histogram: list[Bar]
    """The placements with each value: wins, then draws, then losses, both wins and losses
    in ascending order of distance."""
    endless: int = 0
    """Those that the attackers win by endless play, under rules that say so."""


class SideCounts(NamedTuple):
    """Counts of a slice with one side to move, over all placements, in manifests and build
    reports."""

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
    endless: int = 0
    """Those that the attackers win by endless play, under rules that say so."""


class TableFile(NamedTuple):
    """A table of a manifest."""

    metric: Metric
    """Its contents."""
    bytes: int
    """The size of the file."""
    blake3: str
    """The checksum of the file, in hexadecimal."""
    values: str
    """The hash of the values, which does not depend on their compression."""


class LongestWin(NamedTuple):
    """The longest win of a side in a slice of a manifest."""

    winner: Side
    """The side that wins."""
    to_move: Side
    """The side to move."""
    plies: int
    """Plies to the end of the game."""
    position: Optional[str]
    """A position with that distance, the first in index order if it was counted from a table;
    `None` if unknown."""


class Listing(NamedTuple):
    """The program that listed the files of a slice, and when. Files do not record the program
    that built them."""

    version: str
    """The version of the program."""
    commit: Optional[str]
    """The commit of its source; `None` if unknown."""
    date: str
    """The day, in UTC: `2026-11-26`."""


class ManifestSlice(NamedTuple):
    """A slice of a manifest."""

    slice: str
    """The slice, as `K1v2`."""
    sides: list[SideCounts]
    """The counts with the attackers to move, and with the defenders to move."""
    files: list[TableFile]
    """The tables, WDL before DTW."""
    longest: list[LongestWin] = []
    """The longest win of each side that wins at all, with its position; empty if unknown."""
    listed: Optional[Listing] = None
    """Who listed the files; `None` if unknown."""


class Manifest(NamedTuple):
    """A description of the tables of a ruleset, for comparing tables. `str` gives the file
    that `taflbase manifest` writes."""

    rules: str
    """The name of the ruleset."""
    fingerprint: str
    """The fingerprint of the ruleset that the tables belong to."""
    slices: list[ManifestSlice]
    """The slices, smallest first."""
    license: Optional[str] = None
    """The licence of the manifest and of the tables, as an SPDX identifier; `None` if it is
    not named."""

    def __str__(self) -> str:
        def text(value: Any) -> str:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

        def known(fields: dict[str, Any]) -> dict[str, Any]:
            return {name: value for name, value in fields.items() if value not in (None, [])}

        def counted(side: SideCounts) -> dict[str, Any]:
            # As the program writes it: after "undecided", if there are any.
            fields = {}
            for name, value in side._asdict().items():
                if name != "endless":
                    fields[name] = value
                if name == "undecided" and side.endless:
                    fields["endless"] = side.endless
            return fields

        def line(entry: ManifestSlice) -> str:
            fields = {
                "slice": entry.slice,
                "sides": [counted(side) for side in entry.sides],
                "longest": [known(win._asdict()) for win in entry.longest],
                "files": [file._asdict() for file in entry.files],
                "listed": known(entry.listed._asdict()) if entry.listed else None,
            }
            return "    " + text(known(fields))

        fields = {"rules": self.rules, "fingerprint": self.fingerprint, "license": self.license}
        head = "".join(f"  {text(key)}: {text(value)},\n" for key, value in known(fields).items())
        slices = ",\n".join(line(entry) for entry in self.slices) + "\n" * bool(self.slices)
        return f'{{\n{head}  "slices": [\n{slices}  ]\n}}\n'


class Progress(NamedTuple):
    """The progress of a build or a verification."""

    slice: str
    """The current slice."""
    phase: Phase
    """The current phase."""
    winner: Optional[Side]
    """In the phases `TABLES` and `PLY`, the winner of the positions that are being
    solved."""
    ply: Optional[int]
    """In the phase `PLY`, their distance."""
    done: int
    """The number of rows done in this phase."""
    total: int
    """The number of rows in this phase; 0 if it has none."""


class BuiltSlice(NamedTuple):
    """A slice of a finished build."""

    slice: str
    """The slice, as `K1v2`."""
    built: bool
    """Whether it was built now; otherwise its tables already existed."""
    sides: list[SideCounts]
    """The counts with the attackers to move, and with the defenders to move."""
    files: dict[Metric, int]
    """The sizes of its tables, in bytes."""
    time: float
    """The time that it took, in seconds."""


class Verification(NamedTuple):
    """The result of verifying a slice."""

    slice: str
    """The slice, as `K1v2`."""
    verdict: Verdict
    """The verdict."""
    positions: int
    """The number of stored positions that were recomputed, with either side to move; 0 if
    there are errors."""
    blocks: Optional[int]
    """The number of blocks in a sample; a block has the positions of one set of attackers."""
    findings: int
    """The number of wrong values, counts and hashes."""
    messages: list[str]
    """Descriptions of the first few."""


class Clock(NamedTuple):
    """The clock of a game, in seconds; `None` for a side without one."""

    attackers: Optional[float] = None
    """The attackers' remaining time."""
    defenders: Optional[float] = None
    """The defenders' remaining time."""
    attackers_increment: float = 0.0
    """The attackers' increment per move."""
    defenders_increment: float = 0.0
    """The defenders' increment per move."""


class Outcome(NamedTuple):
    """The result of a game."""

    winner: Optional[Side]
    """The winner; `None` for a draw."""
    reason: Reason
    """The reason for the end."""


class Score(NamedTuple):
    """The score of a position for the side to move, by a search.

    `str` gives the text that `taflbase analyse` prints: `win in 5`, `table loss`, `+0.35`.
    """

    category: Optional[Category]
    """`WIN` or `LOSS` if it is proved; `None` for an estimate."""
    plies: Optional[int]
    """The maximum number of plies to the end of the game; `None` for an estimate, and for
    a win or loss from tables without distances."""
    estimate: Optional[int]
    """The estimate in hundredths of a soldier; a draw is 0. `None` for a win or a loss."""

    def points(self, win: int = 100_000) -> int:
        """Returns the score as one number, higher for better scores: the estimate; `win`
        minus the plies for a win, or `win` minus 1000 if the plies are unknown; for a loss
        the negative of that."""
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
    """A line of play found by a search."""

    score: Score
    """The score of the line, for the side to move in the searched position."""
    moves: list[Move]
    """The moves, at least one."""
    depth: int
    """The depth at which the score was found, in plies: less than the iteration's for
    moves that an unfinished iteration did not reach."""


class Iteration(NamedTuple):
    """The result of an iteration of a search."""

    depth: int
    """The depth in plies."""
    complete: bool
    """Whether all moves were searched to this depth; not so if a limit or a stop ended the
    iteration."""
    selective_depth: int
    """The length of the longest line searched, in plies."""
    lines: list[Line]
    """The best lines, best first, as many as the engine has `lines`; fewer if there are
    fewer moves, or fewer that keep the value of the tables."""
    nodes: int
    """The number of positions searched so far, by all threads."""
    table_hits: int
    """The number of these that were found in the tables."""
    time: float
    """The time since the start of the search, in seconds."""

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
        """The number of positions searched per second."""
        return int(self.nodes / max(self.time, 1e-9))


def slice_values(
    arrays: tuple[NDArray[Any], ...], source: tuple[str, str, str, str]
) -> SliceValues:
    """Makes the positions of a slice from arrays and what they are of."""
    values = SliceValues(*arrays)
    values.source = slice_source(source)
    return values


def slice_classes(
    arrays: tuple[NDArray[Any], ...], source: tuple[str, str, str, str]
) -> SliceClasses:
    """Makes the classes of a slice from arrays and what they are of."""
    classes = SliceClasses(*arrays)
    classes.source = slice_source(source)
    return classes


def slice_source(source: tuple[str, str, str, str]) -> SliceSource:
    rules, fingerprint, slice, to_move = source
    return SliceSource(rules, fingerprint, slice, Side(to_move))


def in_words(probe: Probe) -> str:
    """Returns the value in the words of `taflbase probe`."""
    if probe.dtw is None:
        return probe.category
    return f"{probe.category} in {probe.dtw} {'ply' if probe.dtw == 1 else 'plies'}"


def plain(plies: Optional[int]) -> str:
    return "" if plies is None else str(plies)


def html_row(cell: str, texts: Iterable[str]) -> str:
    """Returns a row of a table. None of the texts needs escaping in HTML."""
    return "<tr>" + "".join(f"<{cell}>{text}</{cell}>" for text in texts) + "</tr>"


def side_stats(report: str) -> list[SideStats]:
    """Parses the JSON of `taflbase stats`."""

    def bar(fields: dict[str, Any]) -> Bar:
        return Bar(**{**fields, "category": Category(fields["category"])})

    def side(fields: dict[str, Any]) -> SideStats:
        histogram = [bar(each) for each in fields["histogram"]]
        return SideStats(
            **{**fields, "to_move": Side(fields["to_move"]), "histogram": histogram}
        )

    return [side(fields) for fields in json.loads(report)]


def side_counts(counts: list[dict[str, Any]]) -> list[SideCounts]:
    """Converts counts parsed from JSON."""
    return [SideCounts(**{**side, "to_move": Side(side["to_move"])}) for side in counts]


def manifest(text: str) -> Manifest:
    """Parses the JSON of `taflbase manifest`."""

    def longest(fields: dict[str, Any]) -> LongestWin:
        sides = {name: Side(fields[name]) for name in ("winner", "to_move")}
        return LongestWin(**sides, plies=fields["plies"], position=fields.get("position"))

    def listing(fields: Optional[dict[str, Any]]) -> Optional[Listing]:
        if fields is None:
            return None
        return Listing(fields["version"], fields.get("commit"), fields["date"])

    def entry(fields: dict[str, Any]) -> ManifestSlice:
        files = [
            TableFile(**{**file, "metric": Metric(file["metric"])}) for file in fields["files"]
        ]
        wins = [longest(win) for win in fields.get("longest", [])]
        sides, listed = side_counts(fields["sides"]), listing(fields.get("listed"))
        return ManifestSlice(fields["slice"], sides, files, wins, listed)

    fields = json.loads(text)
    slices = [entry(each) for each in fields["slices"]]
    return Manifest(fields["rules"], fields["fingerprint"], slices, fields.get("license"))


def built_slice(
    slice: str, built: bool, counts: str, files: list[tuple[str, int]], time: float
) -> BuiltSlice:
    """Makes the report of a slice of a build, with counts in JSON."""
    sizes = {Metric(metric): size for metric, size in files}
    return BuiltSlice(slice, built, side_counts(json.loads(counts)), sizes, time)
