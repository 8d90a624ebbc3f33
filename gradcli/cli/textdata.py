"""Numbers from csv, tsv and text: an optional header, which is a first row with a non-number, then rows of equal
length."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from gradcli.cli import reporting
from gradcli.cli.jsondata import EXACT, spelled
from gradcli.errors import BadInput, Caution

if TYPE_CHECKING:
    from gradcli.results import Array

# Python's float() also takes underscores and the digits of every script.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INTEGER = re.compile(r"[+-]?[0-9]+")
# What was meant as numbers: with a currency, with marks between the digits, several in one cell.
_NEARLY = re.compile("[+-]?[$\u20ac\u00a3\u00a5]?[0-9][0-9.,;\\s]*[$\u20ac\u00a3\u00a5]?")
SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": None}
"""What separates the cells of a row; None is any run of blanks."""
_SEPARATED = {",": "a comma separates", "\t": "a tab separates", None: "blanks separate"}


def array(text: str, separator: str | None, where: str) -> Array:
    """One row or one column is 1-D, everything else 2-D. Raises BadInput that names line and column."""
    header: tuple[_Line, list[str]] | None = None
    rows: list[list[float]] = []
    try:
        for line, cells in _rows(text, separator, where):
            if line.first and not all(map(_readable, cells)):
                header = line, cells
                continue
            row = _numbers(line, cells, separator, where)
            if rows and len(row) != len(rows[0]):
                raise BadInput(f"{where}, line {line.number}: {len(row)} cells where the first row has {len(rows[0])}")
            rows.append(row)
        if not rows:
            raise BadInput(f"{where}: holds no numbers")
    except BadInput:
        if header is not None and _doubtful(header[1]):
            _numbers(*header, separator, where)  # raises: it was the first row that was wrong
        raise
    if header is not None and _doubtful(header[1]):
        reporting.warn(
            Caution(
                f"{where}, line {header[0].number}: a header, for not all of it are numbers",
                help="a missing number is written nan",
            )
        )
    matrix = np.array(rows, dtype=np.float64)
    return matrix.reshape(-1) if 1 in matrix.shape else matrix


def _numbers(line: _Line, cells: list[str], separator: str | None, where: str) -> list[float]:
    place = f"{where}, line {line.number}, column"
    return [_cell(cell, f"{place} {i}", separator) for i, cell in enumerate(cells, start=1)]


class _Line:
    def __init__(self, number: int, first: bool) -> None:
        self.number = number
        self.first = first


def _rows(text: str, separator: str | None, where: str) -> Iterator[tuple[_Line, list[str]]]:
    """The rows that are not blank, and whether each is the first."""
    first = True
    if separator is None:
        for number, line in enumerate(text.splitlines(), start=1):
            if cells := line.split():
                yield _Line(number, first), cells
                first = False
        return
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells) or len(cells) > 1:
                yield _Line(reader.line_num, first), cells
                first = False
    except csv.Error:
        raise BadInput(f"{where}, line {reader.line_num}: not a row of cells") from None


def _readable(cell: str) -> bool:
    cell = cell.strip()
    return not cell or _NUMBER.fullmatch(cell) is not None or spelled(cell) is not None


def _doubtful(header: list[str]) -> bool:
    """Whether a header holds numbers, or what was meant as numbers."""
    filled = [cell.strip() for cell in header if cell.strip()]
    return any(map(_readable, filled)) or all(map(_NEARLY.fullmatch, filled))


def _cell(cell: str, where: str, separator: str | None) -> float:
    cell = cell.strip()
    if not cell:
        return math.nan
    if _NUMBER.fullmatch(cell):
        value = float(cell)
        if math.isinf(value):
            raise BadInput(f"{where}: too large for float64")
        if abs(value) >= EXACT and _INTEGER.fullmatch(cell) and int(cell.lstrip("+-0")) > EXACT:
            raise BadInput(f"{where}: an integer beyond 2**53, which float64 would round")
        return value
    word = spelled(cell)
    if word is None:
        others = any(mark in cell for mark in ",;\t " if mark != separator)
        help = f"{_SEPARATED[separator]} the cells here" if others else "write nan for a missing number"
        raise BadInput(f"{where}: not a number", help=help)
    return word
