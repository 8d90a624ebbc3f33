"""What a result gives to a binary file: its arrays by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, NamedTuple, Union

if TYPE_CHECKING:
    from gradcli.results import (
        Array,
        Evaluation,
        Gradient,
        Hessian,
        HessianDiagonal,
        HessianProduct,
        Jacobian,
        JacobianStream,
        Tangent,
        Value,
    )


@dataclass(frozen=True, slots=True)
class Arrays:
    """The arrays, and how they make one matrix: bands below each other, in each band its arrays side by side."""

    named: dict[str, Member]
    bands: tuple[Band, ...]


Member = Union["Value", tuple["Value", ...], tuple[int, ...], bytes]
"""What NumPy makes an array of."""


@dataclass(frozen=True, slots=True)
class Rows:
    """One array on its way to a file: its shape, and blocks of its rows, each in pieces that stand side by side."""

    shape: tuple[int, ...]
    blocks: Iterator[list[Array]]


class Band(NamedTuple):
    """Names of arrays that stand side by side, each flattened to `rows` rows."""

    rows: int
    names: tuple[str, ...]


def _side_by_side(named: dict[str, Member], rows: int = 1) -> Arrays:
    return Arrays(named, (Band(rows, tuple(named)),))


def evaluation_arrays(result: Evaluation) -> Arrays:
    return _side_by_side({"value": result.value})


def gradient_arrays(result: Gradient) -> Arrays:
    """With an order, the array of the variable holds f', f'' and so on."""
    if result.derivatives:
        return _side_by_side(dict.fromkeys(result.gradient, result.derivatives), len(result.derivatives))
    return _side_by_side(dict(result.gradient))


def jacobian_arrays(result: Jacobian) -> Arrays:
    return _side_by_side(dict(result.jacobian), result.value.size)


def jacobian_rows(result: JacobianStream) -> Rows:
    """The block of a single variable in its own shape; several as a matrix."""
    shapes = [shape for name, shape in result.shape.items() if name != "output"]
    height, width = result.value.size, sum(map(prod, shapes))
    whole = (*result.shape["output"], *shapes[0]) if len(shapes) == 1 else (height, width)
    return Rows(whole, ([part.reshape(len(part), -1) for part in block.rows.values()] for block in result.blocks))


def tangent_arrays(result: Tangent) -> Arrays:
    return _side_by_side({"tangent": result.tangent})


def diagonal_arrays(result: HessianDiagonal) -> Arrays:
    return _side_by_side(dict(result.diagonal))


def product_arrays(result: HessianProduct) -> Arrays:
    return _side_by_side(dict(result.product))


def hessian_arrays(result: Hessian) -> Arrays:
    """The block of x and y is called `x.y`."""
    named: dict[str, Member] = {f"{a}.{b}": block for a, row in result.hessian.items() for b, block in row.items()}
    bands = (Band(result.gradient[a].size, tuple(f"{a}.{b}" for b in row)) for a, row in result.hessian.items())
    return Arrays(named, tuple(bands))
