"""Gradients of scalars without a graph, by tapes: of programs that run again on the same shapes, and of large sums.

Where a program is elementwise up to a final sum or mean, no element knows another: pieces that fit the processor's
cache run forward and backward one by one, in place of every operation passing over all of memory.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import fsum, prod

import numpy as np

from gradcli.lowering import CONSTANTS, Plan
from gradcli.lowering.plan import Apply, Constant, Load, Step
from gradcli.lowering.tape import Tapes
from gradcli.modes.inputs import LARGE, Values, leaves, value_of, variables
from gradcli.primitives import TABLE
from gradcli.results import Array, Gradient

PIECE = 32_768
"""Elements of a piece: its arrays of 256 KiB stay in a cache of a few MB."""


def unrecorded(plan: Plan, tapes: Tapes, at: Values, wrt: Sequence[str] | None) -> Gradient | None:
    """Value and gradient of a scalar; None where there is no tape, or a recorded run must tell more.

    `tapes` keeps those of the plan between calls.
    """
    tensors = leaves(at)
    names = variables([plan], tensors, wrt)
    needed = dict.fromkeys((*plan.names(), *names))
    arrays = {name: tensors[name].array for name in needed if name in tensors}
    if any(name not in arrays and name not in CONSTANTS for name in needed):
        return None  # a recorded run names what is missing
    shape = _large_shape(plan, arrays)
    if shape is not None:
        found = _by_pieces(plan, arrays, names, shape)
    else:
        tape = tapes.find(plan, arrays, names)
        found = None if tape is None or not tape.scalar else tape.run(arrays, tape.one)
    if found is None:
        return None
    value, gradients = found
    point = {name: value_of(arrays[name].copy()) for name in names}
    return Gradient(plan.source.text, value_of(value), {name: value_of(g) for name, g in gradients.items()}, point)


def _large_shape(plan: Plan, arrays: Mapping[str, Array]) -> tuple[int, ...] | None:
    """The one shape of the large inputs of a program that can run by pieces."""
    shapes = {x.shape for x in arrays.values() if x.ndim > 0}
    if len(shapes) != 1:
        return None
    (shape,) = shapes
    wide = {name for name, x in arrays.items() if x.ndim > 0}
    return shape if prod(shape) >= LARGE and _elementwise_sum(plan, wide) else None


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


def _by_pieces(
    plan: Plan, arrays: Mapping[str, Array], names: Sequence[str], shape: tuple[int, ...]
) -> tuple[Array, dict[str, Array]] | None:
    """The pieces' sums are added exactly, so that the value is within a few ulp of that of one pass."""
    last = plan.steps[-1]
    assert isinstance(last, Apply)
    summed = replace(plan, steps=[*plan.steps[:-1], replace(last, primitive=TABLE["sum"])])
    tapes = Tapes()
    size = prod(shape)
    weight = np.array(1.0 / size if last.primitive is TABLE["mean"] else 1.0)
    flat = {name: x.reshape(-1) if x.ndim > 0 else x for name, x in arrays.items()}
    found = {name: np.empty(size) if flat[name].ndim > 0 else np.zeros(()) for name in names}
    sums = []
    for first in range(0, size, PIECE):
        part = slice(first, first + PIECE)
        piece = {name: x[part] if x.ndim > 0 else x for name, x in flat.items()}
        tape = tapes.find(summed, piece, names, at_once=True)
        pulled = None if tape is None else tape.run(piece, weight)
        if pulled is None:
            return None
        sums.append(float(pulled[0]))
        for name, g in pulled[1].items():
            if g.ndim > 0:
                found[name][part] = g
            else:
                found[name] += g
    return np.asarray(fsum(sums) * weight), {name: g.reshape(arrays[name].shape) for name, g in found.items()}
