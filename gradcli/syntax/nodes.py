"""The syntax tree: what was written, with the place of every part. No numbers are computed here.

Trees may be deep (10,000 parentheses, sums of 100,000 terms), so nothing here recurses: nodes compare by
identity and print without their children; whoever walks a tree keeps a stack of its own (`children`).
"""

from __future__ import annotations

from dataclasses import dataclass

from gradcli.span import Source, Span


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """`span` includes grouping parentheses inside the node, not those around it."""

    span: Span


class Expression(Node):
    """Anything that has a value, or stands where one may: literals, names, operators, calls, lists, slices."""

    __slots__ = ()


@dataclass(slots=True, eq=False, repr=False)
class Number(Expression):
    """A numeral, already float64."""

    value: float


@dataclass(slots=True, eq=False, repr=False)
class Literal(Expression):
    """`True`, `False`, `None`, or `...`."""

    value: object


@dataclass(slots=True, eq=False, repr=False)
class String(Expression):
    """`"..."`, without its quotes."""

    value: str


@dataclass(slots=True, eq=False, repr=False)
class Name(Expression):
    """A value by name."""

    name: str


@dataclass(slots=True, eq=False, repr=False)
class Unary(Expression):
    """`operator` is one of `-`, `+`, `~`, `not`."""

    operator: str
    operand: Expression


@dataclass(slots=True, eq=False, repr=False)
class Binary(Expression):
    """`operator` is one of `+ - * / // % @ ** & |`, `and`, `or`; typographic signs and `^` are already mapped."""

    operator: str
    left: Expression
    right: Expression


@dataclass(slots=True, eq=False, repr=False)
class Comparison(Expression):
    """A chain `a < b <= c`: one operator fewer than operands."""

    operators: tuple[str, ...]
    operands: tuple[Expression, ...]


@dataclass(slots=True, eq=False, repr=False)
class Call(Expression):
    """`function(arguments, name=value)`. Method spelling has its receiver as first argument, `x.T` is a call of
    `transpose`; `name_span` is the place of the function's name alone."""

    function: str
    name_span: Span
    arguments: tuple[Expression, ...]
    keywords: tuple[tuple[str, Expression], ...]

    @property
    def is_method(self) -> bool:
        return bool(self.arguments) and self.arguments[0].span.start < self.name_span.start


@dataclass(slots=True, eq=False, repr=False)
class List(Expression):
    """`[a, b]`."""

    items: tuple[Expression, ...]


@dataclass(slots=True, eq=False, repr=False)
class Tuple(Expression):
    """`(a, b)` or `()`."""

    items: tuple[Expression, ...]


@dataclass(slots=True, eq=False, repr=False)
class Slice(Expression):
    """`start:stop:step` within an index; None where a part is left out."""

    start: Expression | None
    stop: Expression | None
    step: Expression | None


@dataclass(slots=True, eq=False, repr=False)
class Index(Expression):
    """`base[i, j, ...]`, one entry of `items` for each comma-separated part; `base[(i, j)]` is the same."""

    base: Expression
    items: tuple[Expression, ...]


class Statement(Node):
    __slots__ = ()


@dataclass(slots=True, eq=False, repr=False)
class Assign(Statement):
    """`target = value`."""

    target: Name
    value: Expression


@dataclass(slots=True, eq=False, repr=False)
class AssignIndex(Statement):
    """`target[...] = value`; the base of `target` is a Name."""

    target: Index
    value: Expression


@dataclass(slots=True, eq=False, repr=False)
class Augment(Statement):
    """`target op= value`; `operator` is one of `+ - * / **`; an Index target's base is a Name."""

    target: Name | Index
    operator: str
    value: Expression


@dataclass(slots=True, eq=False, repr=False)
class Define(Statement):
    """`function(parameters) = body`."""

    function: str
    parameters: tuple[str, ...]
    body: Expression


@dataclass(slots=True, eq=False, repr=False)
class Result(Statement):
    """A bare expression: only ever the last statement."""

    value: Expression


@dataclass(slots=True, eq=False, repr=False)
class Program:
    """The last statement is the result: a Result, or an assignment (then the name it assigns)."""

    source: Source
    statements: tuple[Statement, ...]


def children(node: Node) -> tuple[Node, ...]:
    """The direct parts of a node, in the order in which they are written."""
    match node:
        case Unary():
            return (node.operand,)
        case Binary():
            return (node.left, node.right)
        case Comparison():
            return node.operands
        case Call():
            return (*node.arguments, *(value for _, value in node.keywords))
        case List() | Tuple():
            return node.items
        case Slice():
            return tuple(part for part in (node.start, node.stop, node.step) if part is not None)
        case Index():
            return (node.base, *node.items)
        case Assign() | AssignIndex() | Augment():
            return (node.target, node.value)
        case Define():
            return (node.body,)
        case Result():
            return (node.value,)
    return ()
