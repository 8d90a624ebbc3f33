"""Points at which a derivative is a convention, and the same step a little beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gradcli.engine.node import Node
from gradcli.engine.tensor import Tensor, wrap
from gradcli.primitives.table import Kink, Primitive
from gradcli.results import Array

FROM_ZERO, PART = 1e-100, 1e-9
"""How far a number is moved to be beside a point: from 0, so that its powers stay numbers; by what part of itself."""


@dataclass(slots=True)
class Awkward:
    """A node at some of whose points the derivative is a convention; `where` has the operand's core shape.

    `ties` are those of the kink, where it has them. `step` is the number of the step that left the node.
    """

    node: Node
    kink: Kink
    where: Array
    ties: Array | None
    step: int


def beside(primitive: Primitive, operands: Sequence[Tensor], marks: Array) -> Sequence[Tensor]:
    """The operands of a step, the first that is differentiated moved to either side, as `marks` say by 1, -1 and 0.

    No two elements move equally far, so that ties are broken. Where the marks are not of its elements nothing is moved.
    """
    number = next(i for i, x in enumerate(operands) if x.requires_grad)
    x = operands[number]
    if marks.size == x.array.size:
        marks = marks.reshape(x.shape)
    elif primitive.kind != "elementwise":
        return operands
    apart = 1.0 + np.arange(marks.size).reshape(marks.shape) / max(marks.size, 1)
    distance = np.where(x.array == 0, FROM_ZERO, PART * np.abs(x.array))
    return [*operands[:number], x + wrap(marks * apart * distance), *operands[number + 1 :]]
