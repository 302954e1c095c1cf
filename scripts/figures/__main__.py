"""Writes the figures of README.md and docs/ from the files and commands that give them.

    python3 scripts/figures [--check] [--program PROGRAM] [--slow]

With --check nothing is written: the status is 1 if a figure is not what it should be. The
manifests in tables/ and other files of the source are always asked. Figures that a command
of the program gives are left alone without --program; so are those that take minutes
(boards of a thousand squares' side, the largest rulesets' state spaces), without --slow.

A comment lists the figures of the text above it, as far back as the comment or heading
before, in the order in which they stand there:

    With 5 attackers brandubh's attackers to move win 27 % and lose 72 %.
    <!-- figures
    27 %: share win brandubh K0v5 attackers
    72 %: share loss brandubh K0v5 attackers
    -->

What is written before the colon is found in the text, and its numbers are replaced, each
with as many digits as it has. A query may give several numbers ("4, 9 and 14 %"). A number
behind "some" may be 5 % off. A comment `<!-- table: NAME ... -->` stands before a table whose
cells are filled in. The queries are the functions marked @figure and @table.

What was measured (times, memory, speeds, games) no command gives again: it stays as it is.
"""

import argparse
import sys
from pathlib import Path

# Nothing is left in the source folder by asking.
sys.dont_write_bytecode = True

# These have the queries.
import games, manifests, short, source, states
from asking import ROOT, options
from documents import Document

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def main():
    parser = argparse.ArgumentParser(description="Writes the figures of the documents.")
    flag = {"action": "store_true"}
    parser.add_argument("--check", **flag, help="write nothing; status 1 if a figure is wrong")
    parser.add_argument("--program", metavar="PROGRAM", help="ask this taflbase, too")
    parser.add_argument("--slow", **flag, help="ask it for what takes minutes, too")
    parser.parse_args(namespace=options)
    if options.program:
        program = Path(options.program).resolve()
        if not program.is_file():
            parser.error(f"there is no program {program}; build it, with cargo build")
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
    print(f"{count} figures, {left} places not asked for, {wrong} wrong")
    if wrong and options.check:
        print("the same command without --check writes them", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
