"""Commands that call `gradcli` as a shell does: the program is put on the PATH from this checkout."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "gradcli"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gradcli "$@"\n')
    program.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GRADCLI")}
    kept["PATH"] = os.pathsep.join([str(folder), kept["PATH"]])
    kept["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), kept.get("PYTHONPATH", "")]))
    kept["PYTHONIOENCODING"] = "utf-8"
    return kept


@pytest.fixture
def shell(environment: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run shell text in a folder; stdout and stderr come as they are."""

    def run(text: str, folder: Path, given: str = "") -> subprocess.CompletedProcess[str]:
        if "jq" in text and shutil.which("jq") is None:
            pytest.skip("jq is not installed")
        return subprocess.run(
            ["sh", "-c", text],
            cwd=folder,
            env=environment,
            input=given,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )

    return run


@pytest.fixture
def plain_numbers() -> Callable[[str], str]:
    """Text without the `.0` of whole numbers, which some versions of jq keep and others drop."""
    return lambda text: re.sub(r"(\d)\.0(?=[\s,\]}]|$)", r"\1", text)
