"""The test functions of Moré, Garbow and Hillstrom at the usual start and at a second point."""

import pytest

from tests.cases.commands import check_command
from tests.cases.comparing import check_case
from tests.cases.reading import family, sample

CASES = family("mgh/*.json")


@pytest.mark.parametrize("case", CASES)
def test_case(case):
    check_case(case)


@pytest.mark.parametrize("case", sample(CASES, 7))
def test_command(run, case):
    check_command(run, case)
