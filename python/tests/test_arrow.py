"""Slices as columns, data frames, Arrow tables and Parquet files."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import taflbase
from taflbase import Side, SliceSource, SliceValues, Tablebase

NAMES = ["king", "defender1", "attacker1", "attacker2", "wdl", "dtw"]


@pytest.fixture(scope="module")
def values(brandubh: Tablebase) -> SliceValues:
    return brandubh.slice_values("K1v2", "attackers")


def test_columns_share_the_memory_of_the_arrays(brandubh: Tablebase, values: SliceValues) -> None:
    columns = values.columns()
    assert list(columns) == NAMES
    for column in columns.values():
        assert column.ndim == 1 and column.flags.c_contiguous
        assert any(np.shares_memory(column, array) for array in values)
    assert np.array_equal(columns["attacker2"], values.attackers[:, 1])
    classes = brandubh.slice_classes("K0v2", "defenders").columns()
    assert list(classes) == ["king", "attacker1", "attacker2", "images", "wdl", "dtw"]
    frame = pd.DataFrame(columns, copy=False)
    assert np.shares_memory(frame["attacker2"].to_numpy(), values.attackers)
    assert frame.shape == (len(values.king), len(NAMES))


def test_a_table_has_the_buffers_of_the_arrays(values: SliceValues) -> None:
    table = values.to_arrow()
    assert table.column_names == NAMES
    for name, column in values.columns().items():
        (chunk,) = table[name].chunks
        assert chunk.buffers()[1].address == column.ctypes.data, name
        assert np.array_equal(chunk.to_numpy(), column)
    types = [pa.uint16()] * 4 + [pa.int8(), pa.int32()]
    assert table.schema.types == types


def test_a_draw_has_no_distance_in_a_table() -> None:
    tables = taflbase.open("brandubh")
    values = tables.slice_values("K0v4", "attackers")
    draws = values.wdl == taflbase.DRAW
    assert draws.any() and np.array_equal(draws, values.dtw == -1)
    dtw = values.to_arrow()["dtw"]
    assert dtw.null_count == draws.sum() and dtw.type == pa.int32()
    assert np.array_equal(dtw.is_null().to_numpy(), draws)
    assert np.array_equal(dtw.drop_null().to_numpy(), values.dtw[~draws])
    outcomes = tables.slice_values("K0v2", "attackers", "wdl").to_arrow()
    assert outcomes["dtw"].null_count == outcomes.num_rows
    assert outcomes.schema.types[-2:] == [pa.int8(), pa.int32()]


def test_a_table_names_what_it_is_of(brandubh: Tablebase, values: SliceValues, tmp_path: Path) -> None:
    fingerprint = brandubh.manifest([]).fingerprint
    assert values.source == SliceSource("brandubh", fingerprint, "K1v2", Side.ATTACKERS)
    file = tmp_path / "K1v2.parquet"
    parquet.write_table(values.to_arrow(), file)
    found = parquet.read_schema(file).metadata
    assert {key: value for key, value in found.items() if key.startswith(b"taflbase.")} == {
        b"taflbase.rules": b"brandubh",
        b"taflbase.fingerprint": fingerprint.encode(),
        b"taflbase.slice": b"K1v2",
        b"taflbase.to_move": b"attackers",
        b"taflbase.version": taflbase.__version__.encode(),
    }
    assert parquet.read_table(file).equals(values.to_arrow())
    classes = brandubh.slice_classes("K0v1", "defenders")
    assert classes.source == SliceSource("brandubh", fingerprint, "K0v1", Side.DEFENDERS)


def test_parts_have_the_same_schema() -> None:
    # The first rows of K0v4 have no draws.
    tables = taflbase.open("brandubh")
    some = tables.slice_values("K0v4", "attackers", rows=(0, 1)).to_arrow()
    none = tables.slice_values("K0v4", "attackers", rows=(0, 0)).to_arrow()
    whole = tables.slice_values("K0v4", "attackers").to_arrow()
    assert some["dtw"].null_count == 0 < whole["dtw"].null_count and none.num_rows == 0
    assert some.schema.equals(whole.schema, check_metadata=True)
    assert none.schema.equals(whole.schema, check_metadata=True)


def test_values_may_come_from_elsewhere(values: SliceValues) -> None:
    picked = SliceValues(*(array[::100] for array in values))
    table = picked.to_arrow()
    assert picked.source is None and table.num_rows == len(picked.king)
    assert table["attacker1"].to_pylist() == values.attackers[::100, 0].tolist()
    assert list(table.schema.metadata) == [b"taflbase.version"]
    again = pickle.loads(pickle.dumps(values))
    assert again.source == values.source and again.to_arrow().equals(values.to_arrow())


def test_arrow_needs_pyarrow(values: SliceValues, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="^to_arrow needs pyarrow: pip install pyarrow$"):
        values.to_arrow()
    assert len(values.columns()) == len(NAMES)
