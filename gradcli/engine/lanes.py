"""Live lanes: sweeps that know which zeros of a flow are structural.

A lane that was not selected (an untaken branch, an element not indexed, the zeros of a one-hot seed) contributes
nothing, term by term, whatever stands beside it: 0 * inf = nan is no answer for it. A sweep that met nan is run again
with `Live` as the namespace of its rules, on pairs of a flow and its live lanes. There is no second rule: every rule
is linear in its flow, so that whatever entry a flow goes through (matmul, solve, scatter ...) can be asked on generic
numbers which results a live lane reaches, and which of those depend on bad data (see `through`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.primitives.table import TABLE, Shape, arrays
from gradcli.results import Array

_BLOCK = 65_537
"""Generic numbers are told apart up to as many; it is a prime, so that longer arrays do not repeat by rows."""
_HUGE = 1e300
_MOVED = 1e-9
"""What a result that depends on a number moves by, relatively, when that is drawn anew: far more than rounding."""


@cache
def _block(seed: int) -> Array:
    """Positive numbers without pattern, always the same. Their logarithms have mean 0: long products stay in range."""
    return np.exp(np.random.default_rng(seed).uniform(-0.5, 0.5, _BLOCK))


def generic(shape: Shape, seed: int = 0) -> Array:
    """Positive numbers of which sums, differences and products of a few do not vanish by chance; not to be written."""
    size = prod(shape)
    return (_block(seed)[:size] if size <= _BLOCK else np.resize(_block(seed), size)).reshape(shape)


def number_of(x: Any) -> Any:
    """The array of a flow, tensor or array."""
    if isinstance(x, Pair):
        x = x.value
    return x.array if isinstance(x, Tensor) else x


Lanes = Array | None
"""Which lanes are live; None: all of them, as in most flows."""


class Pair:
    """A flow and its live lanes: `value` is an array, or a tensor where the sweep is recorded, and 0 in dead lanes."""

    __slots__ = ("live", "value", "xp")

    # NumPy must leave `ndarray * Pair` to Pair.__rmul__.
    __array_ufunc__ = None

    def __init__(self, xp: Any, value: Any, live: Lanes) -> None:
        self.xp = xp
        self.value = value
        self.live = live

    @property
    def shape(self) -> Shape:
        shape: Shape = self.value.shape
        return shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return prod(self.shape)

    def taken(self, other: Any) -> Pair:
        """What a rule joins to a flow: a pair, or what it made itself, whose zeros are structural."""
        return other if isinstance(other, Pair) else entering(self.xp, other)

    def _each(self, value: Any, lanes: Callable[[Array], Array]) -> Pair:
        return Pair(self.xp, value, None if self.live is None else lanes(self.live))

    def reshape(self, shape: Shape) -> Pair:
        return self._each(self.value.reshape(shape), lambda live: live.reshape(shape))

    def __getitem__(self, index: Any) -> Pair:
        return self._each(self.value[index], lambda live: np.asarray(live[index]))

    def sum(self, axis: Any, keepdims: bool = False) -> Pair:
        total = self.value.sum(axis=axis, keepdims=keepdims)
        return self._each(total, lambda live: np.asarray(live.any(axis=axis, keepdims=keepdims)))

    def __neg__(self) -> Pair:
        return Pair(self.xp, -self.value, self.live)

    def __add__(self, other: Any) -> Pair:
        other = self.taken(other)
        return Pair(self.xp, self.value + other.value, united(self.live, other.live))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Pair:
        other = self.taken(other)
        return Pair(self.xp, self.value - other.value, united(self.live, other.live))

    def __rsub__(self, other: Any) -> Pair:
        return self.taken(other) - self

    def __mul__(self, other: Any) -> Pair:
        """Numbers that are 0 are numbers; but a product with a dead lane is dead."""
        if isinstance(other, Pair):
            return cleaned(self.xp, self.value * other.value, common(self.live, other.live))
        return cleaned(self.xp, self.value * other, self.live)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Pair:
        return cleaned(self.xp, self.value / other, self.live)

    def __matmul__(self, other: Any) -> Pair:
        return product(self.xp, self, other)

    def __rmatmul__(self, other: Any) -> Pair:
        return product(self.xp, other, self)


def cleaned(xp: Any, value: Any, live: Lanes) -> Pair:
    """A pair of a value in whose dead lanes anything may stand."""
    if live is None:
        return Pair(xp, value, None)
    return Pair(xp, xp.where(live, value, 0.0), np.broadcast_to(live, value.shape))


def united(a: Lanes, b: Lanes) -> Lanes:
    return None if a is None or b is None else a | b


def common(a: Lanes, b: Lanes) -> Lanes:
    return b if a is None else a if b is None else a & b


def marked(found: Array) -> Lanes:
    """The lanes where numbers that tell them are not 0."""
    live: Array = np.asarray(found != 0)
    return None if live.all() else live


def entering(xp: Any, flow: Any) -> Pair:
    """A flow whose zeros are structural: a seed, unless that is itself to be differentiated."""
    value = flow if isinstance(flow, Tensor) else np.asarray(flow)
    return Pair(xp, value, None if isinstance(flow, Tensor) and flow.requires_grad else marked(number_of(value)))


def answered(flow: Pair, value: Any, rank: int) -> Pair:
    """What a hook returned in place of a flow with `rank` axes of its own: it may have mixed them, so that all that is
    not 0 is live wherever anything that entered was."""
    if flow.live is None:
        return Pair(flow.xp, value, None)
    entered = flow.live.any(axis=tuple(range(-rank, 0)), keepdims=True)
    return cleaned(flow.xp, value, entered & (number_of(value) != 0))


class Live:
    """`xp` on pairs, over `arrays` or the recorder. What does not meet a flow goes the way that it goes there."""

    def __init__(self, xp: Any) -> None:
        self._xp = xp
        self.records: bool = xp.records

    def where(self, condition: Any, a: Any, b: Any) -> Any:
        flow = next((x for x in (a, b) if isinstance(x, Pair)), None)
        if flow is None:
            return self._xp.where(condition, a, b)
        a, b = flow.taken(a), flow.taken(b)
        value = self._xp.where(condition, a.value, b.value)
        if a.live is None and b.live is None:
            return Pair(self._xp, value, None)
        mask = number_of(condition) != 0
        live = np.where(mask, True if a.live is None else a.live, True if b.live is None else b.live)
        return Pair(self._xp, value, np.broadcast_to(live, value.shape))

    def chosen(self, flow: Pair, weight: Any) -> Pair:
        return cleaned(self._xp, flow.value * weight, common(flow.live, marked(number_of(weight))))

    def along(self, g: Pair, out: Any, direction: Any, weight: Any) -> Pair:
        return cleaned(self._xp, self._xp.along(g.value, out, direction, weight), g.live)

    def matmul(self, a: Any, b: Any) -> Any:
        return product(self._xp, a, b) if isinstance(a, Pair) or isinstance(b, Pair) else self._xp.matmul(a, b)

    def __getattr__(self, name: str) -> Any:
        plain = getattr(self._xp, name)
        entry = TABLE[name]
        looking = entry.kind in ("elementwise", "constant") or all(rule == 0 for rule in entry.rules)

        def called(*operands: Any, **params: Any) -> Any:
            if not operands:  # `eye` and its kin, made by a rule
                return entering(self._xp, plain(**params))
            flow = next((x for x in operands if isinstance(x, Pair)), None)
            if flow is None:
                return plain(*operands, **params)
            if looking:  # not linear: a rule wants to know where its flow is 0, or how large
                return plain(*(x.value if isinstance(x, Pair) else x for x in operands), **params)
            if entry.kind == "linear":
                operands = tuple(map(flow.taken, operands))
            return through(self._xp, lambda xp, *given: getattr(xp, name)(*given, **params), operands)

        setattr(self, name, called)
        return called


@cache
def live_lanes(xp: Any) -> Live:
    """The namespace of pairs over `xp`."""
    return Live(xp)


def product(xp: Any, a: Any, b: Any) -> Pair:
    """`a @ b`, of which one is a flow. Data that meets only dead lanes is left out at once: where that leaves nothing
    bad, as in a regression with missing rows, there is no need to ask `through`."""
    flow, axis, data = (a, -1, b) if isinstance(a, Pair) else (b, -2, a)
    live: Lanes = None
    if flow.live is not None:
        dead = np.flatnonzero(~flow.live.any(axis=tuple(k for k in range(-flow.ndim, 0) if k != axis)))
        if dead.size:
            data = _replaced(xp, data, (..., dead, slice(None)) if axis == -1 else (..., dead), 0.0)
        live = np.asarray(flow.live.any(axis=axis, keepdims=True))
    value = xp.matmul(flow.value, data) if axis == -1 else xp.matmul(data, flow.value)
    if np.isfinite(number_of(value)).all():
        return Pair(xp, value, None if live is None or live.all() else np.broadcast_to(live, value.shape))
    return through(xp, lambda xp, *given: xp.matmul(*given), (a, b))


def _replaced(xp: Any, x: Any, places: Any, numbers: Any) -> Any:
    """Data with `numbers` at an index."""
    out = np.array(number_of(x), order="K")  # a transposed one stays so: half the time
    if not xp.records:
        out[places] = numbers
        return out
    mask = np.zeros(out.shape, dtype=bool)
    out[places], mask[places] = numbers, True
    return xp.where(mask, out, x)


Call = Callable[..., Any]


def through(xp: Any, call: Call, operands: Sequence[Any]) -> Pair:
    """What `call(xp, *operands)`, linear in the flows among its operands, makes of them.

    1. Live is what generic numbers for the live flow and for the data reach.
    2. The value is that of the operands with a generic number for every bad element (never 0: a matrix would become
       singular).
    3. Poisoned are the results that move when only bad elements of what gave 1. are drawn anew; these are what the
       call makes of the operands as they are or, where a dead lane met a bad element there, what `_outcome` says.
    """
    standing = _Standing(operands)
    live = marked(np.asarray(call(arrays, *standing.generic())))
    if not standing.bad:
        value = call(xp, *(x.value if isinstance(x, Pair) else x for x in operands))
        return Pair(xp, value, live) if np.isfinite(number_of(value)).all() else cleaned(xp, value, live)
    by_nan, by_inf = (standing.told(test, call) for test in (np.isnan, np.isinf))
    value = call(xp, *standing.mended(xp))
    poisoned = by_nan | by_inf
    if not np.any(poisoned):
        return cleaned(xp, value, live)
    plain = call(xp, *(x.value if isinstance(x, Pair) else x for x in operands))
    lost = np.isnan(number_of(plain))
    factor = np.where(by_nan, np.nan, _outcome(call, standing, number_of(value)))
    return cleaned(xp, xp.where(poisoned, xp.where(lost, value * factor, plain), value), live)


def _outcome(call: Call, standing: _Standing, value: Array) -> Array:
    """For results that depend on infinite elements what to multiply their value by: an infinity if huge numbers in
    their places, whichever, make a huge result of one sign, else nan."""
    found = [np.asarray(call(arrays, *standing.huge(k))) for k in range(3)]
    agreed = np.all([np.abs(x) > 1e50 * np.abs(value) for x in found], axis=0)
    agreed &= np.all([np.sign(x) == np.sign(found[0]) for x in found], axis=0)
    return np.where(agreed, np.sign(found[0]) * np.sign(value) * np.inf, np.nan)


class _Standing:
    """Numbers that stand for the flows and data among the operands of a call; all else (indices, masks) stays.

    `bad` are the numbers of those operands that hold elements which are not finite.
    """

    def __init__(self, operands: Sequence[Any]) -> None:
        self._operands = operands
        self._given: list[Any] = [number_of(x) for x in operands]
        real = [isinstance(x, np.ndarray | np.floating) and x.dtype.kind == "f" for x in self._given]
        self._real = [i for i, found in enumerate(real) if found]
        self.bad = [i for i in self._real if not np.isfinite(self._given[i]).all()]
        self._stand = list(self._given)

    def generic(self) -> list[Any]:
        """Generic numbers for the live lanes of flows and for all data."""
        for i in self._real:
            drawn = generic(self._given[i].shape, i)
            x = self._operands[i]
            self._stand[i] = np.where(x.live, drawn, 0.0) if isinstance(x, Pair) and x.live is not None else drawn
        for i in self.bad:
            self._stand[i] = np.array(self._stand[i])
        return self._stand

    def told(self, test: Callable[[Any], Any], call: Call) -> Array | bool:
        """Which results move when those elements that `test` names are drawn anew."""
        places = {i: test(self._given[i]) for i in self.bad}
        if not any(marks.any() for marks in places.values()):
            return False
        before = np.asarray(call(arrays, *self._stand))
        for i, marks in places.items():
            self._draw(i, marks, 1)
        moved: Array = np.abs(np.asarray(call(arrays, *self._stand)) - before) > _MOVED * np.abs(before)
        return moved

    def mended(self, xp: Any) -> list[Any]:
        """The operands, with generic numbers for bad elements."""
        found = []
        for i, x in enumerate(self._operands):
            x = x.value if isinstance(x, Pair) else x
            if i in self.bad:
                bad = ~np.isfinite(self._given[i])
                x = _replaced(xp, x, bad, generic((int(np.count_nonzero(bad)),), i))
            found.append(x)
        return found

    def huge(self, k: int) -> list[Any]:
        """The operands, with huge numbers for infinite elements, and generic ones for nan."""
        for i in self.bad:
            x = self._given[i]
            np.copyto(self._stand[i], x)
            self._draw(i, np.isnan(x), 0)
            self._draw(i, np.isinf(x), 2 + k, np.sign(x) * (_HUGE / 2))
        rest = [i for i in self._real if i not in self.bad]
        for i in rest:
            self._stand[i] = self._given[i]
        return self._stand

    def _draw(self, i: int, places: Array, again: int, scale: Any = None) -> None:
        drawn = generic((int(np.count_nonzero(places)),), 100 * (again + 1) + i)
        self._stand[i][places] = drawn if scale is None else drawn * scale[places]
