"""Syntax errors as a user meets them: problems.txt shows text, caret, message and help of each."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcli.errors import GradcliError, LimitExceeded, SyntaxProblem
from gradcli.primitives import TABLE
from gradcli.span import Source, Span
from gradcli.syntax import parse


def _blocks() -> list[str]:
    text = Path(__file__).with_name("problems.txt").read_text(encoding="utf-8")
    return [block for block in text.removesuffix("\n\n").split("\n\n") if not block.startswith("====")]


def _problem(text: str) -> GradcliError:
    with pytest.raises(GradcliError) as caught:
        parse(Source(text, "the text"), TABLE)
    assert caught.value.source == Source(text, "the text")
    return caught.value


def _drawn(text: str, problem: GradcliError) -> str:
    def underlined(span: Span, sign: str, label: str) -> str:
        return f"{' ' * span.start}{sign * max(1, span.stop - span.start)} {label}".rstrip()

    assert problem.span is not None
    lines = [text, underlined(problem.span, "^", problem.label)]
    lines += [underlined(span, "-", label) for span, label in problem.related]
    lines += [f"error: {problem.message}"] + [f"help: {problem.help}"] * bool(problem.help)
    return "\n".join(lines)


@pytest.mark.parametrize("block", _blocks(), ids=lambda block: ascii(block.partition("\n")[0]))
def test_the_problem_is_drawn_as_documented(block: str) -> None:
    text = block.partition("\n")[0]
    problem = _problem(text)
    assert type(problem) is SyntaxProblem
    assert _drawn(text, problem) == block


@pytest.mark.parametrize(
    "character", ["\x00", "\x1b", "\x7f", "\x9b", "\u200b", "\u200d", "\u202e", "\u2066", "\udcff"]
)
@pytest.mark.parametrize("text", ["x{}+1", "x # {}", '"{}"'])
def test_invisible_characters_are_refused_by_code_point_wherever_they_stand(text: str, character: str) -> None:
    problem = _problem(text.format(character))
    assert f"U+{ord(character):04X}" in problem.message
    assert character not in problem.message + problem.help
    at = text.index("{")
    assert problem.span == Span(at, at + 1)


def test_a_carriage_return_alone_is_refused() -> None:
    assert "U+000D" in _problem("x\r-1").message


@pytest.mark.parametrize(
    ("character", "help"),
    [("\u00a0", "type a plain blank"), ("\u3000", "type a plain blank"), ("\u0301", "as one character")],
)
def test_blanks_and_accents_that_cannot_be_told_apart_are_shown_by_code_point_only(character: str, help: str) -> None:
    problem = _problem(f"x{character} + 1")
    assert problem.message == f"U+{ord(character):04X} is not part of the language"
    assert help in problem.help


@pytest.mark.parametrize(
    ("text", "start", "stop", "message"),
    [
        ("a\nb", 0, 1, "the value of this line is not used"),
        ("a; b", 0, 1, "the value of this statement is not used"),
        ("a = 1\n(b)\nc", 6, 9, "the value of this line is not used"),
        ("y = a\n+ b", 6, 7, "a statement cannot begin with `+`"),
        ("a = 1 +\n2", 7, 7, "a value is missing after `+`"),
        ("a = 1 + # more\n2", 14, 14, "a value is missing after `+`"),
        ("a = 1 +; 2", 7, 8, "a value is missing after `+`"),
        ("x = 1\n* 2", 6, 7, "an expression cannot begin with `*`"),
        ("x.shape\n", 2, 7, "there is no attribute `shape`"),
        ("\ufeffx $", 3, 4, "there is no `$`"),
    ],
)
def test_problems_of_several_lines(text: str, start: int, stop: int, message: str) -> None:
    problem = _problem(text)
    assert (problem.span, problem.message) == (Span(start, stop), message)


def test_a_bracket_forgotten_on_an_earlier_line_is_pointed_at() -> None:
    problem = _problem("a = sin(x\nb = 3")
    assert problem.span == Span(10, 11)
    assert problem.related == ((Span(7, 8), "opened here"),)


@pytest.mark.parametrize(
    ("text", "span", "message"),
    [
        ("x" * 256, Span(0, 256), "a name of 256 characters"),
        ("1+" + "9" * 401, Span(2, 403), "a number of 401 characters"),
        (f'f("{"a" * 400}")', Span(2, 404), "a string of 402 characters"),
        (f"f({'k' * 256}=1)", Span(2, 258), "a name of 256 characters"),
        ("(" * 20_001, Span(20_000, 20_001), "brackets nest more than 20,000 deep"),
        ("x" + "[" * 66, Span(66, 67), "list literals nest more than 64 deep"),
        ("1 +\n" * 262_145, Span(0, 3), "the text has 1,048,580 bytes"),
        ("'" + "é" * 600_000, Span(0, 80), "the text has 1,200,001 bytes"),
    ],
    ids=["name", "number", "string", "keyword", "brackets", "lists", "lines", "bytes"],
)
def test_limits_are_named_with_their_place(text: str, span: Span, message: str) -> None:
    problem = _problem(text)
    assert type(problem) is LimitExceeded
    assert problem.span == span
    assert message in problem.message


def test_only_a_byte_order_mark_at_the_start_is_let_through() -> None:
    parse(Source("\ufeffx"))
    assert _problem("\ufeff\u200bx").span == Span(1, 2)
    assert _problem("\ufeff\ufeffx").span == Span(1, 2)
    assert _problem("x\ufeff").span == Span(1, 2)


def test_what_is_just_within_the_limits_parses() -> None:
    parse(Source("x" * 255))
    parse(Source("9" * 400))
    parse(Source("(" * 20_000 + "x" + ")" * 20_000))
    parse(Source("[" * 64 + "x" + "]" * 64))
    parse(Source("x" + "[x" * 100 + "]" * 100))
    parse(Source("[" + "[1]," * 100 + "[1]]"))


@pytest.mark.parametrize(("name", "listed"), [("a" * 28, True), ("a" * 29, False)])
def test_values_that_are_not_used_are_shown_as_a_list_of_sixty_characters(name: str, listed: bool) -> None:
    problem = _problem(f"{name}*1; {name}")
    assert problem.help.endswith(f"[{name}*1, {name}]" if listed else "[a, b]")
