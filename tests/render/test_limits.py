"""Where a page begins to be shortened, to the character: one less is shown whole, one more is not."""

import numpy as np
import pytest

from gradcli import errors
from gradcli.render.blocks import array_block
from gradcli.render.catalogue import Topic, topic_text
from gradcli.render.diagnostics import diagnostic
from gradcli.render.text import Look
from gradcli.render.tree import graph_tree
from gradcli.results import Graph, GraphNode
from gradcli.span import Source, Span

ONE = np.float64(1)


def error_at(text: str, start: int, stop: int, columns: int | None = None) -> list[str]:
    return diagnostic(
        errors.BadIndex("wrong", span=Span(start, stop), source=Source(text)), columns=columns
    ).splitlines()


@pytest.mark.parametrize(("length", "whole"), [(400, True), (401, False)])
def test_a_message_is_clipped_past_400_characters(length: int, whole: bool) -> None:
    (line,) = diagnostic(errors.BadInput("x" * length)).splitlines()
    assert line == "error: " + ("x" * length if whole else "x" * 397 + "...")


@pytest.mark.parametrize(("length", "whole"), [(100 - 1 - 4, True), (100 - 1 - 4 + 1, False)])
def test_a_line_of_an_expression_is_cut_past_100_columns(length: int, whole: bool) -> None:
    _, line, caret = error_at("x" * length, 0, 2)
    assert line == "  | " + ("x" * length if whole else "x" * 89 + "...")
    assert caret == "  | ^^"


@pytest.mark.parametrize(("columns", "shown"), [(20, 40 - 1 - 4), (40, 40 - 1 - 4), (50, 50 - 1 - 4)])
def test_no_terminal_is_taken_for_narrower_than_40_columns(columns: int, shown: int) -> None:
    assert error_at("x" * shown, 3, 4, columns)[1] == "  | " + "x" * shown
    assert error_at("x" * (shown + 1), 3, 4, columns)[1] == "  | " + "x" * (shown - 6) + "..."


def test_a_span_that_ends_within_a_later_line_is_marked_to_its_end() -> None:
    assert error_at("f(a,\n  b) + c", 0, 9)[-4:] == ["1 | f(a,", "  | ^^^^", "2 |   b) + c", "  | ^^^^"]


@pytest.mark.parametrize(("count", "marked"), [(5, [1, 2, 3, 4, 5]), (6, [1, 2, 5, 6])])
def test_a_span_over_more_than_five_lines_shows_two_at_each_end(count: int, marked: list[int]) -> None:
    text = "\n".join(["(x +"] * count)
    lines = error_at(text, 0, len(text))
    assert [int(line[0]) for line in lines if line[:1].isdigit()] == marked
    assert ("  ..." in lines) == (count == 6)


@pytest.mark.parametrize(("columns", "rows"), [(7, 1), (6, 2), (5, 2), (4, 3), (3, 3)])
def test_a_vector_is_wrapped_at_the_last_number_that_fits(columns: int, rows: int) -> None:
    """Of `[1 2 3]`: three numbers, a blank between, a bracket on either side."""
    assert len(array_block(np.array([1.0, 2.0, 3.0]), Look(width=columns)).lines) == rows


@pytest.mark.parametrize(("columns", "hidden"), [(21, 0), (20, 4)])
def test_a_matrix_hides_columns_where_they_do_not_fit(columns: int, hidden: int) -> None:
    """` [ 7  8  9 10 11 12]]`: six numbers of two digits, a blank between, two brackets on either side."""
    block = array_block(np.arange(1.0, 13.0).reshape(2, 6), Look(width=columns))
    assert block.hidden == hidden
    assert max(map(len, block.lines)) <= columns


@pytest.mark.parametrize(("size", "hidden"), [(1000, 0), (1001, 995)])
def test_beyond_a_thousand_numbers_three_stay_at_each_end(size: int, hidden: int) -> None:
    block = array_block(np.arange(float(size)), Look())
    assert block.hidden == hidden
    assert (block.lines[0].split()[4] == "...") == bool(hidden)


def leaf(gradient: np.ndarray) -> str:
    """The tree of one node with a gradient."""
    only = GraphNode(0, "AccumulateGrad", "x", Span(0, 1), gradient.shape, gradient, gradient, (), "x")
    return graph_tree(Graph("x", ONE, (only,)), Look(ascii=True))


@pytest.mark.parametrize(
    ("gradient", "shown"),
    [
        ([1.0, 2.0], "grad 2\n"),
        ([2.0, 2.0], "grad 2 of 2\n"),
        ([[1.0, 2.0], [1.0, 2.0]], "grad 2x2\n"),
        ([], "grad 0\n"),
    ],
)
def test_a_gradient_is_told_by_one_number_where_all_are_equal(gradient: list[float], shown: str) -> None:
    assert leaf(np.array(gradient)).endswith(shown)


@pytest.mark.parametrize(("count", "lines"), [(200, 200), (201, 201)])
def test_a_tree_of_two_hundred_nodes_is_whole(count: int, lines: int) -> None:
    nodes = tuple(
        GraphNode(i, "SinBackward0", "sin(x)", Span(0, 1), (), ONE, ONE, ((i + 1, 0),) if i + 1 < count else ())
        for i in range(count)
    )
    tree = graph_tree(Graph("x", ONE, nodes), Look(ascii=True)).splitlines()
    assert len(tree) == lines
    assert tree[-1].startswith("... 1 more node:") == (count == 201)


@pytest.mark.parametrize(("length", "folded"), [(110, False), (111, True)])
def test_a_page_of_help_is_110_columns_wide(length: int, folded: bool) -> None:
    line = "w" * 50 + " " + "w" * (length - 51)
    assert (len(topic_text(Topic("codes", line), Look(width=500)).splitlines()) > 1) == folded
