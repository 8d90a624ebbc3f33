"""The forward sweep: tangents from the inputs up to the root, over the same recorded graph, oldest node first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.engine import lanes, rules
from gradcli.engine.lanes import Lanes
from gradcli.engine.node import Node
from gradcli.engine.record import recorder
from gradcli.engine.reverse import has_nan, leading_to, reachable, seed_lanes
from gradcli.primitives.table import arrays


@dataclass(slots=True)
class Forward:
    """One sweep: the tangent of `root` when `seeds` (lead + shape, by input node) enter; None if none reaches it."""

    root: Node
    seeds: Mapping[Node, Any]
    lead: int = 0
    recording: bool = False

    def run(self) -> Any:
        nodes = reachable([self.root])
        touched = leading_to(nodes, self.seeds.keys())
        order = [node for node in reversed(nodes) if node in touched]
        with np.errstate(all="ignore"):
            tangent = self._sweep(order, masks=False)
            if tangent is not None and has_nan(tangent):
                tangent = self._sweep(order, masks=True)
        return tangent

    def _sweep(self, order: list[Node], masks: bool) -> Any:
        tangents = dict(self.seeds)
        live: dict[Node, Lanes] | None = {n: seed_lanes(t) for n, t in tangents.items()} if masks else None
        for node in order:
            if node not in tangents:
                tangents[node] = self._push(node, tangents, live)
        return tangents.get(self.root)

    def _push(self, node: Node, tangents: dict[Node, Any], live: dict[Node, Lanes] | None) -> Any:
        xp = recorder if self.recording else arrays
        stack = next(iter(self.seeds.values())).shape[: self.lead]
        saved = rules.Operands(node, xp)
        flows = [None if e is None else self._core(tangents.get(e), stack, node, i) for i, e in enumerate(node.edges)]
        total: Any = None
        alive: Lanes = None
        if node.primitive.kind == "linear":
            total = rules.linear_jvp(node, xp, flows, stack)
        parts: list[tuple[Any, Lanes]] = []
        for i, t in enumerate(flows):
            if t is None:
                continue
            lane: Lanes = None
            if live is not None:
                edge = node.edges[i]
                assert edge is not None
                mask = live.get(edge)
                mask = None if mask is None else mask.reshape(stack + node.core_shapes[i])
                lane = lanes.pushed(node, i, mask, stack + node.core_shapes[i])
            if node.primitive.kind != "linear":
                c = lanes.masked(xp, rules.jvp(node, i, xp, t, saved), lane)
                total = c if total is None else total + c
            parts.append((t, lane))
        if live is not None:
            alive = parts[0][1]
            for _, lane in parts[1:]:
                alive = lanes.united(alive, lane)
            total = lanes.masked(xp, total, alive)
            fitted = lanes.fitted(alive, self.lead, node.core_shape)
            live[node] = None if fitted is None else fitted.reshape(stack + node.shape)
        total = rules.fit(xp, total, self.lead, node.core_shape)
        return total if node.shape == node.core_shape else total.reshape(stack + node.shape)

    def _core(self, t: Any, stack: tuple[int, ...], node: Node, position: int) -> Any:
        if t is None or node.shapes[position] == node.core_shapes[position]:
            return t
        return t.reshape(stack + node.core_shapes[position])
