"""Every program in examples/ prints what lies beside it in examples/expected/."""

import io
import runpy
from contextlib import redirect_stdout
from pathlib import Path

import pytest

import gradcli

EXAMPLES = Path(__file__).parents[2] / "examples"
PYTHON = sorted(EXAMPLES.glob("*.py"))
SHELL = sorted(EXAMPLES.glob("*.sh"))


def expected(program: Path) -> str:
    return (EXAMPLES / "expected" / f"{program.name}.out").read_text(encoding="utf-8")


@pytest.mark.parametrize("program", PYTHON, ids=lambda path: path.name)
def test_python(program):
    out = io.StringIO()
    gradcli.manual_seed(0)
    with redirect_stdout(out):
        runpy.run_path(str(program), run_name="__main__")
    assert out.getvalue() == expected(program)


@pytest.mark.parametrize("program", SHELL, ids=lambda path: path.name)
def test_shell(program, shell, plain_numbers, tmp_path):
    done = shell(program.read_text(encoding="utf-8"), tmp_path)
    assert done.stderr == ""
    assert done.returncode == 0
    assert plain_numbers(done.stdout) == plain_numbers(expected(program))


def test_every_expected_output_has_its_program():
    names = {path.name.removesuffix(".out") for path in (EXAMPLES / "expected").iterdir()}
    assert names == {path.name for path in [*PYTHON, *SHELL]}


@pytest.mark.parametrize("program", SHELL, ids=lambda path: path.name)
def test_scripts_can_be_started(program):
    assert program.read_text(encoding="utf-8").startswith("#!/bin/sh\n")
    assert program.stat().st_mode & 0o111
