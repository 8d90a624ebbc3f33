"""Where nodes stand. Parentheses around a node are not part of its span, those inside it are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gradcli.span import Source, Span
from gradcli.syntax import nodes, parse


def _walk(program: nodes.Program) -> Iterator[nodes.Node]:
    """Every node, parents first, left to right."""
    pending: list[nodes.Node] = list(reversed(program.statements))
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(nodes.children(node)))


@pytest.mark.parametrize(
    ("text", "cuts"),
    [
        ("(x+2)**2+3", ["(x+2)**2+3", "(x+2)**2+3", "(x+2)**2", "x+2", "x", "2", "2", "3"]),
        ("((a))", ["((a))", "a"]),
        ("-(a)", ["-(a)", "-(a)", "a"]),
        ("not (a)", ["not (a)", "not (a)", "a"]),
        ("( a ) < (b)", ["( a ) < (b)", "( a ) < (b)", "a", "b"]),
        ("f( (a), k=(b) )", ["f( (a), k=(b) )", "f( (a), k=(b) )", "a", "b"]),
        ("(a).sum( )", ["(a).sum( )", "(a).sum( )", "a"]),
        ("(a).T", ["(a).T", "(a).T", "a"]),
        ("(a)[(1):2, ...]", ["(a)[(1):2, ...]", "(a)[(1):2, ...]", "a", "(1):2", "1", "2", "..."]),
        ("x[ : :(s)]", ["x[ : :(s)]", "x[ : :(s)]", "x", ": :(s)", "s"]),
        ("x[(a) : ]", ["x[(a) : ]", "x[(a) : ]", "x", "(a) :", "a"]),
        ("( (a), b )", ["( (a), b )", "( (a), b )", "a", "b"]),
        ("[(a)]", ["[(a)]", "[(a)]", "a"]),
        ("y = (a)", ["y = (a)", "y", "a"]),
        ("y[0] += (a) ", ["y[0] += (a)", "y[0]", "y", "0", "a"]),
        ("f(a) = (a)", ["f(a) = (a)", "a"]),
        (" norm(x, 'nuc') # c", ["norm(x, 'nuc')", "norm(x, 'nuc')", "x", "'nuc'"]),
        ("(a\n+\n b)", ["(a\n+\n b)", "a\n+\n b", "a", "b"]),
    ],
)
def test_spans_cut_out_the_text_of_each_node(text: str, cuts: list[str]) -> None:
    program = parse(Source(text))
    assert [program.source.cut(node.span) for node in _walk(program)] == cuts


@pytest.mark.parametrize("prefix", ["\ufeff", "# é中\r\n", "\r\n\r\n", "π = 3;\n"])
def test_spans_count_the_characters_of_the_text_as_given(prefix: str) -> None:
    program = parse(Source(prefix + "(x+2)**2"))
    statement = program.statements[-1]
    assert isinstance(statement, nodes.Result)
    assert program.source.cut(statement.value.span) == "(x+2)**2"
    assert statement.span.start == len(prefix)


@pytest.mark.parametrize(
    ("text", "span"), [("f(x)", Span(0, 1)), ("x . sum()", Span(4, 7)), ("x.T", Span(2, 3)), ("(x).T", Span(4, 5))]
)
def test_the_name_of_a_function_has_its_own_span(text: str, span: Span) -> None:
    (statement,) = parse(Source(text)).statements
    assert isinstance(statement, nodes.Result)
    assert isinstance(statement.value, nodes.Call)
    assert statement.value.name_span == span
