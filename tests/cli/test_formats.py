"""Every format holds the numbers of the JSON document, in as much memory as there is and in little."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

N = 3 * 64 + 5
VECTOR = ["--at", "x=rand(197)+0.5", "--at", "k=1.75"]
SMALL = ["--at", "x=rand(4)+0.5", "--at", "k=1.75"]
FEW = ["--max-memory", "1M"]
LINES = {
    "eval": ["eval", "exp(x)*k"],
    "diff": ["diff", "sum(x**3)*k"],
    "vjp": ["vjp", "x**3*k", "--cotangent", "2*ones(197)"],
    "jvp": ["jvp", "x**3*k", "--tangent", "k=2"],
    "hvp": ["hvp", "sum(x)**3*k", "--tangent", "k=2"],
    "jacobian": ["jacobian", "exp(x)*sum(x)*k"],
    "jacobian, rows": ["jacobian", "exp(x)*sum(x)*k", "--mode", "rows"],
    "jacobian, columns": ["jacobian", "exp(x)*sum(x)*k", "--mode", "columns"],
    "jacobian, sparse": ["jacobian", "x**3*k", "--mode", "sparse"],
    "hessian": ["hessian", "sum(x)**3*k"],
    "hessian --diag": ["hessian", "--diag", "sum(x)**3*k"],
}


def numbers(rows: Any) -> np.ndarray:
    return np.array([[float(word) for word in row] for row in rows])


def dense(block: Any) -> np.ndarray:
    """A block of a JSON document, also one that is given by its entries."""
    if not isinstance(block, dict):
        return np.array(block, dtype=float)
    whole = np.zeros(block["shape"])
    whole[block["rows"], block["cols"]] = block["values"]
    return whole


def matrix(document: Any) -> np.ndarray:
    """What csv, plain and npy hold: flattened blocks side by side, bands of a Hessian below each other."""
    command = document["schema"].partition("/")[0].removeprefix("gradcli.")
    if command == "eval":
        return np.array(document["value"]).reshape(1, -1)
    if command == "jvp":
        return np.array(document["tangent"]).reshape(1, -1)
    if command == "hessian" and "hessian" in document:
        point = {name: np.size(value) for name, value in document["gradient"].items()}
        return np.block(
            [
                [dense(block).reshape(size, point[b]) for b, block in document["hessian"][a].items()]
                for a, size in point.items()
            ]
        )
    if command == "jacobian":
        height = np.size(document["value"])
        return np.concatenate([dense(part).reshape(height, -1) for part in document["jacobian"].values()], axis=1)
    named = document.get("diagonal") or document.get("hvp") or document["gradient"]
    return np.concatenate([np.reshape(part, (1, -1)) for part in named.values()], axis=1)


@pytest.mark.parametrize("memory", [[], FEW], ids=["roomy", "1M"])
@pytest.mark.parametrize("name", LINES)
def test_formats(run, name: str, memory: list[str]) -> None:
    words = [*LINES[name], *VECTOR, *memory]
    if memory and name == "jacobian, sparse":
        words[words.index("x=rand(197)+0.5")] = "x=rand(69)+0.5"  # its pattern takes more than its entries
    document = run(*words, "--json").json
    expected = matrix(document)
    sparse = "sparse" in name
    plain = [line.split() for line in run(*words, "--plain").out.splitlines()]
    rows = list(csv.reader(io.StringIO(run(*words, "--format", "csv").out)))
    if sparse:
        entries = np.zeros(expected.shape)
        for row in numbers(plain):
            entries[int(row[0]), int(row[1])] = row[2]
        np.testing.assert_array_equal(entries, expected)
        np.testing.assert_array_equal(numbers(rows[1:]), numbers(plain))
    elif name.startswith("jacobian") or name == "hessian":
        np.testing.assert_array_equal(numbers(plain), expected)
        np.testing.assert_array_equal(numbers(rows[1:]), expected)
    elif name != "eval":
        flat = [float(word) for line in plain for word in line[1:]]
        np.testing.assert_array_equal(flat, expected[0])
    else:
        np.testing.assert_array_equal(numbers(plain), expected)
    if not (sparse and name.startswith("hessian")):
        run(*words, "-o", "out.npy")
        np.testing.assert_array_equal(np.load("out.npy").reshape(expected.shape), expected)


@pytest.mark.parametrize("memory", [[], FEW], ids=["roomy", "1M"])
@pytest.mark.parametrize("mode", ["auto", "rows", "stacked", "columns"])
def test_lines_of_json(run, mode: str, memory: list[str]) -> None:
    words = ["jacobian", "exp(x)*sum(x)*k", "--mode", mode, *VECTOR, *memory]
    document = run(*words, "--json").json
    rows = [json.loads(line) for line in run(*words, "--format", "jsonl").out.splitlines()]
    assert [row["row"] for row in rows] == [[i] for i in range(N)]
    assert [row["value"] for row in rows] == document["value"]
    for name, whole in document["jacobian"].items():
        np.testing.assert_allclose([row["jacobian"][name] for row in rows], whole, rtol=1e-15)


@pytest.mark.parametrize("name", [name for name in LINES if "sparse" not in name])
def test_tables(run, name: str) -> None:
    """Seventeen digits are all there are."""
    words = [word.replace("197", "4") for word in LINES[name]] + SMALL
    document = run(*words, "--json").json
    shown = run(*words, "--format", "table", "--digits", "17").out
    found = {float(word) for word in re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?", shown)}
    assert {float(value) for value in matrix(document).reshape(-1)} <= found
    assert {float(value) for value in np.reshape(document["value"], -1)} <= found


def test_where_notes_stand(run) -> None:
    """Those of a table are part of it, in a pipe and in a file too; csv and plain have no place for them."""
    words = ["diff", "max(x)", "--at", "x=[1,1]"]
    note = "max(x) at [0]: a tie"
    done = run(*words, "--format", "table")
    assert f"note: {note}" in done.out
    assert done.err == ""
    run(*words, "--format", "table", "-o", "out.txt")
    assert f"note: {note}" in Path("out.txt").read_text()
    for form in ("csv", "plain"):
        done = run(*words, "--format", form)
        assert "note" not in done.out
        assert f"warning: {note}" in done.err
    assert run(*words, "--json").json["notes"][0]["source"] == "max(x)"


@pytest.mark.parametrize("words", [["functions", "sin"], ["functions"], ["help", "quoting"], ["help"]])
def test_text_is_text_whatever_the_environment_says(run, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    plain = run(*words).out
    monkeypatch.setenv("GRADCLI_FORMAT", "json")
    assert run(*words).out == plain
    assert not plain.startswith("{")
    assert json.loads(run(*words, "--json").out)["schema"].startswith("gradcli.")
