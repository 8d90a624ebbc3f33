"""Where things begin to be left out: the last size that is shown whole, and the first that is not."""

import numpy as np
import pytest

from gradcli.cli import files, reporting
from gradcli.errors import Caution, UsageProblem
from gradcli.render.blocks import array_block
from gradcli.render.diagnostics import diagnostic
from gradcli.render.tables import evaluation_table, gradient_table, hessian_table
from gradcli.render.text import Look
from gradcli.render.tree import graph_tree
from gradcli.results import Evaluation, Gradient, Graph, GraphNode, Hessian
from gradcli.span import MAX_EXCERPT, Source, Span

ONE = np.float64(1)


def node(identity: int, *following: int, source: str = "x", variable: str | None = None) -> GraphNode:
    links = tuple((child, 0) for child in following)
    return GraphNode(identity, "AddBackward0", source, Span(0, 1), (), ONE, ONE, links, variable)


def chain(count: int) -> Graph:
    return Graph("x", ONE, tuple(node(i, *([i + 1] if i + 1 < count else [])) for i in range(count)))


# ---- trees


def test_two_hundred_nodes_are_shown() -> None:
    whole = graph_tree(chain(200), Look()).splitlines()
    assert len(whole) == 200
    assert "more" not in whole[-1]
    for count, more in ((201, "1 more node"), (202, "2 more nodes"), (1200, "1,000 more nodes")):
        lines = graph_tree(chain(count), Look()).splitlines()
        assert lines[:-1] == whole
        assert lines[-1] == f"... {more}: --format json, dot or mermaid shows all"


def test_less_than_a_thousand_lines_are_shown() -> None:
    def lines(references: int) -> list[str]:
        return graph_tree(Graph("x", ONE, (node(0, *[1] * references), node(1, variable="x"))), Look()).splitlines()

    assert len(lines(998)) == 999
    assert "more" not in lines(998)[-1]
    assert lines(999)[-1] == "... 1 more line: --format json, dot or mermaid shows all"
    assert len(lines(999)) == 1000
    assert lines(2500)[-1] == "... 1,502 more lines: --format json, dot or mermaid shows all"


def test_nodes_that_are_left_out_are_counted_once() -> None:
    """A node that is reached twice, once before the limit and once behind it, is not among the hidden ones."""
    nodes = [node(0, 1, 2, 1)] + [node(1)] + [node(i, *([i + 1] if i < 205 else [])) for i in range(2, 206)]
    lines = graph_tree(Graph("x", ONE, tuple(nodes)), Look()).splitlines()
    assert lines[-1] == "... 6 more nodes: --format json, dot or mermaid shows all"


@pytest.mark.parametrize(("length", "shown"), [(47, 47), (48, 48), (49, 45), (500, 45)])
def test_forty_eight_characters_of_a_source(length: int, shown: int) -> None:
    line = graph_tree(Graph("x", ONE, (node(0, source="s" * length),)), Look())
    assert f" {'s' * shown}{'...' if shown < length else ' '}" in line
    assert "s" * (shown + 1) not in line


# ---- arrays


@pytest.mark.parametrize(
    ("shape", "hidden"),
    [
        ((999,), 0),
        ((1000,), 0),
        ((1001,), 995),
        ((10, 100), 0),
        ((7, 143), 1001 - 6 * 6),
        ((6, 167), 1002 - 6 * 6),
        ((3, 334), 1002 - 3 * 6),
        ((1, 1001), 1001 - 6),
        ((10, 10, 10), 0),
        ((11, 10, 10), 1100 - 6**3),
    ],
)
def test_a_thousand_numbers_are_shown(shape: tuple[int, ...], hidden: int) -> None:
    block = array_block(np.arange(float(np.prod(shape))).reshape(shape), Look())
    assert block.hidden == hidden
    words = " ".join(block.lines).replace("[", " ").replace("]", " ").split()
    assert sum(word != "..." for word in words) == np.prod(shape) - hidden
    assert ("..." in words) == (hidden > 0)


def test_three_stay_at_each_end() -> None:
    (line,) = array_block(np.arange(1001.0), Look()).lines
    assert line.split() == ["[", "0", "1", "2", "...", "998", "999", "1000]"] or line == (
        "[   0    1    2 ...  998  999 1000]"
    )


@pytest.mark.parametrize(("columns", "left"), [(3, 2), (9, 6), (10, 6), (11, 8)])
def test_a_matrix_that_fits_exactly(columns: int, left: int) -> None:
    matrix = np.ones((2, columns))
    width = 2 * columns + 3
    assert max(map(len, array_block(matrix, Look()).lines)) == width
    assert array_block(matrix, Look(width=width)).hidden == 0
    assert array_block(matrix, Look(width=width + 2), 2).hidden == 0
    tight = array_block(matrix, Look(width=width - 1))
    assert tight.hidden == 2 * (columns - left)
    assert columns == 3 or max(map(len, tight.lines)) < width


