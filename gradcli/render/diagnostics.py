"""Errors and warnings drawn in the user's own text: one renderer for all of them.

    error: matmul: inner sizes differ, 20 and 5
      | mean(y - x@w)
      |          ^^^ x is 10x20, w is 5x20
      = help: did you mean x@w.T ?

The gutter holds line numbers when the text has several lines; a second line says where the text is
from when it is not the expression itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from gradcli.render.text import ELLIPSIS, cell, clipped, printable, width
from gradcli.span import Span

if TYPE_CHECKING:
    from gradcli.errors import GradcliError
    from gradcli.span import Source

_DEFAULT_WIDTH = 100
_NARROWEST = 40
_LONGEST = 400
# Of a span over many lines, this many are drawn at each end.
_ENDS = 2

_RED, _YELLOW, _BLUE, _BOLD, _RESET = "\x1b[1;31m", "\x1b[1;33m", "\x1b[34m", "\x1b[1m", "\x1b[0m"


class _Mark(NamedTuple):
    """Characters `start` to `stop` of one line, underlined with `sign`, and the label beside them."""

    row: int
    start: int
    stop: int
    sign: str
    label: str


def diagnostic(error: GradcliError, *, columns: int | None = None, color: bool = False, word: str = "") -> str:
    """The whole message, ending in a newline; `word` stands in front of it, `error` or `warning` by default."""
    paint = _Paint(color, warning=error.kind == "warning")
    head = word or ("warning" if error.kind == "warning" else "error")
    lines = [f"{paint.head(head + ':')} {paint.bold(_bounded(error.message))}"]
    if error.source and error.span and error.source.quoted:
        lines += _excerpt(error, error.source, error.span, max(columns or _DEFAULT_WIDTH, _NARROWEST), paint)
    if error.help:
        first, *rest = error.help.split("\n")
        lines.append(f"  {paint.rail('=')} help: {_bounded(first)}")
        lines += [f"          {_bounded(line)}" for line in rest]
    return "\n".join(lines) + "\n"


def _bounded(text: str) -> str:
    """What an error quotes may be a whole file."""
    return clipped(text, _LONGEST)


class _Paint:
    """ANSI colours, or none."""

    def __init__(self, color: bool, warning: bool) -> None:
        self._color = color
        self._mark = _YELLOW if warning else _RED

    def _in(self, code: str, text: str) -> str:
        return f"{code}{text}{_RESET}" if self._color else text

    def head(self, text: str) -> str:
        return self._in(self._mark, text)

    def bold(self, text: str) -> str:
        return self._in(_BOLD, text)

    def rail(self, text: str) -> str:
        return self._in(_BLUE, text)

    def mark(self, text: str, sign: str) -> str:
        return self._in(self._mark if sign == "^" else _BLUE, text)


def _excerpt(error: GradcliError, source: Source, span: Span, columns: int, paint: _Paint) -> Iterator[str]:
    text = source.text.split("\n")
    several = len(text) > 1
    if several or source.name != "expression":
        line, column = source.place(span)
        yield f"  in {printable(source.name)}, line {line}, column {column}"
    marks = [*_marks(text, span, "^", error.label)]
    for place, label in error.related:
        marks += _marks(text, place, "-", label)
    marks.sort(key=lambda mark: mark.row)
    gutter = len(str(max(mark.row for mark in marks) + 1)) if several else 1
    drawn: int | None = None
    for mark in marks:
        blank = f"{' ' * gutter} {paint.rail('|')}"
        view = _View(text[mark.row], mark, columns - gutter - 4)
        if mark.row != drawn:
            if drawn is not None and mark.row > drawn + 1:
                yield f"{' ' * gutter} {paint.rail('...')}"
            number = str(mark.row + 1) if several else ""
            yield f"{paint.rail(number.rjust(gutter))} {paint.rail('|')} {view.text}".rstrip()
        drawn = mark.row
        label = f" {_bounded(mark.label)}" if mark.label else ""
        yield f"{blank} {view.blanks}{paint.mark(mark.sign * view.length + label, mark.sign)}"


def _marks(text: list[str], span: Span, sign: str, label: str) -> list[_Mark]:
    """One mark for each line of the span; the label stands at the last."""
    marks: list[_Mark] = []
    start = 0
    for row, line in enumerate(text):
        stop = start + len(line)
        if span.start <= stop and (span.stop > start or span.stop == span.start == start):
            marks.append(_Mark(row, max(span.start - start, 0), min(span.stop - start, len(line)), sign, ""))
        if stop >= span.stop:
            break
        start = stop + 1
    # Blank parts (a span that begins at a line's end) carry no sign of their own.
    marks = [mark for mark in marks if mark.stop > mark.start] or marks[:1]
    if not marks:  # a span beyond the text: its end
        marks = [_Mark(len(text) - 1, len(text[-1]), len(text[-1]), sign, "")]
    if len(marks) > 2 * _ENDS + 1:
        marks = marks[:_ENDS] + marks[-_ENDS:]
    marks[-1] = marks[-1]._replace(label=label)
    return marks


class _View:
    """The part of a line around a mark that fits into `room` columns, and where the mark stands in it."""

    def __init__(self, line: str, mark: _Mark, room: int) -> None:
        line = line.rstrip("\r")
        start, stop = min(mark.start, len(line)), min(max(mark.stop, mark.start + 1), len(line))
        first, last = _window(line, start, stop, room)
        before = ELLIPSIS if first else ""
        after = ELLIPSIS if last < len(line) else ""
        self.text = before + _drawn(line[first:last]) + after
        self.blanks = " " * (len(before) + width(_drawn(line[first:start])))
        self.length = max(1, width(_drawn(line[start : min(stop, last)])))


def _drawn(text: str) -> str:
    return "".join(map(cell, text))


def _window(line: str, start: int, stop: int, room: int) -> tuple[int, int]:
    """Character range to show: the whole line if it fits, else the mark with a third of the room before it."""
    if len(line) <= room and width(_drawn(line)) <= room:
        return 0, len(line)
    room -= 2 * len(ELLIPSIS)
    first = start
    # A short mark is shown whole; of a long one the beginning.
    before = max(room // 3, room - width(_drawn(line[start : min(stop, start + room)])) - room // 3)
    while first > 0 and before >= (step := width(cell(line[first - 1]))):
        first -= 1
        before -= step
    last, left = first, room
    while last < len(line) and left >= (step := width(cell(line[last]))):
        last += 1
        left -= step
    return first, last
