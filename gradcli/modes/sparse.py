"""Sparse Jacobians: the structural pattern, its columns or rows in as few colours as greed finds, one sweep for all.

Every result is compared with a random product either way; a pattern that missed an entry would show there.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gradcli.engine.node import AccumulateGrad
from gradcli.engine.record import edge_of
from gradcli.engine.reverse import reachable
from gradcli.errors import InternalError
from gradcli.modes.coloring import colors
from gradcli.modes.session import Session
from gradcli.modes.sparsity import Pattern, pattern_of, row_numbers
from gradcli.modes.tangent import push
from gradcli.primitives import budget
from gradcli.results import Array, Sparse

MISMATCH = 1e-9
"""How far the compressed matrix may be from the sweeps, relative to the sum of the absolute terms."""


class Compression(NamedTuple):
    """How a pattern is compressed: `color` of each column (pushed forward) or of each row (pulled back)."""

    pattern: Pattern
    color: Array
    forward: bool

    @property
    def passes(self) -> int:
        return int(self.color.max(initial=-1)) + 1


def by_variable(session: Session, entries: Sparse) -> dict[str, Sparse]:
    """The columns of each variable as a matrix of their own."""
    found: dict[str, Sparse] = {}
    start = 0
    for name in session.names:
        size = session.at[name].array.size
        mine = (entries.columns >= start) & (entries.columns < start + size)
        shape = (entries.shape[0], size)
        found[name] = Sparse(entries.rows[mine], entries.columns[mine] - start, entries.values[mine], shape)
        start += size
    return found


def places(pattern: Pattern, columns: int) -> Sparse:
    """The pattern as a matrix of ones."""
    ones = np.ones(len(pattern.columns))
    return Sparse(row_numbers(pattern), pattern.columns, ones, (pattern.rows, columns))


def width(session: Session) -> int:
    return sum(session.at[name].array.size for name in session.names)


def structure(session: Session) -> Pattern | None:
    """The pattern of the output over the variables side by side; None where it is too dense to pay."""
    root = edge_of(session.output)
    inputs = []
    offset = 0
    for name in session.names:
        leaf = edge_of(session.at[name])
        if leaf is not None:
            inputs.append((leaf, offset))
        offset += session.at[name].array.size
    found = None if root is None else pattern_of(root, inputs)
    if root is None or (found is None and not inputs):
        return Pattern(np.zeros(session.output.array.size + 1, dtype=np.int64), np.zeros(0, dtype=np.int64))
    return found


def promising(session: Session) -> bool:
    """Whether the graph has only operations that can keep a pattern thin: a cheap look before a dear one."""
    root = edge_of(session.output)
    return root is not None and all(
        isinstance(node, AccumulateGrad) or node.primitive.kind in ("elementwise", "linear")
        for node in reachable([root])
    )


def compression(pattern: Pattern, columns: int) -> Compression:
    """Columns or rows, whichever takes fewer colours."""
    order = np.argsort(pattern.columns, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(pattern.columns, minlength=columns))])
    by_column = _cut(starts, row_numbers(pattern)[order])
    forward = Compression(pattern, colors(by_column, pattern.rows), forward=True)
    if forward.passes <= max(map(len, by_column), default=0):
        return forward  # no colouring of rows can do with fewer
    backward = Compression(pattern, colors(_cut(pattern.starts, pattern.columns), columns), forward=False)
    return forward if forward.passes <= backward.passes else backward


def _cut(starts: Array, numbers: Array) -> list[list[int]]:
    whole, places = numbers.tolist(), starts.tolist()
    return [whole[a:b] for a, b in pairwise(places)]


def compressed(session: Session, plan: Compression) -> Sparse:
    """The entries of the Jacobian, in blocks of colours that fit a quarter of the memory budget."""
    size, columns = session.output.array.size, width(session)
    rows = row_numbers(plan.pattern)
    values = np.zeros(len(rows))
    at_once = max(1, budget.limit() // 4 // (budget.ITEM * 8 * max(size, columns, 1)))
    of_entry = plan.color[plan.pattern.columns if plan.forward else rows]
    for first in range(0, plan.passes, at_once):
        count = min(at_once, plan.passes - first)
        found = _sweep(session, plan, first, count)
        mine = (of_entry >= first) & (of_entry < first + count)
        place = rows[mine] if plan.forward else plan.pattern.columns[mine]
        values[mine] = found[of_entry[mine] - first, place]
    entries = Sparse(rows, plan.pattern.columns, values, (size, columns))
    _compare(session, entries)
    return entries


def _sweep(session: Session, plan: Compression, first: int, count: int) -> Array:
    """Sums of the columns (or rows) of each colour, one colour a row."""
    chosen = plan.color[None, :] == np.arange(first, first + count)[:, None]
    return _pushed(session, chosen.astype(float)) if plan.forward else _pulled(session, chosen.astype(float))


def _pushed(session: Session, directions: Array) -> Array:
    seeds: dict[str, Array] = {}
    start = 0
    for name in session.names:
        shape = session.at[name].shape
        stop = start + session.at[name].array.size
        seeds[name] = directions[:, start:stop].reshape(len(directions), *shape)
        start = stop
    if not seeds:
        return np.zeros((len(directions), session.output.array.size))
    return push(session, seeds, lead=1).reshape(len(directions), -1)


def _pulled(session: Session, cotangents: Array) -> Array:
    found = session.pull(cotangents.reshape(len(cotangents), *session.output.shape), lead=1)
    blocks = [found[name].reshape(len(cotangents), -1) for name in session.names]
    return np.concatenate([np.zeros((len(cotangents), 0)), *blocks], axis=1)


def _compare(session: Session, entries: Sparse) -> None:
    """Refuse a matrix that is not the derivative: one random product with it on either side.

    Products with entries that are not finite tell nothing and are passed over.
    """
    draw = np.random.default_rng(0).uniform(0.5, 1.5, sum(entries.shape))
    v, u = draw[: entries.shape[1]], draw[entries.shape[1] :]
    right = _pushed(session, v[None])[0]
    left = _pulled(session, u[None])[0]
    for swept, index, factor, length in (
        (right, entries.rows, v[entries.columns], entries.shape[0]),
        (left, entries.columns, u[entries.rows], entries.shape[1]),
    ):
        terms = entries.values * factor
        scale = np.bincount(index, weights=abs(terms), minlength=length)
        known = np.isfinite(scale)
        told = np.bincount(index, weights=terms, minlength=length)[known]
        bound = MISMATCH * (scale[known] + scale[known].max(initial=0.0))
        if np.any(abs(told - swept[known]) > bound):
            raise InternalError("the sparse Jacobian disagrees with a plain sweep: use another --mode")
