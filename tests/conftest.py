"""What holds for all tests."""

from collections.abc import Iterator

import pytest

from gradcli.primitives import budget


@pytest.fixture(autouse=True)
def _one_limit() -> Iterator[None]:
    """Commands run in this process, and their --max-memory would stay."""
    before = budget.limit()
    yield
    budget.set_limit(before)
