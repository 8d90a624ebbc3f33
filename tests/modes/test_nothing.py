"""Arrays without elements, and arguments that say nothing: a value or a clear error, in every mode."""

import numpy as np
import pytest

import gradcli
from gradcli.errors import BadArgument

EMPTY, ROWS = np.zeros((0,)), np.zeros((0, 3))


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("x/y", {"x": ROWS, "y": [True, False, True]}),
        ("clip(x, y)", {"x": ROWS, "y": [0.0, 1.0, 2.0]}),
        ("argsort(x)", {"x": EMPTY}),
        ("abs(x)", {"x": EMPTY}),
        ("sort(x)", {"x": EMPTY}),
    ],
)
def test_kinks_of_nothing(text, at):
    assert gradcli.parse(f"sum({text})").hessian(at).value == 0
    assert gradcli.parse(text).jacobian(at).notes == ()


def test_deviation_of_nothing():
    found = gradcli.parse("std(x)").diff({"x": EMPTY})
    assert np.isnan(found.value)
    assert found.gradient["x"].shape == (0,)


@pytest.mark.parametrize(("text", "words"), [("cond(x)", "empty matrix"), ("tensordot(x, x, axes=[])", "one integer")])
def test_what_means_nothing(text, words):
    with pytest.raises(BadArgument, match=words):
        gradcli.parse(text).evaluate({"x": ROWS})
