"""Where numbers stopped being finite: the first operation that made it so, on the way forward and on the way back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.engine.node import Node
from gradcli.engine.reverse import Reverse, reachable
from gradcli.engine.state import no_grad
from gradcli.engine.tensor import Tensor
from gradcli.lowering import CONSTANTS, Draws, Plan, Run
from gradcli.lowering.plan import Apply, Constant, Step
from gradcli.results import Note
from gradcli.span import Source

OVERFLOW = "an overflow: beyond the largest number"
UNDEFINED = "undefined: nan from finite numbers"
SLOPE_OVERFLOW = "on the way back the gradient becomes infinite here"
SLOPE_UNDEFINED = "on the way back the gradient becomes nan here: 0 times infinity, or no slope at all"


def origin(plan: Plan, at: Mapping[str, Tensor], draws: Draws) -> tuple[Note, ...]:
    """A note on the first operation that makes inf or nan of finite numbers, if one does.

    For results that are not finite and have no other explanation: the plan is run once more.
    """
    registers: list[Any] = []
    found: list[Note] = []

    def look(step: Step, register: Any) -> None:
        registers.append(register)
        if found or finite(register):
            return
        if isinstance(step, Constant) and plan.source.cut(step.span) not in CONSTANTS:
            found.append(Note("number", plan.source.excerpt(step.span), step.span, (), OVERFLOW))
        elif isinstance(step, Apply):
            operands = [registers[place] for place in step.operands]
            if finite(operands):
                found.append(_first(plan.source, step, operands, register))

    with no_grad():
        Run(plan, at, draws, on_step=look).result()
    return tuple(found)


def finite(register: Any) -> bool:
    """Whether no number in a register, or in several, is inf or nan."""
    if isinstance(register, tuple | list):
        return all(map(finite, register))
    return not isinstance(register, Tensor) or bool(np.isfinite(register.array).all())


def _first(source: Source, step: Apply, operands: Sequence[Any], register: Any) -> Note:
    """The first element that is not finite, with the reason that the table gives for it."""
    results = register if isinstance(register, tuple) else (register,)
    array = next(result.array for result in results if not finite(result))
    index = _place(array)
    reason = UNDEFINED if np.isnan(array[index]) else OVERFLOW
    numbers: list[Any] = []
    if step.primitive.kind == "elementwise":
        numbers = [np.broadcast_to(x.array, array.shape)[index] for x in operands]
        marked = [kink.reason for kink in step.primitive.kinks if kink.order == 1 and np.any(kink.where(*numbers))]
        reason = marked[0] if marked else reason
    texts = [source.excerpt(span) for span in step.spans]
    met = tuple((text, float(number)) for text, number in zip(texts, numbers, strict=False))
    return Note(step.primitive.name, source.excerpt(step.span), step.span, index, reason, met)


def gradient_origin(seeds: Mapping[Node, Any], targets: Collection[Node], lead: int, source: Source) -> Note | None:
    """A note on the first operation whose cotangent is finite and what it hands on is not, if its values are finite.

    The sweep is run once more, watched.
    """
    found: list[Note | None] = []

    def watch(node: Node) -> Callable[[Any, Any], None]:
        def look(handed_on: Sequence[Tensor | None], arrived: Sequence[Tensor]) -> None:
            if not found and finite(list(arrived)) and not finite(list(handed_on)):
                found.append(_culprit(node, handed_on, lead, source))

        return look

    handles = [node.register_hook(watch(node)) for node in reachable(list(seeds)) if node.edges]
    try:
        with no_grad():
            Reverse(seeds, targets, lead).run()
    finally:
        for handle in handles:
            handle.remove()
    return found[0] if found else None


def _culprit(node: Node, handed_on: Sequence[Tensor | None], lead: int, source: Source) -> Note | None:
    """None where the operation's own values are to blame: their origin lies further up."""
    values = [x for x in (*node.saved, node.out) if x is not None]
    if not all(np.isfinite(x).all() for x in values):
        return None
    array = next(x.array for x in handed_on if x is not None and not finite(x))
    place = _place(array)
    reason = SLOPE_UNDEFINED if np.isnan(array[place]) else SLOPE_OVERFLOW
    text = source.excerpt(node.span) if node.span is not None else ""
    return Note(node.primitive.name, text, node.span, place[lead:], reason)


def _place(array: Any) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
