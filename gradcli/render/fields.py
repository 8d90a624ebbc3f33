"""The parts of a JSON document: fields, objects of arrays, notes at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from gradcli.render.encoding import Encoder

if TYPE_CHECKING:
    from gradcli.results import (
        Gradient,
        Hessian,
        HessianDiagonal,
        HessianProduct,
        Method,
        Note,
        SparseHessian,
        Value,
    )

Field = tuple[str, Iterable[str]]
"""A key and the pieces of its value, already encoded."""


def document(encoder: Encoder, schema: str, fields: Iterable[Field], notes: tuple[Note, ...] = ()) -> Iterator[str]:
    yield f'{{"schema":"gradcli.{schema}/1"'
    for key, pieces in fields:
        yield f',"{key}":'
        yield from pieces
    if not encoder.finite:
        yield ',"finite":false'
    if notes:
        yield ',"notes":' + encoder.text([note_fields(note) for note in notes])
    yield "}\n"


def plain(encoder: Encoder, key: str, value: object) -> Field:
    return key, (encoder.text(value),)


def method_field(encoder: Encoder, method: Method) -> Field:
    block = {} if method.block is None else {"block": method.block}
    return plain(encoder, "method", {"mode": method.mode, "passes": method.passes, **block})


def gradient_fields(
    encoder: Encoder, result: Gradient | Hessian | HessianDiagonal | HessianProduct | SparseHessian
) -> list[Field]:
    return [
        plain(encoder, "expression", result.expression),
        ("value", encoder.array(result.value)),
        ("gradient", arrays(encoder, result.gradient)),
    ]


def note_fields(note: Note) -> dict[str, object]:
    fields: dict[str, object] = {key: getattr(note, key) for key in ("operation", "source", "span", "index", "reason")}
    if note.operands:
        fields["operands"] = [{"source": text, "value": number} for text, number in note.operands]
    return fields


def arrays(encoder: Encoder, arrays: Mapping[str, Value]) -> Iterator[str]:
    return members(encoder, {name: encoder.array(array) for name, array in arrays.items()})


def members(encoder: Encoder, items: Mapping[str, Iterable[str]]) -> Iterator[str]:
    separator = "{"
    for name, pieces in items.items():
        yield f"{separator}{encoder.text(name)}:"
        yield from pieces
        separator = ","
    yield "}" if items else "{}"


def listed(items: Iterable[Iterator[str]]) -> Iterator[str]:
    separator = "["
    for item in items:
        yield separator
        yield from item
        separator = ","
    yield "]" if separator == "," else "[]"
