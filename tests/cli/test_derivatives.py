"""hessian, jvp, vjp and check: the samples of the contract, values, exit codes."""

import json
from pathlib import Path

import numpy as np
import pytest

X = ["--at", "x=2"]
VECTOR = ["--at", "x=[1,2]"]


def test_hessian(run) -> None:
    assert run("hessian", "x**2*y", *X, "--at", "y=3").out == (
        '{"schema":"gradcli.hessian/1","expression":"x**2*y","value":12.0,"gradient":{"x":12.0,"y":4.0},'
        '"hessian":{"x":{"x":6.0,"y":4.0},"y":{"x":4.0,"y":0.0}}}\n'
    )
    assert run("hessian", "sum(x**3)*k", *VECTOR, "--at", "k=2", "--wrt", "x").json["hessian"] == {
        "x": {"x": [[12.0, 0.0], [0.0, 24.0]]}
    }
    error = run("hessian", "x**2", *VECTOR, "--json").error
    assert (error["exit"], error["span"]) == (4, [0, 4])


def test_hessian_in_files(run) -> None:
    words = ["hessian", "k*sum(x**2)", "--at", "k=3", *VECTOR]
    run(*words, "-o", "out.npz")
    with np.load("out.npz") as loaded:
        assert sorted(loaded) == ["k.k", "k.x", "x.k", "x.x"]
        assert loaded["x.x"].tolist() == [[6.0, 0.0], [0.0, 6.0]]
        assert loaded["k.k"].shape == ()
    run(*words, "-o", "out.npy")
    matrix = np.load("out.npy").tolist()
    assert matrix == [[0.0, 2.0, 4.0], [2.0, 6.0, 0.0], [4.0, 0.0, 6.0]]
    assert run(*words, "--plain").out == "".join(" ".join(map(repr, row)) + "\n" for row in matrix)
    run("hessian", "sum(x**2)", "--at", "x=[[1,2]]", "-o", "one.npy")
    assert np.load("one.npy").shape == (1, 2, 1, 2)
    assert run("eval", "m", "--at", "m=@out.npz:x.x").json["value"] == [[6.0, 0.0], [0.0, 6.0]]


def test_files_without_entries(run) -> None:
    for command in ("hessian", "diff"):
        assert run(command, "2", "-o", "out.npy").code == 0
        assert np.load("out.npy").size == 0
    assert run("jacobian", "x*y", "--at", "x=zeros(0)", "--at", "y=1", "-o", "out.npy").code == 0
    assert run("hessian", "y**2*sum(x)", "--at", "x=zeros(0)", "--at", "y=1", "-o", "out.npy").code == 0
    assert np.load("out.npy").tolist() == [[0.0]]


def test_jvp(run) -> None:
    words = ["jvp", "x*y", *X, "--at", "y=[3,4]"]
    assert run(*words, "--tangent", "x=1").out == (
        '{"schema":"gradcli.jvp/1","expression":"x*y","value":[6.0,8.0],"tangent":[3.0,4.0]}\n'
    )
    assert run(*words, "--tangent", "x=-1", "--tangent", "y=[1,0]").json["tangent"] == [-1.0, -4.0]
    assert run(*words, "--tangent=x=1", "--plain").out == "tangent 3.0 4.0\n"
    run(*words, "--tangent", "x=1", "-o", "out.npz")
    assert np.load("out.npz")["tangent"].tolist() == [3.0, 4.0]


@pytest.mark.parametrize(
    ("tangent", "message"),
    [
        (["--tangent", "z=1"], "no value for z"),
        (["--tangent", "x=[1,2]"], "the tangent of x has shape 2, x has shape scalar"),
        (["--tangent", "pi=1"], "pi is a constant"),
    ],
)
def test_tangents_that_do_not_fit(run, tangent: list[str], message: str) -> None:
    error = run("jvp", "x*pi", *X, *tangent, "--json").error
    assert error["exit"] == 4
    assert message in error["message"]


def test_vjp(run) -> None:
    words = ["vjp", "x*y", *X, "--at", "y=[3,4]"]
    assert run(*words, "--cotangent", "[1,10]").out == (
        '{"schema":"gradcli.vjp/1","expression":"x*y","value":[6.0,8.0],"gradient":{"x":43.0,"y":[2.0,20.0]}}\n'
    )
    assert run(*words, "--cotangent", "[1,10]", "--wrt", "x", "--plain").out == "x 43.0\n"
    assert run("vjp", "x**2", *X).json["gradient"] == {"x": 4.0}
    assert run("vjp", "x**2", *X, "--cotangent", "-1").json["gradient"] == {"x": -4.0}
    assert "--cotangent" in run(*words, "--json").error["help"]
    refused = run(*words, "--cotangent", "1", "--json").error
    assert refused["message"] == "cotangent has shape scalar, the result has shape 2"
    table = run(*words, "--cotangent", "[1,10]", "--format", "table").out
    assert table.endswith(
        "  variable   value   gradient\n  x              2         43\n\ngradient of y  (2)\n  [ 2 20]\n"
    )


