"""What the commands print: the samples of the contract, help."""

import json
from pathlib import Path

import pytest

from gradcli import __version__
from gradcli.cli.formats import RENDERERS
from gradcli.cli.main import main

X = ["--at", "x=2"]
VECTOR = ["--at", "x=[1,2]", "--at", "k=3"]


def test_eval(run) -> None:
    expected = '{"schema":"gradcli.eval/1","expression":"(x+2)**2+3","value":19.0,"shape":[]}\n'
    assert run("eval", "(x+2)**2+3", *X) == (0, expected, "")


def test_diff(run) -> None:
    expected = '{"schema":"gradcli.diff/1","expression":"(x+2)**2+3","value":19.0,"gradient":{"x":8.0}}\n'
    assert run("diff", "(x+2)**2+3", *X, "--json") == (0, expected, "")


def test_diff_table(run) -> None:
    words = ["--at", "a=2", "--at", "b=0.5", "--at", "t=3", "--format", "table"]
    assert run("diff", "a*exp(-b*t)", *words).out == (
        "a*exp(-b*t) = 0.44626\n\n"
        "  variable   value   gradient\n"
        "  a              2    0.22313\n"
        "  b            0.5   -1.33878\n"
        "  t              3   -0.22313\n"
    )


def test_diff_wrt(run) -> None:
    words = ["x*y*z", *X, "--at", "y=3", "--at", "z=5", "--wrt", "z", "--wrt", "x"]
    assert list(run("diff", *words).json["gradient"].items()) == [("z", 6.0), ("x", 15.0)]


def test_diff_order(run) -> None:
    document = run("diff", "x**3", *X, "--order", "3").json
    assert document["order"] == 3
    assert document["derivatives"] == [12.0, 12.0, 6.0]


def test_diff_of_an_array(run) -> None:
    assert run("diff", "2*x", "--at", "x=[1,2]", "--json").error["exit"] == 4
    assert run("diff", "2*x", "--at", "x=[1,2]", "--grad-output", "[1,10]").json["gradient"] == {"x": [2.0, 20.0]}


def test_no_variable(run) -> None:
    assert run("diff", "2", "--json").out.endswith('"gradient":{}}\n')


def test_jacobian(run) -> None:
    assert run("jacobian", "x**2+3*y", "2*x+y**2", *X, "--at", "y=3").out == (
        '{"schema":"gradcli.jacobian/1","expression":["x**2+3*y","2*x+y**2"],"value":[13.0,13.0],'
        '"shape":{"output":[2],"x":[],"y":[]},"jacobian":{"x":[4.0,2.0],"y":[3.0,6.0]},'
        '"method":{"mode":"stacked","passes":1}}\n'
    )


@pytest.mark.parametrize("mode", ["rows", "stacked", "auto"])
def test_jacobian_modes(run, mode: str) -> None:
    document = run("jacobian", "[x[0]**2, x[0]*x[1]]", "--at", "x=[2,3]", "--mode", mode).json
    assert document["jacobian"] == {"x": [[4.0, 0.0], [3.0, 2.0]]}
    assert document["method"] == {"mode": "rows" if mode == "rows" else "stacked", "passes": 2 if mode == "rows" else 1}


def test_jacobian_rows(run) -> None:
    done = run("jacobian", "x**2+3*y", "2*x+y**2", *X, "--at", "y=3", "--format", "jsonl")
    assert done.out.splitlines() == [
        '{"schema":"gradcli.jacobian-row/1","row":[0],"of":[2],"value":13.0,"jacobian":{"x":4.0,"y":3.0}}',
        '{"schema":"gradcli.jacobian-row/1","row":[1],"of":[2],"value":13.0,"jacobian":{"x":2.0,"y":6.0}}',
    ]


def test_jacobian_of_a_variable_called_output(run) -> None:
    assert run("jacobian", "2*output", "--at", "output=1").code == 4


def test_jacobian_matrix(run) -> None:
    words = ["jacobian", "[k*x[0], x[1]]", *VECTOR]
    assert run(*words, "--format", "csv").out == "k,x[0],x[1]\n1.0,3.0,0.0\n0.0,0.0,1.0\n"
    assert run(*words, "--plain").out == "1.0 3.0 0.0\n0.0 0.0 1.0\n"


def test_graph_tree(run) -> None:
    lines = run("graph", "(x+2)**2+3", *X, "--format", "tree").out.splitlines()
    assert [line.split()[-1] for line in lines if "AccumulateGrad" in line] == ["8"]
    assert lines[0].split("   ")[0] == "AddBackward0"
    assert run("graph", "(x+2)**2+3", *X, "--format", "table").out.splitlines() == lines


def test_graph_json(run) -> None:
    document = run("graph", "(x+2)**2+3", *X).json
    root = document["nodes"][0]
    assert (root["name"], root["source"], root["span"]) == ("AddBackward0", "(x+2)**2+3", [0, 10])
    assert (root["value"], root["gradient"]) == (19.0, 1.0)
    assert document["nodes"][-1]["variable"] == "x"


def test_graph_of_ten_thousand_levels(run) -> None:
    done = run("graph", "y = x\n" + "y = y + x\n" * 10_000 + "y", *X, "--format", "tree")
    assert done.code == 0
    assert "more nodes" in done.out


