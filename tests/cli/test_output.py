"""Formats, files, notes and colour."""

import json
from pathlib import Path

import numpy as np
import pytest

from gradcli.cli.formats import BINARY, RENDERERS

X = ["--at", "x=2"]
VECTOR = ["--at", "x=[1,2]", "--at", "k=3"]


@pytest.mark.parametrize(
    ("command", "form"),
    [
        (command, form)
        for command, renderers in RENDERERS.items()
        for form in renderers
        if form not in BINARY and command not in ("functions", "help")
    ],
)
def test_every_format(run, command: str, form: str) -> None:
    direction = ["--tangent", "k=1"] if command in ("jvp", "hvp") else []
    done = run(*command.split(), "sum(x*x)*k", *VECTOR, *direction, "--format", form)
    assert done.code == 0
    assert done.out.endswith("\n")
    if form.startswith("json"):
        json.loads(done.out)


@pytest.mark.parametrize(
    ("command", "form"),
    [("eval", "tree"), ("eval", "dot"), ("eval", "npy"), ("graph", "csv"), ("graph", "plain"), ("functions", "csv")],
)
def test_formats_that_a_command_lacks(run, monkeypatch: pytest.MonkeyPatch, command: str, form: str) -> None:
    words = [command] if command == "functions" else [command, "x", *X]
    assert run(*words, "--format", form).code == 2
    monkeypatch.setenv("GRADCLI_FORMAT", form)
    assert run(*words).code == 0


def test_environment(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADCLI_FORMAT", "plain")
    assert run("diff", "x", *X).out == "x 1.0\n"
    assert run("diff", "x", *X, "--format", "csv").out == "x\n1.0\n"
    monkeypatch.setenv("GRADCLI_FORMAT", "table")
    assert run("graph", "x", *X).out.startswith("AccumulateGrad")


@pytest.mark.parametrize(("suffix", "start"), [("json", "{"), ("jsonl", "{"), ("csv", "x[0],x[1],k"), ("JSON", "{")])
def test_files_by_suffix(run, suffix: str, start: str) -> None:
    assert run("diff", "sum(x)*k", *VECTOR, "-o", f"out.{suffix}") == (0, "", "")
    assert Path(f"out.{suffix}").read_text().startswith(start)


def test_format_beats_suffix(run) -> None:
    run("diff", "x", *X, "-o", "out.json", "--plain")
    assert Path("out.json").read_text() == "x 1.0\n"
    run("graph", "x", *X, "--output=g.dot")
    assert Path("g.dot").read_text().startswith("digraph")


def test_table_in_a_file_has_no_colour_or_width(run) -> None:
    run("diff", "x", *X, "-o", "out.txt", "--format", "table")
    assert Path("out.txt").read_text().startswith("x = 2\n")


@pytest.mark.parametrize("name", ["out", "out.txt", "out.dot", ".json/x", "out.npy.gz"])
def test_unknown_suffix(run, name: str) -> None:
    assert run("diff", "x", *X, "-o", name).code == 2


def test_an_error_leaves_the_old_file(run) -> None:
    Path("out.json").write_text("old")
    assert run("diff", "(x", *X, "-o", "out.json").code == 3
    assert Path("out.json").read_text() == "old"


def test_npy_and_npz(run) -> None:
    run("eval", "x", *VECTOR[:2], "-o", "out.npy")
    assert np.load("out.npy").tolist() == [1.0, 2.0]
    run("diff", "sum(x*x)*file", "--at", "x=[1,2]", "--at", "file=3", "-o", "out.npz")
    with np.load("out.npz") as loaded:
        assert {name: loaded[name].tolist() for name in loaded} == {"x": [6.0, 12.0], "file": 5.0}
    run("diff", "sum(x*x)*k", *VECTOR, "-o", "both.npy")
    assert np.load("both.npy").tolist() == [[6.0, 12.0, 5.0]]
    run("jacobian", "x*k", *VECTOR, "-o", "matrix.npy")
    assert np.load("matrix.npy").tolist() == [[3.0, 0.0, 1.0], [0.0, 3.0, 2.0]]
    run("diff", "y**3", "--at", "y=2", "--order", "2", "-o", "order.npy")
    assert np.load("order.npy").tolist() == [12.0, 12.0]
    run("hessian", "2", "-o", "nothing.npy")
    assert np.load("nothing.npy").shape == (0, 0)


@pytest.mark.parametrize("name", ["missing/out.json", "missing/out.npy", "a\0b.json"])
def test_output_that_cannot_be_written(run, name: str) -> None:
    done = run("diff", "x", *X, "-o", name, "--json" if name.endswith("json") else "--color=never")
    assert done.code == 74


@pytest.mark.parametrize("command", ["diff", "jacobian", "hessian", "jvp", "vjp", "check", "graph"])
def test_every_command_shows_notes_alike(run, command: str) -> None:
    """As JSON, as the last paragraph of a table, and on stderr for a format that has no place for them."""
    direction = ["--tangent", "x=[1,1]"] if command == "jvp" else []
    words = [command, "sum(abs(x) + x)", "--at", "x=[1,0]", *direction]
    [note] = run(*words).json["notes"]
    assert (note["operation"], note["source"], note["span"], note["index"]) == ("abs", "abs(x)", [4, 10], [1])
    sentence = f"abs(x) at [1]: {note['reason']}"
    assert run(*words, "--format", "table").out.endswith(f"\n\nnote: {sentence}\n")
    form = "dot" if command == "graph" else "csv"
    assert run(*words, "--format", form).err == f"warning: {sentence}\n  | sum(abs(x) + x)\n  |     ^^^^^^\n"


def test_notes_stand_in_the_result_or_on_stderr(run) -> None:
    words = ["diff", "abs(x)", "--at", "x=0"]
    [note] = run(*words).json["notes"]
    assert note["operation"] == "abs"
    assert "note: abs(x)" in run(*words, "--format", "table").out
    plain = run(*words, "--plain")
    assert plain.out == "x 0.0\n"
    assert plain.err.startswith("warning: abs")
    assert run("jacobian", *words[1:], "--plain").err.startswith("warning: abs")
    assert "notes" in run("jacobian", *words[1:], "--format", "jsonl").json


def test_non_finite(run) -> None:
    document = run("eval", "[1/x, -1/x, x/x]", "--at", "x=0").json
    assert document["value"] == ["Infinity", "-Infinity", "NaN"]
    assert document["finite"] is False


def test_color_always(run, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["diff", "x", *X, "--format", "table"]
    assert "\x1b[" in run(*words, "--color", "always").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" not in run(*words).out
    assert "\x1b[" not in run("diff", "(x", "--color", "never").err
    assert "\x1b[" in run("diff", "(x", "--color", "always").err


def test_a_format_that_no_command_has_is_a_warning_in_the_environment(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADCLI_FORMAT", "xml")
    done = run("eval", "1")
    assert done.json["value"] == 1.0
    assert done.err.startswith("warning: GRADCLI_FORMAT: no such format: xml\n")
    assert run("eval", "1", "--json").err == ""
    monkeypatch.setenv("GRADCLI_FORMAT", "dot")
    assert run("eval", "1").err == ""
