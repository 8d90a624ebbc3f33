"""Live lanes: which elements of a cotangent or tangent are there at all.

A lane that was not selected (an untaken branch, an element not indexed, the zeros of a one-hot seed) is structurally 0,
and stays 0 through a derivative that is infinite there: 0 * inf = nan is no answer for it. A mask says which lanes are
live; None says that all are. Masks are only carried when a plain sweep met nan.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine import rules
from gradcli.engine.node import Node
from gradcli.primitives.table import Shape, arrays
from gradcli.results import Array

Lanes = Array | None


def generic(shape: Shape) -> Array:
    """Numbers in [1, 2) without pattern, always the same, for probing which lanes a linear map reaches: sums and
    differences of them do not cancel."""
    return np.random.default_rng(0).uniform(1.0, 2.0, shape)


def probe(live: Lanes, shape: Shape) -> Array:
    return generic(shape) if live is None else np.where(live, generic(shape), 0.0)


def _plain(constant: Array | None) -> Array | None:
    return constant if constant is None else np.where(np.isfinite(constant), constant, 1.0)


class Standing:
    """Operands of a multilinear operation: constants as they are, but for infinities and nan, which are as good as 1
    here; in place of variables numbers that are nowhere 0."""

    def __init__(self, node: Node) -> None:
        parts = zip(node.saved, node.edges, node.core_shapes, strict=True)
        self.arrays: Sequence[Any] = [_plain(x) if edge is None else generic(shape) for x, edge, shape in parts]
        self.out = None


def _operands(node: Node) -> rules.Saved:
    return Standing(node) if node.primitive.multilinear else rules.Operands(node, arrays)


def pulled(node: Node, position: int, live: Lanes, flow: Shape) -> Lanes:
    """The lanes of what `vjp` returns for one operand; `flow` is the shape of its cotangent."""
    if node.primitive.live == "mix":
        return mixed(node, live, node.core_shape, node.core_shapes[position])
    if node.primitive.live == "keep":
        return live
    saved = _operands(node)
    alive: Array = np.asarray(rules.vjp(node, position, arrays, probe(live, flow), saved) != 0)
    return alive


def pushed(node: Node, position: int, live: Lanes, flow: Shape) -> Lanes:
    """The lanes of what one operand's tangent, of shape `flow`, contributes to the result."""
    if node.primitive.live == "mix":
        return mixed(node, live, node.core_shapes[position], node.core_shape)
    if node.primitive.live == "keep":
        return live
    saved = _operands(node)
    if node.primitive.kind == "linear":
        stack = flow[: len(flow) - len(node.core_shapes[position])]
        tangents = [probe(live, flow) if i == position else None for i in range(len(node.edges))]
        return np.asarray(rules.linear_jvp(node, arrays, tangents, stack) != 0)
    return np.asarray(rules.jvp(node, position, arrays, probe(live, flow), saved) != 0)


def mixed(node: Node, live: Lanes, source: Shape, target: Shape) -> Lanes:
    """Through a function that mixes lanes along its axes, or all of them: live wherever one of the mixed ones is."""
    if live is None:
        return None
    axes = node.params.get("axis")
    if not isinstance(axes, tuple) or len(source) != len(target):
        axes = tuple(range(-len(source), 0))
    any_live = np.any(live, axis=axes, keepdims=True)
    stack = live.shape[: live.ndim - len(source)]
    if len(source) != len(target):
        any_live = any_live.reshape(stack + (1,) * len(target))
    spread = tuple(k for k in range(-len(target), 0) if target[k] == 1)  # one operand of several may be spread there
    any_live = np.any(any_live, axis=spread, keepdims=True)
    return np.broadcast_to(any_live, stack + target)


def masked(xp: Any, flow: Any, live: Lanes) -> Any:
    return flow if live is None else xp.where(live, flow, 0.0)


def fitted(live: Lanes, lead: int, shape: Shape) -> Lanes:
    """A mask brought to lead + shape, as `fit` brings the flow: a summed lane is live if any of its parts is."""
    return None if live is None else rules.fit(arrays, live.astype(float), lead, shape) != 0


def united(a: Lanes, b: Lanes) -> Lanes:
    return None if a is None or b is None else a | b