@pytest.mark.parametrize(("form", "start"), [("dot", "digraph gradcli {"), ("mermaid", "flowchart TD")])
def test_diagrams(run, form: str, start: str) -> None:
    assert run("graph", "x*x", *X, "--format", form).out.startswith(start)


def test_expression_from_stdin_and_file(run) -> None:
    assert run("eval", "-", *X, stdin="y = x\r\ny + 1\n").json["value"] == 3.0
    Path("model.txt").write_text("# model\ny = 2*x\ny + 1\n")
    assert run("eval", "-f", "model.txt", *X).json["value"] == 5.0
    assert run("eval", "--file=model.txt", *X).json["value"] == 5.0
    assert run("eval", "-f", "-", *X, stdin="x").json["value"] == 2.0


def test_errors_name_the_file(run) -> None:
    Path("model.txt").write_text("y = 2*x\ny + )\n")
    done = run("eval", "-f", "model.txt", *X)
    assert done.code == 3
    assert "in model.txt, line 2, column" in done.err
    assert run("eval", "-f", "model.txt", *X, "--json").error["in"] == "model.txt"


def test_errors_name_the_expression(run) -> None:
    assert run("jacobian", "x", "(x", *X, "--json").error["in"] == "expression 2"


def test_random_values_are_repeatable(run) -> None:
    words = ["eval", "x + rand(2)", "--at", "x=randn(2)"]
    first, again, other = run(*words).out, run(*words, "--seed", "0").out, run(*words, "--seed", "1").out
    assert first == again != other


def test_unread_values_are_mentioned(run) -> None:
    done = run("diff", "x", *X, "--at", "X=3")
    assert done.json["gradient"] == {"x": 1.0}
    assert done.err == "warning: the expression does not read X, which --at gives\n  = help: did you mean x?\n"
    assert run("diff", "x", *X, "--at", "z=3", "--wrt", "z").json["gradient"] == {"z": 0.0}
    assert json.loads(run("diff", "x", *X, "--at", "X=3", "--json").err)["kind"] == "warning"


def test_assigned_and_never_read(run) -> None:
    done = run("eval", "y = 1; x", *X)
    assert done.code == 0
    assert done.err.startswith("warning: y is assigned and never read\n  | y = 1; x\n  | ^\n")


def test_memory_limit(run) -> None:
    assert run("eval", "zeros(1000)", "--max-memory", "1K").code == 4
    assert run("eval", "x", "--at", "x=zeros(1000)", "--max-memory", "1K").code == 4
    assert run("eval", "sum(zeros(1000))", "--max-memory", "1 MiB").code == 0


def test_version_and_help(run) -> None:
    assert run("--version") == (0, f"gradcli {__version__}\n", "")
    assert run("-h").out == run("--help").out
    for command in {kind.split()[0] for kind in RENDERERS}:
        done = run(command, "--help")
        assert done.code == 0
        assert done.out.startswith(f"Usage: gradcli {command}")


def test_functions(run) -> None:
    assert run("functions", "sin").out.startswith("sin(x)\n")
    assert "sin(x)" in run("functions").out
    assert run("functions", "sin", "--json").json["functions"][0]["name"] == "sin"
    listed = run("functions", "--json").json["functions"]
    assert len(listed) > 100
    assert not any("result" in entry for entry in listed)


def test_functions_show_what_their_example_gives(run) -> None:
    assert run("functions", "add").out.endswith("  example     add([1, 2], 3)\n  result      [4 5]\n")
    assert run("functions", "add", "--json").json["functions"][0]["result"] == [4.0, 5.0]
    assert run("functions", "atan", "--digits", "4").out.endswith("  result      [     0 0.7854]\n")
    assert run("functions", "rand").out == run("functions", "rand").out


def test_functions_ignore_the_environment(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADCLI_FORMAT", "json")
    assert run("functions", "sin").out.startswith("sin(x)\n")
    assert run("help", "quoting").out.startswith("Quoting\n")


@pytest.mark.parametrize("topic", ["quoting", "formats", "exit-codes", "environment", "grammar"])
def test_topics(run, topic: str) -> None:
    text = run("help", topic).out
    document = run("help", topic, "--json").json
    assert document["text"].split() == text.split()
    assert {**document, "text": ""} == {"schema": "gradcli.help/1", "topic": topic, "text": ""}
    assert topic in run("help").out


def test_grammar(run) -> None:
    grammar = Path(__file__).parents[2] / "grammar" / "expression.lark"
    assert run("help", "grammar").out == grammar.read_text(encoding="utf-8")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell", "pwsh"])
def test_completion(run, shell: str) -> None:
    assert "_GRADCLI_COMPLETE" in run("completion", shell).out


def test_what_a_shell_asks_for(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = {"_GRADCLI_COMPLETE": "complete_bash", "COMP_WORDS": "gradcli di", "COMP_CWORD": "1"}
    for name, word in words.items():
        monkeypatch.setenv(name, word)
    with pytest.raises(SystemExit):
        main([])
    assert capsys.readouterr().out == "diff\n"
