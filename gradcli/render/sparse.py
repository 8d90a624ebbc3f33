"""Sparse Jacobians, their patterns, and sparse Hessians: coordinates as JSON, rows, Matrix Market, SciPy's CSR."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gradcli.render.arrays import Arrays
from gradcli.render.encoding import Encoder
from gradcli.render.fields import Field, document, gradient_fields, members, method_field, plain
from gradcli.render.text import unravel

if TYPE_CHECKING:
    from gradcli.results import JacobianPattern, Sparse, SparseHessian, SparseJacobian

    Entries = SparseJacobian | SparseHessian


def sparse_json(result: SparseJacobian) -> Iterator[str]:
    encoder = Encoder()
    blocks = {name: _coordinates(encoder, part, values=True) for name, part in result.jacobian.items()}
    fields: list[Field] = [
        plain(encoder, "expression", result.expression),
        ("value", encoder.array(result.value)),
        plain(encoder, "shape", result.shape),
        ("jacobian", members(encoder, blocks)),
        method_field(encoder, result.method),
    ]
    return document(encoder, "jacobian", fields, result.notes)


def sparse_jsonl(result: SparseJacobian) -> Iterator[str]:
    """One line for each element of the output, with the places and values of its row."""
    shape = result.shape["output"]
    values = result.value.reshape(-1)
    starts = {name: part.starts() for name, part in result.jacobian.items()}
    for row, value in enumerate(values.tolist()):
        encoder = Encoder()
        blocks = {name: _row(part, *starts[name][row : row + 2].tolist()) for name, part in result.jacobian.items()}
        fields: list[Field] = [
            plain(encoder, "row", unravel(row, shape)),
            plain(encoder, "of", shape),
            plain(encoder, "value", value),
            plain(encoder, "jacobian", blocks),
        ]
        yield from document(encoder, "jacobian-row", fields, result.notes if row == len(values) - 1 else ())


def sparse_hessian_json(result: SparseHessian) -> Iterator[str]:
    encoder = Encoder()
    blocks = {
        name: members(encoder, {other: _coordinates(encoder, part, values=True) for other, part in row.items()})
        for name, row in result.hessian.items()
    }
    fields: list[Field] = [
        *gradient_fields(encoder, result),
        ("hessian", members(encoder, blocks)),
        method_field(encoder, result.method),
    ]
    return document(encoder, "hessian", fields, result.notes)


def pattern_json(result: JacobianPattern) -> Iterator[str]:
    encoder = Encoder()
    blocks = {name: _coordinates(encoder, part, values=False) for name, part in result.pattern.items()}
    fields: list[Field] = [
        plain(encoder, "expression", result.expression),
        plain(encoder, "shape", result.shape),
        ("pattern", members(encoder, blocks)),
        method_field(encoder, result.method),
    ]
    return document(encoder, "pattern", fields, result.notes)


def sparse_csv(result: Entries) -> Iterator[str]:
    """Row, column and value, counted from 0, the variables side by side."""
    yield "row,column,value\n"
    yield from _lines(result.matrix(), ",")


def sparse_plain(result: Entries) -> Iterator[str]:
    return _lines(result.matrix(), " ")


def pattern_csv(result: JacobianPattern) -> Iterator[str]:
    yield "row,column\n"
    yield from _lines(result.matrix(), ",", values=False)


def pattern_plain(result: JacobianPattern) -> Iterator[str]:
    return _lines(result.matrix(), " ", values=False)


def sparse_mtx(result: Entries) -> Iterator[str]:
    """Matrix Market, counted from 1, the variables side by side."""
    return _matrix_market(result.matrix(), "real")


def pattern_mtx(result: JacobianPattern) -> Iterator[str]:
    return _matrix_market(result.matrix(), "pattern")


def sparse_arrays(result: Entries) -> Arrays:
    return _csr(result.matrix())


def pattern_arrays(result: JacobianPattern) -> Arrays:
    return _csr(result.matrix())


def _coordinates(encoder: Encoder, part: Sparse, values: bool) -> Iterator[str]:
    fields = {"rows": encoder.array(part.rows), "cols": encoder.array(part.columns)}
    if values:
        fields["values"] = encoder.array(part.values)
    return members(encoder, {**fields, "shape": (encoder.text(part.shape),)})


def _row(part: Sparse, start: int, stop: int) -> dict[str, object]:
    columns, values = part.columns[start:stop].tolist(), part.values[start:stop].tolist()
    return {"cols": columns, "values": values, "shape": part.shape[1:]}


def _lines(matrix: Sparse, separator: str, values: bool = True, first: int = 0) -> Iterator[str]:
    rows, columns = (matrix.rows + first).tolist(), (matrix.columns + first).tolist()
    if values:
        numbers = map(repr, matrix.values.tolist())
        return (f"{i}{separator}{j}{separator}{v}\n" for i, j, v in zip(rows, columns, numbers, strict=True))
    return (f"{i}{separator}{j}\n" for i, j in zip(rows, columns, strict=True))


def _matrix_market(matrix: Sparse, field: str) -> Iterator[str]:
    yield f"%%MatrixMarket matrix coordinate {field} general\n"
    yield f"{matrix.shape[0]} {matrix.shape[1]} {len(matrix.values)}\n"
    yield from _lines(matrix, " ", values=field == "real", first=1)


def _csr(matrix: Sparse) -> Arrays:
    """What scipy.sparse.load_npz reads."""
    named = {"data": matrix.values, "indices": matrix.columns, "indptr": matrix.starts()}
    return Arrays({**named, "shape": matrix.shape, "format": b"csr"}, ())
