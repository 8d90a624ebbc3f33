"""Errors that leave gradcli say where in the text they are, for those who meet them in a traceback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import ParamSpec, TypeVar

from gradcli.errors import GradcliError

P = ParamSpec("P")
T = TypeVar("T")

_LONGEST = 200


def noted(function: Callable[P, T]) -> Callable[P, T]:
    """The same function, whose errors carry the line, the caret and the help as notes."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except GradcliError as error:
            if not getattr(error, "__notes__", None):
                for note in _notes(error):
                    error.add_note(note)
            raise

    return call


def _notes(error: GradcliError) -> Iterator[str]:
    if error.source and error.span and error.source.quoted:
        row, column = error.source.place(error.span)
        line = error.source.text.split("\n")[row - 1]
        if len(line) <= _LONGEST and line.isprintable():  # a terminal must not be steered by what it is shown
            width = max(1, min(error.span.stop - error.span.start, len(line) - column + 1))
            yield f"  | {line}"
            yield f"  | {' ' * (column - 1)}{'^' * width} {error.label}".rstrip()
    if error.help:
        yield f"  = help: {error.help}"
