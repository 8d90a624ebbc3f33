"""Values and gradients without a graph, by tapes: of programs that run again on the same shapes, and of large sums.

Where a program is elementwise up to a final sum or mean, no element knows another: pieces that fit the processor's
cache run forward and backward one by one, in place of every operation passing over all of memory.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import fsum, prod
from threading import Lock
from typing import Any, Protocol

import numpy as np

from gradcli.engine.data import real_array
from gradcli.errors import GradcliError
from gradcli.lowering import CONSTANTS, Plan
from gradcli.lowering.plan import Apply, Constant, Load, Step
from gradcli.lowering.tape import COTANGENT, Tape
from gradcli.lowering.trace import Unsteady
from gradcli.modes.inputs import LARGE, Values, leaves, value_of, variables
from gradcli.primitives import TABLE
from gradcli.primitives.budget import ITEM
from gradcli.primitives.table import Shape
from gradcli.results import Array, Evaluation, Gradient

PIECE = 32_768
"""Elements of a piece: its arrays of 256 KiB stay in a cache of a few MB."""
ROOM = 32 * 1024**2
"""Bytes that the results of all steps may take for one piece; a long program goes by smaller ones."""


class Replay:
    """The tapes of one plan, by what is asked for and the shapes of the inputs; made when these come a second time."""

    MOST = 8

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._read = frozenset(plan.names())
        self._known: dict[object, Player | None] = {}
        self._keeping = Lock()
        self._spoilt: Player | None = None  # what came to no end last: data with nan are not shown to it again

    def evaluate(self, at: Values) -> Evaluation | None:
        """None where there is no tape, or a recorded run must tell more."""
        found = self.gradient(at, None, value_only=True)
        return None if found is None else Evaluation(self._plan.source.text, found.value)

    def gradient(
        self, at: Values, wrt: Sequence[str] | None, cotangent: Any = None, value_only: bool = False
    ) -> Gradient | None:
        """Value and gradient, of a scalar where no cotangent is given; None as above."""
        arrays = {name: real_array(value, copy=False) for name, value in at.items()}
        if cotangent is not None:
            arrays[COTANGENT] = real_array(cotangent).astype(np.float64, copy=False)
        player = self._find(arrays, wrt, value_only)
        if player is None or (player is self._spoilt and _hold_nan(arrays)):
            return None
        found = player.run(arrays)
        if found is None:
            self._spoilt = player
            return None
        value, *flows = map(value_of, found)
        point = {name: value_of(arrays[name].copy()) for name in player.names}
        return Gradient(self._plan.source.text, value, dict(zip(player.names, flows, strict=True)), point)

    def _find(self, arrays: Mapping[str, Array], wrt: Sequence[str] | None, value_only: bool) -> Player | None:
        asked = None if wrt is None else tuple(wrt)
        concerned = self._read.union(asked or (), (COTANGENT,))
        key = (value_only, asked, *[(n, x.shape, x.dtype.char) for n, x in arrays.items() if n in concerned])
        with self._keeping:
            met = key in self._known
            found = self._known.get(key)
        if not met:
            self._keep(key, None)
            if value_only or self._large_shape(arrays) is None:
                return None
        if found is None:
            names = None if value_only else variables([self._plan], leaves(arrays), wrt)
            found = self._made(arrays, names)
            self._keep(key, found)
        return found

    def _keep(self, key: object, player: Player | None) -> None:
        """In place of the one that has been there longest, where there are too many."""
        with self._keeping:
            self._known[key] = player
            if len(self._known) > self.MOST:
                del self._known[next(iter(self._known))]

    def _made(self, arrays: Mapping[str, Array], names: Sequence[str] | None) -> Player | None:
        if any(name not in arrays and name not in CONSTANTS for name in (*self._plan.names(), *(names or ()))):
            return None  # a recorded run names what is missing
        shape = None if names is None else self._large_shape(arrays)
        try:
            if names is None or shape is None:
                return Tape(self._plan, arrays, names)
            return Pieces(self._plan, arrays, names, shape)
        except Unsteady:
            return Unfit()
        except GradcliError:
            return None  # it comes again, with its place, in a recorded run

    def _large_shape(self, arrays: Mapping[str, Array]) -> Shape | None:
        """The one shape of the large inputs of a program that can run by pieces."""
        wide = {name for name, x in arrays.items() if x.ndim > 0}
        shapes = {arrays[name].shape for name in wide}
        if len(shapes) != 1 or COTANGENT in arrays:
            return None
        (shape,) = shapes
        return shape if prod(shape) >= LARGE and _elementwise_sum(self._plan, wide) else None


def _hold_nan(arrays: Mapping[str, Array]) -> bool:
    return any(x.dtype.kind == "f" and np.isnan(x).any() for x in arrays.values())


class Player(Protocol):
    """Runs a plan on inputs of fixed shapes: its value, and its gradient with respect to `names`."""

    names: tuple[str, ...]

    def run(self, at: Mapping[str, Array], /) -> list[Array] | None:
        """None where a recorded run must tell more."""


class Unfit:
    """For a plan that no tape can play."""

    names: tuple[str, ...] = ()

    def run(self, at: Mapping[str, Array], /) -> list[Array] | None:
        return None


class Pieces:
    """Value and gradient of a large sum, or mean, of an elementwise function of inputs of one `shape`."""

    def __init__(self, plan: Plan, at: Mapping[str, Array], names: Sequence[str], shape: Shape) -> None:
        """Raises Unsteady and EvaluationErrors as a Tape does."""
        last = plan.steps[-1]
        assert isinstance(last, Apply)
        summed = replace(plan, steps=[*plan.steps[:-1], replace(last, primitive=TABLE["sum"])])
        self.names = tuple(names)
        self._size = prod(shape)
        self._weight = 1.0 / self._size if last.primitive is TABLE["mean"] else 1.0
        self._piece = min(PIECE, ROOM // (ITEM * len(plan.steps)) + 1)
        flat = _flat(at)
        cuts = {self._piece, self._size % self._piece or self._piece}
        self._tapes = {n: Tape(summed, _cut(flat, slice(0, n)), names, self._weight) for n in cuts}

    def run(self, at: Mapping[str, Array]) -> list[Array] | None:
        """The pieces' sums are added exactly, so that the value is within a few ulp of that of one pass."""
        flat = _flat(at)
        found = [np.empty_like(flat[name]) if flat[name].ndim else np.zeros(()) for name in self.names]
        sums = []
        for first in range(0, self._size, self._piece):
            part = slice(first, min(first + self._piece, self._size))
            into = [np.empty(()), *(x[part] if x.ndim else np.empty(()) for x in found)]
            if self._tapes[part.stop - part.start].run(_cut(flat, part), into) is None:
                return None
            sums.append(float(into[0]))
            for total, g in zip(found, into[1:], strict=True):
                if total.ndim == 0:
                    total += g
        flows = [x.reshape(at[name].shape) for name, x in zip(self.names, found, strict=True)]
        return [np.asarray(fsum(sums) * self._weight), *flows]


