"""What the modes hand to the renderers: plain data, no behaviour, no engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.span import Span

# float64, or bool where the expression's value is a mask.
Array = np.ndarray[tuple[Any, ...], np.dtype[Any]]
Value = Array | np.generic
"""np.float64 (or np.bool_) for a scalar, an ndarray for everything else."""


class Result:
    """Shows its fields. Written once: methods made for each class anew would cost a start of the program 2 ms."""

    __slots__: tuple[str, ...] = ()

    def __repr__(self) -> str:
        fields = (f"{name}={getattr(self, name)!r}" for name in type(self).__slots__)
        return f"{type(self).__name__}({', '.join(fields)})"


@dataclass(frozen=True, slots=True)
class Note:
    """Something to know about a number: a kink, tie, pole or undefined point, and where it lies.

    `span` is in the expression's text; `index` is the first element concerned, within the operand. `operands` are the
    texts of the operands and the numbers that met there, where each is one number.
    """

    operation: str
    source: str
    span: Span | None
    index: tuple[int, ...]
    reason: str
    operands: tuple[tuple[str, float], ...] = ()


@dataclass(slots=True, eq=False, repr=False)
class Evaluation(Result):
    """The value of an expression."""

    expression: str
    value: Value
    notes: tuple[Note, ...] = ()


@dataclass(slots=True, eq=False, repr=False)
class Gradient(Result):
    """Value and gradient; `gradient[name]` has the shape of `point[name]`, the value it was taken at.

    For a derivative of order N of one scalar variable, `derivatives` holds f', f'', ... up to N.
    """

    expression: str
    value: Value
    gradient: dict[str, Value]
    point: dict[str, Value]
    derivatives: tuple[Value, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(slots=True, eq=False, repr=False)
class Method(Result):
    """How a Jacobian was made: the mode that ran and the number of sweeps; `block` is how many rows, or columns, one
    sweep takes, where a stack had to be cut into several."""

    mode: str
    passes: int
    block: int | None = None


@dataclass(slots=True, eq=False, repr=False)
class JacobianBlock(Result):
    """Rows `first`, `first + 1`, ... of the flattened output; `rows[name]` has shape (k, *variable shape)."""

    first: int
    rows: dict[str, Array]


@dataclass(slots=True, eq=False, repr=False)
class Sparse(Result):
    """A matrix by its entries, ordered by rows: flattened output against a flattened variable."""

    rows: Array
    columns: Array
    values: Array
    shape: tuple[int, int]

    def dense(self) -> Array:
        matrix = np.zeros(self.shape)
        matrix[self.rows, self.columns] = self.values
        return matrix

    def starts(self) -> Array:
        """Where each row begins among the entries, and their number at last: what SciPy calls `indptr`."""
        return np.searchsorted(self.rows, np.arange(self.shape[0] + 1))


def side_by_side(parts: Iterable[Sparse], rows: int) -> Sparse:
    """Matrices of as many `rows` as one, left to right."""
    found, width = [Sparse(*(np.zeros(0, dtype=np.int64),) * 2, np.zeros(0), (rows, 0))], 0
    for part in parts:
        found.append(Sparse(part.rows, part.columns + width, part.values, part.shape))
        width += part.shape[1]
    columns, values = np.concatenate([one.columns for one in found]), np.concatenate([one.values for one in found])
    at = np.concatenate([one.rows for one in found])
    order = np.argsort(at, kind="stable")
    return Sparse(at[order], columns[order], values[order], (rows, width))


@dataclass(slots=True, eq=False, repr=False)
class JacobianStream(Result):
    """A Jacobian on its way: what is known before the first sweep, and the blocks as they are finished.

    `shape` holds `output` first, then one entry for each variable. `notes()` is complete after the last block.
    """

    expression: str | tuple[str, ...]
    value: Value
    shape: dict[str, tuple[int, ...]]
    method: Method
    blocks: Iterator[JacobianBlock]
    notes: Callable[[], tuple[Note, ...]] = tuple


@dataclass(slots=True, eq=False, repr=False)
class Jacobian(Result):
    """`jacobian[name]` has the shape of the output followed by the shape of the variable."""

    expression: str | tuple[str, ...]
    value: Value
    shape: dict[str, tuple[int, ...]]
    jacobian: dict[str, Value]
    method: Method
    notes: tuple[Note, ...] = ()


@dataclass(slots=True, eq=False, repr=False)
class SparseJacobian(Result):
    """What mode `sparse` gives: a matrix of entries for each variable."""

    expression: str | tuple[str, ...]
    value: Value
    shape: dict[str, tuple[int, ...]]
    jacobian: dict[str, Sparse]
    method: Method
    notes: tuple[Note, ...] = ()

    def matrix(self) -> Sparse:
        """All variables side by side."""
        return side_by_side(self.jacobian.values(), self.value.size)


@dataclass(slots=True, eq=False, repr=False)
class JacobianPattern(Result):
    """Where a Jacobian can differ from 0: in `pattern` every value is 1. `method` is how it would be compressed."""

    expression: str | tuple[str, ...]
    value: Value
    shape: dict[str, tuple[int, ...]]
    pattern: dict[str, Sparse]
    method: Method
    notes: tuple[Note, ...] = ()

    def matrix(self) -> Sparse:
        """All variables side by side."""
        return side_by_side(self.pattern.values(), self.value.size)


@dataclass(slots=True, eq=False, repr=False)
class GraphNode(Result):
    """One node of the autograd graph. `next` holds (id, output number), with id None for a constant operand.

    `gradient` is that of the root with respect to this node's value, None where no cotangent was given.
    """

    id: int
    name: str
    source: str
    span: Span | None
    shape: tuple[int, ...]
    value: Value | None
    gradient: Value | None
    next: tuple[tuple[int | None, int], ...]
    variable: str | None = None


@dataclass(slots=True, eq=False, repr=False)
class Graph(Result):
    """Nodes depth first from the root; the root is the first."""

    expression: str
    value: Value
    nodes: tuple[GraphNode, ...]
    notes: tuple[Note, ...] = ()


@dataclass(slots=True, eq=False, repr=False)
class FunctionEntry(Result):
    """What `gradcli functions` tells of one function of the language; `result` is the example's, where it was run."""

    name: str
    aliases: tuple[str, ...]
    group: str
    signature: str
    summary: str
    derivative: str
    edge: str
    example: str
    result: Value | None = None


