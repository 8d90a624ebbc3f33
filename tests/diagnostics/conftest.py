"""`pytest tests/diagnostics --rewrite` writes the answers anew; read the difference before it is committed."""

import pytest

from tests.cli.conftest import run

__all__ = ["run"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite", action="store_true", help="write the answers of tests/diagnostics anew")
