"""The autograd graph for other programs: Graphviz DOT and Mermaid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gradcli.render.text import clipped, number, shape_words

if TYPE_CHECKING:
    from gradcli.results import Graph, GraphNode

_LABEL = 60
_DIGITS = 6


def graph_dot(result: Graph) -> Iterator[str]:
    yield 'digraph gradcli {\n  node [shape=box, fontname="monospace"];\n'
    for node in result.nodes:
        # In a DOT string only the backslash and the quote have a meaning.
        label = "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in _lines(node))
        leaf = ", style=rounded" if node.variable is not None else ""
        yield f'  n{node.id} [label="{label}"{leaf}];\n'
    for parent, child in _edges(result):
        yield f"  n{parent} -> n{child};\n"
    yield "}\n"


def graph_mermaid(result: Graph) -> Iterator[str]:
    yield "flowchart TD\n"
    for node in result.nodes:
        label = "<br/>".join(_entities(line) for line in _lines(node))
        start, end = ("([", "])") if node.variable is not None else ("[", "]")
        yield f'  n{node.id}{start}"{label}"{end}\n'
    for parent, child in _edges(result):
        yield f"  n{parent} --> n{child}\n"


def _lines(node: GraphNode) -> list[str]:
    """Name, source text, and shape with a scalar's value."""
    number_text = number(node.value.tolist(), _DIGITS) if node.value is not None and not node.shape else ""
    last = f"{shape_words(node.shape)} {number_text}".rstrip()
    return [node.name, clipped(node.variable or node.source, _LABEL), last]


def _edges(result: Graph) -> Iterator[tuple[int, int]]:
    return ((node.id, child) for node in result.nodes for child, _ in node.next if child is not None)


def _entities(text: str) -> str:
    """Everything but letters, digits and blanks as Mermaid's `#code;`: no character keeps a meaning of its own."""
    return "".join(c if c.isalnum() or c in " ._-+()" else f"#{ord(c)};" for c in text)
