"""One node's derivative, either way: what the kinds of the table derive from the rules that entries hold.

`xp` is `arrays` for numbers, or the recorder to build a graph of the derivative itself. A flow (cotangent or tangent)
has `lead` stack axes in front of its shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, Protocol

import numpy as np

from gradcli.engine.node import Node, Seen
from gradcli.engine.tensor import Tensor, wrap
from gradcli.errors import GradcliError
from gradcli.primitives.table import TABLE, Primitive, Rule, Shape, arrays, chosen
from gradcli.results import Array
from gradcli.span import Span

SMALL = 4096
"""Elements up to which a constant array is made faster than a view of its one number."""


def scaled(xp: Any, flow: Any, rule: int) -> Any:
    if rule == 1:
        return flow
    return -flow if rule == -1 else xp.where(np.False_, flow, 0.0)


def reshaped(flow: Any, shape: Shape) -> Any:
    return flow if flow.shape == shape else flow.reshape(shape)


def fit(xp: Any, flow: Any, lead: int, shape: Shape) -> Any:
    """Make `flow` lead + shape: axes that broadcasting spread are summed, missing ones are spread."""
    if flow.shape[lead:] == shape:
        return flow
    if flow.size == 1 and xp is arrays and lead == 0 and prod(shape) <= SMALL:
        # What comes out of a sum: a view is slow to make, worth it only where it is large.
        return np.full(shape, flow.reshape(()))
    extra = flow.ndim - lead - len(shape)
    if extra < 0:
        flow = flow.reshape(flow.shape[:lead] + (1,) * -extra + flow.shape[lead:])
    elif extra > 0:
        flow = flow.sum(axis=tuple(range(lead, lead + extra)))
    spread = tuple(i - len(shape) for i, n in enumerate(shape) if n == 1 and flow.shape[lead + i] != 1)
    if spread:
        flow = flow.sum(axis=spread, keepdims=True)
    if flow.shape[lead:] == shape:
        return flow
    return xp.broadcast_to(flow, shape=flow.shape[:lead] + shape)


class Saved(Protocol):
    """What a rule reads: operands and result of an operation in their core shapes, None for what is not read."""

    arrays: Sequence[Any]
    out: Any


class Operation(Protocol):
    """A node of the graph, or the step of a tape that stands for one."""

    primitive: Primitive
    params: Mapping[str, Any]
    span: Span | None


class Operands:
    """The saved values of a node, in the form that `xp` wants: arrays, or tensors that lead back into the graph."""

    __slots__ = ("arrays", "out")

    def __init__(self, node: Node, xp: Any) -> None:
        node.require_saved()
        if not xp.records:
            self.arrays: Sequence[Any] = node.saved
            self.out: Any = node.out
        else:
            self.arrays = [_operand(node, i) for i in range(len(node.saved))]
            self.out = None if node.out is None else _result(node)


def _operand(node: Node, i: int) -> Any:
    saved, edge = node.saved[i], node.edges[i]
    if saved is None:
        return None
    return reshaped(_tensor(saved, node.shapes[i], edge, node.versions[i]), node.core_shapes[i])


def _result(node: Node) -> Any:
    assert node.out is not None
    return reshaped(_tensor(node.out, node.shape, node, node.out_version), node.core_shape)


def _tensor(array: Array, shape: Shape, node: Node | None, seen: Seen | None) -> Tensor:
    """A saved array at its place in the graph. Whatever saves it again sees the same version of its storage."""
    x = wrap(array.reshape(shape))
    x.grad_fn = node
    if seen is not None:
        x.version = seen[0]
    return x


def partial_of(node: Operation, rule: Rule, xp: Any, saved: Saved) -> Any:
    """The slope by one operand. Raises NotDifferentiable where the rule says that there is none."""
    return told(node, rule, xp, saved.out, *saved.arrays, **node.params)


def told(node: Operation, rule: Rule, *given: Any, **params: Any) -> Any:
    """What a rule gives. An error of it, or of a function that it calls, becomes one of the function that the user
    wrote, with its text."""
    try:
        return rule(*given, **params)
    except GradcliError as error:
        error.span = error.span or getattr(node, "span", None)  # what stands in for a node may have none
        called, _, reason = error.message.partition(": ")
        if called in TABLE and called != node.primitive.name:
            error.message = f"{node.primitive.name}: it has no derivative here: {reason}"
            error.args = (error.message,)
        raise


def vjp(node: Operation, position: int, xp: Any, g: Any, saved: Saved) -> Any:
    """The cotangent of one operand, in any shape that `fit` can mend; `g` has the core shape of the result."""
    primitive = node.primitive
    rule = primitive.rule(position)
    if isinstance(rule, int):
        return scaled(xp, g, rule)
    if primitive.kind == "elementwise":
        partial = partial_of(node, rule, xp, saved)
        if primitive.selects:
            return chosen(xp, primitive.choice(position), g, partial, *saved.arrays)
        return times(g, partial, saved) if xp is arrays else g * partial
    place = {"position": position} if primitive.variadic else {}
    if primitive.kind == "linear":
        return rule(xp, g, **place, **node.params)
    return told(node, rule, xp, g, saved.out, *saved.arrays, **place, **node.params)


def times(g: Any, partial: Any, saved: Saved) -> Any:
    """`g * partial`, in the partial's own storage where a rule has just made it: a fresh array costs as much again."""
    if type(partial) is not np.ndarray or partial.shape != g.shape or not partial.flags.owndata:
        return g * partial
    if partial is saved.out or any(partial is x for x in saved.arrays) or partial.dtype != np.float64:
        return g * partial
    return np.multiply(g, partial, out=partial)


def jvp(node: Operation, position: int, xp: Any, t: Any, saved: Saved) -> Any:
    """The tangent that one operand's tangent gives the result; `t` has the operand's core shape. Not for `linear`."""
    primitive = node.primitive
    if primitive.kind == "bilinear":
        operands = [t if i == position else x for i, x in enumerate(saved.arrays)]
        return getattr(xp, primitive.name)(*operands, **node.params)
    if primitive.kind == "elementwise":
        rule = primitive.rule(position)
        if isinstance(rule, int):
            return scaled(xp, t, rule)
        partial = partial_of(node, rule, xp, saved)
        return chosen(xp, primitive.choice(position), t, partial, *saved.arrays) if primitive.selects else t * partial
    place = {"position": position} if primitive.variadic else {}
    push = primitive.pushes[0 if primitive.variadic else position]
    return told(node, push, xp, t, saved.out, *saved.arrays, **place, **node.params)


def linear_jvp(node: Node, xp: Any, tangents: Sequence[Any], stack: Shape) -> Any:
    """A linear operation maps tangents as it maps values; operands without one count as 0."""
    operands = [
        np.zeros(stack + shape) if t is None else t for t, shape in zip(tangents, node.core_shapes, strict=True)
    ]
    return getattr(xp, node.primitive.name)(*operands, **node.params)


def distinct(flows: Iterable[Any]) -> Iterator[Array]:
    """Arrays that share no storage: sweeps hand on views, and one cotangent to several operands."""
    seen: set[int] = set()
    for flow in flows:
        array = np.asarray(flow)
        yield array if array.flags.owndata and id(array) not in seen else array.copy()
        seen.add(id(array))
