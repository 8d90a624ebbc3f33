"""Numbers that stand for flows and data, to ask a linear call what its results depend on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np

from gradcli.primitives.table import Shape, arrays
from gradcli.results import Array

Lanes = Array | None
"""Which lanes of a flow are live; None: all of them, as in most flows."""
Call = Callable[..., Any]
"""`call(xp, *operands)`."""

_BLOCK = 65_537
"""Generic numbers are told apart up to as many; it is a prime, so that longer arrays do not repeat by rows."""
_MOVED = 1e-9
"""What a result that depends on a number moves by, relatively, when that is drawn anew: far more than rounding."""
_HUGE, _LARGE = 1e250, 1e150
"""What stands for an infinity where signs are asked for, and what a result of one exceeds."""


@cache
def _block(seed: int) -> Array:
    """Positive numbers without pattern, always the same. Their logarithms have mean 0: long products stay in range."""
    return np.exp(np.random.default_rng(seed).uniform(-0.5, 0.5, _BLOCK))


def generic(shape: Shape, seed: int = 0) -> Array:
    """Positive numbers of which sums, differences and products of a few do not vanish by chance; not to be written."""
    size = prod(shape)
    return (_block(seed)[:size] if size <= _BLOCK else np.resize(_block(seed), size)).reshape(shape)


class Standing:
    """What stands for the flows and data among the operands of a call, given as arrays and, of flows, their live lanes;
    all else (indices, masks) stays.

    `bad` are the numbers of those operands that hold elements which are not finite.
    """

    def __init__(self, given: Sequence[Any], lanes: Sequence[Lanes]) -> None:
        self._given, self._lanes = given, lanes
        real = [isinstance(x, np.ndarray | np.floating) and x.dtype.kind == "f" for x in given]
        self._real = [i for i, found in enumerate(real) if found]
        self.bad = [i for i in self._real if not np.isfinite(given[i]).all()]
        self._stand = list(given)

    def generic(self) -> list[Any]:
        """Generic numbers for the live lanes of flows and for all data."""
        for i in self._real:
            drawn, live = generic(self._given[i].shape, i), self._lanes[i]
            self._stand[i] = drawn if live is None else np.where(live, drawn, 0.0)
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
            self._stand[i][marks] = generic((int(np.count_nonzero(marks)),), 100 + i)
        moved: Array = np.abs(np.asarray(call(arrays, *self._stand)) - before) > _MOVED * np.abs(before)
        return moved

    def outcome(self, call: Call) -> Array:
        """For results of a multilinear call that depend on infinite elements: an infinity where no term with one
        vanishes and all are of one sign, so that they add up to as much as without zeros and signs; else nan."""
        signed, most = (np.asarray(call(arrays, *self._huge(signs))) for signs in (True, False))
        agreed = (np.abs(signed) > _LARGE) & (np.abs(signed) >= (1.0 - _MOVED) * np.abs(most))
        return np.where(agreed, np.sign(signed) * np.inf, np.nan)

    def _huge(self, signs: bool) -> list[Any]:
        """Ones, huge for infinite elements, 0 in dead lanes; with `signs` the operands' signs, and their zeros."""
        found = list(self._given)
        for i in self._real:
            x, live = self._given[i], self._lanes[i]
            found[i] = np.where(np.isinf(x), _HUGE, 1.0) * (1.0 if live is None else live)
            if signs:
                found[i] = np.where(np.isnan(x), 1.0, np.sign(x)) * found[i]
        return found
