"""`xp` on tensors: rules run with it leave a graph of the derivative itself.

It knows one thing that arrays need not: where a length is 0, and the cotangent that arrives is 0 with it, `norm(x)**2`
is smooth, and `norm(x)` is not.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from gradcli.engine.forward import Forward
from gradcli.engine.node import Node
from gradcli.engine.record import apply
from gradcli.engine.reverse import leading_to, reachable
from gradcli.engine.state import state
from gradcli.engine.tensor import Tensor, as_tensor, wrap
from gradcli.primitives.table import TABLE, Layout

SHARES = (0.5 - 12**-0.5, 0.5 + 12**-0.5)
"""C. F. Gauss: the mean of a cubic polynomial over [0, 1] is the mean of its values here."""


def along(g: Tensor, out: Tensor, direction: Tensor, weight: Tensor) -> Any:
    """`g * weight` with weight = direction/out, recorded so that it can be differentiated where out is 0.

    The derivative needs g/out there. If g is 0 as well, that quotient is the mean of d g/d out between 0 and out, told
    by forward sweeps from out to g through what was recorded of g. Each length counts for itself in this.
    """
    settled = (out.array == 0) & (g.array == 0)
    if not np.any(settled):
        return g * weight
    mean = _mean(g, out)
    if mean is None:
        return g * weight
    limit = wrap(settled & np.isfinite(mean.array))
    quotient = recorder.where(limit, mean, g / recorder.where(limit, 1.0, out))
    return recorder.where(limit, quotient * direction, g * weight)


def _mean(g: Tensor, out: Tensor) -> Tensor | None:
    """The mean of d g/d out between 0 and out, where out is 0; None for cotangents that are 0 for other reasons.

    Its derivatives are right up to the third, so that those of the program are up to the fifth.
    """
    if g.grad_fn is None or out.grad_fn is None:
        return as_tensor(0.0)
    first, second = (_rate(g.grad_fn, out.grad_fn, share) for share in SHARES)
    return None if first is None or second is None else (first + second) / 2


def _rate(g: Node, out: Node, share: float) -> Tensor | None:
    """d g/d out at share*out, for cotangents that depend on out element by element: by what was recorded of g, copied
    so that it starts from share*out, whose value is 0 as that of out is."""
    while out.primitive.name == "reshape" and out.edges[0] is not None:
        out = out.edges[0]  # seen in its core shape
    nodes = reachable([g])
    between = leading_to(nodes, [out])
    x = wrap(np.zeros(out.shape))
    x.grad_fn = out
    start = (x * share).grad_fn
    assert start is not None
    copies: dict[Node, Node] = {out: start}
    for node in reversed(nodes):
        if node in between and node is not out:
            mine = copies[node] = copy(node)
            mine.edges = tuple(None if edge is None else copies.get(edge, edge) for edge in node.edges)
            mine.sequence = state.tick()
            mine.gradient_hooks = mine.pre_hooks = mine.post_hooks = mine.retain_hooks = None
    found: Tensor | None = Forward(copies.get(g, g), {start: wrap(np.ones(out.shape))}, xp=recorder).run()
    return found


class Recorder:
    """`xp` on tensors: every entry under its own name, on core operands and parameters, recorded."""

    records = True

    @staticmethod
    def along(g: Any, out: Any, direction: Any, weight: Any) -> Any:
        return along(g, out, direction, weight)

    def chosen(self, flow: Any, weight: Any) -> Any:
        return self.where(weight == 0, 0.0, flow * weight)

    def __getattr__(self, name: str) -> Any:
        try:
            primitive = TABLE[name]
        except KeyError:
            raise AttributeError(name) from None

        def recorded(*operands: Any, **params: Any) -> Tensor:
            tensors = [as_tensor(x) for x in operands]
            arrays = [x.array for x in tensors]
            return apply(primitive, tensors, arrays, Layout(None, params))

        setattr(self, name, recorded)
        return recorded


recorder = Recorder()
