from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Callable, Literal, Optional, TypeVar, Union, final, overload

from numpy.typing import ArrayLike

from . import enums
from .answers import (
    BuiltSlice,
    CacheStatistics,
    Clock,
    Found,
    Iteration,
    Manifest,
    Move,
    Outcome,
    Probe,
    Progress,
    SideStats,
    SliceClasses,
    SliceValues,
    Value,
    Values,
    Verification,
)

__all__ = [
    "Analysis",
    "Board",
    "Engine",
    "ExternalPlayer",
    "Game",
    "Tablebase",
    "__version__",
    "build",
    "open",
    "read_manifest",
    "rulesets",
]

__version__: str

_Default = TypeVar("_Default")
_Side = Union[enums.Side, Literal["attackers", "defenders"]]
_Metric = Union[enums.Metric, Literal["dtw", "wdl"]]
_Category = Union[enums.Category, Literal["win", "draw", "loss", "undecided", "endless"]]
_OnError = Literal["raise", "mark"]
_Squares = Union[str, Sequence[str]]
_Path = Union[str, PathLike[str]]

def open(
    rules: _Path,
    tables: Optional[_Path] = None,
    *,
    directories: Optional[Sequence[_Path]] = None,
    cache_bytes: int = 67108864,
    access: Literal["mapped", "scanned", "read"] = "mapped",
    embedded: bool = True,
) -> Tablebase: ...
def rulesets() -> list[str]: ...
def build(
    rules: _Path,
    tables: _Path,
    *,
    men: Optional[int] = None,
    slices: Union[str, Sequence[str], None] = None,
    metric: _Metric = "dtw",
    force: bool = False,
    threads: int = 0,
    memory_bytes: Optional[int] = None,
    scratch: Optional[_Path] = None,
    level: Optional[int] = None,
    progress: Optional[Callable[[Progress], object]] = None,
) -> list[BuiltSlice]: ...
def read_manifest(rules: _Path, path: _Path) -> Manifest: ...
@final
class Board:
    def __new__(cls, title: str, text: str, svg: str) -> Board: ...
    def __getnewargs__(self) -> tuple[str, str, str]: ...
    def svg(self) -> str: ...
    def _repr_svg_(self) -> str: ...
@final
class Game:
    def __new__(
        cls,
        rules: _Path,
        position: Optional[str] = None,
        moves: Optional[Sequence[str]] = None,
    ) -> Game: ...
    def __getnewargs__(self) -> tuple[_Path, str, list[str]]: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def rules(self) -> str: ...
    @property
    def position(self) -> str: ...
    @property
    def to_move(self) -> enums.Side: ...
    @property
    def moves(self) -> list[str]: ...
    @property
    def positions(self) -> list[str]: ...
    @property
    def plies_left(self) -> Optional[int]: ...
    def legal_moves(self) -> list[Move]: ...
    def play(self, move: str) -> str: ...
    def undo(self) -> str: ...
    def outcome(self) -> Optional[Outcome]: ...
    def copy(self) -> Game: ...
    def board(self) -> Board: ...
    def _repr_svg_(self) -> str: ...
@final
class Engine:
    def __new__(
        cls,
        rules: _Path,
        *,
        tables: Union[Tablebase, _Path, Literal[False], None] = None,
        threads: int = 1,
        hash_mib: int = 64,
        lines: int = 1,
        weights: Optional[_Path] = None,
        contempt: int = 0,
    ) -> Engine: ...
    @property
    def rules(self) -> str: ...
    def analyse(
        self,
        game: Union[Game, str],
        *,
        depth: Optional[int] = None,
        nodes: Optional[int] = None,
        time: Optional[float] = None,
        clock: Optional[Clock] = None,
        root_moves: Optional[Sequence[str]] = None,
    ) -> Iteration: ...
    def best_move(
        self,
        game: Union[Game, str],
        *,
        depth: Optional[int] = None,
        nodes: Optional[int] = None,
        time: Optional[float] = None,
        clock: Optional[Clock] = None,
        root_moves: Optional[Sequence[str]] = None,
    ) -> str: ...
    def analysis(
        self,
        game: Union[Game, str],
        *,
        depth: Optional[int] = None,
        nodes: Optional[int] = None,
        time: Optional[float] = None,
        clock: Optional[Clock] = None,
        root_moves: Optional[Sequence[str]] = None,
    ) -> Analysis: ...
    def stop(self) -> None: ...
    def clear(self) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Engine: ...
    def __exit__(self, *_exception: object) -> None: ...
