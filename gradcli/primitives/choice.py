"""Choosing between values: comparisons, logic, where, extremes, and the step functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.errors import BadArgument
from gradcli.primitives import layouts
from gradcli.primitives.table import Kink, Layout, constant, elementwise

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


constant("logical_and", "a, b", lambda a, b: np.logical_and(_truth(a), _truth(b)), operator="and", masks=True,
         group=GROUP, summary="Mask of where both are true; any number but 0 counts as true.",
         example="logical_and([1, 0], [1, 1])",
)  # fmt: skip
constant("logical_or", "a, b", lambda a, b: np.logical_or(_truth(a), _truth(b)), operator="or", masks=True, group=GROUP,
         summary="Mask of where one or both are true.", example="logical_or([1, 0], [0, 0])")  # fmt: skip
constant("logical_not", "x", lambda x: np.logical_not(_truth(x)), operator="not", masks=True, group=GROUP,
         summary="Mask of where x is not true.", example="logical_not([1, 0])")  # fmt: skip

elementwise(
    "where", "condition, a, b", lambda c, a, b: np.where(_truth(c), a, b),
    0,
    lambda xp, _out, c, _a, _b: xp.where(c, 1.0, 0.0),
    lambda xp, _out, c, _a, _b: xp.where(c, 0.0, 1.0),
    selects=True, masks=True, about=1, group=GROUP, summary="a where the condition holds, b elsewhere.",
    example="where([1, 0], [10, 20], 3)",
    edge="the branch that is not taken contributes exactly 0, even if it is nan or inf",
)  # fmt: skip


def unless(xp: Any, outside: Any) -> Any:
    """1, but nan outside of a domain: what it is multiplied with stays nan there in every derivative."""
    return xp.where(outside, np.nan, 1.0)


def _share(xp: Any, a: Any, b: Any) -> Any:
    """1 where a wins, .5 at ties, 0 where it loses, nan where either is nan."""
    return xp.where(a > b, 1.0, xp.where(a == b, 0.5, xp.where(a < b, 0.0, np.nan)))


elementwise(
    "maximum", "a, b", np.maximum,
    lambda xp, _out, a, b: _share(xp, a, b),
    lambda xp, _out, a, b: _share(xp, b, a),
    selects=True, group=GROUP, summary="The larger of two values, element by element.", example="maximum([1, 5], 3)",
    edge="at a tie each side gets half; nan if either is nan",
    kinks=(Kink(lambda a, b: a == b, "a tie: both are equal"),),
)  # fmt: skip

elementwise(
    "minimum", "a, b", np.minimum,
    lambda xp, _out, a, b: _share(xp, b, a),
    lambda xp, _out, a, b: _share(xp, a, b),
    selects=True, group=GROUP, summary="The smaller of two values, element by element.", example="minimum([1, 5], 3)",
    edge="at a tie each side gets half; nan if either is nan",
    kinks=(Kink(lambda a, b: a == b, "a tie: both are equal"),),
)  # fmt: skip

elementwise(
    "abs", "x", np.abs, lambda xp, _out, x: xp.sign(x),
    aliases=("absolute", "fabs"), group=GROUP, summary="The value without its sign.", example="abs([1, -2])",
    edge="at 0 the gradient is 0", kinks=(Kink(lambda x: x == 0, "a corner: the slope is -1 before 0 and 1 after"),),
)  # fmt: skip

elementwise(
    "sign", "x", np.sign, 0,
    aliases=("sgn",), group=GROUP, summary="-1, 0 or 1.", example="sign([-3, 0, 5])",
    edge="the gradient is 0 everywhere",
    kinks=(Kink(lambda x: x == 0, "a jump: the sign changes"),),
)  # fmt: skip

for _name, _step, _aliases, _words in (
    ("floor", np.floor, (), "Rounded down to a whole number."),
    ("ceil", np.ceil, (), "Rounded up to a whole number."),
    ("trunc", np.trunc, ("fix",), "Rounded to a whole number towards 0."),
):
    elementwise(_name, "x", _step, 0, aliases=_aliases, group=GROUP, summary=_words, example=f"{_name}([1.5, -1.5])",
                edge="the gradient is 0 everywhere, also at the jumps", domain=((0.2, 0.8),),
                kinks=(Kink(lambda x: x == np.trunc(x), "a jump: a whole number"),))  # fmt: skip

elementwise(
    "round", "x", np.rint, 0,
    aliases=("rint",), group=GROUP, summary="Rounded to the nearest whole number, halves to the even one.",
    example="round([1.2, 2.5])", edge="the gradient is 0 everywhere, also at the jumps", domain=((0.6, 0.9),),
    kinks=(Kink(lambda x: np.abs(x - np.trunc(x)) == 0.5, "a jump: halfway between whole numbers"),),
)  # fmt: skip


def _inside(xp: Any, x: Any, lo: Any, hi: Any) -> Any:
    return xp.where(xp.logical_or(x < lo, x > hi), 0.0, 1.0)


def _below(xp: Any, x: Any, lo: Any, hi: Any) -> Any:
    return xp.where(xp.logical_and(x < lo, lo <= hi), 1.0, 0.0)


def _above(xp: Any, x: Any, lo: Any, hi: Any) -> Any:
    return xp.where(xp.logical_or(x > hi, lo > hi), 1.0, 0.0)


elementwise(
    "clip", "x, lo = None or -inf, hi = None or inf", lambda x, lo, hi: np.minimum(np.maximum(x, lo), hi),
    lambda xp, _out, x, lo, hi: _inside(xp, x, lo, hi),
    lambda xp, _out, x, lo, hi: _below(xp, x, lo, hi),
    lambda xp, _out, x, lo, hi: _above(xp, x, lo, hi),
    selects=True, aliases=("clamp",), node="Clamp", group=GROUP, summary="x, but at least lo and at most hi.",
    example="clip([-2, 0, 2], -1, 1)", edge="at a bound the gradient goes to x; where lo > hi the result is hi",
    domain=((-2.0, 2.0), (-1.0, -0.5), (0.5, 1.0)),
    kinks=(
        Kink(lambda x, lo, hi: (x == lo) | (x == hi), "a corner: x lies at a bound"),
        Kink(lambda x, lo, hi: lo == hi, "a tie: the bounds are equal"),
    ),
)  # fmt: skip


def _masks(name: str, operands: Sequence[Any]) -> Layout:
    if any(x.dtype != bool for x in operands):
        raise BadArgument(
            f"{name}: it takes masks only, not numbers", help="compare, as in (x > 0) & (x < 1); or use and, or, not"
        )
    return layouts.broadcasting(name, operands)


constant("bitwise_and", "a, b", np.logical_and, operator="&", masks=True, prepare=_masks, spread=True, group=GROUP,
         summary="Mask of where both masks are true.", example="bitwise_and(isnan([nan, 1]), isnan([nan, nan]))",
         )  # fmt: skip
constant("bitwise_or", "a, b", np.logical_or, operator="|", masks=True, prepare=_masks, spread=True, group=GROUP,
         summary="Mask of where one or both masks are true.", example="bitwise_or(isnan([nan, 1]), isinf([1, inf]))",
         )  # fmt: skip
constant("bitwise_not", "x", np.logical_not, operator="~", masks=True, prepare=_masks, group=GROUP,
         summary="Mask of where the mask is not true.", example="bitwise_not(isnan([nan, 1]))")  # fmt: skip

constant("isnan", "x", np.isnan, group=GROUP, summary="Mask of where x is nan.", example="isnan([1, nan])")
constant("isinf", "x", np.isinf, group=GROUP, summary="Mask of where x is inf or -inf.", example="isinf([1, -inf])")
constant("isfinite", "x", np.isfinite, group=GROUP, summary="Mask of where x is neither nan nor infinite.",
         example="isfinite([1, nan])")  # fmt: skip
