"""Which word is an option, its value, or text."""

import pytest

from gradcli.cli.parsing import Word, asked, words

DECLARED = {"--at": True, "-o": True, "--json": False, "--format": True, "-h": False}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (["-x**2", "--at", "x=2"], [Word(None, "-x**2"), Word("--at", "x=2")]),
        (["--at", "--json"], [Word("--at", "--json")]),
        (["--at=x=2"], [Word("--at", "x=2")]),
        (["-o", "-"], [Word("-o", "-")]),
        (["-o=3", "-ox", "-e", "-"], [Word(None, "-o=3"), Word(None, "-ox"), Word(None, "-e"), Word(None, "-")]),
        (["--", "--json", "--"], [Word(None, "--json"), Word(None, "--")]),
        (["--jsno"], [Word("--jsno", None)]),
        (["--json*x"], [Word("--json*x", None)]),
        (["--at"], [Word("--at", None)]),
        ([""], [Word(None, "")]),
    ],
)
def test_words(line: list[str], expected: list[Word]) -> None:
    assert list(words(line, DECLARED)) == expected


def test_asked() -> None:
    assert asked(["x", "--at", "--json", "--format=csv", "--bad"], DECLARED) == {
        "--at": "--json",
        "--format": "csv",
        "--bad": "",
    }


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (["-x**2", "--at", "x=3"], -9),
        (["-2*x", "--at", "x=3"], -6),
        (["-(x)", "--at", "x=3"], -3),
        (["-j*2", "--at", "j=1"], -2),
        (["-e", "--json"], -2.718281828459045),
        (["-f", "--json", "--at", "f=2", "--", "-f"], None),
        (["--at", "x=2", "--", "--x"], 2),
        (["--at", "at=2", "--", "--at"], 2),
        (["--at=x=-2", "x"], -2),
        (["x", "--at", "x=-1e-3"], -1e-3),
    ],
)
def test_expressions_that_begin_with_a_minus(run, line: list[str], value: float | None) -> None:
    done = run("eval", *line)
    if value is None:  # -f takes its own following word, whatever it looks like
        assert done.code == 2
    else:
        assert done.json["value"] == value


def test_value_that_looks_like_an_option(run) -> None:
    assert run("diff", "2*x", "--grad-output", "-1", "--at", "x=1").json["gradient"] == {"x": -2.0}


@pytest.mark.parametrize(
    ("line", "message", "help"),
    [
        (["diff", "x", "--jsno"], "no such option: --jsno", "did you mean --json?"),
        (["diff", "--x", "--at", "x=1"], "no such option: --x", "a separate --: -- --x"),
        (["diff", "x", "--at"], "--at takes a value", ""),
        (["diff", "x", "--plain=1"], "does not take a value", ""),
        (["diff", "x", "+", "2"], "3 expressions where one is taken", "quote it"),
        (["diff"], "no expression", "gradcli diff"),
        (["diff", "--at", "x=1"], "no expression", ""),
        (["diff", "x", "-f", "a"], "an expression and --file", ""),
        (["diff", "x", "--order", "two"], "--order", ""),
        (["diff", "x", "--order", "0"], "--order", ""),
        (["diff", "x", "--digits", "18"], "--digits", ""),
        (["diff", "x", "--seed", "-1"], "--seed", ""),
        (["diff", "x", "--max-memory", "lots"], "--max-memory takes a size", "500M"),
        (["diff", "x", "--color", "red"], "--color takes", ""),
        (["diff", "x", "--at", "x"], "takes NAME=VALUE", "--at x=2"),
        (["diff", "x", "--at", "=1"], "takes NAME=VALUE", ""),
        (["diff", "x", "--at", "2x=1"], "takes NAME=VALUE, and '2x' is not a name", "a letter or _"),
        (["diff", "x", "--at", '{"x": 1}'], "takes NAME=VALUE", "--data FILE.json"),
        (["diff", "x", "--at", "x=1", "--at", "x=2"], "gives x twice", ""),
        (["jvp", "x", "--tangent", "x=1", "--tangent", "x=2"], "--tangent gives x twice", ""),
        (["jvp", "x", "--tangent", "1"], "--tangent takes NAME=VALUE", "--tangent x=2"),
        (["jvp", "x", "--at", "x=1"], "needs a direction", "--tangent NAME=VALUE"),
        (["hvp", "x"], "needs a direction", "--tangent NAME=VALUE"),
        (["diff", "x", "--at", "True=3"], "True is a word of the language", ""),
        (["eval", "x", "--at", "x=1", "--at", "None=1"], "None is a word of the language", ""),
        (["jvp", "x", "--at", "x=1", "--tangent", "or=1"], "or is a word of the language", ""),
        (["check", "x", "--at", "x=1", "--against", "and=1"], "and is a word of the language", ""),
        (["hessian", "x", "--at", "x=1", "--wrt", "x,not"], "not is a word of the language", ""),
        (["eval", "1", "--data", "-"], "False is a word of the language", ""),
        (["jacobian", "x*y", "--at", "x=1", "y=2"], "y=2 would be an expression here", "--at y=2"),
        (["jacobian", "--at", "x=1", 'y=[1,"nan"]', "x*y"], "would be an expression here", "--at 'y=["),
        (["jacobian", "x*y", "--at", "x=1", "y=@y.csv"], "would be an expression here", "--at y=@y.csv"),
        (["check", "x", "--against", "x"], "--against takes NAME=VALUE", ""),
        (["jvp", "-", "--tangent", "x=@-"], "stdin is wanted twice", ""),
        (["vjp", "x", "--at", "x=@-", "--cotangent", "@-"], "stdin is wanted twice", ""),
        (["diff", "-", "--at", "x=@-"], "stdin is wanted twice", ""),
        (["diff", "x", "--data", "-", "--at", "x=@-"], "stdin is wanted twice", ""),
        (["jacobian", "x", "--mode", "fast"], "no such mode: fast", "auto, rows, stacked"),
        (["hesian", "x"], "no such command: hesian", "did you mean hessian?"),
        (["evla", "x"], "no such command: evla", "did you mean eval?"),
        (["frobnicate", "x"], "no such command: frobnicate", "gradcli --help lists the commands"),
        (["x+" * 30 + "x", "*2"], "no such command: ", "gradcli eval 'x+x+"),
        (["diff", "x", "n=" + "1" * 59], "2 expressions where one is taken", "--at n=" + "1" * 55 + "...\n"),
        (["diff", "x", "n=" + "1" * 58], "2 expressions where one is taken", "--at n=" + "1" * 58 + "\n"),
        (["--jsno"], "no such option: --jsno", "options come after the command"),
        (["--plain", "diff", "x"], "no such option: --plain", "options come after the command"),
        (["-o", "a.json", "diff", "x"], "no such option: -o", "options come after the command"),
        (["jacobian", "--", "x", "--at", "x=2"], "--at stands behind --", "put the options before it"),
        (["diff", "--", "-x", "--plain"], "--plain stands behind --", "put the options before it"),
        (["--versoin"], "no such option: --versoin", "did you mean --version?"),
        (["diff", "x", "--seed", "1", "--seed", "1"], "--seed is given twice", ""),
        (["diff", "x", "--format", "csv", "--format=plain"], "--format is given twice", ""),
        (["diff", "-f", "a", "--file", "b"], "--file is given twice", ""),
        (["diff", "-f", "model.txt", "--at", "x=[1,", "2]"], "--at takes one word", "quote it: --at 'x=[1, 2]'"),
        (["diff", "x", "--at", "x", "=", "[1,", "2]"], "--at takes one word, not 4", "quote it: --at 'x=[1, 2]'"),
        (["diff", "x", "--at", "x", "=2"], "--at takes one word, not 2", "--at x=2"),
        (["vjp", "x", "--cotangent", "[1,", "2]"], "--cotangent takes one word", "--cotangent '[1, 2]'"),
        (["diff", "x", "--at", "x=[1,", "y"], "2 expressions where one is taken", ""),
        (["diff", "[x,", "y]"], "2 expressions where one is taken", "quote it: '[x, y]'"),
        (["diff", "x", "-y"], "no such option: -y", "quote it: 'x -y'"),
        (["diff", "-x", "+", "2"], "3 expressions where one is taken", "quote it: '-x + 2'"),
        (["diff", "x", "--value=3"], "no such option: --value", "did you mean --at?"),
        (["functions", "sni"], "no function sni", "did you mean sin?"),
        (["help", "grmmar"], "no such topic: grmmar", "grammar"),
        (["completion", "csh"], "no such shell: csh", "bash"),
    ],
)
def test_usage(run, line: list[str], message: str, help: str) -> None:
    done = run(*line, stdin='{"False": 1}')
    assert done.code == 2
    assert done.out == ""
    assert message in done.err
    assert help in done.err
    assert done.err.startswith("error: ")


