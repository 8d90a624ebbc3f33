"""How large the terms are that a sweep adds up, however much of them cancels: rounding is in proportion to that.

At each operation every number of a flow is turned by an angle of its own. Sums of turned numbers cancel nowhere, and
one that is handed on alone keeps its size. A flow is linear in what comes in, so that the two components of a turned
flow go through the rules as a stack. What cancels within a rule (a projection of what it leaves nothing of, a badly
conditioned system) shows by how far its result moves when what it reads does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine import rules
from gradcli.engine.node import Node
from gradcli.engine.reverse import leading_to, reachable
from gradcli.primitives.table import Shape, arrays
from gradcli.results import Array

PARTS = (2.0**-50, 2.0**-38)
"""By what parts of itself a number is moved: its last bits, as rounding does, which may change nothing by chance; and
more."""


def _turned(sizes: Array, shape: Shape, draw: np.random.Generator) -> Array:
    angles = draw.uniform(0.0, 2.0 * np.pi, sizes.shape)
    return np.stack([sizes * np.cos(angles), sizes * np.sin(angles)]).reshape(2, *shape)


def _moved(x: Any, part: float) -> Any:
    """Each number by a part of its own; those that are equal stay so, for they may be tied."""
    if x is None or x.dtype != np.float64:
        return x
    mantissa, exponent = np.frexp(np.where(np.isfinite(x), x, 0.0))
    return x * (1.0 + part * np.cos(1e4 * mantissa + exponent))


class _Moved:
    """What a rule reads, moved."""

    def __init__(self, saved: rules.Saved, part: float) -> None:
        self.arrays: Sequence[Any] = [_moved(x, part) for x in saved.arrays]
        self.out: Any = _moved(saved.out, part)


def _size(node: Node, rule: Callable[[rules.Saved], Any], core: Shape) -> Array:
    """That of what a rule makes of a turned flow, and of the terms within where these can be many."""
    saved = rules.Operands(node, arrays)
    flow = rules.fit(arrays, rule(saved), 1, core)
    size = np.hypot(flow[0], flow[1])
    for part in PARTS if node.primitive.kind == "general" else ():
        gap = (rules.fit(arrays, rule(_Moved(saved, part)), 1, core) - flow) / part
        size = size + np.nan_to_num(np.hypot(gap[0], gap[1]), nan=0.0)
    return np.asarray(size)


def pulled(root: Node, seed: Array, targets: Collection[Node]) -> dict[Node, Array]:
    """That of the cotangents at `targets`, when `seed`, in the shape of the root, enters there."""
    draw = np.random.default_rng(0)
    nodes = reachable([root])
    needed = leading_to(nodes, targets)
    sizes = {root: np.abs(seed)}
    found: dict[Node, Array] = {}
    with np.errstate(all="ignore"):
        for node in nodes:
            size = sizes.pop(node, None)
            if size is None:
                continue
            if node in targets:
                found[node] = size
            flow = _turned(size, node.core_shape, draw)
            for i, edge in enumerate(node.edges):
                if edge is not None and edge in needed:
                    rule = partial(rules.vjp, node, i, arrays, flow)
                    part = _size(node, rule, node.core_shapes[i]).reshape(node.shapes[i])
                    sizes[edge] = sizes[edge] + part if edge in sizes else part
    return found


def pushed(root: Node, seeds: Mapping[Node, Array]) -> Array:
    """That of the tangent at the root, when `seeds` enter at nodes below it."""
    draw = np.random.default_rng(0)
    nodes = reachable([root])
    touched = leading_to(nodes, seeds.keys())
    sizes = {node: np.abs(seed) for node, seed in seeds.items()}
    order = [node for node in reversed(nodes) if node in touched and node not in sizes]
    readers = Counter(edge for node in order for edge in node.edges if edge is not None and edge in touched)
    with np.errstate(all="ignore"):
        for node in order:
            flows = [
                None if edge is None or edge not in touched else _turned(sizes[edge], shape, draw)
                for edge, shape in zip(node.edges, node.core_shapes, strict=True)
            ]
            sizes[node] = _pushed_through(node, flows).reshape(node.shape)
            for edge in node.edges:
                if edge is not None and edge in touched:
                    readers[edge] -= 1
                    if not readers[edge]:
                        sizes.pop(edge, None)  # nobody reads it any more
    return sizes[root]


def _pushed_through(node: Node, flows: Sequence[Array | None]) -> Array:
    made: list[Callable[[rules.Saved], Any]]
    if node.primitive.kind == "linear":
        made = [lambda _: rules.linear_jvp(node, arrays, flows, (2,))]
    else:
        made = [partial(rules.jvp, node, i, arrays, flow) for i, flow in enumerate(flows) if flow is not None]
    return np.asarray(sum(_size(node, rule, node.core_shape) for rule in made))
