"""Signals and streams, in processes of their own: the right exit code, no traceback, no byte lost."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.processes import PROGRAM, SECONDS, run, start

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and files of POSIX")

# A sign on stdout when an event of Python's says how far the program has come; the program itself knows nothing of it.
SIGNED = """
import os, sys
from gradcli.cli.main import run
def sign(*event):
    if {moment}:
        os.write(1, b".")
sys.{hook}(sign)
run()
"""


WRITES = "event[0] == 'open' and '.gradcli-' in str(event[1][0])"


def signed(hook, moment, words, **more):
    """A child that has come to the moment."""
    code = SIGNED.format(hook=hook, moment=moment)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    child = start([sys.executable, "-c", code, *words], **streams, **more)
    assert child.stdout.read(1) == b"."
    return child


@pytest.mark.parametrize(
    "moment",
    [
        "event[0] == 'import'",
        "event[0] == 'import' and event[1][0] == 'numpy'",
        "event[0] == 'import' and event[1][0] == 'numpy.random'",
        WRITES,
    ],
    ids=["begins", "imports", "computes", "writes"],
)
def test_interrupted_at_any_moment(tmp_path, moment):
    """130 and silence, and no half of a file."""
    words = ["jacobian", "exp(x)*sum(x)", "--at", "x=rand(3000)", "-o", str(tmp_path / "out.json")]
    child = signed("addaudithook", moment, words, cwd=tmp_path)
    child.send_signal(signal.SIGINT)
    err = child.communicate(timeout=SECONDS)[1]
    assert (child.returncode, err) == (130, b"")
    assert list(tmp_path.iterdir()) == []


def test_interrupted_while_numpy_is_busy():
    """The decomposition takes many seconds, in which Python does not come to handle a signal."""
    words = ["eval", "svd(rand(4000,4000))[1][0]", "--max-memory", "8G"]
    child = signed("setprofile", "event[1] == 'call' and event[0].f_code.co_name == 'svd'", words)
    child.send_signal(signal.SIGINT)
    err = child.communicate(timeout=20)[1]
    assert (child.returncode, err) == (130, b"")


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGXCPU"])
def test_no_signal_leaves_half_a_file(tmp_path, name):
    """Whoever ends it while it writes, which takes half a minute here: it dies of that signal, and nothing lies beside
    an older file, which stays."""
    (tmp_path / "out.csv").write_text("old")
    words = ["jacobian", "exp(x)*sum(x)", "--at", "x=rand(6000)", "-o", "out.csv"]
    child = signed("addaudithook", WRITES, words, cwd=tmp_path)
    while len(list(tmp_path.iterdir())) == 1:
        assert child.poll() is None
        time.sleep(0.01)
    child.send_signal(getattr(signal, name))
    err = child.communicate(timeout=SECONDS)[1]
    assert (child.returncode, err) == (-getattr(signal, name), b"")
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
    assert (tmp_path / "out.csv").read_text() == "old"


def test_a_signal_that_is_ignored_stays_so(tmp_path):
    """As by nohup; here the program hangs up on itself when it begins to write."""
    hook = f"lambda *event: os.kill(os.getpid(), signal.SIGHUP) if {WRITES} else None"
    code = (
        "import os, signal, sys\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        f"sys.addaudithook({hook})\nfrom gradcli.cli.main import run\nrun()"
    )
    done = run([sys.executable, "-c", code, "eval", "1 + 1", "-o", "out.json"], cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads((tmp_path / "out.json").read_text())["value"] == 2.0


def test_warnings_into_a_closed_pipe(tmp_path):
    """Nobody reads stderr any more: the file is written all the same, and whole."""
    line = '"$@" eval x --at x=1e400 --at y=2 -o out.json 2> >(exec <&-)'
    assert run(["bash", "-c", line, "bash", *PROGRAM], cwd=tmp_path).returncode == 0
    assert json.loads((tmp_path / "out.json").read_text())["value"] == "Infinity"
    assert len(list(tmp_path.iterdir())) == 1


def test_read_only_home_and_odd_terminal(tmp_path):
    """Nothing is written to a home that cannot be written to, and nothing on the terminal's side changes JSON."""
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    changes = {"HOME": str(home), "COLUMNS": "1", "TERM": "dumb", "FORCE_COLOR": "1", "LC_ALL": "C", "PYTHONUTF8": "0"}
    done = run([*PROGRAM, "diff", "(x+2)**2+3", "--at", "x=2"], env=changes)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["gradient"] == {"x": 8.0}
    assert list(home.iterdir()) == []


def test_no_byte_is_lost_in_a_slow_pipe():
    """A reader that takes its time gets all of it."""
    words = ["jacobian", "x*sum(x)", "--at", "x=rand(300)", "--format", "jsonl"]
    with start([*PROGRAM, *words], stdout=subprocess.PIPE, text=True) as process:
        first = process.stdout.readline()
        time.sleep(0.3)
        rows = [json.loads(line) for line in [first, *process.stdout]]
    assert process.returncode == 0
    assert [row["row"] for row in rows] == [[i] for i in range(300)]


def test_two_at_once(tmp_path):
    """Two processes that write the same file: it is one of theirs, whole."""
    words = ["eval", "x", "-o", str(tmp_path / "out.json")]
    both = [start([*PROGRAM, *words, "--at", f"x={n}*ones(20000)"], cwd=tmp_path) for n in (1, 2)]
    assert [process.wait(SECONDS) for process in both] == [0, 0]
    found = json.loads((tmp_path / "out.json").read_text())["value"]
    assert found in ([1.0] * 20000, [2.0] * 20000)
    assert len(list(tmp_path.iterdir())) == 1


def test_no_memory_is_a_limit():
    """Where the system itself says no, the answer is one line and exit code 4."""
    words = [*PROGRAM, "eval", "sum(ones(200000000))", "--max-memory", "4G"]
    more = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = run(["sh", "-c", 'ulimit -v 1048576; exec "$@"', "sh", *words], env=more)
    assert (done.returncode, done.stderr) == (4, "error: not enough memory\n")
