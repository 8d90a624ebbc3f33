"""The test functions of Moré, Garbow and Hillstrom at the usual start and at a second point."""

import pytest

import gradcli
from gradcli.modes.jacobian import MODES
from tests.cases.commands import check_command
from tests.cases.comparing import check_blocks, check_case
from tests.cases.reading import family, sample

CASES = family("mgh/*.json")


@pytest.mark.parametrize("case", CASES)
def test_case(case):
    check_case(case)


@pytest.mark.parametrize("case", sample(CASES, 3))
def test_command(run, case):
    check_command(run, case)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", [case for case in CASES if case.values[0].jacobian is not None])
def test_modes(case, mode):
    found = gradcli.parse(case.text).jacobian(case.at, wrt=case.wrt, mode=mode)
    check_blocks(case, found.jacobian, case.jacobian)