def _flat(at: Mapping[str, Array]) -> dict[str, Array]:
    return {name: x.reshape(-1) if x.ndim > 0 else x for name, x in at.items()}


def _cut(flat: Mapping[str, Array], part: slice) -> dict[str, Array]:
    return {name: x[part] if x.ndim > 0 else x for name, x in flat.items()}


def _elementwise_sum(plan: Plan, wide: Collection[str]) -> bool:
    """Whether the result is the sum or mean, over everything, of an elementwise function of a large input."""
    last = plan.steps[-1]
    if not isinstance(last, Apply) or last.primitive not in (TABLE["sum"], TABLE["mean"]) or last.params:
        return False
    if plan.result != len(plan.steps) - 1 or not all(map(_lane_by_lane, plan.steps[:-1])):
        return False
    large: set[int] = set()
    for register, step in enumerate(plan.steps[:-1]):
        if (isinstance(step, Load) and step.name in wide) or (
            isinstance(step, Apply) and not large.isdisjoint(step.operands)
        ):
            large.add(register)
    return last.operands[0] in large


def _lane_by_lane(step: Step) -> bool:
    if isinstance(step, Apply):
        entry = step.primitive
        plain = entry.prepare is None and not step.params and not entry.draws and not entry.shape_only
        return plain and entry.kind in ("elementwise", "constant")
    return isinstance(step, Load) or (isinstance(step, Constant) and not step.written and step.value.ndim == 0)
