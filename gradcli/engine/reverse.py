"""The reverse sweep: cotangents from the roots down to the targets, in one loop over the nodes, newest first.

Every node is made after its operands, so descending sequence numbers are a topological order; nothing recurses.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.engine import lanes, onehot, rules
from gradcli.engine.hooks import run_gradient_hooks, run_post_hooks, run_pre_hooks
from gradcli.engine.lanes import Lanes
from gradcli.engine.node import Node
from gradcli.engine.onehot import OneHot, dense
from gradcli.engine.pending import Pending
from gradcli.engine.tensor import Tensor
from gradcli.primitives.table import arrays
from gradcli.results import Array


def reachable(roots: Collection[Node]) -> list[Node]:
    """All nodes below the roots, newest first; leaves come last."""
    found: set[Node] = set(roots)
    stack = list(found)
    while stack:
        for edge in stack.pop().edges:
            if edge is not None and edge not in found:
                found.add(edge)
                stack.append(edge)
    return sorted(found, key=lambda node: -node.sequence)


def leading_to(nodes: list[Node], targets: Collection[Node]) -> set[Node]:
    """Those of `nodes` (newest first) from which a target can be reached."""
    needed: set[Node] = set()
    for node in reversed(nodes):
        if node in targets or not needed.isdisjoint(node.edges):
            needed.add(node)
    return needed


@dataclass(slots=True)
class Reverse:
    """One sweep: what arrives at `targets` when `seeds` (lead + shape, one per root) enter at the roots.

    With the recorder for `xp` the sweep is itself recorded, so that its results can be differentiated again.
    """

    seeds: Mapping[Node, Any]
    targets: Collection[Node]
    lead: int = 0
    xp: Any = arrays

    def run(self) -> tuple[dict[Node, Any], list[Node]]:
        """Cotangents of the targets that were reached, and all nodes that were visited.

        Runs without masks first, and with live lanes only if a result is nan (or if hooks watch: they must not be
        called twice).
        """
        nodes = reachable(list(self.seeds))
        needed = leading_to(nodes, self.targets)
        visited = [node for node in nodes if node in needed]
        hooked = any(node.hooked for node in visited)
        with np.errstate(all="ignore"):
            found = self._sweep(visited, needed, masks=hooked)
            if not hooked and any(has_nan(g) for g in found.values()):
                found = self._sweep(visited, needed, masks=True)
        return found, visited

    def _sweep(self, nodes: list[Node], needed: set[Node], masks: bool) -> dict[Node, Any]:
        pending = Pending(self.seeds)
        live: dict[Node, Lanes] = {n: seed_lanes(g) for n, g in self.seeds.items()} if masks else {}
        found: dict[Node, Any] = {}
        for node in nodes:
            g = pending.take(node)
            if g is None:
                continue
            if isinstance(g, OneHot) and (masks or node.hooked or self.xp is not arrays):
                g = g.dense()
            if node.hooked:
                g = run_pre_hooks(node, run_gradient_hooks(node, g))
            if node in self.targets:
                found[node] = dense(g)
            if node.edges:
                self._pull(node, g, needed, pending, live if masks else None)
        return found

    def _pull(self, node: Node, g: Any, needed: set[Node], pending: Pending, live: dict[Node, Lanes] | None) -> None:
        if isinstance(g, OneHot):
            g = self._pull_one_hot(node, g, needed, pending)
            if g is None:
                return
        stack = g.shape[: self.lead]
        saved = rules.Operands(node, self.xp)
        core = rules.reshaped(g, stack + node.core_shape)
        mask = None if live is None else live.pop(node, None)
        contributions: list[tuple[Node, Any, Lanes]] = []
        for i, edge in enumerate(node.edges):
            if edge is not None and edge in needed:
                contributions.append((edge, *self._contribution(node, i, core, saved, mask, live is not None)))
        if node.post_hooks:
            contributions = run_post_hooks(node, contributions, g)
        for edge, c, alive in contributions:
            first = edge not in pending
            pending.add(edge, c)
            if live is not None:
                live[edge] = alive if first else lanes.united(live[edge], alive)

    def _pull_one_hot(self, node: Node, g: OneHot, needed: set[Node], pending: Pending) -> Array | None:
        """Pull a diagonal as such if every operand can take it; else the stack that it stands for comes back."""
        wanted = [(i, edge) for i, edge in enumerate(node.edges) if edge is not None and edge in needed]
        found = [(edge, onehot.pull(node, i, g)) for i, edge in wanted]
        if any(c is None for _, c in found):
            return g.dense()
        for edge, c in found:
            pending.add(edge, c)
        return None

    def _contribution(
        self, node: Node, i: int, core: Any, saved: rules.Operands, mask: Lanes, masks: bool
    ) -> tuple[Any, Lanes]:
        """What operand i gets, and which of its lanes are live."""
        xp, lead, shape = self.xp, self.lead, node.core_shapes[i]
        c = rules.vjp(node, i, xp, core, saved)
        alive: Lanes = None
        if masks:
            alive = lanes.pulled(node, i, None if mask is None else mask.reshape(core.shape), core.shape)
            c = lanes.masked(xp, c, alive)
            alive = lanes.fitted(alive, lead, shape)
        whole = core.shape[:lead] + node.shapes[i]
        return rules.reshaped(rules.fit(xp, c, lead, shape), whole), None if alive is None else alive.reshape(whole)


def seed_lanes(seed: Any) -> Lanes:
    """The zeros of a seed are structural, unless the seed itself is to be differentiated."""
    if isinstance(seed, OneHot):
        return np.asarray(seed.dense() != 0)
    if isinstance(seed, Tensor):
        return None if seed.requires_grad else np.asarray(seed.array != 0)
    return np.asarray(seed != 0)


def has_nan(flow: Any) -> bool:
    return bool(np.isnan(flow.array if isinstance(flow, Tensor) else flow).any())
