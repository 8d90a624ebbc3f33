"""The file of `-o`: written whole or not at all."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from gradcli.errors import GradcliError, OutputFailed

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
# What lies here may be a door to an open stream: it is written through, never replaced.
_DOORS = ("/dev/", "/proc/")
# What is written and not yet in its place. A process that is about to end takes the lock for good.
_unfinished: set[str] = set()
_making = threading.Lock()


@contextmanager
def written(path: str, binary: bool = False) -> Iterator[IO[Any]]:
    """An open file that becomes `path` when the block ends well.

    A regular file is written beside its place and moved there, so that nothing that fails midway takes an older one
    away. Raises OutputFailed.
    """
    try:
        place = os.path.realpath(path)
        descriptor, temporary = _beside(path, place)
        try:
            with _opened(path if descriptor is None else descriptor, binary) as file:
                yield file
            if temporary is not None:
                os.replace(temporary, place)
        except BaseException:
            if temporary is not None:
                _remove(temporary)
            raise
        finally:
            _unfinished.discard(temporary or "")
    except GradcliError:
        raise
    except OSError as error:
        raise failed(path, error) from None
    except ValueError:
        if "\0" in path:
            raise OutputFailed(f"cannot write {path}: a path cannot hold a NUL character") from None
        raise


def abandon() -> None:
    """Take away what is unfinished, and let nothing more be begun: for a process that ends at once."""
    _making.acquire(timeout=1)
    for temporary in tuple(_unfinished):
        _remove(temporary)


def failed(target: str, error: OSError) -> OutputFailed:
    return OutputFailed(f"cannot write {target}: {error.strerror or 'output failed'}")


def _opened(file: str | int, binary: bool) -> IO[Any]:
    return open(file, "wb") if binary else open(file, "w", encoding="utf-8", newline="\n")


def _beside(path: str, place: str) -> tuple[int | None, str | None]:
    """A new file in the folder of `place` and its name; none where the path itself is to be opened."""
    old = _status(path)
    if path.startswith(_DOORS) or (old is not None and not (stat.S_ISREG(old.st_mode) and os.access(path, os.W_OK))):
        return None, None
    temporary = os.path.join(os.path.dirname(place), f".gradcli-{os.urandom(6).hex()}.tmp")
    try:
        with _making:
            _unfinished.add(temporary)
            descriptor = os.open(temporary, _FLAGS, 0o666)
    except PermissionError:  # a folder where only the file itself may be written
        return None, None
    if old is not None:
        _take_over(descriptor, old)
    return descriptor, temporary


def _remove(temporary: str) -> None:
    with suppress(OSError):
        os.unlink(temporary)


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _take_over(descriptor: int, old: os.stat_result) -> None:
    """Owner and permissions of the older file, as far as the system lets us."""
    with suppress(OSError, AttributeError):
        os.fchown(descriptor, old.st_uid, old.st_gid)
    with suppress(OSError, AttributeError):
        os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
