"""Objectives of the ADBench suite: bundle adjustment, a mixture of Gaussians, a hand, a recurrent network."""

import numpy as np
import pytest

import gradcli
from tests.cases.commands import check_command
from tests.cases.comparing import check_case
from tests.cases.reading import family

CASES = family("adbench/*.json")


@pytest.mark.parametrize("case", CASES)
def test_case(case):
    check_case(case)


@pytest.mark.parametrize("case", CASES)
def test_command(run, case):
    check_command(run, case, data_on_stdin=True)


@pytest.mark.parametrize("case", [case for case in CASES if "shipped" in case.values[0].more])
def test_figures_of_the_suite(case):
    """What its own programs print; their sums run in another order."""
    value, derivatives = case.more["shipped"].values()
    found = gradcli.parse(case.text).jacobian(case.at, wrt=case.wrt)
    rows = np.size(found.value)
    side_by_side = np.hstack([np.reshape(block, (rows, -1)) for block in found.jacobian.values()])
    wanted = np.array(derivatives, dtype=float).reshape(side_by_side.shape, order="F" if rows == 6 else "C")
    np.testing.assert_allclose(np.ravel(found.value), np.ravel(value), rtol=1e-11)
    np.testing.assert_allclose(side_by_side, wanted, rtol=1e-11, atol=1e-12 * np.abs(wanted).max())
