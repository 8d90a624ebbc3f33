"""Three answers side by side: reverse mode, forward mode, and difference quotients of the values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.tensor import wrap
from gradcli.errors import ShapeMismatch, UnknownName
from gradcli.lowering import Plan, Run
from gradcli.modes.blame import blamed
from gradcli.modes.inputs import Values
from gradcli.modes.jacobian import one_hot
from gradcli.modes.numeric import Slopes, slopes
from gradcli.modes.session import Session, open_session
from gradcli.modes.tangent import push
from gradcli.primitives import budget
from gradcli.primitives.budget import shape_text
from gradcli.results import Array, Check, VariableCheck

RELATIVE = 1e-6
"""How far two answers may differ, relative to the larger, before they disagree."""
CONVERGED = 1e-4
"""A difference quotient that is less certain than this, relative to its size, decides nothing."""
KINK = 1e-3
"""How far the slopes from the left and from the right must lie apart to be two."""
TINY = 1e-10
"""Slopes below this count as 0: difference quotients of a constant part are only rounding."""
MOST_ENTRIES = 200
"""Entries of one variable that are compared with difference quotients; of a larger one, so many, spread evenly."""


def check(plan: Plan, at: Values, wrt: Sequence[str] | None, against: Mapping[str, Any]) -> Check:
    """Compare the Jacobian of the value as three ways give it, and as `against` claims it where it does.

    Raises UnknownName or ShapeMismatch for a claim that does not fit.
    """
    session = open_session([plan], at, wrt)
    output = session.output.shape
    for name, claim in against.items():
        _require_fitting(name, np.shape(claim), session)
    size = session.output.array.size
    budget.require("check", (size, *(session.at[name].array.size for name in session.names[:1])))
    reverse = session.pull(one_hot(size, 0, size).reshape(size, *output), lead=1)
    found: dict[str, VariableCheck] = {}
    for name in session.names:
        claim = against.get(name)
        claimed = None if claim is None else np.reshape(np.asarray(claim, dtype=np.float64), (size, -1))
        found[name] = Comparison(session, name, reverse[name].reshape(size, -1), claimed).verdict()
    passed = all(v.passed for v in found.values())
    culprit = None if passed or against else blamed(plan, session.at)
    return Check(plan.source.text, passed, found, culprit, session.notes())


def _require_fitting(name: str, shape: tuple[int, ...], session: Session) -> None:
    if name not in session.names:
        raise UnknownName(f"{name} is none of the variables: {', '.join(session.names) or 'there are none'}")
    wanted = session.output.shape + session.at[name].shape
    if shape != wanted:
        raise ShapeMismatch(f"the derivative by {name} has shape {shape_text(wanted)}, not {shape_text(shape)}")


NOTHING = VariableCheck(0.0, (), None, None, None, True)
"""The verdict on a variable or value without elements."""


@dataclass(slots=True)
class Comparison:
    """One variable: rows are outputs, columns its entries, both flattened."""

    session: Session
    name: str
    reverse: Array
    claimed: Array | None

    def verdict(self) -> VariableCheck:
        return min(map(self._column, self._columns()), key=severity, default=NOTHING)

    def _columns(self) -> Iterator[int]:
        entries = self.session.at[self.name].array.size
        if entries <= MOST_ENTRIES:
            return iter(range(entries))
        return iter(np.unique(np.linspace(0, entries - 1, MOST_ENTRIES).astype(int)).tolist())

    def _forward(self, column: int) -> Array:
        x = self.session.at[self.name]
        seed = one_hot(x.array.size, column, 1).reshape(x.shape)
        return push(self.session, {self.name: seed}).reshape(-1)

    def _column(self, column: int) -> VariableCheck:
        """In extended precision, where the platform has it and every function of the expression knows it.

        Where the program itself magnifies rounding (`sin(1e9*x)`), more precise values are those of another program:
        the last word has the program in float64.
        """
        size = abs(float(self.session.at[self.name].array.reshape(-1)[column]))
        forward = self._forward(column)
        try:
            one = self._compare(column, forward, slopes(self._moved(column, np.longdouble), size))
        except TypeError:  # numpy.linalg has no extended precision
            one = None
        if one is not None and one.passed:
            return one
        plain = self._compare(column, forward, slopes(self._moved(column, np.float64), size))
        return plain if one is None or plain.passed else one

    def _moved(self, column: int, precision: type[Any]) -> Any:
        """The flattened value as a function of the distance from the point along one entry."""
        fixed = {name: wrap(x.array) for name, x in self.session.at.items()}
        start = self.session.at[self.name].array.astype(precision)

        def moved(distance: Any) -> Any:
            point = start.copy()
            point.reshape(-1)[column] += distance
            run = Run(self.session.plans[0], {**fixed, self.name: wrap(point)}, self.session.draws)
            return run.result().array.reshape(-1).astype(precision)

        return moved

    def _compare(self, column: int, forward: Array, numeric: Slopes) -> VariableCheck:
        """The entry of this column at which the answers differ most."""
        given = self.reverse[:, column] if self.claimed is None else self.claimed[:, column]
        index = np.unravel_index(column, self.session.at[self.name].shape)
        entries = []
        for row in range(len(given)):
            place = (*np.unravel_index(row, self.session.output.shape), *index)
            sides = Sides(*(Limit(float(e.value[row]), float(e.error[row])) for e in numeric))
            entries.append(sides.verdict(tuple(int(i) for i in place), float(given[row]), float(forward[row])))
        return min(entries, key=severity, default=NOTHING)


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

    def verdict(self, place: tuple[int, ...], reverse: float, forward: float) -> VariableCheck:
        numeric = self.numeric.value
        agree = bool(np.isclose(reverse, forward, rtol=RELATIVE, atol=TINY, equal_nan=True))
        gap = abs(reverse - numeric) / max(1.0, abs(reverse), abs(numeric)) if np.isfinite(reverse - numeric) else 0.0
        passed = self.accepts(reverse) and self.accepts(forward) and agree
        if self.kink:
            sides = (self.left.value, self.right.value)
            return VariableCheck(gap, place, reverse, forward, numeric, passed, *sides, "a kink: the sides differ")
        note = ""
        if not np.isfinite(reverse):
            note = "the derivative is not finite here"
        elif np.isnan(numeric):
            note = "difference quotients do not converge here"
        return VariableCheck(gap, place, reverse, forward, numeric, passed, note=note)


def severity(one: VariableCheck) -> tuple[bool, float]:
    """Sorts failures before successes, large errors before small ones."""
    return one.passed, -one.max_error
