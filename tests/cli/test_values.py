"""VALUEs, text files and stdin: what they may hold, and how refusals read."""

import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.cli import files


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2", 2.0),
        (" -1e-3 ", -1e-3),
        ("pi/4", np.pi / 4),
        ("[[1,2],[3,4]]", [[1.0, 2.0], [3.0, 4.0]]),
        ("[1, 2*3]", [1.0, 6.0]),
        ('"NaN"', "NaN"),
        ("NaN", "NaN"),
        ("-Infinity", "-Infinity"),
        ("inf", "Infinity"),
        ("-inf", "-Infinity"),
        ('[["NaN", 1], ["-infinity", 2.5]]', [["NaN", 1.0], ["-Infinity", 2.5]]),
        ("true", True),
        ("[true, false]", [True, False]),
        ("[]", []),
        ("10000000000000000000000", 1e22),
        ("[10000000000000000000000]", [1e22]),
        ("5e-324", 5e-324),
    ],
)
def test_values(value, text: str, expected: Any) -> None:
    assert value(text) == expected


@pytest.mark.parametrize("text", ["", " ", "2 +", "y", "[1, [2]]", '["a"]', "1,5", "1;2 3", "None", '{"a": 1}'])
def test_values_that_are_none(refusal, text: str) -> None:
    assert refusal(text)


def test_a_value_may_begin_with_a_plus(value) -> None:
    assert value("+3") == 3
    assert value("[+1, -2]") == [1, -2]


def test_the_caret_stands_in_the_value(run) -> None:
    done = run("eval", "x", "--at", "x=[1, a]")
    assert done.code == 5
    assert "in --at x, line 1, column 5\n  | [1, a]\n  |     ^" in done.err


def test_deep_nesting(run, refusal) -> None:
    assert run("eval", "x", "--at", "x=" + "[" * 100_000).code in (4, 5)
    Path("deep.json").write_text("[" * 100_000)
    assert "nested too deeply" in refusal("@deep.json")
    Path("deep.json").write_text("[" * 70 + "1" + "]" * 70)
    assert "deeper than 64" in refusal("@deep.json")


def test_round_trip_through_json(value) -> None:
    numbers = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, "NaN", "-Infinity"]
    assert value(json.dumps(numbers)) == numbers
    assert value("@-", stdin=json.dumps(numbers)) == numbers


TEXTS = {
    "one.csv": ("1,2,3\n", [1.0, 2.0, 3.0]),
    "column.csv": ("x\n1\n2\n", [1.0, 2.0]),
    "gap.csv": (",b,25%\n1,2,3\n", [1.0, 2.0, 3.0]),
    "dates.csv": ("2020-01-01,2020-01-02\n1,2\n", [1.0, 2.0]),
    "matrix.csv": ("a,b\n1,2\n3,4\n", [[1.0, 2.0], [3.0, 4.0]]),
    "empty_cell.csv": ("1,\n,4\n", [[1.0, "NaN"], ["NaN", 4.0]]),
    "words.csv": ("1,nan\nInf,-Infinity\n", [[1.0, "NaN"], ["Infinity", "-Infinity"]]),
    "crlf.csv": ("1,2\r\n3,4\r\n\r\n", [[1.0, 2.0], [3.0, 4.0]]),
    "bom.csv": ("\ufeff1,2\n", [1.0, 2.0]),
    "quoted.csv": ('"x[0,1]","x[0,2]"\n"1","2"\n', [1.0, 2.0]),
    "blank.csv": ("\n1\n\n2\n", [1.0, 2.0]),
    "tabs.tsv": ("a\tb\n1\t2\n3\t4\n", [[1.0, 2.0], [3.0, 4.0]]),
    "blanks.txt": ("  1   2\n3\t4  \n", [[1.0, 2.0], [3.0, 4.0]]),
    "list.json": ("[1, 2.5]", [1.0, 2.5]),
    "scalar.json": ("7", 7.0),
    "mask.json": ("[[true],[false]]", [[True], [False]]),
    "bare.json": ("[NaN, -Infinity]", ["NaN", "-Infinity"]),
    "upper.JSON": ("[1]", [1.0]),
    "[red].csv": ("1,2\n", [1.0, 2.0]),
}


