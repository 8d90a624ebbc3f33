"""The functions of the language: the list by group, and the page of one function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from gradcli.render.text import width

if TYPE_CHECKING:
    from gradcli.results import FunctionEntry

# A longer signature does not push the summaries of its whole group to the right.
_WIDEST = 34


class Topic(NamedTuple):
    """A page of help."""

    name: str
    text: str


def topic_text(topic: Topic) -> str:
    return topic.text


def function_text(entries: Sequence[FunctionEntry]) -> str:
    """The page of one function, or the list of several."""
    return function_page(entries[0]) if len(entries) == 1 else function_list(entries)


def function_list(entries: Sequence[FunctionEntry]) -> str:
    """Signatures and summaries, group by group in the order of the entries."""
    groups: dict[str, list[FunctionEntry]] = {}
    for entry in entries:
        groups.setdefault(entry.group, []).append(entry)
    return "\n".join(_group(name, members) for name, members in groups.items())


def _group(name: str, members: Sequence[FunctionEntry]) -> str:
    room = min(_WIDEST, max(width(entry.signature) for entry in members))
    lines = [name]
    for entry in members:
        pad = " " * max(0, room - width(entry.signature))
        lines.append(f"  {entry.signature}{pad}  {entry.summary}".rstrip())
    return "\n".join(lines) + "\n"


def function_page(entry: FunctionEntry) -> str:
    """Signature and summary, then what else is known, one labelled line each."""
    facts = {
        "group": entry.group,
        "aliases": ", ".join(entry.aliases),
        "derivative": entry.derivative,
        "at edges": entry.edge,
        "example": entry.example,
    }
    size = max(map(len, facts))
    lines = [entry.signature, f"  {entry.summary}", ""]
    for label, text in facts.items():
        if text:
            first, *rest = text.splitlines()
            lines.append(f"  {label.ljust(size)}  {first}")
            lines += [f"  {' ' * size}  {line}" for line in rest]
    return "\n".join(lines) + "\n"
