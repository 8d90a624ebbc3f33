"""Calling the hooks that a user registered on tensors and nodes, with PyTorch's rules for what they may return."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.lanes import Lanes
from gradcli.engine.node import Node
from gradcli.engine.tensor import Tensor, wrap
from gradcli.errors import ShapeMismatch


def _shown(flow: Any) -> Tensor:
    return flow if isinstance(flow, Tensor) else wrap(np.asarray(flow))


def _taken(flow: Any, returned: Any) -> Any:
    """What a hook returned in place of `flow`, in the form that the sweep runs on."""
    if returned is None:
        return flow
    if returned.shape != flow.shape:
        raise ShapeMismatch(
            f"hook has changed the size of value: it was {tuple(flow.shape)}, now it is {tuple(returned.shape)}"
        )
    return returned if isinstance(flow, Tensor) else returned.array


def run_gradient_hooks(node: Node, g: Any) -> Any:
    """Tensor hooks in the order of their registration, then those that keep the finished gradient."""
    for hook in node.gradient_hooks or ():
        g = _taken(g, hook(_shown(g)))
    for keep in node.retain_hooks or ():
        keep(_shown(g))
    return g


def run_pre_hooks(node: Node, g: Any) -> Any:
    for hook in node.pre_hooks or ():
        returned = hook((_shown(g),))
        g = _taken(g, returned[0] if returned is not None else None)
    return g


def run_post_hooks(node: Node, contributions: list[tuple[Node, Any, Lanes]], g: Any) -> list[tuple[Node, Any, Lanes]]:
    """`hook(grad_inputs, grad_outputs)`: one entry per operand, None for those that get no gradient."""
    for hook in node.post_hooks or ():
        waiting = list(contributions)
        inputs: list[Tensor | None] = []
        for edge in node.edges:
            mine = waiting.pop(0) if waiting and waiting[0][0] is edge else None
            inputs.append(None if mine is None else _shown(mine[1]))
        returned = hook(tuple(inputs), (_shown(g),))
        if returned is not None:
            kept = [r for r, shown in zip(returned, inputs, strict=True) if shown is not None]
            contributions = [(e, _taken(c, r), None) for (e, c, _), r in zip(contributions, kept, strict=True)]
    return contributions
