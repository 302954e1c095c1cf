from __future__ import annotations

from pathlib import Path

import pytest

import taflbase

ROOT = Path(__file__).parents[2]
TABLES = ROOT / "tables"
"""The tables committed with the source."""
RULES = ROOT / "src" / "game" / "rules" / "builtin"
"""The files of the built-in rulesets."""
SOLVED = [
    "alea-evangelii",
    "ashton",
    "ashton-server",
    "berkeley",
    "brandubh",
    "brandubh-online",
    "large-hnefatafl",
    "mcgill",
    "tablut",
]
"""The built-in rulesets with embedded tables."""
KNOWN = ROOT / "tests" / "data" / "positions.tsv"
"""Short wins and losses, found by a program that shares no code with this one."""


@pytest.fixture(scope="session")
def brandubh() -> taflbase.Tablebase:
    return taflbase.open("brandubh", TABLES)

