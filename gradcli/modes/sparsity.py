"""Structural sparsity: which inputs each element of a result can depend on, read off the recorded graph.

A pattern lists for every element of a value the inputs in its reach. Elementwise operations unite the patterns of their
operands; linear and multilinear ones are told by running them, or their adjoints, on element numbers;
functions of an axis unite what lies along it; everything else unites all. Patterns of more than `most` entries raise
TooDense.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine import rules
from gradcli.engine.node import Node
from gradcli.engine.reverse import leading_to, reachable
from gradcli.engine.standing import generic
from gradcli.modes import probing
from gradcli.modes.probing import Relation
from gradcli.primitives.table import arrays
from gradcli.results import Array


class Pattern(NamedTuple):
    """Row i reaches the inputs `columns[starts[i]:starts[i + 1]]`, in ascending order."""

    starts: Array
    columns: Array

    @property
    def rows(self) -> int:
        return len(self.starts) - 1


class TooDense(Exception):
    """The pattern has more entries than it is worth."""


def _require(entries: int, most: int) -> None:
    if entries > most:
        raise TooDense


def identity(size: int, offset: int) -> Pattern:
    return Pattern(np.arange(size + 1), np.arange(offset, offset + size))


def row_numbers(pattern: Pattern) -> Array:
    return np.repeat(np.arange(pattern.rows), np.diff(pattern.starts))


def related(size: int, outs: Array, ins: Array, of: Pattern, most: int) -> Pattern:
    """The pattern of `size` results of which `outs[k]` reads element `ins[k]` of what `of` describes."""
    if len(outs) == size and np.array_equal(outs, np.arange(size)):
        if len(ins) == of.rows and np.array_equal(ins, outs):
            return of
        return _rows(of, ins, most)
    spread = _rows(of, ins, most)
    return united(size, [(np.repeat(outs, np.diff(spread.starts)), spread.columns)])


def _rows(of: Pattern, wanted: Array, most: int) -> Pattern:
    """Those rows of a pattern, in that order."""
    lengths = np.diff(of.starts)[wanted]
    total = int(lengths.sum())
    _require(total, most)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    places = np.arange(total) - np.repeat(starts[:-1] - of.starts[wanted], lengths)
    return Pattern(starts, of.columns[places])


def united(size: int, entries: Sequence[tuple[Array, Array]]) -> Pattern:
    """The pattern with these (row, column) entries, each once."""
    width = 1 + max((int(columns.max(initial=0)) for _, columns in entries), default=0)
    keys = [rows * width + columns for rows, columns in entries]
    whole = np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *keys]))  # sooner than np.unique, which hashes
    rows, columns = np.divmod(whole[np.diff(whole, prepend=-1) != 0], width)
    return Pattern(np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=size))]), columns)


def zeros_count(root: Node) -> bool:
    """Whether a pattern would leave out what constants of 0 multiply: that is right only where it is finite."""
    return any(
        edge is None and x is not None and not np.all(x)
        for node in reachable([root])
        if node.primitive.multilinear
        for x, edge in zip(node.saved, node.edges, strict=True)
    )


def pattern_of(root: Node, inputs: Sequence[tuple[Node, int]], most: int, zeros: bool) -> Pattern | None:
    """The pattern of the root's value over inputs that begin at the given columns; None where no path leads there.

    With `zeros` an element that a constant of 0 multiplies is out of reach. Raises TooDense for a pattern of more than
    `most` entries, there or on the way.
    """
    known = {node: identity(int(np.prod(node.shape, dtype=int)), offset) for node, offset in inputs}
    nodes = reachable([root])
    touched = leading_to(nodes, known.keys())
    with np.errstate(all="ignore"):
        for node in reversed(nodes):
            if node in touched and node not in known:
                known[node] = _through(node, known, most, zeros)
    return known.get(root)


def _through(node: Node, known: dict[Node, Pattern], most: int, zeros: bool) -> Pattern:
    relation = _RELATIONS.get(node.primitive.kind, _mixing)
    if node.primitive.multilinear:
        relation = partial(_multilinear, zeros)
    size = int(np.prod(node.core_shape, dtype=int))
    parts: list[Pattern] = []
    for i, edge in enumerate(node.edges):
        if edge is not None and edge in known:
            part = related(size, *relation(node, i, most), known[edge], most)
            if not any(part is other or _same(part, other) for other in parts):
                parts.append(part)
    if len(parts) == 1:
        return parts[0]
    return united(size, [(row_numbers(part), part.columns) for part in parts])


def _same(a: Pattern, b: Pattern) -> bool:
    return np.array_equal(a.starts, b.starts) and np.array_equal(a.columns, b.columns)


def _numbers(shape: tuple[int, ...]) -> Array:
    return np.arange(int(np.prod(shape, dtype=int))).reshape(shape)


def _lane_by_lane(node: Node, i: int, most: int) -> Relation:
    if node.primitive.rule(i) == 0:
        return np.zeros(0, dtype=int), np.zeros(0, dtype=int)
    ins = np.broadcast_to(_numbers(node.core_shapes[i]), node.core_shape).reshape(-1)
    return np.arange(ins.size), ins


def _by_running(node: Node, i: int, most: int) -> Relation:
    saved = rules.Operands(node, arrays)

    def forward(x: Array) -> Any:
        flows = [x if k == i else None for k in range(len(node.edges))]
        return rules.linear_jvp(node, arrays, flows, ())

    def backward(g: Array) -> Any:
        return rules.fit(arrays, rules.vjp(node, i, arrays, g, saved), 0, node.core_shapes[i])

    found = probing.relation(forward, backward, node.core_shapes[i], node.core_shape)
    return _mixing(node, i, most) if found is None else found


class _Standing:
    """Operands of a multilinear operation: constants as they are where their zeros count, but for infinities and nan,
    which are as good as 1 here; in place of all else numbers that are nowhere 0."""

    def __init__(self, node: Node, zeros: bool) -> None:
        parts = zip(node.saved, node.edges, node.core_shapes, strict=True)
        self.arrays: Sequence[Any] = [
            _plain(x) if edge is None and zeros else generic(shape) for x, edge, shape in parts
        ]
        self.out = None


def _plain(constant: Array | None) -> Array | None:
    return constant if constant is None else np.where(np.isfinite(constant), constant, 1.0)


def _multilinear(zeros: bool, node: Node, i: int, most: int) -> Relation:
    standing = _Standing(node, zeros)
    if node.primitive.name in ("matmul", "dot") and [len(shape) for shape in node.core_shapes] == [2, 2]:
        return _product(node, i, np.asarray(standing.arrays[1 - i]), most)

    def forward(x: Array) -> Any:
        return rules.jvp(node, i, arrays, x, standing)

    def backward(g: Array) -> Any:
        return rules.fit(arrays, rules.vjp(node, i, arrays, g, standing), 0, node.core_shapes[i])

    found = probing.relation(forward, backward, node.core_shapes[i], node.core_shape)
    return _mixing(node, i, most) if found is None else found


def _mixing(node: Node, i: int, most: int) -> Relation:
    """Through the axes that a function names all elements along them meet, else all with all."""
    axes = node.params.get("axis")
    source, target = node.core_shapes[i], node.core_shape
    if isinstance(axes, tuple) and len(source) == len(target):
        fibre = tuple(1 if k - len(source) in axes else n for k, n in enumerate(source))
        of_in = np.broadcast_to(_numbers(fibre), source).reshape(-1)
        of_out = np.broadcast_to(_numbers(fibre), target).reshape(-1)
    else:
        of_in = np.zeros(int(np.prod(source, dtype=int)), dtype=int)
        of_out = np.zeros(int(np.prod(target, dtype=int)), dtype=int)
    return _paired(of_out, of_in, most)


def _paired(of_out: Array, of_in: Array, most: int) -> Relation:
    """Every result with every operand element of the same fibre."""
    order = np.argsort(of_in, kind="stable")
    counts = np.bincount(of_in, minlength=int(of_out.max(initial=-1)) + 1)
    starts = np.cumsum(counts) - counts
    lengths = counts[of_out]
    total = int(lengths.sum())
    _require(total, most)
    before = np.cumsum(lengths) - lengths
    places = np.arange(total) - np.repeat(before, lengths) + np.repeat(starts[of_out], lengths)
    return np.repeat(np.arange(len(of_out)), lengths), order[places]


def _product(node: Node, i: int, other: Array, most: int) -> Relation:
    """A product of two matrices reads where the other one is not 0."""
    (height, inner), (_, width) = node.core_shapes
    _require(int(np.count_nonzero(other)) * (height if i == 0 else width), most)
    first, second = np.nonzero(other)
    if i == 0:
        rows = np.arange(height)[:, None]
        return (rows * width + second).reshape(-1), (rows * inner + first).reshape(-1)
    across = np.arange(width)
    return (first[:, None] * width + across).reshape(-1), (second[:, None] * width + across).reshape(-1)


_RELATIONS: dict[str, Callable[[Node, int, int], Relation]] = {
    "elementwise": _lane_by_lane,
    "linear": _by_running,
}
