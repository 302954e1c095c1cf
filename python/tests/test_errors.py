"""Every error is an exception with a message of one line, and never ends the process."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest

import taflbase
from taflbase import Tablebase
from conftest import TABLES

HELD = "/7/7/4K2/7/7/2t4/7/ a"
"""A position of K0v1 that is not decided by the rules."""


@pytest.mark.parametrize(
    ("position", "message"),
    [
        ("", "rank"),
        ("/7/7/7/7/2K4/7/2t4/", "the side to move is missing"),
        ("/7/7/7/7/2K4/7/2t4/ x", '"x" is not a side to move'),
        ("/7/7/7/7/7/7/2t4/ a", "there is no king"),
        ("K6/7/7/7/7/7/2t4/ a", "the king on a1 has won"),
        ("/7/7/7/3t3/2K4/7/7/ a", "an attacker cannot stand on d4"),
        ("/7/7/7/7/2K4/7/7/ d", "no attackers are left"),
        ("/9/7/7/7/2K4/7/7/ d", "rank"),
    ],
)
def test_invalid_positions(brandubh: Tablebase, position: str, message: str) -> None:
    probes = [brandubh.probe, brandubh.probe_wdl, brandubh.probe_dtw]
    for probe in [*probes, brandubh.best_move, brandubh.line]:
        with pytest.raises(taflbase.PositionError, match=message) as raised:
            probe(position)
        assert "\n" not in str(raised.value)
    with pytest.raises(taflbase.PositionError, match="position 1: .*" + message):
        brandubh.probe_many([HELD, position])


def test_invalid_squares(brandubh: Tablebase) -> None:
    def probe(king: int, defenders: list[int], attackers: list[int]) -> None:
        brandubh.probe_squares([king], [defenders], [attackers], "attackers")

    for pieces, message in [
        ((400, [], [1]), "king: there is no square 400: a 7x7 board has 0 to 48"),
        ((65536 + 8, [], [1]), "king: there is no square 65544"),
        ((-1, [], [1]), "king: there is no square -1"),
        ((8, [], [49]), "attackers: there is no square 49"),
        ((8, [-1], [1]), "defenders: there is no square -1"),
        ((8, [], [1, 1]), "attackers: two pieces stand on b1"),
        ((8, [1], [1]), "two pieces stand on b1"),
        ((8, [8], [1]), "two pieces stand on b2"),
        ((0, [], [1]), "the game is over: the king on a1 has won"),
    ]:
        with pytest.raises(taflbase.PositionError, match="position 0: " + message):
            probe(*pieces)
        with pytest.raises(taflbase.PositionError, match="^" + message):
            brandubh.position(*pieces, "attackers")
    with pytest.raises(OverflowError, match="king: "):
        brandubh.position(2**70, [], [1], "attackers")


def test_arrays_of_another_shape_or_type(brandubh: Tablebase) -> None:
    for pieces, error, message in [
        (([8, 9], [[], []], [[1]]), ValueError, "2 kings, 2 rows of defenders and 1 rows of attack"),
        (([8, 9], [], [[1], [1]]), ValueError, "2 kings, 0 rows of defenders"),
        ((8, [[]], [[1]]), ValueError, "king: one square for each .* dimension 1, not 0"),
        (([8], [[]], [1]), ValueError, "attackers: one row of squares .* dimension 2, not 1"),
        (([8], [[]], [[1, 2], [3]]), ValueError, "attackers: "),
        (([8.0], [[]], [[1]]), TypeError, "king: squares are integers, not float64"),
        (([8], [[True]], [[1]]), TypeError, "defenders: squares are integers, not bool"),
        (([8], [[]], [["a1"]]), TypeError, "attackers: squares are integers, not <U2"),
        (([8], [[]], None), TypeError, "attackers: squares are integers, not object"),
    ]:
        with pytest.raises(error, match="^" + message):
            brandubh.probe_squares(*pieces, "attackers")
    for pieces, message in [
        (("c2", [], [1]), "king: "),
        ((8, 9, [1]), "defenders: 'int' object is not iterable"),
        ((8, [], ["a1"]), "attackers: "),
    ]:
        with pytest.raises(TypeError, match="^" + message):
            brandubh.position(*pieces, "attackers")


def test_invalid_words(brandubh: Tablebase) -> None:
    with pytest.raises(ValueError, match='^to_move must be "attackers" or "defenders", not "both"'):
        brandubh.slice_values("K0v1", "both")
    with pytest.raises(ValueError, match='^metric must be "wdl" or "dtw", not "dtm"'):
        brandubh.probe_many([], "dtm")
    with pytest.raises(ValueError, match='^access must be "mapped" or "scanned" or "read", not "fast"'):
        taflbase.open("brandubh", access="fast")
    with pytest.raises(taflbase.RulesetError, match='"chess" is neither a file nor a built-in'):
        taflbase.open("chess")
    for slice in ["", "K1", "KQvK", "K1v0", "K1v9999999999999999999999"]:
        with pytest.raises(taflbase.SliceError, match="is not a slice"):
            brandubh.stats(slice)


def test_missing_rows(brandubh: Tablebase) -> None:
    rows = brandubh.slice_rows("K0v1")
    for start, end in [(0, rows + 1), (3, 2), (2**64 - 1, 2**64 - 1)]:
        with pytest.raises(taflbase.SliceError, match=f"K0v1 has the rows 0 to {rows}"):
            brandubh.slice_values("K0v1", "attackers", rows=(start, end))


def test_missing_tables(brandubh: Tablebase) -> None:
    for ask in [brandubh.stats, brandubh.slice_rows]:
        with pytest.raises(taflbase.MissingTable) as raised:
            ask("K3v5")
        assert raised.value.slice == "K3v5"
        assert str(raised.value).startswith("there is no dtw table of K3v5; ")
    again = pickle.loads(pickle.dumps(raised.value))
    assert (str(again), again.slice, again.metric) == (str(raised.value), "K3v5", "dtw")
    with pytest.raises(taflbase.MissingTable, match="position 0: there is no dtw table of K0v6"):
        brandubh.probe_many(["/1ttttt1/7/7/2K4/7/7/4t2/ d"])


def test_missing_distances_are_reported_as_such() -> None:
    tables = taflbase.open("brandubh")
    position = "/7/4t2/2K4/7/7/1t3t1/2t1t2/ a"
    assert tables.probe_wdl(position) == tables.probe(position).category == "loss"
    for ask in [tables.probe_dtw, tables.best_move, tables.line]:
        message = r"^there is no dtw table of K0v5; .* at most 6 men \(distances: 5\)$"
        with pytest.raises(taflbase.MissingTable, match=message):
            ask(position)


def test_illegal_moves(brandubh: Tablebase) -> None:
    for move, message in [
        ("", '"" is not a move: write e5-e8'),
        ("c5-c7", "no piece stands on c5"),
        ("e3-e4", "e3"),
        ("c6-d7", "c6-d7 does not move along a file or rank"),
        ("c6-z9", "z9"),
        ("c6-c7xc5", "c6-c7"),
        ("c6-c7++", "c6-c7"),
    ]:
        with pytest.raises(taflbase.MoveError, match=message):
            brandubh.play(HELD, move)
    for ask in (brandubh.legal_moves, lambda position: brandubh.play(position, "c6-c7")):
        with pytest.raises(taflbase.PositionError, match="there is no king"):
            ask("/7/7/7/7/7/7/2t4/ a")


def test_missing_folders(tmp_path: Path) -> None:
    with pytest.raises(taflbase.FolderError, match="there is no such table folder"):
        taflbase.open("brandubh", tmp_path / "tables")
    with pytest.raises(taflbase.FolderError, match="expected in a folder named brandubh"):
        taflbase.open("brandubh", TABLES / "brandubh")
    (tmp_path / "brandubh").write_text("no folder")
    with pytest.raises(taflbase.FolderError, match="cannot read the folder"):
        taflbase.open("brandubh", tmp_path)


@pytest.mark.parametrize("access", ["mapped", "scanned", "read"])
def test_damaged_tables(tmp_path: Path, access: str) -> None:
    folder = tmp_path / "brandubh"
    folder.mkdir()
    sound = (TABLES / "brandubh" / "K0v3.dtw").read_bytes()
    position = "/7/7/4K2/7/7/2t4/1tt4/ a"
    for number, damaged in enumerate(
        [b"", b"nonsense" * 100, sound[:-1], sound[: len(sound) // 2], flipped(sound)]
    ):
        (folder / "K0v3.dtw").write_bytes(damaged)
        tables = taflbase.open("brandubh", tmp_path, access=access)
        asks = [lambda: tables.stats("K0v3"), lambda: tables.slice_values("K0v3", "attackers")]
        if number < 4:
            asks.append(lambda: tables.probe(position))
        for ask in asks:
            with pytest.raises(taflbase.DamagedTable, match="K0v3.dtw") as raised:
                ask()
            assert "\n" not in str(raised.value)


def flipped(sound: bytes) -> bytes:
    """The table with a byte of its first block changed."""
    return sound[:200] + bytes([sound[200] ^ 1]) + sound[201:]


def test_a_search_warns_of_what_it_cannot_read(tmp_path: Path) -> None:
    folder = tmp_path / "brandubh"
    folder.mkdir()
    sound = (TABLES / "brandubh" / "K0v3.dtw").read_bytes()
    (folder / "K0v3.dtw").write_bytes(flipped(sound))
    engine = taflbase.Engine("brandubh", tables=tmp_path)
    position = "/7/7/4K2/7/7/2t4/1tt4/ a"
    with pytest.warns(RuntimeWarning, match="K0v3.dtw.*searches go on"):
        assert engine.analyse(position, depth=2).lines
    with pytest.warns(RuntimeWarning, match="K0v3.dtw"):
        assert list(engine.analysis(position, depth=2))


def test_tables_in_the_wrong_place(tmp_path: Path) -> None:
    folder = tmp_path / "brandubh"
    folder.mkdir()
    shutil.copy(TABLES / "ashton" / "K0v1.dtw", folder)
    shutil.copy(TABLES / "brandubh" / "K0v2.dtw", folder / "K1v1.dtw")
    tables = taflbase.open("brandubh", tmp_path)
    with pytest.raises(taflbase.WrongTable, match="another ruleset"):
        tables.probe(HELD)
    with pytest.raises(taflbase.WrongTable, match="another slice"):
        tables.stats("K1v1")


def test_all_errors_derive_from_the_packages_own() -> None:
    for name in taflbase.__all__:
        item = getattr(taflbase, name)
        if isinstance(item, type) and issubclass(item, Exception):
            assert issubclass(item, taflbase.TaflbaseError)
