"""Signals and streams, in processes of their own: the right exit code, no traceback, no byte lost."""

import json
import os
import resource
import signal
import subprocess
import sys
import time

import pytest

from tests.processes import PROGRAM, SECONDS, run, start

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and files of POSIX")

IMPORTS = "event[0] == 'import' and event[1][0] == '{}'"
OPENS = "event[0] == 'open' and '.gradcli-' in str(event[1][0])"
MOVES = "event[0] == 'os.rename'"

# A program that sends itself a signal when an event of Python's tells that it has come so far, and goes no further.
SIGNALLED = """
import os, signal, sys, time
from gradcli.cli.main import run
sent = []
def hook(*event):
    if not sent and {moment}:
        sent.append(event)
        os.kill(os.getpid(), signal.{name})
        time.sleep({seconds})
sys.addaudithook(hook)
run()
"""


def signalled(name, moment, folder):
    """What a command with an older file in its place does then."""
    (folder / "out.json").write_text("old")
    code = SIGNALLED.format(name=name, moment=moment, seconds=SECONDS)
    done = run([sys.executable, "-c", code, "eval", "exp(x)", "--at", "x=rand(3)", "-o", "out.json"], cwd=folder)
    assert [path.name for path in folder.iterdir()] == ["out.json"]
    assert (folder / "out.json").read_text() == "old"
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "moment",
    ["event[0] == 'import'", IMPORTS.format("numpy"), IMPORTS.format("numpy.random"), OPENS, MOVES],
    ids=["begins", "imports", "draws", "opens", "moves"],
)
def test_interrupted_at_any_moment(tmp_path, moment):
    """130 and silence, no half of a file, and an older one stays."""
    assert signalled("SIGINT", moment, tmp_path) == (130, "")


@pytest.mark.parametrize("moment", [OPENS, MOVES], ids=["opens", "moves"])
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGXCPU"])
def test_no_signal_leaves_half_a_file(tmp_path, name, moment):
    """Whoever ends it while it writes: it dies of that signal."""
    assert signalled(name, moment, tmp_path) == (-getattr(signal, name), "")


def test_interrupted_while_numpy_is_busy():
    """The decomposition takes half a minute of a processor, in which Python does not come to handle a signal."""
    code = (
        "import os, sys\nfrom gradcli.cli.main import run\n"
        "sys.setprofile(lambda frame, event, what: os.write(1, b'.') if frame.f_code.co_name == 'svd' else None)\nrun()"
    )
    words = ["eval", "svd(rand(4000,4000))[1][0]", "--max-memory", "8G"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    child = start([sys.executable, "-c", code, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout.read(1) == b"."
    child.send_signal(signal.SIGINT)
    err = child.communicate(timeout=SECONDS)[1]
    assert (child.returncode, err) == (130, b"")
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 15


def test_a_signal_that_is_ignored_stays_so(tmp_path):
    """As by nohup; here the program hangs up on itself when it begins to write."""
    hook = f"lambda *event: os.kill(os.getpid(), signal.SIGHUP) if {OPENS} else None"
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
