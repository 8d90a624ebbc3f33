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
