#!/usr/bin/env python3
"""Runs the notebooks of this folder and writes their outputs into them.

    python3 run.py [--check]

Needs the package with what its notebooks use: pip install "./python[notebook]". With --check the
notebooks stay as they are; the status is 1 if a cell fails, or prints other text than the notebook
shows.
"""

import argparse
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

FOLDER = Path(__file__).parent
SECONDS_PER_CELL = 120


def executed(path):
    """Returns the notebook with the outputs of a new run."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=SECONDS_PER_CELL,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
        record_timing=False,
    )
    client.execute()
    # What depends on the machine.
    notebook.metadata.pop("language_info", None)
    return notebook


def printed(cell):
    """Returns the text that a cell has printed, and the kinds of its other outputs. Pictures and
    tables depend on the versions of the libraries that draw them."""
    outputs = cell.get("outputs", [])
    text = "".join(output.text for output in outputs if output.output_type == "stream")
    kinds = [sorted(output.data) for output in outputs if "data" in output]
    return text, kinds


def differences(shown, found):
    """Describes the cells of a notebook whose outputs are not the ones that it shows."""
    for number, (before, after) in enumerate(zip(shown.cells, found.cells)):
        if printed(before) != printed(after):
            yield f"cell {number} shows {printed(before)}, not {printed(after)}"


def check(path):
    """Runs a notebook and returns a description of each difference."""
    try:
        return list(differences(nbformat.read(path, as_version=4), executed(path)))
    except CellExecutionError as error:
        return [str(error)]


def main():
    parser = argparse.ArgumentParser(description="Runs the notebooks of this folder.")
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if one differs")
    options = parser.parse_args()
    wrong = 0
    for path in sorted(FOLDER.glob("*.ipynb")):
        if options.check:
            for difference in check(path):
                print(f"{path.name}: {difference}", file=sys.stderr)
                wrong += 1
        else:
            nbformat.write(executed(path), path)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
