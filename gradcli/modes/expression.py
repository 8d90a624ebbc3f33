"""Expression: a text parsed and planned once, evaluated and differentiated as often as wanted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.errors import BadArgument, Caution, GradcliError
from gradcli.lowering import CONSTANTS, Run, lower
from gradcli.modes.given import mapping, names, values
from gradcli.modes.inputs import LARGE, Values, kept, leaves, value_of, variables
from gradcli.modes.noted import noted
from gradcli.primitives import TABLE
from gradcli.primitives.signature import integer
from gradcli.results import (
    Array,
    Check,
    Evaluation,
    Gradient,
    Graph,
    Hessian,
    HessianDiagonal,
    HessianProduct,
    Jacobian,
    JacobianPattern,
    JacobianStream,
    SparseHessian,
    SparseJacobian,
    Tangent,
)
from gradcli.span import Source
from gradcli.syntax import parse as parse_source

if TYPE_CHECKING:
    from gradcli.modes.replay import Replay


class Expression:
    """`text` as it was given, `names` of the inputs that it reads, in the order of their first appearance, and the
    names that are `assigned` in it; `constants` are those it reads, for a value of that name takes their place.

    `at` maps names to numbers, nested lists or arrays of any library; results hold copies. `wrt` is one name or any
    iterable of names. Every method may raise MissingValue, ShapeMismatch and the other EvaluationErrors, with the span
    of the text at fault, BadInput for a value and BadArgument for an argument of the wrong kind. Methods may be called
    within `no_grad`, in hooks and from several threads. The modes are imported by the methods that need them: one start
    of the program uses one of them.
    """

    def __init__(self, texts: Sequence[str], name: str) -> None:
        self._name = name
        sources = [
            Source(text, name if number == 1 else f"{name} {number}") for number, text in enumerate(texts, start=1)
        ]
        self._plans = [lower(parse_source(source, TABLE)) for source in sources]
        self._replay: Replay | None = None
        self._ran = False
        self.text: str | tuple[str, ...] = texts[0] if len(texts) == 1 else tuple(texts)
        read = dict.fromkeys(name for plan in self._plans for name in plan.names())
        self.names = tuple(name for name in read if name not in CONSTANTS)
        self.constants = tuple(name for name in read if name in CONSTANTS)
        self.assigned = frozenset(name for plan in self._plans for name in plan.assigned)

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies, and what is unpickled in another process, are parsed from the text."""
        return Expression, ((self.text,) if isinstance(self.text, str) else self.text, self._name)

    def cautions(self, at: Values) -> tuple[Caution, ...]:
        """Warnings that point into the text: names assigned and never read, names of `at` that an assignment hides."""
        at = mapping(at, "at")
        unread = [
            Caution(f"{name} is assigned and never read", span=span, source=plan.source)
            for plan in self._plans
            for name, span in plan.unread
        ]
        hidden = [
            Caution(f"{plan.source.excerpt(span)} hides the value that --at gives", span=span, source=plan.source)
            for plan in self._plans
            for name, span in plan.assigned.items()
            if name in at and name not in self.names
        ]
        return (*unread, *hidden)

    def left_out(self, at: Values) -> tuple[Caution, ...]:
        """Warnings of names that have a value and would be differentiated by, if the function that takes them for a
        parameter knew how."""
        return tuple(
            Caution(
                f"{name}: left out, {step.primitive.name} knows no derivative by its {parameter}",
                span=step.span, source=plan.source,
            )
            for plan in self._plans
            for name, step, parameter in plan.left_out()
            if name in at
        )  # fmt: skip

    def masks(self, at: Values) -> tuple[str, ...]:
        """The names read whose values are masks, where these leave nothing to differentiate by."""
        at = values(at)
        masks = tuple(name for name in self.names if name in at and at[name].dtype == bool)
        return () if masks and variables(self._plans, leaves(at), None) else masks

    @noted
    def evaluate(self, at: Values) -> Evaluation:
        from gradcli.modes.origins import origin

        at = values(at)
        again = self._again(at)
        found = None if again is None else again.evaluate(at)
        if found is not None:
            return found
        plan = self._only()
        run = Run(plan, leaves(at))
        value = run.result().array
        notes = () if np.isfinite(value).all() else origin(plan, run.at, run.draws)
        return Evaluation(plan.source.text, value_of(value.copy()), notes)

    @noted
    def diff(self, at: Values, wrt: Iterable[str] | None = None, grad_output: Any = None, order: int = 1) -> Gradient:
        """Value and gradient. A non-scalar result needs `grad_output`, an array of its shape."""
        from gradcli.modes.diff import diff

        at, wrt, order = values(at), names(wrt), integer(order, "order")
        again = self._again(at) if order == 1 else None
        found = None if again is None else again.gradient(at, wrt, grad_output)
        return found or diff(self._only(), at, wrt, grad_output, order)

    def _again(self, at: Mapping[str, Array]) -> Replay | None:
        """For programs that run again, and for large sums: a tape pays for itself then."""
        ran, self._ran = self._ran, True
        if len(self._plans) != 1 or not (ran or any(value.size >= LARGE for value in at.values())):
            return None
        if self._replay is None:
            from gradcli.modes.replay import Replay

            self._replay = Replay(self._plans[0])
        return self._replay

    @noted
    def jacobian(self, at: Values, wrt: Iterable[str] | None = None, mode: str = "auto") -> Jacobian:
        """Every block whole; several texts are the rows of `[e1, e2, ...]`."""
        from gradcli.modes.jacobian import jacobian

        return jacobian(self._plans, values(at), names(wrt), mode)

    @noted
    def sparse_jacobian(self, at: Values, wrt: Iterable[str] | None = None) -> SparseJacobian:
        """The entries that are not structurally 0, compressed by colours. Raises LimitExceeded for a dense one."""
        from gradcli.modes.jacobian import coordinates

        return coordinates(self._plans, values(at), names(wrt))

    @noted
    def jacobian_pattern(self, at: Values, wrt: Iterable[str] | None = None) -> JacobianPattern:
        """Where the Jacobian can differ from 0. Raises LimitExceeded for a dense one."""
        from gradcli.modes.jacobian import pattern

        return pattern(self._plans, values(at), names(wrt))

    @noted
    def jacobian_stream(self, at: Values, wrt: Iterable[str] | None = None, mode: str = "auto") -> JacobianStream:
        """The Jacobian by blocks of rows, as they are finished."""
        from gradcli.modes.jacobian import stream

        return stream(self._plans, kept(values(at)), names(wrt), mode)

    @noted
    def hessian(self, at: Values, wrt: Iterable[str] | None = None) -> Hessian:
        """Value, gradient and every block of second derivatives of a scalar."""
        from gradcli.modes.hessian import hessian

        return hessian(self._only(), values(at), names(wrt))

    @noted
    def sparse_hessian(self, at: Values, wrt: Iterable[str] | None = None) -> SparseHessian:
        """The second derivatives that are not structurally 0. Raises LimitExceeded for a dense Hessian."""
        from gradcli.modes.hessian import sparse_hessian

        return sparse_hessian(self._only(), values(at), names(wrt))

    @noted
    def hessian_diagonal(self, at: Values, wrt: Iterable[str] | None = None) -> HessianDiagonal:
        """The second derivatives by each entry alone."""
        from gradcli.modes.hessian import diagonal

        return diagonal(self._only(), values(at), names(wrt))

    @noted
    def hvp(self, at: Values, tangent: Mapping[str, Any]) -> HessianProduct:
        """The Hessian times the direction `tangent`, one sweep in place of the whole matrix."""
        from gradcli.modes.hessian import product

        return product(self._only(), values(at), values(tangent, "tangent"))

    @noted
    def jvp(self, at: Values, tangent: Mapping[str, Any]) -> Tangent:
        """The derivative along `tangent`, which has the shape of each variable it names; the others stand still."""
        from gradcli.modes.diff import jvp

        return jvp(self._only(), values(at), values(tangent, "tangent"))

    @noted
    def vjp(self, at: Values, cotangent: Any = None, wrt: Iterable[str] | None = None) -> Gradient:
        """`cotangent`, an array of the shape of the value, pulled back; for a scalar it may be left out."""
        from gradcli.modes.diff import vjp

        at, wrt = values(at), names(wrt)
        again = self._again(at)
        found = None if again is None else again.gradient(at, wrt, cotangent)
        return found or vjp(self._only(), at, wrt, cotangent)

    @noted
    def check(self, at: Values, wrt: Iterable[str] | None = None, against: Mapping[str, Any] | None = None) -> Check:
        """Reverse mode, forward mode and difference quotients compared, and with what `against` claims.

        A claim has the shape of the value followed by that of its variable, as a block of the Jacobian has.
        """
        from gradcli.modes.check import check

        return check(self._only(), values(at), names(wrt), values({} if against is None else against, "against"))

    @noted
    def graph(self, at: Values, wrt: Iterable[str] | None = None, grad_output: Any = None) -> Graph:
        from gradcli.modes.graph import graph

        return graph(self._only(), values(at), names(wrt), grad_output)

    def _only(self) -> Any:
        if len(self._plans) != 1:
            raise GradcliError("several expressions make a Jacobian, nothing else")
        return self._plans[0]


@noted
def parse(text: str | Iterable[str], name: str = "expression") -> Expression:
    """An Expression from one text, or from several. `name` is what errors call the text. Raises SyntaxProblem, and
    BadArgument for what is no text."""
    texts = [text] if isinstance(text, str) or not isinstance(text, Iterable) else list(text)
    for part in (*texts, name):
        if not isinstance(part, str):
            raise BadArgument(f"an expression is a text, not {type(part).__name__}", help='for example parse("x**2")')
    if not texts:
        raise BadArgument("there is no expression", help='for example parse("x**2")')
    return Expression(texts, name)
