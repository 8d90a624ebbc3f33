"""The functions of the language: the list by group, and the page of one function."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from gradcli.render.blocks import array_block
from gradcli.render.text import Look, clipped, folded, width

if TYPE_CHECKING:
    from gradcli.results import FunctionEntry

# A longer signature does not push the summaries of its whole group to the right.
_WIDEST = 34
# The longest line of a page of help; the grammar just fits.
_PAGE = 110
_COMMENT = "// "
# The indent of a line, and its first words where blanks set them apart from what they explain.
_LABEL = r"( *)((?:\S+(?: \S+)* {2,})?)"


class Topic(NamedTuple):
    """A page of help."""

    name: str
    text: str


def topic_text(topic: Topic, look: Look) -> str:
    """The page, its lines folded below the text that they begin with."""
    columns = min(_PAGE, look.width or _PAGE)
    lines = [line if width(line) <= columns else line.rstrip("- ") for line in topic.text.split("\n")]
    return "\n".join(part for line in lines for part in folded(line, columns, _hang(line, columns // 2)))


def _hang(line: str, most: int) -> str:
    """What stands before the rest of a folded line: the mark of a comment, or blanks as far as its text goes in."""
    if line.startswith(_COMMENT):
        return _COMMENT
    indent, label = re.match(_LABEL, line).groups()  # type: ignore[union-attr]  # it matches everything
    return " " * (len(indent + label) if len(indent + label) <= most else len(indent))


def function_text(entries: Sequence[FunctionEntry], look: Look) -> str:
    """The page of one function, or the list of several."""
    return function_page(entries[0], look) if len(entries) == 1 else function_list(entries, look)


def function_list(entries: Sequence[FunctionEntry], look: Look) -> str:
    """Signatures and summaries, group by group; each on one line of a terminal, below its signature if that is long."""
    groups: dict[str, list[FunctionEntry]] = {}
    for entry in sorted(entries, key=lambda entry: entry.group):
        groups.setdefault(entry.group, []).append(entry)
    lists = [_group(name, members, look.width) for name, members in groups.items()]
    more = folded("gradcli functions NAME tells the derivative, the edge cases and an example.", look.width)
    return "\n".join([*lists, *more]) + "\n"


def _group(name: str, members: Sequence[FunctionEntry], columns: int | None) -> str:
    most = _WIDEST if columns is None else min(_WIDEST, columns // 2 - 4)
    room = min(most, max(width(entry.signature) for entry in members))
    lines = [name]
    for entry in members:
        signature, summary = entry.signature, entry.summary
        if columns is not None:
            signature, summary = clipped(signature, columns - 2), clipped(summary, columns - room - 4)
        if columns is not None and width(signature) > room:
            lines.append(f"  {signature}")
            signature = ""
        lines.append(f"  {signature.ljust(room)}  {summary}".rstrip())
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
    lines = [entry.signature, *folded(f"  {entry.summary}", look.width, "  "), ""]
    for label, texts in facts.items():
        # A number is not moved to another line.
        columns = look.width if label != "result" else None
        for i, text in enumerate(texts):
            if text:
                start = f"  {(label if i == 0 else '').ljust(size)}  "
                lines += folded(start + text, columns, " " * len(start))
    return "\n".join(lines) + "\n"
