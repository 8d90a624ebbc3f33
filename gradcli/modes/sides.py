"""Kinks that no cotangent tells: a derivative is taken beside them too, and what differs there rests on a convention.

The first derivative of `relu(x)**2` at 0 has no part in the corner of relu, whose cotangent is 0; the second has, it is
0 on one side and 2 on the other. So the step is done again a little to either side of its operand, everything else as
it was, and the derivatives are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from gradcli.engine.standing import generic
from gradcli.errors import EvaluationError
from gradcli.lowering import Awkward
from gradcli.modes.notes import MOST_NOTES
from gradcli.modes.session import Session, open_session
from gradcli.modes.tangent import tangent_of
from gradcli.results import Array

Derivative = Callable[[Session], Array]
Lanes = Mapping[int, Array]
"""Some lanes of some awkward points, by the number of the point."""

APART, NOTHING = 1e-4, 1e-40
"""How far a derivative beside a point must be from that at it, relatively, to differ; what is smaller counts as 0."""


def meet_sides(session: Session, derivative: Derivative, jumps: bool = False) -> None:
    """Mark the points that the value or `derivative`, a flat array, rests on besides those that the sweeps so far have
    told.

    Only `jumps` can matter to a first derivative without a cotangent. Where a derivative is nan, each of the points may
    be the cause.
    """
    untold = {
        number: lanes for number in range(len(session.awkward)) if (lanes := _untold(session, number, jumps)).any()
    }
    if not untold:
        return
    here = derivative(session)
    if np.isnan(here).any() or len(untold) > MOST_NOTES:
        found: Lanes = untold
    else:
        found = _Sides(session, derivative, np.append(session.output.array, here)).matter(untold)
    for number, lanes in found.items():
        session.met[number] = session.met.get(number, False) | lanes


def meet_jumps(session: Session, seed: Array) -> None:
    """`meet_sides` for first derivatives, of the output times `seed`."""

    def pulled(one: Session) -> Array:
        return np.concatenate([np.zeros(0), *(g.reshape(-1) for g in one.pull(seed).values())])

    meet_sides(session, pulled, jumps=True)


def _untold(session: Session, number: int, jumps: bool) -> Array:
    point = session.awkward[number]
    # A slope that is one number everywhere has no corner.
    if jumps and not any(isinstance(rule, int) for rule in point.node.primitive.rules):
        return np.zeros(1, bool)
    return np.asarray(point.where & ~np.asarray(session.met.get(number, False)))


@dataclass
class _Sides:
    session: Session
    derivative: Derivative
    here: Array

    def matter(self, lanes: Lanes) -> Lanes:
        """The first lane of each point that matters by itself; all lanes where they do so only together."""
        ways = [way for way in self._ways(lanes) if self._differs(lanes, way)]
        if not ways:
            return {}
        alone = {number: self._first(number, some, ways) for number, some in lanes.items()}
        return {number: one for number, one in alone.items() if one.any()} or lanes

    def _ways(self, lanes: Lanes) -> list[Lanes]:
        """To which side each lane moves when the variables move: all up, all down, some up and some down."""
        names = self.session.names
        steps = {name: generic(self.session.at[name].shape) for name in names}
        mixed = {name: step * np.where(step > 1.5, 1.0, -1.0) for name, step in steps.items()}
        found: list[Lanes] = []
        for direction in (steps, mixed):
            signs = {
                number: self._signs(self.session.awkward[number], direction, lanes[number].shape) for number in lanes
            }
            found += [signs, {number: -sign for number, sign in signs.items()}]
        return found

    def _signs(self, point: Awkward, direction: Mapping[str, Array], shape: tuple[int, ...]) -> Array:
        """Of what moves a point's operand, in the shape of its lanes; where a kink before it hides that, up."""
        node = point.node
        number, operand = next((i, edge) for i, edge in enumerate(node.edges) if edge is not None)
        core = node.core_shapes[number]
        moved = tangent_of(self.session, operand, direction)
        if moved is None or (node.primitive.kind != "elementwise" and core != shape):
            return np.ones(shape)
        # The kink may be told by another operand, which is spread.
        signs = np.where(moved.reshape(core) < 0, -1.0, 1.0)
        return np.broadcast_to(signs, np.broadcast_shapes(core, shape))

    def _first(self, number: int, lanes: Array, ways: list[Lanes]) -> Array:
        """The first of the lanes of a point that matters, found by halving; none where none does."""
        left = np.flatnonzero(lanes)

        def only(some: Array) -> Lanes:
            marks = np.zeros(lanes.size, bool)
            marks[some] = True
            return {number: marks.reshape(lanes.shape)}

        if not any(self._differs(only(left), way) for way in ways):
            return np.zeros(lanes.shape, bool)
        while len(left) > 1:
            half = left[: len(left) // 2]
            left = half if any(self._differs(only(half), way) for way in ways) else left[len(half) :]
        return only(left)[number]

    def _differs(self, lanes: Lanes, way: Lanes) -> bool:
        """Whether the derivative is another one where those lanes have moved that way. One that cannot be had tells
        nothing: a root has no other side."""
        session = self.session
        marks: dict[int, Array] = {}
        for number, some in lanes.items():
            step = session.awkward[number].step
            marks[step] = marks.get(step, 0.0) + some * way[number]
        try:
            moved = open_session(
                session.plans, {n: x.array for n, x in session.at.items()}, session.names, session.draws, beside=marks
            )
            there = np.append(moved.output.array, self.derivative(moved))
        except EvaluationError:
            return False
        if there.shape != self.here.shape:
            return False
        size = np.fmax(abs(self.here), abs(there))
        with np.errstate(over="ignore", invalid="ignore"):
            return bool(np.any((abs(there - self.here) > APART * size) & (size > NOTHING)))
