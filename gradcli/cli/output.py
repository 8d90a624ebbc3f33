"""Results to stdout or to a file. Everything that goes wrong here is exit code 74."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gradcli.cli import formats, reporting, streams, target
from gradcli.errors import Caution, OutputFailed
from gradcli.span import Source

if TYPE_CHECKING:
    from gradcli.cli.options import Output
    from gradcli.results import Note


def show(command: str, form: str, result: Any, output: Output) -> None:
    """Render a result and write it where `output` says."""
    if output.strict:
        from gradcli.modes.strict import require_finite

        result = require_finite(result)
    rendered = formats.render(command, form, result, output)
    if form in formats.BINARY:
        from gradcli.cli.binary import write_arrays

        write_arrays(rendered, form, str(output.output))
    else:
        write([rendered] if isinstance(rendered, str) else rendered, output, by_line=form == "jsonl")
    if not formats.says_notes(form):
        # A stream knows its notes only after its last block.
        notes = result.notes() if callable(result.notes) else result.notes
        culprit = getattr(result, "culprit", None)
        _warn(result.expression, notes if culprit is None else [culprit, *notes])


def write(pieces: Iterable[str], output: Output, by_line: bool = False) -> None:
    """Write text; `by_line` hands each line on as soon as it is whole."""
    if output.output in (None, "-", "/dev/stdout"):
        _write_stdout(pieces, by_line)
        return
    with target.written(str(output.output)) as file:
        for piece in pieces:
            file.write(piece)


def flush() -> None:
    """Hand everything written so far to the system. Raises OutputFailed."""
    if sys.stdout is None or sys.stdout.closed:
        return
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise target.failed("stdout", error) from None


def abandon_stdout() -> None:
    """Let the interpreter's own last flush go nowhere, since stdout cannot be written."""
    if sys.stdout is not None and not sys.stdout.closed:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except (OSError, ValueError):  # not a stream with a descriptor: nothing will be flushed
            return


def _write_stdout(pieces: Iterable[str], by_line: bool) -> None:
    stream = sys.stdout
    if stream is None or stream.closed:
        raise OutputFailed("stdout is closed")
    for piece in pieces:
        try:
            streams.put(piece, stream)
            if by_line and piece.endswith("\n"):
                stream.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise target.failed("stdout", error) from None


def _warn(expression: str | tuple[str, ...], notes: Iterable[Note]) -> None:
    """Notes on stderr, in the words that a table has for them, underlined in the expression."""
    from gradcli.render.text import note_line

    for note in notes:
        source = Source(expression) if isinstance(expression, str) and note.span else None
        reporting.warn(Caution(note_line(note), span=note.span, source=source))
