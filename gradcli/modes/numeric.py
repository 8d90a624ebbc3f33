"""Derivatives from values alone: difference quotients extrapolated to step 0.

Ridders' method (C. J. F. Ridders, Advances in Engineering Software 4, 1982): halve the step, extrapolate by Richardson,
and keep the estimate whose neighbours in the table agree best. Steps run from the size of the variable down to where
rounding rules, so that neither `sin(1e9*x)` nor `sqrt(x)` at 1e-8 needs a step of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

Function = Callable[[Any], Any]

LEVELS = 60
ROWS_KEPT = 6
PATIENCE = 6
SHORTEST = 34
"""Halvings that are always tried: what long steps show may be teeth."""
COMMON = 1e-3
"""Of a point below this size most functions know nothing: steps begin at this size, and at its own where these fail."""
SURE, TINY, APART, WITNESSES = 1e-6, 1e-9, 1e-3, 4
"""When an estimate is sure of itself, how far it must be from an older one, and how many in turn overrule that."""


@dataclass(slots=True)
class Estimate:
    """A limit for each output, and how far it may be off; infinite where none was found."""

    value: Any
    error: Any

    @property
    def relative(self) -> Any:
        """The error in units of the value; infinite where nothing is known."""
        return np.nan_to_num(self.error / abs(self.value), nan=np.inf)

    def update(self, value: Any, error: Any, better: Any) -> None:
        self.value = np.where(better, value, self.value)
        self.error = np.where(better, error, self.error)


def unknown(shape: tuple[int, ...]) -> Estimate:
    return Estimate(np.full(shape, np.nan), np.full(shape, np.inf))


class Extrapolation:
    """One Richardson table, fed with quotients at steps h, h/2, h/4, ...; their error is a series in h**power."""

    def __init__(self, shape: tuple[int, ...], power: int) -> None:
        self.best = unknown(shape)
        self._power = power
        self._row: list[Any] = []
        self._against = np.zeros(shape, dtype=int)

    def feed(self, quotient: Any, blur: Any) -> None:
        """`blur` is what rounding makes of the quotient: estimates that agree better than that do so by chance."""
        row = [quotient]
        here = unknown(np.shape(quotient))
        for k, before in enumerate(self._row[: ROWS_KEPT - 1], start=1):
            factor = 2.0 ** (self._power * k)
            new = (factor * row[-1] - before) / (factor - 1)
            error = np.maximum(np.maximum(abs(new - row[-1]), abs(new - before)), blur)
            error = np.where(np.isnan(error), np.inf, error)
            here.update(new, error, error < here.error)
            row.append(new)
        self._row = row
        self._weigh(here)

    def _weigh(self, here: Estimate) -> None:
        """Keep the most certain estimate, unless several shorter steps in turn are sure of another.

        The teeth of `x % 0.001` look like a slope to long steps, by chance even a certain one.
        """
        size = np.maximum(abs(here.value), abs(self.best.value))
        sure = here.error <= SURE * size + TINY
        apart = abs(here.value - self.best.value) > 10 * (here.error + self.best.error) + APART * size
        self._against = np.where(sure & apart, self._against + 1, 0)
        overruled = self._against >= WITNESSES
        self.best.error = np.where(overruled, np.inf, self.best.error)
        self._against = np.where(overruled, 0, self._against)
        self.best.update(here.value, here.error, here.error < self.best.error)


class Slopes(NamedTuple):
    """The derivative in one direction: two-sided, and from either side alone."""

    central: Estimate
    left: Estimate
    right: Estimate


def slopes(f: Function, size: float) -> Slopes:
    """Estimates of d f(t)/dt at t = 0, for each output of `f`; `size` is that of the point in the direction of t.

    Points where `f` is not finite are passed over: a step that leaves the domain is simply too long.
    """
    with np.errstate(all="ignore"):
        found = _slopes(f, size, max(size, COMMON) if size > 0 else 1.0)
        if 0 < size < COMMON and not np.all(found.central.error <= SURE * abs(found.central.value) + TINY):
            for estimate, closer in zip(found, _slopes(f, size, size), strict=True):
                estimate.update(closer.value, closer.error, closer.relative < estimate.relative)
        return found


def _slopes(f: Function, size: float, first: float) -> Slopes:
    """By steps that begin at a part of `first`."""
    middle = f(0.0)
    central, left, right = (Extrapolation(middle.shape, power) for power in (2, 1, 1))
    real = middle.dtype.type
    # No round number: a step of 1/8 is a whole period of sin(16*pi*t).
    wanted = real(0.1176) * real(first)
    finest = 256 * np.finfo(middle.dtype).eps * size
    stale = 0
    for level in range(LEVELS):
        step = (real(size) + wanted) - real(size)  # what is really added to the point, after rounding
        above, below = f(step), f(-step)
        blur = np.finfo(real).eps * abs(middle) / step
        before = central.best.error + left.best.error + right.best.error
        central.feed((above - below) / (2 * step), blur)
        right.feed((above - middle) / step, blur)
        left.feed((middle - below) / step, blur)
        after = central.best.error + left.best.error + right.best.error
        stale = 0 if np.any(after < before) else stale + 1
        converged = np.all(central.best.error <= 1e-9 * (abs(central.best.value) + 1e-300))
        wanted = wanted / 2
        if wanted <= finest or (level >= SHORTEST and stale >= PATIENCE and converged):
            break
    return Slopes(central.best, left.best, right.best)
