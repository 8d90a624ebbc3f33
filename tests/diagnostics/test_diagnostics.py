"""Golden diagnostics: each NAME.cmd is a command line with one mistake, NAME.err its exit code and exact answer.

Where it is answered all the same, with a warning or none, NAME.out is what then stands on stdout. The folders are the
stages that find the mistake.
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
    "data.dat": "1 2\n",
    "short.csv": "a,b,c\n1,2\n3,4\n",
    "null.json": "[null]",
    "points.json": '{"x": 1, "weights": {"w": [1, 2], "b": 3}}',
    "hidden.txt": "u = x**2\nu + 1\n",
    "model.txt": "# a model\nu = x@w\nv = u + b\nsum(v**2\n",
}


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_answer(run, request, tmp_path, path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    done = run(*shlex.split(path.read_text(encoding="utf-8")))
    answers = {path.with_suffix(".err"): f"exit {done.code}\n{done.err}"}
    if done.code == 0:
        answers[path.with_suffix(".out")] = done.out
    else:
        assert done.out == ""
    for golden, answer in answers.items():
        if request.config.getoption("--rewrite", default=False):
            golden.write_text(answer, encoding="utf-8")
        assert answer == golden.read_text(encoding="utf-8")


def test_there_are_enough_and_no_leftovers():
    assert len(CASES) >= 80
    assert {path.with_suffix(".cmd") for path in HERE.glob("*/*.err")} == set(CASES)
    answered = {path for path in CASES if path.with_suffix(".err").read_text().startswith("exit 0\n")}
    assert {path.with_suffix(".cmd") for path in HERE.glob("*/*.out")} == answered
