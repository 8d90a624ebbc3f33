"""The graph as a tree, as DOT and as Mermaid."""

from dataclasses import replace

import numpy as np
import pytest

from gradcli.render.diagrams import graph_dot, graph_mermaid
from gradcli.render.text import Look
from gradcli.render.tree import LIMIT, graph_tree
from gradcli.results import Graph, GraphNode, Note
from gradcli.span import Span

ONE = np.float64(1)
NOTES = (Note("abs", "abs(x)", Span(6, 12), (0, 1), "a corner: the slope is -1 before 0 and 1 after"),)


def node(identity: int, *following: int, source: str = "x", variable: str | None = None) -> GraphNode:
    links = tuple((child, 0) for child in following)
    return GraphNode(identity, "AddBackward0", source, Span(0, 1), (), ONE, ONE, links, variable)


def test_tree(residual) -> None:
    assert graph_tree(residual, Look(ascii=True)) == (
        "MeanBackward0                    mean(y - x@w)   scalar    0.0283   grad 1\n"
        "`-- SubBackward0                 y - x@w         10x5               grad 10x5 of 0.02\n"
        "    |-- AccumulateGrad           y               10x5      leaf     grad 10x5 of 0.02\n"
        "    `-- MatmulBackward0          x@w             10x5\n"
        "        |-- AccumulateGrad       x               scalar    3 leaf   grad 8\n"
        "        |-- ExpBackward0 #5      e               scalar    1        grad 2\n"
        "        |   `-- AccumulateGrad   x               (above)\n"
        "        `-- ExpBackward0 #5      e               (above)\n"
    )


def test_box_characters(residual) -> None:
    boxed = graph_tree(residual, Look())
    for box, plain in (("\u251c\u2500\u2500", "|--"), ("\u2514\u2500\u2500", "`--"), ("\u2502", "|")):
        boxed = boxed.replace(box, plain)
    assert boxed == graph_tree(residual, Look(ascii=True))


@pytest.mark.parametrize("box", [False, True])
@pytest.mark.parametrize("columns", [40, 60, 80, 100, 200])
def test_a_terminal_shortens_source_texts_and_nothing_else(residual, columns: int, box: bool) -> None:
    long = "mean((y - x@w)**2) + 0.1*sum(w**2) - sum(y)"
    nodes = [replace(node, source=long) if node.variable is None else node for node in residual.nodes]
    leaf = replace(nodes[4], variable="learning_rate")
    result = replace(residual, nodes=(*nodes[:4], leaf, nodes[5]), notes=NOTES)
    tree = graph_tree(result, Look(width=columns, ascii=not box))
    assert max(map(len, tree.splitlines())) <= columns
    whole = graph_tree(result, Look(ascii=not box))
    assert (tree == whole) == (columns == 200)
    for word in ("MatmulBackward0", "AccumulateGrad", "learning_rate", "scalar", "10x5", "0.0283", "0.02", "(above)"):
        assert tree.count(word) == whole.count(word)


def test_strokes_get_narrower_before_lines_are_split(residual) -> None:
    assert graph_tree(residual, Look(ascii=True, width=70)) == (
        "MeanBackward0           mean(y ...  scalar   0.0283  grad 1\n"
        "` SubBackward0          y - x@w     10x5             grad 10x5 of 0.02\n"
        "  + AccumulateGrad      y           10x5     leaf    grad 10x5 of 0.02\n"
        "  ` MatmulBackward0     x@w         10x5\n"
        "    + AccumulateGrad    x           scalar   3 leaf  grad 8\n"
        "    + ExpBackward0 #5   e           scalar   1       grad 2\n"
        "    | ` AccumulateGrad  x           (above)\n"
        "    ` ExpBackward0 #5   e           (above)\n"
    )
    assert graph_tree(residual, Look(ascii=True, width=40)).startswith(
        "MeanBackward0  mean(y - x@w)\n"
        "| scalar  0.0283  grad 1\n"
        "` SubBackward0  y - x@w\n"
        "  | 10x5  grad 10x5 of 0.02\n"
        "  + AccumulateGrad  y\n"
        "  |   10x5  leaf  grad 10x5 of 0.02\n"
    )


def test_colour(residual) -> None:
    assert "\x1b[" in graph_tree(residual, Look(color=True))
    assert "\x1b" not in graph_tree(residual, Look())


def test_a_deep_graph_is_elided_and_says_so() -> None:
    count = 10_000
    nodes = tuple(node(i, *([i + 1] if i + 1 < count else [])) for i in range(count))
    lines = graph_tree(Graph("x", ONE, nodes), Look(ascii=True)).splitlines()
    assert len(lines) == LIMIT + 1
    assert lines[-1] == "... 9,800 more nodes: --format json, dot or mermaid shows all"
    assert lines[LIMIT - 1].startswith(" " * 4 * (LIMIT - 2) + "`-- AddBackward0")


def test_a_leaf_used_often_does_not_fill_the_screen() -> None:
    graph = Graph("x", ONE, (node(0, *[1] * 100_000), node(1, variable="x")))
    assert len(graph_tree(graph, Look()).splitlines()) <= 5 * LIMIT


def test_wide_and_hostile_sources() -> None:
    graph = Graph("x", ONE, (node(0, 1, source="[red]\x1b[2J"), node(1, source="+".join("x" * 500))))
    tree = graph_tree(graph, Look())
    assert "[red]\\x1b[2J" in tree
    assert "..." in tree


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
    array = np.array(gradient)
    leaf = GraphNode(0, "AccumulateGrad", "x", Span(0, 1), array.shape, array, array, (), "x")
    assert graph_tree(Graph("x", ONE, (leaf,)), Look(ascii=True)).endswith(shown)


def test_notes(residual, mixed) -> None:
    assert graph_tree(replace(residual, notes=mixed.notes), Look()).endswith("kink, 0 is used\n")


def test_dot() -> None:
    graph = Graph("x", ONE, (node(0, 1, 1, source='norm(x, "nuc")\\'), node(1, variable="x")))
    assert "".join(graph_dot(graph)) == (
        'digraph gradcli {\n  node [shape=box, fontname="monospace"];\n'
        '  n0 [label="AddBackward0\\nnorm(x, \\"nuc\\")\\\\\\nscalar 1"];\n'
        '  n1 [label="AddBackward0\\nx\\nscalar 1", style=rounded];\n'
        "  n0 -> n1;\n  n0 -> n1;\n}\n"
    )


def test_mermaid() -> None:
    graph = Graph("x", ONE, (node(0, 1, source='x@w["a"] <b>'), node(1, variable="x")))
    assert "".join(graph_mermaid(graph)) == (
        "flowchart TD\n"
        '  n0["AddBackward0<br/>x#64;w#91;#34;a#34;#93; #60;b#62;<br/>scalar 1"]\n'
        '  n1(["AddBackward0<br/>x<br/>scalar 1"])\n'
        "  n0 --> n1\n"
    )
