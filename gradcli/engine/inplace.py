"""Writing into tensors: recorded as nodes on top of the old graph, counted in the storage's version."""

from __future__ import annotations

from typing import Any

from gradcli.engine import record
from gradcli.engine.state import state
from gradcli.engine.tensor import Tensor, wrap
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


def alias(x: Tensor) -> Tensor:
    """The same array at the same place in the graph, with a version counter of its own."""
    old = wrap(x.array)
    old.grad_fn = x.grad_fn
    return old


def write(x: Tensor, made_by: Tensor) -> None:
    """Take over a finished result: the storage stays, unless a mask must become numbers."""
    x.version.begin_write()
    if x.array.dtype == made_by.array.dtype:
        x.array[...] = made_by.array
    else:
        x.array = made_by.array
    if made_by.grad_fn is not None:
        x.grad_fn = made_by.grad_fn
        if x.retains_grad:
            x._retain_from(x.grad_fn)


def set_item(x: Tensor, index: Any, value: Any) -> None:
    """`x[index] = value`, recorded as CopySlices. Raises BadIndex, ShapeMismatch, InplaceWrite."""
    require_writable(x, "a view of a leaf Variable")
    result = record.call(TABLE["assign"], alias(x), value, index)
    write(x, result)


def _as_read(other: Any, x: Tensor) -> Any:
    """An operand on the storage that is about to be written to, as it is now: `y *= y` may save it."""
    if not isinstance(other, Tensor) or other.array is not x.array:
        return other
    read = alias(other)
    read.array = x.array.copy()
    return read


def update(x: Tensor, primitive: Primitive, *others: Any, **keywords: Any) -> Tensor:
    """`x op= other` and PyTorch's methods that end in `_`. The shape never changes: ShapeMismatch otherwise."""
    require_writable(x, "a leaf Variable")
    old = alias(x)
    old.array = x.array.copy()  # the operation may save its operand, and the write is yet to come
    result = record.call(primitive, old, *[_as_read(other, x) for other in others], **keywords)
    if result.shape != x.shape:
        raise ShapeMismatch(
            f"{primitive.name}: an in-place write cannot change the shape {list(x.shape)} to {list(result.shape)}"
        )
    write(x, result)
    return x
