"""What a result must be read with: the kinks, ties, poles and undefined points that it was taken at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.engine.node import Node
from gradcli.engine.state import no_grad
from gradcli.engine.tensor import Tensor
from gradcli.lowering import Awkward, Draws, Plan, Run
from gradcli.lowering.plan import Apply, Step
from gradcli.results import Note
from gradcli.span import Source

OVERFLOW = "an overflow: beyond the largest number"
UNDEFINED = "undefined: nan from finite numbers"


def notes_on(points: Sequence[Awkward], source: Source, cotangents: Mapping[Node, Any]) -> tuple[Note, ...]:
    """A note for each awkward point that has a part in the result.

    `cotangents` holds what arrived at the points' nodes, perhaps with stack axes in front. Where that is 0 a point has
    no part: `abs(x)**3` is smooth at 0. An operand's core shape and the cotangent's broadcast, in reductions too.
    """
    notes = []
    for point in points:
        g = cotangents.get(point.node)
        if g is None:
            continue
        core = point.node.core_shape
        felt = (np.reshape(g, (-1, *core)) != 0).any(axis=0)
        hits = np.argwhere(point.where & felt)
        if len(hits):
            span = point.node.span
            text = source.cut(span) if span is not None else ""
            index = tuple(int(i) for i in hits[0])
            notes.append(Note(point.node.primitive.name, text, span, index, point.kink.reason))
    return tuple(dict.fromkeys(notes))


def origin(plan: Plan, at: Mapping[str, Tensor], draws: Draws) -> tuple[Note, ...]:
    """A note on the first operation that makes inf or nan of finite numbers, if one does.

    For results that are not finite and have no other explanation: the plan is run once more.
    """
    registers: list[Any] = []
    found: list[Note] = []

    def look(step: Step, register: Any) -> None:
        registers.append(register)
        if found or not isinstance(step, Apply) or _finite(register):
            return
        operands = [registers[place] for place in step.operands]
        if _finite(operands):
            found.append(_first(plan.source, step, operands, register))

    with no_grad():
        Run(plan, at, draws, on_step=look).result()
    return tuple(found)


def _finite(register: Any) -> bool:
    if isinstance(register, tuple | list):
        return all(map(_finite, register))
    return not isinstance(register, Tensor) or bool(np.isfinite(register.array).all())


def _first(source: Source, step: Apply, operands: Sequence[Any], register: Any) -> Note:
    """The first element that is not finite, with the reason that the table gives for it."""
    results = register if isinstance(register, tuple) else (register,)
    array = next(result.array for result in results if not _finite(result))
    index = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
    reason = UNDEFINED if np.isnan(array[index]) else OVERFLOW
    if step.primitive.kind == "elementwise":
        numbers = [np.broadcast_to(x.array, array.shape)[index] for x in operands]
        marked = [kink.reason for kink in step.primitive.kinks if np.any(kink.where(*numbers))]
        reason = marked[0] if marked else reason
    return Note(step.primitive.name, source.cut(step.span), step.span, index, reason)
