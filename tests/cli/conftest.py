"""Command lines run in this process."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gradcli.cli.main import main


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        """The one line of JSON on stderr."""
        assert self.out == ""
        assert self.err.count("\n") == 1
        return json.loads(self.err)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., Done]:
    """Run gradcli with these words, in an empty folder; `stdin` is what it may read."""
    for name in ("GRADCLI_FORMAT", "GRADCLI_DEBUG", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)

    def call(*words: str, stdin: str | bytes = "") -> Done:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        code = main(words)
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return call


@pytest.fixture
def value(run: Callable[..., Done]) -> Callable[..., Any]:
    """What the VALUE of x reads as."""
    return lambda text, **more: run("eval", "x", "--at", f"x={text}", "--json", **more).json["value"]


@pytest.fixture
def refusal(run: Callable[..., Done]) -> Callable[..., str]:
    """How the VALUE of x is refused."""

    def call(text: str, code: int = 5, **more: Any) -> str:
        error = run("eval", "x", "--at", f"x={text}", "--json", **more).error
        assert error["exit"] == code
        return str(error["message"])

    return call
