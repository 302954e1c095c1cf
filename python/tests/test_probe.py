"""Single positions."""

from __future__ import annotations

import json
import pickle
import shutil
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import taflbase
from taflbase import Category, Metric, Move, MoveProbe, Side, Tablebase, Value
from conftest import ROOT, SOLVED, TABLES

WON = "/7/4t2/7/7/2K4/7/2t4/ d"


def test_a_position_has_a_value_and_its_moves(brandubh: Tablebase) -> None:
    probe = brandubh.probe("7/4t2/7/7/2K4/7/2t4   d")
    assert probe[:4] == (WON, "defenders", "win", 3)
    assert probe.moves[0] == MoveProbe(
        "Kc5-c1", "win", 2, False, "/2K4/4t2/7/7/7/7/2t4/ a"
    )
    assert brandubh.probe_wdl(WON) == "win"
    assert brandubh.probe_dtw(WON) == Value("win", 3)
    assert brandubh.best_move(WON) == "Kc5-c1"
    assert brandubh.line(WON) == [
        Move("Kc5-c1", "/2K4/4t2/7/7/7/7/2t4/ a"),
        Move("e2-e1", "/2K1t2/7/7/7/7/7/2t4/ d"),
        Move("Kc1-a1--", "/K3t2/7/7/7/7/7/2t4/ a"),
    ]


def test_a_default_replaces_a_missing_table(brandubh: Tablebase) -> None:
    assert (brandubh.get_wdl(WON), brandubh.get_dtw(WON, 7)) == ("win", Value(Category.WIN, 3))
    without_distances, missing = "/7/4t2/2K4/7/7/1t3t1/2t1t2/ a", "/1ttttt1/7/7/2K4/7/7/4t2/ d"
    assert (brandubh.get_wdl(without_distances), brandubh.get_dtw(without_distances)) == (
        "loss",
        None,
    )
    assert (brandubh.get_wdl(missing), brandubh.get_wdl(missing, "?")) == (None, "?")
    assert brandubh.get_dtw(missing, default=0) == 0
    # Only a missing table has a default.
    with pytest.raises(taflbase.PositionError):
        brandubh.get_wdl("nonsense", None)


def test_a_closed_tablebase_cannot_be_used() -> None:
    with taflbase.open("brandubh") as tables:
        engine = taflbase.Engine("brandubh", tables=tables)
        assert tables.probe_wdl(WON) == "win"
    assert repr(tables) == "<taflbase.Tablebase brandubh: closed>"
    asks = [
        lambda: tables.probe(WON),
        lambda: tables.get_wdl(WON),
        lambda: tables.probe_many([WON], errors="mark"),
        lambda: tables.slices(),
        lambda: tables.max_men,
        lambda: tables.stats("K0v1"),
        lambda: tables.slice_values("K0v1", "attackers"),
        lambda: taflbase.Engine("brandubh", tables=tables),
    ]
    for ask in asks:
        with pytest.raises(taflbase.Closed, match="^the tablebase is closed: open it again$"):
            ask()
    tables.close()
    # The tables that an engine was given remain open in it.
    assert engine.analyse(WON, depth=1).score.plies == 3


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="there is no list of mapped files")
def test_files_are_closed(tmp_path: Path) -> None:
    shutil.copy(TABLES / "brandubh" / "K0v2.dtw", tmp_path)
    tables = taflbase.open("brandubh", directories=[tmp_path])
    tables.probe(WON)
    maps = Path("/proc/self/maps")
    assert str(tmp_path) in maps.read_text()
    tables.close()
    assert str(tmp_path) not in maps.read_text()


def test_words_are_enumerations_and_strings(brandubh: Tablebase) -> None:
    probe = brandubh.probe(WON)
    assert probe.category is Category.WIN and probe.to_move is Side.DEFENDERS
    assert probe.moves[0].category is Category.WIN
    assert brandubh.probe_wdl(WON) is Category.WIN
    assert f"{probe.category} {probe.category:>5} {str(probe.to_move)}" == "win   win defenders"
    assert {"win": 1}[probe.category] == 1 and {Category.WIN: 1}["win"] == 1
    assert json.dumps([probe.category]) == '["win"]'
    assert Category("loss") is pickle.loads(pickle.dumps(Category.LOSS))
    by_word = brandubh.find("K1v1", value=Category.LOSS, to_move=Side.ATTACKERS, limit=3)
    assert by_word and by_word == brandubh.find("K1v1", value="loss", to_move="attackers", limit=3)
    assert brandubh.slices(Metric.DTW) == brandubh.slices("dtw")


def test_statistics_are_read_by_attribute_or_by_name(brandubh: Tablebase) -> None:
    attackers, defenders = brandubh.stats("K1v2")
    assert (attackers.to_move, defenders.to_move) == (Side.ATTACKERS, Side.DEFENDERS)
    assert attackers.win + attackers.loss + attackers.draw == attackers.positions
    for name in attackers:
        assert attackers[name] == getattr(attackers, name)
    assert dict(attackers)["max_loss"] == attackers.max_loss == 8
    assert sum(bar.positions for bar in attackers.histogram) == attackers.positions
    assert attackers.histogram[0]["category"] is Category.WIN
    with pytest.raises(KeyError, match="keys"):
        attackers["keys"]
    with pytest.raises(AttributeError):
        attackers.win = 3  # type: ignore[misc]
    assert attackers == brandubh.stats("K1v2")[0] != defenders


