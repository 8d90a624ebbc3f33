"""The list of functions and the page of one."""

from dataclasses import replace

import numpy as np
import pytest

from gradcli.render.catalogue import Topic, function_list, function_page, function_text, topic_text
from gradcli.render.text import Look
from gradcli.results import FunctionEntry

SIN = FunctionEntry("sin", (), "elementwise", "sin(x)", "sine", "cos(x)", "", "sin(pi/2)")
WHERE = FunctionEntry("where", (), "elementwise", "where(mask, a, b)", "choice", "", "ties to b", "where(x > 0, x, 0)")
SUM = FunctionEntry("sum", ("total",), "reductions", "sum(x, axis=None)", "sum", "ones", "", "sum([1, 2])")


def test_list_by_group() -> None:
    assert function_list([SIN, SUM, WHERE], Look()) == (
        "elementwise\n  sin(x)             sine\n  where(mask, a, b)  choice\n\n"
        "reductions\n  sum(x, axis=None)  sum\n\n"
        "gradcli functions NAME tells the derivative, the edge cases and an example.\n"
    )


def test_list_keeps_to_one_line_of_a_terminal() -> None:
    wordy = replace(SIN, signature="f(" + "a" * 40 + ")", summary="word " * 50)
    lines = function_list([wordy, replace(SIN, summary="word " * 50)], Look(width=80)).splitlines()
    assert lines[2].endswith("...")
    assert max(map(len, lines)) == 80
    for columns in (40, 44, 45):
        narrow = function_list([wordy, SIN], Look(width=columns)).splitlines()
        assert narrow[1] == "  " + (wordy.signature if columns > 44 else wordy.signature[: columns - 5] + "...")
    assert len(function_list([wordy], Look()).splitlines()[1]) > 280


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_long_signature_stands_on_a_line_of_its_own(columns: int) -> None:
    wordy = replace(SIN, signature="isclose(a, b, rtol=1e-05, atol=1e-08)", summary="nearly equal")
    text = function_list([SIN, wordy], Look(width=columns))
    room = min(34, columns // 2 - 4)
    assert text.splitlines()[:4] == [
        "elementwise",
        f"  {'sin(x)'.ljust(room)}  sine",
        "  isclose(a, b, rtol=1e-05, atol=1e-08)",
        f"  {' ' * room}  nearly equal",
    ]
    assert max(map(len, text.splitlines())) <= columns


def test_topic_is_folded_below_the_text_of_each_line() -> None:
    text = (
        "Codes\n\n"
        "  A paragraph of prose that is longer than the terminal is wide.\n\n"
        "    2  usage: unknown command, option, format or mode\n"
        "// A comment that is longer than a line\n"
        "// ---- Banner " + "-" * 40 + "\n"
    )
    assert topic_text(Topic("codes", text), Look(width=30)) == (
        "Codes\n\n"
        "  A paragraph of prose that is\n"
        "  longer than the terminal is\n"
        "  wide.\n\n"
        "    2  usage: unknown command,\n"
        "       option, format or mode\n"
        "// A comment that is longer\n"
        "// than a line\n"
        "// ---- Banner\n"
    )
    assert topic_text(Topic("codes", text), Look()) == text


@pytest.mark.parametrize(("length", "lines"), [(110, 1), (111, 2)])
def test_a_page_of_help_is_110_columns_wide(length: int, lines: int) -> None:
    line = "w" * 50 + " " + "w" * (length - 51)
    assert len(topic_text(Topic("codes", line), Look(width=500)).splitlines()) == lines


def test_page_is_folded() -> None:
    page = function_page(replace(SIN, summary="word " * 20, derivative="a + " * 20 + "a"), Look(width=40))
    assert max(map(len, page.splitlines())) <= 40
    assert "\n  word word" in page
    assert "\n              a + a" in page


def test_page() -> None:
    assert function_page(SUM, Look()) == (
        "sum(x, axis=None)\n  sum\n\n  group       reductions\n  aliases     total\n  derivative  ones\n"
        "  example     sum([1, 2])\n"
    )


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        (np.float64(1 / 3), "  result      0.333333\n"),
        (np.array([[1.0, 2.0], [3.0, -4.0]]), "  result      [[ 1  2]\n               [ 3 -4]]\n"),
        (np.bool_(True), "  result      True\n"),
    ],
)
def test_page_with_the_result_of_the_example(result: np.ndarray, shown: str) -> None:
    assert function_page(replace(SIN, result=result), Look()).endswith("  example     sin(pi/2)\n" + shown)


@pytest.mark.parametrize(("columns", "lines"), [(14 + 39, 1), (14 + 38, 2)])
def test_a_result_is_wrapped_beside_its_label(columns: int, lines: int) -> None:
    """Nineteen numbers of one digit behind fourteen columns: the label, and blanks around it."""
    page = function_page(replace(SIN, result=np.ones(19)), Look(width=columns)).splitlines()
    assert len(page) - page.index("  example     sin(pi/2)") == 1 + lines
    assert max(map(len, page)) <= columns


def test_one_entry_is_a_page() -> None:
    assert function_text([SIN], Look()) == function_page(SIN, Look())
    assert function_text([SIN, SUM], Look()) == function_list([SIN, SUM], Look())
