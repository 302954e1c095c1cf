from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, Literal, Optional, Union, final

import numpy as np
from numpy.typing import NDArray

from .answers import Probe, SliceValues, Value, Values

__all__ = ["Tablebase", "open", "rulesets"]

_Side = Literal["attackers", "defenders"]
_Metric = Literal["dtw", "wdl"]
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
class Tablebase:
    @property
    def rules(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def max_men(self) -> int: ...
    def cache_statistics(self) -> dict[str, int]: ...
    def slices(self) -> list[str]: ...
    def probe(self, position: str) -> Probe: ...
    def probe_wdl(self, position: str) -> str: ...
    def probe_dtw(self, position: str) -> Value: ...
    def best_move(self, position: str) -> Optional[str]: ...
    def line(self, position: str) -> list[str]: ...
    def stats(self, slice: str) -> list[dict[str, Any]]: ...
    def position(
        self, king: int, defenders: Iterable[int], attackers: Iterable[int], to_move: _Side
    ) -> str: ...
    def probe_many(self, positions: Sequence[str], metric: _Metric = "dtw") -> Values: ...
    def probe_squares(
        self,
        king: NDArray[np.uint16],
        defenders: NDArray[np.uint16],
        attackers: NDArray[np.uint16],
        to_move: _Side,
        metric: _Metric = "dtw",
    ) -> Values: ...
    def slice_rows(self, slice: str) -> int: ...
    def slice_values(
        self,
        slice: str,
        to_move: _Side,
        metric: _Metric = "dtw",
        rows: Optional[tuple[int, int]] = None,
    ) -> SliceValues: ...
