"""`backward` and `grad`: the reverse sweep as PyTorch's users know it."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.engine.hooks import run_accumulate_hooks
from gradcli.engine.node import Node
from gradcli.engine.record import edge_of, operand_of
from gradcli.engine.recorder import recorder
from gradcli.engine.reverse import Reverse, reachable
from gradcli.engine.state import enable_grad, no_grad, state
from gradcli.engine.tensor import AccumulateGrad, Tensor, wrap
from gradcli.errors import BadArgument, NotDifferentiable, ShapeMismatch
from gradcli.primitives.signature import flag
from gradcli.primitives.table import arrays

NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"


def _listed(value: Any) -> list[Any]:
    """The items of an iterable that has an order and is no array; anything else alone."""
    lone = isinstance(value, Tensor | np.ndarray | str | bytes | set | frozenset | Mapping)
    return list(value) if isinstance(value, Iterable) and not lone else [value]


def _tensors(value: Any, what: str) -> list[Tensor]:
    """One tensor, or those of an iterable. Raises BadArgument for others, or none."""
    found = _listed(value)
    for x in found:
        if not isinstance(x, Tensor):
            raise BadArgument(f"{what} must be tensors, not {type(x).__name__}")
    if not found:
        raise BadArgument(f"{what} must not be empty")
    return found


def _cotangents(given: Any, one: bool, count: int) -> list[Any]:
    """One cotangent per output. For `one` output a list of numbers is its cotangent, a list of one tensor holds it.

    Raises BadArgument for another number of them.
    """
    if given is None:
        return [None] * count
    if one:
        listed = isinstance(given, tuple | list) and len(given) == 1 and isinstance(given[0], Tensor | np.ndarray)
        found = list(given) if listed else [given]
    else:
        found = _listed(given)
    if len(found) != count:
        raise BadArgument(f"got {count} tensors and {len(found)} gradients")
    return found


def root_of(output: Tensor) -> Node:
    """The node to start from. Raises NotDifferentiable where there is no graph."""
    root = edge_of(output)
    if root is None:
        raise NotDifferentiable(NO_GRAPH, span=state.span)
    return root


def seed_of(output: Tensor, gradient: Any, batched: bool = False) -> Tensor:
    """The cotangent that enters at `output`: as given, or 1 for a single element.

    Raises ShapeMismatch for another shape (nothing is broadcast), NotDifferentiable where it cannot be left out.
    """
    if gradient is None:
        if output.array.size != 1:
            raise NotDifferentiable(
                f"grad can be implicitly created only for scalar outputs, this one has shape {list(output.shape)}",
                help="give the gradient of the output",
            )
        return wrap(np.ones(output.shape))
    seed = operand_of(gradient)
    shape = seed.shape[1:] if batched else seed.shape
    if shape != output.shape:
        raise ShapeMismatch(
            f"Mismatch in shape: grad_output[0] has a shape of {list(shape)} and output[0] has a shape of "
            f"{list(output.shape)}."
        )
    return seed


def backward(
    tensors: Any,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradient of `tensors` to the `grad` of the leaves they depend on, or of `inputs` alone.

    `gradient` is the cotangent, of the tensor's shape; it may be left out for a single element. The values that the
    graph saved are freed unless `retain_graph` (default: `create_graph`). With `create_graph` the gradients can be
    differentiated again. Raises NotDifferentiable, ShapeMismatch, GraphFreed, InplaceWrite.
    """
    outputs = _tensors(tensors, "backward: the outputs")
    gradients = _cotangents(gradient, isinstance(tensors, Tensor), len(outputs))
    create_graph = flag(create_graph, "create_graph")
    retain = create_graph if retain_graph is None else flag(retain_graph, "retain_graph")
    roots = [root_of(y) for y in outputs]
    wanted = [] if inputs is None else _tensors(inputs, "backward: inputs")
    if create_graph:
        warnings.warn(
            "Using backward() with create_graph=True will create a reference cycle between the parameter and its "
            "gradient; use grad(), or reset the .grad fields afterwards",
            UserWarning,
            stacklevel=3,
        )
    seeds = [seed_of(y, g) for y, g in zip(outputs, gradients, strict=True)]
    targets = {root_of(x) for x in wanted}
    if inputs is None:
        targets = {node for node in reachable(roots) if isinstance(node, AccumulateGrad)}
    found = sweep(roots, seeds, targets, create_graph, retain)
    for node, g in found.items():
        variable = node.variable if isinstance(node, AccumulateGrad) else None
        for x in [variable] if variable is not None else [x for x in wanted if x.grad_fn is node]:
            accumulate(x, g, create_graph)
        if variable is not None:
            run_accumulate_hooks(node, variable)


