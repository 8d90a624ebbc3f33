"""The ways to install: a wheel made from the sdist, an editable install, and a plain checkout.

These build and install for real, so they need the network and a minute; `.ci/run` runs them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

import gradcli

pytestmark = pytest.mark.packaging

ROOT = Path(__file__).parents[2]
DIFF = ("diff", "(x+2)**2+3", "--at", "x=2", "--json")


def _run(command: Sequence[str | Path], cwd: Path, **environment: str) -> str:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GRADCLI"))}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=inherited | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _environment(folder: Path) -> Path:
    venv.create(folder, with_pip=True)
    return folder / ("Scripts" if os.name == "nt" else "bin")


def _install(scripts: Path, *what: str | Path) -> None:
    _run([scripts / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what], scripts)


def _check(command: Sequence[str | Path], cwd: Path, **environment: str) -> None:
    assert gradcli.__version__ in _run([*command, "--version"], cwd, **environment)
    result = json.loads(_run([*command, *DIFF], cwd, **environment))
    assert (result["value"], result["gradient"]) == (19.0, {"x": 8.0})


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources as a clone has them, without what builds left behind."""
    folder = tmp_path_factory.mktemp("checkout") / "gradcli"
    ignored = shutil.ignore_patterns(".*", "__pycache__", "_tables.py", "dist", "build", "*.egg-info")
    shutil.copytree(ROOT, folder, ignore=ignored)
    return folder


@pytest.fixture(scope="module")
def dist(checkout: Path) -> Path:
    """The sdist, and the wheel that was built from it."""
    _run([sys.executable, "-m", "build", "--outdir", "dist", "."], checkout)
    return checkout / "dist"


def test_the_sdist_holds_what_a_packager_needs(dist: Path) -> None:
    (file,) = dist.glob("*.tar.gz")
    with tarfile.open(file) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "pyproject.toml", "grammar/expression.lark", "grammar/build.py"} <= names
    assert {"gradcli/py.typed", "tests/syntax/problems.txt", "tests/project/test_packaging.py"} <= names
    assert any(name.startswith("examples/") for name in names)
    assert "gradcli/syntax/_tables.py" not in names


def test_the_wheel_holds_the_grammar_and_its_tables_and_only_one_package(dist: Path) -> None:
    (file,) = dist.glob("*.whl")
    with zipfile.ZipFile(file) as archive:
        names = set(archive.namelist())
        assert archive.read("gradcli/grammar/expression.lark") == (ROOT / "grammar/expression.lark").read_bytes()
    assert {"gradcli/syntax/_tables.py", "gradcli/py.typed"} <= names
    assert {name.partition("/")[0] for name in names} == {"gradcli", f"gradcli-{gradcli.__version__}.dist-info"}


def test_the_wheel_runs_in_a_clean_environment(dist: Path, tmp_path: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    scripts = _environment(tmp_path / "venv")
    _install(scripts, wheel)
    _check([scripts / "gradcli"], tmp_path)
    _check([scripts / "python", "-m", "gradcli"], tmp_path)
    prebuilt = "import lark; from gradcli.syntax import tables; tables.build = None; tables.load(None, None)"
    _run([scripts / "python", "-c", prebuilt], tmp_path)


def test_an_editable_install_reads_the_grammar_of_the_checkout(checkout: Path, tmp_path: Path) -> None:
    scripts = _environment(tmp_path / "venv")
    _install(scripts, "--editable", checkout)
    _check([scripts / "gradcli"], tmp_path)
    grammar = checkout / "grammar" / "expression.lark"
    text = grammar.read_text(encoding="utf-8")
    try:
        grammar.write_text(text + "\n// edited after the install\n", encoding="utf-8")
        shown = _run(
            [scripts / "python", "-c", "from gradcli.syntax import tables; print(tables.grammar_text())"], tmp_path
        )
        assert "edited after the install" in shown
        _check([scripts / "gradcli"], tmp_path)
    finally:
        grammar.write_text(text, encoding="utf-8")


def test_a_plain_checkout_runs(checkout: Path, tmp_path: Path) -> None:
    # With the packages of the environment that runs the tests, and without its installed gradcli.
    _check([sys.executable, "-m", "gradcli"], tmp_path, PYTHONPATH=str(checkout), PYTHONDONTWRITEBYTECODE="1")
