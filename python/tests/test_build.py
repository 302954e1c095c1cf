"""Tables are built, verified and listed."""

from __future__ import annotations

import datetime
import json
import shutil
import signal
from pathlib import Path
from types import FrameType
from typing import Optional

import pytest

import taflbase
from taflbase import BuiltSlice, ManifestSlice, Metric, Phase, Progress, Side, Verdict
from conftest import TABLES


def test_built_tables_have_the_published_values(tmp_path: Path) -> None:
    built = taflbase.build("brandubh", tmp_path, men=4)
    published = taflbase.read_manifest("brandubh", TABLES)
    expected = {entry.slice: entry for entry in published.slices}
    assert [one.slice for one in built] == ["K0v1", "K1v1", "K0v2", "K2v1", "K1v2", "K0v3"]
    for one in built:
        assert one.built and one.time > 0 and one.sides == expected[one.slice].sides
        for metric, size in one.files.items():
            file = tmp_path / "brandubh" / f"{one.slice}.{metric}"
            assert file.stat().st_size == size
        assert list(one.files) == [Metric.WDL, Metric.DTW]
    assert values(tmp_path) == {name: files(expected[name]) for name in names(built)}
    again = taflbase.build("brandubh", tmp_path, slices=["K1v2", "K0v3"])
    assert not any(one.built for one in again) and again[-1].sides == built[-1].sides
    forced = taflbase.build("brandubh", tmp_path, slices="K1v1", force=True)
    assert all(one.built for one in forced) and names(forced) == ["K0v1", "K1v1"]


def names(built: list[BuiltSlice]) -> list[str]:
    return [one.slice for one in built]


def files(entry: ManifestSlice) -> dict[Metric, str]:
    """The hashes of the values."""
    return {file.metric: file.values for file in entry.files}


def values(folder: Path) -> dict[str, dict[Metric, str]]:
    """The hashes of the values of the tables in files."""
    tables = taflbase.open("brandubh", folder, embedded=False)
    return {entry.slice: files(entry) for entry in tables.manifest().slices}


def test_progress_is_reported_phase_by_phase(tmp_path: Path) -> None:
    reported: list[Progress] = []
    taflbase.build("brandubh", tmp_path, slices="K0v2", metric="wdl", progress=reported.append)
    begun = [one for one in reported if one.done == 0]
    phases = [one.phase for one in begun if one.slice == "K0v2"]
    assert phases[:2] == [Phase.READING, Phase.INITIAL] and phases[-1] is Phase.WRITING
    plies = [(one.winner, one.ply) for one in begun if one.phase is Phase.PLY]
    assert (Side.ATTACKERS, 1) in plies and (Side.DEFENDERS, 2) in plies
    assert all(one.winner is None for one in begun if one.phase is Phase.READING)
    assert all(one.done <= one.total for one in reported)
    assert not (tmp_path / "brandubh" / "K0v2.dtw").exists()


class Enough(Exception):
    """Raised by a callback."""


def test_an_exception_in_the_callback_stops_a_resumable_build(tmp_path: Path) -> None:
    # Stops after the second ply of the last slice: the others are complete, and part of the
    # last.
    def stop(progress: Progress) -> None:
        if progress.slice == "K1v2" and progress.ply == 3:
            raise Enough

    with pytest.raises(Enough):
        taflbase.build("brandubh", tmp_path, slices="K1v2", progress=stop)
    folder = tmp_path / "brandubh"
    assert (folder / "K1v1.dtw").exists() and not (folder / "K1v2.wdl").exists()
    assert (folder / "K1v2.work").is_dir()
    reported: list[Progress] = []
    built = taflbase.build("brandubh", tmp_path, slices="K1v2", progress=reported.append)
    assert [one.slice for one in built if one.built] == ["K1v2"]
    # Finished work is not repeated.
    winner = first_winner(reported)
    assert not [one for one in reported if one.ply in (1, 2) and one.winner == winner]
    published = taflbase.read_manifest("brandubh", TABLES)
    expected = next(entry for entry in published.slices if entry.slice == "K1v2")
    assert values(tmp_path)["K1v2"] == files(expected)
    assert not (folder / "K1v2.work").exists()


