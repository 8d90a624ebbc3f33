"""Numbers in rows: csv with a header, and plain rows separated by blanks. Every digit is kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING

from gradcli.render.text import element, unravel

if TYPE_CHECKING:
    from gradcli.results import (
        Check,
        Evaluation,
        Gradient,
        Hessian,
        HessianDiagonal,
        HessianProduct,
        JacobianStream,
        Tangent,
        Value,
        VariableCheck,
    )


def evaluation_csv(result: Evaluation) -> Iterator[str]:
    """A scalar or a vector is one column, everything else has one column for each place of the last axis."""
    shape = result.value.shape
    columns = shape[-1:] if len(shape) > 1 else ()
    yield _line(_labels({"value": columns}))
    if columns:
        yield from map(_line, _matrix_rows(result.value))
    else:
        yield from (word + "\n" for word in _words(result.value))


def evaluation_plain(result: Evaluation) -> Iterator[str]:
    return (" ".join(row) + "\n" for row in _matrix_rows(result.value))


def gradient_csv(result: Gradient) -> Iterator[str]:
    """The gradient as one row; with an order, one row for each derivative."""
    yield _line(_labels({name: value.shape for name, value in result.gradient.items()}))
    if result.derivatives:
        yield from (_line(_words(value)) for value in result.derivatives)
    else:
        yield _line(_side_by_side(result.gradient.values()))


def gradient_plain(result: Gradient) -> Iterator[str]:
    for name, value in result.gradient.items():
        numbers = _side_by_side(result.derivatives or (value,))
        yield " ".join([name, *numbers]) + "\n"


def tangent_csv(result: Tangent) -> Iterator[str]:
    yield _line(_labels({"tangent": result.tangent.shape}))
    yield _line(_words(result.tangent))


def tangent_plain(result: Tangent) -> Iterator[str]:
    yield " ".join(["tangent", *_words(result.tangent)]) + "\n"


def hessian_csv(result: Hessian) -> Iterator[str]:
    yield _line(_labels({name: value.shape for name, value in result.gradient.items()}))
    yield from map(_line, _hessian_rows(result))


def hessian_plain(result: Hessian) -> Iterator[str]:
    return (" ".join(row) + "\n" for row in _hessian_rows(result))


def diagonal_csv(result: HessianDiagonal) -> Iterator[str]:
    return _one_row(result.diagonal)


def diagonal_plain(result: HessianDiagonal) -> Iterator[str]:
    return _by_name(result.diagonal)


def product_csv(result: HessianProduct) -> Iterator[str]:
    return _one_row(result.product)


def product_plain(result: HessianProduct) -> Iterator[str]:
    return _by_name(result.product)


def check_csv(result: Check) -> Iterator[str]:
    yield _line(["variable", *_ANSWERS, "passed", "worst"])
    yield from map(_line, _check_rows(result))


def check_plain(result: Check) -> Iterator[str]:
    return (" ".join(row) + "\n" for row in _check_rows(result))


def jacobian_csv(result: JacobianStream) -> Iterator[str]:
    yield _line(_labels({name: shape for name, shape in result.shape.items() if name != "output"}))
    yield from map(_line, _jacobian_rows(result))


def jacobian_plain(result: JacobianStream) -> Iterator[str]:
    return (" ".join(row) + "\n" for row in _jacobian_rows(result))


def _jacobian_rows(result: JacobianStream) -> Iterator[list[str]]:
    for block in result.blocks:
        for k in range(min(map(len, block.rows.values()), default=0)):
            yield _side_by_side(rows[k] for rows in block.rows.values())


def _one_row(values: Mapping[str, Value]) -> Iterator[str]:
    yield _line(_labels({name: value.shape for name, value in values.items()}))
    yield _line(_side_by_side(values.values()))


def _by_name(values: Mapping[str, Value]) -> Iterator[str]:
    return (" ".join([name, *_words(value)]) + "\n" for name, value in values.items())


def _hessian_rows(result: Hessian) -> Iterator[list[str]]:
    """The square matrix over all variables, flattened side by side."""
    for name, row in result.hessian.items():
        size = result.gradient[name].size
        blocks = [block.reshape(size, -1) for block in row.values() if block.size]
        for i in range(size):
            yield _side_by_side(block[i] for block in blocks)


_ANSWERS = ("max_error", "reverse", "forward", "numeric")


def _check_rows(result: Check) -> Iterator[list[str]]:
    for name, one in result.variables.items():
        yield [name, *_answers(one), str(int(one.passed)), f"[{','.join(map(str, one.worst))}]"]


def _answers(one: VariableCheck) -> list[str]:
    """Nothing to compare is nan, as an empty cell is."""
    answers = [getattr(one, answer) for answer in _ANSWERS]
    return ["nan" if answer is None else repr(answer) for answer in answers]


def _labels(shapes: Mapping[str, Sequence[int]]) -> list[str]:
    return [element(name, unravel(i, shape)) for name, shape in shapes.items() for i in range(prod(shape))]


def _matrix_rows(value: Value) -> Iterator[list[str]]:
    if value.ndim < 2:
        yield _words(value)
    elif value.size:
        yield from map(_words, value.reshape(-1, value.shape[-1]))


def _side_by_side(values: Iterable[Value]) -> list[str]:
    return [word for value in values for word in _words(value)]


def _words(value: Value) -> list[str]:
    numbers = value.reshape(-1).tolist()
    # A mask is written as 1 and 0: a word would be read back as a header.
    return [str(int(number)) if isinstance(number, bool) else repr(number) for number in numbers]


def _line(fields: Iterable[str]) -> str:
    return ",".join(map(_quoted, fields)) + "\n"


def _quoted(field: str) -> str:
    return f'"{field}"' if "," in field else field
