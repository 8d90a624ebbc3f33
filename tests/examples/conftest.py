"""Commands that call `gradcli` as a shell does: the program is put on the PATH from this checkout."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.processes import PROGRAM, run


@pytest.fixture(scope="session")
def variables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables by which a shell finds the program."""
    folder = tmp_path_factory.mktemp("bin")
    script = folder / "gradcli"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(PROGRAM)} "$@"\n')
    script.chmod(0o755)
    return {"PATH": os.pathsep.join([str(folder), os.environ["PATH"]]), "PYTHONIOENCODING": "utf-8"}


@pytest.fixture
def shell(variables: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run shell text in a folder; stdout and stderr come as they are."""

    def call(text: str, folder: Path, given: str = "") -> subprocess.CompletedProcess[str]:
        if "jq" in text and shutil.which("jq") is None:
            pytest.skip("jq is not installed")
        return run(["sh", "-c", text], cwd=folder, env=variables, input=given)

    return call


@pytest.fixture
def plain_numbers() -> Callable[[str], str]:
    """Text without the `.0` of whole numbers, which some versions of jq keep and others drop."""
    return lambda text: re.sub(r"(\d)\.0(?=[\s,\]}]|$)", r"\1", text)