def test_the_licences_are_part_of_the_package() -> None:
    files = {file.name: file for file in metadata.files("taflbase") or []}
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        assert files[name].read_text() == (ROOT / name).read_text()


def test_a_side_without_a_move_has_lost(brandubh: Tablebase) -> None:
    probe = brandubh.probe("/7/7/7/7/2K4/7/7/ a")
    assert (probe.category, probe.dtw, probe.moves) == ("loss", 0, [])
    assert brandubh.best_move(probe.position) is None


def test_a_capture_converts(brandubh: Tablebase) -> None:
    moves = brandubh.probe("/7/7/4K2/7/1tT4/7/3t3/ a").moves
    captures = [move for move in moves if "x" in move.move]
    assert [move.move for move in captures] == ["d7-d5xc5"]
    assert all(move.conversion for move in captures)
    assert not any(move.conversion for move in moves if move not in captures)


def test_moves_are_played(brandubh: Tablebase) -> None:
    start = "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/ a"
    moves = brandubh.legal_moves(start)
    assert moves[0] == Move("d1-b1", "/1t5/3t3/3T3/ttTKTtt/3T3/3t3/3t3/ d")
    assert len(moves) == 40
    for move, after in moves:
        assert brandubh.play(start, move) == after


def test_a_board_is_a_picture(brandubh: Tablebase) -> None:
    board = brandubh.board(WON)
    assert repr(board) == f"<taflbase.Board Brandubh: {WON}>"
    assert str(board).splitlines()[2] == "  5  .  .  K  .  .  .  ."
    svg = ElementTree.fromstring(board._repr_svg_())
    assert svg.tag == "{http://www.w3.org/2000/svg}svg"
    with_move = brandubh.board(WON, "c5-c1")
    assert "a move from c5 to c1" in with_move.svg()
    assert "a move" not in board.svg()
    with pytest.raises(taflbase.MoveError):
        brandubh.board(WON, "c5-d4-e3")


def test_a_probe_is_shown_with_its_board_and_moves(brandubh: Tablebase) -> None:
    probe = brandubh.probe("/7/7/4K2/7/1tT4/7/3t3/ a")
    page = probe._repr_html_()
    assert page.startswith("<div>" + brandubh.board(probe.position).svg())
    _, verdict, table = ElementTree.fromstring(page)
    assert verdict.text == "attackers to move: loss in 4 plies"
    rows = [[cell.text or "" for cell in row] for row in table.iter("tr")]
    assert rows[0] == ["move", "value", "conversion", "plies after it"]
    for row, move in zip(rows[1:], probe.moves):
        plies = "" if move.dtw is None else str(move.dtw)
        assert row == [move.move, move.category, "yes" if move.conversion else "", plies]
    assert len(rows) == 1 + len(probe.moves)
    assert ["d7-d5xc5", "yes"] in [[row[0], row[2]] for row in rows]
    for position, words in [
        ("/2K1t2/7/7/7/7/7/2t4/ d", "defenders to move: win in 1 ply"),
        ("/1ttttt1/7/7/2K4/7/7/7/ d", "defenders to move: win"),
    ]:
        assert f"<p>{words}</p>" in brandubh.probe(position)._repr_html_()


def test_results_can_be_compared_and_pickled(brandubh: Tablebase) -> None:
    probe = brandubh.probe(WON)
    again = pickle.loads(pickle.dumps(probe))
    assert again == probe == brandubh.probe(WON)
    assert str(again.board) == str(brandubh.board(WON)) and again.board.svg() == probe.board.svg()
    assert hash(again.board) == hash(probe.board)
    assert probe.board != brandubh.board(WON, "c5-c1")


@pytest.mark.parametrize("side", ["attackers", "defenders"])
def test_all_functions_return_the_same_moves(brandubh: Tablebase, side: str) -> None:
    slice = brandubh.slice_values("K1v2", side)
    for row in np.random.default_rng(3).permutation(len(slice.king))[:100]:
        squares = slice.king[row], slice.defenders[row], slice.attackers[row]
        probe = brandubh.probe(brandubh.position(*squares, side))
        moves = brandubh.legal_moves(probe.position)
        assert sorted(moves) == sorted(Move(move.move, move.after) for move in probe.moves)
        for move in probe.moves:
            assert brandubh.play(probe.position, move.move) == move.after
            if move.category != "unknown" and move.move[-1] not in "+-" and not over(move.after):
                expected = {"win": "loss", "loss": "win", "draw": "draw"}[move.category]
                assert brandubh.probe_dtw(move.after) == Value(expected, move.dtw)


def over(position: str) -> bool:
    """Whether there are no attackers."""
    return "t" not in position


