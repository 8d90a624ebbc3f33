"""Expressions lowered to steps: names, operators, lists, indices and the arguments of calls.

Each kind of node is lowered by a generator that yields the parts it needs lowered first and is sent their registers;
`_finish` keeps the waiting ones on a stack, so that no tree is too deep.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from gradcli.errors import BadArgument, LimitExceeded
from gradcli.lowering.expansion import expanded_size
from gradcli.lowering.plan import MAX_STEPS, Apply, Constant, Cut, Load, Pack, Plain, Step
from gradcli.lowering.rounded import loss
from gradcli.primitives import TABLE
from gradcli.primitives.signature import Parameter
from gradcli.primitives.table import Primitive
from gradcli.span import Span
from gradcli.syntax import nodes

Parts = Generator["tuple[nodes.Expression, bool]", int, list[int]]
Lowering = Generator["tuple[nodes.Expression, bool]", int, int]
"""Yields (part, plain): a part to lower, as a value or as a plain argument (then a list stays a list of its items)."""

_OPERATORS = TABLE.operators
_UNARY = {**_OPERATORS, "-": TABLE["neg"], "+": TABLE["pos"]}


def _given(node: nodes.Call, primitive: Primitive) -> tuple[Sequence[nodes.Expression], dict[str, nodes.Expression]]:
    """Arguments by place and by name; a method is called on the argument that its function is about."""
    place, named = primitive.about or 0, dict(node.keywords)
    if not place or not node.is_method:
        return node.arguments, named
    receiver, *others = node.arguments
    if len(others) < place:  # those before it are given by name
        return others, {primitive.signature.parameters[place].name: receiver, **named}
    return [*others[:place], receiver, *others[place:]], named


class ExpressionLowering:
    """The steps made so far, and what the names mean at this point of the program."""

    def __init__(self, program: nodes.Program) -> None:
        self._program = program
        self._steps: list[Step] = []
        self._inputs: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._first: dict[str, Span] = {}
        self._assigned: dict[str, Span] = {}
        self._unread: list[tuple[str, Span]] = []
        self._functions: dict[str, nodes.Define] = {}
        self._arguments: dict[str, int] = {}
        self._active: set[str] = set()
        self._expanded = 0

    def _emit(self, step: Step) -> int:
        if len(self._steps) >= MAX_STEPS:
            raise self._endless(step.span)
        self._steps.append(step)
        return len(self._steps) - 1

    def _endless(self, span: Span) -> LimitExceeded:
        return LimitExceeded(
            f"the program needs more than {MAX_STEPS} operations, counting calls",
            span=span, source=self._program.source,
        )  # fmt: skip

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
                return self._number(node)
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

    def _number(self, node: nodes.Number) -> Lowering:
        source = self._program.source
        caution = loss(source.cut(node.span), source, node.span)
        if caution is not None:
            warnings.warn(caution, stacklevel=2)
        return self._leaf(Constant(node.span, np.array(node.value)))

    def _plain(self, node: nodes.Literal | nodes.String, plain: bool) -> Lowering:
        yield from ()
        if not plain:
            text = self._program.source.cut(node.span)
            word = node.value if isinstance(node.value, str) and node.value.isidentifier() else ""
            help = f"a name stands without quotes: {word}" if word else ""
            raise self._problem(BadArgument(f"{text} is not a number", span=node.span, help=help))
        return self._emit(Plain(node.span, node.value))

    def _name(self, node: nodes.Name) -> Lowering:
        yield from ()
        name = node.name
        if name in self._arguments:
            return self._arguments[name]
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
        # A list of positions is an array; None, `...` and slices are not values.
        parts = yield from self._all([(item, not isinstance(item, nodes.List)) for item in node.items])
        return self._emit(Pack(node.span, tuple(parts)))

    def _call(self, node: nodes.Call) -> Lowering:
        if node.function in self._functions:
            return self._call_user(node, self._functions[node.function])
        primitive = TABLE.get(node.function)
        if primitive is None or primitive.hidden:
            from gradcli.lowering.advice import unknown_function  # only ever needed for an error

            raise self._problem(unknown_function(node, [*TABLE, *self._functions], self._program.source))
        return self._call_primitive(node, primitive)

    def _call_user(self, node: nodes.Call, function: nodes.Define) -> Lowering:
        name, wanted = function.function, function.parameters
        if node.keywords:
            without = "arguments of your own functions are written without names"
            raise self._problem(BadArgument(without, span=node.span, help=f"{name}({', '.join(wanted)})"))
        if len(node.arguments) != len(wanted):
            raise self._problem(
                BadArgument(
                    f"{name} takes {len(wanted)} argument{'s' * (len(wanted) != 1)}, {len(node.arguments)} given",
                    span=node.span,
                    help=f"{name}({', '.join(wanted)})",
                )
            )
        if name in self._active:
            raise self._problem(BadArgument(f"{name} calls itself: recursion never ends here", span=node.name_span))
        if not self._active:
            self._expanded += expanded_size(name, self._functions, MAX_STEPS)
            if self._expanded > MAX_STEPS:
                raise self._endless(node.span)
        arguments: dict[str, int] = {}
        for parameter, argument in zip(wanted, node.arguments, strict=True):
            arguments[parameter] = yield argument, False
        outer, self._arguments = self._arguments, arguments
        self._active.add(name)
        register = yield function.body, False
        self._active.remove(name)
        self._arguments = outer
        return register

    def _call_primitive(self, node: nodes.Call, primitive: Primitive) -> Lowering:
        try:
            bound = primitive.signature.bind(*_given(node, primitive), primitive.misuse)
        except BadArgument as error:
            from gradcli.lowering.advice import misfit  # only ever needed for an error

            raise self._problem(misfit(node, error, self._program.source, self._names)) from None
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
                bare = isinstance(argument, tuple)
                listed = isinstance(argument, nodes.List | nodes.Tuple)
                items = argument if bare else argument.items if listed else (argument,)
                call.spread = not (bare or listed)
                call.operands += tuple((yield from self._all([(item, False) for item in items])))
                call.spans += tuple(item.span for item in items)
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
