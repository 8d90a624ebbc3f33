"""Tapes: a plan laid out for fixed shapes, to be run again and again on arrays, forward and back, without a graph.

What a run decides from shapes alone is decided once: layouts, which operands lead to a variable, the order of the
sweep, what the rules do for these shapes. A tape knows nothing of live lanes, notes or writes: where one is needed it
says so, and a recorded run answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import isfinite
from threading import Lock
from typing import Any

import numpy as np

from gradcli.engine import record, rules
from gradcli.engine.pending import Pending
from gradcli.errors import GradcliError
from gradcli.lowering.names import CONSTANTS
from gradcli.lowering.plan import Apply, Constant, Cut, Load, Pack, Plain, Plan, Step
from gradcli.lowering.program import Program
from gradcli.lowering.spread import surprises
from gradcli.lowering.trace import Traced, Tracer, Unsteady
from gradcli.primitives import budget
from gradcli.primitives.layouts import broadcasting
from gradcli.primitives.table import Shape
from gradcli.results import Array
from gradcli.span import Span

COTANGENT = ""
"""What a tape calls the cotangent of its value among its inputs."""


class Operation:
    """A step, as it stands in for a graph node where `rules` are concerned; it keeps what its rules will read."""

    __slots__ = (
        "arrays", "core_shape", "core_shapes", "edges", "out", "params", "primitive", "result", "shapes", "span",
    )  # fmt: skip

    def __init__(self, tracer: Tracer, step: Apply, given: Sequence[Traced], params: Mapping[str, Any]) -> None:
        """Raises Unsteady, ShapeMismatch and LimitExceeded."""
        if step.primitive.by_values and any(x.register is not None for x in given):
            raise Unsteady
        prepare = step.primitive.prepare or broadcasting
        layout = prepare(step.primitive.name, [x.value for x in given], **params)
        if layout.parts is not None or layout.out is None:
            raise Unsteady
        budget.require(step.primitive.name, layout.out)
        self.primitive = step.primitive
        self.span: Span | None = step.span
        self.params = layout.params
        self.shapes: tuple[Shape, ...] = tuple([x.shape for x in given])
        self.core_shapes = layout.shapes or self.shapes
        self.arrays: Sequence[Any] = [rules.reshaped(x, to) for x, to in zip(given, self.core_shapes, strict=True)]
        self.out = tracer.forward(self.primitive, self.arrays, self.params)
        self.core_shape = self.out.shape
        self.result: Traced = rules.reshaped(self.out, layout.out)
        self.edges: tuple[tuple[int, int], ...] = ()

    def pulled(self, tracer: Tracer, g: Traced) -> Iterator[tuple[int, Traced]]:
        """What each edge gets, in the shape of its operand."""
        core = rules.reshaped(g, self.core_shape)
        for i, place in self.edges:
            c = rules.vjp(self, i, tracer, core, self)
            c = c if isinstance(c, Traced) else tracer.constant(c)
            yield place, rules.reshaped(rules.fit(tracer, c, 0, self.core_shapes[i]), self.shapes[i])


class _Layout:
    """A plan as it is traced: the values of its registers, and the operations that lead from `names` to its result."""

    def __init__(self, tracer: Tracer, plan: Plan, at: Mapping[str, Array], names: Sequence[str]) -> None:
        self.tracer = tracer
        self.checks: list[Traced] = []
        self._plan = plan
        self._at = at
        self._names = names
        self._values: list[Any] = []
        self._variables: dict[str, int] = {}
        self._active: set[int] = set()
        self._operations: dict[int, Operation] = {}
        for register, step in enumerate(plan.steps):
            self._values.append(self._value(register, step))
        self._last = plan.result
        self.result = self._values[plan.result]

    def gradient(self, cotangent: Traced) -> list[Traced]:
        pending = Pending({self._last: cotangent})
        for register in reversed([*self._operations]):
            g = pending.take(register)
            if g is not None:
                for place, c in self._operations.pop(register).pulled(self.tracer, g):
                    pending.add(place, c)
        flows = pending.rest()
        nothing = {name: self.tracer.constant(np.zeros(self._at[name].shape)) for name in self._names}
        return [flows.get(self._variables.get(name), nothing[name]) for name in self._names]

    def _value(self, register: int, step: Step) -> Any:
        match step:
            case Constant() if not step.written:
                return self.tracer.constant(step.value)
            case Load():
                return self._load(register, step.name)
            case Plain():
                return step.value
            case Pack():
                return tuple([self._still(item) for item in step.items])
            case Cut():
                return slice(*(None if part is None else self._still(part) for part in step.parts))
            case Apply():
                return self._apply(register, step)
        raise Unsteady

    def _load(self, register: int, name: str) -> Traced:
        if name not in self._at:
            return self.tracer.constant(CONSTANTS[name])
        if name in self._names:
            self._variables[name] = register
            self._active.add(register)
        return self.tracer.input(name, self._at[name])

    def _still(self, register: int) -> Any:
        """What a register holds in every run. Raises Unsteady."""
        value = self._values[register]
        if isinstance(value, Traced):
            if value.register is not None:
                raise Unsteady
            return value.value
        return value

    def _apply(self, register: int, step: Apply) -> Traced:
        entry = step.primitive
        if step.spread or entry.draws:
            raise Unsteady
        named = {name: record.coerce(entry, name, kind, self._still(at)) for name, kind, at in step.params}
        given = [self._values[place] for place in step.operands]
        if not all(isinstance(x, Traced) for x in given):
            raise Unsteady
        shapes = tuple([x.shape for x in given])
        if surprises(self._plan, step, shapes):
            raise Unsteady
        if not entry.masks and any(x.value.dtype == bool for x in given):
            given = [x.astype(np.float64) for x in given]
        operation = Operation(self.tracer, step, given, {**step.defaults, **named})
        if entry.rules:
            operation.edges = tuple([(i, place) for i, place in enumerate(step.operands) if place in self._active])
        if operation.edges:
            self._active.add(register)
            self._operations[register] = operation
            for kink in entry.kinks:
                if kink.order == 1:  # of the only derivative that is replayed
                    marked = self.tracer.function(partial(kink.where, **operation.params), operation.arrays)
                    self.checks.append(self.tracer.opaque(np.count_nonzero, [marked]))
        return operation.result


class Tape:
    """The value of a plan and its gradient with respect to `names`, for inputs of the shapes of `at`: that of a scalar
    times `seed`, or for a cotangent among the inputs."""

    def __init__(self, plan: Plan, at: Mapping[str, Array], names: Sequence[str] | None, seed: float = 1.0) -> None:
        """`names` is None where only the value is wanted.

        Raises Unsteady where the plan is not fit for it, EvaluationErrors where its shapes do not fit.
        """
        self.names = tuple(names or ())
        tracer = Tracer()
        try:
            with np.errstate(all="ignore"):
                layout = _Layout(tracer, plan, at, self.names)
                value = layout.result
                if not isinstance(value, Traced):
                    raise Unsteady
                cotangent = tracer.input(COTANGENT, at[COTANGENT]) if COTANGENT in at else tracer.constant(seed)
                if names is not None and value.shape != cotangent.shape:
                    raise Unsteady
                outputs = [value, *layout.gradient(cotangent)]
                checks = [x for x in layout.checks if x.register is not None or x]
            self._kinds = [(x.shape, x.value.dtype) for x in outputs]
            self._program = Program(tracer, outputs, checks)
        finally:
            tracer.close()
        self._playing = Lock()

    def run(self, at: Mapping[str, Array], into: Sequence[Array] | None = None) -> list[Array] | None:
        """The value and its gradient, in contiguous arrays that may be brought along; None where a recorded run must
        tell more, or while another thread plays the tape."""
        found = [np.empty(shape, kind) for shape, kind in self._kinds] if into is None else [*into]
        if not self._playing.acquire(blocking=False):
            return None
        try:
            with np.errstate(all="ignore"):
                smooth = self._program.run(at, found)
                # A sum can only be finite where all of its terms are.
                finite = all(isfinite(np.add.reduce(x, axis=None)) for x in found)
        except GradcliError:
            return None  # it comes again, with its place, in a recorded run
        finally:
            self._playing.release()
        return found if smooth and finite else None
