"""The autograd graph as a tree: a line for each node, a shared node drawn once and referred to after that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from rich.table import Table
from rich.text import Text

from gradcli.render.page import footnotes, rendered
from gradcli.render.text import Look, clipped, counted, folded, number, shape_words

if TYPE_CHECKING:
    from gradcli.results import Graph, GraphNode, Value

LIMIT = 200
# References to nodes already drawn are lines too, and one node may hold a hundred thousand of them; with the line that
# says how many are left out, five for each node.
_LINES = 5 * LIMIT - 1
# Characters of a source text, at most and at least.
_SOURCE = 48
_SHORTEST = 10


class _Strokes(NamedTuple):
    """What stands before a node: a branch, the last branch, and what continues below each."""

    branch: str
    last: str
    bar: str
    blank: str = "    "


_BOX = _Strokes("\u251c\u2500\u2500 ", "\u2514\u2500\u2500 ", "\u2502   ")
_ASCII = _Strokes("|-- ", "`-- ", "|   ")
_NARROW_BOX = _Strokes("\u251c ", "\u2514 ", "\u2502 ", "  ")
_NARROW_ASCII = _Strokes("+ ", "` ", "| ", "  ")


class _Visit(NamedTuple):
    node: GraphNode
    first: str
    below: str
    again: bool


def graph_tree(result: Graph, look: Look) -> str:
    """The tree; beyond 200 nodes, or 999 lines with the references to them, it says how many are left out.

    What is too wide for a terminal gets shorter source texts, then narrower strokes, then two lines for each node.
    """
    wide, narrow = (_ASCII, _NARROW_ASCII) if look.ascii else (_BOX, _NARROW_BOX)
    text = _aligned(result, wide, 3, look) or _aligned(result, narrow, 2, look) or _folded(result, narrow, look)
    more = _left_out(result, _shown(result, wide))
    if more:
        text += "\n".join(folded(f"... {more}: --format json, dot or mermaid shows all", look.width, "    ")) + "\n"
    return text + footnotes(result.notes, look)


def _left_out(result: Graph, shown: list[_Visit]) -> str:
    """The nodes that are not shown; where all are, the lines."""
    nodes = len(result.nodes) - len({visit.node.id for visit in shown})
    lines = 1 + sum(child is not None for node in result.nodes for child, _ in node.next) - len(shown)
    return counted(nodes, "more node") if nodes else counted(lines, "more line") if lines > 0 else ""


def _aligned(result: Graph, strokes: _Strokes, gap: int, look: Look) -> str:
    """One line for each node, or nothing where that does not fit."""
    shared = _shared(result)
    rows = [(visit, _cells(visit, visit.node.id in shared, look.digits)) for visit in _shown(result, strokes)]
    room = _SOURCE
    if look.width is not None:
        sizes = [max((cells[i].cell_len for _, cells in rows if len(cells) > i), default=0) for i in (0, 2, 3, 4)]
        room = min(room, look.width - sum(sizes) - gap * sum(size > 0 for size in sizes))
        if any(room < _least(visit.node) for visit, _ in rows):
            return ""
    table = Table.grid(padding=(0, gap, 0, 0))
    for _ in range(5):
        table.add_column(no_wrap=True)
    for visit, (name, *facts) in rows:
        table.add_row(name, Text(_source(visit.node, room)), *facts[1:])
    return rendered(table, look.color)


def _folded(result: Graph, strokes: _Strokes, look: Look) -> str:
    """Two lines for each node, the second with its numbers."""
    shared = _shared(result)
    lines: list[Text] = []
    for visit in _shown(result, strokes):
        name, _, *facts = _cells(visit, visit.node.id in shared, look.digits)
        room = max(_least(visit.node), (look.width or 0) - name.cell_len - 2)
        start = visit.below + (strokes.bar if visit.node.next and not visit.again else strokes.blank)
        lines.append(Text.assemble(name, "  ", _source(visit.node, min(room, _SOURCE))))
        lines.append(Text.assemble((start, "dim"), Text("  ").join(fact for fact in facts if fact)))
    return rendered(Text("\n").join(lines), look.color)


def _shown(result: Graph, strokes: _Strokes) -> list[_Visit]:
    """As many as the screen is to hold."""
    drawn: set[int] = set()
    shown: list[_Visit] = []
    for visit in _visits(result, strokes):
        if len(shown) == _LINES or (len(drawn) == LIMIT and not visit.again):
            break
        drawn.add(visit.node.id)
        shown.append(visit)
    return shown


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


def _source(node: GraphNode, room: int = _SOURCE) -> str:
    """The text of a node in at most `room` characters; a variable's name is never shortened to fit a terminal."""
    return clipped(node.variable, _SOURCE) if node.variable is not None else clipped(node.source, room)


def _least(node: GraphNode) -> int:
    """The characters that its text needs at least."""
    source = _source(node)
    return len(source) if node.variable is not None else min(len(source), _SHORTEST)


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