@dataclass(slots=True, eq=False, repr=False)
class Tangent(Result):
    """Value and directional derivative; `tangent` has the shape of the value."""

    expression: str
    value: Value
    tangent: Value
    notes: tuple[Note, ...] = ()


@dataclass(slots=True, eq=False, repr=False)
class Hessian(Result):
    """`hessian[a][b]` has the shape of variable a followed by that of b; `gradient[a]` that of a."""

    expression: str
    value: Value
    point: dict[str, Value]
    gradient: dict[str, Value]
    hessian: dict[str, dict[str, Value]]
    notes: tuple[Note, ...] = ()


@dataclass(slots=True, eq=False, repr=False)
class SparseHessian(Result):
    """What mode `sparse` gives: `hessian[a][b]` has a row for each entry of variable a, a column for each of b."""

    expression: str
    value: Value
    point: dict[str, Value]
    gradient: dict[str, Value]
    hessian: dict[str, dict[str, Sparse]]
    method: Method
    notes: tuple[Note, ...] = ()

    def matrix(self) -> Sparse:
        """All variables side by side, both ways: symmetric."""
        sizes = [np.size(value) for value in self.point.values()]
        bands = [side_by_side(row.values(), size) for row, size in zip(self.hessian.values(), sizes, strict=True)]
        turned = side_by_side((Sparse(b.columns, b.rows, b.values, b.shape[::-1]) for b in bands), sum(sizes))
        return turned  # which is the whole matrix, for it is its own transpose


@dataclass(slots=True, eq=False, repr=False)
class HessianDiagonal(Result):
    """`diagonal[a]`, of the shape of variable a, holds the second derivative by each of its entries alone."""

    expression: str
    value: Value
    point: dict[str, Value]
    gradient: dict[str, Value]
    diagonal: dict[str, Value]
    notes: tuple[Note, ...] = ()


@dataclass(slots=True, eq=False, repr=False)
class HessianProduct(Result):
    """`product[a]` is the part for variable a of the Hessian times the direction."""

    expression: str
    value: Value
    point: dict[str, Value]
    gradient: dict[str, Value]
    product: dict[str, Value]
    notes: tuple[Note, ...] = ()


@dataclass(slots=True, eq=False, repr=False)
class VariableCheck(Result):
    """The answers for one variable at the entry where they differ most: `worst` indexes the output, then the variable.

    `max_error` is relative to the larger of 1 and the slopes. `left` and `right` are given at a kink, `claimed` is what
    a person claims. None stands where there was nothing to compare. `compared` tells for how many entries of the
    variable difference quotients were taken, and how many there are.
    """

    max_error: float
    worst: tuple[int, ...]
    reverse: float | None
    forward: float | None
    numeric: float | None
    passed: bool
    left: float | None = None
    right: float | None = None
    note: str = ""
    claimed: float | None = None
    compared: tuple[int, int] = (0, 0)


@dataclass(slots=True, eq=False, repr=False)
class Check(Result):
    """`culprit` is the operation whose own derivative disagrees with its values, where one was found."""

    expression: str
    passed: bool
    variables: dict[str, VariableCheck]
    culprit: Note | None
    notes: tuple[Note, ...] = ()
