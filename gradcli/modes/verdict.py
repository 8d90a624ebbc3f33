"""Whether three answers about one slope agree, and what a person should know of it."""

from __future__ import annotations

from math import inf, isfinite, isinf, isnan, nan
from typing import NamedTuple

from gradcli.results import VariableCheck

RELATIVE = 1e-6
"""How far two answers may differ, relative to the larger, before they disagree."""
CONVERGED = 1e-4
"""A difference quotient that is less certain than this, relative to its size, decides nothing."""
KINK = 1e-3
"""How far the slopes from the left and from the right must lie apart to be two."""
TINY = 1e-10
"""Slopes below this, in units of value by entry, count as 0: quotients of a constant part are only rounding."""
NOTHING = VariableCheck(0.0, (), None, None, None, True)
"""The verdict on a variable or value without elements."""


class Limit(NamedTuple):
    """A difference quotient at step 0 and its error; what a slope of 1 would be if value and entry were of size 1."""

    value: float
    error: float
    unit: float = 1.0

    @property
    def certain(self) -> bool:
        return isfinite(self.value) and self.error <= CONVERGED * abs(self.value) + TINY * self.unit


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
        return Limit(nan, inf)

    def accepts(self, slope: float) -> bool:
        """Whether a finite slope fits the values, which tell one too: between the sides at a kink."""
        numeric = self.numeric
        if self.kink:
            room = RELATIVE * max(abs(self.left.value), abs(self.right.value))
            low, high = sorted((self.left.value, self.right.value))
            return low - room <= slope <= high + room
        room = RELATIVE * max(abs(slope), abs(numeric.value)) + 10 * numeric.error + TINY
        return abs(slope - numeric.value) <= room


class Told(NamedTuple):
    """What the two modes say of one entry, and what a person claims."""

    reverse: float
    forward: float
    claimed: float | None

    @property
    def pole(self) -> bool:
        """Whether both modes say that the slope is infinite, in one direction."""
        return isinf(self.reverse) and self.reverse == self.forward


def verdict(place: tuple[int, ...], told: Told, sides: Sides, tied: bool = False) -> VariableCheck:
    """Everybody must agree with the values; at a pole, of which quotients tell nothing, all with each other.

    Where the result tells `tied` elements apart (the middle one of three that are equal), its slopes along the entries
    do not bound what is a derivative: then the modes must agree with each other, or forward mode, which knows the
    direction, with the values. A nan is no answer, and agrees with nothing, not even with another nan.
    """
    numeric = sides.numeric.value
    known = (told.reverse, told.forward, numeric)
    by_convention = False
    if told.pole or not all(map(isfinite, known)):
        passed = told.pole and told.claimed in (None, told.reverse)
    else:
        agreed = _alike(told.reverse, told.forward)
        passed = sides.accepts(told.reverse) and sides.accepts(told.forward) and (agreed or sides.kink)
        by_convention = tied and not passed and (agreed or sides.accepts(told.forward))
        passed = (passed or by_convention) and (told.claimed is None or _fits(told.claimed, told.reverse, sides))
    judged = told.reverse if told.claimed is None else told.claimed
    gap = abs(judged - numeric) / max(1.0, abs(judged), abs(numeric)) if isfinite(judged - numeric) else nan
    found = VariableCheck(gap, place, told.reverse, told.forward, numeric, passed, claimed=told.claimed)
    if told.pole:
        found.max_error = 0.0 if passed else nan
        found.note = "the derivative is not finite here"
    elif any(map(isnan, known)):
        found.note = "not a number here"
    elif sides.kink:
        found.left, found.right, found.note = sides.left.value, sides.right.value, "a kink: the sides differ"
    elif by_convention:
        found.note = "a tie: which of the equal elements moves is a convention"
    return found


def _fits(claimed: float, reverse: float, sides: Sides) -> bool:
    return isfinite(claimed) and (_alike(claimed, reverse) or sides.accepts(claimed))


def _alike(a: float, b: float) -> bool:
    return abs(a - b) <= TINY + RELATIVE * abs(b)


def severity(one: VariableCheck) -> tuple[bool, bool, float]:
    """Sorts failures before successes, what is not finite before numbers, large errors before small ones."""
    finite = one.reverse is None or isfinite(one.reverse - one.max_error)
    return one.passed, finite, -one.max_error
