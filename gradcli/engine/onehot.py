"""Stacks of one-hot cotangents or tangents: a diagonal, kept as its values for as long as a derivative leaves it one.

All rows, or columns, of a Jacobian enter as unit vectors. Elementwise rules only scale them, and the first matrix
product then scales rows in place of multiplying by a matrix of zeros; so an elementwise Jacobian costs as much as its
diagonal.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from gradcli.engine import rules
from gradcli.engine.node import Node
from gradcli.primitives.table import Shape, arrays
from gradcli.results import Array


class OneHot:
    """`values[i]` stands in row i of the stack at the flat position `first + i`, zeros everywhere else."""

    __slots__ = ("event", "first", "values")

    def __init__(self, first: int, values: Array, event: Shape) -> None:
        self.first = first
        self.values = values
        self.event = event

    @property
    def shape(self) -> Shape:
        return (len(self.values), *self.event)

    @property
    def rows(self) -> slice:
        return slice(self.first, self.first + len(self.values))

    def scaled(self, factor: Any, event: Shape) -> OneHot:
        """Times an array that broadcasts to the event, reshaped to `event`."""
        flat = np.broadcast_to(factor, self.event).reshape(-1)
        return OneHot(self.first, self.values * flat[self.rows], event)

    def dense(self) -> Array:
        count = len(self.values)
        stack = np.zeros((count, int(np.prod(self.event, dtype=int))))
        stack[np.arange(count), np.arange(self.first, self.first + count)] = self.values
        return stack.reshape(self.shape)


def one_hot(size: int, first: int, count: int) -> Array:
    """Rows `first`, `first + 1`, ... of the identity of `size`."""
    return OneHot(first, np.ones(count), (size,)).dense()


def pull(node: Node, position: int, g: OneHot) -> OneHot | Array | None:
    """The cotangent of one operand in its own shape; None where the rule needs the stack itself."""
    return _through(node, position, OneHot(g.first, g.values, node.core_shape), node.shapes[position], forward=False)


def push(node: Node, position: int, t: OneHot) -> OneHot | Array | None:
    """What the tangent of one operand gives the result, in its shape; None as above."""
    return _through(node, position, OneHot(t.first, t.values, node.core_shapes[position]), node.shape, forward=True)


def _through(node: Node, position: int, flow: OneHot, to: Shape, forward: bool) -> OneHot | Array | None:
    """Lane by lane a flow is scaled, the same way forward and back."""
    primitive, saved = node.primitive, rules.Operands(node, arrays)
    rule = primitive.rule(position)
    if node.core_shapes[position] == node.core_shape and (isinstance(rule, int) or primitive.kind == "elementwise"):
        factor = rule if isinstance(rule, int) else rules.partial_of(node, rule, arrays, saved)
        return flow.scaled(factor, to)
    if primitive.one_hot is not None:
        rows = primitive.one_hot(position, forward, flow.rows, flow.values, node.core_shapes, *saved.arrays)
        return None if rows is None else rows.reshape(len(flow.values), *to)
    return None


def united(flows: Sequence[Any]) -> Any:
    """The sum of flows, a diagonal where all of them are: those of one sweep stand in the same place."""
    if all(isinstance(flow, OneHot) for flow in flows):
        return OneHot(flows[0].first, reduce(operator.add, [flow.values for flow in flows]), flows[0].event)
    return reduce(operator.add, map(dense, flows))


def dense(flow: Any) -> Any:
    return flow.dense() if isinstance(flow, OneHot) else flow
