"""Results to stdout or to a file. Everything that goes wrong here is exit code 74."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gradcli.cli import formats, reporting, streams
from gradcli.errors import Caution, OutputFailed
from gradcli.span import Source

if TYPE_CHECKING:
    from typing import IO

    from gradcli.cli.options import Output
    from gradcli.render.arrays import Arrays
    from gradcli.results import Note


def show(command: str, form: str, result: Any, output: Output) -> None:
    """Render a result and write it where `output` says."""
    rendered = formats.render(command, form, result, output)
    if form in formats.BINARY:
        _write_arrays(rendered, form, str(output.output))
    else:
        write([rendered] if isinstance(rendered, str) else rendered, output, by_line=form == "jsonl")
    if not formats.says_notes(form):
        # A stream knows its notes only after its last block.
        _warn_notes(result.expression, result.notes() if callable(result.notes) else result.notes)


def write(pieces: Iterable[str], output: Output, by_line: bool = False) -> None:
    """Write text; `by_line` hands each line on as soon as it is whole."""
    if output.output in (None, "-"):
        _write_stdout(pieces, by_line)
        return
    path = str(output.output)
    whole = iter(pieces)
    # The first piece before the file is opened: an error in it leaves an older file alone.
    first = next(whole, "")
    with _opened(path, "w") as file:
        _store(file, path, first)
        for piece in whole:
            _store(file, path, piece)
        _finish(file, path)


def flush() -> None:
    """Hand everything written so far to the system. Raises OutputFailed."""
    if sys.stdout is None or sys.stdout.closed:
        return
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _failed("stdout", error) from None


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
            raise _failed("stdout", error) from None


def _write_arrays(arrays: Arrays, form: str, path: str) -> None:
    import numpy as np

    named = {name: np.asarray(value) for name, value in arrays.named.items()}
    with _opened(path, "wb") as file:
        try:
            if form == "npz":
                _pack(file, named)
            else:
                np.lib.format.write_array(file, _matrix(list(named.values()), arrays.rows), allow_pickle=False)
        except OSError as error:
            raise _failed(path, error) from None
        _finish(file, path)


def _pack(file: IO[Any], named: dict[str, Any]) -> None:
    """A .npz, by hand: numpy.savez cannot store an array called `file`."""
    import zipfile

    import numpy as np

    with zipfile.ZipFile(file, "w") as archive:
        for name, array in named.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def _matrix(blocks: list[Any], rows: int) -> Any:
    """One array as it is; several side by side, flattened to `rows` rows."""
    import numpy as np

    if len(blocks) == 1:
        return blocks[0]
    return np.concatenate([block.reshape(rows, -1) for block in blocks] or [np.zeros((rows, 0))], axis=1)


def _opened(path: str, mode: str) -> IO[Any]:
    try:
        return open(path, mode) if "b" in mode else open(path, mode, encoding="utf-8", newline="\n")
    except OSError as error:
        raise _failed(path, error) from None
    except ValueError:
        raise OutputFailed(f"cannot write {path}: a path cannot hold a NUL character") from None


def _store(file: IO[Any], path: str, piece: str) -> None:
    try:
        file.write(piece)
    except OSError as error:
        raise _failed(path, error) from None


def _finish(file: IO[Any], path: str) -> None:
    try:
        file.close()
    except OSError as error:
        raise _failed(path, error) from None


def _failed(target: str, error: OSError) -> OutputFailed:
    return OutputFailed(f"cannot write {target}: {error.strerror or 'output failed'}")


def _warn_notes(expression: str | tuple[str, ...], notes: Iterable[Note]) -> None:
    for note in notes:
        source = Source(expression) if isinstance(expression, str) and note.span else None
        place = f" at {list(note.index)}" if note.index else ""
        reporting.warn(Caution(f"{note.operation}{place}: {note.reason}", span=note.span, source=source))
