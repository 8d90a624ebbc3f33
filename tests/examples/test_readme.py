"""The README is run: its shell sessions, its Python sessions, its table of conventions."""

import doctest
import io
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import gradcli
from gradcli.cli.app import app
from gradcli.cli.main import main
from gradcli.modes import Expression

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"(<!-- not run: (?P<reason>[^>]*) -->\n)?^```(?P<kind>\w*)\n(?P<text>.*?)^```$", re.M | re.S)
BLOCKS = [match.groupdict() for match in BLOCK.finditer(README)]
SESSIONS = [block["text"] for block in BLOCKS if block["kind"] == "console"]
CONVENTIONS = re.findall(r"^\| `([^|]*)` \| `([^|]*)` \| `([^|]*)` \|$", README, re.M)


class Exchange(NamedTuple):
    command: str
    shown: str


def exchanges(session: str) -> list[Exchange]:
    """Each command after `$ `, perhaps going on after `> `, and what it shows."""
    found = re.findall(r"^\$ (.*\n(?:> .*\n)*)((?:(?!\$ ).*\n)*)", session, re.M)
    assert found
    return [Exchange(command.strip().replace("\n> ", "\n"), shown) for command, shown in found]


def test_every_block_is_run_or_says_why_not():
    kinds = {"console", "pycon", "python"}
    assert [b for b in BLOCKS if b["kind"] not in kinds and not b["reason"]] == []
    assert README.count("```") == 2 * len(BLOCKS)


def pieces(text: str, separator: str) -> list[str]:
    """`text` cut at a separator that does not stand in quotes."""
    return [piece.strip() for piece in re.findall(rf"(?:'[^']*'|\"[^\"]*\"|[^{re.escape(separator)}])+", text)]


@pytest.fixture
def terminal(shell, monkeypatch, capsys, tmp_path):
    """Runs a line as a terminal would: what is gradcli in this process, all else in a shell. Returns text and code."""
    monkeypatch.chdir(tmp_path)

    def stage(command: str, given: str, last: bool) -> tuple[str, int]:
        if not command.startswith("gradcli "):
            done = shell(command, tmp_path, given)
            return done.stdout + done.stderr, done.returncode
        monkeypatch.setenv("GRADCLI_FORMAT", "table" if last else "auto")
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        code = main(shlex.split(command)[1:])
        return "".join(capsys.readouterr()), code

    def run(line: str) -> tuple[str, int]:
        if "$(" in line:
            return stage(line, "", last=True)
        shown, code = "", 0
        for pipeline in pieces(line, ";"):
            stages, flow = pieces(pipeline, "|"), ""
            for command in stages:
                flow, code = stage(command, flow, last=command is stages[-1])
            shown += flow
        return shown, code

    return run


@pytest.mark.parametrize("session", SESSIONS, ids=lambda text: text.split("\n")[0][2:50])
def test_shell_session(session, terminal, plain_numbers):
    code = 0
    for command, shown in exchanges(session):
        found, code = (f"{code}\n", 0) if command == "echo $?" else terminal(command)
        assert plain_numbers(found) == plain_numbers(shown)


@pytest.mark.parametrize("number", [i for i, block in enumerate(BLOCKS) if block["kind"] == "pycon"])
def test_python_session(number):
    text = BLOCKS[number]["text"]
    test = doctest.DocTestParser().get_doctest(text, {"gradcli": gradcli}, f"block {number}", "README.md", 0)
    assert test.examples
    report: list[str] = []
    result = doctest.DocTestRunner().run(test, out=report.append)
    assert result.failed == 0, "".join(report)


def test_the_entries_that_are_shown_are_those_of_the_table():
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "gradcli" / "primitives").glob("*.py"))
    shown = [block["text"] for block in BLOCKS if block["kind"] == "python"]
    assert len(shown) == 2
    assert all(entry in sources for entry in shown)


@pytest.mark.parametrize(("text", "at", "gradient"), CONVENTIONS, ids=[text for text, _, _ in CONVENTIONS])
def test_convention(text, at, gradient):
    def number(written):
        return gradcli.parse(written).evaluate({}).value

    found = gradcli.parse(text).diff({"x": number(at)}).gradient["x"]
    np.testing.assert_array_equal(found, number(gradient))


def test_the_conventions_were_found():
    assert len(CONVENTIONS) > 10


def test_all_commands_are_named():
    table = README.split("### All commands")[1].split("##")[0]
    named = re.findall(r"`(\w+)`", table)
    assert {command.name for command in app.registered_commands} <= set(named)


def test_all_methods_are_named():
    told = README.split("## In Python")[1].split("are there as methods")[0]
    methods = {name for name in vars(Expression) if not name.startswith("_")}
    assert methods - {"cautions", "left_out", "masks"} <= set(re.findall(r"`(\w+)`", told))
