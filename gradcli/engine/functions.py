"""The table as Python functions, and as operators and methods of Tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.engine import inplace, record
from gradcli.engine.backward import backward
from gradcli.engine.lanes import Pair
from gradcli.engine.node import Node
from gradcli.engine.tensor import Tensor
from gradcli.engine.text import array_text
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
        result = record.call(primitive, *args, **keywords)
        return result if isinstance(result, tuple) else result.requires_grad_(requires_grad)

    values = [p for p in primitive.signature.parameters if p.type in ("value", "sequence")]
    result = made if not values or primitive.shape_only else called
    result.__name__ = result.__qualname__ = primitive.name
    result.__module__ = "gradcli"  # where it is found by its name, by pickle too
    called.__doc__ = f"{primitive.signature}: {primitive.summary}"
    return result


def _operating(primitive: Primitive) -> Function:
    """An arithmetic operator. What a sweep sends through a rule has its own way with tensors."""

    def operated(self: Tensor, other: Any) -> Any:
        return NotImplemented if isinstance(other, Pair) else record.call(primitive, self, other)

    return operated


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


def _attach_operators() -> None:
    """Give Tensor its operators: Python looks for these on the class alone."""
    for sign, dunder in _BINARY.items():
        primitive = TABLE.operators[sign]
        setattr(Tensor, f"__{dunder}__", _operating(primitive))
        setattr(Tensor, f"__r{dunder}__", _reflected(primitive))
        setattr(Tensor, f"__i{dunder}__", _updating(primitive))
    for sign, dunder in _COMPARISON.items():
        setattr(Tensor, f"__{dunder}__", _comparing(TABLE.operators[sign]))
    for name, dunder in _UNARY.items():
        setattr(Tensor, f"__{dunder}__", function(TABLE[name]))


def _place(primitive: Primitive) -> int | None:
    """The argument that an entry is about, if that is a tensor: as a method it is called on this one."""
    first = primitive.text.split(":")[0].split(",")[0]
    return None if primitive.hidden else 0 if first in ("x", "a") else primitive.about


def _in_place(primitive: Primitive) -> bool:
    return primitive.kind == "elementwise" and not primitive.about


def _called_on(primitive: Primitive, place: int) -> Function:
    """An entry as a method: `x.where(condition, other)` is `where(condition, x, other)`."""
    name = primitive.signature.parameters[place].name

    def called(self: Tensor, *args: Any, **keywords: Any) -> Any:
        if len(args) < place:  # those before it are given by keyword
            return record.call(primitive, *args, **{name: self}, **keywords)
        return record.call(primitive, *args[:place], self, *args[place:], **keywords)

    return called


def _method(self: Tensor, name: str) -> Any:
    """A method of the table, made when it is first asked for: `x.exp`, and `x.exp_` in place."""
    made: Function | None = None
    if name.startswith("_"):  # what Python and NumPy ask every object for
        raise AttributeError(name)
    place = _place(TABLE[name]) if name in TABLE else None
    if place is not None:
        made = _called_on(TABLE[name], place) if place else function(TABLE[name])
    elif name.endswith("_") and name[:-1] in TABLE and _in_place(TABLE[name[:-1]]):
        made = _updating(TABLE[name[:-1]])
    if made is None:
        raise AttributeError(f"'Tensor' object has no attribute {name!r}")
    setattr(Tensor, name, made)
    return getattr(self, name)


def _names(self: Tensor) -> list[str]:
    methods = [name for name, entry in TABLE.items() if _place(entry) is not None]
    in_place = [f"{name}_" for name in methods if _in_place(TABLE[name])]
    return sorted({*object.__dir__(self), *methods, *in_place})


def _shown(self: Tensor) -> str:
    text = array_text(self.array)
    if self.grad_fn is not None:
        return f"tensor({text}, grad_fn=<{self.grad_fn.name()}>)"
    return f"tensor({text}, requires_grad=True)" if self.requires_grad else f"tensor({text})"


_SAVED_OPERAND = {"_saved_self": 0, "_saved_other": 1, "_saved_exponent": 1}


def _saved(self: Node, name: str) -> Tensor | None:
    """`_saved_self`, `_saved_other`, `_saved_exponent`, `_saved_result`, as PyTorch shows them."""
    if name not in _SAVED_OPERAND and name != "_saved_result":
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")
    self.require_saved()
    place = _SAVED_OPERAND.get(name, len(self.saved))
    found = self.out if name == "_saved_result" else self.saved[place] if place < len(self.saved) else None
    return None if found is None else Tensor(found)


_attach_operators()
_ATTRIBUTES: dict[type, dict[str, Any]] = {
    Tensor: {
        "transpose": _transpose,
        "permute": _permute,
        "t": function(TABLE["transpose"]),
        "T": property(function(TABLE["transpose"])),
        "__getitem__": function(TABLE["index"]),
        "__setitem__": inplace.set_item,
        "__getattr__": _method,
        "__dir__": _names,
        "__repr__": _shown,
        "backward": backward,
    },
    Node: {"__getattr__": _saved},
}
for _class, _attributes in _ATTRIBUTES.items():
    for _name, _attribute in _attributes.items():
        setattr(_class, _name, _attribute)
