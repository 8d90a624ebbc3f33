"""Deep and long texts. Time bounds are some ten times what a slow machine needs: they catch a quadratic step."""

from __future__ import annotations

import time

import pytest

from gradcli.errors import GradcliError, LimitExceeded, SyntaxProblem
from gradcli.span import Source
from gradcli.syntax import nodes, parse

_FINE = {
    "sum": "+".join(["x"] * 100_000),
    "parentheses": "(" * 10_000 + "x" + ")" * 10_000,
    "powers": "2**" * 3_000 + "x",
    "signs": "-" * 5_000 + "x",
    "nots": "not " * 5_000 + "x",
    "calls": "sin(" * 2_000 + "x" + ")" * 2_000,
    "indices": "x" + "[0]" * 10_000,
    "attributes": "x" + ".T" * 10_000,
    "nested indices": "x[" * 5_000 + "0" + "]" * 5_000,
    "list": "[" + ",".join(["1.5"] * 50_000) + "]",
    "arguments": "f(" + ",".join(["x"] * 50_000) + ")",
    "chain": "<".join(["x"] * 50_000),
    "statements": "y = x\n" + "y = y + 0.001*y\n" * 20_000,
    "blanks": " " * 1_000_000 + "x",
    "blank lines": "\t\n" * 500_000 + "x",
    "comment": "x#" + "#" * 1_000_000,
    "lines in a bracket": "(" + "\n \n" * 300_000 + "x)",
}

_REFUSED = {
    "open": "(" * 100_000,
    "open lists": "[" * 100_000,
    "open just within the limit": "(" * 20_000 + "1 2",
    "long name": "x" * 1_000_000,
    "long number": "0." + "1" * 1_000_000,
    "digits": "1" * 100_000 + "!",
    "points": "1." * 50_000,
    "exponents": "1e" * 50_000,
    "equal signs": "x=" * 50_000,
    "string": '"' + "a" * 1_000_000,
    "quotes": "\"'" * 500_000,
    "commas": "1," * 500_000,
    "closers": ")" * 1_000_000,
    "too long": " " * 2_000_000 + "x",
    "tuples": "(" * 20_000 + "x" + ",)" * 19_999,
}


@pytest.mark.parametrize("name", _FINE)
def test_long_and_deep_texts_parse(name: str) -> None:
    begin = time.process_time()
    assert parse(Source(_FINE[name])).statements
    assert time.process_time() - begin < 40


@pytest.mark.parametrize("name", _REFUSED)
def test_hostile_texts_are_refused_at_once(name: str) -> None:
    begin = time.process_time()
    with pytest.raises(GradcliError) as caught:
        parse(Source(_REFUSED[name]))
    assert type(caught.value) in (SyntaxProblem, LimitExceeded)
    assert len(caught.value.message) < 200
    assert len(caught.value.help) < 200
    assert time.process_time() - begin < 20


def test_a_tree_can_be_walked_with_a_stack() -> None:
    count, pending = 0, list[nodes.Node](parse(Source(_FINE["sum"])).statements)
    while pending:
        count += 1
        pending.extend(nodes.children(pending.pop()))
    assert count == 200_000
