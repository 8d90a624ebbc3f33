"""Sparse Jacobians: the structural pattern, its columns or rows in as few colours as greed finds, one sweep for all.

Every result is compared with a random product either way; a pattern that missed an entry would show there.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gradcli.engine.node import Node
from gradcli.engine.record import edge_of
from gradcli.errors import InternalError
from gradcli.modes import magnitude
from gradcli.modes.coloring import colors
from gradcli.modes.session import Session
from gradcli.modes.sparsity import Pattern, pattern_of, row_numbers, zeros_count
from gradcli.modes.tangent import push
from gradcli.primitives import budget
from gradcli.results import Array, Sparse

RELATIVE = 1e-12
"""How far the compressed matrix may be from a sweep, relative to the terms that either adds up."""
MOST_ROWS = 200


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


def by_rows(session: Session, entries: Sparse) -> dict[str, Sparse]:
    """The rows of each variable of a Hessian."""
    turned = Sparse(entries.columns, entries.rows, entries.values, entries.shape[::-1])
    return {
        name: Sparse(part.columns, part.rows, part.values, part.shape[::-1])
        for name, part in by_variable(session, turned).items()
    }


def places(pattern: Pattern, columns: int) -> Sparse:
    """The pattern as a matrix of ones."""
    ones = np.ones(len(pattern.columns))
    return Sparse(row_numbers(pattern), pattern.columns, ones, (pattern.rows, columns))


def width(session: Session) -> int:
    return sum(session.at[name].array.size for name in session.names)


def structure(session: Session, most: int) -> Pattern:
    """The pattern of the output over the variables side by side. Raises TooDense past so many entries.

    Zeros of constants thin it out only where no infinite slope meets them: 0 * inf is nan in every other mode too.
    """
    root = edge_of(session.output)
    inputs = []
    offset = 0
    for name in session.names:
        leaf = edge_of(session.at[name])
        if leaf is not None:
            inputs.append((leaf, offset))
        offset += session.at[name].array.size
    found = None
    if root is not None:
        finite = not zeros_count(root) or bool(np.isfinite(_pushed(session, np.ones((1, offset)))).all())
        found = pattern_of(root, inputs, most, zeros=finite)
    if found is None:
        return Pattern(np.zeros(session.output.array.size + 1, dtype=np.int64), np.zeros(0, dtype=np.int64))
    return found


def fewest(pattern: Pattern, columns: int) -> int:
    """No colouring does with fewer passes: all entries of a row, or of a column, must be told apart."""
    longest = int(np.diff(pattern.starts).max(initial=0))
    highest = int(np.bincount(pattern.columns, minlength=columns).max(initial=0))
    return min(longest, highest)


def compression(pattern: Pattern, columns: int, pushable: bool = True) -> Compression:
    """Columns or rows, whichever takes fewer colours; rows where directions cannot be pushed together."""
    if not pushable:
        return _by_rows(pattern, columns)
    order = np.argsort(pattern.columns, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(pattern.columns, minlength=columns))])
    by_column = _cut(starts, row_numbers(pattern)[order])
    forward = Compression(pattern, colors(by_column, pattern.rows), forward=True)
    if forward.passes <= max(map(len, by_column), default=0):
        return forward  # no colouring of rows can do with fewer
    backward = _by_rows(pattern, columns)
    return forward if forward.passes <= backward.passes else backward


def _by_rows(pattern: Pattern, columns: int) -> Compression:
    return Compression(pattern, colors(_cut(pattern.starts, pattern.columns), columns), forward=False)


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
    _sweep_again(session, rows, plan.pattern.columns, values)
    entries = Sparse(rows, plan.pattern.columns, values, (size, columns))
    _compare(session, entries)
    return entries


def _sweep_again(session: Session, rows: Array, columns: Array, values: Array) -> None:
    """Rows with infinities one by one: those of one colour that meet a 0 of the expression make nan of others."""
    odd = np.unique(rows[~np.isfinite(values)])
    for row in odd[:MOST_ROWS]:
        seed = np.zeros((1, session.output.array.size))
        seed[0, row] = 1.0
        mine = rows == row
        values[mine] = _pulled(session, seed)[0, columns[mine]]


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

    A product may differ from a sweep by what rounding makes of the terms of both. Products with entries that are not
    finite tell nothing and are passed over. Raises InternalError.
    """
    root = edge_of(session.output)
    if root is None:
        return
    draw = np.random.default_rng(0).uniform(0.5, 1.5, sum(entries.shape))
    v, u = draw[: entries.shape[1]], draw[entries.shape[1] :]
    sides = [(_pulled(session, u[None])[0], _sizes_pulled(session, root, u), entries.columns, u[entries.rows])]
    if session.pushable:
        sides.append((_pushed(session, v[None])[0], _sizes_pushed(session, root, v), entries.rows, v[entries.columns]))
    for swept, sizes, index, factor in sides:
        with np.errstate(over="ignore", invalid="ignore"):
            terms = entries.values * factor
        scale = np.bincount(index, weights=abs(terms), minlength=len(swept))
        told = np.bincount(index, weights=terms, minlength=len(swept))
        known = np.isfinite(scale) & np.isfinite(swept)
        bound = RELATIVE * np.fmax(scale, sizes)
        if np.any(abs(told[known] - swept[known]) > bound[known]):
            raise InternalError("the sparse Jacobian disagrees with a plain sweep: use another --mode")


def _sizes_pushed(session: Session, root: Node, v: Array) -> Array:
    seeds: dict[Node, Array] = {}
    start = 0
    for name in session.names:
        leaf = session.at[name]
        node, stop = edge_of(leaf), start + leaf.array.size
        if node is not None:
            seeds[node] = v[start:stop].reshape(leaf.shape)
        start = stop
    return magnitude.pushed(root, seeds).reshape(-1)


def _sizes_pulled(session: Session, root: Node, u: Array) -> Array:
    leaves = [(edge_of(session.at[name]), session.at[name].array.size) for name in session.names]
    found = magnitude.pulled(root, u.reshape(session.output.shape), {node for node, _ in leaves if node is not None})
    parts = [found[node].reshape(-1) if node in found else np.zeros(size) for node, size in leaves]
    return np.concatenate([np.zeros(0), *parts])
