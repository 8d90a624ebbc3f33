"""Programs: a trace with a place for every result, ready to run again and again.

Results are kept in arrays that stay from run to run, shared by those that never meet: new pages are dear, on large
arrays they cost more than the operation that fills them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import prod
from operator import itemgetter
from typing import Any

import numpy as np

from gradcli.lowering.trace import Call, Traced, Tracer, Unsteady
from gradcli.primitives import budget
from gradcli.primitives.table import Shape
from gradcli.results import Array

MOST = 64 * 1024**2
"""Bytes that the arrays of one program may take, for as long as it is kept."""

Gather = Callable[[Sequence[Any]], tuple[Any, ...]]


class Program:
    """Those calls of a trace that `outputs` and `checks` need."""

    def __init__(self, tracer: Tracer, outputs: Sequence[Traced], checks: Sequence[Traced]) -> None:
        """Raises Unsteady where the results take more room than one program may have."""
        wanted = [tracer.operand(x) for x in outputs]
        checked = [tracer.operand(x) for x in checks]
        calls = _needed(tracer, {*wanted, *checked})
        stored = {call.result for call in calls if call.into}
        # An output is made in the very array that it goes to, unless it is no result of ours, or goes to several.
        direct: dict[int, int] = {}
        for number, register in enumerate(wanted):
            if tracer.root(register) in stored:
                direct.setdefault(tracer.root(register), number)
        places = _Places(tracer, direct)
        last = _last_uses(tracer, calls, {*wanted, *checked})
        self._steps: list[tuple[Callable[..., Any], Gather, int]] = []
        for number, call in enumerate(calls):
            operands = {tracer.root(register) for register in call.operands}
            self._steps.append(places.step(call, [root for root in operands if last[root] == number]))
        self._inputs = {name: places.of(register) for name, register in tracer.inputs.items()}
        self._copied = [(n, places.of(r)) for n, r in enumerate(wanted) if direct.get(tracer.root(r)) != n]
        self._checks = [places.of(register) for register in checked]
        self._direct = places.outside
        self._contents = places.contents

    def run(self, inputs: Mapping[str, Array], into: Sequence[Array]) -> bool:
        """Fill `into`, contiguous arrays of the shapes of the outputs; whether none of the checks turned out true."""
        contents = self._contents.copy()
        for name, place in self._inputs.items():
            contents[place] = inputs[name]
        for number, place, shape in self._direct:
            contents[place] = into[number].reshape(shape)
        for function, gather, place in self._steps:
            contents[place] = function(*gather(contents))
        for number, place in self._copied:
            np.copyto(into[number], contents[place])
        return not any(contents[place] for place in self._checks)


class _Places:
    """Where the registers of a trace are found in `contents`, the list that a running program works on.

    `outside` tells, for results made in an array that a run brings along, its number, the place and the shape.
    """

    def __init__(self, tracer: Tracer, direct: Mapping[int, int]) -> None:
        self.contents: list[Any] = []
        self.outside: list[tuple[int, int, Shape]] = []
        self._tracer = tracer
        self._direct = direct
        self._known: dict[int, int] = {}
        self._arrays: dict[int, Array] = {}
        self._idle: defaultdict[int, list[Array]] = defaultdict(list)
        self._vacant: list[int] = []
        self._room = min(MOST, budget.limit() // 4)

    def of(self, register: int) -> int:
        if register not in self._known:
            self._known[register] = self._new(register)
        return self._known[register]

    def step(self, call: Call, dying: Collection[int]) -> tuple[Callable[..., Any], Gather, int]:
        """The call as the program runs it; `dying` are the results that nobody needs afterwards."""
        if call.lanes:  # may write over an operand
            self._release(dying)
        if call.into:
            self._store(call.result)
        elif self._vacant:
            self._known[call.result] = self._vacant.pop()
        if not call.lanes:
            self._release(dying)
        read = [*call.operands, call.result] if call.into else call.operands
        return call.function, _gather([self.of(register) for register in read]), self.of(call.result)

    def _new(self, register: int) -> int:
        root, shape = self._tracer.root(register), self._tracer.shapes[register]
        content = self._tracer.constants.get(register)
        if root in self._arrays:
            content = self._arrays[root].reshape(shape)
        elif root in self._direct:
            self.outside.append((self._direct[root], len(self.contents), shape))
        self.contents.append(content)
        return len(self.contents) - 1

    def _store(self, register: int) -> None:
        if register in self._direct:
            return
        size = prod(self._tracer.shapes[register])
        if not self._idle[size]:
            self._room -= size * budget.ITEM
            if self._room < 0:
                raise Unsteady
            self._idle[size].append(np.empty(size))
        self._arrays[register] = self._idle[size].pop()

    def _release(self, roots: Iterable[int]) -> None:
        for root in roots:
            if root in self._arrays:
                array = self._arrays[root]
                self._idle[array.size].append(array)
            elif root in self._tracer.made and root not in self._direct:
                self._vacant.append(self._known[root])


def _needed(tracer: Tracer, wanted: Iterable[int]) -> list[Call]:
    roots = {tracer.root(register) for register in wanted}
    found = []
    for call in reversed(tracer.calls):
        if call.result in roots:
            roots.update(tracer.root(register) for register in call.operands)
            found.append(call)
    return found[::-1]


def _last_uses(tracer: Tracer, calls: Sequence[Call], wanted: Iterable[int]) -> dict[int, int]:
    """The number of the call after which nobody reads a register; what has no storage of its own may be a view of its
    operands, which then live as long."""
    last = {tracer.root(register): len(calls) for register in wanted}
    for number, call in reversed([*enumerate(calls)]):
        end = number if call.into else last[call.result]
        for register in call.operands:
            root = tracer.root(register)
            last[root] = max(last.get(root, 0), end)
    return last


def _gather(places: Sequence[int]) -> Gather:
    if len(places) == 1:
        (place,) = places
        return lambda contents: (contents[place],)
    return itemgetter(*places)