def first_winner(reported: list[Progress]) -> Optional[Side]:
    return next(one.winner for one in reported if one.ply is not None)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no such timer")
def test_a_build_can_be_interrupted(tmp_path: Path) -> None:
    def interrupt(number: int, frame: Optional[FrameType]) -> None:
        raise Enough

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(Enough):
            signal.setitimer(signal.ITIMER_REAL, 0.5)
            taflbase.build("tablut", tmp_path, men=5)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not (tmp_path / "tablut" / "K0v4.dtw").exists()
    # The folder is free for the next build.
    assert taflbase.build("tablut", tmp_path, slices="K0v1")


def test_errors_of_builds(tmp_path: Path) -> None:
    for arguments, error, message in [
        ({}, TypeError, "^give either men or slices$"),
        ({"men": 3, "slices": "K0v1"}, TypeError, "^give either men or slices$"),
        ({"men": 1}, ValueError, "^men must be 2 or more, not 1: the smallest slice"),
        ({"men": -5}, ValueError, "^men must be 2 or more"),
        ({"slices": "K"}, taflbase.SliceError, "is not a slice"),
        ({"slices": ["K0v1", "K0v99"]}, taflbase.SliceError, "K0v99"),
        ({"men": 3, "metric": "dtm"}, ValueError, "^metric must be"),
        ({"men": 3, "threads": -1}, ValueError, "^threads must be from 0 to 1024, not -1"),
        ({"men": 3, "level": 23}, ValueError, "^level must be from 1 to 22, not 23"),
        ({"men": 3, "memory_bytes": 1}, taflbase.BuildError, "of memory, but only 1 B are allowed"),
    ]:
        with pytest.raises(error, match=message) as raised:
            taflbase.build("brandubh", tmp_path / "none", **arguments)
        assert "\n" not in str(raised.value)
        assert not list(tmp_path.glob("none/brandubh/*.dtw"))
    with pytest.raises(taflbase.RulesetError):
        taflbase.build("chess", tmp_path, men=3)
    folder = tmp_path / "brandubh"
    folder.mkdir()
    shutil.copy(TABLES / "ashton" / "K0v1.dtw", folder)
    with pytest.raises(taflbase.WrongTable, match="K0v1.dtw"):
        taflbase.build("brandubh", tmp_path, men=2)


def test_tables_are_verified() -> None:
    tables = taflbase.open("brandubh", TABLES)
    reported: list[Progress] = []
    proved = tables.verify("K1v1", progress=reported.append)
    assert proved[1:] == (Verdict.PROVED, proved.positions, None, 0, [])
    assert proved.slice == "K1v1" and proved.positions > 10_000
    assert [one.phase for one in reported if one.done == 0] == [Phase.READING, Phase.VERIFYING]
    sampled = tables.verify("K1v2", sample=5, seed=3)
    assert (sampled.verdict, sampled) == (Verdict.SAMPLED, tables.verify("K1v2", sample=5, seed=3))
    assert sampled.blocks and 0 < sampled.positions < 100_000
    assert tables.verify("K0v5", sample=0.1).verdict is Verdict.CONSISTENT
    with pytest.raises(taflbase.MissingTable, match="K0v6"):
        tables.verify("K0v6")
    for arguments, error, message in [
        ({"sample": 0}, ValueError, "^sample must be a percentage from 0.000001 to 100, not 0"),
        ({"sample": 101}, ValueError, "^sample must be a percentage"),
        ({"memory_bytes": 1000}, taflbase.VerifyError, "^verifying K1v2 needs .* and 1.0 KiB are allowed"),
        ({"sample": 5, "memory_bytes": 1000}, taflbase.VerifyError, "a block of K1v2.*more with memory_bytes"),
    ]:
        with pytest.raises(error, match=message):
            tables.verify("K1v2", **arguments)