def test_a_vector_that_fits_exactly() -> None:
    assert len(array_block(np.ones(10), Look(width=21)).lines) == 1
    assert len(array_block(np.ones(10), Look(width=20)).lines) == 2
    assert array_block(np.ones(10), Look(width=20)).lines == ["[1 1 1 1 1 1 1 1 1", " 1]"]


# ---- tables


def gradients(count: int) -> Gradient:
    named = {f"x{i}": ONE for i in range(count)}
    return Gradient("x", ONE, named, named)


def test_a_thousand_rows_are_shown() -> None:
    assert len(gradient_table(gradients(1000), Look()).splitlines()) == 1000 + 3
    lines = gradient_table(gradients(1001), Look()).splitlines()
    assert [line.split()[:1] for line in lines[3:10]] == [
        ["x0"],
        ["x1"],
        ["x2"],
        ["..."],
        ["x998"],
        ["x999"],
        ["x1000"],
    ]
    assert "995 rows hidden" in lines[-1]


@pytest.mark.parametrize(("count", "hidden"), [(31, 0), (32, 32**2 - 6 * 6)])
def test_a_square_of_a_thousand_numbers(count: int, hidden: int) -> None:
    named = {f"x{i}": ONE for i in range(count)}
    table = hessian_table(Hessian("x", ONE, named, named, dict.fromkeys(named, named)), Look())
    assert (f"{hidden:,} numbers hidden" in table) == (hidden > 0)
    assert ("hidden" in table) == (hidden > 0)


@pytest.mark.parametrize(("length", "shown"), [(72, 72), (73, 69)])
def test_seventy_two_characters_of_an_expression(length: int, shown: int) -> None:
    line = evaluation_table(Evaluation("x" * length, ONE), Look()).splitlines()[0]
    assert line == "x" * shown + ("..." if shown < length else "") + " = 1"


# ---- diagnostics


@pytest.mark.parametrize(("length", "shown"), [(400, 400), (401, 397)])
def test_four_hundred_characters_of_a_message(length: int, shown: int) -> None:
    dots = "..." if shown < length else ""
    problem = UsageProblem("m" * length, help="h" * length)
    assert diagnostic(problem) == f"error: {'m' * shown}{dots}\n  = help: {'h' * shown}{dots}\n"


@pytest.mark.parametrize("columns", [40, 60, 100])
def test_a_line_that_fits_exactly(columns: int) -> None:
    room = columns - len("  | ") - 1

    def drawn(length: int) -> str:
        return diagnostic(
            Caution("m", span=Span(length - 1, length), source=Source("x" * length)), columns=columns
        ).splitlines()[1]

    assert drawn(room) == "  | " + "x" * room
    assert drawn(room + 1).startswith("  | ...")
    assert len(drawn(room + 1)) <= columns


@pytest.mark.parametrize(("lines", "drawn"), [(4, 4), (5, 5), (6, 4), (50, 4)])
def test_the_ends_of_a_long_span(lines: int, drawn: int) -> None:
    text = "\n".join("x" * 3 for _ in range(lines))
    shown = diagnostic(Caution("m", span=Span(0, len(text)), source=Source(text))).splitlines()[2:]
    assert sum("xxx" in line for line in shown) == sum("^^^" in line for line in shown) == drawn
    assert sum(line.strip() == "..." for line in shown) == (drawn < lines)


def test_an_excerpt() -> None:
    text = "x" * (MAX_EXCERPT + 1)
    assert Source(text).excerpt(Span(0, MAX_EXCERPT)) == "x" * MAX_EXCERPT
    assert Source(text).excerpt(Span(0, MAX_EXCERPT + 1)) == "x" * (MAX_EXCERPT - 3) + "..."


# ---- names and warnings


def test_eight_names_are_listed() -> None:
    assert files.listed("abcdefgh") == "a, b, c, d, e, f, g, h"
    assert files.listed("abcdefghi") == "a, b, c, d, e, f, g, h, and 1 more"
    assert files.listed(["n" * 40, "m" * 41]) == "n" * 40 + ", " + "m" * 37 + "..."


@pytest.mark.parametrize(
    ("count", "last"),
    [
        (5, "warning: m4"),
        (6, "warning: 1 more warning of this kind"),
        (7, "warning: 2 more warnings of this kind"),
        (1005, "warning: 1,000 more warnings of this kind"),
    ],
)
def test_five_warnings_are_said(capsys: pytest.CaptureFixture[str], count: int, last: str) -> None:
    reporting.configure(False, "never")
    for number in range(count):
        reporting.warn(Caution(f"m{number}"))
        reporting.warn(Caution(f"m{number}"))
    reporting.finish()
    said = capsys.readouterr().err.splitlines()
    assert len(said) == min(count, 6)
    assert said[:5] == [f"warning: m{number}" for number in range(5)]
    assert said[-1] == last
