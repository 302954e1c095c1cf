"""Endgame tablebases for tafl games: exact values of all positions with few pieces, and an
engine for the others.

>>> import taflbase
>>> tables = taflbase.open("brandubh")
>>> tables.probe_dtw("/7/4t2/7/7/2K4/7/2t4/ d")
Value(category=<Category.WIN: 'win'>, dtw=3)
>>> engine = taflbase.Engine("brandubh")
>>> game = taflbase.Game("brandubh", moves=["d1-c1"])
>>> best = engine.best_move(game, time=0.1)

Positions are strings in OpenTafl's notation: the board from rank 1 up, a space, and the
side to move. The classes of errors are in `taflbase.errors`.
"""

from ._native import (
    Analysis,
    Board,
    Engine,
    ExternalPlayer,
    Game,
    Tablebase,
    __version__,
    build,
    open,
    read_manifest,
    rulesets,
)
from .answers import (
    Bar,
    BuiltSlice,
    CacheStatistics,
    Clock,
    Found,
    Iteration,
    Line,
    Listing,
    LongestWin,
    Manifest,
    ManifestSlice,
    Move,
    MoveProbe,
    Outcome,
    Probe,
    Progress,
    Score,
    SideCounts,
    SideStats,
    SliceClasses,
    SliceSource,
    SliceValues,
    TableFile,
    Value,
    Values,
    Verification,
)
from .enums import Category, Metric, Phase, Reason, Side, Verdict
from .errors import (
    BuildError,
    Closed,
    DamagedTable,
    FolderError,
    GameOver,
    ManifestError,
    MissingTable,
    MoveError,
    PlayerError,
    PositionError,
    RulesetError,
    SearchError,
    SliceError,
    TaflbaseError,
    VerifyError,
    WeightsError,
    WrongTable,
)

WIN = 1
"""In arrays: the side to move wins."""
DRAW = 0
"""In arrays: a draw, or undecided or endless under rules without draws."""
LOSS = -1
"""In arrays: the side to move loses."""
UNKNOWN = -128
"""In arrays, with `errors="mark"`: there is no table."""
INVALID = -127
"""In arrays, with `errors="mark"`: not a position of a game in progress."""

__all__ = [
    "Analysis",
    "Bar",
    "Board",
    "BuildError",
    "BuiltSlice",
    "CacheStatistics",
    "Category",
    "Clock",
    "Closed",
    "DRAW",
    "DamagedTable",
    "Engine",
    "ExternalPlayer",
    "FolderError",
    "Found",
    "Game",
    "GameOver",
    "INVALID",
    "Iteration",
    "LOSS",
    "Line",
    "Listing",
    "LongestWin",
    "Manifest",
    "ManifestError",
    "ManifestSlice",
    "Metric",
    "MissingTable",
    "Move",
    "MoveError",
    "MoveProbe",
    "Outcome",
    "Phase",
    "PlayerError",
    "PositionError",
    "Probe",
    "Progress",
    "Reason",
    "RulesetError",
    "Score",
    "SearchError",
    "Side",
    "SideCounts",
    "SideStats",
    "SliceClasses",
    "SliceError",
    "SliceSource",
    "SliceValues",
    "TableFile",
    "Tablebase",
    "TaflbaseError",
    "UNKNOWN",
    "Value",
    "Values",
    "Verdict",
    "Verification",
    "VerifyError",
    "WIN",
    "WeightsError",
    "WrongTable",
    "__version__",
    "build",
    "open",
    "read_manifest",
    "rulesets",
]
