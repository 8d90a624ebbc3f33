"""Where a length is 0, and the cotangent that arrives is 0 with it: `norm(x)**2` is smooth there, `norm(x)` is not."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.forward import Forward
from gradcli.engine.record import recorder
from gradcli.engine.tensor import Tensor, as_tensor, wrap


def along(g: Tensor, out: Tensor, direction: Tensor, weight: Tensor) -> Any:
    """`g * weight` with weight = direction/out, recorded so that it can be differentiated where out is 0.

    The derivative needs g/out there. If g is 0 as well, that quotient is its limit d g/d out (l'Hopital), told by a
    forward sweep from out to g through what was recorded of g. Each length counts for itself in this.
    """
    settled = (out.array == 0) & (g.array == 0)
    if not np.any(settled):
        return g * weight
    rate = _rate(g, out)
    if rate is None:
        return g * weight
    limit = wrap(settled & np.isfinite(rate.array))
    quotient = recorder.where(limit, rate, g / recorder.where(limit, 1.0, out))
    return recorder.where(limit, quotient * direction, g * weight)


def _rate(g: Tensor, out: Tensor) -> Tensor | None:
    """d g/d out, for cotangents that depend on out element by element; None where they are 0 for other reasons."""
    if g.grad_fn is None or out.grad_fn is None:
        return as_tensor(0.0)
    start = out.grad_fn
    while start.primitive.name == "reshape" and start.edges[0] is not None:
        start = start.edges[0]  # out is seen in its core shape
    found: Tensor | None = Forward(g.grad_fn, {start: wrap(np.ones(start.shape))}, recording=True).run()
    return found
