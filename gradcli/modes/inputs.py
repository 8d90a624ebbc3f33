"""Which variables a result is differentiated by, and the leaves that stand for the given values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.engine.data import real_array
from gradcli.engine.tensor import Tensor, wrap
from gradcli.errors import ShapeMismatch, UnknownName, closest
from gradcli.lowering import CONSTANTS, Plan
from gradcli.primitives.budget import shape_text
from gradcli.results import Array, Value

Values = Mapping[str, Any]

LARGE = 65_536
"""Elements from which on an array is run through by pieces, where a program allows that."""

_SEPARATOR = re.compile(r"[\s,;]+")
_MORE_THAN_A_NAME = re.compile(r"(?P<name>[^\W\d]\w*) ?(?P<mark>[=[])")
_MORE = {
    "=": "--wrt takes the name alone, --at its value: --wrt {0} --at {0}=...",
    "[": "--wrt {0} gives every entry of the gradient by {0}",
}


def leaves(at: Values) -> dict[str, Tensor]:
    """The given values as leaves, arrays of float64 without a copy: no program can write into its inputs, and whatever
    outlives the call copies them (see `kept`). Raises BadInput.
    """
    return {name: wrap(real_array(value, copy=False)) for name, value in at.items()}


def variables(plans: Sequence[Plan], at: Mapping[str, Tensor], wrt: Sequence[str] | None) -> tuple[str, ...]:
    """The names to differentiate by, as the contract says; each then requires grad.

    By default those with a value that the expression reads as numbers, in the order of their first appearance; else
    `wrt`. Raises UnknownName for a name that cannot be differentiated by.
    """
    if wrt is None:
        flowing = [plan.value_names() for plan in plans]
        read = {
            name: None for plan, flows in zip(plans, flowing, strict=True) for name in plan.names() if name in flows
        }
        names = tuple(name for name in read if name in at and at[name].array.dtype != bool)
    else:
        names = tuple(dict.fromkeys(wrt))
        for name in names:
            _require_variable(name, plans, at)
    for name in names:
        at[name].requires_grad_()
    return names


def with_named(plan: Plan, at: Values, named: Iterable[str]) -> tuple[str, ...]:
    """The variables by default, and those that directions or claims are given for."""
    return (*variables([plan], leaves(at), None), *named)


def no_gradient(mask: str) -> str:
    return f"{mask} is a mask, there is no gradient with respect to it"


def _require_variable(name: str, plans: Sequence[Plan], at: Mapping[str, Tensor]) -> None:
    if name in at:
        if at[name].array.dtype == bool:
            raise UnknownName(no_gradient(name))
        return
    if any(name in plan.assigned for plan in plans):
        raise UnknownName(f"{name} is assigned in the expression, only inputs can be differentiated by")
    if name in CONSTANTS:
        raise UnknownName(f"{name} is a constant", help=f"give it a value to make it a variable: --at {name}=...")
    part = _MORE_THAN_A_NAME.match(name)
    if part is not None or not name.strip():
        remedy = _MORE[part["mark"]].format(part["name"]) if part else "for example --wrt x"
        raise UnknownName(f"{name!r} is not a name", help=remedy)
    several = _SEPARATOR.split(name.strip(" ,;"))
    if len(several) > 1:
        each = " ".join(f"--wrt {one}" for one in several)
        raise UnknownName(f"{name!r} is not one name", help=f"write each on its own: {each}")
    near = closest(name, at)
    raise UnknownName(f"there is no value for {name}", help=f"did you mean {near}?" if near else f"add --at {name}=...")


def shaped(given: Any, shape: tuple[int, ...], what: str, whose: str) -> Array:
    """`given`, which is `what`, as numbers in the shape of `whose`. Raises ShapeMismatch: nothing is broadcast."""
    array = real_array(given).astype(np.float64, copy=False)
    if array.shape != shape:
        raise ShapeMismatch(
            f"{what} has shape {shape_text(array.shape)}, {whose} has shape {shape_text(shape)}",
            help="a vector of one number is written [1]" if (array.shape, shape) == ((), (1,)) else "",
        )
    return array


def value_of(array: Array) -> Value:
    """A scalar as a NumPy scalar, everything else as the array."""
    scalar: Value = array[()] if array.ndim == 0 else array
    return scalar


def kept(at: Values) -> dict[str, Array]:
    """The given values as arrays of their own, for results that are still to be computed when the call returns."""
    return {name: real_array(value) for name, value in at.items()}
