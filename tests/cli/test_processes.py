"""What only a process of its own shows: pipes, terminals, signals, closed streams, locales."""

import json
import os
import pty
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import PROGRAM, ROOT, SECONDS, run, start

DIFF = [*PROGRAM, "diff", "(x+2)**2+3", "--at", "x=2"]
JSON = '{"schema":"gradcli.diff/1","expression":"(x+2)**2+3","value":19.0,"gradient":{"x":8.0}}\n'

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes, terminals and signals of POSIX")


def shell(line: str) -> "subprocess.CompletedProcess[str]":
    """A line of bash, with `gradcli` for the program."""
    return run(["bash", "-c", line.replace("gradcli ", shlex.join(PROGRAM) + " ")])


def on_terminal(words: list[str], columns: int = 80, **changes: str) -> str:
    """What the program shows on a terminal."""
    leader, follower = pty.openpty()
    settings = {"TERM": "xterm-256color", "COLUMNS": str(columns), **changes}
    process = start(words, stdout=follower, stderr=follower, stdin=follower, env=settings)
    os.close(follower)
    shown = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        shown += piece
    os.close(leader)
    process.wait(SECONDS)
    return shown.decode().replace("\r\n", "\n")


def test_json_in_a_pipe() -> None:
    # Variables that make other programs believe in a terminal change nothing.
    done = run(DIFF, env={"FORCE_COLOR": "1", "TTY_COMPATIBLE": "1", "GITHUB_ACTIONS": "true", "COLUMNS": "1"})
    assert (done.returncode, done.stdout, done.stderr) == (0, JSON, "")


def test_table_on_a_terminal() -> None:
    shown = on_terminal(DIFF)
    assert "\x1b[" in shown
    assert "(x+2)**2+3 = 19" in shown
    assert not [line for line in shown.splitlines() if line.endswith((" ", " \x1b[0m"))]


@pytest.mark.parametrize("changes", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour(changes: dict[str, str]) -> None:
    shown = on_terminal(DIFF, 1, **changes)
    assert shown == "(x+2)**2+3 = 19\n\n  variable   value   gradient\n  x              2          8\n"


def test_errors_on_a_terminal_are_coloured() -> None:
    assert "\x1b[1;31merror:\x1b[0m" in on_terminal([*PROGRAM, "diff", "(x"])


def test_closed_pipe() -> None:
    done = shell("gradcli jacobian x --at 'x=rand(1000)' --format jsonl | head -1; echo ${PIPESTATUS[0]}")
    first, status = done.stdout.splitlines()
    assert json.loads(first)["row"] == [0]
    assert status == "141"
    assert done.stderr == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("command", ["diff x --at x=2", "--help", "jacobian x --at 'x=rand(300)'"])
def test_full_disk(command: str) -> None:
    done = shell(f"gradcli {command} > /dev/full")
    assert done.returncode == 74
    assert done.stderr.startswith("error: cannot write")
    assert done.stderr.count("\n") == 1


def test_full_disk_for_a_file() -> None:
    done = shell("gradcli diff x --at x=2 -o /dev/full --plain")
    assert (done.returncode, done.stderr) == (74, "error: cannot write /dev/full: No space left on device\n")


def test_closed_streams() -> None:
    assert shell("gradcli diff x --at x=2 <&-").stdout.startswith("{")
    done = shell("gradcli diff - --at x=2 <&-")
    assert (done.returncode, done.stderr) == (5, "error: stdin is closed\n")
    done = shell("gradcli diff x --at x=2 >&-")
    assert (done.returncode, done.stderr) == (74, "error: stdout is closed\n")
    assert shell("gradcli diff '(x' 2>&-").returncode == 3


def test_interrupt_while_it_waits_for_its_stdin() -> None:
    child = start([*PROGRAM, "eval", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdin.write(b" " * 2**18)  # more than a pipe holds: this returns when most of it is read
    child.stdin.flush()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=SECONDS)
    assert (child.returncode, out, err) == (130, b"", b"")


@pytest.mark.parametrize("changes", [{"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}, {"LC_ALL": "de_DE.UTF-8"}])
def test_locales(changes: dict[str, str]) -> None:
    done = run([*PROGRAM, "diff", "α*x**2", "--at", "x=1.5", "--at", "α=2"], env=changes)
    assert done.stdout == (
        '{"schema":"gradcli.diff/1","expression":"\\u03b1*x**2","value":4.5,"gradient":{"\\u03b1":2.25,"x":6.0}}\n'
    )
    tree = run([*PROGRAM, "graph", "α*x", "--at", "x=1", "--at", "α=2", "--format", "tree"], env=changes)
    assert tree.returncode == 0
    ascii_only = "PYTHONIOENCODING" in changes
    assert ("`--" in tree.stdout) == ascii_only
    assert ("\\u03b1" in tree.stdout) == ascii_only


def test_invalid_utf8_argument() -> None:
    done = run([os.fsencode(word) for word in PROGRAM] + [b"eval", b"\xff"])
    assert done.returncode == 3
    assert done.stderr.isascii()


def test_bug(tmp_path: Path) -> None:
    # A broken module in front of the real one.
    (tmp_path / "lark").mkdir()
    (tmp_path / "lark" / "__init__.py").write_text("raise ZeroDivisionError('x = 5')")
    path = f"{tmp_path}{os.pathsep}{ROOT}"
    done = run(DIFF, env={"PYTHONPATH": path})
    assert done.returncode == 70
    assert done.stderr.startswith("error: a bug in gradcli ")
    assert "Traceback" not in done.stderr
    assert "x = 5" not in done.stderr
    assert "Traceback" in run(DIFF, env={"PYTHONPATH": path, "GRADCLI_DEBUG": "1"}).stderr


@pytest.mark.parametrize(
    ("lines", "absent"),
    [
        ([["--help"], ["--version"], ["completion", "bash"], ["diff", "-h"]], ("numpy", "lark", "rich")),
        ([["diff", "x", "--at", "x=2", "--json"], ["diff", "(x", "--json"], ["diff", "(x"]], ("rich",)),
    ],
)
def test_imports(lines: list[list[str]], absent: tuple[str, ...]) -> None:
    code = (
        "import sys\nfrom gradcli.cli.main import main\n"
        f"for line in {lines!r}: main(line)\n"
        f"print([name for name in {absent!r} if name in sys.modules], file=sys.stderr)"
    )
    done = run([sys.executable, "-c", code])
    assert done.stderr.splitlines()[-1] == "[]"


def test_completion() -> None:
    done = run(PROGRAM, env={"_GRADCLI_COMPLETE": "complete_bash", "COMP_WORDS": "gradcli di", "COMP_CWORD": "1"})
    assert done.stdout == "diff\n"
    done = run(
        PROGRAM, env={"_GRADCLI_COMPLETE": "complete_bash", "COMP_WORDS": "gradcli diff -x --gr", "COMP_CWORD": "3"}
    )
    assert done.stdout == "--grad-output\n"


def test_an_endless_expression_is_not_read_to_its_end(tmp_path):
    """`yes` goes on for ever; the limit of a text is a mebibyte."""
    line = f"yes 'x*' | head -c 200000000 | {sys.executable} -m gradcli eval -"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert (done.returncode, done.stderr) == (4, "error: stdin: too long for an expression\n")


def test_an_expression_on_stdin_is_text_with_any_line_end():
    done = subprocess.run([sys.executable, "-m", "gradcli", "eval", "-", "--at", "x=3", "--plain"], input=b"y = x\ry*2",
                          capture_output=True, timeout=60)  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"6.0\n")
