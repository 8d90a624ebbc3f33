"""Files, pipes and stdin, opened with care: bounded in size, every failure named with its path."""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, BinaryIO

from gradcli.errors import BadInput, LimitExceeded
from gradcli.primitives import budget
from gradcli.span import Source, Span

if TYPE_CHECKING:
    from gradcli.errors import GradcliError

# A device must not make us wait when it is opened; a terminal must not become ours.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_STDIN = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
# Where a shell puts the other end of `<(cmd)`.
_DESCRIPTORS = ("/dev/fd/", "/proc/self/fd/")
PATIENCE = 5.0
"""Seconds in which somebody must begin to write to a named pipe."""
# Generous for the text of an expression, whose own limit the parser knows.
SOURCE_SIZE = 8 << 20
_MOST, _NAME = 8, 40
# What a file that is no text begins with, and what it then is.
_KINDS = {
    b"\xff\xfe": "it is UTF-16: save it as UTF-8",
    b"\xfe\xff": "it is UTF-16: save it as UTF-8",
    b"\x93NUMPY": "it is a .npy file: give it that suffix",
    b"PK": "it is an archive or a spreadsheet: save it as csv, or with its suffix .npz",
    b"\x1f\x8b": "it is compressed: unpack it first",
}
_LONE_RETURN = re.compile(r"\r(?!\n)")


def is_stdin(path: str) -> bool:
    """Whether a path is one of the names of stdin."""
    return path in _STDIN


def is_stream(path: str) -> bool:
    """Whether a path has no suffix that could tell what it holds: a pipe, or stdin."""
    try:
        return path.startswith(_DESCRIPTORS) or is_stdin(path) or stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):  # the better message comes when it is opened
        return False


def open_binary(path: str, most: int | None = None) -> BinaryIO:
    """The open file; a pipe is read to its end at once, or until it has brought more than `most` bytes.

    Raises BadInput for what is neither a file nor a pipe, and LimitExceeded for more than the memory budget.
    """
    if is_stdin(path):
        return io.BytesIO(_stdin(most))
    try:
        file = os.fdopen(os.open(path, _FLAGS), "rb")
    except OSError as error:
        raise _unreadable(path, error) from None
    except ValueError:
        raise BadInput(f"{path}: a path cannot hold a NUL character") from None
    status = os.fstat(file.fileno())
    if stat.S_ISREG(status.st_mode):
        if status.st_size > budget.limit():
            file.close()
            raise too_big(path)
        return file
    with file:
        if not stat.S_ISFIFO(status.st_mode):
            raise BadInput(f"{path}: neither a regular file nor a pipe", help="@- reads from stdin")
        return io.BytesIO(_begun(file, path) + _bounded(file, path, most))


def read_source(path: str) -> Source:
    """The whole file, pipe or stdin as UTF-8 text, with every kind of line end read as one."""
    with open_binary(path) as file:
        try:
            data = file.read()
        except OSError as error:
            raise _unreadable(path, error) from None
    return text_of(data, "stdin" if is_stdin(path) else path)


def text_of(data: bytes, name: str) -> Source:
    """Bytes that `name` names as text, with every kind of line end read as one. Raises BadInput."""
    source = decoded(data, name)
    nul = source.text.find("\0")
    if nul >= 0:
        raise BadInput(
            f"{source.name}, line {source.place(Span(nul, nul))[0]}: not UTF-8 text",
            source=source,
            span=Span(nul, nul + 1),
            help="it holds NUL characters: is it UTF-16, or no text at all?",
        )
    return Source(_LONE_RETURN.sub("\n", source.text), source.name, quoted=False)


def decoded(data: bytes, name: str) -> Source:
    """The text of these bytes, which `name` names. Raises BadInput."""
    try:
        return Source(data.decode("utf-8-sig"), name, quoted=False)
    except UnicodeDecodeError as error:
        before = len(data[: error.start].decode("utf-8-sig"))
        source = Source(data.decode("utf-8-sig", "replace"), name, quoted=False)
        span = Span(before, before + 1)
        known = (help for start, help in _KINDS.items() if data.startswith(start))
        raise BadInput(
            f"{name}, line {source.place(span)[0]}: not UTF-8 text",
            source=source,
            span=span,
            help=next(known, "save it as UTF-8"),
        ) from None


def listed(names: Iterable[str]) -> str:
    """The names of arrays that a file holds, no more than a few and none at length."""
    shown = [name if len(name) <= _NAME else name[: _NAME - 3] + "..." for name in names]
    more = [f"and {len(shown) - _MOST:,} more"] if len(shown) > _MOST else []
    return ", ".join([*shown[:_MOST], *more]) or "nothing"


def too_big(path: str) -> GradcliError:
    return LimitExceeded(
        f"{path}: larger than the limit of {budget.size_text(budget.limit())}", help="raise it with --max-memory"
    )


def _unreadable(path: str, error: OSError) -> GradcliError:
    return BadInput(f"{path}: {error.strerror or 'cannot be read'}")


def _begun(pipe: BinaryIO, path: str) -> bytes:
    """Wait until somebody writes; what has then been read. Raises BadInput where nobody opens the other end."""
    import select

    descriptor = pipe.fileno()
    watch = select.poll()
    watch.register(descriptor, select.POLLIN)
    begun = b""
    if not watch.poll(PATIENCE * 1000):
        try:
            begun = os.read(descriptor, 1)
        except BlockingIOError:  # the other end is open, and slow
            pass
        else:
            if not begun:
                raise BadInput(f"{path}: a pipe that nobody writes to")
    os.set_blocking(descriptor, True)
    return begun


def _stdin(most: int | None) -> bytes:
    """Everything from standard input."""
    if sys.stdin is None:
        raise BadInput("stdin is closed")
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:  # a text stream put in its place
        return sys.stdin.read().encode()
    try:
        return _bounded(stream, "stdin", most)
    except (OSError, ValueError):
        raise BadInput("stdin cannot be read") from None


def _bounded(stream: BinaryIO, name: str, most: int | None) -> bytes:
    """Everything, unless that is more than the memory budget, or `most` bytes and some more."""
    pieces: list[bytes] = []
    size = 0
    while (most is None or size <= most) and (piece := stream.read(1 << 20)):
        pieces.append(piece)
        size += len(piece)
        if size > budget.limit():
            raise too_big(name)
    return b"".join(pieces)
