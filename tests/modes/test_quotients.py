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
