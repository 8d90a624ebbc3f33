"""Kinks, ties, poles, empty arrays, limits and numbers near the ends of float64; and public reports of such."""

import pytest

from tests.cases.commands import check_command
from tests.cases.comparing import check_case
from tests.cases.reading import family

CASES = [*family("edge.json"), *family("issues.json")]


@pytest.mark.parametrize("case", CASES)
def test_case(case):
    check_case(case)


@pytest.mark.parametrize("case", CASES)
def test_command(run, case):
    check_command(run, case)
