"""What a user or a file wrote never reaches the terminal as control characters or markup."""

import json

import pytest

AT = ("--at", "x=[1, 2, 3]", "--at", "y=[1, 2, 3]", "--at", "a=[1, 2, 3]")
CLEAR = "\x1b[2J"

HOSTILE = [
    "x\x1b[2J",
    "x\x1b]0;pwn\a",
    "\x1b]8;;http://e\x1b\\x\x1b]8;;\x1b\\",
    "x\r-1",
    "x\x9b31m",
    "x + \u202e + y",
    "x\u200dy",
    "x \u2066y\u2069",
    "x # \x1b[2J",
    'norm(x, "\x1b[2J")',
    "x\x00",
    "x\x7f",
    "x\udcff",
]


def safe(text):
    return all(character.isprintable() or character == "\n" for character in text)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("form", ["json", "table", "plain"])
def test_refused_by_code_point(run, text, form):
    for words in (["eval", text, *AT], ["eval", "z", "--at", f"z={text}"]):
        done = run(*words, "--format", form)
        assert done.code in (3, 5)
        assert safe(done.out + done.err)
        assert "invisible character, U+" in done.err


@pytest.mark.parametrize(
    ("text", "code", "shown"),
    [
        ("x[red]", 4, "x[red]"),
        ("x[/a]", 3, "x[/a]"),
        ("a[:smile:]", 4, "a[:smile:]"),
        ("[link=http://e]x[/link]", 3, "[link=http://e]x[/link]"),
    ],
)
def test_markup_is_text(run, text, code, shown):
    done = run("eval", text, *AT)
    assert done.code == code
    assert f"  | {shown}\n" in done.err


@pytest.mark.parametrize("form", ["table", "json"])
def test_markup_in_results(run, form):
    """In tables and trees too: rich would drop [:2], and make an emoji of :x:."""
    done = run("eval", "y[:2:1]", *AT, "--format", form)
    assert "y[:2:1]" in done.out
    tree = run("graph", "sum(y[:2:1]*x[:2])", *AT, "--format", "tree").out
    assert "sum(y[:2:1]*x[:2])" in tree


WORDS = [
    [CLEAR],
    ["diff", "x", f"--{CLEAR}"],
    ["diff", "x", "--at", f"{CLEAR}=1"],
    ["diff", "x", "--at", f"x=1{CLEAR}"],
    ["diff", "x", "--at", f"x=@{CLEAR}.npy"],
    ["diff", "x", "--at", "[bold]=1"],
    ["diff", "x", "--at", "x=@[red]d.npy"],
    ["diff", "x", "--wrt", CLEAR, "--at", "x=1"],
    ["diff", "x", "--format", CLEAR, "--at", "x=1"],
    ["jacobian", "x", "--mode", CLEAR, "--at", "x=1"],
    ["diff", "x", "--order", CLEAR],
    ["diff", "x", "--color", CLEAR],
    ["diff", "x", "--max-memory", CLEAR],
    ["jvp", "x", "--tangent", CLEAR],
    ["eval", "x", "--data", f"{CLEAR}.json"],
    ["eval", "-f", CLEAR],
    ["help", CLEAR],
    ["functions", CLEAR],
    ["completion", CLEAR],
    ["diff", "x", "--at", "x=1", "-o", f"{CLEAR}.foo"],
    ["diff", "x", "--at", "x=1", "-o", f"no/{CLEAR}.json"],
]


@pytest.mark.parametrize("words", WORDS, ids=lambda words: ascii(" ".join(words)))
@pytest.mark.parametrize("json_errors", [False, True])
def test_command_line(run, monkeypatch, words, json_errors):
    if json_errors:
        monkeypatch.setenv("GRADCLI_FORMAT", "json")
    done = run(*words)
    assert done.code in (2, 4, 5, 74)
    assert done.err
    assert safe(done.err)
    assert "Traceback" not in done.err
    if json_errors and "--format" not in words:
        assert json.loads(done.err)["exit"] == done.code


def test_keys_of_a_file(run, tmp_path):
    (tmp_path / "k.json").write_text('{"\\u001b[2J": 1, "\\u001b[2J": 2}')
    done = run("eval", "x", "--data", "k.json")
    assert done.code == 5
    assert safe(done.err)


def test_columns_of_csv(run):
    """Cells that a spreadsheet would run are no numbers here; the header holds names, which cannot be formulas."""
    done = run("diff", "-x**2", "--at", "x=[1, 2]", "--grad-output", "[1, 1]", "--format", "csv")
    assert not [line for line in done.out.splitlines() if line.startswith(("=", "+", "@", "\t"))]
    assert (
        run(
            "diff",
            "x",
            "--data",
            "-",
            stdin='{"=1+1": 1, "x": 2}',
        ).code
        == 0
    )
