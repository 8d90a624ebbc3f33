"""Calling the hooks that a user registered on tensors and nodes, with PyTorch's rules for what they may return."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.engine.lanes import Pair, answered
from gradcli.engine.node import Hook, Hooks, Node
from gradcli.engine.state import no_grad
from gradcli.engine.tensor import Tensor, wrap
from gradcli.errors import BadArgument, ShapeMismatch


def _shown(flow: Any) -> Tensor:
    """What a hook sees: the numbers, 0 in dead lanes."""
    flow = flow.value if isinstance(flow, Pair) else flow
    return flow if isinstance(flow, Tensor) else wrap(np.asarray(flow))


def _taken(flow: Any, returned: Any, rank: int) -> Any:
    """What a hook returned in place of `flow`, in the form that the sweep runs on. Raises BadArgument for what is no
    tensor of numbers, ShapeMismatch."""
    if returned is None:
        return flow
    if not isinstance(returned, Tensor):
        raise BadArgument(
            f"expected a Tensor or None, but hook returned {type(returned).__name__}",
            help="gradcli.tensor(...) makes a tensor of numbers and arrays",
        )
    if returned.shape != flow.shape:
        raise ShapeMismatch(
            f"hook has changed the size of value: it was {tuple(flow.shape)}, now it is {tuple(returned.shape)}"
        )
    if returned.array.dtype == bool:
        raise BadArgument("hook has changed the type of value: it was numbers, now it is a mask")
    if isinstance(flow, Pair):
        return answered(flow, returned if flow.xp.records else returned.array, rank)
    return returned if isinstance(flow, Tensor) else returned.array


def _all_taken(returned: Any, count: int) -> tuple[Any, ...]:
    """The tuple that a hook of a node returned, of `count` gradients. Raises BadArgument."""
    if not isinstance(returned, tuple):
        raise BadArgument(f"expected a tuple or None, but hook returned {type(returned).__name__}")
    if len(returned) != count:
        raise BadArgument(f"hook has returned an incorrect number of values: {len(returned)}, expected {count}")
    return returned


def called(hooks: Hooks | None) -> Iterator[Hook]:
    """The hooks as they are now: one that is called may add to them, or take them off, from the next sweep on."""
    return iter(tuple(hooks.values()) if hooks else ())


def run_gradient_hooks(node: Node, g: Any) -> Any:
    """Tensor hooks in the order of their registration, then those that keep the finished gradient."""
    for hook in called(node.gradient_hooks):
        g = _taken(g, hook(_shown(g)), len(node.shape))
    for keep in called(node.retain_hooks):
        keep(_shown(g))
    return g


def run_pre_hooks(node: Node, g: Any) -> Any:
    for hook in called(node.pre_hooks):
        returned = hook((_shown(g),))
        g = _taken(g, None if returned is None else _all_taken(returned, 1)[0], len(node.shape))
    return g


def run_post_hooks(node: Node, contributions: list[tuple[Node, Any]], g: Any) -> list[tuple[Node, Any]]:
    """`hook(grad_inputs, grad_outputs)`: one entry per operand, None for those that get no gradient. In what it returns
    None stops a gradient."""
    for hook in called(node.post_hooks):
        waiting = list(contributions)
        inputs: list[Tensor | None] = []
        for edge in node.edges:
            mine = waiting.pop(0) if waiting and waiting[0][0] is edge else None
            inputs.append(None if mine is None else _shown(mine[1]))
        returned = hook(tuple(inputs), (_shown(g),))
        if returned is not None:
            pairs = zip(_all_taken(returned, len(inputs)), inputs, strict=True)
            kept = [r for r, shown in pairs if shown is not None]
            contributions = [
                (e, _taken(c, r, len(e.shape))) for (e, c), r in zip(contributions, kept, strict=True) if r is not None
            ]
    return contributions


def run_accumulate_hooks(node: Node, leaf: Tensor) -> None:
    """`hook(leaf)` after `leaf.grad` has grown; it may write into the leaf. Raises BadArgument if it returns something:
    nothing could take it."""
    with no_grad():
        for hook in called(node.post_hooks):
            returned = hook(leaf)
            if returned is not None:
                raise BadArgument(
                    f"post accumulate grad hooks should return None, not {type(returned).__name__}",
                    help="write into the leaf or its grad instead",
                )
