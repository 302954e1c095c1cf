from __future__ import annotations

from pathlib import Path

import pytest

import taflbase

TABLES = Path(__file__).parents[2] / "tables"
"""The tables that come with the source."""


@pytest.fixture(scope="session")
def brandubh() -> taflbase.Tablebase:
    return taflbase.open("brandubh", TABLES)