def test_a_verification_is_ended_by_its_callback() -> None:
    tables = taflbase.open("brandubh", TABLES)

    def stop(progress: Progress) -> None:
        if progress.phase is Phase.VERIFYING:
            raise Enough

    with pytest.raises(Enough):
        tables.verify("K1v3", progress=stop)
    with pytest.raises(TypeError):
        tables.verify("K0v1", progress=3)  # type: ignore[arg-type]


def test_a_manifest_describes_the_tables(tmp_path: Path) -> None:
    file = TABLES / "brandubh" / "MANIFEST.json"
    published = taflbase.read_manifest("brandubh", file)
    assert str(published) == file.read_text()
    assert published == taflbase.read_manifest("brandubh", TABLES)
    assert published == taflbase.read_manifest("brandubh", file.parent)
    tables = taflbase.open("brandubh", TABLES)
    own = tables.manifest(tables.slices("dtw"))
    listed = {entry.slice: entry for entry in published.slices}
    assert own.slices and all(tables_of(listed[one.slice]) == tables_of(one) for one in own.slices)
    # K0v5 has no distances.
    outcomes = tables.manifest(["K0v5"]).slices[0]
    assert [file.metric for file in outcomes.files] == [Metric.WDL]
    assert outcomes.files[0] == listed["K0v5"].files[0] and outcomes.sides[0].max_win is None
    assert (own.rules, own.fingerprint) == (published.rules, published.fingerprint)
    one = tables.manifest(["K1v2"])
    assert [entry.slice for entry in one.slices] == ["K1v2"]
    attackers, _ = tables.stats("K1v2")
    counts = one.slices[0].sides[0]
    assert {name: attackers[name] for name in counts._fields} == counts._asdict()
    assert [(file.metric, len(file.values)) for file in one.slices[0].files] == [
        (Metric.WDL, 64),
        (Metric.DTW, 64),
    ]
    (tmp_path / "MANIFEST.json").write_text(str(one))
    assert taflbase.read_manifest("brandubh", tmp_path) == one
    empty = tables.manifest([])
    assert json.loads(str(empty))["slices"] == []
    for path, message in [
        (tmp_path / "none", "none: cannot read the manifest: "),
        (Path(__file__), "not a manifest of tables"),
        (TABLES / "ashton", "a manifest of another ruleset, ashton, not of brandubh"),
    ]:
        with pytest.raises(taflbase.ManifestError, match=message) as raised:
            taflbase.read_manifest("brandubh", path)
        assert "\n" not in str(raised.value)
    with pytest.raises(taflbase.MissingTable):
        tables.manifest(["K0v6"])


def tables_of(entry: ManifestSlice) -> ManifestSlice:
    """The entry without the positions of longest wins and without who listed it."""
    return entry._replace(longest=[], listed=None)


def test_a_manifest_says_who_listed_the_tables_and_what_is_longest(
    brandubh: taflbase.Tablebase, tmp_path: Path
) -> None:
    without, entry = (
        brandubh.manifest(["K1v2"], longest=longest).slices[0] for longest in (False, True)
    )
    assert without == entry._replace(longest=[]) and entry.listed
    assert entry.listed.version == taflbase.__version__
    assert datetime.date.fromisoformat(entry.listed.date).year > 2020
    assert [win.winner for win in entry.longest] == [Side.ATTACKERS, Side.DEFENDERS]
    for win in entry.longest:
        value = brandubh.probe_dtw(win.position or "")
        assert value == ("win" if win.winner is win.to_move else "loss", win.plies)
    # K0v5 has no distances.
    assert brandubh.manifest(["K0v5"], longest=True).slices[0].longest == []
    listed = taflbase.Manifest("brandubh", brandubh.manifest([]).fingerprint, [entry], "CC0-1.0")
    (tmp_path / "MANIFEST.json").write_text(str(listed))
    assert taflbase.read_manifest("brandubh", tmp_path) == listed