@final
class ExternalPlayer:
    def __new__(cls, rules: _Path, command: str) -> ExternalPlayer: ...
    @property
    def rules(self) -> str: ...
    @property
    def name(self) -> str: ...
    def best_move(
        self,
        game: Union[Game, str],
        *,
        time: Optional[float] = None,
        clock: Optional[Clock] = None,
    ) -> str: ...
    def close(self) -> None: ...
    def __enter__(self) -> ExternalPlayer: ...
    def __exit__(self, *_exception: object) -> None: ...
@final
class Analysis:
    def __iter__(self) -> Analysis: ...
    def __next__(self) -> Iteration: ...
    def __enter__(self) -> Analysis: ...
    def __exit__(self, *_exception: object) -> None: ...
    def wait(self) -> Iteration: ...
    def stop(self) -> None: ...
@final
class Tablebase:
    @property
    def rules(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def max_men(self) -> int: ...
    @property
    def max_men_dtw(self) -> int: ...
    def cache_statistics(self) -> CacheStatistics: ...
    def slices(self, metric: Optional[_Metric] = None) -> list[str]: ...
    def probe(self, position: str) -> Probe: ...
    def probe_wdl(self, position: str) -> enums.Category: ...
    def probe_dtw(self, position: str) -> Value: ...
    @overload
    def get_wdl(self, position: str, default: None = None) -> Optional[enums.Category]: ...
    @overload
    def get_wdl(self, position: str, default: _Default) -> Union[enums.Category, _Default]: ...
    @overload
    def get_dtw(self, position: str, default: None = None) -> Optional[Value]: ...
    @overload
    def get_dtw(self, position: str, default: _Default) -> Union[Value, _Default]: ...
    def best_move(self, position: str) -> Optional[str]: ...
    def line(self, position: str) -> list[Move]: ...
    def legal_moves(self, position: str) -> list[Move]: ...
    def play(self, position: str, move: str) -> str: ...
    def board(self, position: str, move: Optional[str] = None) -> Board: ...
    def stats(self, slice: str) -> list[SideStats]: ...
    def verify(
        self,
        slice: str,
        *,
        sample: Optional[float] = None,
        seed: int = 0,
        memory_bytes: Optional[int] = None,
        progress: Optional[Callable[[Progress], object]] = None,
    ) -> Verification: ...
    def manifest(
        self, slices: Optional[Sequence[str]] = None, *, longest: bool = False
    ) -> Manifest: ...
    def close(self) -> None: ...
    def __enter__(self) -> Tablebase: ...
    def __exit__(self, *_exception: object) -> None: ...
    def find(
        self,
        slice: str,
        *,
        value: Optional[_Category] = None,
        plies: Optional[Union[int, tuple[int, int]]] = None,
        to_move: Optional[_Side] = None,
        zugzwang: bool = False,
        king: Optional[_Squares] = None,
        attackers: Optional[_Squares] = None,
        defenders: Optional[_Squares] = None,
        empty: Optional[_Squares] = None,
        pattern: Optional[str] = None,
        longest: bool = False,
        random: Optional[int] = None,
        seed: int = 0,
        limit: Optional[int] = None,
    ) -> list[Found]: ...
    def position(
        self, king: int, defenders: Iterable[int], attackers: Iterable[int], to_move: _Side
    ) -> str: ...
    def probe_many(
        self,
        positions: Sequence[str],
        metric: Optional[_Metric] = "dtw",
        *,
        errors: _OnError = "raise",
    ) -> Values: ...
    def probe_squares(
        self,
        king: ArrayLike,
        defenders: ArrayLike,
        attackers: ArrayLike,
        to_move: _Side,
        metric: Optional[_Metric] = "dtw",
        *,
        errors: _OnError = "raise",
    ) -> Values: ...
    def slice_rows(self, slice: str) -> int: ...
    def slice_values(
        self,
        slice: str,
        to_move: _Side,
        metric: Optional[_Metric] = "dtw",
        rows: Optional[tuple[int, int]] = None,
    ) -> SliceValues: ...
    def slice_classes(
        self,
        slice: str,
        to_move: _Side,
        metric: Optional[_Metric] = "dtw",
        rows: Optional[tuple[int, int]] = None,
    ) -> SliceClasses: ...
