"""Every test here runs the command line in this process, in an empty folder, and answers in bounded memory."""

from tests.cli.conftest import run

__all__ = ["run"]
