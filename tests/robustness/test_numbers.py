"""Numbers that are too large, too long, or no numbers: float64 at once, never a Python integer or complex."""

import pytest

INF, NAN = "Infinity", "NaN"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9**9**9", INF),
        ("9**9**9**9", INF),
        ("10**10**10", INF),
        ("2**2**2**2**2**2**2", INF),
        ("(-8)**(1/3)", NAN),
        ("0**-1", INF),
        ("1/0", INF),
        ("0/0", NAN),
        ("exp(1000)", INF),
        ("log(0)", "-Infinity"),
        ("1e400", INF),
        ("-1e400", "-Infinity"),
        ("1e-400", 0.0),
        ("1e999999999", INF),
        ("1_000", 1000.0),
        ("00012", 12.0),
        ("5e-324", 5e-324),
        ("1.7976931348623157e308*10", INF),
        ("nan", NAN),
        ("inf", INF),
        ("9" * 400, INF),
    ],
)
def test_value(run, text, value):
    found = run("eval", text).json
    assert found["value"] == value
    assert found.get("finite", True) == (not isinstance(value, str))
    # What is not finite says where that began, but for what was written as such.
    assert ("notes" in found) == (isinstance(value, str) and text not in ("nan", "inf"))


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("9" * 5000, 4, "a number of 5,000 characters; the limit is 400"),
        ("0." + "1" * 1_000_000, 4, "a number of 1,000,002 characters"),
        ("1" + "0" * 100_000, 4, "a number of 100,001 characters"),
        ("0x10", 3, "`0x10` is not a number"),
        ("\u0663+1", 3, "(U+0663) is not part of the language"),
        ("\uff11+1", 3, "(U+FF11) is not part of the language"),
        ("1e", 3, "has no exponent"),
        ("1e+", 3, "has no exponent"),
        (".", 3, "cannot begin with `.`"),
        ("..", 3, "cannot begin with `.`"),
        ("1..2", 3, "is not a number"),
        ("1.2.3", 3, "is not a number"),
        ("1__0", 3, "operator is missing"),
        ("x[1e9]", 4, "index 1000000000 is out of bounds"),
        ("x[0.5]", 4, "must be an integer"),
        ("x[2**40]", 4, "at most 2**31"),
        ("x[nan]", 4, "must be an integer"),
        ("zeros(2.5)", 4, "must be an integer"),
        ("zeros(inf)", 4, "must be an integer"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_refused(run, text, code, says):
    done = run("eval", text, "--at", "x=[1, 2, 3]")
    assert done.code == code
    assert says in done.err
    assert done.err.count("\n") <= 10


@pytest.mark.parametrize("digits", ["9" * 5000, "1" * 401])
def test_numbers_of_json(run, digits):
    """Python's own bound on the digits of an integer is no traceback."""
    done = run("eval", "x", "--at", "x=@-", stdin=f"[{digits}]")
    assert done.code == 5
    assert "integer" in done.err
    assert run("eval", "x", "--at", "x=@-", stdin="[1e400]").code == 5
