"""A progress bar: rows done, rows per second, time left. It erases itself."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn


class Bar:
    """Shown on `stream` from its making until it is closed."""

    def __init__(self, total: int, stream: TextIO, color: bool) -> None:
        console = Console(file=stream, no_color=not color, highlight=False, markup=False)
        columns = (BarColumn(bar_width=30), TextColumn("{task.description}", markup=False))
        self._total = total
        self._progress = Progress(*columns, console=console, transient=True, refresh_per_second=5)
        self._task = self._progress.add_task("", total=total)
        self._progress.start()

    def show(self, done: int, seconds: float) -> None:
        self._progress.update(self._task, completed=done, description=described(done, self._total, seconds))

    def close(self) -> None:
        self._progress.stop()


def described(done: int, total: int, seconds: float) -> str:
    """`512 of 2,000 rows, 103 rows/s, 0:14 left`."""
    rate = done / seconds if seconds > 0 else 0.0
    left = duration((total - done) / rate) if rate else "unknown time"
    return f"{done:,} of {total:,} rows, {rate:,.3g} rows/s, {left} left"


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
