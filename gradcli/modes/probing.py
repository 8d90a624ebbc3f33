"""Which elements a linear map reads, told by running it, or its adjoint, on element numbers."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from gradcli.engine.standing import generic
from gradcli.primitives.table import Shape
from gradcli.results import Array

Relation = tuple[Array, Array]
"""Pairs of flat element numbers: of the result, and of the operand that it reads."""
Map = Callable[[Array], Array]

COMBS = (2, 3, 5, 7)
"""Every n-th element is looked at by itself: enough for results that read a few neighbours."""
SMALL = 250_000
"""Entries of a matrix that may be written out to see where it is 0."""


def relation(forward: Map, backward: Map, source: Shape, target: Shape) -> Relation | None:
    """What the map from `source` to `target` reads; None where that takes too long to tell."""
    moved = moves(forward, source)
    if moved is not None:
        return moved
    added = moves(backward, target)
    if added is not None:
        return added[1], added[0]
    for teeth in COMBS:
        found = combed(forward, source, teeth)
        if found is not None:
            return found
    return _matrix(forward, source) if prod(source) * prod(target) <= SMALL else None


def moves(run: Map, shape: Shape, only: Array | float = 1.0) -> Relation | None:
    """(to, from) of a map that moves and scales elements and nothing else; None for any other map.

    With `only`, a 1 for some elements and a 0 for the others, it is told of those.
    """
    size = prod(shape)
    first = np.arange(1.0, size + 1)
    second = generic((size,))  # sums of these vanish only where nothing is summed
    scale, numbers, proof = (np.reshape(run((x * only).reshape(shape)), -1) for x in (np.ones(size), first, second))
    to = np.flatnonzero(scale)
    if np.any(numbers[scale == 0]) or np.any(proof[scale == 0]):
        return None
    number = numbers[to] / scale[to]
    if not np.isfinite(number).all():
        return None
    source = np.rint(number).astype(int)
    good = (source >= 1) & (source <= size) & (np.abs(number - source) < 1e-6)
    if not np.all(good) or not np.allclose(proof[to] / scale[to], second[source - 1], rtol=1e-9):
        return None
    return to, source - 1


def combed(run: Map, shape: Shape, teeth: int) -> Relation | None:
    """Of a map that moves elements if it is shown only every so many of them."""
    places = np.arange(prod(shape)) % teeth
    parts = []
    for tooth in range(teeth):
        part = moves(run, shape, only=(places == tooth).astype(float))
        if part is None:
            return None
        parts.append(part)
    return np.concatenate([to for to, _ in parts]), np.concatenate([source for _, source in parts])


def _matrix(run: Map, shape: Shape) -> Relation:
    size = prod(shape)
    columns = [np.flatnonzero(run(row.reshape(shape))) for row in np.eye(size)]
    sources = np.repeat(np.arange(size), [len(column) for column in columns])
    return np.concatenate([np.zeros(0, dtype=int), *columns]), sources
