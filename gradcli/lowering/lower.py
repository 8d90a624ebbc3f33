"""From syntax tree to plan: names, functions, operators and arguments resolved.

Each kind of node is lowered by a generator that yields the parts it needs lowered first and is sent their registers;
`_drive` keeps the waiting ones on a stack, so that no tree is too deep.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from gradcli.errors import BadArgument, InplaceWrite, LimitExceeded, SyntaxProblem, UnknownName
from gradcli.lowering.plan import MAX_STEPS, Apply, Constant, Cut, Load, Pack, Plain, Plan, Step, Update, Write
from gradcli.primitives import TABLE
from gradcli.primitives.signature import Parameter
from gradcli.primitives.table import Primitive
from gradcli.span import Span
from gradcli.syntax import nodes

CONSTANTS = {"pi": np.pi, "π": np.pi, "e": np.e, "inf": np.inf, "nan": np.nan}
"""Names with a value until an assignment or an input takes them."""

Parts = Generator["tuple[nodes.Expression, bool]", int, list[int]]
Lowering = Generator["tuple[nodes.Expression, bool]", int, int]
"""Yields (part, plain): a part to lower, as a value or as a plain argument (then a list stays a list of its items)."""

_OPERATORS = TABLE.operators
_UNARY = {**_OPERATORS, "-": TABLE["neg"], "+": TABLE["pos"]}


def lower(program: nodes.Program) -> Plan:
    """The plan of a program. Raises UnknownName, BadArgument, InplaceWrite, LimitExceeded with source and span."""
    return Lowerer(program).plan()


class Lowerer:
    def __init__(self, program: nodes.Program) -> None:
        self._program = program
        self._steps: list[Step] = []
        self._inputs: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._assigned: dict[str, Span] = {}
        self._unread: list[tuple[str, Span]] = []
        self._functions: dict[str, nodes.Define] = {}
        self._frames: list[tuple[str, dict[str, int]]] = []

    def plan(self) -> Plan:
        result = 0
        for statement in self._program.statements:
            result = self._statement(statement)
        last = self._program.statements[-1]
        if isinstance(last, nodes.Define):
            raise self._problem(
                SyntaxProblem(
                    "a definition has no value",
                    span=last.span,
                    label="the last statement gives the result",
                    help=f"call it on the last line: {last.function}({', '.join(last.parameters)})",
                )
            )
        if isinstance(last, nodes.Assign):
            self._assigned.pop(last.target.name, None)
        unread = sorted([*self._unread, *self._assigned.items()], key=lambda item: item[1])
        span = last.value.span if isinstance(last, nodes.Result) else last.span
        return Plan(self._program.source, self._steps, result, span, frozenset(self._names), tuple(unread))

    def _statement(self, statement: nodes.Statement) -> int:
        match statement:
            case nodes.Result():
                return self._drive(statement.value)
            case nodes.Define():
                self._functions[statement.function] = statement
                return -1
            case nodes.Assign():
                register = self._drive(statement.value)
                self._assign(statement.target, register)
                return register
            case nodes.AssignIndex():
                value = self._drive(statement.value)
                index = self._finish(self._index_parts(statement.target))
                return self._write(statement, self._base(statement.target.base), index, value)
            case nodes.Augment():
                return self._augment(statement)
        raise AssertionError(statement)

    def _augment(self, statement: nodes.Augment) -> int:
        primitive = _OPERATORS[statement.operator]
        value = self._drive(statement.value)
        target = statement.target
        if isinstance(target, nodes.Name):
            base = self._base(target)
            self._emit(Update(statement.span, base, primitive, value))
            return base
        base, index = self._base(target.base), self._finish(self._index_parts(target))
        old = self._emit(Apply(target.span, TABLE["index"], (base,), (target.base.span,), (("index", "any", index),)))
        spans = (target.span, statement.value.span)
        new = self._emit(Apply(statement.span, primitive, (old, value), spans))
        return self._write(statement, base, index, new)

    def _write(self, statement: nodes.Statement, base: int, index: int, value: int) -> int:
        self._emit(Write(statement.span, base, index, value))
        return base

    def _base(self, name: nodes.Expression) -> int:
        """The register that a write goes to. Inputs cannot be written to, constants get a copy for each run."""
        assert isinstance(name, nodes.Name)
        known = self._names.get(name.name)
        if known is None or isinstance(self._steps[known], Load):
            raise InplaceWrite(
                f"{name.name} is an input: it cannot be written to",
                span=name.span,
                source=self._program.source,
                help=f"write into a copy: y = 1*{name.name}",
            )
        step = self._steps[known]
        if isinstance(step, Constant):
            step.written = True
        return known

    def _assign(self, target: nodes.Name, register: int) -> None:
        if target.name in self._assigned:
            self._unread.append((target.name, self._assigned[target.name]))
        self._names[target.name] = register
        self._assigned[target.name] = target.span

    def _emit(self, step: Step) -> int:
        if len(self._steps) >= MAX_STEPS:
            raise LimitExceeded(f"the program needs more than {MAX_STEPS} operations", source=self._program.source)
        self._steps.append(step)
        return len(self._steps) - 1

    def _drive(self, root: nodes.Expression) -> int:
        return self._finish(self._expression(root, False))

    def _finish(self, root: Lowering) -> int:
        waiting = [root]
        register: int | None = None
        while waiting:
            try:
                part, as_plain = next(waiting[-1]) if register is None else waiting[-1].send(register)
            except StopIteration as done:
                waiting.pop()
                register = done.value
            else:
                waiting.append(self._expression(part, as_plain))
                register = None
        assert register is not None
        return register

    def _expression(self, node: nodes.Expression, plain: bool) -> Lowering:
        match node:
            case nodes.Number():
                return self._leaf(Constant(node.span, np.array(node.value)))
            case nodes.Literal() if isinstance(node.value, bool):
                return self._leaf(Constant(node.span, np.array(node.value)))
            case nodes.Literal() | nodes.String():
                return self._plain(node, plain)
            case nodes.Name():
                return self._name(node)
            case nodes.Unary():
                return self._unary(node)
            case nodes.Binary():
                return self._binary(node)
            case nodes.Comparison():
                return self._comparison(node)
            case nodes.Call():
                return self._call(node)
            case nodes.List() | nodes.Tuple():
                return self._list(node, plain)
            case nodes.Index():
                return self._read(node)
            case nodes.Slice():
                return self._slice(node)
        raise AssertionError(node)

    def _all(self, parts: Sequence[tuple[nodes.Expression, bool]]) -> Parts:
        registers = []
        for part in parts:
            registers.append((yield part))  # noqa: PERF401  # a comprehension cannot yield
        return registers

    def _leaf(self, step: Step) -> Lowering:
        yield from ()
        return self._emit(step)

    def _plain(self, node: nodes.Literal | nodes.String, plain: bool) -> Lowering:
        yield from ()
        if not plain:
            text = self._program.source.cut(node.span)
            raise self._problem(BadArgument(f"{text} is not a number", span=node.span))
        return self._emit(Plain(node.span, node.value))

    def _name(self, node: nodes.Name) -> Lowering:
        yield from ()
        name = node.name
        for _, arguments in self._frames[-1:]:
            if name in arguments:
                return arguments[name]
        if name in self._names:
            self._assigned.pop(name, None)
            return self._names[name]
        if name not in self._inputs:
            self._inputs[name] = self._emit(Load(node.span, name))
        return self._inputs[name]

    def _unary(self, node: nodes.Unary) -> Lowering:
        operand = yield node.operand, False
        return self._emit(Apply(node.span, _UNARY[node.operator], (operand,), (node.operand.span,)))

    def _binary(self, node: nodes.Binary) -> Lowering:
        left = yield node.left, False
        right = yield node.right, False
        spans = (node.left.span, node.right.span)
        return self._emit(Apply(node.span, _OPERATORS[node.operator], (left, right), spans))

    def _comparison(self, node: nodes.Comparison) -> Lowering:
        registers = yield from self._all([(operand, False) for operand in node.operands])
        spans = [operand.span for operand in node.operands]
        found = -1
        for i, operator in enumerate(node.operators):
            pair, texts = (registers[i], registers[i + 1]), (spans[i], spans[i + 1])
            span = Span(texts[0].start, texts[1].stop)
            holds = self._emit(Apply(span, _OPERATORS[operator], pair, texts))
            found = holds if i == 0 else self._emit(Apply(node.span, _OPERATORS["and"], (found, holds), (span, span)))
        return found

    def _list(self, node: nodes.List | nodes.Tuple, plain: bool) -> Lowering:
        if not plain and isinstance(node, nodes.Tuple):
            raise self._problem(BadArgument("a tuple is no value", span=node.span, help="write a list: [a, b]"))
        items = yield from self._all([(item, plain) for item in node.items])
        if plain:
            return self._emit(Pack(node.span, tuple(items)))
        if not items:
            return self._emit(Constant(node.span, np.zeros(0)))
        spans = tuple(item.span for item in node.items)
        return self._emit(Apply(node.span, TABLE["stack"], tuple(items), spans, defaults={"axis": 0}))

    def _slice(self, node: nodes.Slice) -> Lowering:
        start = None if node.start is None else (yield node.start, True)
        stop = None if node.stop is None else (yield node.stop, True)
        step = None if node.step is None else (yield node.step, True)
        return self._emit(Cut(node.span, (start, stop, step)))

    def _read(self, node: nodes.Index) -> Lowering:
        base = yield node.base, False
        index = yield from self._index_parts(node)
        return self._emit(Apply(node.span, TABLE["index"], (base,), (node.base.span,), (("index", "any", index),)))

    def _index_parts(self, node: nodes.Index) -> Lowering:
        items = node.items
        if len(items) == 1 and isinstance(items[0], nodes.Tuple):
            items = items[0].items
        # A list of positions is an array; None, `...` and slices are not values.
        parts = yield from self._all([(item, not isinstance(item, nodes.List)) for item in items])
        return self._emit(Pack(node.span, tuple(parts)))

    def _call(self, node: nodes.Call) -> Lowering:
        if node.function in self._functions:
            return self._call_user(node, self._functions[node.function])
        primitive = TABLE.get(node.function)
        if primitive is None or primitive.hidden:
            raise self._problem(unknown_function(node, [*TABLE, *self._functions]))
        return self._call_primitive(node, primitive)

    def _call_user(self, node: nodes.Call, function: nodes.Define) -> Lowering:
        name, wanted = function.function, function.parameters
        if node.keywords or len(node.arguments) != len(wanted):
            raise self._problem(
                BadArgument(
                    f"{name} takes {len(wanted)} argument{'s' * (len(wanted) != 1)}, {len(node.arguments)} given",
                    span=node.span,
                    help=f"{name}({', '.join(wanted)})",
                )
            )
        if any(name == active for active, _ in self._frames):
            raise self._problem(BadArgument(f"{name} calls itself: recursion never ends here", span=node.name_span))
        arguments: dict[str, int] = {}
        for parameter, argument in zip(wanted, node.arguments, strict=True):
            arguments[parameter] = yield argument, False
        self._frames.append((name, arguments))
        register = yield function.body, False
        self._frames.pop()
        return register

    def _call_primitive(self, node: nodes.Call, primitive: Primitive) -> Lowering:
        try:
            bound = primitive.signature.bind(node.arguments, dict(node.keywords), primitive.misuse)
        except BadArgument as error:
            error.span = node.span
            raise self._problem(error) from None
        call = Apply(node.span, primitive, (), ())
        params: list[tuple[str, str, int]] = []
        for parameter in primitive.signature.parameters:
            argument = bound[parameter.name]
            if parameter.type == "value":
                if argument is parameter.default or (parameter.default is None and _is_none(argument)):
                    operand = self._absent(parameter, node)
                else:
                    operand = yield argument, False
                if operand is not None:
                    call.operands += (operand,)
                    call.spans += (node.span if argument is parameter.default else argument.span,)
            elif argument is parameter.default:
                call.defaults[parameter.name] = argument
            elif parameter.type == "sequence":
                items = argument.items if isinstance(argument, nodes.List | nodes.Tuple) else (argument,)
                call.spread = items == (argument,)
                for item in items:
                    call.operands += ((yield item, False),)
                    call.spans += (item.span,)
            else:
                params.append((parameter.name, parameter.type, (yield from self._plain_argument(argument, node))))
        call.params = tuple(params)
        return self._emit(call)

    def _absent(self, parameter: Parameter, node: nodes.Call) -> int | None:
        """What stands in the place of a value that is not given, if anything does."""
        number = parameter.stand_in if parameter.default is None else parameter.default
        return None if number is None else self._emit(Constant(node.span, np.array(number, dtype=np.float64)))

    def _plain_argument(self, argument: Any, node: nodes.Call) -> Lowering:
        """A plain parameter; several bare integers that make up a shape arrive as a tuple of nodes."""
        if not isinstance(argument, tuple):
            return (yield argument, True)
        items = yield from self._all([(item, True) for item in argument])
        return self._emit(Pack(node.span, tuple(items)))

    def _problem(self, error: Any) -> Any:
        error.source = self._program.source
        return error


def _is_none(argument: nodes.Expression) -> bool:
    return isinstance(argument, nodes.Literal) and argument.value is None


def closest(name: str, known: Sequence[str]) -> str:
    """The known name most like `name`, or an empty text."""
    import difflib  # only ever needed for an error

    same = [other for other in known if other.casefold() == name.casefold()]
    found = same or difflib.get_close_matches(name, known, 1) or difflib.get_close_matches(name.lower(), known, 1)
    return found[0] if found else ""


def unknown_function(node: nodes.Call, known: Sequence[str]) -> UnknownName:
    like = closest(node.function, [name for name in known if name not in TABLE or not TABLE[name].hidden])
    return UnknownName(
        f"there is no function called {node.function}",
        span=node.name_span,
        help=f"did you mean {like}?" if like else "`gradcli functions` lists what there is",
    )
