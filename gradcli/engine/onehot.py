"""Stacks of one-hot cotangents: a diagonal, kept as its values for as long as a derivative leaves it one.

All rows of a Jacobian enter as unit vectors. Elementwise rules only scale them, and the first matrix product then
scales rows in place of multiplying by a matrix of zeros; so an elementwise Jacobian costs as much as its diagonal.
"""

from __future__ import annotations

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
    primitive, core = node.primitive, OneHot(g.first, g.values, node.core_shape)
    rule = primitive.rule(position)
    same = node.core_shapes[position] == node.core_shape
    if isinstance(rule, int) and same:
        return OneHot(g.first, g.values * rule, node.shapes[position])
    saved = rules.Operands(node, arrays)
    if primitive.kind == "elementwise" and same and not isinstance(rule, int):
        return core.scaled(rules.partial_of(node, rule, arrays, saved), node.shapes[position])
    if primitive.one_hot is not None:
        rows = primitive.one_hot(position, core.rows, g.values, node.core_shapes, *saved.arrays)
        return None if rows is None else rows.reshape(len(g.values), *node.shapes[position])
    return None
