"""Losses with PyTorch's meaning: a term for each element, and their mean, their sum, or the terms themselves.

A loss is told by its term and the term's partial derivatives, as an elementwise entry would be.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gradcli.errors import BadArgument, ShapeMismatch
from gradcli.primitives import layouts
from gradcli.primitives.budget import shape_text
from gradcli.primitives.choice import unless
from gradcli.primitives.table import Kink, Layout, Rule, arrays, chosen, general

GROUP = "loss"
REDUCTION = 'reduction: string = "mean"'

Axes = tuple[int, ...]


def reduced(name: str, reduction: Any, axes: Axes, shape: tuple[int, ...], mean: float) -> Layout:
    """The part of a layout that a reduction decides: result shape, axes to sum over, and the divisor `count`."""
    if reduction not in ("mean", "sum", "none"):
        raise BadArgument(f'{name}: the reduction is "mean", "sum" or "none", not {reduction!r}')
    if reduction == "none":
        return Layout(shape, {"axis": (), "count": 1.0})
    return Layout((), {"axis": axes, "count": mean if reduction == "mean" else 1.0})


def _elements(name: str, operands: Sequence[Any], reduction: Any, **params: Any) -> Layout:
    shape = layouts.broadcast_shapes(name, [x.shape for x in operands], operands=True)
    rank = len(shape)
    layout = reduced(name, reduction, tuple(range(-rank, 0)), shape, float(prod(shape)))
    shapes = tuple(layouts.padded(x.shape, rank) for x in operands)
    return Layout(layout.out, {**layout.params, **params}, shapes)


def _loss(name: str, text: str, term: Rule, *partials: Rule, selects: tuple[bool, ...] = (), **facts: Any) -> None:
    """An entry from `term(a, b)` and its partials `(xp, a, b)`, each of which depends on the other operand; a loss with
    a bound between two regimes has it as the third operand of all."""

    def forward(*operands: Any, axis: Axes, count: float, **params: Any) -> Any:
        return np.sum(term(*operands, **params), axis=axis, keepdims=True) / np.float64(count)

    def flows(partial: Any, selects: bool) -> tuple[Rule, Rule]:
        def slope_of(xp: Any, a: Any, b: Any, bound: Any, params: Any) -> Any:
            return partial(xp, a, b, **params) if bound is None else partial(xp, a, b, bound, **params)

        def vjp(
            xp: Any, g: Any, _out: Any, a: Any, b: Any, bound: Any = None, *, axis: Axes, count: float, **params: Any
        ) -> Any:
            slope = slope_of(xp, a, b, bound, params)
            return chosen(xp, selects, g, slope) / np.float64(count)

        def jvp(
            xp: Any, t: Any, _out: Any, a: Any, b: Any, bound: Any = None, *, axis: Axes, count: float, **params: Any
        ) -> Any:
            slope = slope_of(xp, a, b, bound, params)
            return xp.sum(chosen(xp, selects, t, slope), axis=axis) / np.float64(count)

        return vjp, jvp

    selects = selects or (False,) * len(partials)
    vjps, jvps = zip(*map(flows, partials, selects), strict=True)
    facts = {"prepare": _elements, "selects": selects, **facts}
    general(name, text, forward, vjps, jvps, group=GROUP, spread=True, **facts)


def _opposite(partial: Rule) -> Rule:
    return lambda xp, *operands, **params: -partial(xp, *operands, **params)


def _zero_gap(a: Any, b: Any, **params: Any) -> Any:
    return a == b


def _mse(xp: Any, a: Any, b: Any) -> Any:
    return 2.0 * (a - b)


def _l1(xp: Any, a: Any, b: Any) -> Any:
    return xp.sign(a - b)


def _huber(xp: Any, a: Any, b: Any, delta: Any) -> Any:
    return xp.clip(a - b, -delta, delta)


def _huber_bound(xp: Any, a: Any, b: Any, delta: Any) -> Any:
    gap = xp.abs(a - b)
    return xp.where(gap <= delta, 0.0, gap - delta)


def _smooth_l1(xp: Any, a: Any, b: Any, beta: Any) -> Any:
    return xp.where(beta == 0, xp.sign(a - b), xp.clip((a - b) / beta, -1.0, 1.0))


def _smooth_l1_bound(xp: Any, a: Any, b: Any, beta: Any) -> Any:
    gap = xp.abs(a - b)
    return xp.where(xp.logical_or(gap > beta, beta == 0), -0.5, -0.5 * xp.square(gap / beta))


def _huber_term(a: Any, b: Any, delta: Any) -> Any:
    gap = np.abs(a - b)
    return np.where(gap <= delta, 0.5 * gap * gap, delta * (gap - 0.5 * delta))


def _smooth_l1_term(a: Any, b: Any, beta: Any) -> Any:
    return np.where(beta == 0, np.abs(a - b), _huber_term(a, b, beta) / beta)


_loss("mse_loss", f"input, target, {REDUCTION}", lambda a, b: np.square(a - b), _mse, _opposite(_mse), aliases=("mse",),
      summary="Mean squared error.", example="mse_loss([1, 2], [0, 0])",
      derivative="d/dinput = 2*(input - target)/size(input); d/dtarget = -2*(input - target)/size(input)")  # fmt: skip
_loss("l1_loss", f"input, target, {REDUCTION}", lambda a, b: np.abs(a - b), _l1, _opposite(_l1), aliases=("mae",),
      summary="Mean absolute error.", example="l1_loss([1, 2], [0, 0])", edge="where both are equal the gradient is 0",
      derivative="d/dinput = sign(input - target)/size(input); d/dtarget = -sign(input - target)/size(input)",
      kinks=(Kink(lambda a, b, **params: _zero_gap(a, b), "a corner: both are equal"),))  # fmt: skip
_BOUNDED = ((-2.0, 2.0), (-2.0, 2.0), (0.5, 1.5))

_BEND = Kink(lambda a, b, bound, **params: np.abs(a - b) == bound, "the curvature jumps where the gap is the bound",
             order=2)  # fmt: skip

_loss("huber_loss", f"input, target, {REDUCTION}, delta = 1.0", _huber_term, _huber, _opposite(_huber), _huber_bound,
      selects=(False, False, True), aliases=("huber",), domain=_BOUNDED,
      summary="Quadratic up to a gap of delta, linear beyond.",
      derivative="d/dinput = clip(input - target, -delta, delta)/size(input); "
      "d/dtarget = -clip(input - target, -delta, delta)/size(input); "
      "d/ddelta = where(abs(input - target) <= delta, 0, abs(input - target) - delta)/size(input)",
      edge="at a gap of delta the second derivative is that within",
      example="huber_loss([1, 5], [0, 0], delta=2)", kinks=(_BEND,))  # fmt: skip
_loss("smooth_l1_loss", f"input, target, {REDUCTION}, beta = 1.0", _smooth_l1_term, _smooth_l1,
      _opposite(_smooth_l1), _smooth_l1_bound, summary="huber_loss divided by its bound beta.", domain=_BOUNDED,
      derivative="d/dinput = clip((input - target)/beta, -1, 1)/size(input); "
      "d/dtarget = -clip((input - target)/beta, -1, 1)/size(input); "
      "d/dbeta = -0.5*where(abs(input - target) > beta, 1, ((input - target)/beta)**2)/size(input)",
      edge="at a gap of beta the second derivative is that within",
      example="smooth_l1_loss([1, 5], [0, 0], beta=2)", kinks=(_BEND,))  # fmt: skip


# ---- probabilities of two classes

_LEAST_LOG = -100.0  # PyTorch's bound of a logarithm in this loss


def _bce_term(p: Any, y: Any) -> Any:
    return -(y * np.maximum(np.log(p), _LEAST_LOG) + (1.0 - y) * np.maximum(np.log1p(-p), _LEAST_LOG))


def _bce(xp: Any, p: Any, y: Any) -> Any:
    inside = unless(xp, xp.logical_or(p < 0, p > 1)) * p
    return (inside - y) / xp.maximum(inside * (1.0 - inside), 1e-12)


def _bce_target(xp: Any, p: Any, _y: Any) -> Any:
    return xp.clip(xp.log1p(-p), _LEAST_LOG, np.inf) - xp.clip(xp.log(p), _LEAST_LOG, np.inf)


_loss("binary_cross_entropy", f"input, target, {REDUCTION}", _bce_term, _bce, _bce_target, aliases=("bce", "bce_loss"),
      summary="Cross entropy of probabilities and targets between 0 and 1.",
      example="binary_cross_entropy([0.9, 0.2], [1, 0])", domain=((0.2, 0.8), (0.2, 0.8)),
      derivative="d/dinput = (input - target)/(input*(1 - input))/size(input); "
      "d/dtarget = (log(1 - input) - log(input))/size(input)",
      edge="logarithms are at least -100 and p*(1 - p) at least 1e-12, as in PyTorch; nan outside of [0, 1]",
      kinks=(Kink(lambda p, y, **params: (p == 0) | (p == 1), "the logarithm of 0, cut at -100"),))  # fmt: skip


def _bce_logits_term(x: Any, y: Any) -> Any:
    return y * np.logaddexp(0.0, -x) + (1.0 - y) * np.logaddexp(0.0, x)


_loss("binary_cross_entropy_with_logits", f"input, target, {REDUCTION}", _bce_logits_term,
      lambda xp, x, y: (1.0 - y) * xp.sigmoid(x) - y * xp.sigmoid(-x), lambda xp, x, _y: -x,
      aliases=("bce_with_logits",), summary="binary_cross_entropy of sigmoid(input), without overflow.",
      example="binary_cross_entropy_with_logits([3, -1000], [1, 0])", domain=((-2.0, 2.0), (0.2, 0.8)),
      derivative="d/dinput = (sigmoid(input) - target)/size(input); d/dtarget = -input/size(input)")  # fmt: skip


# ---- divergence, margin


def _kl_term(x: Any, y: Any, *, log_target: bool) -> Any:
    if log_target:
        return np.exp(y) * (y - x)
    return np.where(y == 0, 0.0, y * np.log(y)) - y * x


def _kl_input(xp: Any, _x: Any, y: Any, *, log_target: bool) -> Any:
    return -xp.exp(y) if log_target else -y


def _kl_target(xp: Any, x: Any, y: Any, *, log_target: bool) -> Any:
    return xp.exp(y) * (y - x + 1.0) if log_target else xp.log(y) + 1.0 - x


def _batches(name: str, operands: Sequence[Any], reduction: Any, log_target: bool) -> Layout:
    """kl_div has one more reduction, the one of the definition: the sum divided by the size of the first axis."""
    if reduction != "batchmean":
        return _elements(name, operands, reduction, log_target=log_target)
    layout = _elements(name, operands, "sum", log_target=log_target)
    shape = layouts.broadcast_shapes(name, [x.shape for x in operands], operands=True)
    return Layout((), {**layout.params, "count": float(shape[0]) if shape else 1.0}, layout.shapes)


_loss("kl_div", f"input, target, {REDUCTION}, log_target: flag = False", _kl_term, _kl_input, _kl_target,
      prepare=_batches, summary="Divergence of a target from an input given as logarithms of probabilities.",
      example='kl_div(log([0.5, 0.5]), [0.25, 0.75], reduction="sum")', domain=((-2.0, -0.5), (0.2, 0.8)),
      derivative="d/dinput = -target/size(input); d/dtarget = (log(target) + 1 - input)/size(input)",
      edge="at a target of 0 its gradient is -inf",
      kinks=(Kink(lambda x, y, *, log_target, **params: (y == 0) & (not log_target), "the logarithm of 0"),),
      )  # fmt: skip


def _hinge(xp: Any, flow: Any, x: Any, y: Any) -> Any:
    return xp.where(x * y > 1, 0.0, -flow)


_loss("hinge_loss", f"input, target, {REDUCTION}", lambda x, y: np.maximum(1.0 - x * y, 0.0),
      lambda xp, x, y: _hinge(xp, y, x, y), lambda xp, x, y: _hinge(xp, x, x, y), aliases=("hinge",),
      selects=(True, True),
      summary="max(0, 1 - target*input) for targets -1 and 1.", example="hinge_loss([0.5, 3], [1, -1])",
      derivative="d/dinput = where(input*target > 1, 0, -target)/size(input); "
      "d/dtarget = where(input*target > 1, 0, -input)/size(input)",
      edge="at the margin the gradient is that of the inside",
      kinks=(Kink(lambda x, y, **params: x * y == 1, "a corner: at the margin"),))  # fmt: skip


# ---- cosine


def _along(name: str, operands: Sequence[Any], axis: int) -> Layout:
    shape = layouts.broadcast_shapes(name, [x.shape for x in operands], operands=True)
    place = layouts.negative_axis(name, axis, len(shape))
    if any(x.shape[place:][:1] != shape[place:][:1] for x in operands):
        raise ShapeMismatch(
            f"{name}: the vectors along axis {axis} have different lengths: shapes "
            f"{' and '.join(shape_text(x.shape) for x in operands)}"
        )
    shapes = tuple(layouts.padded(x.shape, len(shape)) for x in operands)
    return Layout(layouts.reduced_shape(shape, (place,), False), {"axis": (place,)}, shapes)


def _cosine(a: Any, b: Any, *, axis: Axes) -> Any:
    return np.sum(arrays.unit(a, axis=axis) * arrays.unit(b, axis=axis), axis=axis, keepdims=True)


def _turn(xp: Any, out: Any, a: Any, b: Any, axis: Axes) -> Any:
    """The derivative in a: across a, towards b; none at a vector of length 0."""
    size = xp.length(a, axis=axis)
    return (xp.unit(b, axis=axis) - out * xp.unit(a, axis=axis)) / xp.where(size == 0, np.nan, size)


general(
    "cosine_similarity", "a, b, axis: integer = -1", _cosine,
    (lambda xp, g, out, a, b, *, axis: g * _turn(xp, out, a, b, axis),
     lambda xp, g, out, a, b, *, axis: g * _turn(xp, out, b, a, axis)),
    (lambda xp, t, out, a, b, *, axis: xp.sum(t * _turn(xp, out, a, b, axis), axis=axis),
     lambda xp, t, out, a, b, *, axis: xp.sum(t * _turn(xp, out, b, a, axis), axis=axis)),
    prepare=_along, group=GROUP, summary="Cosine of the angle between vectors along an axis.",
    example="cosine_similarity([1, 0], [1, 1])",
    derivative="d/da = g*(b/norm(b) - out*a/norm(a))/norm(a); d/db = g*(a/norm(a) - out*b/norm(b))/norm(b)",
    edge="of a zero vector: value 0, gradient infinite or nan",
    kinks=(Kink(lambda a, b, *, axis: np.zeros(np.broadcast_shapes(a.shape, b.shape), bool)
                | (arrays.length(a, axis=axis) == 0) | (arrays.length(b, axis=axis) == 0),
                "the angle of a zero vector is undefined"),),
)  # fmt: skip
