"""Files and stdin, opened with care: regular files of bounded size, every failure named with its path."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, BinaryIO

from gradcli.errors import BadInput, LimitExceeded
from gradcli.primitives import budget

if TYPE_CHECKING:
    from gradcli.errors import GradcliError

# Opening a FIFO must not wait for its writer; a terminal must not become ours.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
# Generous for the text of an expression, whose own limit the parser knows.
SOURCE_SIZE = 8 << 20
_MOST, _NAME = 8, 40


def open_regular(path: str) -> BinaryIO:
    """The open file. Raises BadInput for what is not a readable regular file, LimitExceeded when it is too big."""
    try:
        file = os.fdopen(os.open(path, _FLAGS), "rb")
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or 'cannot be opened'}") from None
    except ValueError:
        raise BadInput(f"{path}: a path cannot hold a NUL character") from None
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode):
        file.close()
        raise BadInput(f"{path}: not a regular file", help="@- reads from stdin")
    if status.st_size > budget.limit():
        file.close()
        raise too_big(path)
    return file


def read_text(path: str) -> str:
    """The whole file as UTF-8 text."""
    with open_regular(path) as file:
        try:
            data = file.read()
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror or 'cannot be read'}") from None
    return decoded(data, path)


def decoded(data: bytes, path: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{path}, line {line}: not UTF-8 text") from None


def listed(names: Iterable[str]) -> str:
    """The names of arrays that a file holds, no more than a few and none at length."""
    shown = [name if len(name) <= _NAME else name[: _NAME - 3] + "..." for name in names]
    more = [f"and {len(shown) - _MOST:,} more"] if len(shown) > _MOST else []
    return ", ".join([*shown[:_MOST], *more]) or "nothing"


def too_big(path: str) -> GradcliError:
    return LimitExceeded(
        f"{path}: larger than the limit of {budget.size_text(budget.limit())}", help="raise it with --max-memory"
    )


def read_stdin() -> str:
    """Everything from standard input."""
    if sys.stdin is None:
        raise BadInput("stdin is closed")
    try:
        data = _read_bounded(budget.limit())
    except (OSError, ValueError):
        raise BadInput("stdin cannot be read") from None
    return decoded(data, "stdin")


def _read_bounded(limit: int) -> bytes:
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:  # a text stream put in its place
        return sys.stdin.read().encode()
    pieces: list[bytes] = []
    size = 0
    while piece := stream.read(1 << 20):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise too_big("stdin")
    return b"".join(pieces)