def test_captures_and_ends_are_played(brandubh: Tablebase) -> None:
    capture = "/7/7/4K2/7/1tT4/7/3t3/ a"
    assert brandubh.play(capture, "d7-d5") == "/7/7/4K2/7/1t1t3/7/7/ d"
    assert brandubh.play(capture, "d7-d5xc5") == brandubh.play(capture, "d7-d5")
    escape = "/2K1t2/7/7/7/7/7/2t4/ d"
    assert brandubh.play(escape, "Kc1-a1--") == "/K3t2/7/7/7/7/7/2t4/ a"


def test_a_captured_king_stays_on_the_board(brandubh: Tablebase) -> None:
    slice = brandubh.slice_values("K0v2", "attackers")
    row = (slice.dtw == 1).argmax()
    position = brandubh.position(slice.king[row], [], slice.attackers[row], "attackers")
    best = brandubh.best_move(position)
    assert best is not None and best.endswith("++")
    after = brandubh.play(position, best)
    assert brandubh.line(position) == [Move(best, after)]
    assert "K" in after and after.endswith(" d")


def test_a_draw_has_no_distance(brandubh: Tablebase) -> None:
    slice = brandubh.slice_values("K0v4", "attackers")
    row = (slice.wdl == taflbase.DRAW).argmax()
    position = brandubh.position(slice.king[row], [], slice.attackers[row], "attackers")
    assert brandubh.probe_dtw(position) == Value("draw", None)
    assert brandubh.probe(position).moves[0][1:4] == ("draw", None, False)
    assert brandubh.line(position) == []


def test_a_tablebase_describes_itself(brandubh: Tablebase) -> None:
    assert taflbase.__version__ == metadata.version("taflbase")
    assert (brandubh.rules, brandubh.size) == ("brandubh", 7)
    assert (brandubh.max_men, brandubh.max_men_dtw) == (6, 5)
    assert brandubh.slices()[:4] == ["K0v1", "K1v1", "K0v2", "K2v1"]
    assert len(brandubh.slices()) == 15
    assert brandubh.slices("dtw")[-1] == "K0v4"
    assert set(brandubh.slices("dtw") + brandubh.slices("wdl")) == set(brandubh.slices())
    reach = "at most 6 men (distances: 5)"
    assert repr(brandubh) == f"<taflbase.Tablebase brandubh: 15 slices, {reach}>"
    assert repr(taflbase.open("ashton")) == "<taflbase.Tablebase ashton: 6 slices, at most 4 men>"


def test_embedded_tables_can_be_excluded(tmp_path: Path) -> None:
    shutil.copy(TABLES / "brandubh" / "K0v2.dtw", tmp_path)
    tables = taflbase.open("brandubh", directories=[tmp_path], embedded=False)
    assert tables.slices() == ["K0v2"] and tables.get_wdl("/7/7/4K2/7/7/2t4/7/ a") is None
    assert taflbase.open("brandubh", embedded=False).slices() == []


@pytest.mark.parametrize("rules", SOLVED)
def test_every_solved_ruleset_has_embedded_tables(rules: str) -> None:
    tables = taflbase.open(rules)
    assert tables.max_men >= 3
    assert sum(side.positions for side in tables.stats("K0v1")) > 0


def test_the_cache_can_be_disabled_and_files_read() -> None:
    tables = taflbase.open("brandubh", cache_bytes=0, access="read")
    assert tables.probe_dtw(WON) == Value("win", 3)


def test_the_cache_has_statistics() -> None:
    tables = taflbase.open("brandubh", TABLES, cache_bytes=1 << 20)
    nothing = {"hits": 0, "misses": 0, "bytes": 0, "limit_bytes": 1 << 20}
    assert tables.cache_statistics() == nothing
    values = tables.slice_values("K1v3", "attackers", rows=(0, 100))
    for row in range(100):
        squares = values.king[row], values.defenders[row], values.attackers[row]
        tables.probe_wdl(tables.position(*squares, "attackers"))
    counted = tables.cache_statistics()
    assert counted["misses"] > 0 and counted["hits"] > 0
    assert 0 < counted["bytes"] <= counted["limit_bytes"]


def test_tables_come_from_several_folders(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder, slice in zip(folders, ["K1v4", "K0v5"]):
        folder.mkdir()
        shutil.copy(TABLES / "brandubh" / f"{slice}.wdl", folder)
    (folders[1] / "K1v4.wdl").write_bytes(b"damaged")
    tables = taflbase.open("brandubh", directories=folders)
    position = "/7/1t5/4K2/1tt1t2/7/2t4/7/ a"
    assert tables.probe_wdl(position) == taflbase.open("brandubh", TABLES).probe_wdl(position)
    with pytest.raises(taflbase.DamagedTable, match="two.*K1v4.wdl"):
        tables.probe_wdl("/7/2T4/4K2/1tt1t2/7/2t4/7/ a")
    with pytest.raises(taflbase.FolderError):
        taflbase.open("brandubh", directories=[tmp_path / "none"])
