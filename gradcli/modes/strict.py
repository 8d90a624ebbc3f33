"""Results that have to be finite: what is not becomes an error at the place where it was made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from gradcli.errors import NonFinite
from gradcli.results import GraphNode, JacobianBlock, JacobianStream, Note, VariableCheck
from gradcli.span import Source


def require_finite(result: Any) -> Any:
    """The result itself. Raises NonFinite, for a stream as soon as a block holds what is not finite."""
    if isinstance(result, JacobianStream):
        if not _finite(result.value):
            raise _error(result, result.notes())
        return replace(result, blocks=_watched(result))
    if isinstance(result, tuple) or all(_finite(getattr(result, field.name)) for field in fields(result)):
        return result
    raise _error(result, result.notes)


def _watched(coming: JacobianStream) -> Iterator[JacobianBlock]:
    for block in coming.blocks:
        if not _finite(block.rows):
            raise _error(coming, coming.notes())
        yield block


def _finite(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(map(_finite, value.values()))
    if isinstance(value, GraphNode):
        return _finite((value.value, value.gradient))
    if isinstance(value, VariableCheck):
        return _finite((value.reverse, value.forward, value.numeric))
    if isinstance(value, tuple):
        return all(map(_finite, value))
    return not isinstance(value, np.ndarray | np.generic | float) or bool(np.isfinite(value).all())


def _error(result: Any, notes: tuple[Note, ...]) -> NonFinite:
    """At the first note that says where; the numbers that were given may be to blame as well."""
    note = next((note for note in notes if note.span is not None), None)
    if note is None:
        return NonFinite("the result is not finite", help="the values that were given hold inf or nan")
    place = f" at {list(note.index)}" if note.index else ""
    told = ", ".join(f"{text} is {value:.6g}" for text, value in note.operands)
    source = Source(result.expression) if isinstance(result.expression, str) else None
    return NonFinite(f"the result is not finite: {note.reason}{place}", span=note.span, source=source, label=told)
