"""Calls to try each entry of the table with, and the two sweeps as plain functions on arrays."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from gradcli.engine import Tensor, function
from gradcli.engine.backward import root_of, sweep
from gradcli.engine.forward import Forward
from gradcli.engine.record import invoke, match
from gradcli.primitives import TABLE
from gradcli.primitives.table import Primitive
from tests.primitives import matrix_calls, order_calls, special_calls

ENTRIES: tuple[Primitive, ...] = tuple(dict.fromkeys(TABLE.values()))


def recorded(entry: Primitive, arguments: dict[str, Any]) -> Any:
    operands, params = match(entry, entry.signature.bind((), arguments))
    with np.errstate(all="ignore"):
        return invoke(entry, operands, params)


@dataclass(frozen=True)
class Sample:
    """One call: operands in the order of the signature, plain parameters by keyword. It is recorded as in a program,
    where positions and counts have a slope of 0."""

    name: str
    operands: tuple[Any, ...]
    params: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, *operands: Any) -> Tensor:
        entry = TABLE[self.name]
        places = [p for p in entry.signature.parameters if p.type in ("value", "sequence")]
        if entry.variadic:
            return recorded(entry, {places[0].name: list(operands), **self.params})
        if entry.symmetric:
            operands = tuple((x + x.swapaxes(-1, -2)) / 2 for x in operands)
        # Operands that may be missing come last.
        result = recorded(entry, {**{p.name: x for p, x in zip(places, operands, strict=False)}, **self.params})
        return function(TABLE["concatenate"])([r.ravel() for r in result]) if isinstance(result, tuple) else result

    def __str__(self) -> str:
        shapes = ",".join("x".join(map(str, np.shape(x))) or "0-d" for x in self.operands)
        return f"{self.name}({shapes}{''.join(f',{k}={v}' for k, v in self.params.items())})"

    def leaves(self) -> list[Tensor]:
        """Fresh operands; all but masks, whole numbers, and what has no derivative are to be differentiated."""
        return [
            Tensor(x, requires_grad=np.asarray(x).dtype.kind == "f" and (self.name, i) not in special_calls.FIXED)
            for i, x in enumerate(self.operands)
        ]


def draw(seed: str, low: float, high: float, shape: tuple[int, ...]) -> Any:
    return np.random.default_rng(zlib.crc32(seed.encode())).uniform(low, high, shape)


Shapes = tuple[tuple[tuple[int, ...], ...], ...]
SHAPES: dict[int, Shapes] = {
    1: (((2, 3),), ((),), ((0, 2),)),
    2: (((2, 3), (2, 3)), ((), ()), ((3,), (2, 1)), ((0, 2), (2,))),
    3: (((2, 3), (2, 3), (2, 3)), ((), (), ()), ((1,), (2, 1), (3,))),
}
MORE_SHAPES: dict[int, Shapes] = {
    1: (((1,),),),
    2: (((2, 3), ()), ((1,), (3,)), ((1, 1), (1,))),
    3: (((2, 3), (), (3,)), ((0,), (), (1,))),
}
REPRESENTATIVES = {"exp", "relu", "add", "mul", "maximum", "pow", "where", "clip"}
"""What shapes do to elementwise entries the engine does, for all alike: these are tried with more of them."""


def elementwise_samples(entry: Primitive) -> Iterator[Sample]:
    more = MORE_SHAPES[len(entry.rules)] if entry.name in REPRESENTATIVES else ()
    for case in SHAPES[len(entry.rules)] + more:
        bounds = entry.domain * len(case) if len(entry.domain) == 1 else entry.domain
        operands = [draw(f"{entry.name}{i}{s}", *bounds[i], s) for i, s in enumerate(case)]
        if entry.name == "where":
            operands[0] = operands[0] > 0
        yield Sample(entry.name, tuple(operands), special_calls.PARAMETERS.get(entry.name, {}))


def _x(name: str, *shape: int) -> Any:
    return draw(name + str(shape), 0.5, 2.0, shape)


_AXES: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((3,), {}), ((), {}), ((1,), {}), ((2, 3), {"axis": 0}), ((2, 3), {"axis": -1, "keepdims": True}),
    ((2, 3, 2), {"axis": (0, 2)}), ((2, 3, 2), {"axis": None, "keepdims": True}), ((1, 3), {"axis": 0}),
]  # fmt: skip
_MOMENTS = [((4,), {}), ((2, 3), {"axis": 0}), ((2, 3), {"axis": -1, "keepdims": True}), ((2, 3, 2), {"axis": (0, 2)}),
            ((2, 3), {"ddof": 1}), ((1,), {}), ((2, 1), {"axis": 1})]  # fmt: skip
_ALONG = [((3,), {}), ((), {}), ((2, 3), {"axis": 0}), ((2, 3, 2), {"axis": (0, 2)}), ((2, 0), {})]
_NORMS = [
    ((3,), {}), ((2, 3), {}), ((), {}), ((2, 3, 2), {"axis": (0, 2)}), ((2, 3), {"axis": 1, "keepdims": True}),
    ((0,), {}), ((3,), {"ord": 1}), ((3,), {"ord": np.inf}), ((3,), {"ord": -np.inf}), ((2, 3), {"ord": 3, "axis": 0}),
    ((3,), {"ord": 2}), ((3,), {"ord": 0.5}), ((3,), {"ord": 0}), ((3,), {"ord": -1}),
    ((2, 3), {"ord": -2, "axis": 1}), ((2, 3), {"ord": "fro"}), ((2, 3), {"ord": 1}), ((2, 3), {"ord": np.inf}),
    ((2, 3), {"ord": -1}), ((3, 2, 4), {"ord": 1, "axis": (2, 0)}), ((2, 3), {"ord": -np.inf, "keepdims": True}),
    ((2, 3), {"ord": 2}), ((3, 2, 4), {"ord": -2, "axis": (2, 0)}), ((2, 3, 2), {"ord": "nuc", "axis": (0, 1)}),
    ((3, 2), {"ord": "nuc", "keepdims": True}),
]  # fmt: skip

UNARY: dict[str, list[tuple[tuple[int, ...], dict[str, Any]]]] = {
    "sum": [*_AXES, ((0,), {}), ((2, 0), {"axis": 0}), ((2, 0), {"axis": 1})],
    "mean": _AXES,
    "prod": [*_AXES, ((0,), {}), ((7,), {}), ((2, 5), {"axis": -1})],
    **dict.fromkeys(("max", "min"), _AXES),
    "logsumexp": _AXES,
    "length": _AXES,
    **dict.fromkeys(("var", "std"), _MOMENTS),
    **dict.fromkeys(("softmax", "log_softmax"), _ALONG),
    "unit": [((3,), {}), ((2, 3), {"axis": 0})],
    "norm": _NORMS,
    "cumsum": [((3,), {}), ((2, 3), {}), ((2, 3), {"axis": -1}), ((0,), {})],
    "reshape": [((2, 3), {"shape": (3, 2)}), ((2, 3), {"shape": -1}), ((), {"shape": (1, 1)}),
                ((0, 2), {"shape": (0,)})],
    "ravel": [((2, 3), {}), ((), {})],
    "expand_dims": [((2, 3), {"axis": 1}), ((), {"axis": 0}), ((2,), {"axis": (0, -1)})],
    "squeeze": [((1, 3, 1), {}), ((1, 3, 1), {"axis": 0})],
    "transpose": [((2, 3), {}), ((3,), {}), ((2, 3, 4), {"axes": (1, 2, 0)}), ((), {})],
    "broadcast_to": [((3,), {"shape": (2, 3)}), ((), {"shape": (2,)}), ((2, 1), {"shape": (2, 0)})],
    "flip": [((2, 3), {}), ((2, 3), {"axis": 1})],
    "index": [
        ((3,), {"index": 1}), ((2, 3), {"index": (slice(None), slice(None, None, -2))}), ((3,), {"index": [0, 0, 2]}),
        ((2, 3), {"index": (Ellipsis, None, 0)}), ((3,), {"index": np.array([True, False, True])}),
        ((2, 3), {"index": ([0, 1], slice(1, None))}), ((3,), {"index": slice(0, 0)}),
    ],
    "trace": [((2, 3), {}), ((3, 3), {}), ((0, 2), {})],
    "diag": [((3,), {}), ((2,), {"k": 1}), ((2,), {"k": -2}), ((2, 3), {}), ((3, 2), {"k": -1}),
             ((2, 3), {"k": 9}), ((0,), {})],
}  # fmt: skip

OTHERS: dict[str, list[tuple[list[tuple[int, ...]], dict[str, Any]]]] = {
    "matmul": [([(2, 3), (3, 4)], {}), ([(3,), (3,)], {}), ([(2, 3), (3,)], {}), ([(3,), (3, 2)], {}),
               ([(5, 2, 3), (3, 4)], {}), ([(2, 1, 2, 3), (4, 3, 1)], {}), ([(3,), (2, 3, 4)], {}),
               ([(2, 0), (0, 3)], {})],
    "dot": [([(3,), (3,)], {}), ([(2, 3), (3, 2)], {}), ([(2, 3), (3,)], {}), ([(), (2, 3)], {}),
            ([(2, 1, 2), ()], {}), ([(), ()], {})],
    "inner": [([(3,), (3,)], {}), ([(2, 3), (4, 3)], {}), ([(2, 3), (3,)], {}), ([(3,), (2, 3)], {}),
              ([(), (2, 1, 2)], {}), ([(2, 3), ()], {})],
    "outer": [([(2,), (3,)], {}), ([(2, 2), (3,)], {}), ([(), (3,)], {}), ([(0,), (2,)], {})],
    "concatenate": [([(2,), (3,)], {}), ([(2, 1), (2, 3), (2, 0)], {"axis": -1}), ([(2,)], {})],
    "stack": [([(2,), (2,)], {}), ([(2, 3)] * 3, {"axis": -1}), ([()] * 2, {})],
    "assign": [([(3,), ()], {"index": 1}), ([(2, 3), (3,)], {"index": 0}), ([(3,), (3,)], {"index": [0, 0, 2]}),
               ([(2, 3), (2, 1)], {"index": (slice(None), slice(1, None))})],
    "full": [([()], {"shape": (2, 3)}), ([(3,)], {"shape": (2, 3)}), ([()], {"shape": ()}), ([()], {"shape": (0,)})],
    "arange": [([(), (), ()], {})],
    "linspace": [([(), ()], {"num": 4}), ([(), ()], {"num": 1}), ([(), ()], {"num": 0}), ([(), ()], {})],
}  # fmt: skip


def samples(entry: Primitive) -> Iterator[Sample]:
    for name, operands, params in (*matrix_calls.CALLS, *order_calls.CALLS, *special_calls.CALLS):
        if name == entry.name:
            yield Sample(name, operands, params)
    if entry.kind == "elementwise":
        yield from elementwise_samples(entry)
    for shape, params in UNARY.get(entry.name, []):
        yield Sample(entry.name, (_x(entry.name, *shape),), params)
    if entry.name == "arange":
        yield Sample("arange", (np.float64(0.3), np.float64(2.0), np.float64(0.4)))
        yield Sample("arange", (np.float64(3.2), np.float64(np.nan), np.float64(1.5)))
    else:
        for shapes, params in OTHERS.get(entry.name, []):
            yield Sample(entry.name, tuple(_x(f"{entry.name}{i}", *s) for i, s in enumerate(shapes)), params)


# Called by rules alone, on what these know (core shapes; t = tanh(x)): tested through the entries that use them.
INTERNAL = {"diff_adjoint", "power_slope", "recomposed", "resized", "scatter", "swap", "tanh_slope", "expm_along",
            "matrix_power_along", "beside"}  # fmt: skip

DIFFERENTIABLE = [entry for entry in ENTRIES if entry.rules and entry.name not in INTERNAL]
SAMPLES = [sample for entry in DIFFERENTIABLE for sample in samples(entry)]


def each(samples: Iterable[Sample]) -> Callable[[Callable[[Sample], None]], Any]:
    """One test for each entry, which goes through its samples: a thousand tests of a millisecond take longer to be
    counted than to run."""
    of_entry: dict[str, list[Sample]] = {}
    for sample in samples:
        of_entry.setdefault(sample.name, []).append(sample)

    def decorate(test: Callable[[Sample], None]) -> Any:
        def each_sample(name: str) -> None:
            for sample in of_entry[name]:
                try:
                    test(sample)
                except Exception as error:
                    error.add_note(str(sample))
                    raise

        return pytest.mark.parametrize("name", of_entry)(each_sample)

    return decorate


def pull(y: Tensor, leaves: list[Tensor], v: Any, lead: int = 0) -> list[Any]:
    """Cotangents of the leaves for the cotangent `v` of y, a stack of them if `lead` is 1."""
    roots = [root_of(x) for x in leaves if x.requires_grad]
    found = sweep([root_of(y)], [Tensor(v)], set(roots), False, True, lead)
    stack = np.shape(v)[:lead]
    return [found.get(root_of(x), np.zeros(stack + x.shape)) if x.requires_grad else None for x in leaves]


def push(y: Tensor, leaves: list[Tensor], tangents: list[Any], lead: int = 0) -> Any:
    """The tangent of y for tangents of the leaves, stacks of them if `lead` is 1."""
    seeds = {root_of(x): t for x, t in zip(leaves, tangents, strict=True) if x.requires_grad}
    return Forward(root_of(y), seeds, lead).run()


def tangents_of(leaves: list[Tensor], seed: int, stack: tuple[int, ...] = ()) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=stack + x.shape) for x in leaves]
