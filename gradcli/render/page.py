"""A page for a terminal: paragraphs of text, tables and arrays, drawn by rich and nothing wider than they are."""

from __future__ import annotations

import io
import re
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gradcli.render.blocks import THRESHOLD, array_block
from gradcli.render.squares import Square, square
from gradcli.render.text import (
    ELLIPSIS,
    Look,
    clipped,
    counted,
    folded,
    note_line,
    number,
    printable,
    shape_words,
    width,
)

if TYPE_CHECKING:
    from gradcli.results import Note, Value

# Wider than any line: rich must never wrap, crop or shorten; what is long is elided here.
_UNLIMITED = 1_000_000
_INDENT = 2
_EDGE_ROWS = 3
# Blanks at the end of a line, and the colours among them.
_TRAIL = re.compile(r"(?:\x1b\[[0-9;]*m)* (?: |\x1b\[[0-9;]*m)*$", re.MULTILINE)

# Characters of an expression that a line shows, at most and at least.
_TITLE = 72
_SHORTEST = 12


class Page:
    """Paragraphs of one answer, with a blank line between them."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self._paragraphs: list[RenderableType] = []

    def value(self, expression: str, value: Value) -> None:
        """`expression = value`, or the value as a titled array."""
        if value.ndim:
            self.array(expression, value)
        else:
            self.headline(expression, f" = {number(value.tolist(), self.look.digits)}")

    def headline(self, expression: str, after: str = "") -> None:
        self._paragraphs.append(Text(self._title(expression, after), style="bold"))

    def _title(self, expression: str, after: str) -> str:
        """The expression, shortened to what fits on a line, and what stands after it, which is never shortened."""
        room = _TITLE if self.look.width is None else min(_TITLE, self.look.width - width(after))
        return clipped(expression, max(_SHORTEST, room)) + printable(after)

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]], words: Container[int] = (0,)) -> None:
        """Words to the left, in the columns that `words` names, numbers to the right; nothing without rows."""
        if not rows:
            return
        hidden = len(rows) - 2 * _EDGE_ROWS if len(rows) > THRESHOLD else 0
        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
        for i, word in enumerate(header):
            table.add_column(Text(printable(word)), justify="left" if i in words else "right", no_wrap=True)
        shown = [*rows[:_EDGE_ROWS], (ELLIPSIS,), *rows[-_EDGE_ROWS:]] if hidden else rows
        for row in shown:
            table.add_row(*(Text(printable(word)) for word in row))
        # Without expand=False every line is filled with blanks up to the width of the console.
        self._paragraphs.append(Padding(table, (0, 0, 0, _INDENT), expand=False))
        if hidden:
            self.remark(_hidden(hidden, "row"))

    def square(self, whole: Square) -> None:
        """Names along both edges of a matrix; where it does not fit, rows and columns in the middle are left out."""
        header, rows, hidden = square(whole, self.look, _INDENT)
        self.table(header, rows)
        if hidden:
            self.remark(_hidden(hidden, "number"))

    def array(self, title: str, array: Value) -> None:
        block = array_block(array, self.look, _INDENT)
        lines = Text(f"{self._title(title, f'  ({shape_words(array.shape)})')}\n", style="bold")
        lines.append("\n".join(" " * _INDENT + line if line else line for line in block.lines), style="not bold")
        if block.hidden:
            lines.append("\n" + self._remarks(_hidden(block.hidden, "number")), style="not bold dim")
        self._paragraphs.append(lines)

    def remark(self, *lines: str) -> None:
        self._paragraphs.append(Text(self._remarks(*lines), style="dim"))

    def _remarks(self, *lines: str) -> str:
        start = " " * _INDENT
        return "\n".join(part for line in lines for part in folded(start + printable(line), self.look.width, start))

    def drawn(self, text: str) -> None:
        """What another renderer has drawn, as it is."""
        self._paragraphs.append(Text.from_ansi(text))

    def text(self, notes: Iterable[Note]) -> str:
        """The whole page, with the notes at its foot."""
        text = "\n".join(rendered(paragraph, self.look.color) for paragraph in self._paragraphs)
        return text + footnotes(notes, self.look)


def footnotes(notes: Iterable[Note], look: Look) -> str:
    """A last paragraph of one line for each note, or as many as the width asks for; nothing without notes."""
    lines = [part for note in notes for part in folded(f"note: {note_line(note)}", look.width, " " * len("note: "))]
    return "\n" + rendered(Text("\n".join(lines), style="yellow"), look.color) if lines else ""


def rendered(renderable: RenderableType, color: bool) -> str:
    """What rich makes of it, with no look at the environment, no width to fit into, no blanks at the ends of lines."""
    console = Console(
        file=io.StringIO(),
        width=_UNLIMITED,
        color_system="standard" if color else None,
        force_terminal=color,
        no_color=not color,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={},
    )
    with console.capture() as capture:
        console.print(renderable)
    return _TRAIL.sub(lambda trail: trail[0].replace(" ", ""), capture.get())


def _hidden(count: int, noun: str) -> str:
    return f"{counted(count, noun)} hidden: --format json, csv or plain and -o FILE write all of them"
