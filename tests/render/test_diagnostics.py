"""Errors and warnings drawn in the text that they are about."""

import pytest

from gradcli import errors
from gradcli.render.diagnostics import _window, diagnostic
from gradcli.render.text import width
from gradcli.span import Source, Span


def drawn(text: str, start: int, stop: int, name: str = "expression", **more: object) -> str:
    error = errors.ShapeMismatch("wrong", span=Span(start, stop), source=Source(text, name), **more)  # type: ignore[arg-type]
    return diagnostic(error)


def test_the_sample_of_the_design() -> None:
    error = errors.ShapeMismatch(
        "matmul: inner sizes differ, 20 and 5",
        span=Span(9, 12),
        source=Source("mean(y - x@w)"),
        label="x is 10x20, w is 5x20",
        help="did you mean x@w.T ?",
    )
    assert diagnostic(error) == (
        "error: matmul: inner sizes differ, 20 and 5\n"
        "  | mean(y - x@w)\n"
        "  |          ^^^ x is 10x20, w is 5x20\n"
        "  = help: did you mean x@w.T ?\n"
    )


def test_without_a_place() -> None:
    assert diagnostic(errors.UsageProblem("nothing to do")) == "error: nothing to do\n"


def test_warning() -> None:
    caution = errors.Caution("b is never read", span=Span(0, 1), source=Source("b = 1; 2"))
    assert diagnostic(caution) == "warning: b is never read\n  | b = 1; 2\n  | ^\n"


def test_several_lines_have_numbers() -> None:
    assert drawn("y = 1*x\nz = y @ x\nz", 12, 17, label="here") == (
        "error: wrong\n  in expression, line 2, column 5\n2 | z = y @ x\n  |     ^^^^^ here\n"
    )


def test_a_named_source_says_its_name() -> None:
    assert drawn("[1, a]", 4, 5, "--at x") == "error: wrong\n  in --at x, line 1, column 5\n  | [1, a]\n  |     ^\n"


def test_related_places() -> None:
    text = "y = 1*x; z = y**2; y[0] = 1; z"
    assert drawn(text, 19, 27, label="written here", related=((Span(13, 17), "saved here"),)) == (
        f"error: wrong\n  | {text}\n  |                    ^^^^^^^^ written here\n  |              ---- saved here\n"
    )


def test_related_places_on_other_lines_stand_in_order() -> None:
    text = "y = 1*x\nz = y**2\nq = 3\ny[0] = 1\nz"
    assert drawn(text, 23, 31, label="written", related=((Span(12, 16), "saved"),)) == (
        "error: wrong\n"
        "  in expression, line 4, column 1\n"
        "2 | z = y**2\n"
        "  |     ---- saved\n"
        "  ...\n"
        "4 | y[0] = 1\n"
        "  | ^^^^^^^^ written\n"
    )


def test_a_span_over_lines() -> None:
    assert drawn("f(a,\n  b)", 0, 9, label="call") == (
        "error: wrong\n  in expression, line 1, column 1\n1 | f(a,\n  | ^^^^\n2 |   b)\n  | ^^^^ call\n"
    )


def test_a_span_that_ends_within_a_later_line_is_marked_to_its_end() -> None:
    assert drawn("f(a,\n  b) + c", 0, 9).splitlines()[-4:] == ["1 | f(a,", "  | ^^^^", "2 |   b) + c", "  | ^^^^"]


def test_a_long_span_shows_its_ends() -> None:
    text = "\n".join(["(x +"] * 50)
    lines = drawn(text, 0, len(text), label="all").splitlines()
    assert len(lines) == 11
    assert lines[-1].endswith("^^^^ all")


@pytest.mark.parametrize("text", ["", "(x + 2", "x\n"])
def test_the_end_of_the_text(text: str) -> None:
    last = text.split("\n")[-1]
    lines = drawn(text, len(text), len(text)).splitlines()
    assert lines[-1] == "  | " + " " * len(last) + "^"


def test_a_span_beyond_the_text_is_harmless() -> None:
    assert "^" in drawn("x", 5, 9)
    assert "^" in drawn("x\ny", 50, 90)
    assert drawn("x\ny\nz + 1", 50, 90).splitlines()[-2:] == ["3 | z + 1", "  |      ^"]


def test_tabs_and_wide_characters_keep_the_caret_aligned() -> None:
    _, line, caret = drawn("\u6f22\u5b57\t+ y", 5, 6).splitlines()
    assert line == "  | \u6f22\u5b57    + y"
    assert width(line[: line.index("y")]) == caret.index("^")


def test_combining_marks_take_no_column() -> None:
    _, line, caret = drawn("e\u0301 + y", 5, 6).splitlines()
    assert line == "  | e\u0301 + y"
    assert caret == "  |     ^"


def test_control_characters_are_spelled_everywhere() -> None:
    error = errors.BadInput(
        "\x1b[2J", span=Span(0, 1), source=Source("\x1bx\u202e\x9b\udcff", "\x07.txt"), label="\x08", help="\x7f\u200d"
    )
    text = diagnostic(error)
    assert text.replace("\n", "").isprintable()
    assert "\\x1bx\\u202e\\x9b\\udcff" in text
    assert "^^^^ \\x08" in text


def test_long_lines_are_cut_around_the_span() -> None:
    text = "+".join(["abc"] * 100_000)
    _, line, caret = drawn(text, 200_000, 200_003, label="here").splitlines()
    assert len(line) <= 100
    assert line.startswith("  | ...")
    assert line.endswith("...")
    assert line[caret.index("^") : caret.rindex("^") + 1] == text[200_000:200_003]


def test_a_long_span_is_cut_too() -> None:
    text = "+".join(["abc"] * 1000)
    lines = drawn(text, 400, 3000).splitlines()
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("columns", [1, 40, 79, 200])
def test_any_width(columns: int) -> None:
    error = errors.BadIndex("wrong", span=Span(500, 502), source=Source("x" * 1000))
    assert max(map(len, diagnostic(error, columns=columns).splitlines())) <= max(40, columns)


@pytest.mark.parametrize(("columns", "shown"), [(20, 35), (40, 35), (50, 45)])
def test_no_terminal_is_taken_for_narrower_than_40_columns(columns: int, shown: int) -> None:
    def line(length: int) -> str:
        error = errors.BadIndex("wrong", span=Span(3, 4), source=Source("x" * length))
        return diagnostic(error, columns=columns).splitlines()[1]

    assert line(shown) == "  | " + "x" * shown
    assert line(shown + 1) == "  | " + "x" * (shown - 6) + "..."


def test_several_lines_of_help() -> None:
    assert diagnostic(errors.BadInput("no", help="one\ntwo")) == "error: no\n  = help: one\n          two\n"


def test_colour_only_when_asked() -> None:
    error = errors.BadInput("no", span=Span(0, 1), source=Source("x"))
    assert "\x1b" not in diagnostic(error)
    assert diagnostic(error, color=True).startswith("\x1b[1;31merror:\x1b[0m")


def test_carriage_returns_are_no_part_of_a_line() -> None:
    assert "\\x0d" not in drawn("x\r\ny\r\n", 0, 1)


def test_wide_characters_before_the_mark_count_twice() -> None:
    line = "x" * 30 + "\u6f22" * 60
    for start in (45, 60, 80):
        first, last = _window(line, start, start + 1, 40)
        assert first <= start < last
        assert 30 <= width(line[first:last]) <= 38
