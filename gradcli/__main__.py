"""`python -m gradcli`."""

from gradcli.cli.main import run

run()