@pytest.mark.parametrize("name", TEXTS)
def test_text_files(value, name: str) -> None:
    text, expected = TEXTS[name]
    Path(name).write_text(text, encoding="utf-8", newline="")
    assert value(f"@{name}") == expected


BROKEN = {
    "empty.csv": ("", "empty.csv: holds no numbers"),
    "header.csv": ("1,5;2\n", "header.csv, line 1, column 2: not a number"),
    "names.csv": ("a,b\n", "names.csv: holds no numbers"),
    "commas.txt": ("1,NA\n3,4\n", "commas.txt, line 1, column 1: not a number"),
    "ragged.csv": ("1,2\n3\n", "ragged.csv, line 2: 1 cells where the first row has 2"),
    "word.csv": ("a\n1\nsecret\n", "word.csv, line 3, column 1: not a number"),
    "underscore.csv": ("1,2\n1_0,3\n", "underscore.csv, line 2, column 1: not a number"),
    "arabic.csv": ("1\n\u0663\n", "arabic.csv, line 2, column 1: not a number"),
    "huge.csv": ("1\n1e400\n", "huge.csv, line 2, column 1: too large for float64"),
    "long.csv": ("1\n9007199254740993\n", "an integer beyond 2**53"),
    "word.txt": ("1 2\n3 x\n", "word.txt, line 2, column 2: not a number"),
    "object.json": ('{"a":1}', "object.json: an object, not an array"),
    "ragged.json": ("[1,[2]]", "ragged"),
    "ragged2.json": ("[[1,2],[3]]", "ragged.* differs in length"),
    "huge.json": ("[1, 1e400]", "too large for float64"),
    "long.json": ("[9007199254740993]", "an integer beyond 2\\*\\*53"),
    "digits.json": ("9" * 5000, "too many digits"),
    "twice.json": ('{"a":1,"a":2}', "the key 'a' occurs twice"),
    "null.json": ("[null]", "at \\[0\\] is not a number"),
    "mask.json": ("[true, null]", "at \\[0\\] is not a number"),
    "mixed.json": ("[1, true]", "at \\[1\\] is not a number"),
    "word.json": ('["secret"]', "is not a number"),
    "broken.json": ("[1,\n 2", "broken.json, line 2, column"),
    "empty.json": ("", "empty.json, line 1, column 1: not JSON"),
    "noend": ("1", "does not end in"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_text_files(refusal, name: str) -> None:
    text, message = BROKEN[name]
    Path(name).write_text(text, encoding="utf-8")
    said = refusal(f"@{name}")
    assert re.search(message.replace("2**53", "2\\*\\*53"), said) or message in said
    assert "secret" not in said


@pytest.mark.parametrize("text", ["1,b\n3,4\n", "\n1,2O\n3,4\n", "2019Q1,2019Q2\n3,4", "a,inf\n3,4\n", "3D,2D\n3,4\n"])
def test_a_header_that_holds_numbers_is_told(run, text: str) -> None:
    Path("x.csv").write_text(text)
    done = run("eval", "x", "--at", "x=@x.csv", "--json")
    assert done.json["value"] == [3.0, 4.0]
    assert f"x.csv, line {1 + text.startswith(chr(10))}: a header, for not all of it are numbers" in done.err
    Path("x.csv").write_text("a,b\n3,4\n")
    assert run("eval", "x", "--at", "x=@x.csv", "--json").err == ""


@pytest.mark.parametrize(
    ("name", "text", "help"),
    [
        ("x.csv", "1,NA\n3,NA\n", "write nan for a missing number"),
        ("x.csv", "1;2\n3;4\n", "a comma separates the cells here"),
        ("x.csv", "a\n1\t2\n", "a comma separates the cells here"),
        ("x.csv", "1 2\n", "a comma separates the cells here"),
        ("x.tsv", "1,2\n", "a tab separates the cells here"),
        ("x.txt", "1,2\n", "blanks separate the cells here"),
    ],
)
def test_help_for_a_cell(run, name: str, text: str, help: str) -> None:
    Path(name).write_text(text)
    assert run("eval", "x", "--at", f"x=@{name}", "--json").error["help"] == help


def test_not_utf8(refusal) -> None:
    Path("x.csv").write_bytes("1,2".encode("utf-16"))
    assert "x.csv, line 1: not UTF-8 text" in refusal("@x.csv")


def test_picking_from_json(value, refusal) -> None:
    Path("data.json").write_text('{"gradient": {"x": [1, 2]}, "list": [{"y": 3}]}')
    assert value("@data.json:gradient.x") == [1.0, 2.0]
    assert value("@data.json:list.0.y") == 3.0
    assert "nothing at 'gradient.z'" in refusal("@data.json:gradient.z")
    assert value("@-:gradient.x", stdin='{"gradient":{"x":[4]}}') == [4.0]


def test_names_of_a_json_file_are_listed(run) -> None:
    Path("data.json").write_text(json.dumps({"\x1b[31m": 1, "n" * 99: 2, **dict.fromkeys("abcdefgh", 3)}))
    done = run("eval", "x", "--at", "x=@data.json:z")
    assert done.code == 5
    assert "nothing at 'z'" in done.err
    assert "\x1b" not in done.err
    assert "n" * 37 + "..., a, b, c, d, e, f, and 2 more" in done.err
    assert "it gives nothing" in run("eval", "x", "--data", "-", stdin="{}").err
    error = run("eval", "x + y", "--data", "data.json", "--at", "x=1").err
    assert "warning: data.json does not give y" in error
    assert "does not give x" not in error


def test_stdin(value, refusal) -> None:
    assert value("@-", stdin="1 2\n3 4\n") == [[1.0, 2.0], [3.0, 4.0]]
    assert value("@-", stdin='"NaN"') == "NaN"
    assert "stdin: an object" in refusal("@-", stdin='{"a": 1}')
    assert "not UTF-8" in refusal("@-", stdin=b"\xff\xfe")
    assert "holds no numbers" in refusal("@-", stdin="")


def test_stdin_is_read_only_where_a_dash_stands(run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("eval", "1", stdin=b"\xff").code == 0


@pytest.mark.parametrize("name", [".", "missing.csv", "/dev/zero", "/dev/null", "fifo.csv", "a\0.csv", "x.csv/y.csv"])
def test_only_files_and_pipes(refusal, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(files, "PATIENCE", 0.1)
    os.mkfifo("fifo.csv")
    message = refusal(f"@{name}")
    assert message.startswith(f"{name}: ")


def test_size_limit(run) -> None:
    Path("x.csv").write_text("1\n" * 2000)
    done = run("eval", "x", "--at", "x=@x.csv", "--max-memory", "1K", "--json")
    assert done.error["exit"] == 4
    done = run("eval", "x", "--at", "x=@-", "--max-memory", "1K", "--json", stdin="1\n" * 2000)
    assert done.error["exit"] == 4


def test_hostile_names_are_spelled(run) -> None:
    Path("\x1b[2J.csv").write_text("no")
    assert "\x1b" not in run("eval", "x", "--at", "x=@\x1b[2J.csv").err


def test_data_from_json(run) -> None:
    Path("data.json").write_text('{"x": [1, 2], "k": 3, "note": "text", "unused": 1}')
    done = run("diff", "k*sum(x)", "--data", "data.json")
    assert done.json["gradient"] == {"k": 3.0, "x": [3.0, 3.0]}
    assert done.err == ""
    assert run("eval", "k", "--data", "data.json", "--at", "k=5").json["value"] == 5.0
    assert run("eval", "k", "--data", "-", stdin='{"k": "NaN"}').json["value"] == "NaN"
    assert "data.json:note" in run("eval", "note", "--data", "data.json").err


@pytest.mark.parametrize(
    ("name", "text"), [("a.csv", "1"), ("a.json", "[1]"), ("a.json", "{"), ("a.json", '{"x":1,"x":2}'), ("a.npz", "")]
)
def test_data_that_is_refused(run, name: str, text: str) -> None:
    Path(name).write_text(text)
    assert run("eval", "x", "--data", name).code == 5


def test_the_constants_can_be_variables(run) -> None:
    assert run("diff", "e*x", "--at", "e=1", "--at", "x=2").json["gradient"] == {"e": 2.0, "x": 1.0}
    Path("data.json").write_text('{"e": 1, "x": 2}')
    assert run("diff", "e*x", "--data", "data.json").json["gradient"] == {"e": 2.0, "x": 1.0}


def test_a_program_file_that_is_too_long(run) -> None:
    Path("long.txt").write_text("1+" * (5 << 20))
    assert run("eval", "-f", "long.txt").code == 4
    Path("latin.txt").write_bytes(b"\xe9")
    assert run("eval", "-f", "latin.txt").code == 5
    assert run("eval", "-f", "missing.txt").code == 5


# ---- literals that float64 does not hold

LOSSES = {
    "9007199254740993": "9007199254740993 is not held by float64, and becomes 9007199254740992",
    "-9007199254740993": "9007199254740993 is not held by float64, and becomes 9007199254740992",
    "9_007_199_254_740_993": "9007199254740993 is not held by float64, and becomes 9007199254740992",
    "9007199254740993.0": "9007199254740993.0 is not held by float64, and becomes 9007199254740992",
    "9.007199254740993e15": "9.007199254740993e15 is not held by float64, and becomes 9007199254740992",
    "18014398509481985": "18014398509481985 is not held by float64, and becomes 18014398509481984",
    "1e400": "1e400 is too large for float64, and becomes infinite",
    "-1.8e308": "1.8e308 is too large for float64, and becomes infinite",
    "1e-400": "1e-400 is too small for float64, and becomes 0",
    "2e-324": "2e-324 is too small for float64, and becomes 0",
    "1" + "0" * 310: "1" + "0" * 39 + "... is too large for float64, and becomes infinite",
}
EXACT = ["9007199254740992", "9007199254740994", "1e23", "6.02214076e23", "10000000000000000000000", "0e-999", "0.0"]
EXACT += ["1.7976931348623157e308", "5e-324", "3.14159265358979323846264338", "0.1", "1.2345678901234567890123e-5"]


@pytest.mark.parametrize("text", LOSSES)
def test_literals_that_are_not_held(run, text: str) -> None:
    value = float(text)
    spelled = "Infinity" if value == np.inf else "-Infinity" if value == -np.inf else value
    for form, expected in (("{}", spelled), ("[1, {}]", [1.0, spelled]), ('["nan", {}]', ["NaN", spelled])):
        if form.startswith("[") and "_" in text and "nan" in form:
            continue  # JSON has no such marks
        done = run("eval", "x", "--at", f"x={form.format(text)}", "--json")
        assert done.json["value"] == expected
        warning = json.loads(done.err)
        assert (warning["schema"], warning["message"]) == ("gradcli.warning/1", f"--at x: {LOSSES[text]}")
        start, stop = warning["span"]
        assert warning["in"] == "--at x"
        assert form.format(text)[start:stop] == text.lstrip("-")
    done = run("eval", f"2*x + ({text})", "--at", "x=0", "--plain")
    assert (done.code, done.err.splitlines()[0]) == (0, f"warning: {LOSSES[text]}")
    # An infinite result has its note besides, which tells where it comes from.
    assert (done.err.count("\n") == 1) == (spelled == value)


@pytest.mark.parametrize("text", EXACT)
def test_literals_that_are_held_or_only_rounded(run, text: str) -> None:
    for form in ("{}", "[1, {}]"):
        done = run("eval", f"x + {text}", "--at", f"x={form.format(text)}", "--json")
        assert (done.code, done.err) == (0, "")


def test_every_number_that_is_printed_is_held(run) -> None:
    """What goes out comes in again without a word."""
    rng = np.random.default_rng(0)
    numbers = (rng.uniform(1, 10, 200) * 10.0 ** rng.integers(10, 25, 200)).tolist()
    done = run("eval", "x", "--at", f"x={numbers}", "--json")
    assert (done.json["value"], done.err) == (numbers, "")
