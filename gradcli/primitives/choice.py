"""Choosing between values: comparisons, logic, where, extremes, and the step functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.primitives.table import Kink, constant, elementwise

GROUP = "choice"

for _name, _symbol, _forward, _words in (
    ("less", "<", np.less, "less than"),
    ("less_equal", "<=", np.less_equal, "at most"),
    ("greater", ">", np.greater, "greater than"),
    ("greater_equal", ">=", np.greater_equal, "at least"),
    ("equal", "==", np.equal, "equal to"),
    ("not_equal", "!=", np.not_equal, "different from"),
):
    constant(_name, "a, b", _forward, operator=_symbol, masks=True, group=GROUP,
             summary=f"Mask of where a is {_words} b; no derivative.", example=f"{_name}([1, 2], 2)")  # fmt: skip


def _truth(x: Any) -> Any:
    return x if x.dtype == bool else x != 0


constant("logical_and", "a, b", lambda a, b: np.logical_and(_truth(a), _truth(b)), operator="and", masks=True, group=GROUP,
         summary="Mask of where both are true; any number but 0 counts as true.", example="logical_and([1, 0], [1, 1])")  # fmt: skip
constant("logical_or", "a, b", lambda a, b: np.logical_or(_truth(a), _truth(b)), operator="or", masks=True, group=GROUP,
         summary="Mask of where one or both are true.", example="logical_or([1, 0], [0, 0])")  # fmt: skip
constant("logical_not", "x", lambda x: np.logical_not(_truth(x)), operator="not", masks=True, group=GROUP,
         summary="Mask of where x is not true.", example="logical_not([1, 0])")  # fmt: skip

elementwise(
    "where", "condition, a, b", lambda c, a, b: np.where(_truth(c), a, b),
    0,
    lambda xp, _out, c, _a, _b: xp.where(c, 1.0, 0.0),
    lambda xp, _out, c, _a, _b: xp.where(c, 0.0, 1.0),
    selects=True, masks=True, group=GROUP, summary="a where the condition holds, b elsewhere.",
    example="where([1, 0], [10, 20], 3)", edge="the branch that is not taken contributes exactly 0, even if it is nan or inf",
)  # fmt: skip


def _share(xp, a, b):  # type: ignore[no-untyped-def]
    """1 where a wins, .5 at ties, 0 where it loses, nan where either is nan."""
    return xp.where(a > b, 1.0, xp.where(a == b, 0.5, xp.where(a < b, 0.0, np.nan)))


elementwise(
    "maximum", "a, b", np.maximum,
    lambda xp, _out, a, b: _share(xp, a, b),
    lambda xp, _out, a, b: _share(xp, b, a),
    selects=True, group=GROUP, summary="The larger of two values, element by element.", example="maximum([1, 5], 3)",
    edge="at a tie each side gets half; nan if either is nan", kinks=(Kink(lambda a, b: a == b, "a tie: both are equal"),),
)  # fmt: skip

elementwise(
    "minimum", "a, b", np.minimum,
    lambda xp, _out, a, b: _share(xp, b, a),
    lambda xp, _out, a, b: _share(xp, a, b),
    selects=True, group=GROUP, summary="The smaller of two values, element by element.", example="minimum([1, 5], 3)",
    edge="at a tie each side gets half; nan if either is nan", kinks=(Kink(lambda a, b: a == b, "a tie: both are equal"),),
)  # fmt: skip

elementwise(
    "abs", "x", np.abs, lambda xp, _out, x: xp.sign(x),
    aliases=("absolute", "fabs"), group=GROUP, summary="The value without its sign.", example="abs([1, -2])",
    edge="at 0 the gradient is 0", kinks=(Kink(lambda x: x == 0, "a corner: the slope is -1 before 0 and 1 after"),),
)  # fmt: skip

elementwise(
    "sign", "x", np.sign, 0,
    aliases=("sgn",), group=GROUP, summary="-1, 0 or 1.", example="sign([-3, 0, 5])", edge="the gradient is 0 everywhere",
    kinks=(Kink(lambda x: x == 0, "a jump: the sign changes"),),
)  # fmt: skip

for _name, _forward, _aliases, _words in (
    ("floor", np.floor, (), "Rounded down to a whole number."),
    ("ceil", np.ceil, (), "Rounded up to a whole number."),
    ("trunc", np.trunc, ("fix",), "Rounded to a whole number towards 0."),
):
    elementwise(_name, "x", _forward, 0, aliases=_aliases, group=GROUP, summary=_words, example=f"{_name}([1.5, -1.5])",
                edge="the gradient is 0 everywhere, also at the jumps", domain=((0.2, 0.8),),
                kinks=(Kink(lambda x: x == np.trunc(x), "a jump: a whole number"),))  # fmt: skip

elementwise(
    "round", "x", np.rint, 0,
    aliases=("rint",), group=GROUP, summary="Rounded to the nearest whole number, halves to the even one.",
    example="round([1.2, 2.5])", edge="the gradient is 0 everywhere, also at the jumps", domain=((0.6, 0.9),),
    kinks=(Kink(lambda x: np.abs(x - np.trunc(x)) == 0.5, "a jump: halfway between whole numbers"),),
)  # fmt: skip
