"""Arrays printed the NumPy way: nested brackets, aligned columns, dots for what is left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, cast

from gradcli.render.text import ELLIPSIS, Look, number

if TYPE_CHECKING:
    from gradcli.results import Array, Value

# As in NumPy: beyond so many numbers, so many stay at each end of an axis.
THRESHOLD = 1000
EDGE = 3

Pick = list[int | None]
"""The places of an axis that are shown; None stands for those left out."""


@dataclass(frozen=True, slots=True)
class Block:
    lines: list[str]
    hidden: int


def array_block(value: Value, look: Look, indent: int = 0) -> Block:
    """The lines of an array, and how many of its numbers they leave out."""
    array = cast("Array", value.reshape(value.shape))  # a NumPy scalar as an array of no axes
    picks = _picks(array.shape)
    room = None if look.width is None else look.width - indent
    size = max(map(len, _shown(array, picks, look.digits)), default=1)
    if room is not None and array.ndim > 1:
        inside = room - 2 * array.ndim + 1
        if len(picks[-1]) * (size + 1) > inside:
            dots = max(size, len(ELLIPSIS)) + 1
            picks[-1] = ends(array.shape[-1], max(1, (inside - dots) // (2 * (size + 1))))

    def text(value: float | bool) -> str:
        return number(value, look.digits).rjust(size)

    lines = _wrapped(array, picks[0], text, size, room) if array.ndim == 1 else _lines(array, picks, text)
    return Block(lines, array.size - prod(sum(place is not None for place in pick) for pick in picks))


def _picks(shape: Sequence[int]) -> list[Pick]:
    if prod(shape) <= THRESHOLD:
        return [list(range(length)) for length in shape]
    # Many short axes are not cut by three at each end: then fewer stay.
    for edge in range(EDGE, -1, -1):
        picks = [ends(length, edge) for length in shape]
        if prod(map(len, picks)) <= THRESHOLD:
            break
    return picks


def ends(length: int, edge: int) -> Pick:
    """All places of an axis, or `edge` at each end when there are more."""
    if length <= max(1, 2 * edge):
        return list(range(length))
    if edge == 0:
        return [0, None]
    return [*range(edge), None, *range(length - edge, length)]


def _shown(array: Array, picks: Sequence[Pick], digits: int) -> list[str]:
    rows = [array]
    for pick in picks:
        rows = [row[place] for row in rows for place in pick if place is not None]
    return [number(value.tolist(), digits) for value in rows]


def _wrapped(array: Array, pick: Pick, text: Callable[[float], str], size: int, room: int | None) -> list[str]:
    words = [ELLIPSIS if place is None else text(array[place].tolist()) for place in pick]
    each = len(words) or 1
    if room is not None:
        each = max(1, (room - 1) // (size + 1))
    lines = [" ".join(words[first : first + each]) for first in range(0, len(words), each)] or [""]
    return _bracketed(lines)


def _lines(array: Array, picks: Sequence[Pick], text: Callable[[float], str]) -> list[str]:
    if array.ndim == 0:
        return [text(array.tolist())]
    if array.ndim == 1:
        words = [ELLIPSIS if place is None else text(array[place].tolist()) for place in picks[0]]
        return [f"[{' '.join(words)}]"]
    lines: list[str] = []
    for place in picks[0]:
        if lines:
            lines.extend([""] * (array.ndim - 2))
        lines.extend([ELLIPSIS] if place is None else _lines(array[place], picks[1:], text))
    return _bracketed(lines or [""])


def _bracketed(lines: list[str]) -> list[str]:
    inside = [f" {line}" if line else "" for line in lines[1:]]
    whole = [f"[{lines[0]}", *inside]
    whole[-1] += "]"
    return whole
