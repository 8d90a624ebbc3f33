"""Shapes and places: gradients that go back to where the elements came from; what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.engine import Tensor, function
from gradcli.errors import EvaluationError
from gradcli.primitives import TABLE

inf = np.inf


def slope(text: str, x: Any) -> Any:
    return np.asarray(gradcli.parse(text).diff({"x": np.asarray(x, float)}).gradient["x"])


GRADIENTS: list[tuple[str, Any, Any]] = [
    ("sum(roll(x, 1)*[1, 10, 100])", [1, 2, 3], [10, 100, 1]),
    ("sum(repeat(x, 2)*[1, 2, 3, 4])", [1, 2], [3, 7]), ("sum(tile(x, 2)*[1, 2, 3, 4])", [1, 2], [4, 6]),
    ("sum(take(x, [0, 0, -1]))", [1, 2, 3], [2, 0, 1]),
    ("sum(gather(x, 1, [[0], [0]]))", [[1, 2], [3, 4]], [[1, 0], [1, 0]]),
    ("sum(index_select(x, 0, [1, 1]))", [[1, 2], [3, 4]], [[0, 0], [2, 2]]),
    ("sum(rot90(x)*[[1, 2], [3, 4]])", [[0, 0], [0, 0]], [[3, 1], [4, 2]]),
    ("sum(swapaxes(x, 0, 1)*[[1, 2], [3, 4]])", [[0, 0], [0, 0]], [[1, 3], [2, 4]]),
    ("sum(moveaxis(x, 0, 1)*[[1, 2], [3, 4]])", [[0, 0], [0, 0]], [[1, 3], [2, 4]]),
    ("sum(diagonal(x)*[1, 2])", [[0, 0], [0, 0]], [[1, 0], [0, 2]]),
    ("sum(split(x, 2)[1]*[1, 2])", [0, 0, 0, 0], [0, 0, 1, 2]), ("sum(chunk(x, 2)[1])", [0, 0, 0], [0, 0, 1]),
    ("unbind(x)[1][0]", [[1, 2], [3, 4]], [[0, 0], [1, 0]]), ("sum(split(x, (1,))[0])", [1, 2, 3], [1, 0, 0]),
    ("sum(pad(x, 1)*[1, 2, 3, 4])", [0, 0], [2, 3]), ("sum(pad(x, 1, \"edge\")*[1, 2, 3, 4])", [0, 0], [3, 7]),
    ("sum(pad(x, 2, \"reflect\")*[1, 2, 3, 4, 5, 6, 7])", [0, 0, 0], [3 + 7, 2 + 4 + 6, 1 + 5]),
    ("sum(pad(x, (1, 0), \"wrap\")*[1, 2, 3])", [0, 0], [2, 4]), ("sum(pad([1, 2], 1, constant_values=x))", 5, 2),
    ("sum(vstack([x, x])*[[1, 2], [3, 4]])", [0, 0], [4, 6]), ("sum(hstack([x, [1]])*[1, 2, 3])", [0, 0], [1, 2]),
    ("sum(diff(x)*[1, 10])", [1, 2, 3], [-1, -9, 10]), ("sum(diff(x, n=2))", [1, 2, 3], [1, -2, 1]),
    ("sum(gradient(x)*[1, 10, 100])", [1, 2, 3], [-6, -99, 105]),
    ("sum(convolve(x, [1, 10])*[1, 2, 3])", [0, 0], [21, 32]), ("correlate(x, [1, 10])[0]", [0, 0], [1, 10]),
    ("sum(meshgrid(x, [1, 2, 3])[0])", [1, 2], [3, 3]), ("sum(meshgrid([1, 2, 3], x)[1])", [1, 2], [3, 3]),
    ("sum(tril(x)*[[1, 2], [3, 4]])", [[0, 0], [0, 0]], [[1, 0], [3, 4]]),
    ("sum(triu(x, 1))", [[0, 0], [0, 0]], [[0, 1], [0, 0]]), ("sum(diagflat(x)*[[1, 2], [3, 4]])", [0, 0], [1, 4]),
    ("sum(toeplitz(x)*[[1, 2], [3, 4]])", [0, 0], [5, 5]), ("sum(vander(x, 3))", [0, 2], [1, 5]),
    ("sum(full_like([1, 2, 3], x))", 7, 3), ("logspace(x, 2, 2)[0]", 0, np.log(10)),
    ("sum(atleast_2d(x)*2)", 3, 2), ("vdot(x, [[1, 2]])", [3, 4], [1, 2]), ("trace(kron(x, [[2]]))", [[1, 2], [3, 4]],
                                                                         [[2, 0], [0, 2]]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "x", "expected"), GRADIENTS)
def test_gradient(text: str, x: Any, expected: Any) -> None:
    np.testing.assert_allclose(slope(text, x), expected, rtol=1e-14, atol=1e-15)


LANES: list[tuple[str, list[float], Any]] = [
    ("roll(sqrt(x), 1)", [0, 1], [[0, 0.5], [inf, 0]]), ("split(sqrt(x), 2)[1]", [0, 1], [[0, 0.5]]),
    ("take(sqrt(x), [1])", [0, 1], [[0, 0.5]]), ("diagonal([sqrt(x), sqrt(x)])[1]", [0, 1], [0, 0.5]),
    ("tril(reshape(sqrt(x), (2, 2)))[0]", [1, 0, 1, 1], [[0.5, 0, 0, 0], [0, 0, 0, 0]]),
    ("diff(sqrt(x))[1]", [0, 1, 4], [0, -0.5, 0.25]), ("hstack([sqrt(x), x])[1]", [0, 1], [0, 0.5]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "x", "expected"), LANES)
def test_what_is_not_chosen_contributes_nothing(text: str, x: list[float], expected: Any) -> None:
    np.testing.assert_allclose(
        gradcli.parse(text).jacobian({"x": np.array(x, float)}).jacobian["x"], expected, rtol=1e-12
    )


@pytest.mark.parametrize(
    ("text", "x", "message"),
    [
        ("split(x, 2)[0]", [1, 2, 3], "3 elements do not make 2 equal parts"),
        ("split(x, 0)[0]", [1, 2], "equal parts"),
        ("chunk(x, 0)[0]", [1, 2], "at least 1 part"), ("split(x, 2)[7]", [1, 2], "2 results"),
        ("take(x, [3])", [1, 2], "out of bounds"), ("take(x, [0.5])", [1, 2], "whole numbers"),
        ("roll(x, 1, axis=2)", [1, 2], "axis 2"), ("tile(x, -1)", [1, 2], "negative"),
        ("repeat(x, -1)", [1, 2], "negative"),
        ("pad(x, -1)", [1, 2], "whole numbers, at least 0"), ("pad(x, 1, \"mirror\")", [1, 2], "no mode 'mirror'"),
        ("pad(x, (1, 2, 3))", [1, 2], "a width is a number, a pair"), ("swapaxes(x, 0, 1)", [1, 2], "no axis 1"),
        ("moveaxis(x, (0, 1), 0)", [[1, 2]], "2 axes cannot go to 1"), ("gradient(x)", [[1, 2]], "needs the axis"),
        ("gradient(x)", [1], "at least 2 elements"), ("convolve(x, [])", [1, 2], "two vectors"),
        ("convolve(x, [1], \"some\")", [1, 2], "no mode 'some'"), ("tril(x)", [1, 2], "takes a matrix"),
        ("vstack([x, [1]])", [1, 2], "do not fit together"), ("meshgrid(x, [1])[0]", [[1, 2]], "takes vectors"),
        ("diff(x, n=-1)", [1, 2], "at least 0"), ("rot90(x, axes=0)", [[1, 2]], "2 axes"),
        ("take_along_axis(x, [0], 0)", [[1, 2]], "as many axes"), ("toeplitz(x)", [[1, 2]], "takes vectors"),
    ],
)  # fmt: skip
def test_refused(text: str, x: Any, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        gradcli.parse(text).evaluate({"x": np.asarray(x, float)})


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(("m", "n"), [(5, 2), (2, 5), (4, 4), (1, 3), (3, 3)])
def test_windows_are_those_of_numpy(mode: str, m: int, n: int) -> None:
    rng = np.random.default_rng(m + n)
    a, v = rng.normal(size=m), rng.normal(size=n)
    for name, reference in (("convolve", np.convolve), ("correlate", np.correlate)):
        found = function(TABLE[name])(a, v, mode).array
        np.testing.assert_allclose(found, reference(a, v, mode), rtol=1e-13, atol=1e-14)  # type: ignore[call-overload]


def test_several_results_as_tensors() -> None:
    x = Tensor([1.0, 2, 3, 4], requires_grad=True)
    first, second = function(TABLE["split"])(x, 2)
    (first * second).sum().backward()
    np.testing.assert_array_equal(x.grad, [3, 4, 1, 2])
    row, column = function(TABLE["meshgrid"])(Tensor([1.0, 2]), Tensor([3.0, 4, 5]), indexing="ij")
    assert row.shape == column.shape == (2, 3)


def test_aliases() -> None:
    for alias, name in (("movedim", "moveaxis"), ("swapdims", "swapaxes"), ("repeat_interleave", "repeat")):
        assert TABLE[alias] is TABLE[name]


def test_masks_stay_masks() -> None:
    for text in ("roll(x > 1, 1)", "tile(x > 1, 1)", "sort(x) > 1"):
        value = np.asarray(gradcli.parse(text).evaluate({"x": np.array([1.0, 2.0])}).value)
        assert value.dtype == bool
