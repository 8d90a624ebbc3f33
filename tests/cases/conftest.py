"""Cases run command lines as the tests of the CLI do."""

from tests.cli.conftest import run

__all__ = ["run"]
