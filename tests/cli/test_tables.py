"""Tables as other programs write them: the right numbers, or exit 5 with the place and a hint that fits.

Each text is what the program named before it writes, spelled out.
"""

import json
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.cli import files

NAN = "NaN"

READ = {
    # pandas
    "to_csv(index=False), one column with a gap.csv": ('x\n1.0\n""\n3.0\n', [1.0, NAN, 3.0]),
    "to_csv(index=False), a gap.csv": ("a,b\n1.0,\n,4.0\n", [[1.0, NAN], [NAN, 4.0]]),
    "to_csv(quoting=1).csv": ('"a","b"\r\n"1","2"\r\n"3",""\r\n', [[1.0, 2.0], [3.0, NAN]]),
    "describe().to_csv().csv": ("count,mean,25%,50%\n4,2.5,1,2\n", [4.0, 2.5, 1.0, 2.0]),
    # NumPy
    "savetxt(header=, comments=).txt": ("# x y\n1.0e+00 2.0e+00\n# half\n3.0e+00 4.0e+00\n", [[1.0, 2.0], [3.0, 4.0]]),
    "savetxt(delimiter=',').csv": ("# x, y\n#\n\n1.0,2.0\n3.0,4.0\n", [[1.0, 2.0], [3.0, 4.0]]),
    "savetxt of a column with nan.txt": ("1.5\nnan\n-inf\n", [1.5, NAN, "-Infinity"]),
    # MATLAB, Julia, R, C
    "writematrix.csv": ("1,NaN\nInf,-Inf\n", [[1.0, NAN], ["Infinity", "-Infinity"]]),
    "writedlm.tsv": ("1.0\t2.0\n3.0\tNaN\n", [[1.0, 2.0], [3.0, NAN]]),
    "write.table(row.names=FALSE).txt": ('"x" "body mass"\n1 2\n"3" ""\n', [[1.0, 2.0], [3.0, NAN]]),
    "printf of glibc.txt": ("-nan 1.5\nnan -inf\n", [[NAN, 1.5], [NAN, "-Infinity"]]),
    # spreadsheets
    "byte order mark.csv": ("\ufeffa,b\r\n1,2\r\n3,4\r\n", [[1.0, 2.0], [3.0, 4.0]]),
    "line ends of old.csv": ("a,b\r1,2\r3,4\r", [[1.0, 2.0], [3.0, 4.0]]),
    "line ends of old.txt": ("1 2\r3 4", [[1.0, 2.0], [3.0, 4.0]]),
    "no end of line.csv": ("a\n1\n2", [1.0, 2.0]),
    "a trailing comma.csv": ("1,2,\n3,4,\n", [[1.0, 2.0, NAN], [3.0, 4.0, NAN]]),
    "empty cells first.tsv": ("\t\n1\t2\n", [[NAN, NAN], [1.0, 2.0]]),
    "blanks after commas.csv": ('"a", "b"\n1, "2"\n3, 4\n', [[1.0, 2.0], [3.0, 4.0]]),
    "lines of blanks.csv": ("x\n1\n   \n\n2\n", [1.0, 2.0]),
    "a header with a line end.csv": ('"two\nlines","b"\n1,2\n', [1.0, 2.0]),
    "two quotes alone.csv": ('""\n1\n', [NAN, 1.0]),
    "a form feed.txt": ("1 2\f\n3 4\n", [[1.0, 2.0], [3.0, 4.0]]),
    "names of one letter.csv": ("t\n1\n2\n", [1.0, 2.0]),
    "a name with a number.csv": ("Sensor 1,x1\n1,2\n", [1.0, 2.0]),
    "dates above.csv": ("2020-01-01,2020-01-02\n1,2\n", [1.0, 2.0]),
    # Octave, gnuplot and others
    "save -text.txt": ("# Created by Octave\n# name: A\n# rows: 1\n# columns: 2\n 1 2\n\n\n", [1.0, 2.0]),
    "one column with a long name.csv": ("body mass\n1\n2\n", [1.0, 2.0]),
    "a note behind.txt": ("1 2 # the first, alone\n\n\n3 4\n", [[1.0, 2.0], [3.0, 4.0]]),
    "sqlite3 -csv -header.csv": ("max(x),y\n1,2\n", [1.0, 2.0]),
}


