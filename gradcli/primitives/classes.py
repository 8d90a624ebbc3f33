"""Losses of classification: class scores against class numbers, or against the probabilities of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.errors import BadArgument, ShapeMismatch
from gradcli.primitives.budget import shape_text
from gradcli.primitives.losses import GROUP, REDUCTION, reduced
from gradcli.primitives.reductions import log_softmax
from gradcli.primitives.table import Layout, general

Axes = tuple[int, ...]


def _scored(name: str, operands: Sequence[Any], reduction: Any) -> Layout:
    """Classes lie on axis 1, on axis 0 of a vector, as in PyTorch. `numbers` says that the target holds class numbers.

    Class numbers get an axis of size 1 where the classes are, to be compared with 0, 1, 2, ...
    """
    x, y = operands
    if x.ndim == 0:
        raise ShapeMismatch(f"{name}: the scores need an axis of classes")
    place = min(1, x.ndim - 1)
    rest = x.shape[:place] + x.shape[place + 1 :]
    numbers = y.shape == rest
    if not numbers and (y.shape != x.shape or name == "nll_loss"):
        raise ShapeMismatch(
            f"{name}: the target has shape {shape_text(y.shape)}, for scores of shape {shape_text(x.shape)} it must "
            f"hold {shape_text(rest)} class numbers"
            + (f" or {shape_text(x.shape)} probabilities" * (name != "nll_loss"))
        )
    if numbers:
        _check_numbers(name, y, x.shape[place])
    axes = tuple(range(-x.ndim, 0))
    layout = reduced(name, reduction, axes, rest, float(np.prod(rest)))
    classes = place - x.ndim
    params = {**layout.params, "axis": axes if reduction != "none" else (classes,), "classes": classes}
    shape = (*x.shape[:place], 1, *x.shape[place + 1 :]) if numbers else y.shape
    return Layout(layout.out, {**params, "numbers": numbers}, (x.shape, shape))


def _check_numbers(name: str, y: Any, count: int) -> None:
    if np.any((y != np.floor(y)) | (y < 0) | (y >= count)):
        raise BadArgument(f"{name}: class numbers are whole and from 0 to {count - 1}")


def _weights(xp: Any, x: Any, y: Any, classes: int, numbers: bool) -> Any:
    """The share of each class: the probabilities, or 1 at the class number."""
    if not numbers:
        return y
    order = np.arange(x.shape[classes], dtype=np.float64).reshape((-1,) + (1,) * (-classes - 1))
    return xp.where(xp.equal(y, order), 1.0, 0.0)


def _chosen(w: Any, scores: Any, axis: Axes, count: float) -> Any:
    return (0.0 - np.sum(np.where(w == 0, 0.0, w * scores), axis=axis, keepdims=True)) / np.float64(count)


def _cross_entropy(x: Any, y: Any, *, axis: Axes, count: float, classes: int, numbers: bool) -> Any:
    return _chosen(_weights(_NUMPY, x, y, classes, numbers), log_softmax(x, axis=(classes,)), axis, count)


class _NUMPY:
    where, equal = np.where, np.equal


def _score_slope(xp: Any, x: Any, y: Any, count: float, classes: int, numbers: bool) -> Any:
    w = _weights(xp, x, y, classes, numbers)
    whole = 1.0 if numbers else xp.sum(w, axis=(classes,))
    return (xp.softmax(x, axis=(classes,)) * whole - w) / np.float64(count)


def _target_slope(xp: Any, x: Any, count: float, classes: int, numbers: bool) -> Any:
    return 0.0 if numbers else -xp.log_softmax(x, axis=(classes,)) / np.float64(count)


general(
    "cross_entropy", f"input, target, {REDUCTION}", _cross_entropy,
    (lambda xp, g, _out, x, y, *, axis, count, classes, numbers: g * _score_slope(xp, x, y, count, classes, numbers),
     lambda xp, g, _out, x, _y, *, axis, count, classes, numbers: g * _target_slope(xp, x, count, classes, numbers)),
    (lambda xp, t, _out, x, y, *, axis, count, classes, numbers:
        xp.sum(t * _score_slope(xp, x, y, count, classes, numbers), axis=axis),
     lambda xp, t, _out, x, _y, *, axis, count, classes, numbers:
        xp.sum(t * _target_slope(xp, x, count, classes, numbers), axis=axis)),
    prepare=_scored, by_values=True, group=GROUP,
    summary="Cross entropy of softmax(input) and class numbers, or class probabilities.",
    example="cross_entropy([[2, 1, 0], [0, 3, 0]], [0, 1])",
    derivative="(softmax(input) - one-hot target)/n; class numbers have gradient 0",
)  # fmt: skip


def _nll(x: Any, y: Any, *, axis: Axes, count: float, classes: int, numbers: bool) -> Any:
    return _chosen(_weights(_NUMPY, x, y, classes, numbers), x, axis, count)


general(
    "nll_loss", f"input, target, {REDUCTION}", _nll,
    (lambda xp, g, _out, x, y, *, axis, count, classes, numbers:
        xp.chosen(g, _weights(xp, x, y, classes, numbers) / -count),
     0),
    (lambda xp, t, _out, x, y, *, axis, count, classes, numbers:
        xp.sum(xp.chosen(t, _weights(xp, x, y, classes, numbers) / -count), axis=axis),
     lambda xp, t, _out, _x, _y, *, axis, count, classes, numbers: xp.sum(xp.where(np.False_, t, 0.0), axis=axis)),
    prepare=_scored, by_values=True, group=GROUP,
    summary="Negative log likelihood of class numbers, from logarithms of probabilities.",
    example="nll_loss([[-1, -2], [-3, -0.1]], [0, 1])",
    derivative="-one-hot target/n; class numbers have gradient 0",
)  # fmt: skip