def test_check(run) -> None:
    document = run("check", "sin(x)*sum(y)", *X, "--at", "y=[1,2]").json
    assert list(document) == ["schema", "expression", "passed", "variables"]
    assert document["passed"] is True
    found = document["variables"]["y"]
    assert list(found) == ["max_error", "worst", "reverse", "forward", "numeric", "passed"]
    assert found["reverse"] == found["forward"] == pytest.approx(np.sin(2))
    assert list(run("check", "x*y", *X, "--at", "y=1", "--wrt", "y").json["variables"]) == ["y"]


def test_check_at_a_kink(run) -> None:
    done = run("check", "abs(x)", "--at", "x=0")
    found = done.json["variables"]["x"]
    assert list(found)[6:] == ["left", "right", "note"]
    assert (found["left"], found["right"]) == (-1.0, 1.0)
    assert done.json["notes"][0]["source"] == "abs(x)"


@pytest.mark.parametrize("form", ["table", "json", "jsonl", "csv", "plain"])
def test_check_exits_with_1_where_a_claim_is_wrong(run, form: str) -> None:
    words = ["check", "x**2", *X, "--format", form, "--against"]
    assert run(*words, "x=4").code == 0
    done = run(*words, "x=5")
    assert (done.code, done.err) == (1, "")
    assert done.out != ""


def test_check_writes_its_file_before_it_says_no(run) -> None:
    assert run("check", "x**2", *X, "--against", "x=5", "-o", "out.json") == (1, "", "")
    assert json.loads(Path("out.json").read_text())["variables"]["x"]["claimed"] == 5.0


@pytest.mark.parametrize(
    ("claim", "code"), [("z=1", 4), ("x=[4]", 4), ("x=", 5), ("x=y", 5), ("x=@nothing.json", 5), ("x", 2)]
)
def test_claims_that_cannot_be(run, claim: str, code: int) -> None:
    assert run("check", "x**2", *X, "--against", claim).code == code


@pytest.mark.parametrize(
    ("command", "option", "prefix"),
    [("jvp", "--tangent", "x="), ("vjp", "--cotangent", ""), ("check", "--against", "x=")],
)
def test_every_kind_of_value(run, command: str, option: str, prefix: str) -> None:
    """Such values follow the rules of --at: files, stdin, the spellings of nan, constant expressions."""
    Path("v.json").write_text('{"a": [1, 2]}')
    Path("v.csv").write_text("v\n1\n2\n")
    np.save("v.npy", np.array([1.0, 2.0]))
    text = "x**2/2" if command == "check" else "x"
    for value in ("[1, 2]", "arange(1, 3)", "@v.json:a", "@v.csv", "@v.npy", "@-", "@-:b"):
        stdin = '{"b": [1, 2]}' if value == "@-:b" else "1 2"
        if command == "check":
            value, stdin = f"diag({value})" if not value.startswith("@") else "[[1,0],[0,2]]", ""
        assert run(command, text, *VECTOR, option, prefix + value, stdin=stdin).code == 0, value
    if command != "check":
        assert run(command, text, *VECTOR, option, prefix + '["NaN", "-Infinity"]').json["finite"] is False
    refused = run(command, text, *VECTOR, option, prefix + "[1, y]", "--json").error
    assert (refused["exit"], refused["in"]) == (5, f"{option} {prefix.rstrip('=')}".rstrip())


def test_data_brings_the_names_of_a_tangent(run) -> None:
    data = '{"x": 2, "unread": 1, "text": "no"}'
    words = ["jvp", "x**2", "--data", "-"]
    assert run(*words, "--tangent", "unread=1", stdin=data).json["tangent"] == 0.0
    assert run(*words, "--tangent", "text=1", stdin=data).code == 5


@pytest.mark.parametrize(
    ("words", "code", "shown"),
    [
        (["diff"], 0, "x**2  (1)\n  [4]\n\ngradient of x  (1)\n  [4]\n"),
        (["jvp", "--tangent", "x=[1]"], 0, "x**2  (1)\n  [4]\n\ntangent  (1)\n  [4]\n"),
        (["hessian"], 0, "hessian of x, x  (1x1)\n  [[2]]\n"),
        (["check"], 0, "  x          [0, 0]"),
        (["diff", "--order", "2"], 4, "x has shape 1\n  = help: a number read from text is a vector of one"),
        (["jvp", "--tangent", "x=1"], 4, "x has shape 1\n  = help: a vector of one number is written [1]"),
        (["vjp", "--cotangent", "1"], 4, "the result has shape 1\n  = help: a vector of one number is written [1]"),
    ],
)
def test_a_number_in_a_pipe_is_a_vector_of_one(run, words: list[str], code: int, shown: str) -> None:
    piped = run("eval", "1 + 1", "--plain").out
    command, *rest = words
    done = run(command, "x**2", "--at", "x=@-", *rest, "--format", "table", stdin=piped)
    assert done.code == code
    assert shown in done.out + done.err


def test_json_in_a_pipe_keeps_a_scalar(run) -> None:
    piped = run("eval", "1 + 1").out
    assert run("diff", "x**2", "--at", "x=@-:value", "--order", "2", stdin=piped).json["derivatives"] == [4.0, 2.0]
