"""Errors and warnings on stderr: drawn for a person, one line of JSON for a program."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradcli.errors import Caution, GradcliError

_machine = False
_color = "auto"


def configure(machine: bool, color: str) -> None:
    """Whether errors are JSON, and when they are coloured; set once at the start of a command line."""
    global _machine, _color
    _machine, _color = machine, color


def for_machines() -> bool:
    return _machine


def warn(caution: Caution) -> None:
    report(caution)


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
