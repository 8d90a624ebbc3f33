"""The forward sweep: tangents from the inputs up to the root, over the same recorded graph, oldest node first."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from gradcli.engine import onehot, rules
from gradcli.engine.lanes import entering, live_lanes
from gradcli.engine.node import Node
from gradcli.engine.onehot import OneHot, dense
from gradcli.engine.reverse import has_nan, leading_to, reachable
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
            tangent = dense(self._sweep(order, self.seeds, self.xp))
            if tangent is not None and has_nan(tangent):
                seeds = {node: entering(self.xp, dense(seed)) for node, seed in self.seeds.items()}
                tangent = self._sweep(order, seeds, live_lanes(self.xp)).value
        return tangent

    def _sweep(self, order: list[Node], seeds: Mapping[Node, Any], xp: Any) -> Any:
        tangents = dict(seeds)
        readers = Counter(edge for node in order if node not in tangents for edge in _sources(node))
        for node in order:
            if node not in tangents:
                tangents[node] = self._push(node, tangents, xp)
                for edge in _sources(node):
                    readers[edge] -= 1
                    if not readers[edge]:
                        tangents.pop(edge, None)  # nobody reads it any more
        return tangents.get(self.root)

    def _push(self, node: Node, tangents: Mapping[Node, Any], xp: Any) -> Any:
        pushed = self._push_one_hot(node, tangents)
        if pushed is not None:
            return pushed
        stack = next(iter(self.seeds.values())).shape[: self.lead]
        flows = [
            None
            if edge is None or edge not in tangents
            else rules.reshaped(dense(tangents[edge]), stack + node.core_shapes[i])
            for i, edge in enumerate(node.edges)
        ]
        tangent = rules.fit(xp, _tangent(node, xp, flows, stack), self.lead, node.core_shape)
        return rules.reshaped(tangent, stack + node.shape)

    def _push_one_hot(self, node: Node, tangents: Mapping[Node, Any]) -> Any:
        """Push diagonals as such if the node can; None where one of its operands has another tangent."""
        flows = [(i, tangents[edge]) for i, edge in enumerate(node.edges) if edge is not None and edge in tangents]
        if not all(isinstance(t, OneHot) for _, t in flows):
            return None
        found = [onehot.push(node, i, t) for i, t in flows]
        return None if any(part is None for part in found) else onehot.united(found)


def _sources(node: Node) -> set[Node]:
    return {edge for edge in node.edges if edge is not None}


def _tangent(node: Node, xp: Any, flows: Sequence[Any], stack: Shape) -> Any:
    saved = rules.Operands(node, xp)
    if node.primitive.kind == "linear":
        return rules.linear_jvp(node, xp, flows, stack)
    parts = [rules.jvp(node, i, xp, t, saved) for i, t in enumerate(flows) if t is not None]
    return reduce(operator.add, parts)
