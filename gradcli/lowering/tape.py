"""Tapes: a plan laid out for fixed shapes, to be run again and again on arrays, forward and back, without a graph.

What a run decides from shapes alone is decided once: layouts, which operands lead to a variable, the order of the
sweep. A tape knows nothing of live lanes, notes or writes: where one is needed it says so, and a recorded run answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np

from gradcli.engine import record, rules
from gradcli.engine.pending import Pending
from gradcli.errors import GradcliError
from gradcli.lowering.names import CONSTANTS
from gradcli.lowering.plan import Apply, Constant, Cut, Load, Pack, Plain, Plan, Step
from gradcli.lowering.steady import Unsteady, steady_layout
from gradcli.primitives import budget
from gradcli.primitives.table import Shape, arrays
from gradcli.results import Array
from gradcli.span import Span

MOST_BUFFERS = 64 * 1024**2
"""Bytes that the operations of one tape may keep for their results."""


class Operation:
    """One step: its layout, and while the tape runs the arrays that its rules read.

    It stands in for a graph node where `rules` are concerned.
    """

    __slots__ = (
        "arrays", "buffer", "casts", "core_shape", "core_shapes", "edges", "forward", "operands", "out", "params",
        "primitive", "register", "reuse", "shape", "shapes", "span",
    )  # fmt: skip

    def __init__(self, step: Apply, register: int, params: Mapping[str, Any], values: Sequence[Any]) -> None:
        self.primitive = step.primitive
        self.span: Span | None = step.span
        self.register = register
        self.operands = step.operands
        self.forward = step.primitive.forward
        self.casts = not step.primitive.masks and any(values[place].dtype == bool for place in step.operands)
        given = [values[place].astype(np.float64) if self.casts else values[place] for place in step.operands]
        layout = steady_layout(self.primitive, given, params)
        if layout.parts is not None or layout.out is None:
            raise Unsteady
        budget.require(self.primitive.name, layout.out)
        self.params: Mapping[str, Any] = layout.params
        self.shapes: tuple[Shape, ...] = tuple([x.shape for x in given])
        self.core_shapes: tuple[Shape, ...] = layout.shapes or self.shapes
        self.shape: Shape = layout.out
        self.core_shape: Shape = ()
        self.edges: tuple[tuple[int, int], ...] = ()
        self.arrays: Sequence[Any] = ()
        self.out: Any = None
        self.reuse: int | None = None
        self.buffer: Array | None = None

    def reads(self) -> tuple[bool, frozenset[int]]:
        """Whether the sweep will read the result, and which operands it will read, by their registers."""
        needs = [self.primitive.needs(i, len(self.operands)) for i, _ in self.edges]
        places = frozenset(self.operands[i] for _, read in needs for i in read)
        return any(out for out, _ in needs), places

    def run(self, values: Sequence[Any]) -> Any:
        given = [values[place] for place in self.operands]
        if self.casts:
            given = [x.astype(np.float64) for x in given]
        if self.core_shapes is not self.shapes:
            given = [x.reshape(shape) for x, shape in zip(given, self.core_shapes, strict=True)]
        self.arrays = given
        if self.reuse is not None:
            out = self.forward(*given, out=given[self.reuse])
        elif self.buffer is not None:
            out = self.forward(*given, out=self.buffer)
        else:
            out = self.forward(*given, **self.params) if self.params else self.forward(*given)
        self.out = out if type(out) is np.ndarray else np.asarray(out)
        self.core_shape = self.out.shape
        return self.out if self.core_shape == self.shape else self.out.reshape(self.shape)

    def awkward(self) -> bool:
        return any(np.any(kink.where(*self.arrays, **self.params)) for kink in self.primitive.kinks)


class Tape:
    """Value and gradient of a plan with respect to `names`, for inputs of the shapes of `at`."""

    def __init__(self, plan: Plan, at: Mapping[str, Array], names: Sequence[str]) -> None:
        """Raises Unsteady where the plan is not fit for it, EvaluationErrors where its shapes do not fit."""
        self._names = tuple(names)
        self._result = plan.result
        self._fixed: list[Any] = []
        self._loads: list[tuple[int, str]] = []
        self._forward: list[Operation] = []
        self._spare = MOST_BUFFERS
        self._playing = Lock()
        self._steady: set[int] = set()  # registers that no input has a part in
        active: set[int] = set()
        with np.errstate(all="ignore"):
            for register, step in enumerate(plan.steps):
                self._fixed.append(self._lay_out(register, step, at))
                if self._is_steady(step, at):
                    self._steady.add(register)
                self._trace(register, step, active)
        self._backward = [operation for operation in reversed(self._forward) if operation.edges]
        shape = np.shape(self._fixed[plan.result])
        self.scalar = shape == ()
        self.one = np.ones(shape)
        self._share_storage(plan.result)
        for operation in self._forward:
            self._fixed[operation.register] = None

    def _lay_out(self, register: int, step: Step, at: Mapping[str, Array]) -> Any:
        match step:
            case Constant() if not step.written:
                return step.value
            case Load():
                self._loads.append((register, step.name))
                return at[step.name] if step.name in at else np.array(CONSTANTS[step.name])
            case Plain():
                return step.value
            case Pack():
                return tuple([self._fixed[item] for item in step.items])
            case Cut():
                return slice(*(None if part is None else self._fixed[part] for part in step.parts))
            case Apply():
                return self._operation(register, step).run(self._fixed)
        raise Unsteady

    def _is_steady(self, step: Step, at: Mapping[str, Array]) -> bool:
        match step:
            case Load():
                return step.name not in at
            case Apply():
                return all(place in self._steady for place in step.operands)
            case Pack():
                return all(place in self._steady for place in step.items)
            case Cut():
                return all(place is None or place in self._steady for place in step.parts)
        return True

    def _operation(self, register: int, step: Apply) -> Operation:
        entry = step.primitive
        if step.spread or entry.draws or any(at not in self._steady for _, _, at in step.params):
            raise Unsteady
        given = {name: record.coerce(entry, name, kind, self._fixed[at]) for name, kind, at in step.params}
        operation = Operation(step, register, {**step.defaults, **given}, self._fixed)
        self._forward.append(operation)
        return operation

    def _trace(self, register: int, step: Step, active: set[int]) -> None:
        """Mark what depends on a variable."""
        if isinstance(step, Load) and step.name in self._names:
            active.add(register)
        if isinstance(step, Apply):
            operation = self._forward[-1]
            if step.primitive.rules:
                operation.edges = tuple([(i, place) for i, place in enumerate(step.operands) if place in active])
                if operation.edges:
                    active.add(register)

    def _share_storage(self, result: int) -> None:
        """Let an operation write its result over an operand that nobody reads any more, or always in one place: new
        storage costs as much as the operation itself."""
        kept = {result}
        last: dict[int, Operation] = {}
        made = {operation.register: operation for operation in self._forward}
        for operation in self._forward:
            reads_out, places = operation.reads()
            kept |= places | ({operation.register} if reads_out else set())
            last.update(dict.fromkeys(operation.operands, operation))
        for operation in self._forward:
            if not isinstance(operation.forward, np.ufunc) or operation.primitive.kinks or operation.casts:
                continue
            for i, place in enumerate(operation.operands):
                if place in made and place not in kept and last[place] is operation and self._fits(operation, i):
                    operation.reuse = i
                    break
            else:
                self._give_buffer(operation, result)

    def _give_buffer(self, operation: Operation, result: int) -> None:
        """Storage that stays with the operation from run to run, as long as it is not much: new pages are dear."""
        value = self._fixed[operation.register]
        plain = operation.core_shape == operation.shape and value.dtype == np.float64
        if plain and operation.register != result and value.nbytes <= self._spare:
            self._spare -= value.nbytes
            operation.buffer = np.empty(operation.shape)

    def _fits(self, operation: Operation, i: int) -> bool:
        """Whether operand i has the shape and type of the result, and stands for itself alone."""
        value = self._fixed[operation.operands[i]]
        alone = operation.operands.count(operation.operands[i]) == 1 and value.flags.owndata and value.flags.writeable
        shapes = operation.core_shapes[i] == operation.shapes[i] == operation.shape == operation.core_shape
        return alone and shapes and value.dtype == np.float64 == self._fixed[operation.register].dtype

    def run(self, at: Mapping[str, Array], seed: Array) -> tuple[Array, dict[str, Array]] | None:
        """The value and its gradient for the cotangent `seed`; None where a recorded run must tell more, or while
        another thread plays the tape."""
        if not self._playing.acquire(blocking=False):
            return None
        try:
            return self._play(at, seed)
        except GradcliError:
            return None  # it comes again, with its place, in a recorded run
        finally:
            for operation in self._forward:
                operation.arrays, operation.out = (), None
            self._playing.release()

    def _play(self, at: Mapping[str, Array], seed: Array) -> tuple[Array, dict[str, Array]] | None:
        values = list(self._fixed)
        for register, name in self._loads:
            if name in at:
                values[register] = at[name]
        with np.errstate(all="ignore"):
            for operation in self._forward:
                values[operation.register] = operation.run(values)
                if operation.edges and operation.primitive.kinks and operation.awkward():
                    return None
            value = values[self._result]
            gradient = self._sweep(seed)
        found = {name: gradient[register] for register, name in self._loads if register in gradient}
        if not np.isfinite(value).all() or not all(np.isfinite(g).all() for g in found.values()):
            return None
        flows = [found[name] if name in found else np.zeros(at[name].shape) for name in self._names]
        return value, dict(zip(self._names, rules.distinct(flows), strict=True))

    def _sweep(self, seed: Array) -> dict[int, Any]:
        pending = Pending({self._result: seed})
        for operation in self._backward:
            g = pending.take(operation.register)
            if g is None:
                continue
            core = rules.reshaped(g, operation.core_shape)
            for i, place in operation.edges:
                c = rules.vjp(operation, i, arrays, core, operation)
                if c.shape != operation.core_shapes[i]:
                    c = rules.fit(arrays, c, 0, operation.core_shapes[i])
                pending.add(place, rules.reshaped(c, operation.shapes[i]))
            operation.arrays, operation.out = (), None
        return pending.rest()


class Tapes:
    """The tapes of one plan, by the shapes of its inputs; made when shapes come a second time, for they may again."""

    MOST = 8

    def __init__(self) -> None:
        self._known: dict[Any, Tape | None] = {}
        self._unfit = False

    def find(self, plan: Plan, at: Mapping[str, Array], names: Sequence[str], at_once: bool = False) -> Tape | None:
        """A tape for these inputs; None where the plan is unfit, or (unless `at_once`) its inputs have new shapes."""
        key = (tuple(names), tuple([(name, x.shape, x.dtype) for name, x in at.items()]))
        tape = self._known.get(key)
        if tape is not None or self._unfit:
            return tape
        if key not in self._known and not at_once:
            if len(self._known) < self.MOST:
                self._known[key] = None
            return None
        try:
            tape = self._known[key] = Tape(plan, at, names)
        except Unsteady:
            self._unfit = True
        except GradcliError:
            return None  # it comes again, with its place, in a recorded run
        return tape
