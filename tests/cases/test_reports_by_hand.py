"""The bug reports whose right answer is told in words: files, limits, prompts, terminals."""

import json
import os
import sys
import time

import numpy as np
import pytest

from tests.processes import PROGRAM, run, start

MIB = 2**20


def test_102_product_with_ones(run):
    text = "[x[0]**2 + 2*x[1] + x[2], x[0] + x[1]**3 + x[2]**2, 2*x[0] + x[1]**2 + x[2]**3]"
    found = run("vjp", text, "--at", "x=[1,2,3]", "--cotangent", "[1,1,1]", "--json").json
    assert found["gradient"] == {"x": [5, 18, 34]}


def test_85_sign_of_a_determinant(run):
    assert run("eval", "slogdet(A)[0]", "--at", "A=[[-0.01]]", "--json").json["value"] == -1.0


def test_30_gradient_of_a_scalar_is_a_scalar(run):
    found = run("diff", "sum(c * v)", "--wrt", "v", "--at", "c=[1,1]", "--at", "v=0", "--json").json
    assert found["gradient"] == {"v": 2.0}


def test_125_maximum_and_where_at_the_kink(run):
    """Each has its convention, and tells that there is one."""
    tie = run("diff", "maximum(x, 0)", "--at", "x=0", "--json").json
    assert tie["gradient"] == {"x": 0.5}
    assert tie["notes"][0]["operation"] == "maximum"
    assert run("diff", "where(x > 0, x, 0)", "--at", "x=0", "--json").json["gradient"] == {"x": 0.0}


def test_138_caret_is_a_power(run):
    assert run("diff", "x^2", "--at", "x=3", "--json").json["gradient"] == {"x": 6.0}


def test_141_minus_e(run):
    assert run("eval", "-e", "--json").json["value"] == -np.e
    assert run("diff", "e*x", "--at", "e=2", "--at", "x=1", "--json").json["gradient"] == {"e": 1.0, "x": 2.0}


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="the memory of one child is not told here")
def test_109_memory_of_a_wide_jacobian(tmp_path):
    """A diagonal of 2048 x 2048, 32 MiB of numbers."""
    np.save(tmp_path / "lin.npy", np.linspace(-1, 1, 2048))
    words = [*PROGRAM, "jacobian", "tanh(x)", "--at", "x=@lin.npy", "--json"]
    with (tmp_path / "out").open("wb") as out:
        process = start(words, cwd=tmp_path, stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert usage.ru_utime + usage.ru_stime < 20
    assert usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) < 400 * MIB
    jacobian = np.array(json.loads((tmp_path / "out").read_bytes())["jacobian"]["x"])
    assert np.count_nonzero(jacobian) == 2048
    np.testing.assert_allclose(np.diag(jacobian), 1 - np.tanh(np.linspace(-1, 1, 2048)) ** 2, rtol=1e-14)


@pytest.mark.parametrize(
    "words",
    [
        ("eval", "x[/a]"),
        ("graph", "x[bold]", "--at", "x=[1]", "--at", "bold=0", "--format", "tree"),
        ("diff", "sum(x)", "--at", "x=@[red]d.npy"),
    ],
)
def test_150_brackets_are_no_markup(run, words):
    done = run(*words, "--color", "always")
    shown = words[1] if "x=@[red]d.npy" not in words else "[red]d.npy"
    assert shown in done.out + done.err
    assert done.code in (0, 3, 5)


def test_154_no_questions():
    done = run([*PROGRAM, "eval", "1.0", "--json"])
    assert (done.returncode, json.loads(done.stdout)["value"], done.stderr) == (0, 1.0, "")


def test_157_twenty_thousand_statements(run, tmp_path):
    lines = ["y = x", *["y = y + 0.001*y"] * 20000, "y"]
    (tmp_path / "deep.gc").write_text("\n".join(lines))
    found = run("diff", "-f", "deep.gc", "--at", "x=1", "--json").json
    assert found["value"] == pytest.approx(480340920.91870856, rel=1e-10)
    assert found["gradient"]["x"] == pytest.approx(480340920.91870856, rel=1e-10)


@pytest.mark.parametrize("text", ["2**2**2**2**2**2**2", "9**9**9", "9**9**9**9"])
def test_158_towers_of_powers(run, text):
    started = time.process_time()
    found = run("eval", text, "--json").json
    assert found["value"] == "Infinity"
    assert found["finite"] is False
    assert found["notes"][0]["reason"].startswith("an overflow")
    assert time.process_time() - started < 1


@pytest.mark.parametrize("words", [("eval", "x + \x1b]0;pwn\ay"), ("diff", "sum(x)", "--at", "x=@\x1b[2Jz.npy")])
def test_159_control_characters(run, words):
    done = run(*words)
    assert done.code in (3, 5)
    assert done.out == ""
    assert not [c for c in done.err if c < " " and c != "\n"]
    assert "\\x1b" in done.err or "U+001B" in done.err


@pytest.mark.parametrize(
    "text", ["().__class__.__bases__[0].__subclasses__()", '__import__("os").system("touch ./pwn")']
)
def test_162_python_code(run, tmp_path, text):
    done = run("eval", text, "--json")
    assert done.error["exit"] in (3, 4)
    assert not list(tmp_path.iterdir())
