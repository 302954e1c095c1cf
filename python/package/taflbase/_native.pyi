from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, Literal, Optional, Union, final

from numpy.typing import ArrayLike

from .answers import Found, Move, Probe, SliceClasses, SliceValues, Value, Values

__all__ = ["Board", "Tablebase", "__version__", "open", "rulesets"]

__version__: str

_Side = Literal["attackers", "defenders"]
_Metric = Literal["dtw", "wdl"]
_Squares = Union[str, Sequence[str]]
_Path = Union[str, PathLike[str]]

def open(
    rules: _Path,
    tables: Optional[_Path] = None,
    *,
    directories: Sequence[_Path] = ...,
    cache_bytes: int = 67108864,
    access: Literal["mapped", "read"] = "mapped",
) -> Tablebase: ...
def rulesets() -> list[str]: ...
@final
class Board:
    def __new__(cls, title: str, text: str, svg: str) -> Board: ...
    def __getnewargs__(self) -> tuple[str, str, str]: ...
    def svg(self) -> str: ...
    def _repr_svg_(self) -> str: ...
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
    def cache_statistics(self) -> dict[str, int]: ...
    def slices(self, metric: Optional[_Metric] = None) -> list[str]: ...
    def probe(self, position: str) -> Probe: ...
    def probe_wdl(self, position: str) -> str: ...
    def probe_dtw(self, position: str) -> Value: ...
    def best_move(self, position: str) -> Optional[str]: ...
    def line(self, position: str) -> list[Move]: ...
    def legal_moves(self, position: str) -> list[Move]: ...
    def play(self, position: str, move: str) -> str: ...
    def board(self, position: str, move: Optional[str] = None) -> Board: ...
    def stats(self, slice: str) -> list[dict[str, Any]]: ...
    def find(
        self,
        slice: str,
        *,
        value: Optional[str] = None,
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
    def probe_many(self, positions: Sequence[str], metric: Optional[_Metric] = "dtw") -> Values: ...
    def probe_squares(
        self,
        king: ArrayLike,
        defenders: ArrayLike,
        attackers: ArrayLike,
        to_move: _Side,
        metric: Optional[_Metric] = "dtw",
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
