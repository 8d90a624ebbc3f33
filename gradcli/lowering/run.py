"""Running a plan on tensors: one loop over its steps."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradcli.engine import record
from gradcli.engine.data import plain
from gradcli.engine.inplace import set_item, update
from gradcli.engine.node import Node
from gradcli.engine.recorder import recorder
from gradcli.engine.state import enable_grad, state
from gradcli.engine.tensor import Tensor, wrap
from gradcli.errors import BadArgument, BadIndex, GradcliError, ShapeMismatch
from gradcli.lowering.awkward import Awkward, beside
from gradcli.lowering.names import CONSTANTS
from gradcli.lowering.plan import Apply, Constant, Cut, Load, Pack, Plain, Plan, Step, Update, Write
from gradcli.lowering.spread import surprises
from gradcli.primitives import TABLE, budget
from gradcli.primitives.budget import shape_text
from gradcli.primitives.matrices import symmetric
from gradcli.primitives.signature import integer
from gradcli.primitives.table import Primitive
from gradcli.results import Array
from gradcli.span import Source

Draws = dict[int, Array]


@dataclass(slots=True)
class Run:
    """One evaluation of a plan, recorded where a leaf requires grad, whatever the grad mode of the thread.

    `draws` keeps the random values by step, so that later runs meet the same ones.

    `on_step`, where given, sees every finished step with its register. With `by_parts` functions of symmetric matrices
    take any square one. The steps numbered in `beside` are done a little beside their operands, where and to which side
    the array says. `awkward` collects the kinks and poles that the
    evaluation met in steps that will be differentiated. Afterwards `held` are the bytes of all inputs and results,
    `largest` those of the largest, `work` the operations of linear algebra.
    """

    plan: Plan
    at: Mapping[str, Tensor]
    draws: Draws = field(default_factory=dict)
    on_step: Callable[[Step, Any], None] | None = None
    by_parts: bool = False
    beside: Mapping[int, Array] = field(default_factory=dict)
    awkward: list[Awkward] = field(default_factory=list)
    held: int = 0
    largest: int = 0
    work: int = 0
    _writes: bool = field(init=False, default=False)

    def result(self) -> Tensor:
        """The value of the program. Raises EvaluationErrors with source and span."""
        require_values(self.plan, self.at)
        self._writes = any(isinstance(step, Write | Update) for step in self.plan.steps)
        registers: list[Any] = []
        outer = state.span
        step: Step | None = None
        try:
            self.held = sum(x.array.nbytes for x in self.at.values())
            with enable_grad(), np.errstate(all="ignore"), budget.held(self.held):
                for number, step in enumerate(self.plan.steps):
                    state.span = step.span
                    registers.append(self._do(number, step, registers))
                    if type(registers[-1]) is Tensor and type(step) is Apply:  # others have no array of their own
                        size = registers[-1].array.nbytes
                        budget.hold(size)
                        self.held += size
                        self.largest = max(self.largest, size)
                    if self.on_step is not None:
                        self.on_step(step, registers[-1])
                self.work = budget.work_done()
        except GradcliError as error:
            raise self._located(error, step, registers) from None
        finally:
            state.span = outer
        return self._single(registers[self.plan.result])

    def _single(self, value: Any) -> Tensor:
        if isinstance(value, tuple):
            raise BadArgument(
                f"the result is {len(value)} arrays", span=self.plan.result_span, source=self.plan.source, help=CHOOSE
            )
        result: Tensor = value
        return result

    def _do(self, number: int, step: Step, registers: list[Any]) -> Any:
        match step:
            case Apply():
                return self._apply(number, step, registers)
            case Constant():
                return wrap(step.value.copy() if step.written else step.value)
            case Load():
                return self.at[step.name] if step.name in self.at else wrap(np.array(CONSTANTS[step.name]))
            case Pack():
                return tuple([registers[item] for item in step.items])
            case Cut():
                return slice(*(None if part is None else registers[part] for part in step.parts))
            case Plain():
                return step.value
            case Write():
                self._require_own(step)
                base, value = _one(registers[step.base]), _one(registers[step.value])
                set_item(base, registers[step.index], value)
                return base
            case Update():
                self._require_own(step)
                return update(_one(registers[step.base]), step.primitive, _one(registers[step.value]))
        raise AssertionError(step)

    def _require_own(self, step: Write | Update) -> None:
        """A constant may be written to by another name only: each run has a copy."""
        base = self.plan.steps[step.base]
        if isinstance(base, Load):
            from gradcli.lowering.advice import target_span, written_constant, written_input  # seldom needed

            target = target_span(self.plan.source, step.span)
            if base.name in self.at:
                raise written_input(base.name, self.plan.source.cut(target), target)
            if base.name == self.plan.source.cut(target):
                raise written_constant(base.name, target)

    def _apply(self, number: int, step: Apply, registers: list[Any]) -> Any:
        primitive = step.primitive
        if number in self.draws:
            return wrap(self._own(self.draws[number]))
        operands: Sequence[Any] = [registers[place] for place in step.operands]
        if any(isinstance(x, tuple) for x in operands):
            return _part(step, operands[0], registers)
        if step.spread:
            operands = list(operands[0])
        if self.by_parts:
            operands = parts(primitive, operands)
        if number in self.beside:
            operands = beside(primitive, operands, self.beside[number])
        params = step.defaults
        if step.params:
            given = {name: argument(step, name, kind, registers[at]) for name, kind, at in step.params}
            params = {**params, **given}
        result = record.invoke(primitive, operands, params)
        if primitive.draws:
            self.draws[number] = self._own(result.array)
        for caution in surprises(self.plan, step, [x.shape for x in operands]):
            warnings.warn(caution, stacklevel=2)
        if primitive.kinks:
            self._look_for_kinks(_node_of(primitive, result), number, step, operands)
        return result

    def _own(self, drawn: Array) -> Array:
        """Random values in storage that the program may write into, if it writes at all."""
        return drawn.copy() if self._writes else drawn

    def _look_for_kinks(self, node: Node | None, number: int, step: Apply, operands: Sequence[Tensor]) -> None:
        if node is None:
            return
        arrays = [x.array.reshape(shape) for x, shape in zip(operands, node.core_shapes, strict=True)]
        for kink in step.primitive.kinks:
            where = np.asarray(kink.where(*arrays, **node.params))
            if where.any():
                ties = kink.ties(*arrays, **node.params) if kink.ties is not None else None
                self.awkward.append(Awkward(node, kink, where, ties, number))

    def _located(self, error: GradcliError, step: Step | None, registers: list[Any]) -> GradcliError:
        """The error with the text that failed, and for shapes with the operands beside the caret."""
        error.source = error.source or self.plan.source
        if error.span is None and step is not None:
            error.span = step.span
        if isinstance(error, BadArgument) and isinstance(step, Apply):
            from gradcli.lowering.advice import argument_help  # only ever needed for an error

            error.help = error.help or argument_help(self.plan, step, registers)
        if isinstance(error, ShapeMismatch) and isinstance(step, Apply) and len(step.spans) == len(step.operands):
            if self.plan.source.text.startswith("[", step.span.start) and step.primitive is TABLE["stack"]:
                error.message = error.message.replace("stack: shapes", "a list needs items of one shape:", 1)
            texts = [self.plan.source.cut(span) for span in step.spans]
            shapes = [shape_text(registers[place].shape) for place in step.operands]
            error.label = ", ".join(f"{t} is {s}" for t, s in zip(texts, shapes, strict=True) if len(t) <= 40)
            if error.remedy:
                from gradcli.lowering.advice import operand_text  # only ever needed for an error

                names = [operand_text(self.plan.source, span) for span in step.spans]
                error.help = error.remedy.format(*names).replace(".T.T", "")
        return error


def _node_of(primitive: Primitive, result: Any) -> Node | None:
    """The node that a call left, below the ones that take several results apart."""
    node: Node | None = (result[0] if isinstance(result, tuple) else result).grad_fn
    while node is not None and node.primitive is not primitive:
        node = node.edges[0]
    return node


def parts(primitive: Primitive, operands: Sequence[Tensor]) -> Sequence[Tensor]:
    """The operands of a function of symmetric matrices as their symmetric parts: its derivative is always meant so, and
    difference quotients must be, which move one entry at a time."""
    return [symmetric(recorder, x) for x in operands] if primitive.symmetric else operands


CHOOSE = "choose one of the results, with [0] behind the call for the first"


def _one(register: Any) -> Any:
    if isinstance(register, tuple):
        raise BadArgument(f"a write takes one array, this is {len(register)}", help=CHOOSE)
    return register


def _part(step: Apply, results: Any, registers: Sequence[Any]) -> Tensor:
    """`eigh(x)[1]`: one of several results, by its number."""
    index: tuple[Any, ...] = plain(registers[step.params[0][2]]) if step.primitive is TABLE["index"] else ()
    if len(index) != 1 or not isinstance(results, tuple):
        raise BadArgument(f"{step.primitive.name} takes one array, this is several", help=CHOOSE)
    number = integer(index[0], "the number of a result")
    if not 0 <= number < len(results):
        raise BadIndex(f"there are {len(results)} results, numbered from 0", help=CHOOSE)
    chosen: Tensor = results[number]
    return chosen


@contextmanager
def located(source: Source) -> Iterator[None]:
    """Errors raised within are about this text."""
    try:
        yield
    except GradcliError as error:
        error.source = error.source or source
        raise


def argument(step: Apply, name: str, kind: str, value: Any) -> Any:
    """A plain parameter of a call, checked and converted."""
    return record.coerce(step.primitive, name, kind, value)


def require_values(plan: Plan, at: Mapping[str, Tensor]) -> None:
    """Raise MissingValue that names every input without a value."""
    missing = [s for s in plan.steps if isinstance(s, Load) and s.name not in at and s.name not in CONSTANTS]
    if missing:
        from gradcli.lowering.missing import missing_value  # only ever needed for an error

        raise missing_value(plan, missing, at)
