"""The look on a terminal: calm, aligned tables and titled arrays, one function for each result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gradcli.render.page import Page
from gradcli.render.text import Look, joined, method_words, number

if TYPE_CHECKING:
    from gradcli.results import (
        Evaluation,
        Gradient,
        Hessian,
        HessianDiagonal,
        HessianProduct,
        Jacobian,
        Tangent,
        Value,
    )


def evaluation_table(result: Evaluation, look: Look) -> str:
    page = Page(look)
    page.value(result.expression, result.value)
    return page.text(result.notes)


def gradient_table(result: Gradient, look: Look) -> str:
    page = Page(look)
    page.value(result.expression, result.value)
    if result.derivatives:
        page.table(("derivative", "value"), _derivative_rows(result, look.digits))
    else:
        _gradient(page, result)
    return page.text(result.notes)


def jacobian_table(result: Jacobian, look: Look) -> str:
    page = Page(look)
    page.value(joined(result.expression), result.value)
    scalars, arrays = _split(result.jacobian)
    page.table(("variable", "derivative"), [(name, _digits(value, look)) for name, value in scalars.items()])
    for name, value in arrays.items():
        page.array(f"jacobian of {name}", value)
    page.remark(method_words(result.method))
    return page.text(result.notes)


def hessian_table(result: Hessian, look: Look) -> str:
    """The gradient, the scalars as one square, and a block for each pair with an array; a pair is shown once."""
    page = Page(look)
    page.value(result.expression, result.value)
    _gradient(page, result)
    names = list(result.hessian)
    scalars = [name for name in names if result.hessian[name][name].ndim == 0]
    page.square({a: {b: result.hessian[a][b] for b in scalars} for a in scalars})
    for i, a in enumerate(names):
        for b in names[i:]:
            if a not in scalars or b not in scalars:
                page.array(f"hessian of {a}, {b}", result.hessian[a][b])
    if len(names) > max(1, len(scalars)):
        page.remark("a pair of variables is shown once: in the other order, its block is the transpose")
    return page.text(result.notes)


def diagonal_table(result: HessianDiagonal, look: Look) -> str:
    return _two_columns(result, "second derivative", result.diagonal, look)


def product_table(result: HessianProduct, look: Look) -> str:
    return _two_columns(result, "hvp", result.product, look)


def _two_columns(result: HessianDiagonal | HessianProduct, title: str, second: Mapping[str, Value], look: Look) -> str:
    """The gradient, and something of its shape beside it."""
    page = Page(look)
    page.value(result.expression, result.value)
    scalars, blocks = _split(second)
    rows = [
        (name, *(_digits(value, look) for value in (result.point[name], result.gradient[name], found)))
        for name, found in scalars.items()
    ]
    page.table(("variable", "value", "gradient", title), rows)
    for name, found in blocks.items():
        page.array(f"gradient of {name}", result.gradient[name])
        page.array(f"{title} of {name}", found)
    return page.text(result.notes)


def tangent_table(result: Tangent, look: Look) -> str:
    page = Page(look)
    page.value(result.expression, result.value)
    page.value("tangent", result.tangent)
    return page.text(result.notes)


def _gradient(page: Page, result: Gradient | Hessian) -> None:
    scalars, arrays = _split(result.gradient)
    look = page.look
    rows = [(name, _digits(result.point[name], look), _digits(value, look)) for name, value in scalars.items()]
    page.table(("variable", "value", "gradient"), rows)
    for name, value in arrays.items():
        page.array(f"gradient of {name}", value)


def _split(values: Mapping[str, Value]) -> tuple[dict[str, Value], dict[str, Value]]:
    """The scalars, and the arrays."""
    scalars = {name: value for name, value in values.items() if value.ndim == 0}
    return scalars, {name: value for name, value in values.items() if value.ndim}


def _digits(value: Value, look: Look) -> str:
    return number(value.tolist(), look.digits)


def _derivative_rows(result: Gradient, digits: int) -> list[tuple[str, str]]:
    name = next(iter(result.gradient), "x")
    return [
        (f"d{n if n > 1 else ''}/d{name}{n if n > 1 else ''}", number(value.tolist(), digits))
        for n, value in enumerate(result.derivatives, start=1)
    ]
