"""Three answers side by side: reverse mode, forward mode, and difference quotients of the values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from gradcli.engine.onehot import one_hot
from gradcli.engine.tensor import wrap
from gradcli.errors import BadArgument, BadIndex, ShapeMismatch, UnknownName
from gradcli.lowering import Plan, Run
from gradcli.lowering.plan import Apply
from gradcli.modes.blame import blamed
from gradcli.modes.effort import effort
from gradcli.modes.inputs import Values, with_named
from gradcli.modes.numeric import COMMON, Estimate, Slopes, slopes
from gradcli.modes.session import Session, open_session
from gradcli.modes.tangent import push
from gradcli.modes.verdict import NOTHING, Limit, Sides, Told, severity, verdict
from gradcli.primitives import budget
from gradcli.primitives.budget import shape_text
from gradcli.results import Array, Check, VariableCheck

FEWEST, MOST = 1, 200
"""Entries of one variable that are compared with difference quotients, as many as the effort allows, spread evenly."""
EFFORT = 50_000_000
"""Of one check, in the units of `effort`: about a second and a half."""
EVALUATIONS, VERDICT = 71, 1_200
"""Evaluations for one entry, and what judging one slope takes, in the same units."""


def check(plan: Plan, at: Values, wrt: Sequence[str] | None, against: Mapping[str, Any]) -> Check:
    """Compare the Jacobian of the value as three ways give it, and as `against` claims it where it does.

    By the variables that are claimed besides those of a gradient, where `wrt` does not say by which. Raises UnknownName
    or ShapeMismatch for a claim that does not fit.
    """
    session = open_session([plan], at, with_named(plan, at, against) if wrt is None else wrt)
    for name, claim in against.items():
        _require_fitting(name, np.shape(claim), session)
    size = session.output.array.size
    budget.require("check", (size, *(session.at[name].array.size for name in session.names[:1])))
    reverse = _rows(session)
    found: dict[str, VariableCheck] = {}
    most = _affordable(session)
    for name in session.names:
        claim = against.get(name)
        claimed = None if claim is None else np.reshape(np.asarray(claim, dtype=np.float64), (size, -1))
        found[name] = Comparison(session, name, reverse[name], claimed).verdict(most)
    passed = all(v.passed for v in found.values())
    contradicted = any(not one.passed and isfinite(one.max_error) for one in found.values())
    culprit = blamed(plan, session.at, session.draws) if contradicted and not against else None
    return Check(plan.source.text, passed, found, culprit, session.notes())


def _affordable(session: Session) -> int:
    """How many entries of each variable are compared."""
    sizes = [session.at[name].array.size for name in session.names]
    columns = EFFORT // (EVALUATIONS * effort(session) + VERDICT * session.output.array.size + 1)
    if sum(sizes) <= columns:
        return MOST
    return min(MOST, max(FEWEST, columns // len(sizes)))


def _rows(session: Session) -> dict[str, Array]:
    """The Jacobian of each variable as a matrix, by one stacked reverse sweep."""
    size = session.output.array.size
    return {name: rows.reshape(size, session.at[name].array.size) for name, rows in session.rows(0, size).items()}


def _require_fitting(name: str, shape: tuple[int, ...], session: Session) -> None:
    if name not in session.names:
        raise UnknownName(f"{name} is none of the variables: {', '.join(session.names) or 'there are none'}")
    wanted = session.output.shape + session.at[name].shape
    if shape != wanted:
        raise ShapeMismatch(f"the derivative by {name} has shape {shape_text(wanted)}, not {shape_text(shape)}")


@dataclass(slots=True)
class Comparison:
    """One variable: rows are outputs, columns its entries, both flattened."""

    session: Session
    name: str
    reverse: Array
    claimed: Array | None

    def verdict(self, most: int) -> VariableCheck:
        """That on the entry where the answers differ most, of at most so many."""
        entries = self.session.at[self.name].array.size
        columns = np.unique(np.linspace(0, entries - 1, min(entries, most)).astype(int)).tolist()
        found = min(map(self._column, columns), key=severity, default=NOTHING)
        return replace(found, compared=(len(columns), entries))

    def _forward(self, column: int) -> Array:
        x = self.session.at[self.name]
        seed = one_hot(x.array.size, column, 1).reshape(x.shape)
        return push(self.session, {self.name: seed}).reshape(-1)

    def _column(self, column: int) -> VariableCheck:
        """In extended precision, where the platform has it and every function of the expression knows it."""
        size = abs(float(self.session.at[self.name].array.reshape(-1)[column]))
        forward = self._forward(column)
        try:
            numeric = slopes(self._moved(column, np.float64 if self._special() else np.longdouble), size)
        except TypeError:  # numpy.linalg has no extended precision
            numeric = slopes(self._moved(column, np.float64), size)
        one = self._compare(column, forward, numeric)
        if one.passed:
            return one
        return self._compare(column, forward, _blurred(numeric, self._blur(column)))

    def _special(self) -> bool:
        """Whether the values hold series whose coefficients are good to float64 alone: finer steps show their noise."""
        steps = self.session.plans[0].steps
        return any(isinstance(step, Apply) and step.primitive.group == "special" for step in steps)

    def _blur(self, column: int) -> Array:
        """How much the slopes change when the entry moves by its last bit: no answer can be more certain.

        The values of `sin(1e9*x)` in extended precision are those of another point than float64 can tell.
        """
        x = self.session.at[self.name].array
        changes = []
        for side in (-np.inf, np.inf):
            moved = x.copy()
            moved.reshape(-1)[column] = np.nextafter(moved.reshape(-1)[column], side)
            at = {**{name: leaf.array for name, leaf in self.session.at.items()}, self.name: moved}
            near = open_session(self.session.plans, at, [self.name], self.session.draws, by_parts=True)
            if near.output.shape == self.session.output.shape:
                with np.errstate(invalid="ignore"):  # infinities that stay
                    changes.append(abs(_rows(near)[self.name][:, column] - self.reverse[:, column]))
        blur: Array = np.nan_to_num(np.max(changes, axis=0, initial=0.0), nan=0.0)
        return blur

    def _moved(self, column: int, precision: type[Any]) -> Any:
        """The flattened value as a function of the distance from the point along one entry."""
        fixed = {name: wrap(x.array) for name, x in self.session.at.items()}
        start = self.session.at[self.name].array.astype(precision)
        size = self.session.output.array.size
        outside = np.full(size, np.nan, precision)  # nobody to compare with: a mask may choose fewer elements there

        def moved(distance: Any) -> Any:
            point = start.copy()
            point.reshape(-1)[column] += distance
            run = Run(self.session.plans[0], {**fixed, self.name: wrap(point)}, self.session.draws, by_parts=True)
            try:
                value = run.result().array.reshape(-1)
            except (BadArgument, BadIndex, ShapeMismatch):
                if distance == 0:
                    raise
                return outside
            return value.astype(precision) if value.shape == (size,) else outside

        return moved

    def _units(self, size: float) -> Array:
        """The size of each output by that of the entry, at least 1."""
        values = self.session.output.array.astype(np.float64).reshape(-1)
        with np.errstate(over="ignore", invalid="ignore"):
            found: Array = np.fmax(abs(values) / (max(size, COMMON) if size > 0 else 1.0), 1.0)
        return found

    def _compare(self, column: int, forward: Array, numeric: Slopes) -> VariableCheck:
        """The entry of this column at which the answers differ most."""
        x = self.session.at[self.name]
        index = np.unravel_index(column, x.shape)
        units = self._units(abs(float(x.array.reshape(-1)[column])))
        entries = []
        for row, reverse in enumerate(self.reverse[:, column]):
            place = (*np.unravel_index(row, self.session.output.shape), *index)
            sides = Sides(*(Limit(float(e.value[row]), float(e.error[row]), float(units[row])) for e in numeric))
            claimed = None if self.claimed is None else float(self.claimed[row, column])
            told = Told(float(reverse), float(forward[row]), claimed)
            entries.append(verdict(tuple(int(i) for i in place), told, sides, self.session.tied))
        return min(entries, key=severity, default=NOTHING)


def _blurred(numeric: Slopes, blur: Array) -> Slopes:
    return Slopes(*(Estimate(limit.value, limit.error + blur) for limit in numeric))
