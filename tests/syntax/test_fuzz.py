"""Whatever the text, nothing but the documented errors comes out, with a place inside the text."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from gradcli.errors import GradcliError, LimitExceeded, SyntaxProblem
from gradcli.span import Source
from gradcli.syntax import nodes, parse

_WORDS = [
    *r"x y f T e 1 2. .5 1e3 0x1 1e 'b' ' ( ) [ ] , : ; . .T ... + - * / // % @ ** ^ ~ | & = == != < <= += **=".split(),
    *"and or not True None if else for lambda is in def sum( x[ x. ! ? { } $ # × π é х ² \u2212 \u200b".split(),
    *('"a"', '"', "\\", "\n", "\r\n", " "),
]
_TEXTS = st.lists(st.sampled_from(_WORDS), max_size=12)


@settings(max_examples=1500, deadline=None, derandomize=True)
@given(_TEXTS.map(" ".join) | _TEXTS.map("".join) | st.text(max_size=30))
@example("")
@example("f(")
def test_only_documented_errors_come_out(text: str) -> None:
    outcome = _outcome(text)
    if isinstance(outcome, nodes.Program):
        _check_spans(outcome)
        return
    assert type(outcome) in (SyntaxProblem, LimitExceeded)
    assert outcome.message
    assert outcome.span is not None
    assert 0 <= outcome.span.start <= outcome.span.stop <= len(text)


def _outcome(text: str) -> nodes.Program | GradcliError:
    try:
        return parse(Source(text))
    except GradcliError as problem:
        return problem


def _check_spans(program: nodes.Program) -> None:
    """Children lie within their parents and one after the other."""
    pending: list[nodes.Node] = list(program.statements)
    while pending:
        node = pending.pop()
        position = node.span.start
        for child in nodes.children(node):
            assert position <= child.span.start < child.span.stop <= node.span.stop
            position = child.span.stop
            pending.append(child)
