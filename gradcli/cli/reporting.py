"""Errors and warnings on stderr: drawn for a person, one line of JSON for a program."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradcli.errors import GradcliError
    from gradcli.span import Span

# A long program may deserve thousands.
MOST_WARNINGS = 5

_machine = False
_color = "auto"
_warned: set[tuple[str, Span | None]] = set()


def configure(machine: bool, color: str) -> None:
    """Whether errors are JSON, and when they are coloured; set once at the start of a command line."""
    global _machine, _color
    _machine, _color = machine, color
    _warned.clear()


def for_machines() -> bool:
    return _machine


def warn(caution: GradcliError) -> None:
    """Say it once, and no more than a few in all."""
    key = (caution.message, caution.span)
    if key not in _warned:
        _warned.add(key)
        if len(_warned) <= MOST_WARNINGS:
            report(caution)


def finish() -> None:
    """How many warnings were not shown."""
    hidden = len(_warned) - MOST_WARNINGS
    if hidden > 0:
        from gradcli.errors import Caution
        from gradcli.render.text import counted

        report(Caution(f"{counted(hidden, 'more warning')} of this kind"))
    _warned.clear()


def report(error: GradcliError) -> None:
    """Say it. A closed stderr is no reason to fail: the exit code says it too."""
    stream = sys.stderr
    if stream is None or stream.closed:
        return
    from gradcli.cli import streams

    if _machine:
        from gradcli.render.documents import error_json

        text = error_json(error)
    else:
        from gradcli.render.diagnostics import diagnostic

        text = diagnostic(error, columns=streams.columns(stream), color=streams.colored(_color, stream))
    try:
        streams.put(text, stream)
        stream.flush()
    except OSError:
        return
