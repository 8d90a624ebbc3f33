"""Difference quotients of values that are rounded: what agrees by chance is not taken for an answer."""

import numpy as np
import pytest

import gradcli
from gradcli.modes.numeric import slopes


@pytest.mark.parametrize("scale", [1e-3, 0.2, 1.0, 7.0])
def test_rounded_values(scale):
    """A rounding of 50 bits or so, coarse enough that quotients of neighbouring steps are often equal."""
    at = scale * np.linspace(0.3, 1.7, 12)
    found = slopes(lambda t: np.round(np.sin(at + t) * 2.0**50) / 2.0**50, scale)
    np.testing.assert_allclose(found.central.value, np.cos(at), rtol=0, atol=1e-7)
    assert (found.central.error < 1e-7).all()


@pytest.mark.parametrize("A", [[[2, 0.5], [0.3, 1.5]], [[0.2, 0.5], [0.3, 0.15]], [[20, 5], [3, 15]]])
def test_functions_without_extended_precision(A):
    checked = gradcli.parse("expm(A)").check({"A": A})
    assert checked.passed
    assert checked.variables["A"].max_error < 1e-9


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("floor(x*y)", {"x": 1.7308061916089246, "y": 90.45743778799226}),
        ("x % y", {"x": 174.77327617077242, "y": -0.2813388549911833}),
        ("fmod(x, y)", {"x": 25.77961273297813, "y": -0.0024295328587595165}),
        ("round(x/y)", {"x": -162.7964032498902, "y": -0.007249117139034953}),
        ("trunc(10*x)*y", {"x": 4.012030155116938, "y": 5.570628418968432}),
    ],
)
def test_teeth_are_no_slope(text, at):
    """Long steps over many jumps show a slope, by chance even one that halving confirms."""
    assert gradcli.parse(text).check(at).passed


def test_a_fine_wave_on_a_slope():
    checked = gradcli.parse("x + 1e-6*sin(1e6*x)").check({"x": 0.3})
    assert checked.passed
