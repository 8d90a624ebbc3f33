"""Nonlinear regression by the certified figures of NIST, from Jacobians of the residuals.

Certified parameters are rounded to 11 digits. For Lanczos1, whose residuals are of size 1e-14, that is too coarse to
reproduce its sum of squares; what is checked of it is taken at the parameters polished to 25 digits.
"""

import numpy as np
import pytest

import gradcli
from tests.cases.commands import check_command
from tests.cases.comparing import check_case
from tests.cases.reading import DATA, array, arrays, document, family, sample

CASES = family("nist/*.json")
PROBLEMS = [pytest.param(document(f"nist/{path.name}"), id=path.stem) for path in sorted(DATA.glob("nist/*.json"))]
ROUNDED_TOO_COARSELY = {"Lanczos1"}


@pytest.mark.parametrize("case", CASES)
def test_case(case):
    check_case(case)


@pytest.mark.parametrize("case", sample(CASES, 5))
def test_command(run, case):
    check_command(run, case, data_on_stdin=True)


def at_solution(problem):
    """The residuals and their Jacobian, one column for each parameter."""
    best = "polished" if problem["name"] in ROUNDED_TOO_COARSELY else "certified"
    parameters = arrays({name: float(number) for name, number in problem[best]["parameters"].items()})
    f = gradcli.parse(problem["residual"])
    found = f.jacobian({**arrays(problem["data"]), **parameters}, wrt=list(parameters))
    return found.value, np.stack([found.jacobian[name] for name in parameters], axis=1)


def digits(got, want):
    """How many digits agree, in the worst entry."""
    return float(-np.log10(np.max(np.abs(got - want) / np.abs(want)) + 1e-17))


@pytest.mark.parametrize("problem", PROBLEMS)
def test_certified_deviations(problem):
    """s*sqrt(diag(inv(J^T J))), through QR of J with columns of length 1."""
    _, J = at_solution(problem)
    lengths = np.linalg.norm(J, axis=0)
    R = np.linalg.qr(J / lengths, mode="r")
    deviations = problem["certified"]["residual_sd"] * np.linalg.norm(np.linalg.inv(R), axis=1) / lengths
    expected = problem["oracle"]["expected_digits_with_certified_s"]["scaled_qr"]
    assert digits(deviations, array(list(problem["certified"]["standard_deviations"].values()))) > expected - 0.1


@pytest.mark.parametrize("problem", PROBLEMS)
def test_certified_sum_of_squares(problem):
    """As many digits as other tools get from the rounded parameters, and residuals at right angles to the columns."""
    residuals, J = at_solution(problem)
    cosines = np.abs(J.T @ residuals) / (np.linalg.norm(J, axis=0) * np.linalg.norm(residuals))
    spread = np.sqrt(residuals @ residuals / problem["dof"])
    known = problem["oracle"]["verified"]["at_certified"]
    expected, largest = known["residual_sd_digits"], known["max_cosine_J_r"]
    if problem["name"] in ROUNDED_TOO_COARSELY:  # residuals near 1e-14 of responses near 1: two digits are left
        expected, largest = 2.0, 1e-2
    assert digits(spread, problem["certified"]["residual_sd"]) > expected - 0.1
    assert cosines.max() < 1.1 * largest
