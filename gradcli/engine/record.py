"""Doing an operation and, where somebody will differentiate it, recording it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from gradcli.engine.data import plain, real_array
from gradcli.engine.node import Node, node_class
from gradcli.engine.state import state
from gradcli.engine.tensor import Tensor, accumulator, as_tensor, wrap
from gradcli.errors import BadArgument, NotDifferentiable
from gradcli.primitives import budget
from gradcli.primitives.layouts import broadcasting
from gradcli.primitives.signature import COERCE, REQUIRED
from gradcli.primitives.table import TABLE, Layout, Primitive, Several, Shape


def call(primitive: Primitive, *args: Any, **keywords: Any) -> Any:
    """A function of the language called from Python: arguments are matched, coerced, then applied.

    Raises BadArgument, BadIndex or ShapeMismatch.
    """
    operands, params = match(primitive, primitive.signature.bind(args, keywords, primitive.misuse))
    if primitive.discrete:
        operands = [x.detach() for x in operands]
    with np.errstate(all="ignore"):
        return invoke(primitive, operands, params)


def match(primitive: Primitive, bound: Mapping[str, Any]) -> tuple[list[Tensor], dict[str, Any]]:
    """Part bound arguments into operands and plain parameters of the declared types."""
    operands: list[Tensor] = []
    params: dict[str, Any] = {}
    for parameter in primitive.signature.parameters:
        argument = bound[parameter.name]
        if parameter.type == "value":
            operand = parameter.stand_in if argument is None else argument
            if operand is not None:
                operands.append(operand_of(operand))
            elif parameter.default is not None:
                raise BadArgument(f"{primitive.name}: {parameter.name} is None, it must be a value")
        elif parameter.type == "sequence":
            operands.extend(map(operand_of, _items(primitive, parameter.name, argument)))
        elif argument is parameter.default:
            params[parameter.name] = argument
        else:
            params[parameter.name] = coerce(primitive, parameter.name, parameter.type, argument)
    return operands, params


def operand_of(value: Any) -> Tensor:
    """A tensor of what stands for one. A list with tensors in it that require grad is stacked, so that the result
    depends on them. Raises BadInput, ShapeMismatch."""
    if isinstance(value, list | tuple) and state.recording and _flows(value):
        stacked: Tensor = call(TABLE["stack"], value)
        return stacked
    return as_tensor(value)


def _flows(items: Any) -> bool:
    """Whether nested lists hold a tensor that requires grad. Raises BadInput for what is no array of numbers."""
    if not any(issubclass(kind, list | tuple | Tensor) for kind in set(map(type, items))):
        return False
    real_array(items, copy=False)  # what holds itself, is ragged or too deep ends here
    return any(_flows(x) if isinstance(x, list | tuple) else isinstance(x, Tensor) and x.requires_grad for x in items)


def _items(primitive: Primitive, name: str, argument: Any) -> Iterable[Any]:
    """The arrays of a sequence: of any iterable with an order, or the rows of an array. Raises BadArgument."""
    unordered = (
        isinstance(argument, str | bytes | bytearray | set | frozenset | Mapping) or getattr(argument, "ndim", 1) == 0
    )
    if isinstance(argument, Iterable) and not unordered:
        return argument
    raise BadArgument(
        f"{primitive.name}: {name} must be a list of arrays, not {type(argument).__name__}",
        help=str(primitive.signature),
    )


def coerce(primitive: Primitive, name: str, kind: str, argument: Any) -> Any:
    """A plain parameter of the declared type (`any`: as it is). Raises BadArgument, NotDifferentiable for a real one
    that somebody wants to differentiate by."""
    if kind in ("number", "string") and isinstance(argument, Tensor) and argument.requires_grad and state.recording:
        raise NotDifferentiable(f"{primitive.name}: no derivative is known with respect to {name}")
    value = plain(argument)
    if value is None and not _takes_none(kind, primitive.signature.default(name)):
        raise BadArgument(f"{primitive.name}: {name} must be a number, not None")
    if value is None and primitive.signature.default(name) is None:
        return None
    return value if kind == "any" else COERCE[kind](value, f"{primitive.name}: {name}")


def _takes_none(kind: str, default: object) -> bool:
    """Whether None may be given: where it is the default, and for axes, of which it means all."""
    return kind not in ("number", "axis") or default is None or (kind == "axis" and default is not REQUIRED)


def invoke(primitive: Primitive, operands: Sequence[Tensor], params: Mapping[str, Any]) -> Any:
    """Lay out a call, measure it, do it: a tensor, or a tuple of them. The caller has silenced NumPy's warnings."""
    arrays = [x.array for x in operands]
    if not primitive.masks:
        arrays = [x.astype(np.float64) if x.dtype == bool else x for x in arrays]
    prepare = primitive.prepare or broadcasting
    layout = prepare(primitive.name, arrays, **params)
    if layout.out is not None:
        budget.require(primitive.name, layout.out)
    result = apply(primitive, operands, arrays, layout)
    return result if layout.parts is None else Several(_unpacked(result, layout.parts))


def _unpacked(packed: Tensor, parts: Sequence[Shape]) -> Iterator[Tensor]:
    start = 0
    for shape in parts:
        stop = start + prod(shape)
        yield packed[..., start:stop].reshape(packed.shape[:-1] + shape)
        start = stop


def apply(primitive: Primitive, operands: Sequence[Tensor], arrays: Sequence[Any], layout: Layout) -> Tensor:
    out, params, shapes, _ = layout
    if shapes is not None:
        arrays = [x.reshape(shape) for x, shape in zip(arrays, shapes, strict=True)]
    core = np.asarray(primitive.forward(*arrays, **params))
    result = wrap(core if out is None or core.shape == out else core.reshape(out))
    if state.recording and primitive.rules and any(x.requires_grad for x in operands):
        attach(primitive, params, operands, arrays, result, core)
    return result


def attach(
    primitive: Primitive,
    params: Mapping[str, Any],
    operands: Sequence[Tensor],
    arrays: Sequence[Any],
    result: Tensor,
    core: Any,
) -> Node:
    """Give `result` its node, with only those values that the rules of its differentiable operands read."""
    edges = tuple(edge_of(x) for x in operands)
    node = node_class(primitive.node_name)(primitive, params, edges)
    node.shapes = tuple([x.shape for x in operands])
    node.core_shapes = tuple([x.shape for x in arrays])
    node.shape = result.shape
    node.core_shape = core.shape
    needs = [primitive.needs(i, len(edges)) for i, edge in enumerate(edges) if edge is not None]
    read = frozenset().union(*(places for _, places in needs))
    if read:
        node.saved = tuple([x if i in read else None for i, x in enumerate(arrays)])
        node.versions = tuple([(x.version, x.version.value) if i in read else None for i, x in enumerate(operands)])
        if primitive.by_result:
            for i in read:
                operands[i].version.lend(node)
    if any(reads_out for reads_out, _ in needs):
        node.out = core
        node.out_version = (result.version, result.version.value)
    result.grad_fn = node
    return node


def edge_of(x: Tensor) -> Node | None:
    if x.grad_fn is not None:
        return x.grad_fn
    return accumulator(x) if x.requires_grad else None
