"""Bars: what a figure of a section must reach, and where in the section's text the figure stands."""
import dataclasses
import re
from collections.abc import Callable


NOT_MEASURED = "not measured"


@dataclasses.dataclass
class Bar:
    figure: str  # what is measured
    limit: str  # "<= 1.1x", ">= 95 %", "all", "0", "13 of 13"
    read: Callable[[str], str]  # the measured figure, from the text of the section

    def measured(self, text):
        return Measured(self.figure, self.read(text), self.limit)


@dataclasses.dataclass
class Measured:
    figure: str
    value: str
    limit: str

    def met(self):
        if not re.search(r"\d", self.value) or self.value.startswith(NOT_MEASURED):
            return False
        share = re.match(r"([\d,]+) of ([\d,]+)", self.value)
        if self.limit == "all":
            return share is not None and number(share[1]) == number(share[2])
        if " of " in self.limit:
            return self.value == self.limit
        measured = 100 * number(share[1]) / number(share[2]) if share and "%" in self.limit else number(self.value)
        bound = number(self.limit)
        if self.limit.startswith("<="):
            return measured <= bound
        return measured >= bound if self.limit.startswith(">=") else measured == bound


def number(text):
    """The first number in a cell."""
    return float(re.search(r"[+-]?\d[\d,]*(\.\d+)?", text)[0].replace(",", ""))


def tables(text):
    """[(header, rows)], cells as text."""
    found = []
    for block in re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE):
        lines = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in block.strip().split("\n")]
        found.append((lines[0], lines[2:]))
    return found


def listed_bars(text):
    """Those of tables with the columns "what", "measured" and "bar"."""
    return [Measured(what, measured, bar) for header, rows in tables(text) if header == ["what", "measured", "bar"]
            for what, measured, bar in rows if bar]


def rows_with(text, column):
    """The rows, as {column: cell}, of the tables that have this column. Of equal names the second is "NAME 2"."""
    found = []
    for header, rows in tables(text):
        names = [name if header[:i].count(name) == 0 else f"{name} {header[:i].count(name) + 1}"
                 for i, name in enumerate(header)]
        if column in names:
            found += [dict(zip(names, row)) for row in rows]
    return found


def cell(column, row):
    """The cell of the row that begins with `row`."""
    return lambda text: next(cells[column] for cells in rows_with(text, column) if row in cells.values())


def extreme(choose, column, where):
    """Of all rows; a row without a number has not been measured, and no bar is met without it."""
    def read(text):
        cells = [row[column] for row in rows_with(text, column) if where(row)]
        missing = sum(not re.search(r"\d", cell) for cell in cells)
        if missing or not cells:
            return f"{NOT_MEASURED} in {missing} of {len(cells)} rows"
        return choose(cells, key=number)
    return read


def largest(column, where=lambda row: True):
    return extreme(max, column, where)


def smallest(column, where=lambda row: True):
    return extreme(min, column, where)


def count(column, holds):
    """How many rows, of all that have the column."""
    def read(text):
        rows = rows_with(text, column)
        return f"{sum(map(holds, rows))} of {len(rows)}"
    return read


def said(pattern):
    """In the sentences of the section."""
    return lambda text: re.search(pattern, " ".join(text.split()))[1]


def all_equal(column):
    """For count(): the cell says "N of N"."""
    return lambda row: re.fullmatch(r"(\d+) of \1", row[column]) is not None
