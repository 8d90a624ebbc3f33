"""Own tables of what the tests of other autograd systems try: a call, inputs by a formula, and three kinds of numbers.

A row is the call, its inputs, the shape of the result and, for weights w and directions v that the formula fills,

    value   sum(w*f)
    slopes  for each input, the sum of v times the gradient of sum(w*f)
    curve   the second derivative of sum(w*f) along all directions together, where the other system has one
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import gradcli
from tests.cases.reading import array, document

GOLDEN = 0.6180339887498949
SUITES = ("hips", "tinygrad", "torch")


class Row(NamedTuple):
    call: str
    at: dict[str, Any]
    shape: list[int]
    value: Any
    slopes: dict[str, Any]
    curve: Any = None


def filled(shape: Any, low: float, high: float, start: int) -> Any:
    """Numbers spread over an interval, to three digits: the same on every machine, in general position."""
    places = np.arange(1, int(np.prod(shape)) + 1) + 7 * start
    return np.round(low + (high - low) * np.modf(places**2 * GOLDEN)[0], 3).reshape(shape)


def read(number: int, given: Any) -> Any:
    """Input `number`: shape and interval, with "spd" times its own transpose, plus 1; or the numbers themselves."""
    if isinstance(given, dict):
        return array(given["numbers"])
    x = filled(*given[:3], number)
    return x @ np.swapaxes(x, -1, -2) + np.eye(x.shape[-1]) if "spd" in given else x


def near(found: Any, wanted: Any) -> bool:
    return bool(np.isclose(found, array(wanted), rtol=1e-10, atol=1e-10, equal_nan=True))


def wrong(row: Row) -> Iterator[str]:
    """What is not as the row says, in words."""
    at = {name: read(i, given) for i, (name, given) in enumerate(row.at.items())}
    w = filled(row.shape, 0.5, 1.5, 9)
    v = {name: filled(x.shape, -1.0, 1.0, 5 + i) for i, (name, x) in enumerate(at.items())}
    f, names = gradcli.parse(row.call), [*row.slopes]
    value = f.evaluate(at).value
    if np.shape(value) != tuple(row.shape) or not near(np.sum(w * value), row.value):
        yield f"value of shape {np.shape(value)}"
    if not names:
        return
    gradient = f.vjp(at, cotangent=w, wrt=names).gradient
    yield from (f"slope of {n}" for n in names if not near(np.sum(v[n] * gradient[n]), row.slopes[n]))
    pushed = f.jvp(at, tangent={name: v[name] for name in names}).tangent
    if not near(np.sum(w * pushed), sum(array(slope) for slope in row.slopes.values())):
        yield "slope by forward mode"
    if row.curve is not None:
        curved = gradcli.parse(f"sum(weight*({row.call}))").hvp({"weight": w, **at}, tangent=v).product
        if not near(sum(np.sum(v[name] * curved[name]) for name in names), row.curve):
            yield "curve"


TESTS = [
    pytest.param([Row(*row) for row in rows], id=f"{suite}-{name}")
    for suite in SUITES
    for name, rows in document(f"suites/{suite}.json")["rows"].items()
]


@pytest.mark.filterwarnings("ignore:a column and a vector")
@pytest.mark.parametrize("rows", TESTS)
def test_rows(rows):
    with np.errstate(invalid="ignore"):  # weighted sums of infinities
        found = [f"{row.call} at {row.at}: {problem}" for row in rows for problem in wrong(row)]
    assert not found, "\n".join(found)
