"""Numbers from csv, tsv and text: comments, a header where the first row is one, then rows of equal length."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gradcli.cli import cells, reporting
from gradcli.errors import BadInput, Caution
from gradcli.span import Span

if TYPE_CHECKING:
    from gradcli.results import Array
    from gradcli.span import Source

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": None}
"""What separates the cells of a row; None is any run of blanks."""
_SEPARATED = {",": "a comma separates", "\t": "a tab separates", None: "blanks separate"}
_MISSING = "write nan for a missing number"
_MARKS = re.compile(r"[,;\t ]+")
_WORD = re.compile(r'"[^"\n]*"(?!\S)|\S+')
# What a spreadsheet writes for a result that it does not have is no comment.
_SIGN = r"#(?!(?:N/A|DIV/0!|VALUE!|REF!|NUM!|NAME\?|NULL!)(?![^\s,]))"
_COMMENT = re.compile(rf"\s*{_SIGN}")
_NOTE = re.compile(rf"(?<!\S){_SIGN}.*")


class Row(NamedTuple):
    line: int
    cells: list[str]


def separator_of(source: Source) -> str | None:
    """A comma where one stands outside of comments, or below a header of several words one column; else blanks."""
    lines = [line for line in source.text.split("\n") if line.strip() and not _COMMENT.match(line)]
    if any("," in _NOTE.sub("", line) for line in lines):
        return ","
    first, rest = [_words(line) for line in lines[:1]], lines[1:]
    column = rest and all(len(_words(line)) == 1 for line in rest) and _is_header(first[0])
    return "," if column else None


def array(source: Source, separator: str | None) -> Array:
    """One row or one column is 1-D, everything else 2-D. Raises BadInput that names line and column."""
    found = _rows(source, separator)
    first = next(found, None)
    if first is None:
        raise BadInput(f"{source.name}: holds no numbers", source=source, span=Span(0, 0))
    header = first if _is_header(first.cells) else None
    rows = [] if header else [_numbers(first, source, separator)]
    try:
        for row in found:
            numbers = _numbers(row, source, separator)
            if len(numbers) != len(first.cells):
                raise _unequal(row, first, header is not None, source, separator)
            rows.append(numbers)
        if not rows:
            help = "only a header stands in it"
            raise BadInput(f"{source.name}: holds no numbers", source=source, span=Span(0, 0), help=help)
    except BadInput:
        if header is not None and not rows and _doubtful(header.cells):
            _numbers(header, source, separator)  # raises: it was the first row that was wrong
        raise
    if header is not None:
        _judge(header, source, separator)
    matrix = np.array(rows, dtype=np.float64)
    return matrix.reshape(-1) if 1 in matrix.shape else matrix


def _is_header(first: list[str]) -> bool:
    """Whether one of the cells is no number and does not look like one."""
    return any(not cells.readable(cell) and not cells.meant(cell) and not _several(cell) for cell in first)


def _several(cell: str) -> list[str]:
    """The parts of a cell that holds several numbers, or what looks like them; else none."""
    parts = _MARKS.split(cell.strip())
    several = len(parts) > 1 and all(re.search(r"\w", part) for part in parts)
    return parts if several and all(cells.readable(part) or cells.meant(part) for part in parts) else []


def _doubtful(header: list[str]) -> bool:
    """Whether a header holds numbers, or dates and the like that may have been meant as data."""
    filled = [cell.strip() for cell in header if cell.strip()]
    return any(map(cells.readable, filled)) or all(cell[0] in "+-." or cell[0].isdigit() for cell in filled)


def _judge(header: Row, source: Source, separator: str | None) -> None:
    """Say aloud what would else be dropped, or taken, in silence."""
    where = f"{source.name}, line {header.line}"
    span = _span(header.line, 1, source, separator)
    if _doubtful(header.cells):
        message, help = f"{where}: a header, for not all of it are numbers", "a missing number is written nan"
    elif len(header.cells) > 1 and not header.cells[0].strip() and all(cell.strip() for cell in header.cells[1:]):
        message = f"{where}: the first column has no name, and is read with the others"
        help = "an index is left out by to_csv(index=False) in pandas, by row.names=FALSE in R"
    else:
        return
    reporting.warn(Caution(message, source=source, span=span, help=help))


def _unequal(row: Row, first: Row, header: bool, source: Source, separator: str | None) -> BadInput:
    """The error for a row that has more or fewer cells than the first one."""
    count, expected = len(row.cells), len(first.cells)
    what = "header" if header else "first row"
    if separator == "," and header and count == 2 * expected:
        help = "a decimal comma? write a point"
    elif count == expected + 1 and not row.cells[-1].strip():
        help = "a separator ends the row"
    elif header and count == expected + 1:
        help = "does the first column number the rows? name it in the header, or leave it out"
    elif separator is None and header:
        help = "a name that holds blanks stands in quotes"
    else:
        help = _MISSING if count < expected else ""
    return BadInput(
        f"{source.name}, line {row.line}: {count} cells where the {what} has {expected}",
        source=source,
        span=_span(row.line, 1, source, separator),
        help=help,
    )


def _numbers(row: Row, source: Source, separator: str | None) -> list[float]:
    numbers: list[float] = []
    for cell in row.cells:
        try:
            numbers.append(cells.number(cell))
        except cells.NoNumberError as error:
            column = len(numbers) + 1
            raise BadInput(
                f"{source.name}, line {row.line}, column {column}: {error.reason}",
                source=source,
                span=_span(row.line, column, source, separator),
                help=_help(cell, error.help, separator),
            ) from None
    return numbers


def _help(cell: str, meant: str | None, separator: str | None) -> str:
    """What to do about a cell that is no number."""
    if cell.lstrip().startswith("#") and not meant:
        return "comments stand before the first row"
    parts = _several(cell) if separator is None or separator not in cell else []
    if parts or (not meant and _MARKS.search(cell.strip())):
        within = next((cells.meant(part) for part in parts if not cells.readable(part)), "")
        return f"{_SEPARATED[separator]} the cells here" + (f"; {within}" if within else "")
    return meant or _MISSING


def _rows(source: Source, separator: str | None) -> Iterator[Row]:
    """The rows that are neither blank nor comments, each with the line that it begins in."""
    if separator is None:
        for number, text in enumerate(source.text.split("\n"), start=1):
            if words := _words(text):
                yield Row(number, words)
        return
    lines = io.StringIO(source.text, newline="")
    before = takewhile(lambda text: not text.strip(" \r") or _COMMENT.match(text), source.text.split("\n"))
    skipped = sum(1 for _ in before if lines.readline())
    written = (text if text.strip(" \r\n") else "\n" for text in lines)
    reader = csv.reader(written, delimiter=separator, skipinitialspace=True, strict=True)
    line = skipped + 1
    try:
        for words in reader:
            if words:  # two quotes on a line are an empty cell, nothing is no row
                yield Row(line, words)
            line = skipped + reader.line_num + 1
    except csv.Error:
        raise BadInput(
            f"{source.name}, line {line}: not a row of cells",
            source=source,
            span=_span(line, 1, source, separator),
            help='a quote is closed before the next separator, and doubled within quotes: ""',
        ) from None


def _words(line: str) -> list[str]:
    """The cells that blanks separate; quotes hold one together, or make an empty one."""
    if "#" in line:
        line = _NOTE.sub("", line)
    return [word.strip('"') for word in _WORD.findall(line)] if '"' in line else line.split()


def _span(line: int, column: int, source: Source, separator: str | None) -> Span:
    """Where a cell stands in the text: looked for only when something is wrong with it."""
    start = 0
    for _ in range(line - 1):
        start = source.text.find("\n", start) + 1
    cell = _WORD if separator is None else re.compile(rf' *"(?:[^"]|"")*"[^{separator}\n]*|[^{separator}\n]*')
    for _ in range(column - 1):
        found = cell.search(source.text, start)
        start = found.end() + (separator is not None) if found else start
    found = cell.search(source.text, start)
    text = found[0] if found else ""
    first = (found.start() if found else start) + len(text) - len(text.lstrip())
    return Span(first, first + len(text.strip()))
