"""The forward sweep: tangents from the inputs up to the root, over the same recorded graph, oldest node first."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from gradcli.engine import lanes, onehot, rules
from gradcli.engine.lanes import Lanes
from gradcli.engine.node import Node
from gradcli.engine.onehot import OneHot, dense
from gradcli.engine.reverse import has_nan, leading_to, reachable, seed_lanes
from gradcli.primitives.table import Shape, arrays


@dataclass(slots=True)
class Forward:
    """One sweep: the tangent of `root` when `seeds` (lead + shape, by input node) enter; None if none reaches it."""

    root: Node
    seeds: Mapping[Node, Any]
    lead: int = 0
    xp: Any = arrays

    def run(self) -> Any:
        nodes = reachable([self.root])
        touched = leading_to(nodes, self.seeds.keys())
        order = [node for node in reversed(nodes) if node in touched]
        with np.errstate(all="ignore"):
            tangent = self._sweep(order, masks=False)
            tangent = dense(tangent)
            if tangent is not None and has_nan(tangent):
                tangent = self._sweep(order, masks=True)
        return tangent

    def _sweep(self, order: list[Node], masks: bool) -> Any:
        tangents = {node: dense(seed) for node, seed in self.seeds.items()} if masks else dict(self.seeds)
        readers = Counter(edge for node in order if node not in tangents for edge in _sources(node))
        live: dict[Node, Lanes] | None = {n: seed_lanes(t) for n, t in tangents.items()} if masks else None
        for node in order:
            if node not in tangents:
                tangents[node] = self._push(node, tangents, live)
                for edge in _sources(node):
                    readers[edge] -= 1
                    if not readers[edge]:
                        tangents.pop(edge, None)  # nobody reads it any more
        return tangents.get(self.root)

    def _push(self, node: Node, tangents: dict[Node, Any], live: dict[Node, Lanes] | None) -> Any:
        if live is None:
            pushed = self._push_one_hot(node, tangents)
            if pushed is not None:
                return pushed
        xp, stack = self.xp, next(iter(self.seeds.values())).shape[: self.lead]
        flows = [
            None if edge not in tangents else rules.reshaped(dense(tangents[edge]), stack + node.core_shapes[i])
            for i, edge in enumerate(node.edges)
        ]
        masks = None if live is None else self._lanes(node, flows, live, stack)
        tangent = rules.fit(xp, _tangent(node, xp, flows, masks, stack), self.lead, node.core_shape)
        if live is not None and masks is not None:
            alive = reduce(lanes.united, (masks[i] for i, t in enumerate(flows) if t is not None))
            live[node] = lanes.fitted(alive, self.lead, node.core_shape)
            tangent = lanes.masked(xp, tangent, live[node])
        return rules.reshaped(tangent, stack + node.shape)

    def _push_one_hot(self, node: Node, tangents: Mapping[Node, Any]) -> Any:
        """Push diagonals as such if the node can; None where one of its operands has another tangent."""
        flows = [(i, tangents[edge]) for i, edge in enumerate(node.edges) if edge is not None and edge in tangents]
        if not all(isinstance(t, OneHot) for _, t in flows):
            return None
        found = [onehot.push(node, i, t) for i, t in flows]
        return None if any(part is None for part in found) else onehot.united(found)

    def _lanes(self, node: Node, flows: Sequence[Any], live: dict[Node, Lanes], stack: Shape) -> list[Lanes]:
        """For each operand with a tangent, which lanes of its contribution are live."""
        found: list[Lanes] = [None] * len(flows)
        for i, edge in enumerate(node.edges):
            if flows[i] is not None and edge is not None:
                core = stack + node.core_shapes[i]
                mask = live.get(edge)
                found[i] = lanes.pushed(node, i, None if mask is None else mask.reshape(core), core)
        return found


def _sources(node: Node) -> set[Node]:
    return {edge for edge in node.edges if edge is not None}


def _tangent(node: Node, xp: Any, flows: Sequence[Any], masks: Sequence[Lanes] | None, stack: Shape) -> Any:
    saved = rules.Operands(node, xp)
    if node.primitive.kind == "linear":
        return rules.linear_jvp(node, xp, flows, stack)
    parts = [
        lanes.masked(xp, rules.jvp(node, i, xp, t, saved), None if masks is None else masks[i])
        for i, t in enumerate(flows)
        if t is not None
    ]
    return reduce(operator.add, parts)
