"""The autograd graph as a tree: one line for each node, a shared node drawn once and referred to after that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from rich.table import Table
from rich.text import Text

from gradcli.render.page import footnotes, rendered
from gradcli.render.text import Look, clipped, counted, number, shape_words

if TYPE_CHECKING:
    from gradcli.results import Graph, GraphNode, Value

LIMIT = 200
# References to nodes already drawn are lines too, and one node may hold a hundred thousand of them.
_LINES = 5 * LIMIT
_SOURCE = 48


class _Strokes(NamedTuple):
    """What stands before a node: a branch, the last branch, and what continues below each."""

    branch: str
    last: str
    bar: str
    blank: str = "    "


_BOX = _Strokes("\u251c\u2500\u2500 ", "\u2514\u2500\u2500 ", "\u2502   ")
_ASCII = _Strokes("|-- ", "`-- ", "|   ")


class _Visit(NamedTuple):
    node: GraphNode
    first: str
    below: str
    again: bool


def graph_tree(result: Graph, look: Look) -> str:
    """The tree, as wide as it is; beyond 200 nodes it says how many are left out."""
    table = Table.grid(padding=(0, 3, 0, 0))
    for _ in range(5):
        table.add_column(no_wrap=True)
    shared = _shared(result)
    drawn: set[int] = set()
    for line, visit in enumerate(_visits(result, _ASCII if look.ascii else _BOX)):
        if line == _LINES or (len(drawn) == LIMIT and not visit.again):
            break
        drawn.add(visit.node.id)
        table.add_row(*_cells(visit, visit.node.id in shared, look.digits))
    text = rendered(table, look.color)
    if len(drawn) < len(result.nodes):
        hidden = counted(len(result.nodes) - len(drawn), "more node")
        text += f"... {hidden}: --format json, dot or mermaid shows all\n"
    return text + footnotes(result.notes, look.color)


def _visits(result: Graph, strokes: _Strokes) -> Iterator[_Visit]:
    """Depth first with a stack of its own, since a chain may be ten thousand nodes deep."""
    nodes = {node.id: node for node in result.nodes}
    seen: set[int] = set()
    stack = [(result.nodes[0].id, "", "")] if result.nodes else []
    while stack:
        identity, first, below = stack.pop()
        again = identity in seen
        seen.add(identity)
        yield _Visit(nodes[identity], first, below, again)
        if again:
            continue
        children = [child for child, _ in nodes[identity].next if child is not None]
        for place, child in reversed(list(enumerate(children))):
            last = place == len(children) - 1
            start = below + (strokes.last if last else strokes.branch)
            stack.append((child, start, below + (strokes.blank if last else strokes.bar)))


def _shared(result: Graph) -> set[int]:
    """Inner nodes that are reached more than once; a leaf is known by its variable."""
    leaves = {node.id for node in result.nodes if node.variable is not None}
    seen: set[int | None] = set()
    shared: set[int] = set()
    for child in (child for node in result.nodes for child, _ in node.next):
        if child in seen and child is not None and child not in leaves:
            shared.add(child)
        seen.add(child)
    return shared


def _cells(visit: _Visit, shared: bool, digits: int) -> list[Text]:
    node = visit.node
    name = Text.assemble((visit.first, "dim"), (node.name, "bold"))
    if shared:
        name.append(f" #{node.id}")
    if visit.again:
        return [name, Text(_source(node)), Text("(above)", style="dim")]
    words = [_source(node), shape_words(node.shape), _value(node, digits), _gradient(node.gradient, digits)]
    return [name, *map(Text, words)]


def _source(node: GraphNode) -> str:
    return clipped(node.variable or node.source, _SOURCE)


def _value(node: GraphNode, digits: int) -> str:
    leaf = "leaf" if node.variable is not None else ""
    if node.value is None or node.shape:
        return leaf
    return f"{number(node.value.tolist(), digits)} {leaf}".rstrip()


def _gradient(gradient: Value | None, digits: int) -> str:
    """`grad 8`, `grad 10x5`, and `grad 10x5 of 0.02` where all elements are equal."""
    if gradient is None:
        return ""
    if gradient.ndim == 0:
        return f"grad {number(gradient.tolist(), digits)}"
    first = gradient.reshape(-1)[:1]
    same = bool((gradient == first).all()) if gradient.size else False
    return f"grad {shape_words(gradient.shape)}" + (f" of {number(first.tolist()[0], digits)}" if same else "")
