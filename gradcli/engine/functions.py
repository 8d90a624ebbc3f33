"""The table as Python functions, and as operators and methods of Tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.engine import inplace, record
from gradcli.engine.tensor import Tensor
from gradcli.primitives import TABLE
from gradcli.primitives.table import Primitive

Function = Callable[..., Any]

_BINARY = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "&": "and", "|": "or",
}  # fmt: skip
_COMPARISON = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
_UNARY = {"neg": "neg", "pos": "pos", "bitwise_not": "invert", "abs": "abs"}


def function(primitive: Primitive) -> Function:
    """An entry as a Python function, under its own name; constructors can make leaves (`requires_grad=True`)."""

    def called(*args: Any, **keywords: Any) -> Any:
        return record.call(primitive, *args, **keywords)

    def made(*args: Any, requires_grad: bool = False, **keywords: Any) -> Any:
        return record.call(primitive, *args, **keywords).requires_grad_(requires_grad)

    values = [p for p in primitive.signature.parameters if p.type in ("value", "sequence")]
    result = made if not values or primitive.shape_only else called
    result.__name__ = result.__qualname__ = primitive.name
    called.__doc__ = f"{primitive.signature}: {primitive.summary}"
    return result


def _comparing(primitive: Primitive) -> Function:
    """`==` and its kin. What is no data at all (None, a text) is left to Python, which finds it unequal."""

    def compared(self: Tensor, other: Any) -> Any:
        return NotImplemented if other is None or isinstance(other, str) else record.call(primitive, self, other)

    return compared


def _reflected(primitive: Primitive) -> Function:
    return lambda self, other: record.call(primitive, other, self)


def _updating(primitive: Primitive) -> Function:
    return lambda self, *others, **keywords: inplace.update(self, primitive, *others, **keywords)


def _transpose(self: Tensor, *axes: int) -> Any:
    """PyTorch's method: `x.transpose(0, 1)` swaps two axes; without arguments it is `x.T`."""
    if len(axes) != 2:
        return record.call(TABLE["transpose"], self, *axes)
    order = list(range(self.ndim))
    first, second = axes
    order[first], order[second] = order[second], order[first]
    return record.call(TABLE["transpose"], self, tuple(order))


def _permute(self: Tensor, *axes: Any) -> Any:
    """PyTorch's method: `x.permute(1, 0)`, or one tuple."""
    return record.call(TABLE["transpose"], self, axes[0] if len(axes) == 1 else axes)


def _attach() -> None:
    """Give Tensor its operators, methods, and in-place methods (`add_`), all from the table."""
    for name, primitive in TABLE.items():
        if primitive.operator in _BINARY:
            dunder = _BINARY[primitive.operator]
            setattr(Tensor, f"__{dunder}__", function(primitive))
            setattr(Tensor, f"__r{dunder}__", _reflected(primitive))
            setattr(Tensor, f"__i{dunder}__", _updating(primitive))
        elif primitive.operator in _COMPARISON:
            setattr(Tensor, f"__{_COMPARISON[primitive.operator]}__", _comparing(primitive))
        if name in _UNARY:
            setattr(Tensor, f"__{_UNARY[name]}__", function(primitive))
        if primitive.text.split(":")[0].split(",")[0] in ("x", "a"):
            if not primitive.hidden and not hasattr(Tensor, name):
                setattr(Tensor, name, function(primitive))
            if primitive.kind == "elementwise":
                setattr(Tensor, f"{name}_", _updating(primitive))


_attach()
for _name, _method in {
    "transpose": _transpose,
    "permute": _permute,
    "t": function(TABLE["transpose"]),
    "__getitem__": function(TABLE["index"]),
    "__setitem__": inplace.set_item,
    "T": property(function(TABLE["transpose"])),
}.items():
    setattr(Tensor, _name, _method)
