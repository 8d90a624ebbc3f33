"""`parse`: from a text to its syntax tree, or to the error that says why there is none."""

from __future__ import annotations

from collections.abc import Container
from functools import cache
from typing import TYPE_CHECKING, cast

from gradcli.errors import GradcliError, LimitExceeded, SyntaxProblem
from gradcli.span import Source, Span
from gradcli.syntax import nodes
from gradcli.syntax.characters import refuse_invisible

if TYPE_CHECKING:
    from lark import Lark

MAX_SOURCE = 2**20
_SHORT = 60
_BYTE_ORDER_MARK = "\ufeff"


def parse(source: Source, functions: Container[str] = ()) -> nodes.Program:
    """The tree of a program. Spans count characters of `source.text`; `functions` are names that errors may propose.

    Raises SyntaxProblem, or LimitExceeded where a text is too large or too deep; both carry `source`.
    """
    try:
        return nodes.Program(source, _statements(source.text, functions))
    except GradcliError as problem:
        problem.source = source
        raise


def _statements(text: str, functions: Container[str]) -> tuple[nodes.Statement, ...]:
    from lark.exceptions import UnexpectedInput

    _check_size(text)
    refuse_invisible(text)
    if text.startswith(_BYTE_ORDER_MARK):
        text = " " + text[1:]  # of the same length, so that every span stays right
    try:
        # Lark's signature knows of trees only; with a transformer it returns what the first rule's method made.
        statements = cast("tuple[nodes.Statement, ...]", _lark().parse(text))
    except UnexpectedInput as error:
        from gradcli.syntax.diagnose import diagnose

        raise diagnose(text, error, functions) from None
    _check_statements(text, statements)
    return statements


@cache
def _lark() -> Lark:
    from gradcli.syntax.brackets import Brackets
    from gradcli.syntax.builder import Builder
    from gradcli.syntax.tables import load

    return load(Builder(), Brackets())


def _check_size(text: str) -> None:
    # A lone surrogate has no UTF-8; it is refused as a character right after this.
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_SOURCE:
        span = Span(0, text.find("\n") if "\n" in text[:80] else min(len(text), 80))
        raise LimitExceeded(f"the text has {size:,} bytes; the limit is {MAX_SOURCE:,}", span=span, label="begins here")


def _check_statements(text: str, statements: tuple[nodes.Statement, ...]) -> None:
    if not statements:
        end = Span(len(text), len(text))
        raise SyntaxProblem("nothing to evaluate", span=end, label="no expression", help="write one, such as `x**2`")
    for statement in statements:
        start = statement.span.start
        if text[start] == "+":
            raise _early_end("a statement cannot begin with `+`", Span(start, start + 1), "begins a statement")
        if isinstance(statement, nodes.Result) and statement is not statements[-1]:
            raise _unused(text, statement, statements)


def _unused(text: str, value: nodes.Result, statements: tuple[nodes.Statement, ...]) -> SyntaxProblem:
    label = "neither assigned nor the result"
    following = statements[statements.index(value) + 1].span
    if "\n" in text[value.span.stop : following.start]:
        return _early_end("the value of this line is not used", value.span, label)
    shown = [text[slice(*each.span)] for each in statements if isinstance(each, nodes.Result)]
    listed = f"[{', '.join(shown)}]" if len(", ".join(shown)) <= _SHORT else "[a, b]"
    help = f"only the last value is shown; several are written as a list: {listed}"
    return SyntaxProblem("the value of this statement is not used", span=value.span, label=label, help=help)


def _early_end(message: str, span: Span, label: str) -> SyntaxProblem:
    advice = "to continue an expression on the next line, put parentheses around it"
    return SyntaxProblem(message, span=span, label=label, help=advice)
