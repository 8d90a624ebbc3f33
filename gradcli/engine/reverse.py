"""The reverse sweep: cotangents from the roots down to the targets, in one loop over the nodes, newest first.

Every node is made after its operands, so descending sequence numbers are a topological order; nothing recurses.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.engine import onehot, rules
from gradcli.engine.hooks import run_gradient_hooks, run_post_hooks, run_pre_hooks
from gradcli.engine.lanes import entering, live_lanes, number_of
from gradcli.engine.node import Node
from gradcli.engine.onehot import OneHot, dense
from gradcli.engine.pending import Pending
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

        Runs plainly first, and on pairs with their live lanes only if a result is nan (or if hooks watch: they must not
        be called twice).
        """
        nodes = reachable(list(self.seeds))
        needed = leading_to(nodes, self.targets)
        visited = [node for node in nodes if node in needed]
        hooked = any(node.hooked for node in visited)
        with np.errstate(all="ignore"):
            found = {} if hooked or self.xp.records else self._sweep(visited, needed, self.seeds, self.xp)
            if hooked or self.xp.records or any(has_nan(g) for g in found.values()):
                seeds = {node: entering(self.xp, dense(g)) for node, g in self.seeds.items()}
                pairs = self._sweep(visited, needed, seeds, live_lanes(self.xp))
                found = {node: pair.value for node, pair in pairs.items()}
        return found, visited

    def _sweep(self, nodes: list[Node], needed: set[Node], seeds: Mapping[Node, Any], xp: Any) -> dict[Node, Any]:
        pending = Pending(seeds)
        found: dict[Node, Any] = {}
        for node in nodes:
            g = pending.take(node)
            if g is None:
                continue
            if isinstance(g, OneHot) and xp is not arrays:
                g = g.dense()
            if node.hooked:
                g = run_pre_hooks(node, run_gradient_hooks(node, g))
            if node in self.targets:
                found[node] = dense(g)
            if node.edges:
                self._pull(node, g, needed, pending, xp)
        return found

    def _pull(self, node: Node, g: Any, needed: set[Node], pending: Pending, xp: Any) -> None:
        if isinstance(g, OneHot):
            g = self._pull_one_hot(node, g, needed, pending)
            if g is None:
                return
        stack = g.shape[: self.lead]
        saved = rules.Operands(node, xp)
        core = rules.reshaped(g, stack + node.core_shape)
        contributions: list[tuple[Node, Any]] = []
        for i, edge in enumerate(node.edges):
            if edge is not None and edge in needed:
                c = rules.fit(xp, rules.vjp(node, i, xp, core, saved), self.lead, node.core_shapes[i])
                contributions.append((edge, rules.reshaped(c, stack + node.shapes[i])))
        if node.post_hooks:
            contributions = run_post_hooks(node, contributions, g)
        for edge, c in contributions:
            pending.add(edge, c)

    def _pull_one_hot(self, node: Node, g: OneHot, needed: set[Node], pending: Pending) -> Array | None:
        """Pull a diagonal as such if every operand can take it; else the stack that it stands for comes back."""
        wanted = [(i, edge) for i, edge in enumerate(node.edges) if edge is not None and edge in needed]
        found = [(edge, onehot.pull(node, i, g)) for i, edge in wanted]
        if any(c is None for _, c in found):
            return g.dense()
        for edge, c in found:
            pending.add(edge, c)
        return None


def has_nan(flow: Any) -> bool:
    return bool(np.isnan(number_of(flow)).any())