@pytest.mark.parametrize("name", READ)
def test_read(value, name: str) -> None:
    text, expected = READ[name]
    Path(name).write_text(text, encoding="utf-8", newline="")
    assert value(f"@{name}") == expected


@pytest.mark.parametrize("name", [name for name in READ if name.endswith(("csv", "txt"))])
def test_the_same_on_stdin(value, name: str) -> None:
    text, expected = READ[name]
    assert value("@-", stdin=text) == expected


# Text, place of the error (line and column from 1), and a word of the hint.
REFUSED = {
    "NA of R.csv": ("NA,NA\n1,2\n", (1, 1), "write nan"),
    "NA beside numbers.csv": ("1,NA\n3,4\n", (1, 3), "write nan"),
    "NA later.csv": ("a,b\n1,2\n3,<NA>\n", (3, 3), "write nan"),
    "missing of Julia.csv": ("a,b\n1,missing\n", (2, 3), "write nan"),
    "NULL of SQL.csv": ("NULL,1\n", (1, 1), "write nan"),
    "a point of Stata.csv": ("1,.\n", (1, 3), "write nan"),
    "nan of C.csv": ("nan(0x8000),-nan(ind)\n", (1, 1), "write nan"),
    "infinity of Visual C.csv": ("1.#INF,1.#QNAN\n", (1, 1), "write inf"),
    "nan of Visual C, cut.csv": ("1.#IO,1.#J\n1,2\n", (1, 1), "write nan"),
    "null in brackets.csv": ("(null),(null)\n1,2\n", (1, 1), "write nan"),
    "nan that signals.csv": ("sNaN,qnan\n1,2\n", (1, 1), "write nan"),
    "undefined.csv": ("undefined,1\n1,2\n", (1, 1), "write nan"),
    "infinite.csv": ("Infinite,INFTY\n1,2\n", (1, 1), "write inf"),
    "exponents of Fortran.txt": ("1.0D+03 2.5D-01\n", (1, 1), "write e for d"),
    "exponents of Fortran.csv": ("1.0d+03,2.5d-01\n", (1, 1), "write e for d"),
    "a long exponent of Fortran.txt": ("1.0-100 2\n", (1, 1), "needs its e"),
    "stars of Fortran.txt": ("1.0 *****\n2.0 3.0\n", (1, 5), "did not fit"),
    "%a of C.csv": ("0x1.8p1,0x1p2\n", (1, 1), "decimal digits"),
    "fractions.csv": ("1/2,3/4\n", (1, 1), "decimal number: 0.5"),
    "times.csv": ("1:30,2:45\n", (1, 1), "a time"),
    "complex numbers.csv": ("1+2i,3-4j\n", (1, 1), "complex"),
    "complex numbers of savetxt.txt": ("(1.0e+00+2.0e+00j)\n", (1, 1), "complex"),
    "money.csv": ("$1.50,\u20ac2\n", (1, 1), "currency"),
    "percent.csv": ("25%,50%\n", (1, 1), "percentage"),
    "thousands in quotes.csv": ('"1,234.5","2,000"\n', (1, 1), "marks between"),
    "thousands by narrow blanks.csv": ("a\n1\u202f234\n", (2, 1), "marks between"),
    "thousands in Switzerland.csv": ("a\n1'234.5\n", (2, 1), "marks between"),
    "underscores.csv": ("1_000\n", (1, 1), "marks between"),
    "decimal commas in quotes.csv": ('"1,5","2,5"\n', (1, 1), "write a point"),
    "decimal commas.tsv": ("1,5\t2,5\n", (1, 1), "a tab separates"),
    "decimal commas below a header.csv": ("value\n1,5\n2,5\n", (2, 1), "a decimal comma?"),
    "semicolons.csv": ("1;2\n3;4\n", (1, 1), "a comma separates"),
    "semicolons and decimal commas.csv": ("1,5;2,5\n3,5;4,5\n", (1, 3), "a comma separates"),
    "semicolons below a header.csv": ("a;b\n1;2\n", (2, 1), "a comma separates"),
    "sep= of Excel.csv": ("sep=;\n1;2\n", (2, 1), "a comma separates"),
    "errors of Excel.csv": ("#N/A,1\n2,3\n", (1, 1), "write nan"),
    "errors of Excel in.txt": ("1 #DIV/0!\n2 3\n", (1, 3), "write nan"),
    "truth.csv": ("TRUE,FALSE\n1,2\n", (1, 1), "1 and 0"),
    "accounts.csv": ("a\n(5.00)\n", (2, 1), "minus for brackets"),
    "a minus sign.csv": ("\u22125,6\n", (1, 1), "hyphen"),
    "bounds.csv": ("a\n<0.01\n", (2, 1), "bound"),
    "uncertainty.csv": ("a\n1.5\u00b10.1\n", (2, 1), "uncertainty"),
    "literals of C.csv": ("1.5f,2L\n", (1, 1), "letter"),
    "apostrophes.csv": ("'1','2'\n", (1, 1), "apostrophes"),
    "repeated numbers of Fortran.txt": ("2*0.5 1.0\n1 2\n", (1, 1), "repeated"),
    "complex numbers of Fortran.csv": ("(1.0,2.0)\n3,4\n", (1, 1), "brackets"),
    "a list of Python.csv": ("[1,2]\n3,4\n", (1, 1), "brackets"),
    "powers.csv": ("10^3,5\u00b2\n3,4\n", (1, 1), "plain decimal"),
    "null of MySQL.tsv": ("\\N\t1\n", (1, 1), "write nan"),
    "a sign apart.csv": ("- 5,1\n", (1, 1), "no blank"),
    "too large.csv": ("1e400,1\n", (1, 1), "write inf"),
    "formulas.csv": ('="1.5",="2"\n3,4\n', (1, 1), "formula"),
    "digits of other scripts.csv": ("\u0661,\uff12\n3,4\n", (1, 1), "digits 0 to 9"),
    "dates.csv": ("2020-01-01,5\n2020-01-02,6\n", (1, 1), "a date"),
    "fewer cells.csv": ("a,b,c\n1,2\n3,4\n", (2, 1), "write nan"),
    "more cells.csv": ("a,b\n1,2,\n", (2, 1), "a separator ends the row"),
    "write.table of R.txt": ('"x" "y"\n"1" 1 2\n"2" 3 4\n', (2, 1), "number the rows"),
    "names of rows.csv": ('"","x"\n"a",1\n"b",2\n', (2, 1), "write nan"),
    "a later comment.csv": ("1\n#17\n", (2, 1), "before the first row"),
    "a later comment with a comma.csv": ("1,2\n# c,d\n", (2, 1), "before the first row"),
    "a quote that is not closed.csv": ('a,b\n1,"2\n3,4\n', (2, 1), "a quote"),
    "a quote that is closed early.csv": ('1,2\n"3"5,4\n', (2, 1), "a quote"),
    "only a header.csv": ("a,b\n", (1, 1), "only a header"),
    "only a comment.csv": ("# a\n", (1, 1), ""),
    "nothing.txt": ("", (1, 1), ""),
    "a lone header of pandas.csv": (",x\r\n", (1, 1), "only a header"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(run, name: str) -> None:
    text, place, hint = REFUSED[name]
    Path(name).write_text(text, encoding="utf-8", newline="")
    error = run("eval", "x", "--at", f"x=@{name}", "--json").error
    assert error["exit"] == 5
    assert error["in"] == name
    assert (error["line"], error["column"]) == place
    assert hint in (error["help"] or "")
    assert hint or error["help"] is None


def test_the_span_of_an_error_holds_the_cell(run) -> None:
    text = '# one\r\n"a, b",c\r\n1, "2,5"\r\n'
    Path("x.csv").write_text(text, newline="")
    error = run("eval", "x", "--at", "x=@x.csv", "--json").error
    start, stop = error["span"]
    assert text[start:stop] == '"2,5"'
    assert (error["line"], error["column"]) == (3, 4)
    assert error["message"] == "x.csv, line 3, column 2: not a number"


@pytest.mark.parametrize(
    ("data", "help"),
    [
        ("1,2\n".encode("utf-16"), "UTF-16"),
        ("1,2\n".encode("utf-16-le"), "NUL"),
        ("1,2\n".encode("utf-16-be"), "NUL"),
        (b"1\0,2\n3,4\n", "NUL"),
        (b"a,\xe9\n1,2\n", "save it as UTF-8"),
        (b"\x1f\x8b\x08\x00\xff", "compressed"),
        (b"PK\x03\x04\xff\xff", "archive"),
        (b"\x93NUMPY\x01\x00", ".npy"),
    ],
)
def test_what_is_no_text(run, data: bytes, help: str) -> None:
    Path("x.csv").write_bytes(data)
    for words, stdin in ((["--at", "x=@x.csv"], b""), (["--at", "x=@-"], data), (["--data", "-"], data)):
        error = run("eval", "x", *words, "--json", stdin=stdin).error
        assert (error["exit"], error["line"]) == (5, 1)
        assert help in error["help"]
        assert error["in"] == ("stdin" if stdin else "x.csv")


def test_numbers_of_rows_are_told(run) -> None:
    """An index without a name is a column like the others: it is read, and not in silence."""
    Path("x.csv").write_text('"","y"\n"1",1.5\n"2",2.5\n')
    done = run("eval", "x", "--at", "x=@x.csv", "--json")
    assert done.json["value"] == [[1.0, 1.5], [2.0, 2.5]]
    warning = json.loads(done.err)
    assert warning["message"] == "x.csv, line 1: the first column has no name, and is read with the others"
    assert "index=False" in warning["help"]


JSON = {
    "[1, null]": [1.0, NAN],
    "[[1, null], [null, 2.5]]": [[1.0, NAN], [NAN, 2.5]],
    '["NaN", null]': [NAN, NAN],
    '{"schema":"gradcli.eval/1","expression":"x","value":[1,"NaN"],"shape":[2]}': [1.0, NAN],
    '{"schema":"gradcli.diff/1","expression":"x","value":2.5,"gradient":{"x":1}}': 2.5,
}


@pytest.mark.parametrize("text", JSON)
def test_json(value, text: str) -> None:
    Path("x.json").write_text(text)
    assert value("@x.json") == JSON[text]
    assert value("@-", stdin=text) == JSON[text]
    if text.startswith("["):
        assert value(text) == JSON[text]


@pytest.mark.parametrize(
    ("text", "place", "span"),
    [
        ("[1,\n 2", (2, 3), "2"),
        ("[1,\n  [2]]", (2, 3), "[2]"),
        ('[1, "2,5"]', (1, 5), '"2,5"'),
        ('{"a": 1,\n "a": 2}', (2, 2), '"a"'),
        ('{"b": {"a": 1, "c": [{"a": 3, "\\u0061": 4}]}}', (1, 31), '"\\u0061"'),
        ("[[1, 2], [3, 1e999]]", (1, 14), "1e999"),
        ("[9007199254740993]", (1, 2), "9007199254740993"),
        ("[null]", (1, 2), "null"),
        ('\n{"a": 1}', (2, 1), "{"),
    ],
)
def test_the_place_of_an_error_in_json(run, text: str, place: tuple[int, int], span: str) -> None:
    Path("x.json").write_text(text)
    for words, name, stdin in ((["--at", "x=@x.json"], "x.json", ""), (["--at", "x=@-"], "stdin", text)):
        error = run("eval", "x", *words, "--json", stdin=stdin).error
        assert (error["exit"], error["in"]) == (5, name)
        assert (error["line"], error["column"]) == place
        assert text.startswith(span, error["span"][0]) or error["span"] == [len(text)] * 2


def test_the_place_of_an_error_in_data(run) -> None:
    text = '{"k": 3,\n "x": [1, "one"]}'
    Path("data.json").write_text(text)
    error = run("eval", "k*x", "--data", "data.json", "--json").error
    assert error["message"] == "data.json:x: the entry at [1] is not a number"
    assert (error["in"], error["line"], error["column"]) == ("data.json", 2, 11)
    error = run("eval", "x", "--at", "x=@data.json:x.1", "--json").error
    assert (error["in"], error["line"], error["column"]) == ("data.json", 2, 11)


# ---- pipes


def written(path: str, data: bytes) -> threading.Thread:
    """A thread that writes to a named pipe."""
    writer = threading.Thread(target=lambda: Path(path).write_bytes(data))
    writer.start()
    return writer


@pytest.mark.skipif(os.name != "posix", reason="named pipes")
@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("pipe", b"a,b\n1,2\n3,4\n", [[1.0, 2.0], [3.0, 4.0]]),
        ("pipe", b"1 2\n3 4\n", [[1.0, 2.0], [3.0, 4.0]]),
        ("pipe", b"[1, 2]", [1.0, 2.0]),
        ("pipe", b'"NaN"\n', NAN),
        ("pipe.tsv", b"1\t\n", [1.0, NAN]),
        ("pipe.json", b"7", 7.0),
    ],
)
def test_named_pipes(value, name: str, data: bytes, expected: Any) -> None:
    os.mkfifo(name)
    writer = written(name, data)
    assert value(f"@{name}") == expected
    writer.join()


