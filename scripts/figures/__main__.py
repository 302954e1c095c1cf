"""Writes the figures of README.md and docs/ from the files and commands that give them.

    python3 scripts/figures [--check] [--program PROGRAM] [--slow]

With --check nothing is written; the status is 1 if a figure is wrong. Figures from manifests in
tables/ and other source files are always updated. Figures from commands of the program need
--program; those that take minutes (boards of side 1000, the state spaces of the largest
rulesets), or half a minute with all cores (certificates), also need --slow.

A comment lists the figures of the text above it, back to the previous comment or heading, in
order of appearance:

    With 5 attackers brandubh's attackers to move win 27 % and lose 72 %.
    <!-- figures
    27 %: share win brandubh K0v5 attackers
    72 %: share loss brandubh K0v5 attackers
    -->

The text before the colon is searched for, and its numbers are replaced, each with the same
number of digits. A query may return several numbers ("4, 9 and 14 %"). A number after "some" may
be off by 5 %. A comment `<!-- table: NAME ... -->` precedes a table whose cells are filled in.
The queries are the functions marked @figure and @table.

Measured values (times, memory, speeds, games) cannot be reproduced and are not updated.
"""

import argparse
import sys
from pathlib import Path

# Leave no cache files in the source folder.
sys.dont_write_bytecode = True

# These modules define the queries.
import games, manifests, proofs, short, source, states
from asking import ROOT, options
from documents import Document

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def main():
    parser = argparse.ArgumentParser(description="Writes the figures of the documents.")
    flag = {"action": "store_true"}
    parser.add_argument("--check", **flag, help="write nothing; status 1 if a figure is wrong")
    parser.add_argument("--program", metavar="PROGRAM", help="also run this taflbase")
    parser.add_argument("--slow", **flag, help="also run commands that take minutes")
    parser.parse_args(namespace=options)
    if options.program:
        program = Path(options.program).resolve()
        if not program.is_file():
            parser.error(f"no program {program}: build it with cargo build")
        options.program = str(program)
    count = left = wrong = 0
    for path in DOCUMENTS:
        document = Document(path)
        document.renew()
        for message in document.problems + document.changes:
            print(message, file=sys.stderr)
        wrong += len(document.problems) + (len(document.changes) if options.check else 0)
        count, left = count + document.count, left + document.left
        if document.changes and not options.check:
            path.write_text(document.text)
    print(f"{count} figures, {left} skipped, {wrong} wrong")
    if wrong and options.check:
        print("run without --check to update them", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
