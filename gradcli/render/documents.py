"""Every result as one JSON document, key by key, in the order that the contract fixes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod
from typing import TYPE_CHECKING

from gradcli.render.encoding import Encoder
from gradcli.render.fields import (
    Field,
    arrays,
    document,
    gradient_fields,
    listed,
    members,
    method_field,
    note_fields,
    plain,
)
from gradcli.render.text import unravel

if TYPE_CHECKING:
    from gradcli.errors import GradcliError
    from gradcli.render.catalogue import Topic
    from gradcli.results import (
        Check,
        Evaluation,
        FunctionEntry,
        Gradient,
        Graph,
        GraphNode,
        Hessian,
        HessianDiagonal,
        HessianProduct,
        Jacobian,
        JacobianStream,
        Tangent,
        VariableCheck,
    )


def evaluation_json(result: Evaluation) -> Iterator[str]:
    encoder = Encoder()
    fields: list[Field] = [
        plain(encoder, "expression", result.expression),
        ("value", encoder.array(result.value)),
        plain(encoder, "shape", result.value.shape),
    ]
    return document(encoder, "eval", fields, result.notes)


def gradient_json(result: Gradient) -> Iterator[str]:
    encoder = Encoder()
    fields = gradient_fields(encoder, result)
    if result.derivatives:
        fields.append(plain(encoder, "order", len(result.derivatives)))
        fields.append(plain(encoder, "derivatives", [value.tolist() for value in result.derivatives]))
    return document(encoder, "diff", fields, result.notes)


def vjp_json(result: Gradient) -> Iterator[str]:
    encoder = Encoder()
    return document(encoder, "vjp", gradient_fields(encoder, result), result.notes)


def tangent_json(result: Tangent) -> Iterator[str]:
    encoder = Encoder()
    fields: list[Field] = [
        plain(encoder, "expression", result.expression),
        ("value", encoder.array(result.value)),
        ("tangent", encoder.array(result.tangent)),
    ]
    return document(encoder, "jvp", fields, result.notes)


def hessian_json(result: Hessian) -> Iterator[str]:
    encoder = Encoder()
    blocks = {name: arrays(encoder, row) for name, row in result.hessian.items()}
    fields = [*gradient_fields(encoder, result), ("hessian", members(encoder, blocks))]
    return document(encoder, "hessian", fields, result.notes)


def diagonal_json(result: HessianDiagonal) -> Iterator[str]:
    encoder = Encoder()
    fields = [*gradient_fields(encoder, result), ("diagonal", arrays(encoder, result.diagonal))]
    return document(encoder, "hessian", fields, result.notes)


def product_json(result: HessianProduct) -> Iterator[str]:
    encoder = Encoder()
    fields = [*gradient_fields(encoder, result), ("hvp", arrays(encoder, result.product))]
    return document(encoder, "hvp", fields, result.notes)


def check_json(result: Check) -> Iterator[str]:
    encoder = Encoder()
    fields: list[Field] = [
        plain(encoder, "expression", result.expression),
        plain(encoder, "passed", result.passed),
        plain(encoder, "variables", {name: _checked(one) for name, one in result.variables.items()}),
    ]
    if result.culprit is not None:
        fields.append(plain(encoder, "culprit", note_fields(result.culprit)))
    return document(encoder, "check", fields, result.notes)


def jacobian_json(result: Jacobian) -> Iterator[str]:
    encoder = Encoder()
    fields: list[Field] = [
        plain(encoder, "expression", result.expression),
        ("value", encoder.array(result.value)),
        plain(encoder, "shape", result.shape),
        ("jacobian", arrays(encoder, result.jacobian)),
        method_field(encoder, result.method),
    ]
    return document(encoder, "jacobian", fields, result.notes)


def jacobian_jsonl(result: JacobianStream) -> Iterator[str]:
    """One line for each element of the output, as soon as its block arrives; the last one holds the notes."""
    shape = result.shape["output"]
    last = prod(shape) - 1
    values = result.value.reshape(-1)
    alone = 1 if result.method.mode == "rows" else len(values)  # rows of a block that has no variables
    for block in result.blocks:
        for k in range(min(map(len, block.rows.values()), default=alone)):
            row = block.first + k
            encoder = Encoder()
            fields: list[Field] = [
                plain(encoder, "row", unravel(row, shape)),
                plain(encoder, "of", shape),
                plain(encoder, "value", values[row].tolist()),
                ("jacobian", arrays(encoder, {name: rows[k] for name, rows in block.rows.items()})),
            ]
            yield from document(encoder, "jacobian-row", fields, result.notes() if row == last else ())


def graph_json(result: Graph) -> Iterator[str]:
    encoder = Encoder()
    fields: list[Field] = [
        plain(encoder, "expression", result.expression),
        ("value", encoder.array(result.value)),
        ("nodes", listed(_node(encoder, node) for node in result.nodes)),
    ]
    return document(encoder, "graph", fields, result.notes)


def functions_json(entries: Iterable[FunctionEntry]) -> Iterator[str]:
    encoder = Encoder()
    rows = [_function(entry) for entry in entries]
    return document(encoder, "functions", [plain(encoder, "functions", rows)])


def topic_json(topic: Topic) -> Iterator[str]:
    encoder = Encoder()
    return document(encoder, "help", [plain(encoder, "topic", topic.name), plain(encoder, "text", topic.text)])


def error_json(error: GradcliError) -> str:
    """One line; what is not known of the place is null. A warning has a schema of its own, and no exit code."""
    span, source = error.span, error.source
    line, column = source.place(span) if source and span else (None, None)
    warning = error.kind == "warning"
    fields = {
        "schema": "gradcli.warning/1" if warning else "gradcli.error/1",
        "kind": error.kind,
        "message": error.message,
        "in": source.name if source else None,
        "line": line,
        "column": column,
        "span": span,
        "help": error.help or None,
    }
    return Encoder().text(fields if warning else {**fields, "exit": error.exit_code}) + "\n"


def _checked(one: VariableCheck) -> dict[str, object]:
    """What every variable has, then what only some have."""
    always = ("max_error", "worst", "reverse", "forward", "numeric", "passed")
    sometimes = {
        "left": one.left,
        "right": one.right,
        "note": one.note or None,
        "claimed": one.claimed,
        "compared": one.compared if one.compared[0] < one.compared[1] else None,
    }
    return {key: getattr(one, key) for key in always} | {k: v for k, v in sometimes.items() if v is not None}


def _function(entry: FunctionEntry) -> dict[str, object]:
    keys = ("name", "aliases", "group", "signature", "summary", "derivative", "edge", "example")
    facts = {key: getattr(entry, key) for key in keys}
    return facts if entry.result is None else {**facts, "result": entry.result.tolist()}


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
