"""Statements: their forms, what separates them, and which of them is the result."""

from __future__ import annotations

import pytest

from gradcli.errors import SyntaxProblem
from gradcli.span import Source
from gradcli.syntax import nodes, parse


def _statements(text: str) -> tuple[nodes.Statement, ...]:
    return parse(Source(text)).statements


def _only(text: str) -> nodes.Statement:
    (statement,) = _statements(text)
    return statement


def test_assign() -> None:
    statement = _only("y = x + 1")
    assert isinstance(statement, nodes.Assign)
    assert statement.target.name == "y"
    assert isinstance(statement.value, nodes.Binary)


def test_assign_index() -> None:
    statement = _only("y[0, 1:] = x")
    assert isinstance(statement, nodes.AssignIndex)
    assert isinstance(statement.target.base, nodes.Name)
    assert len(statement.target.items) == 2


@pytest.mark.parametrize(
    ("sign", "operator"),
    [("+=", "+"), ("-=", "-"), ("*=", "*"), ("/=", "/"), ("**=", "**"), ("^=", "**"), ("\u2212=", "-"), ("×=", "*")],
)
@pytest.mark.parametrize("target", ["y", "y[0]"])
def test_augment(target: str, sign: str, operator: str) -> None:
    statement = _only(f"{target}{sign}2")
    assert isinstance(statement, nodes.Augment)
    assert statement.operator == operator
    assert isinstance(statement.target, nodes.Index if "[" in target else nodes.Name)


@pytest.mark.parametrize(("head", "parameters"), [("f()", ()), ("f(a)", ("a",)), ("f(a, b,)", ("a", "b"))])
def test_define(head: str, parameters: tuple[str, ...]) -> None:
    statement = _only(f"{head} = a**2")
    assert isinstance(statement, nodes.Define)
    assert (statement.function, statement.parameters) == ("f", parameters)
    assert isinstance(statement.body, nodes.Binary)


def test_an_equal_sign_directly_before_a_sign_is_still_an_assignment() -> None:
    assert isinstance(_only("y=-1"), nodes.Assign)
    assert isinstance(_only("y-=-1"), nodes.Augment)
    assert isinstance(_only("y<=-1"), nodes.Result)
    assert isinstance(_only("y==-1"), nodes.Result)


@pytest.mark.parametrize(
    "text",
    [
        "a = 1\nb = 2\na + b",
        "a = 1; b = 2; a + b",
        "a = 1\r\nb = 2\r\na + b\r\n",
        "\ufeffa = 1\nb = 2\na + b",
        "\n\n # first\n a = 1 # one\n\t\n;;b = 2;\n\n  a + b ;\n# last",
        "a = (1\n)\nb = [\n2, # two\n\n]\na + b",
        "a = 1\nb = 2\na.plus(\n\n b\n)",
    ],
)
def test_separators(text: str) -> None:
    first, second, last = _statements(text)
    assert isinstance(first, nodes.Assign)
    assert isinstance(second, nodes.Assign)
    assert isinstance(last, nodes.Result)


def test_an_assignment_may_be_the_last_statement() -> None:
    assert isinstance(_statements("a = x\na[0] = 1")[-1], nodes.AssignIndex)


def test_the_program_keeps_its_source() -> None:
    source = Source("\ufeffx\r\n", "--at y")
    assert parse(source).source is source


@pytest.mark.parametrize("text", ["+x", "y = x\n+x", "y = x; +x", "y = x\n\n  +x"])
def test_a_statement_may_not_begin_with_a_plus(text: str) -> None:
    with pytest.raises(SyntaxProblem, match="cannot begin with `\\+`"):
        parse(Source(text))
