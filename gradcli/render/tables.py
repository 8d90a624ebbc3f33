"""The look on a terminal: calm, aligned tables and titled arrays."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gradcli.render.blocks import THRESHOLD, array_block
from gradcli.render.text import ELLIPSIS, Look, clipped, counted, number, printable, shape_words

if TYPE_CHECKING:
    from gradcli.results import Evaluation, Gradient, Jacobian, Note, Value

# Wider than any line: rich must never wrap, crop or shorten; what is long is elided here.
_UNLIMITED = 1_000_000
_INDENT = 2
_TITLE = 72
_EDGE_ROWS = 3


def evaluation_table(result: Evaluation, look: Look) -> str:
    page = _Page(look)
    page.value(result.expression, result.value)
    page.notes(result.notes)
    return page.text()


def gradient_table(result: Gradient, look: Look) -> str:
    page = _Page(look)
    page.value(result.expression, result.value)
    if result.derivatives:
        page.table(("derivative", "value"), _derivative_rows(result, look.digits))
    else:
        scalars, arrays = _split(result.gradient)
        rows = [(name, _digits(result.point[name], look), _digits(value, look)) for name, value in scalars.items()]
        page.table(("variable", "value", "gradient"), rows)
        for name, value in arrays.items():
            page.array(f"gradient of {name}", value)
    page.notes(result.notes)
    return page.text()


def jacobian_table(result: Jacobian, look: Look) -> str:
    page = _Page(look)
    page.value(_joined(result.expression), result.value)
    scalars, arrays = _split(result.jacobian)
    page.table(("variable", "derivative"), [(name, _digits(value, look)) for name, value in scalars.items()])
    for name, value in arrays.items():
        page.array(f"jacobian of {name}", value)
    page.remark(f"mode {result.method.mode}, {counted(result.method.passes, 'sweep')}")
    page.notes(result.notes)
    return page.text()


class _Page:
    """Paragraphs of one answer, with a blank line between them."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._paragraphs: list[RenderableType] = []

    def value(self, expression: str, value: Value) -> None:
        """`expression = value`, or the value as a titled array."""
        title = clipped(expression, _TITLE)
        if value.ndim:
            self.array(title, value)
        else:
            self._paragraphs.append(Text(f"{title} = {_digits(value, self._look)}", style="bold"))

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Text to the left, numbers to the right; nothing at all without rows."""
        if not rows:
            return
        hidden = len(rows) - 2 * _EDGE_ROWS if len(rows) > THRESHOLD else 0
        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
        for i, word in enumerate(header):
            table.add_column(Text(word), justify="right" if i else "left", no_wrap=True)
        shown = [*rows[:_EDGE_ROWS], (ELLIPSIS,), *rows[-_EDGE_ROWS:]] if hidden else rows
        for row in shown:
            table.add_row(*(Text(printable(word)) for word in row))
        self._paragraphs.append(Padding(table, (0, 0, 0, _INDENT)))
        if hidden:
            self.remark(_hidden(hidden, "row"))

    def array(self, title: str, array: Value) -> None:
        block = array_block(array, self._look, _INDENT)
        lines = Text(f"{printable(title)}  ({shape_words(array.shape)})\n", style="bold")
        lines.append("\n".join(" " * _INDENT + line if line else line for line in block.lines), style="not bold")
        if block.hidden:
            lines.append(f"\n{' ' * _INDENT}{_hidden(block.hidden, 'number')}", style="not bold dim")
        self._paragraphs.append(lines)

    def remark(self, text: str) -> None:
        self._paragraphs.append(Text(" " * _INDENT + printable(text), style="dim"))

    def notes(self, notes: Iterable[Note]) -> None:
        lines = [f"note: {note_line(note)}" for note in notes]
        if lines:
            self._paragraphs.append(Text("\n".join(lines), style="yellow"))

    def text(self) -> str:
        return "\n".join(rendered(paragraph, self._look.color) for paragraph in self._paragraphs)


def rendered(renderable: RenderableType, color: bool) -> str:
    """What rich makes of it, with no look at the environment and no width to fit into."""
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
    text = capture.get()
    return text if color else "".join(line.rstrip() + "\n" for line in text.splitlines())


def note_line(note: Note) -> str:
    """`abs(x) at [1]: kink, 0 is used`."""
    place = f" at {list(note.index)}" if note.index else ""
    return printable(f"{clipped(note.source or note.operation, _TITLE)}{place}: {note.reason}")


def _hidden(count: int, noun: str) -> str:
    return f"{counted(count, noun)} hidden: --format json, csv or plain and -o FILE write all of them"


def _joined(expression: str | tuple[str, ...]) -> str:
    return expression if isinstance(expression, str) else f"[{', '.join(expression)}]"


def _split(values: Mapping[str, Value]) -> tuple[dict[str, Value], dict[str, Value]]:
    """The scalars, and the arrays."""
    scalars = {name: value for name, value in values.items() if value.ndim == 0}
    return scalars, {name: value for name, value in values.items() if value.ndim}


def _digits(value: Value, look: Look) -> str:
    return number(value.tolist(), look.digits)


def _derivative_rows(result: Gradient, digits: int) -> list[tuple[str, str]]:
    name = next(iter(result.gradient), "x")
    return [
        (f"d{n if n > 1 else ''}/d{name}{n if n > 1 else ''}", number(value.tolist(), digits))
        for n, value in enumerate(result.derivatives, start=1)
    ]
