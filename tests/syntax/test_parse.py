"""What texts mean: each beside its tree, fully bracketed."""

from __future__ import annotations

import math
from typing import cast

import pytest

from gradcli.span import Source
from gradcli.syntax import nodes, parse


def _expression(text: str) -> nodes.Expression:
    (statement,) = parse(Source(text)).statements
    assert isinstance(statement, nodes.Result)
    return statement.value


def _shown(node: nodes.Node | None) -> str:
    """The tree as text with every grouping made visible; for small trees only, since it recurses."""
    match node:
        case None:
            return ""
        case nodes.Number():
            return f"{node.value:g}"
        case nodes.Literal():
            return "..." if node.value is ... else repr(node.value)
        case nodes.String():
            return repr(node.value)
        case nodes.Name():
            return node.name
        case nodes.Unary():
            return f"({node.operator} {_shown(node.operand)})"
        case nodes.Binary():
            return f"({_shown(node.left)} {node.operator} {_shown(node.right)})"
        case nodes.Comparison():
            rest = zip(node.operators, node.operands[1:], strict=True)
            return f"({_shown(node.operands[0])}{''.join(f' {sign} {_shown(operand)}' for sign, operand in rest)})"
        case nodes.Call():
            keywords = [f"{name}={_shown(value)}" for name, value in node.keywords]
            return f"{node.function}({', '.join([_shown(argument) for argument in node.arguments] + keywords)})"
        case nodes.List():
            return f"[{', '.join(map(_shown, node.items))}]"
        case nodes.Tuple():
            return f"<{', '.join(map(_shown, node.items))}>"
        case nodes.Slice():
            return f"slice({_shown(node.start)};{_shown(node.stop)};{_shown(node.step)})"
        case nodes.Index():
            return f"{_shown(node.base)}[{', '.join(map(_shown, node.items))}]"
    raise AssertionError(node)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        # each level against the next tighter one, on both sides
        ("a or b and c", "(a or (b and c))"),
        ("a and b or c", "((a and b) or c)"),
        ("not a and b", "((not a) and b)"),
        ("a and not b", "(a and (not b))"),
        ("not not a", "(not (not a))"),
        ("not a == b", "(not (a == b))"),
        ("a < b | c", "(a < (b | c))"),
        ("a | b & c", "(a | (b & c))"),
        ("a & b | c", "((a & b) | c)"),
        ("a & b + c", "(a & (b + c))"),
        ("a + b * c", "(a + (b * c))"),
        ("a * b + c", "((a * b) + c)"),
        ("a * -b", "(a * (- b))"),
        ("-a * b", "((- a) * b)"),
        ("a @ b * c", "((a @ b) * c)"),
        ("-x**2", "(- (x ** 2))"),
        ("~x**2", "(~ (x ** 2))"),
        ("2**-x", "(2 ** (- x))"),
        ("2**-x**2", "(2 ** (- (x ** 2)))"),
        ("x.T**2", "(transpose(x) ** 2)"),
        ("-x[0]", "(- x[0])"),
        # grouping
        ("a - b - c", "((a - b) - c)"),
        ("a / b / c", "((a / b) / c)"),
        ("a // b % c", "((a // b) % c)"),
        ("2**3**2", "(2 ** (3 ** 2))"),
        ("a or b or c", "((a or b) or c)"),
        ("a | b | c", "((a | b) | c)"),
        ("- - + x", "(- (- (+ x)))"),
        ("(a + b) * c", "((a + b) * c)"),
        ("((((a))))", "a"),
        ("a < b <= c != d", "(a < b <= c != d)"),
        ("(a < b) < c", "((a < b) < c)"),
        ("a == b > c >= d", "(a == b > c >= d)"),
    ],
)
def test_precedence_is_that_of_python(text: str, tree: str) -> None:
    assert _shown(_expression(text)) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("x^2", "(x ** 2)"),
        ("-x^2^3", "(- (x ** (2 ** 3)))"),
        ("a \u2212 b", "(a - b)"),
        ("\u2212a", "(- a)"),
        ("a × b · c ⋅ d ÷ e", "((((a * b) * c) * d) / e)"),
        ("π*θ_1 + Ωé", "((π * θ_1) + Ωé)"),
    ],
)
def test_other_spellings(text: str, tree: str) -> None:
    assert _shown(_expression(text)) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("f()", "f()"),
        ("f(a, b,)", "f(a, b)"),
        ("f (a)", "f(a)"),
        ("sum(x, axis=0, keepdims=True)", "sum(x, axis=0, keepdims=True)"),
        ("f(a == b)", "f((a == b))"),
        ("f(a=b == c)", "f(a=(b == c))"),
        ("x.sum()", "sum(x)"),
        ("x.sum(0, keepdim=True).exp()", "exp(sum(x, 0, keepdim=True))"),
        ("(a + b).T", "transpose((a + b))"),
        ("x.T.T @ y", "(transpose(transpose(x)) @ y)"),
        ("x.T×y", "(transpose(x) * y)"),
        ("x.T2()", "T2(x)"),
        ("x.Tθ()", "Tθ(x)"),
        ("2 .exp()", "exp(2)"),
        ('einsum("ij,jk->ik", a, b)', "einsum('ij,jk->ik', a, b)"),
        ("norm(x, 'nuc')", "norm(x, 'nuc')"),
        ('f("#;(", x)', "f('#;(', x)"),
        ("max(max)", "max(max)"),
    ],
)
def test_calls(text: str, tree: str) -> None:
    assert _shown(_expression(text)) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("[]", "[]"),
        ("[a, [b, c],]", "[a, [b, c]]"),
        ("()", "<>"),
        ("(a,)", "<a>"),
        ("(a, b)", "<a, b>"),
        ("(a, b,)", "<a, b>"),
        ("((a), (b, c))", "<a, <b, c>>"),
        ("x[0]", "x[0]"),
        ("x[-1, i]", "x[(- 1), i]"),
        ("x[0,]", "x[0]"),
        ("x[0][1]", "x[0][1]"),
        ("x[:]", "x[slice(;;)]"),
        ("x[1:]", "x[slice(1;;)]"),
        ("x[:2]", "x[slice(;2;)]"),
        ("x[::]", "x[slice(;;)]"),
        ("x[::-1]", "x[slice(;;(- 1))]"),
        ("x[1:2:]", "x[slice(1;2;)]"),
        ("x[a+1:b:c, :, None, ...]", "x[slice((a + 1);b;c), slice(;;), None, ...]"),
        ("x[[0, 0, 2]]", "x[[0, 0, 2]]"),
        ("x[(0, 1)]", "x[0, 1]"),
        ("x[(0, 1),]", "x[<0, 1>]"),
        ("x[((0, 1),)]", "x[<0, 1>]"),
        ("x[(0, 1), 2]", "x[<0, 1>, 2]"),
        ("x[x > 0]", "x[(x > 0)]"),
        ("[1, 2][0]", "[1, 2][0]"),
        ("f(x)[0].T", "transpose(f(x)[0])"),
        ("True + False", "(True + False)"),
        ("None", "None"),
    ],
)
def test_lists_tuples_and_indices(text: str, tree: str) -> None:
    assert _shown(_expression(text)) == tree


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2", 2.0),
        ("2.", 2.0),
        (".5", 0.5),
        ("1e-3", 1e-3),
        ("1.E+3", 1e3),
        ("1_000", 1000.0),
        ("1_0.0_1e0_1", 100.1),
        ("00012", 12.0),
        ("1e400", math.inf),
        ("1e-400", 0.0),
        ("1e99999999", math.inf),
        ("5e-324", 5e-324),
        ("0.1", 0.1),
        ("9" * 400, math.inf),
    ],
)
def test_every_number_is_a_float(text: str, value: float) -> None:
    number = cast("nodes.Number", _expression(text))
    assert type(number.value) is float
    assert number.value == value


def test_names_and_operators_are_plain_strings() -> None:
    # Not the parser's tokens, which are strings too but hold on to more.
    node = cast("nodes.Binary", _expression("x ^ f(y=1)"))
    call = cast("nodes.Call", node.right)
    assert type(cast("nodes.Name", node.left).name) is str
    assert type(node.operator) is type(call.function) is type(call.keywords[0][0]) is str


@pytest.mark.parametrize(
    "word", ["lambda", "if", "for", "in", "is", "eval", "import", "T", "e", "notable", "or_", "Truex"]
)
def test_no_other_word_is_reserved(word: str) -> None:
    assert _shown(_expression(f"{word} + {word}({word})")) == f"({word} + {word}({word}))"
