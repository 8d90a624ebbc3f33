"""The left sides of `=` and `op=`: parsed as any expression, and only then told apart."""

from __future__ import annotations

from gradcli.errors import SyntaxProblem
from gradcli.span import Span
from gradcli.syntax import nodes

_TARGETS = "a name, `name[index]` or `function(a, b)` stands on the left of `=`"


def assignment(span: Span, left: nodes.Expression, value: nodes.Expression) -> nodes.Statement:
    """`left = value`, the whole statement at `span`."""
    if _is_definition(span, left):
        assert isinstance(left, nodes.Call)
        return nodes.Define(span, left.function, _parameters(left), value)
    target = _place(span, left, "=")
    if isinstance(target, nodes.Index):
        return nodes.AssignIndex(span, target, value)
    return nodes.Assign(span, target, value)


def augmentation(span: Span, left: nodes.Expression, operator: str, value: nodes.Expression) -> nodes.Augment:
    """`left operator= value`, the whole statement at `span`."""
    return nodes.Augment(span, _place(span, left, f"{operator}="), operator, value)


def _is_definition(span: Span, left: nodes.Expression) -> bool:
    # A method call and `.T` are Calls too, but their function's name does not come first.
    return isinstance(left, nodes.Call) and left.name_span.start == span.start


def _parameters(head: nodes.Call) -> tuple[str, ...]:
    if head.keywords:
        raise SyntaxProblem("parameters have no default values", span=head.keywords[0][1].span, label="a default value")
    names: list[str] = []
    for parameter in head.arguments:
        if not isinstance(parameter, nodes.Name):
            raise SyntaxProblem(
                "the parameters of a function are names",
                span=parameter.span,
                label="not a name",
                help="`f(a, b) = ...` defines a function; `==` compares",
            )
        if parameter.name in names:
            raise SyntaxProblem(
                f"the parameter `{parameter.name}` comes twice", span=parameter.span, label="again here"
            )
        names.append(parameter.name)
    return tuple(names)


def _place(span: Span, left: nodes.Expression, sign: str) -> nodes.Name | nodes.Index:
    # A target begins where its statement does; otherwise there are parentheses around it or its base.
    if left.span.start == span.start:
        if isinstance(left, nodes.Name):
            return left
        if isinstance(left, nodes.Index) and isinstance(left.base, nodes.Name) and left.base.span.start == span.start:
            return left
    raise SyntaxProblem(
        f"cannot assign to {_described(left)}", span=left.span, label=f"left of `{sign}`", help=_advice(left)
    )


def _described(left: nodes.Expression) -> str:
    match left:
        case nodes.Number() | nodes.String() | nodes.Literal():
            return "a constant"
        case nodes.Comparison():
            return "a comparison"
        case nodes.Call():
            return "the result of a call"
        case nodes.Tuple() | nodes.List():
            return "several names at once"
        case nodes.Name() | nodes.Index(base=nodes.Name()):
            return "a target in parentheses"
        case nodes.Index(base=nodes.Index()):
            return "an index of an index"
    return "an expression"


def _advice(left: nodes.Expression) -> str:
    match left:
        case nodes.Index(base=nodes.Index()):
            return "put the indices into one pair of brackets: `a[i, j] = ...`"
        case nodes.Tuple() | nodes.List():
            return "one assignment a line: `a = ...`"
    return f"{_TARGETS}; `==` compares"
