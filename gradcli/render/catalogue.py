"""The functions of the language: the list by group, and the page of one function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from gradcli.render.blocks import array_block
from gradcli.render.text import Look, clipped, width

if TYPE_CHECKING:
    from gradcli.results import FunctionEntry

# A longer signature does not push the summaries of its whole group to the right.
_WIDEST = 34
_NARROWEST = 20


class Topic(NamedTuple):
    """A page of help."""

    name: str
    text: str


def topic_text(topic: Topic) -> str:
    return topic.text


def function_text(entries: Sequence[FunctionEntry], look: Look) -> str:
    """The page of one function, or the list of several."""
    return function_page(entries[0], look) if len(entries) == 1 else function_list(entries, look)


def function_list(entries: Sequence[FunctionEntry], look: Look) -> str:
    """Signatures and summaries, group by group; each on one line of a terminal."""
    groups: dict[str, list[FunctionEntry]] = {}
    for entry in sorted(entries, key=lambda entry: entry.group):
        groups.setdefault(entry.group, []).append(entry)
    lists = [_group(name, members, look.width) for name, members in groups.items()]
    return "\n".join([*lists, "gradcli functions NAME tells the derivative, the edge cases and an example.\n"])


def _group(name: str, members: Sequence[FunctionEntry], columns: int | None) -> str:
    room = min(_WIDEST, max(width(entry.signature) for entry in members))
    lines = [name]
    for entry in members:
        start = f"  {entry.signature}{' ' * (room - width(entry.signature))}  "
        left = None if columns is None else max(_NARROWEST, columns - len(start))
        lines.append(f"{start}{entry.summary if left is None else clipped(entry.summary, left)}".rstrip())
    return "\n".join(lines) + "\n"


def function_page(entry: FunctionEntry, look: Look) -> str:
    """Signature and summary, then what else is known, labelled."""
    facts = {
        "group": [entry.group],
        "aliases": [", ".join(entry.aliases)],
        "derivative": entry.derivative.splitlines(),
        "at edges": entry.edge.splitlines(),
        "example": entry.example.splitlines(),
        "result": [],
    }
    size = max(map(len, facts))
    if entry.result is not None:
        facts["result"] = array_block(entry.result, look, size + 4).lines
    lines = [entry.signature, f"  {entry.summary}", ""]
    for label, texts in facts.items():
        for i, text in enumerate(texts):
            if text:
                lines.append(f"  {(label if i == 0 else '').ljust(size)}  {text}")
    return "\n".join(lines) + "\n"