def accumulate(x: Tensor, g: Any, create_graph: bool) -> None:
    if create_graph:
        x._grad = g if x._grad is None else x._grad + g
    elif x._grad is None:
        x._grad = wrap(np.array(g))
    else:
        x._grad.array = np.asarray(x._grad.array + g)  # a sum of 0-d arrays is none


def sweep(
    roots: Sequence[Node],
    seeds: Sequence[Tensor],
    targets: Collection[Node],
    create_graph: bool,
    retain_graph: bool,
    lead: int = 0,
) -> dict[Node, Any]:
    """One reverse sweep from several roots (one root may stand twice), its buffers freed afterwards if so asked."""
    joined: dict[Node, Any] = {}
    for root, seed in zip(roots, seeds, strict=True):
        flow: Any = seed if create_graph else seed.array
        joined[root] = joined[root] + flow if root in joined else flow
    with enable_grad() if create_graph else no_grad():
        found, visited = Reverse(joined, targets, lead, recorder if create_graph else arrays).run()
    if not retain_graph:
        for node in visited:
            node.free()
    return found


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """Gradients of `outputs` with respect to each of `inputs`, as a tuple; no `grad` attribute is touched.

    An input that the outputs do not depend on raises NotDifferentiable, or gives None with `allow_unused`, or zeros
    with `materialize_grads`. With `is_grads_batched` each grad_output has a stack axis in front, and so have the
    results: with an identity matrix they are the rows of a Jacobian.
    """
    ys, xs = _tensors(outputs, "grad: the outputs"), _tensors(inputs, "grad: the inputs")
    cotangents = _cotangents(grad_outputs, isinstance(outputs, Tensor), len(ys))
    create_graph, batched = flag(create_graph, "create_graph"), flag(is_grads_batched, "is_grads_batched")
    retain = create_graph if retain_graph is None else flag(retain_graph, "retain_graph")
    allow_unused = allow_unused is not None and flag(allow_unused, "allow_unused")
    materialize_grads = flag(materialize_grads, "materialize_grads")
    roots = [root_of(y) for y in ys]
    for x in xs:
        if not x.requires_grad:
            raise NotDifferentiable("One of the differentiated Tensors does not require grad")
    targets = [root_of(x) for x in xs]
    seeds = [seed_of(y, g, batched) for y, g in zip(ys, cotangents, strict=True)]
    found = sweep(roots, seeds, set(targets), create_graph, retain, lead=int(batched))
    stack = seeds[0].shape[:1] if batched else ()
    return tuple(
        _gradient(found.get(node), stack + x.shape, allow_unused, materialize_grads)
        for node, x in zip(targets, xs, strict=True)
    )


def _gradient(g: Any, shape: tuple[int, ...], allow_unused: bool, materialize: bool) -> Tensor | None:
    if g is not None:
        return g if isinstance(g, Tensor) else wrap(np.array(g))
    if materialize:
        return wrap(np.zeros(shape))
    if allow_unused:
        return None
    raise NotDifferentiable(
        "One of the differentiated Tensors appears to not have been used in the graph. "
        "Set allow_unused=True if this is the desired behavior."
    )
