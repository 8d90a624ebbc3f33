"""What stdout and stderr are: a terminal or not, how wide, which characters."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from typing import TYPE_CHECKING, TextIO

from gradcli.render.text import Look

if TYPE_CHECKING:
    from gradcli.cli.options import Output

# Narrower than this nothing is legible; COLUMNS=1 occurs in the wild.
_NARROWEST = 40
_BOX = "\u251c\u2500\u2514\u2502"


def on_terminal(stream: TextIO | None) -> bool:
    """By isatty() and nothing else: environment variables do not make a pipe a terminal."""
    return stream is not None and not stream.closed and stream.isatty()


def shared(output: Output) -> bool:
    """Whether what goes to stdout meets a terminal, at once or behind a pipe."""
    if output.output not in (None, "-"):
        return False
    try:
        return on_terminal(sys.stdout) or stat.S_ISFIFO(os.fstat(sys.stdout.fileno()).st_mode)
    except (AttributeError, OSError, ValueError):  # no stream of the system
        return True


def look(output: Output) -> Look:
    """How a table or tree is to be drawn where the output goes."""
    to_stdout = output.output in (None, "-")
    stream = sys.stdout if to_stdout else None
    return Look(
        digits=output.digits,
        width=columns(stream),
        color=colored(output.color, stream),
        ascii=to_stdout and not encodable(_BOX, stream),
    )


def columns(stream: TextIO | None) -> int | None:
    """The width of a terminal; a pipe or a file has no limit."""
    if not on_terminal(stream):
        return None
    return max(_NARROWEST, shutil.get_terminal_size().columns)


def colored(when: str, stream: TextIO | None) -> bool:
    if when == "auto":
        return on_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return when == "always"


def encodable(text: str, stream: TextIO | None) -> bool:
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def put(text: str, stream: TextIO) -> None:
    """Write, with escapes for what the stream's encoding does not have."""
    if not text.isascii() and not encodable(text, stream):
        text = text.encode(stream.encoding, "backslashreplace").decode(stream.encoding)
    stream.write(text)
