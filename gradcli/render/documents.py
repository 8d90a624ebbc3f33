"""Every result as one JSON document, key by key, in the order that the contract fixes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import prod
from typing import TYPE_CHECKING

from gradcli.render.encoding import Encoder
from gradcli.render.text import unravel

if TYPE_CHECKING:
    from gradcli.errors import GradcliError
    from gradcli.render.catalogue import Topic
    from gradcli.results import (
        Evaluation,
        FunctionEntry,
        Gradient,
        Graph,
        GraphNode,
        Jacobian,
        JacobianStream,
        Note,
        Value,
    )

Field = tuple[str, Iterable[str]]
"""A key and the pieces of its value, already encoded."""


def evaluation_json(result: Evaluation) -> Iterator[str]:
    encoder = Encoder()
    fields: list[Field] = [
        _plain(encoder, "expression", result.expression),
        ("value", encoder.array(result.value)),
        _plain(encoder, "shape", result.value.shape),
    ]
    return _document(encoder, "eval", fields, result.notes)


def gradient_json(result: Gradient) -> Iterator[str]:
    encoder = Encoder()
    fields: list[Field] = [
        _plain(encoder, "expression", result.expression),
        ("value", encoder.array(result.value)),
        ("gradient", _arrays(encoder, result.gradient)),
    ]
    if result.derivatives:
        fields.append(_plain(encoder, "order", len(result.derivatives)))
        fields.append(_plain(encoder, "derivatives", [value.tolist() for value in result.derivatives]))
    return _document(encoder, "diff", fields, result.notes)


def jacobian_json(result: Jacobian) -> Iterator[str]:
    encoder = Encoder()
    fields: list[Field] = [
        _plain(encoder, "expression", result.expression),
        ("value", encoder.array(result.value)),
        _plain(encoder, "shape", result.shape),
        ("jacobian", _arrays(encoder, result.jacobian)),
        _plain(encoder, "method", {"mode": result.method.mode, "passes": result.method.passes}),
    ]
    return _document(encoder, "jacobian", fields, result.notes)


def jacobian_jsonl(result: JacobianStream) -> Iterator[str]:
    """One line for each element of the output, as soon as its block arrives; the last one holds the notes."""
    shape = result.shape["output"]
    last = prod(shape) - 1
    values = result.value.reshape(-1)
    for block in result.blocks:
        for k in range(min(map(len, block.rows.values()), default=len(values))):
            row = block.first + k
            encoder = Encoder()
            fields: list[Field] = [
                _plain(encoder, "row", unravel(row, shape)),
                _plain(encoder, "of", shape),
                _plain(encoder, "value", values[row].tolist()),
                ("jacobian", _arrays(encoder, {name: rows[k] for name, rows in block.rows.items()})),
            ]
            yield from _document(encoder, "jacobian-row", fields, result.notes() if row == last else ())


def graph_json(result: Graph) -> Iterator[str]:
    encoder = Encoder()
    fields: list[Field] = [
        _plain(encoder, "expression", result.expression),
        ("value", encoder.array(result.value)),
        ("nodes", _listed(_node(encoder, node) for node in result.nodes)),
    ]
    return _document(encoder, "graph", fields, result.notes)


def functions_json(entries: Iterable[FunctionEntry]) -> Iterator[str]:
    encoder = Encoder()
    keys = ("name", "aliases", "group", "signature", "summary", "derivative", "edge", "example")
    rows = [{key: getattr(entry, key) for key in keys} for entry in entries]
    return _document(encoder, "functions", [_plain(encoder, "functions", rows)])


def topic_json(topic: Topic) -> Iterator[str]:
    encoder = Encoder()
    return _document(encoder, "help", [_plain(encoder, "topic", topic.name), _plain(encoder, "text", topic.text)])


def error_json(error: GradcliError) -> str:
    """One line; what is not known of the place is null."""
    span, source = error.span, error.source
    line, column = source.place(span) if source and span else (None, None)
    fields = {
        "schema": "gradcli.error/1",
        "kind": error.kind,
        "message": error.message,
        "in": source.name if source else None,
        "line": line,
        "column": column,
        "span": span,
        "help": error.help or None,
        "exit": error.exit_code,
    }
    return Encoder().text(fields) + "\n"


def _document(encoder: Encoder, schema: str, fields: Iterable[Field], notes: tuple[Note, ...] = ()) -> Iterator[str]:
    yield f'{{"schema":"gradcli.{schema}/1"'
    for key, pieces in fields:
        yield f',"{key}":'
        yield from pieces
    if not encoder.finite:
        yield ',"finite":false'
    if notes:
        yield ',"notes":' + encoder.text([_note(note) for note in notes])
    yield "}\n"


def _plain(encoder: Encoder, key: str, value: object) -> Field:
    return key, (encoder.text(value),)


def _note(note: Note) -> dict[str, object]:
    return {key: getattr(note, key) for key in ("operation", "source", "span", "index", "reason")}


def _arrays(encoder: Encoder, arrays: Mapping[str, Value]) -> Iterator[str]:
    separator = "{"
    for name, array in arrays.items():
        yield f"{separator}{encoder.text(name)}:"
        yield from encoder.array(array)
        separator = ","
    yield "}" if arrays else "{}"


def _listed(items: Iterable[Iterator[str]]) -> Iterator[str]:
    separator = "["
    for item in items:
        yield separator
        yield from item
        separator = ","
    yield "]" if separator == "," else "[]"


def _node(encoder: Encoder, node: GraphNode) -> Iterator[str]:
    head: dict[str, object] = {"id": node.id, "name": node.name}
    if node.variable is not None:
        head["variable"] = node.variable
    head |= {"source": node.source, "span": node.span, "shape": node.shape}
    yield encoder.text(head)[:-1]
    for key, value in (("value", node.value), ("gradient", node.gradient)):
        yield f',"{key}":'
        yield from ("null",) if value is None else encoder.array(value)
    yield f',"next":{encoder.text(node.next)}}}'
