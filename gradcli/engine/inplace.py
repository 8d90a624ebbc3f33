"""Writing into tensors: recorded as nodes on top of the old graph, counted in the storage's version."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine import record
from gradcli.engine.state import state
from gradcli.engine.tensor import Tensor, as_tensor, wrap
from gradcli.errors import InplaceWrite, ShapeMismatch
from gradcli.primitives.table import TABLE, Primitive


def require_writable(x: Tensor, what: str) -> None:
    """A leaf that requires grad is an input: to write into it would lose the point of differentiation."""
    if state.recording and x.is_leaf and x.requires_grad:
        raise InplaceWrite(
            f"{what} that requires grad is being used in an in-place operation.",
            span=state.span,
            help="write into a copy instead: y = 1*x",
        )


def before_write(x: Tensor) -> Tensor:
    """`x` as it is now: a copy with the same place in the graph, for what the write itself must save."""
    old = wrap(x.array.copy())
    old.grad_fn = x.grad_fn
    return old


def write(x: Tensor, array: Any, made_by: Tensor) -> None:
    x.array[...] = array
    x.version.bump()
    if made_by.grad_fn is not None:
        x.grad_fn = made_by.grad_fn


def set_item(x: Tensor, index: Any, value: Any) -> None:
    """`x[index] = value`, recorded as CopySlices. Raises BadIndex, ShapeMismatch, InplaceWrite."""
    require_writable(x, "a view of a leaf Variable")
    assign = TABLE["assign"]
    old, new = before_write(x), as_tensor(value)
    with np.errstate(all="ignore"):
        result = record.invoke(assign, [old, new], {"index": index})
    write(x, result.array, result)


def update(x: Tensor, primitive: Primitive, *others: Any, **keywords: Any) -> Tensor:
    """`x op= other` and PyTorch's methods that end in `_`. The shape never changes: ShapeMismatch otherwise."""
    require_writable(x, "a leaf Variable")
    result = record.call(primitive, before_write(x), *others, **keywords)
    if result.shape != x.shape:
        raise ShapeMismatch(
            f"{primitive.name}: an in-place write cannot change the shape {list(x.shape)} to {list(result.shape)}"
        )
    write(x, result.array, result)
    return x
