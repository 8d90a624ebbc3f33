"""Traces: what forwards and rules do to arrays, written down call by call while it is done for the first time.

A `Traced` stands in for an array: operators and NumPy's ufuncs on it end up in the trace, and so do the functions of
the table through the tracer, which is the rules' `xp`. What depends on constants alone is done at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import methodcaller
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from gradcli.engine.rules import SMALL
from gradcli.lowering.cheaper import cheaper
from gradcli.primitives.table import TABLE, Arrays, Primitive, Shape
from gradcli.results import Array


class Unsteady(Exception):
    """What a plan does can change between runs on the same shapes: no trace of one run serves for another."""


BLOCK = 16_384
"""Elements that a function of several passes takes at once: what it makes on its way stays in the cache."""


@dataclass(slots=True, eq=False)
class Call:
    """`registers[result] = function(*operands)`. With `into`, the function takes the storage of its result as well;
    `lanes`: each element of the result is made of those in the same place, so that it may be written over them."""

    function: Callable[..., Any]
    operands: tuple[int, ...]
    result: int
    into: bool
    lanes: bool


# These two warn of a third operand that is not named.
_OUT_BY_NAME: dict[np.ufunc, Callable[..., Any]] = {
    np.maximum: lambda a, b, out=None: np.maximum(a, b, out=out),
    np.minimum: lambda a, b, out=None: np.minimum(a, b, out=out),
}
MOST = 128 * 1024**2
"""Bytes of all the results of a trace, which lie in memory together while it is made."""

_COMMUTING = {np.add, np.multiply}


class Traced(NDArrayOperatorsMixin):
    """An array with its place in a trace; `register` is None for a constant."""

    __slots__ = ("register", "tracer", "value")

    def __init__(self, tracer: Tracer, value: Array, register: int | None = None) -> None:
        self.tracer = tracer
        self.value = value
        self.register = register

    @property
    def shape(self) -> Shape:
        return self.value.shape

    @property
    def ndim(self) -> int:
        return self.value.ndim

    @property
    def size(self) -> int:
        return self.value.size

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        if method != "__call__" or keywords or ufunc.nout != 1:
            return NotImplemented
        return self.tracer.ufunc(ufunc, inputs)

    def __bool__(self) -> bool:
        if self.register is not None or self.size != 1:
            raise Unsteady  # a choice that another run may take the other way
        return bool(self.value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        raise Unsteady  # for functions that are no ufuncs: their results are not traced

    __iter__ = None

    def __getitem__(self, index: Any) -> Traced:
        return self.tracer.opaque(lambda x: x[index], [self])

    def reshape(self, shape: Shape) -> Traced:
        return self.tracer.view(self, shape)

    def astype(self, dtype: Any) -> Traced:
        return self.tracer.opaque(methodcaller("astype", dtype), [self])

    def sum(self, axis: tuple[int, ...], keepdims: bool = False, out: None = None) -> Traced:
        return self.tracer.opaque(partial(np.add.reduce, axis=axis, keepdims=keepdims), [self])


class Tracer(Arrays):
    """The trace of one run: `calls` in their order, `inputs` by name, `constants` and `shapes` by register; `made` are
    the registers that calls fill, `negated` tells of which arrays some are the negative.

    As `xp` it has every function of the table, on core operands and parameters.
    """

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.constants: dict[int, Array] = {}
        self.inputs: dict[str, int] = {}
        self.shapes: list[Shape] = []
        self.made: set[int] = set()
        self.negated: dict[int | None, Traced] = {}
        self._roots: dict[int, int] = {}
        self._stored: set[int] = set()
        self._known: dict[int, int] = {}
        self._room = MOST
        self._numbers: dict[object, Array] = {}
        self._results: dict[object, Traced] = {}

    def __getattr__(self, name: str) -> Any:
        try:
            primitive = TABLE[name]
        except KeyError:
            raise AttributeError(name) from None
        return lambda *operands, **params: self.forward(primitive, operands, params)

    def constant(self, value: Any) -> Traced:
        array = np.asarray(value)
        if array.size == 1:  # equal numbers are one, so that calls on them are the same
            array = self._numbers.setdefault((array.shape, array.dtype, array.tobytes()), array)
        return Traced(self, array)

    def input(self, name: str, value: Array) -> Traced:
        self.inputs[name] = self._register(value)
        return Traced(self, value, self.inputs[name])

    def forward(self, primitive: Primitive, operands: Sequence[Any], params: Any) -> Traced:
        """A function of the table, on core operands. A large elementwise one of several passes goes by blocks."""
        given = [self._traced(x) for x in operands]
        function = partial(primitive.forward, **params) if params else primitive.forward
        before = self._sizes()
        found = self.function(function, given)
        calls = self.calls[before[0] :]
        several = len(calls) > 1 or not all(call.lanes for call in calls)
        if not several or primitive.kind != "elementwise" or found.size <= BLOCK or found.value.dtype != np.float64:
            return found
        if len({x.shape for x in given if x.size != 1}) > 1:
            return found
        self._undo(before)
        return self._call(partial(_by_blocks, function), given, found.value, True, lanes=True)

    def function(self, function: Callable[..., Any], given: Sequence[Traced]) -> Traced:
        """What a function does, if it is nothing but ufuncs; else the function as a call of its own."""
        before = self._sizes()
        try:
            return self._traced(function(*given))
        except (Unsteady, TypeError, AttributeError):
            self._undo(before)
            return self.opaque(function, given)

    def ufunc(self, ufunc: np.ufunc, operands: Sequence[Any]) -> Traced:
        """What NumPy's function gives, bit for bit; by an earlier call if that was the same, by a cheaper one if there
        is one."""
        given = [self._traced(x) for x in operands]
        found = cheaper(self, ufunc, given)
        if found is not None:
            return found
        registers = [self.operand(x) for x in given]
        key = (ufunc, *(sorted(registers) if ufunc in _COMMUTING else registers))
        if key not in self._results:
            value = np.asarray(ufunc(*[x.value for x in given]))
            function = _OUT_BY_NAME.get(ufunc, ufunc)
            self._results[key] = self._call(function, given, value, value.dtype == np.float64, ufunc.signature is None)
            if ufunc is np.negative:
                self.negated[self.operand(self._results[key])] = given[0]
        return self._results[key]

    def opaque(self, function: Callable[..., Any], given: Sequence[Traced]) -> Traced:
        """A function that makes its own result, or a view of an operand."""
        return self._plain(function, given, function(*[x.value for x in given]))

    def broadcast_to(self, x: Traced, shape: Shape) -> Traced:
        wide = np.broadcast_to(x.value, shape)
        if wide.size > SMALL or wide.dtype != np.float64:
            return self.opaque(lambda array: np.broadcast_to(array, shape), [x])
        return self._call(np.positive, [x], wide, True)  # many times faster than to make a view

    def view(self, x: Traced, shape: Shape) -> Traced:
        if x.register is None:
            return self.constant(x.value.reshape(shape))
        if x.register not in self._stored:
            return self.opaque(methodcaller("reshape", shape), [x])
        value = x.value.reshape(shape)
        register = self._register(value)
        self._roots[register] = self.root(x.register)
        self._stored.add(register)
        return Traced(self, value, register)

    def operand(self, x: Traced) -> int:
        """The register of an array; a constant gets one when it is first needed."""
        if x.register is not None:
            return x.register
        if id(x.value) not in self._known:
            register = self._known[id(x.value)] = self._register(x.value)
            self.constants[register] = x.value
        return self._known[id(x.value)]

    def root(self, register: int) -> int:
        """The register that another is a view of, itself if it is none."""
        return self._roots.get(register, register)

    def close(self) -> None:
        """Let go of all arrays: they and their tracer know each other."""
        self._results.clear()
        self.negated.clear()

    def _sizes(self) -> tuple[int, int, int]:
        return len(self.calls), len(self._results), len(self.negated)

    def _undo(self, before: tuple[int, int, int]) -> None:
        """Take back the calls made since these were the sizes, whose results nobody has."""
        calls, results, negated = before
        del self.calls[calls:]
        while len(self._results) > results:
            self._results.popitem()
        while len(self.negated) > negated:
            self.negated.popitem()

    def _traced(self, x: Any) -> Traced:
        return x if isinstance(x, Traced) else self.constant(x)

    def _register(self, value: Array) -> int:
        self._room -= value.nbytes
        if self._room < 0:
            raise Unsteady  # for arrays so large what a tape saves is nothing
        self.shapes.append(value.shape)
        return len(self.shapes) - 1

    def _plain(self, function: Callable[..., Any], given: Sequence[Traced], value: Any) -> Traced:
        if type(value) is not np.ndarray:
            return self._call(lambda *arrays: np.asarray(function(*arrays)), given, np.asarray(value), False)
        return self._call(function, given, value, False)

    def _call(
        self, function: Callable[..., Any], given: Sequence[Traced], value: Array, into: bool, lanes: bool = False
    ) -> Traced:
        if all(x.register is None for x in given):
            return self.constant(value)
        operands = tuple([self.operand(x) for x in given])
        register = self._register(value)
        if into:
            self._stored.add(register)
        self.made.add(register)
        self.calls.append(Call(function, operands, register, into, lanes))
        return Traced(self, value, register)


def _by_blocks(function: Callable[..., Array], *given: Array) -> Array:
    """An elementwise function of operands of one size, or of size 1, into the last array."""
    *operands, out = given
    flat = [x.reshape(-1) for x in operands]
    into = out.reshape(-1)
    for first in range(0, out.size, BLOCK):
        part = slice(first, first + BLOCK)
        into[part] = function(*[x if x.size == 1 else x[part] for x in flat])
    return out
