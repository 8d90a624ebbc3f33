"""Which operation of an expression has a derivative that its own values contradict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.engine import record
from gradcli.engine.forward import Forward
from gradcli.engine.reverse import Reverse
from gradcli.engine.standing import generic
from gradcli.engine.tensor import Tensor, wrap
from gradcli.lowering import Draws, Plan, Run
from gradcli.lowering.plan import Apply, Step
from gradcli.lowering.run import parts
from gradcli.modes.numeric import Estimate, slopes
from gradcli.results import Note

SUSPECT = 1e-6
"""Relative error from which an operation is suspected."""

Met = tuple[Apply, list[Tensor], dict[str, Any]]


def blamed(plan: Plan, at: Mapping[str, Tensor], draws: Draws) -> Note | None:
    """Try every step alone, on the operands that it met; the one that is furthest off, if any is."""
    met: list[Met] = []
    registers: list[Any] = []

    def keep(step: Step, register: Any) -> None:
        registers.append(register)
        if not isinstance(step, Apply) or step.spread or step.primitive.draws:
            return
        operands = [registers[place] for place in step.operands]
        if any(isinstance(x, Tensor) and x.requires_grad for x in operands):
            params = {n: record.coerce(step.primitive, n, kind, registers[at]) for n, kind, at in step.params}
            met.append(
                (step, [Tensor(x.array, requires_grad=x.requires_grad) for x in operands], {**step.defaults, **params})
            )

    Run(plan, at, draws, on_step=keep, by_parts=True).result()
    worst, culprit = max(((error(one), one[0]) for one in met), key=lambda pair: pair[0], default=(0.0, None))
    if culprit is None or worst < SUSPECT:
        return None
    reason = f"its derivative differs from its values by {worst:.1e}, relatively"
    return Note(culprit.primitive.name, plan.source.cut(culprit.span), culprit.span, (), reason)


def error(one: Met) -> float:
    """How far either derivative along a direction without pattern is from the difference quotients, relatively."""
    step, leaves, params = one
    directions = [generic(x.shape) if x.requires_grad else np.zeros(x.shape) for x in leaves]

    def value(distance: Any) -> Any:
        moved = [wrap(x.array + distance * d) for x, d in zip(leaves, directions, strict=True)]
        return _flat(record.invoke(step.primitive, parts(step.primitive, moved), params))

    with np.errstate(all="ignore"):
        found = record.invoke(step.primitive, leaves, params)
        told = _slope(found, leaves, directions)
        central, left, right = slopes(value, 1.0)
        weights = generic(told.shape)
        pulled = _pulled(found, leaves, directions, weights)
        return _worst(told, central, abs(left.value - right.value), weights, pulled)


def _worst(told: Any, central: Estimate, jump: Any, weights: Any, pulled: float) -> float:
    size = np.maximum(abs(told), abs(central.value)) + 1e-300
    smooth = (central.error <= SUSPECT * size) & (jump <= 1e-3 * size)
    off = np.where(smooth & np.isfinite(told), abs(told - central.value) / size, 0.0)
    if np.all(smooth) and np.isfinite(pulled):
        terms = abs(weights * central.value)
        off = np.append(off, abs(pulled - np.sum(weights * central.value)) / (np.sum(terms) + 1e-300))
    return float(off.max(initial=0.0))


def _pulled(results: Any, leaves: Sequence[Tensor], directions: Sequence[Any], weights: Any) -> float:
    """What reverse mode says of the slope of the weighted sum of all results."""
    parts = results if isinstance(results, tuple) else (results,)
    seeds, start = {}, 0
    for x in parts:
        if x.grad_fn is not None:
            seeds[x.grad_fn] = weights[start : start + x.array.size].reshape(x.shape)
        start += x.array.size
    targets = {node: d for x, d in zip(leaves, directions, strict=True) if (node := record.edge_of(x)) is not None}
    found, _ = Reverse(seeds, set(targets)).run()
    return float(sum(np.sum(np.asarray(found[node]) * d) for node, d in targets.items() if node in found))


def _flat(results: Any) -> Any:
    parts = results if isinstance(results, tuple) else (results,)
    return np.concatenate([x.array.reshape(-1).astype(np.float64) for x in parts])


def _slope(results: Any, leaves: Sequence[Tensor], directions: Sequence[Any]) -> Any:
    """The tangent of each result, flattened side by side; 0 where the graph was cut."""
    parts = results if isinstance(results, tuple) else (results,)
    seeds = {record.edge_of(x): d for x, d in zip(leaves, directions, strict=True)}
    entering = {node: d for node, d in seeds.items() if node is not None}
    tangents = []
    for x in parts:
        found = Forward(x.grad_fn, entering).run() if x.grad_fn is not None else None
        tangents.append(np.zeros(x.array.size) if found is None else found.reshape(-1))
    return np.concatenate(tangents)
