"""Markdown files, and the comments that name the sources of their figures."""

import re

from asking import FIGURES, ROOT, TABLES, Problem, Skipped, query
from formats import renewed


class Document:
    """A Markdown file, whose figures are updated from start to end."""

    def __init__(self, path):
        self.path, self.text = path, path.read_text()
        self.changes, self.problems, self.left = [], [], 0
        self.count = 0

    def line(self, at):
        number = self.text.count("\n", 0, at) + 1
        return f"{self.path.relative_to(ROOT)}:{number}"

    def renew(self):
        comment = re.compile(r"^ *<!-- (?:figures\n(.*?)^ *-->|table: (.*?) -->\n)", re.M | re.S)
        at = 0
        while match := comment.search(self.text, at):
            before = self.text
            try:
                if match[2]:
                    self.renew_table(match)
                else:
                    self.renew_figures(match, at)
            except (Problem, KeyError, TypeError, ValueError, IndexError) as error:
                self.problems.append(f"{self.line(match.start())}: {error!s}")
            # Figures precede their comment, which has moved with them.
            at = match.end() + (0 if match[2] else len(self.text) - len(before))

    def renew_figures(self, match, start):
        """Updates the text above a comment and the comment itself."""
        heading = self.text.rfind("\n#", start, match.start())
        at, above = max(start, heading), self.text[: match.start()]
        comment = self.text[match.start() : match.end()]
        end = self.text[match.end() :]
        for entry in match[1].strip().splitlines():
            shown, _, asked = entry.strip().partition(": ")
            words = r"\s+".join(re.escape(word) for word in shown.split())
            found = re.compile(rf"(?<![\w.,]){words}(?!\w|[.,]\d)").search(above, at)
            if not found:
                raise Problem(f"“{shown}” is not in the text above, or not in this order")
            name, *arguments = asked.split()
            at = found.end()
            try:
                value = query(FIGURES, name)(*arguments)
            except Skipped:
                self.left += 1
                continue
            self.count += 1
            text = renewed(found[0], value)
            if text != found[0]:
                again = " ".join(text.split())
                self.changes.append(f"{self.line(found.start())}: {shown} -> {again}")
                above = above[: found.start()] + text + above[found.end() :]
                at = found.start() + len(text)
                comment = comment.replace(entry, entry.replace(shown, again, 1), 1)
        self.text = above + comment + end

    def renew_table(self, match):
        """Updates the table below a comment."""
        body = re.compile(r"(?:^\|.*\n)+", re.M).match(self.text, match.end())
        if not body:
            raise Problem("no table follows this comment")
        cells = [[c.strip() for c in line.strip("|").split("|")] for line in body[0].splitlines()]
        header, rows = cells[0], cells[2:]
        old = [list(row) for row in rows]
        name, *arguments = match[2].split()
        fill = query(TABLES, name)
        for row in rows:
            renewed_row = list(row)
            try:
                fill(header, renewed_row, *arguments)
                self.count += len(row)
            except Skipped:
                self.left += 1
            else:
                row[:] = renewed_row
        for before, after in zip(old, rows):
            for title, was, now in zip(header, before, after):
                if was != now:
                    place = f"{before[0]}, {title}" if before[0] else title
                    self.changes.append(f"{self.line(match.start())}: {place}: {was} -> {now}")
        if old != rows:
            head = body[0].splitlines()[:2]
            lines = head + ["| " + " | ".join(row) + " |" for row in rows]
            written = "\n".join(lines) + "\n"
            self.text = self.text[: body.start()] + written + self.text[body.end() :]
