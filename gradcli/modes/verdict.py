"""Whether three answers about one slope agree, and what a person should know of it."""

from __future__ import annotations

from math import isfinite, isnan
from typing import NamedTuple

import numpy as np

from gradcli.results import VariableCheck

RELATIVE = 1e-6
"""How far two answers may differ, relative to the larger, before they disagree."""
CONVERGED = 1e-4
"""A difference quotient that is less certain than this, relative to its size, decides nothing."""
KINK = 1e-3
"""How far the slopes from the left and from the right must lie apart to be two."""
TINY = 1e-10
"""Slopes below this count as 0: difference quotients of a constant part are only rounding."""
NOTHING = VariableCheck(0.0, (), None, None, None, True)
"""The verdict on a variable or value without elements."""


class Limit(NamedTuple):
    value: float
    error: float

    @property
    def certain(self) -> bool:
        return np.isfinite(self.value) and self.error <= CONVERGED * abs(self.value) + TINY


class Sides(NamedTuple):
    """What the values say of one entry: the slope from both sides, from the left, from the right."""

    central: Limit
    left: Limit
    right: Limit

    @property
    def kink(self) -> bool:
        gap = abs(self.left.value - self.right.value)
        size = max(abs(self.left.value), abs(self.right.value))
        sure = self.left.certain and self.right.certain
        return sure and gap > KINK * size + 10 * (self.left.error + self.right.error)

    @property
    def numeric(self) -> Limit:
        """The slope, or nan where the values do not tell it. At the edge of a domain one side has to do."""
        for limit in (self.central, self.left, self.right):
            if limit.certain:
                return limit
        return Limit(np.nan, np.inf)

    def accepts(self, slope: float) -> bool:
        """Whether a slope fits the values: between the sides at a kink; anything where the values do not tell."""
        numeric = self.numeric
        if not np.isfinite(slope) or np.isnan(numeric.value):
            return True
        if self.kink:
            room = RELATIVE * max(abs(self.left.value), abs(self.right.value))
            low, high = sorted((self.left.value, self.right.value))
            return low - room <= slope <= high + room
        return abs(slope - numeric.value) <= RELATIVE * max(abs(slope), abs(numeric.value)) + 10 * numeric.error + TINY


class Told(NamedTuple):
    """What the two modes say of one entry, and what a person claims."""

    reverse: float
    forward: float
    claimed: float | None


def verdict(place: tuple[int, ...], told: Told, sides: Sides, tied: bool = False) -> VariableCheck:
    """Everybody must agree with the values; where these say nothing, a claim must agree with the modes.

    Where the result tells `tied` elements apart (the middle one of three that are equal), its slopes along the entries
    do not bound what is a derivative: then the modes must agree with each other, or forward mode, which knows the
    direction, with the values.
    """
    numeric = sides.numeric.value
    # inf and nan both say that there is no slope; 0 times infinity may come up in one mode alone.
    agreed = _alike(told.reverse, told.forward) or not (np.isfinite(told.reverse) or np.isfinite(told.forward))
    passed = sides.accepts(told.reverse) and sides.accepts(told.forward) and (agreed or sides.kink)
    by_convention = tied and not passed and (agreed or sides.accepts(told.forward))
    passed = passed or by_convention
    judged = told.reverse
    if told.claimed is not None:
        judged = told.claimed
        fits = np.isfinite(judged) and not np.isnan(numeric) and sides.accepts(judged)
        passed = passed and (_alike(judged, told.reverse) or bool(fits))
    gap = abs(judged - numeric) / max(1.0, abs(judged), abs(numeric)) if np.isfinite(judged - numeric) else 0.0
    found = VariableCheck(gap, place, told.reverse, told.forward, numeric, passed, claimed=told.claimed)
    if sides.kink:
        found.left, found.right, found.note = sides.left.value, sides.right.value, "a kink: the sides differ"
    elif by_convention:
        found.note = "a tie: which of the equal elements moves is a convention"
    elif not np.isfinite(told.reverse):
        found.note = "the derivative is not finite here"
    elif np.isnan(numeric):
        found.note = "difference quotients do not converge here"
    return found


def _alike(a: float, b: float) -> bool:
    if not (isfinite(a) and isfinite(b)):
        return a == b or (isnan(a) and isnan(b))
    return abs(a - b) <= TINY + RELATIVE * abs(b)


def severity(one: VariableCheck) -> tuple[bool, float]:
    """Sorts failures before successes, large errors before small ones."""
    return one.passed, -one.max_error
