"""Writing to streams that lack characters, fail, or are missing."""

import errno
import io
import sys
import warnings

import pytest

from gradcli.cli import output, streams
from gradcli.cli.main import main
from gradcli.errors import OutputFailed
from gradcli.modes.expression import Expression


@pytest.mark.parametrize(
    ("text", "encoding", "written"),
    [("x = 1\n", "ascii", b"x = 1\n"), ("α×β\n", "ascii", b"\\u03b1\\xd7\\u03b2\n"), ("é\n", "latin-1", b"\xe9\n")],
)
def test_escapes_stand_for_what_a_stream_cannot_say(text: str, encoding: str, written: bytes) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    streams.put(text, stream)
    stream.flush()
    assert raw.getvalue() == written


class Full(io.StringIO):
    """A disk without room: what is written is noticed when it is handed on."""

    def flush(self) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Full())
    with pytest.raises(OutputFailed, match=r"stdout.*No space left on device"):
        output.flush()


@pytest.mark.parametrize("closed", [False, True])
def test_a_missing_stdout_is_an_error(closed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    stdout, stderr = io.StringIO(), io.StringIO()
    stdout.close()
    monkeypatch.setattr(sys, "stdout", stdout if closed else None)
    monkeypatch.setattr(sys, "stderr", stderr)
    assert main(["eval", "1"]) == OutputFailed.exit_code
    assert stderr.getvalue() == "error: stdout is closed\n"


def test_a_missing_stdin_is_an_error(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(io, "TextIOWrapper", lambda data: None)  # what `run` puts in place of stdin
    done = run("eval", "x", "--at", "x=@-")
    assert (done.code, done.out) == (5, "")
    assert "stdin is closed" in done.err


def test_a_bug_is_told_without_a_traceback(run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("x = 5")

    monkeypatch.setattr(Expression, "evaluate", broken)
    done = run("eval", "1")
    assert (done.code, done.out) == (70, "")
    assert done.err.startswith("error: a bug in gradcli ")
    assert "ZeroDivisionError" in done.err
    assert "GRADCLI_DEBUG=1" in done.err
    assert "x = 5" not in done.err


def test_warnings_are_shown_as_before_when_a_command_is_done(run) -> None:
    before = warnings.showwarning, [*warnings.filters]
    assert run("eval", "[1, 2] × [3, 4]").code == 0
    assert (warnings.showwarning, [*warnings.filters]) == before


def test_notes_on_several_expressions_go_without_a_caret(run) -> None:
    done = run("jacobian", "abs(x)", "2*x", "--at", "x=0", "--plain")
    assert (done.code, done.out) == (0, "0.0\n2.0\n")
    assert done.err.startswith("warning: abs(x): ")
    assert "^" not in done.err