def test_rows_that_assign_are_rows(run) -> None:
    words = ["--at", "x=3", "--json"]
    assert run("jacobian", *words, "x", "z = x").json["jacobian"] == {"x": [1.0, 1.0]}
    assert run("jacobian", *words, "x", "z = 2; z*x").json["jacobian"] == {"x": [1.0, 2.0]}
    assert run("jacobian", "z=2", "x", *words).json["jacobian"] == {"x": [0.0, 1.0]}


def test_several_names_behind_one_wrt(run) -> None:
    words = ["diff", "x*y*z", "--at", "x=2", "--at", "y=3", "--at", "z=5", "--json"]
    assert list(run(*words, "--wrt", "z,x").json["gradient"]) == ["z", "x"]
    assert list(run(*words, "--wrt", "y , x", "--wrt", "x,z").json["gradient"]) == ["y", "x", "z"]
    assert "is not one name" in run(*words, "--wrt", "x,,y").error["message"]


def test_a_flag_may_be_given_twice(run) -> None:
    assert run("eval", "1", "--json", "--json").json["value"] == 1.0


def test_nothing_to_do_prints_the_help(run) -> None:
    done = run()
    assert done.code == 2
    assert "Usage: gradcli" in done.err


@pytest.mark.parametrize("line", [[], ["foo"], ["diff", "--jsno"], ["diff", "x", "--at", "x"], ["diff"]])
def test_usage_errors_as_json(run, monkeypatch: pytest.MonkeyPatch, line: list[str]) -> None:
    monkeypatch.setenv("GRADCLI_FORMAT", "json")
    error = run(*line).error
    assert (error["schema"], error["kind"], error["exit"]) == ("gradcli.error/1", "usage", 2)


@pytest.mark.parametrize(
    ("line", "machine"),
    [
        (["--json"], True),
        (["--format", "json"], True),
        (["--format=jsonl"], True),
        (["--format", "table"], False),
        (["--plain"], False),
        (["--at", "--json"], False),
        (["--", "--json"], False),
        ([], False),
    ],
)
def test_when_errors_are_json(run, line: list[str], machine: bool) -> None:
    assert run("diff", "(x", *line).err.startswith("{") == machine


def test_an_unknown_command_hears_json_too(run) -> None:
    assert run("foo", "x", "--json").error["kind"] == "usage"
    assert run("--json").error["kind"] == "usage"


def test_option_beats_environment_for_errors(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADCLI_FORMAT", "json")
    assert run("diff", "(x", "--plain").err.startswith("error:")
    assert run("diff", "(x", "--format", "auto").err.startswith("{")
