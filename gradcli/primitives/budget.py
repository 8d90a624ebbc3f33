"""The memory budget: every allocation is measured in exact integers before it is made."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod

from gradcli.errors import LimitExceeded

DEFAULT_LIMIT = 2 * 1024**3
ITEM = 8  # bytes of a float64
MAX_RANK = 64  # NumPy's own bound on the number of axes

# Operations of linear algebra for each byte of the limit: at the default some ten seconds on one processor.
WORK_PER_BYTE = 200

# From here on digits tell less than a power of ten.
_ENDLESS = 10**18

_limit = DEFAULT_LIMIT


class _Use(threading.local):
    """Bytes in use by the program that a thread runs, and the operations of linear algebra that it has done."""

    held = 0
    work = 0
    running = False


_use = _Use()


def set_limit(size: int) -> None:
    """Bound every later allocation to `size` bytes."""
    global _limit
    _limit = size


def limit() -> int:
    return _limit


@contextmanager
def held(size: int) -> Iterator[None]:
    """Within, one program runs: `size` bytes are in use besides those of the blocks around, and what `hold` adds; the
    work of all its operations counts together."""
    before = _use.held, _use.work, _use.running
    _use.held, _use.work, _use.running = _use.held + size, 0, True
    try:
        yield
    finally:
        _use.held, _use.work, _use.running = before


def hold(size: int) -> None:
    """So many bytes more are in use until the end of the block."""
    _use.held += size


def require(operation: str, shape: tuple[int, ...]) -> None:
    """Refuse a float64 array of `shape` that would not fit. Raises LimitExceeded."""
    if len(shape) > MAX_RANK:
        raise LimitExceeded(f"{operation}: {len(shape)} axes are more than the {MAX_RANK} an array can have")
    # One without elements counts by its other axes: what is done along these makes arrays of their size.
    size = prod(max(n, 1) for n in shape) * ITEM
    require_room(f"{operation}: an array of shape {shape_text(shape)}", size)


def require_room(operation: str, size: int) -> None:
    """Refuse work that would hold `size` more bytes at a time. Raises LimitExceeded."""
    if size + _use.held > _limit:
        besides = f" besides {size_text(_use.held)} in use" if size <= _limit else ""
        raise LimitExceeded(
            f"{operation} needs {size_text(size)}{besides}, the limit is {size_text(_limit)}",
            help="raise it with --max-memory",
        )


def require_work(operation: str, count: int) -> None:
    """Refuse what would run for too long: nothing can stop it once it has begun. Raises LimitExceeded."""
    most = WORK_PER_BYTE * _limit
    if count + _use.work > most:
        besides = f" besides {float(_use.work):.0e} done" if count <= most else ""
        raise LimitExceeded(
            f"{operation}: this takes some {float(count):.0e} operations{besides}, the limit is {float(most):.0e}",
            help="the limit grows with --max-memory",
        )
    if _use.running:
        _use.work += count


def work_done() -> int:
    """Operations of linear algebra in the program that runs."""
    return _use.work


def shape_text(shape: tuple[int, ...]) -> str:
    """`10x20` for a matrix, `5` for a vector, `scalar` for no axes."""
    return "x".join(str(n) if n < _ENDLESS else f"{float(n):.0e}" for n in shape) if shape else "scalar"


def size_text(size: int) -> str:
    if size >= _ENDLESS * 1024:
        return f"{float(size):.0e} bytes"
    for unit, scale in (("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024)):
        if size >= scale:
            return f"{size / scale:.3g} {unit}" if size < 1000 * scale else f"{size // scale} {unit}"
    return f"{size} bytes"
