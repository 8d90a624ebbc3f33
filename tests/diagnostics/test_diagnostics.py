"""Golden diagnostics: each NAME.cmd is a command line with one mistake, NAME.err its exit code and exact answer.

The folders are the stages that find the mistake.
"""

import shlex
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CASES = sorted(HERE.glob("*/*.cmd"))
FILES = {
    "data.csv": "a,b\n1,2\n3,x\n",
    "na.csv": "1,NA\n3,4\n",
    "semicolon.csv": "1;2\n3;4\n",
    "points.json": '{"x": 1, "weights": {"w": [1, 2], "b": 3}}',
    "hidden.txt": "u = x**2\nu + 1\n",
    "model.txt": "# a model\nu = x@w\nv = u + b\nsum(v**2\n",
}


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_answer(run, request, tmp_path, path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    done = run(*shlex.split(path.read_text(encoding="utf-8")))
    answer = f"exit {done.code}\n{done.err}"
    golden = path.with_suffix(".err")
    if request.config.getoption("--rewrite", default=False):
        golden.write_text(answer, encoding="utf-8")
    assert answer == golden.read_text(encoding="utf-8")


def test_there_are_enough_and_no_leftovers():
    assert len(CASES) >= 80
    assert {path.stem for path in HERE.glob("*/*.err")} == {path.stem for path in CASES}
