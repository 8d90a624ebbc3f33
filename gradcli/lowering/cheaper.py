"""Calls of a trace that give the same, bit for bit, for less."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gradcli.lowering.trace import Traced, Tracer


def cheaper(tracer: Tracer, ufunc: np.ufunc, given: Sequence[Traced]) -> Traced | None:
    """What a call gives, by another one or none; None where it is as cheap as can be."""
    if ufunc is np.bitwise_and:
        return _nowhere(tracer, *given)
    if ufunc not in (np.add, np.subtract, np.multiply, np.power) or any(x.value.dtype != np.float64 for x in given):
        return None
    a, b = given
    if ufunc is np.power:
        # Of a single exponent 2 NumPy makes a square too, in more time.
        return tracer.ufunc(np.square, [a]) if b.size == 1 and _is(b, 2.0) and b.ndim <= a.ndim else None
    if ufunc is np.multiply:
        return _product(tracer, a, b)
    return _signed(tracer, ufunc, a, b)


def _nowhere(tracer: Tracer, a: Traced, b: Traced) -> Traced | None:
    """A mask united with one that is false everywhere."""
    if not any(x.register is None and x.value.dtype == bool and not np.any(x.value) for x in (a, b)):
        return None
    return tracer.constant(np.zeros(np.broadcast_shapes(a.shape, b.shape), bool))


def _product(tracer: Tracer, a: Traced, b: Traced) -> Traced | None:
    shape = np.broadcast_shapes(a.shape, b.shape)
    for one, other in ((a, b), (b, a)):
        if _is(one, 1.0) and other.shape == shape:
            return other
    if a is b:
        return tracer.ufunc(np.square, [a])
    for one, other in ((a, b), (b, a)):
        if one.register in tracer.negated:
            return tracer.ufunc(np.negative, [tracer.ufunc(np.multiply, [tracer.negated[one.register], other])])
    return None


def _signed(tracer: Tracer, ufunc: np.ufunc, a: Traced, b: Traced) -> Traced | None:
    """`a + -b` is `a - b`, and the other way round."""
    if b.register in tracer.negated:
        return tracer.ufunc(np.subtract if ufunc is np.add else np.add, [a, tracer.negated[b.register]])
    if ufunc is np.add and a.register in tracer.negated:
        return tracer.ufunc(np.subtract, [b, tracer.negated[a.register]])
    return None


def _is(x: Traced, number: float) -> bool:
    return x.register is None and bool(np.all(x.value == number))
