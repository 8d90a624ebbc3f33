"""What a result gives to a binary file: its arrays by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradcli.results import Evaluation, Gradient, Jacobian, Value


@dataclass(frozen=True, slots=True)
class Arrays:
    """The arrays, and the number of rows that each has in the matrix where they stand side by side."""

    named: dict[str, Value | tuple[Value, ...]]
    rows: int


def evaluation_arrays(result: Evaluation) -> Arrays:
    return Arrays({"value": result.value}, 1)


def gradient_arrays(result: Gradient) -> Arrays:
    """With an order, the array of the variable holds f', f'' and so on."""
    if result.derivatives:
        return Arrays(dict.fromkeys(result.gradient, result.derivatives), len(result.derivatives))
    return Arrays(dict(result.gradient), 1)


def jacobian_arrays(result: Jacobian) -> Arrays:
    return Arrays(dict(result.jacobian), result.value.size)
