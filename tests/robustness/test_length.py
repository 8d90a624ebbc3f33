"""Deep nesting, long texts and slow words: an answer in linear time, or a limit with its place."""

import time

import pytest

BOTH = pytest.mark.parametrize("command", ["eval", "diff"])
SECONDS = 6.0  # many times what they take


def timed(run, *words):
    start = time.process_time()
    done = run(*words)
    assert time.process_time() - start < SECONDS
    assert done.err.count("\n") <= 10
    assert len(done.err) < 5000
    return done


DEEP = {
    "parentheses": ("(" * 5000 + "x" + ")" * 5000, 2.0),
    "signs": ("-" * 5000 + "x", 2.0),
    "powers": ("2**" * 3000 + "x", "Infinity"),
    "calls": ("sin(" * 2000 + "x" + ")" * 2000, None),
    "terms": ("+".join(["x"] * 8_000), 16_000.0),
    "statements": ("y=x\n" + "y = y + 0.001*y\n" * 2000, None),
    "doubling": ("a = x\n" + "a = a + a\n" * 60 + "a", 2.0**61),
    "transposes": ("x" + ".T" * 5000, 2.0),
    "separators": (";" * 20_000 + "x", 2.0),
    "comment": ("x" + "#" * 500_000, 2.0),
    "blanks": (" " * 1_000_000 + "x", 2.0),
}


@BOTH
@pytest.mark.parametrize("name", DEEP)
def test_done(run, command, name):
    text, value = DEEP[name]
    found = timed(run, command, "--at", "x=2", "--", text).json
    assert value is None or found["value"] == value
    if name == "doubling" and command == "diff":
        assert found["gradient"]["x"] == 2.0**60


REFUSED = {
    "parentheses": ("(" * 100_000, 4, "brackets nest more than 20,000 deep"),
    "lists": ("[" * 100_000, 4, "list literals nest more than 64 deep"),
    "an index": ("x" + "[" * 70 + "0" + "]" * 70, 4, "list literals nest more than 64 deep"),
    "a name": ("x" * 1_000_000, 4, "a name of 1,000,000 characters"),
    "a target": ("a" * 300 + "=1", 4, "a name of 300 characters"),
    "digits": ("1" * 100_000 + "!", 3, "there is no `!`"),
    "points": ("1." * 50_000, 3, "is not a number"),
    "exponents": ("1e" * 50_000, 3, "an operator is missing"),
    "comments": ("#" * 1_000_000, 3, "nothing to evaluate"),
    "equals": ("x=" * 50_000, 3, "an `=` that assigns nothing"),
    "a string": ('"' + "a" * 1_000_000, 3, "this string is never closed"),
    "lines": ("\t\n" * 500_000, 3, "nothing to evaluate"),
    "bytes": ("x+" * 600_000, 4, "the text has 1,200,000 bytes; the limit is 1,048,576"),
    "dots": ("." * 100_000, 3, "`...` stands only in an index"),
    "attributes": ("x." * 50_000 + "y", 3, "there is no attribute `x`"),
    "quotes": ("'" * 50_001, 3, "an operator is missing"),
    "marks": ("?" * 100_000, 3, "there is no `?`"),
    "calls": ("f(" * 9999 + ")" * 9999, 4, "there is no function called f"),
    "values": ("x;" * 20_000, 3, "the value of this statement is not used"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(run, name):
    text, code, says = REFUSED[name]
    done = timed(run, "eval", text, "--at", "x=2")
    assert (done.code, says in done.err) == (code, True), done.err[:300]


def test_values(run):
    for text in ("[" * 100_000, "[" * 100_000 + "]" * 100_000):
        done = timed(run, "eval", "x", "--at", f"x={text}")
        assert done.code == 5 or "nest more than 64" in done.err
    done = timed(run, "eval", "x", "--at", "x=@-")
    assert done.code == 5


def test_warnings_are_few(run):
    done = run("eval", "a=1;" * 5000 + "a")
    assert done.code == 0
    assert done.err.count("\n") <= 16
    assert done.err.count("warning: a is assigned and never read") <= 5
    assert "more warnings" in done.err


def test_order(run):
    assert timed(run, "diff", "x**3", "--at", "x=1", "--order", "1000").json["derivatives"][:4] == [3.0, 6.0, 6.0, 0.0]
    done = timed(run, "diff", "exp(x)**2*sin(x)", "--at", "x=1", "--order", "1000")
    assert done.code == 4
    assert "would take more than 1000000 nodes" in done.err
    assert timed(run, "diff", "x", "--at", "x=1", "--order", "1000000000").code == 2


@pytest.mark.parametrize("form", ["json", "tree", "dot", "mermaid"])
def test_graph_of_a_long_sum(run, form):
    done = timed(run, "graph", "+".join(["x"] * 1000), "--at", "x=1", "--format", form)
    assert done.code == 0
    assert len(done.out) < 2_000_000


@pytest.mark.parametrize(
    "words", [["jvp", "--tangent", "x=1"], ["hessian"], ["check"], ["jacobian"], ["vjp"]], ids=lambda words: words[0]
)
def test_every_command_on_a_deep_one(run, words):
    assert timed(run, *words, "--at", "x=1", "--", "-" * 1000 + "x").code == 0
