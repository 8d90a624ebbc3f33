"""Identities of matrix calculus, on which two other tools, closed forms and exact arithmetic agree."""

import pytest

from tests.cases.commands import check_command
from tests.cases.comparing import check_case
from tests.cases.reading import family

CASES = family("matrix/*.json")


@pytest.mark.parametrize("case", CASES)
def test_case(case):
    check_case(case)


@pytest.mark.parametrize("case", CASES)
def test_command(run, case):
    check_command(run, case)
