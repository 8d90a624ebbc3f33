"""What a result gives to a binary file: its arrays by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gradcli.results import Evaluation, Gradient, Hessian, Jacobian, Tangent, Value


@dataclass(frozen=True, slots=True)
class Arrays:
    """The arrays, and how they make one matrix: bands below each other, in each band its arrays side by side."""

    named: dict[str, Value | tuple[Value, ...]]
    bands: tuple[Band, ...]


class Band(NamedTuple):
    """Names of arrays that stand side by side, each flattened to `rows` rows."""

    rows: int
    names: tuple[str, ...]


def _side_by_side(named: dict[str, Value | tuple[Value, ...]], rows: int = 1) -> Arrays:
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


def tangent_arrays(result: Tangent) -> Arrays:
    return _side_by_side({"tangent": result.tangent})


def hessian_arrays(result: Hessian) -> Arrays:
    """The block of x and y is called `x.y`."""
    named: dict[str, Value | tuple[Value, ...]] = {
        f"{a}.{b}": block for a, row in result.hessian.items() for b, block in row.items()
    }
    bands = (Band(result.gradient[a].size, tuple(f"{a}.{b}" for b in row)) for a, row in result.hessian.items())
    return Arrays(named, tuple(bands))
