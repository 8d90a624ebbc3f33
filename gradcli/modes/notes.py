"""What a result must be read with: the kinks, ties, poles and undefined points that it was taken at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from gradcli.lowering import Awkward
from gradcli.results import Array, Note
from gradcli.span import Source

MOST_NOTES = 50
"""A long program may meet thousands of awkward points; the first ones tell."""


SAME = 1e-12
"""Cotangents of tied results that differ by no more than this, relative to the largest, differ by rounding."""


def felt(point: Awkward, g: Any) -> Array:
    """Which elements of the point's core result take part in a convention when the cotangent `g` arrives there.

    It may have stack axes in front. Where it is 0 a point has no part: `abs(x)**3` is smooth at 0; and neither where
    tied results get the same: `sum(sort(x)**2)` is smooth everywhere.
    """
    core = point.node.core_shape
    stack = prod(np.shape(g)[: np.ndim(g) - len(point.node.shape)])
    rows = np.reshape(g, (stack, *core))
    if point.ties is None or rows.size == 0:
        return np.asarray((rows != 0).any(axis=0))
    return _uneven(rows.reshape(len(rows), -1), point.ties.ravel()).reshape(rows.shape[1:])


def _uneven(rows: Array, ties: Array) -> Array:
    """Which elements are tied with one that gets another cotangent, in any row."""
    order = np.argsort(ties, kind="stable")
    numbers, starts, counts = np.unique(ties[order], return_index=True, return_counts=True)
    lined = rows[:, order]
    high, low = np.maximum.reduceat(lined, starts, axis=1), np.minimum.reduceat(lined, starts, axis=1)
    outside = numbers < 0
    high, low = np.where(outside, np.maximum(high, 0.0), high), np.where(outside, np.minimum(low, 0.0), low)
    with np.errstate(invalid="ignore"):  # equal infinities
        uneven = (high - low > SAME * np.max(np.abs(rows), axis=1, keepdims=True)).any(axis=0)
    marks = np.empty(ties.size, bool)
    marks[order] = np.repeat(uneven, counts)
    return marks


def notes_on(points: Sequence[Awkward], source: Source, met: Mapping[int, Array]) -> tuple[Note, ...]:
    """A note for each awkward point that has a part in the result; `met` holds what was felt there, by its number.

    An operand's core shape and the result's broadcast, in reductions too.
    """
    notes: list[Note] = []
    for number, point in enumerate(points):
        if number not in met or len(notes) == MOST_NOTES:
            continue
        hits = np.argwhere(point.where & met[number])
        if len(hits):
            span = point.node.span
            text = source.excerpt(span) if span is not None else ""
            index = tuple(int(i) for i in hits[0])
            notes.append(Note(point.node.primitive.name, text, span, index, point.kink.reason))
    return tuple(dict.fromkeys(notes))
