"""User text made safe for a terminal, and how wide it stands there."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradcli.results import Method, Note

ELLIPSIS = "..."
_TAB = "    "
_SOURCE = 72
_OPERAND = 24


@dataclass(frozen=True, slots=True)
class Look:
    """What a stream can show: significant digits, columns (None: no limit), colour, ASCII only."""

    digits: int = 6
    width: int | None = None
    color: bool = False
    ascii: bool = False


def printable(text: str) -> str:
    """`text` with every control, format, bidi and lone surrogate character spelled as an escape."""
    if text.isprintable():
        return text
    return "".join(map(cell, text))


def cell(character: str) -> str:
    """One character as it may stand on a terminal; a tab is four blanks, so that carets stay aligned."""
    if character.isprintable():
        return character
    if character == "\t":
        return _TAB
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def width(text: str) -> int:
    """Columns that printable `text` takes: two for East Asian wide characters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def clipped(text: str, limit: int) -> str:
    """The text on one line, made printable, its end replaced by dots beyond `limit` characters."""
    line = " ".join(text.split()) if "\n" in text or "\r" in text else text
    safe = printable(line[: limit + 1])
    return safe if len(safe) <= limit else safe[: limit - len(ELLIPSIS)] + ELLIPSIS


def folded(line: str, columns: int | None, hang: str = "") -> list[str]:
    """The line in pieces of at most `columns`, cut at blanks; each but the first begins with `hang`."""
    if columns is None or width(line) <= columns:
        return [line]
    return textwrap.wrap(line, columns, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False)


def joined(expression: str | tuple[str, ...]) -> str:
    """Several expressions as the one list that they make."""
    return expression if isinstance(expression, str) else f"[{', '.join(expression)}]"


def number(value: float | bool, digits: int) -> str:
    """A number with `digits` significant digits, both zeros as `0`; a truth value as itself."""
    return str(value) if isinstance(value, bool) else format(value or 0.0, f".{digits}g")


def shape_words(shape: Sequence[int]) -> str:
    """`scalar`, `3`, `10x5`."""
    return "x".join(map(str, shape)) or "scalar"


def element(name: str, index: Sequence[int]) -> str:
    """`x`, `x[0]`, `x[0,1]`."""
    return f"{name}[{','.join(map(str, index))}]" if index else name


def unravel(position: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The index of the flat `position` in an array of `shape`, last axis fastest."""
    index: list[int] = []
    for length in reversed(shape):
        position, here = divmod(position, length)
        index.append(here)
    return tuple(reversed(index))


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def method_words(method: Method) -> str:
    of = f" of {method.block:,}" if method.block is not None else ""
    return f"mode {method.mode}, {counted(method.passes, 'sweep')}{of}"


def place_words(index: Sequence[int]) -> str:
    """`[0, 1]`, and nothing for a scalar."""
    return f"[{', '.join(map(str, index))}]" if index else ""


def note_line(note: Note) -> str:
    """`abs(x) at [1]: a corner: the slope is -1 before 0 and 1 after`."""
    place = f" at {place_words(note.index)}" if note.index else ""
    met = [f"{clipped(text, _OPERAND)} is {value:.6g}" for text, value in note.operands if not _is_number(text)]
    told = f" ({', '.join(met)})" if met else ""
    return printable(f"{clipped(note.source or note.operation, _SOURCE)}{place}: {note.reason}{told}")


def _is_number(text: str) -> bool:
    return text.lstrip("-")[:1].isdigit()
