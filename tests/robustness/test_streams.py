"""Signals and streams, in processes of their own: the right exit code, no traceback, no byte lost."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = [sys.executable, "-m", "gradcli"]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and files of POSIX")


def environment(**changes):
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("GRADCLI", "NO_COLOR", "FORCE_"))}
    return {**kept, "PYTHONPATH": str(ROOT), **changes}


@pytest.mark.parametrize("delay", [0.3, 0.6, 1.0])
def test_interrupted_at_any_moment(tmp_path, delay):
    """While it imports, computes and writes: 130 and silence, and no half of a file."""
    words = ["jacobian", "exp(x)*sum(x)", "--at", "x=rand(3000)", "-o", str(tmp_path / "out.json")]
    process = subprocess.Popen([*PROGRAM, *words], stderr=subprocess.PIPE, env=environment(), cwd=tmp_path)
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    err = process.communicate(timeout=60)[1]
    assert (process.returncode, err) == (130, b"")
    assert list(tmp_path.iterdir()) == []


def test_read_only_home_and_odd_terminal(tmp_path):
    """Nothing is written to a home that cannot be written to, and nothing on the terminal's side changes JSON."""
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    changes = {"HOME": str(home), "COLUMNS": "1", "TERM": "dumb", "FORCE_COLOR": "1", "LC_ALL": "C", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [*PROGRAM, "diff", "(x+2)**2+3", "--at", "x=2"], capture_output=True, text=True, env=environment(**changes)
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["gradient"] == {"x": 8.0}
    assert list(home.iterdir()) == []


def test_no_byte_is_lost_in_a_slow_pipe():
    """A reader that takes its time gets all of it."""
    words = ["jacobian", "x*sum(x)", "--at", "x=rand(300)", "--format", "jsonl"]
    with subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, env=environment(), text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(0.3)
        rows = [json.loads(line) for line in [first, *process.stdout]]
    assert process.returncode == 0
    assert [row["row"] for row in rows] == [[i] for i in range(300)]


def test_two_at_once(tmp_path):
    """Two processes that write the same file: it is one of theirs, whole."""
    words = ["eval", "x", "-o", str(tmp_path / "out.json")]
    both = [
        subprocess.Popen([*PROGRAM, *words, "--at", f"x={n}*ones(20000)"], env=environment(), cwd=tmp_path)
        for n in (1, 2)
    ]
    assert [process.wait(60) for process in both] == [0, 0]
    found = json.loads((tmp_path / "out.json").read_text())["value"]
    assert found in ([1.0] * 20000, [2.0] * 20000)
    assert len(list(tmp_path.iterdir())) == 1


def test_no_memory_is_a_limit():
    """Where the system itself says no, the answer is one line and exit code 4."""
    import resource

    def bounded():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

    words = ["eval", "sum(ones(200000000))", "--max-memory", "4G"]
    more = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*PROGRAM, *words], capture_output=True, text=True, env=environment(**more), preexec_fn=bounded, check=False
    )
    assert done.returncode == 4, done.stderr
    assert done.stderr == "error: not enough memory\n"
