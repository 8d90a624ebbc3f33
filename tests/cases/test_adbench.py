"""Objectives of the ADBench suite: bundle adjustment, a mixture of Gaussians, a hand, a recurrent network."""

import pytest

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
