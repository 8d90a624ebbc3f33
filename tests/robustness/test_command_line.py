"""Odd words on the command line, and readings that could surprise."""

import json

import pytest


@pytest.mark.parametrize(
    ("words", "value", "gradient"),
    [
        (["-x**2", "--at", "x=3"], -9.0, {"x": -6.0}),
        (["-j*2", "--at", "j=1"], -2.0, {"j": -2.0}),
        (["x", "--at", "x=-2"], -2.0, {"x": 1.0}),
        (["-(x)", "--at", "x=2"], -2.0, {"x": -1.0}),
        (["--at", "at=3", "-at"], -3.0, {"at": -1.0}),
        (["--at", "x=2", "--", "--x"], 2.0, {"x": 1.0}),
        (["2**-x", "--at", "x=1"], 0.5, None),
        (["2**3**2*x", "--at", "x=1"], 512.0, None),
        (["x \u2212 1", "--at", "x=3"], 2.0, {"x": 1.0}),
        (["2\u00d7x\u00b73", "--at", "x=1"], 6.0, {"x": 6.0}),
        (["rand()*x", "--at", "x=1"], None, None),
        (["x", "--at", "x=2", "--at", "q=1"], 2.0, {"x": 1.0}),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_read_as_meant(run, words, value, gradient):
    found = run("diff", *words).json
    assert value is None or found["value"] == value
    assert gradient is None or found["gradient"] == gradient
    assert run("diff", *words).out == run("diff", *words).out


REFUSED = [
    (["diff", "x", "--at", "x="], 5, "--at x: no value"),
    (["diff", "x", "--at", "=1"], 2, "takes NAME=VALUE"),
    (["diff", "x", "--at", "x"], 2, "takes NAME=VALUE"),
    (["diff", "x", "--at", "x=1", "--at", "x=2"], 2, "gives x twice"),
    (["diff", "x", "--at", "x=1;y=2"], 5, "the value of this statement is not used"),
    (["diff", "x", "--at", "x=1,5"], 5, "write a decimal point"),
    (["diff", "x", "--at", "X=1"], 4, "did you mean X for x?"),
    (["diff", "x"], 4, "no value for x"),
    (["diff", ""], 3, "nothing to evaluate"),
    (["diff", " "], 3, "nothing to evaluate"),
    (["diff", "# c"], 3, "nothing to evaluate"),
    (["diff", "x", "--at", "x=1", "--wrt", "z"], 4, "there is no value for z"),
    (["diff", "x", "--at", "x=f(x)=1"], 5, "a definition has no value"),
    (["diff", "f(x) = x"], 3, "a definition has no value"),
    (["diff", "x", "--at", "x=[1,[2]]"], 5, "a list needs items of one shape: scalar and 1"),
    (["diff", "x\udcff"], 3, "U+DCFF"),
    (["diff", "x", "--at", "x=\udcff"], 5, "U+DCFF"),
    (["diff", "x", "--at", "\udcff=1"], 2, "takes NAME=VALUE"),
    (["diff", "--jsno", "x"], 2, "did you mean --json?"),
    (["diff", "x", "y"], 2, "jacobian takes several"),
    (["diff", "x", "--at", "x=[1,", *["2,"] * 5000, "3]"], 2, "quote it: --at 'x=[1, 2, 2"),
    (["diff", "x", "--order", "two"], 2, "--order takes a whole number from 1 to 1,000, not 'two'"),
    (["diff", "x", "--seed", "-1"], 2, "--seed takes a whole number, at least 0, not '-1'"),
    (["diff", "x", "--digits", "99"], 2, "--digits takes a whole number from 1 to 17"),
    (["diff", "x", "--max-memory", "0"], 2, "--max-memory takes a size"),
    (["diff", "x", "--max-memory", "9" * 40], 2, "--max-memory takes a size"),
    (["diff", "--" + "x" * 5000], 2, "no such option"),
    # Readings that could surprise are refused.
    (["eval", "2x", "--at", "x=1"], 3, "`2*x`"),
    (["eval", "6/2(1+2)"], 3, "`2*(1+2)`"),
    (["eval", "(a)(b)"], 3, "an operator is missing"),
    (["eval", "1,5"], 3, "a comma between two numbers"),
    (["eval", "x\u00b2", "--at", "x=1"], 3, "write `**2`"),
    (["eval", "\u0445+1", "--at", "x=1"], 3, "(U+0445)"),
    (["eval", "\uff58+1", "--at", "x=1"], 3, "(U+FF58)"),
    (["eval", "\u201cx\u201d"], 3, "(U+201C)"),
    (["eval", "if x = 1", "--at", "x=1"], 3, ""),
]


@pytest.mark.parametrize(("words", "code", "says"), REFUSED, ids=lambda value: ascii(value)[:50])
def test_refused(run, words, code, says):
    done = run(*words)
    assert (done.code, done.out) == (code, "")
    assert says in done.err
    assert done.err.count("\n") <= 10
    assert len(done.err) < 2000
    *warnings, machine = map(json.loads, run(words[0], "--json", *words[1:]).err.splitlines())
    assert machine["schema"] == "gradcli.error/1"
    assert machine["exit"] == code
    assert {warning["schema"] for warning in warnings} <= {"gradcli.warning/1"}
    assert not any("exit" in warning for warning in warnings)


def test_all_warnings_come_before_an_error(run):
    unread = [word for number in range(9) for word in ("--at", f"name{number}=1")]
    done = run("diff", "x*w", "--at", "x=1", *unread, "--json")
    *warnings, error = map(json.loads, done.err.splitlines())
    assert error["schema"] == "gradcli.error/1"
    assert len(warnings) == 6
    assert warnings[-1]["message"] == "4 more warnings of this kind"


def test_a_name_that_is_not_read_is_a_warning(run):
    done = run("diff", "x", "--at", "x=1", "--at", "lamda=2", "--at", "y=1")
    assert done.code == 0
    assert done.err.splitlines() == [
        "warning: the expression does not read lamda, which --at gives",
        "warning: the expression does not read y, which --at gives",
    ]


def test_only_masks_is_a_warning_where_a_gradient_is_wanted(run):
    done = run("diff", "where(m, 1, 2)", "--at", "m=true")
    assert done.json["gradient"] == {}
    assert done.err == "warning: m is a mask, there is no gradient with respect to it\n"
    assert run("eval", "where(m, 1, 2)", "--at", "m=true").err == ""
    assert run("jvp", "where(m, x, 2)", "--at", "m=true", "--at", "x=1", "--tangent", "x=1").err == ""
    assert run("diff", "where(m, x, 2)", "--at", "m=true", "--at", "x=1").err == ""


def test_a_hidden_value_is_a_warning(run, tmp_path):
    done = run("diff", "x = 5; x**2", "--at", "x=3")
    assert done.json["value"] == 25.0
    assert done.err.startswith("warning: x = 5 hides the value that --at gives\n")
    assert "not read" not in done.err
    assert run("diff", "y = x; x = 5; x*y", "--at", "x=3").err == ""
    (tmp_path / "x.json").write_text('{"x": 3}')
    assert run("diff", "x = 5; x**2", "--data", "x.json").err == ""


def test_a_program_file_with_nul_or_bad_utf8(run, tmp_path):
    for data in (b"x\0y", b"\xff\xfe", b"x\xff"):
        (tmp_path / "p.txt").write_bytes(data)
        assert run("eval", "-f", "p.txt", "--at", "x=1").code in (3, 5)


STRICT = [
    ("1/x", "x=0", "a pole: division by 0"),
    ("exp(x)", "x=1000", "an overflow"),
    ("sqrt(x)", "x=0", "infinite"),
    ("tanh(1e200*x)*1e200", "x=0", "on the way back"),
    ("x", "x=nan", "the result is not finite"),
]


@pytest.mark.parametrize(("text", "at", "says"), STRICT)
def test_strict(run, text, at, says):
    done = run("diff", text, "--at", at, "--strict", "--json")
    assert done.code == 4
    assert done.error["kind"] == "nonfinite"
    if says != "infinite":
        assert says in done.error["message"]
    assert run("diff", text, "--at", at).code == 0
    commands = (("jacobian", ["--format", "jsonl"]), ("hessian", []), ("graph", []), ("vjp", []), ("check", []))
    for command, more in commands:
        assert run(command, text, "--at", at, "--strict", *more).code == 4, command


def test_strict_lets_finite_results_pass(run):
    assert run("diff", "x**2", "--at", "x=3", "--strict").json["gradient"] == {"x": 6.0}
    assert run("jacobian", "x**2", "--at", "x=[1,2]", "--strict", "--format", "jsonl").code == 0
    assert run("check", "x**2", "--at", "x=3", "--strict").code == 0
