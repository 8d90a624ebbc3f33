"""Live lanes: sweeps that know which zeros of a flow are structural.

A lane that was not selected (an untaken branch, an element not indexed, the zeros of a one-hot seed) contributes
nothing, term by term, whatever stands beside it: 0 * inf = nan is no answer for it. A sweep that met nan is run again
with `Live` as the namespace of its rules, on pairs of a flow and its live lanes. There is no second rule: every rule
is linear in its flow, so that whatever entry a flow goes through (matmul, solve, scatter ...) can be asked on generic
numbers which results a live lane reaches, and which of those depend on bad data (see `through`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

import numpy as np

from gradcli.engine import rules
from gradcli.engine.standing import Call, Lanes, Standing, generic
from gradcli.engine.tensor import Tensor
from gradcli.errors import BadArgument
from gradcli.primitives.table import TABLE, Primitive, Shape, arrays
from gradcli.results import Array
from gradcli.span import Span


def number_of(x: Any) -> Any:
    """The array of a flow, tensor or array."""
    if isinstance(x, Pair):
        x = x.value
    return x.array if isinstance(x, Tensor) else x


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
        if not self.size:  # no term, no live lane
            return cleaned(self.xp, total, np.zeros(total.shape, dtype=bool))
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
        plain, plain_arrays = getattr(self._xp, name), getattr(arrays, name)
        entry = TABLE[name]
        looking = entry.kind in ("elementwise", "constant") or all(rule == 0 for rule in entry.rules)

        def called(*operands: Any, **params: Any) -> Any:
            if not operands:  # `eye` and its kin, made by a rule
                return entering(self._xp, plain(**params))
            flow = next((x for x in operands if isinstance(x, Pair)), None)
            if flow is None:
                return plain(*operands, **params)
            if looking:  # not linear: a rule wants to know where its flow is 0, or how large
                return plain(*map(value_of, operands), **params)
            if entry.kind == "linear":  # all operands are flows, and no data can spoil them
                flows = [flow.taken(x) for x in operands]
                probe = np.asarray(plain_arrays(*_standing(flows).generic(), **params))
                lanes = marked(np.where(np.isnan(probe), 0.0, probe))  # nan: the mean of nothing
                return cleaned(self._xp, plain(*map(value_of, flows), **params), lanes)
            if self.records and any(isinstance(x, Pair) and x.live is not None for x in operands):
                operands = tuple(met(self._xp, entry, params, operands, i) for i in range(len(operands)))
            return through(
                self._xp, lambda xp, *given: getattr(xp, name)(*given, **params), operands, entry.multilinear
            )

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
    if not flow.size:
        return cleaned(xp, value, np.zeros(value.shape, dtype=bool))
    if np.isfinite(number_of(value)).all():
        return Pair(xp, value, None if live is None or live.all() else np.broadcast_to(live, value.shape))
    return through(xp, lambda xp, *given: xp.matmul(*given), (a, b), True)


def _replaced(xp: Any, x: Any, places: Any, numbers: Any) -> Any:
    """Data with `numbers` at an index."""
    out = np.array(number_of(x), order="K")  # a transposed one stays so: half the time
    if not xp.records:
        out[places] = numbers
        return out
    mask = np.zeros(out.shape, dtype=bool)
    out[places], mask[places] = numbers, True
    return xp.where(mask, out, x)


def through(xp: Any, call: Call, operands: Sequence[Any], multilinear: bool) -> Pair:
    """What `call(xp, *operands)`, linear in the flows among its operands, makes of them.

    1. Live is what generic numbers for the live flow and for the data reach.
    2. The value is that of the operands with a generic number for every bad element (never 0: a matrix would become
       singular).
    3. Poisoned are the results that move when only bad elements of what gave 1. are drawn anew; these are what the
       call makes of the operands as they are or, where a dead lane met a bad element there, what `outcome` says, which
       is an infinity only where the call is linear in the data too.
    """
    standing = _standing(operands)
    live = marked(np.asarray(call(arrays, *standing.generic())))
    if not standing.bad:
        value = call(xp, *map(value_of, operands))
        return Pair(xp, value, live) if np.isfinite(number_of(value)).all() else cleaned(xp, value, live)
    by_nan, by_inf = (standing.told(test, call) for test in (np.isnan, np.isinf))
    try:
        value = call(xp, *_mended(xp, operands, standing.bad, ()))
    except BadArgument:  # singular all the same: what a matrix with a bad element gives is poisoned as a whole
        value = call(xp, *_mended(xp, operands, standing.bad, (-2, -1)))
    poisoned = by_nan | by_inf
    if not np.any(poisoned):
        return cleaned(xp, value, live)
    plain = call(xp, *map(value_of, operands))
    if multilinear:
        outcome = np.where(by_nan, np.nan, standing.outcome(call))
        found = np.isnan(number_of(plain)) & np.isinf(outcome)
        if xp.records:
            outcome = value * (outcome * np.sign(number_of(value)))  # that its derivative is no number either
        plain = xp.where(found, outcome, plain)
    return cleaned(xp, xp.where(poisoned, plain, value), live)


@dataclass(slots=True)
class _Asked:
    """An entry's call on numbers that stand for its operands, as the rules see it."""

    primitive: Primitive
    params: Mapping[str, Any]
    arrays: Sequence[Any]
    out: Any
    span: Span | None = None


def met(xp: Any, entry: Primitive, params: Mapping[str, Any], operands: Sequence[Any], position: int) -> Any:
    """A tensor among the data of a recorded call, with constants for those elements that meet only dead lanes: the
    derivative of what is 0 whatever they are shall not ask for theirs."""
    x = operands[position]
    if not isinstance(x, Tensor) or not x.requires_grad:
        return x
    stand = _standing(operands).generic()
    out = entry.forward(*stand, **params)
    call = _Asked(entry, params, stand, out)
    seed = np.where(out != 0, generic(out.shape, len(operands)), 0.0)
    reached = rules.fit(arrays, rules.vjp(call, position, arrays, seed, call), 0, x.shape) != 0
    return x if reached.all() else xp.where(reached, x, x.array)


def _mended(xp: Any, operands: Sequence[Any], which: Sequence[int], axes: tuple[int, ...]) -> list[Any]:
    """The operands with generic numbers for their bad elements, and for what shares these axes with one."""
    mended = list(map(value_of, operands))
    for i in which:
        bad = ~np.isfinite(number_of(mended[i]))
        bad = np.broadcast_to(bad.any(axis=axes, keepdims=True), bad.shape)
        mended[i] = _replaced(xp, mended[i], bad, generic((int(np.count_nonzero(bad)),), i))
    return mended


def value_of(x: Any) -> Any:
    return x.value if isinstance(x, Pair) else x


def _standing(operands: Sequence[Any]) -> Standing:
    lanes = [x.live if isinstance(x, Pair) else None for x in operands]
    return Standing([number_of(x) for x in operands], lanes)
