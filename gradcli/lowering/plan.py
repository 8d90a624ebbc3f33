"""Plans: a program as a flat list of steps in the order of evaluation, each writing one register.

The language has no control flow, so names, aliases and user functions are all resolved here, once: a step refers to
others by their numbers. Running a plan (see `run`) is one loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gradcli.primitives.table import Primitive
from gradcli.results import Array
from gradcli.span import Source, Span

MAX_STEPS = 10**6


@dataclass(slots=True, eq=False)
class Step:
    """`span` is the text that the step stands for."""

    span: Span


@dataclass(slots=True, eq=False)
class Constant(Step):
    """A number. `written`: a later step writes into it, so every run needs a copy of its own."""

    value: Array
    written: bool = False


@dataclass(slots=True, eq=False)
class Plain(Step):
    """What is no number: None, `...`, a string."""

    value: object


@dataclass(slots=True, eq=False)
class Load(Step):
    """The value of an input; the span is that of its first use."""

    name: str


@dataclass(slots=True, eq=False)
class Pack(Step):
    """Registers as a tuple: a shape, axes, the parts of an index."""

    items: tuple[int, ...]


@dataclass(slots=True, eq=False)
class Cut(Step):
    """Registers as a slice, None where a part is left out."""

    parts: tuple[int | None, int | None, int | None]


@dataclass(slots=True, eq=False)
class Apply(Step):
    """A primitive on operands; `spans` are the operands' texts. With `spread` the one operand is a sequence along its
    first axis. `params` are the registers of plain parameters, `defaults` those not given."""

    primitive: Primitive
    operands: tuple[int, ...]
    spans: tuple[Span, ...]
    params: tuple[tuple[str, str, int], ...] = ()
    defaults: dict[str, object] = field(default_factory=dict)
    spread: bool = False


@dataclass(slots=True, eq=False)
class Write(Step):
    """`base[index] = value`; the register is that of the base."""

    base: int
    index: int
    value: int


@dataclass(slots=True, eq=False)
class Update(Step):
    """`base op= value`; the register is that of the base."""

    base: int
    primitive: Primitive
    value: int


@dataclass(slots=True, eq=False)
class Plan:
    """`result` is the register of the program's value, `result_span` the text of the statement that gives it.

    `assigned` are the names that the program binds itself and where it first does, `unread` those assignments that
    nothing reads. `by_hand` are the registers whose shapes were made on purpose, once somebody asked (see `spread`).
    """

    source: Source
    steps: list[Step]
    result: int
    result_span: Span
    assigned: dict[str, Span]
    unread: tuple[tuple[str, Span], ...]
    by_hand: frozenset[int] | None = None

    def names(self) -> tuple[str, ...]:
        """The inputs that the program reads, in the order of their first appearance."""
        return tuple(step.name for step in self.steps if isinstance(step, Load))

    def value_names(self) -> frozenset[str]:
        """Those inputs whose numbers flow into the result: not only an index, a shape, an axis."""
        wanted = {self.result}
        for number in range(len(self.steps) - 1, -1, -1):
            step = self.steps[number]
            # A write counts for its base's register as well as for its own.
            if number in wanted or (isinstance(step, Write | Update) and step.base in wanted):
                wanted.update(_values_read(step))
        return frozenset(s.name for n, s in enumerate(self.steps) if n in wanted and isinstance(s, Load))

    def left_out(self) -> Iterator[tuple[str, Apply, str]]:
        """Inputs that reach the result as real parameters only (the order of a norm): name, call and parameter."""
        flowing = self.value_names()
        for step in self.steps:
            if isinstance(step, Apply) and (step.primitive.rules or step.primitive.draws):
                for parameter, kind, register in step.params:
                    if kind in ("number", "string"):
                        yield from ((name, step, parameter) for name in self._inputs(register) if name not in flowing)

    def _inputs(self, register: int) -> Iterator[str]:
        """Those whose numbers a register is made of."""
        waiting = [register]
        while waiting:
            step = self.steps[waiting.pop()]
            if isinstance(step, Load):
                yield step.name
            waiting.extend(_values_read(step))


def _values_read(step: Step) -> tuple[int, ...]:
    match step:
        case Apply():
            return () if step.primitive.shape_only else step.operands
        case Write():
            return (step.base, step.value)
        case Update():
            return (step.base, step.value)
        case Pack():
            return step.items
    return ()
