"""A matrix with names along both edges, cut in the middle where it does not fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gradcli.render.blocks import EDGE, THRESHOLD, Pick, ends
from gradcli.render.text import ELLIPSIS, Look, number, width

if TYPE_CHECKING:
    from gradcli.results import Value

Square = Mapping[str, Mapping[str, "Value"]]
"""Scalars by the name of their row, then by that of their column; both are the same names."""

_CORNER = "hessian"
_GAP = 3


def square(whole: Square, look: Look, indent: int = 0) -> tuple[Sequence[str], list[Sequence[str]], int]:
    """Header and rows as texts, and how many numbers they leave out."""
    names = list(whole)
    rows = columns = ends(len(names), EDGE if len(names) ** 2 > THRESHOLD else len(names))
    texts = _texts(whole, rows, columns, look.digits)
    if look.width is not None:
        label = max(map(width, [*names, _CORNER]))
        size = max((width(text) for row in texts for text in row[1:]), default=1)
        size = max(size, *(width(names[place]) for place in columns if place is not None), len(ELLIPSIS))
        capacity = max(0, look.width - indent - label) // (size + _GAP)
        if len(columns) > capacity:
            columns = ends(len(names), max(1, (capacity - 1) // 2))
            texts = _texts(whole, rows, columns, look.digits)
    header = [_CORNER, *(ELLIPSIS if place is None else names[place] for place in columns)]
    shown = (len(rows) - rows.count(None)) * (len(columns) - columns.count(None))
    return header, texts, len(names) ** 2 - shown


def _texts(whole: Square, rows: Pick, columns: Pick, digits: int) -> list[Sequence[str]]:
    names = list(whole)

    def row(name: str) -> list[str]:
        numbers = [None if place is None else whole[name][names[place]] for place in columns]
        return [name, *(ELLIPSIS if value is None else number(value.tolist(), digits) for value in numbers)]

    return [[ELLIPSIS] if place is None else row(names[place]) for place in rows]