@pytest.mark.skipif(os.name != "posix", reason="named pipes")
def test_arrays_data_and_expressions_through_pipes(run) -> None:
    for name in ("x.npy", "data", "text"):
        os.mkfifo(name)
    np.save("whole.npy", np.array([1.0, 2.0]))
    writers = [
        written("x.npy", Path("whole.npy").read_bytes()),
        written("data", b'{"k": 3}'),
        written("text", b"k*sum(x)"),
    ]
    done = run("diff", "-f", "text", "--data", "data", "--at", "x=@x.npy", "--json")
    assert done.json["gradient"] == {"k": 3.0, "x": [3.0, 3.0]}
    for writer in writers:
        writer.join()


@pytest.mark.skipif(os.name != "posix", reason="named pipes")
def test_a_pipe_that_is_slow_or_that_nobody_writes_to(run, refusal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PATIENCE", 0.05)
    os.mkfifo("slow")
    opened = os.open("slow", os.O_RDWR)
    later = threading.Timer(0.2, lambda: (os.write(opened, b"1 2\n"), os.close(opened)))
    later.start()
    assert run("eval", "x", "--at", "x=@slow", "--json").json["value"] == [1.0, 2.0]
    later.join()
    assert refusal("@slow") == "slow: a pipe that nobody writes to"
    monkeypatch.setattr(files, "PATIENCE", 5)
    writer = written("slow", b"1\n" * 2000)
    assert run("eval", "x", "--at", "x=@slow", "--max-memory", "1K", "--json").error["exit"] == 4
    writer.join()


@pytest.mark.parametrize("name", ["/dev/stdin", "/dev/fd/0"])
def test_stdin_by_its_names(run, value, name: str) -> None:
    assert value(f"@{name}", stdin="a,b\n1,2\n") == [1.0, 2.0]
    assert value(f"@{name}:k.0", stdin='{"k": [3]}') == 3.0
    assert run("eval", "-f", name, "--json", stdin="1 + 1").json["value"] == 2.0
    assert run("eval", "k", "--data", name, "--json", stdin='{"k": 3}').json["value"] == 3.0
    for words in (["x + y", "--at", "y=@-"], ["-"], ["x", "--data", "-"], ["-f", "-"], ["x", "--data", name]):
        done = run("eval", *words, "--at", f"x=@{name}", "--json")
        assert (done.error["exit"], done.error["message"].partition(",")[0]) == (2, "stdin is wanted twice")
