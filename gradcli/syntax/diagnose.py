"""Why a text does not parse, in plain words: from the place where the parser stopped and what it waited for."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Any

from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.lexer import Token

from gradcli.errors import SyntaxProblem
from gradcli.span import Span
from gradcli.syntax.brackets import span_of
from gradcli.syntax.foreign import foreign_character, power_of, superscripts
from gradcli.syntax.slips import known_slip

_BEGINS_A_VALUE = frozenset({"NUMBER", "STRING", "NAME", "TRUE", "FALSE", "NONE", "LPAR"})
_ENDS_A_LINE = frozenset({"$END", "_NEWLINE", "SEMICOLON"})
_SHOWN = {"COMMA": "`,`", "RPAR": "`)`", "RSQB": "`]`", "LPAR": "`(`", "NAME": "a name"}
_NEARBY = 40
_OPERAND = r"(?:\w*\([^()\n]*\)|(?<![\w.])[0-9.]+[eE][-+][0-9]+|[\w.]+)"
_LAST_VALUE = re.compile(rf"(?:{_OPERAND}(?:\*\*|\^)-?)?{_OPERAND}$")
_ASSIGNS = re.compile(r"(?:^|[;\n])[^;\n=]*=(?!=)[^;\n]*$")
_FIRST_VALUE = re.compile(r"\w*\([^()\n]*\)|[\w.]+")
_OPENERS = {"LPAR": ")", "LSQB": "]"}


def diagnose(text: str, error: UnexpectedInput, functions: Container[str]) -> SyntaxProblem:
    """The problem for the error that stopped the parser; its span is where the caret belongs."""
    parser: Any = error.interactive_parser
    accepts: set[str] = parser.accepts()
    waiting_for = _waiting_for(accepts)
    if isinstance(error, UnexpectedCharacters):
        at = error.pos_in_stream or 0
        return known_slip(text, at, waiting_for, functions) or _foreign(text, at, functions)
    assert isinstance(error, UnexpectedToken)
    place = _place(text, error.token)
    slip = known_slip(text, place.start, waiting_for, functions)
    if slip is not None:
        return slip
    if waiting_for == "value":
        return _missing_value(error.token, place, parser.parser_state.value_stack)
    return _missing_operator(text, error.token, place, parser.parser_state.value_stack, accepts)


def _waiting_for(accepts: set[str]) -> str:
    if accepts >= _BEGINS_A_VALUE:
        return "value"
    # A method's name and its `(` are awaited alone. After a value `accepts` may lack the operators: on a token
    # that could end an expression somewhere else, LALR first completes it and then finds that here it cannot.
    return "name" if accepts <= {"NAME", "LPAR"} else "operator"


def _place(text: str, token: Token) -> Span:
    if token.type == "$END":  # Lark gives it the place of the last token
        return Span(len(text), len(text))
    span = span_of(token)
    return Span(span.start, span.start) if token.type == "_NEWLINE" else span


def _foreign(text: str, at: int, functions: Container[str]) -> SyntaxProblem:
    character = text[at]
    if character.isascii():
        return SyntaxProblem(f"`{character}` is not part of the language", span=Span(at, at + 1))
    problem = foreign_character(text, at)
    raised = superscripts(text, at)
    if raised:  # sin²(x) is the slip that sin**2(x) is
        power = power_of(raised)
        plain = text[:at] + power + text[at + len(raised) :]
        slip = known_slip(plain, at + len(power), "operator", functions)
        problem.help = slip.help if slip else f"write `{power}`"
    return problem


def _missing_value(token: Token, place: Span, stack: list[Any]) -> SyntaxProblem:
    before = stack[-1] if stack and isinstance(stack[-1], Token) else None
    if before is None or before.type in _ENDS_A_LINE:
        return SyntaxProblem(f"an expression cannot begin with {_named(token)}", span=place, label="expected a value")
    end = "the text ends" if token.type == "$END" else "the line ends"
    label = f"{end} here" if token.type in _ENDS_A_LINE else "expected a value"
    help = "a newline ends a statement; inside parentheses it does not" if token.type == "_NEWLINE" else ""
    where = f"after `{before}`" if token.type in _ENDS_A_LINE else f"between `{before}` and {_named(token)}"
    related = ((span_of(before), "opened here"),) if before.type in _OPENERS and token.type == "$END" else ()
    return SyntaxProblem(f"a value is missing {where}", span=place, label=label, help=help, related=related)


def _missing_operator(text: str, token: Token, place: Span, stack: list[Any], accepts: set[str]) -> SyntaxProblem:
    opener = _open_bracket(stack)
    related = ((span_of(opener), "opened here"),) if opener is not None else ()
    if opener is not None and token.type == "$END":
        closer = _OPENERS[opener.type]
        return SyntaxProblem(f"`{opener}` is never closed", span=place, label=f"expected `{closer}`", related=related)
    if token.type in _BEGINS_A_VALUE and _waiting_for(accepts) == "operator":
        return _side_by_side(text, token, place, related)
    expected = _expected(accepts)
    return SyntaxProblem(f"unexpected {_named(token)}", span=place, label=f"expected {expected}", related=related)


def _open_bracket(stack: list[Any]) -> Token | None:
    """The innermost bracket that is still open. Pairs at the end of the stack may be complete but not yet reduced."""
    closed = 0
    for entry in reversed(stack):
        if isinstance(entry, Token):
            if entry.type in ("RPAR", "RSQB"):
                closed += 1
            elif entry.type in _OPENERS:
                if not closed:
                    return entry
                closed -= 1
    return None


def _side_by_side(text: str, token: Token, place: Span, opener: tuple[tuple[Span, str], ...]) -> SyntaxProblem:
    """Two values with no operator between them: most often a multiplication as it is written on paper."""
    if token.type == "STRING":
        help = 'a string stands only as an argument: `norm(x, "nuc")`'
    else:
        left = _LAST_VALUE.search(text[max(0, place.start - _NEARBY) : place.start].rstrip())
        right = _FIRST_VALUE.match(text[place.start : place.start + _NEARBY])
        before, after = left[0] if left else "(...)", right[0] if right else "(...)"
        help = f"a product is written `{before}*{after}`"
        if token.type == "NUMBER" and before[-1:].isdigit():
            help = f"a list is written `[{before}, {after}]`, a product `{before}*{after}`"
        if not opener and _ASSIGNS.search(text[: place.start]):
            help = f"`;` parts statements; {help}"
        if opener:
            help += "; items have a comma between them"
    gap = text[: place.start].rpartition("\n")[2]
    related = opener if not gap.strip() else ()  # on a new line it may be the bracket that was forgotten
    message = "an operator is missing between two values"
    return SyntaxProblem(message, span=place, label="expected an operator", help=help, related=related)


def _expected(accepts: set[str]) -> str:
    operator = _waiting_for(accepts) == "operator"
    words = ["an operator"] if operator else []
    words += [shown for kind, shown in _SHOWN.items() if kind in accepts and not (operator and kind == "LPAR")]
    if "_NEWLINE" in accepts:
        words.append("the end of the line")
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _named(token: Token) -> str:
    names = {"$END": "end of the text", "_NEWLINE": "end of the line", "STRING": "a string"}
    return names.get(token.type, f"`{token}`")
