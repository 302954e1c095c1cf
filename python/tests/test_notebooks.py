"""The notebooks run, and print what they show."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
sys.path.append(str(NOTEBOOKS))

import run  # noqa: E402


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(path: Path) -> None:
    assert run.check(path) == []


def test_a_notebook_is_small_and_has_its_pictures() -> None:
    (path,) = NOTEBOOKS.glob("*.ipynb")
    text = path.read_text()
    assert len(text) < 300_000
    assert text.count('"image/png"') >= 3 and text.count("<svg") >= 5
