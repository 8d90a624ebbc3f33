"""From the parser's reductions to nodes: one method for each `-> name` of the grammar.

Lark calls a method as soon as its phrase is complete, so a tree is built without recursion however deep it
is. What passes between the methods is a `Part`: a node and the place of its text *with* the parentheses
around it. In `(x+2)**2` the node of the sum has the span of `x+2`, its part that of `(x+2)`, and the power
begins where the part does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from gradcli.errors import LimitExceeded, SyntaxProblem
from gradcli.span import Span
from gradcli.syntax import nodes
from gradcli.syntax.brackets import span_of
from gradcli.syntax.characters import refuse_in_name
from gradcli.syntax.targets import assignment, augmentation

if TYPE_CHECKING:
    from lark import Token

MAX_LITERAL = 400
MAX_NAME = 255

Part: TypeAlias = tuple[int, int, nodes.Expression]
"""Start and stop of the text, grouping parentheses around it counted, and the node."""

_LITERALS = {"True": True, "False": False, "None": None}

_OPERATORS = {sign: sign for sign in ("+", "-", "*", "/", "//", "%", "@", "**", "&", "|", "~", "and", "or", "not")}
_OPERATORS |= {"^": "**", "\u2212": "-", "\u00d7": "*", "\u00b7": "*", "\u22c5": "*", "\u00f7": "/"}


class Keyword(NamedTuple):
    name: Token
    value: Part


class Builder:
    """A `transformer` for Lark. Holds no state, so one instance serves any number of parses."""

    def program(self, statements: list[nodes.Statement]) -> tuple[nodes.Statement, ...]:
        return tuple(statements)

    # ---- statements

    def result(self, parts: list[Part]) -> nodes.Statement:
        ((start, stop, value),) = parts
        return nodes.Result(Span(start, stop), value)

    def assign(self, parts: list[Part]) -> nodes.Statement:
        (start, _, left), (_, stop, value) = parts
        return assignment(Span(start, stop), left, value)

    def augment(self, parts: list[Any]) -> nodes.Statement:
        (start, _, left), sign, (_, stop, value) = parts
        return augmentation(Span(start, stop), left, _OPERATORS[sign.value[:-1]], value)

    # ---- operators

    def binary(self, parts: list[Any]) -> Part:
        (start, _, left), sign, (_, stop, right) = parts
        return start, stop, nodes.Binary(Span(start, stop), _OPERATORS[sign.value], left, right)

    def unary(self, parts: list[Any]) -> Part:
        sign, (_, stop, operand) = parts
        start = sign.start_pos
        return start, stop, nodes.Unary(Span(start, stop), _OPERATORS[sign.value], operand)

    def comparison(self, parts: list[Any]) -> Part:
        start, stop = parts[0][0], parts[-1][1]
        operators = tuple(sign.value for sign in parts[1::2])
        return start, stop, nodes.Comparison(Span(start, stop), operators, _nodes(parts[::2]))

    # ---- calls and indices

    def call(self, parts: list[Any]) -> Part:
        name, _, *arguments, closer = parts
        return _call(name.start_pos, name, [], arguments, closer)

    def method(self, parts: list[Any]) -> Part:
        receiver, _, name, _, *arguments, closer = parts
        return _call(receiver[0], name, [receiver[2]], arguments, closer)

    def transpose(self, parts: list[Any]) -> Part:
        (start, _, receiver), attribute = parts
        dot, stop = span_of(attribute)
        return start, stop, nodes.Call(Span(start, stop), "transpose", Span(dot + 1, stop), (receiver,), ())

    def keyword(self, parts: list[Any]) -> Keyword:
        return Keyword(*parts)

    def index(self, parts: list[Any]) -> Part:
        (start, _, base), _, *subscripts, closer = parts
        stop = span_of(closer).stop
        items = _nodes([part for part in subscripts if isinstance(part, tuple)])
        if len(subscripts) == 1 and isinstance(items[0], nodes.Tuple):
            items = items[0].items
        return start, stop, nodes.Index(Span(start, stop), base, items)

    def slice(self, parts: list[Any]) -> Part:
        fields: list[nodes.Expression | None] = [None]
        for part in parts:
            if isinstance(part, tuple):
                fields[-1] = part[2]
            else:
                fields.append(None)
        start, stop = _edges(parts[0])[0], _edges(parts[-1])[1]
        return start, stop, nodes.Slice(Span(start, stop), *fields, *[None] * (3 - len(fields)))

    # ---- atoms

    def group(self, parts: list[Any]) -> Part:
        opener, (_, _, node), closer = parts
        return opener.start_pos, closer.start_pos + 1, node

    def tuple_literal(self, parts: list[Any]) -> Part:
        return _sequence(nodes.Tuple, parts)

    def list_literal(self, parts: list[Any]) -> Part:
        return _sequence(nodes.List, parts)

    def number(self, parts: list[Token]) -> Part:
        span = _bounded(parts[0], MAX_LITERAL, "a number")
        return *span, nodes.Number(span, float(parts[0].value.replace("_", "")))

    def string(self, parts: list[Token]) -> Part:
        span = _bounded(parts[0], MAX_LITERAL, "a string")
        return *span, nodes.String(span, parts[0].value[1:-1])

    def name(self, parts: list[Token]) -> Part:
        span = _name_span(parts[0])
        return *span, nodes.Name(span, parts[0].value)

    def literal(self, parts: list[Token]) -> Part:
        span = span_of(parts[0])
        return *span, nodes.Literal(span, _LITERALS[parts[0].value])

    def ellipsis(self, parts: list[Token]) -> Part:
        span = span_of(parts[0])
        return *span, nodes.Literal(span, ...)


def _nodes(parts: list[Part]) -> tuple[nodes.Expression, ...]:
    return tuple([node for _, _, node in parts])


def _edges(part: Part | Token) -> tuple[int, int]:
    return (part[0], part[1]) if isinstance(part, tuple) else span_of(part)


def _sequence(kind: type[nodes.Tuple] | type[nodes.List], parts: list[Any]) -> Part:
    opener, *items, closer = parts
    span = Span(opener.start_pos, closer.start_pos + 1)
    return *span, kind(span, _nodes(items))


def _call(
    start: int, name: Token, receiver: list[nodes.Expression], written: list[Part | Keyword], closer: Token
) -> Part:
    arguments = receiver
    keywords: dict[str, nodes.Expression] = {}
    for argument in written:
        if isinstance(argument, Keyword):
            keyword, place = argument.name.value, _name_span(argument.name)
            if keyword in keywords:
                raise SyntaxProblem(f"the argument `{keyword}` comes twice", span=place, label="again here")
            keywords[keyword] = argument.value[2]
        elif keywords:
            raise SyntaxProblem(
                "an argument without a name comes after one with a name",
                span=argument[2].span,
                label="needs its name, or an earlier place",
                help="arguments with a name come last; `==` compares",
            )
        else:
            arguments.append(argument[2])
    span = Span(start, span_of(closer).stop)
    return *span, nodes.Call(span, name.value, _name_span(name), tuple(arguments), tuple(keywords.items()))


def _name_span(token: Token) -> Span:
    span = _bounded(token, MAX_NAME, "a name")
    if not token.isascii():
        refuse_in_name(token.value, span.start)
    return span


def _bounded(token: Token, limit: int, what: str) -> Span:
    span = span_of(token)
    if len(token) > limit:
        raise LimitExceeded(f"{what} of {len(token):,} characters; the limit is {limit}", span=span, label="too long")
    return span
