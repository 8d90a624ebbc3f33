"""One cell of a table in text: the number in it, or how to write what was meant by it.

Other programs write missing and infinite numbers, exponents, fractions and sums of money in ways of their own. None of
them is guessed at: a cell is a plain decimal number, a word for nan or infinity, empty, or an error with a hint.
"""

from __future__ import annotations

import math
import re

from gradcli.cli.jsondata import BEYOND, OVERFLOW, spelled
from gradcli.lowering.rounded import EXACT

# Python's float() also takes underscores and the digits of every script.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_REAL = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)"
_LONGEST = 60
_MONEY = "[$\u20ac\u00a3\u00a5\u20b9]"
_DATE = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?:[T ].*)?|\d{8}T.*")
# What is no number and looks like one, and what to do about it: a first row of these is no header.
_LOOKS = tuple(
    (re.compile(pattern, re.IGNORECASE), help)
    for pattern, help in (
        (
            r"<?n\.?/?a\.?>?|nat|\(?null\)?|[sq]nan|undef(ined)?|nil|none|missing|nothing|-+|\.|\?|\*|\\n|[+-]?1[.,]?#(?!inf)\w*"
            r"|[+-]?nan(\(.*\)|0x\w*|\.)"
            r"|#(n/a|div/0!|value!|ref!|num!|name\?|null!)",
            "write nan for a missing number",
        ),
        (r"[+-]?(1[.,]?#inf\d*|infty|infinite|inf\.|1e\+inf|\u221e)", "write inf for an infinite number"),
        (r"true|false|\.true\.|\.false\.", "write 1 and 0 for true and false"),
        (_REAL + r"(d[+-]?|q[+-])\d+", "write e for d in an exponent: 1e3"),
        (_REAL + r"[+-]\d{2,}", "an exponent needs its e: 1e-100"),
        (_REAL + r"\s*([x*\u00d7\u00b7]\s*10\s*(\^|\*\*)?|\*\^)\s*[+-]?\d+|" + _REAL + r"e[+-]?", "an exponent: 1e3"),
        (r"\*{2,}", "stars stand where a number did not fit into its field: write it anew, wider"),
        (r"[+-]?0(x[0-9a-f]*\.?[0-9a-f]*(p[+-]?\d+)?|b[01]+|o[0-7]+)", "write numbers in decimal digits"),
        (r"[+-]?\d+\s*/\s*\d+", "write a fraction as a decimal number: 0.5"),
        (r"[+-]?\d+(:\d+)+(\.\d*)?( ?[ap]\.?m\.?)?", "write a time as one number, for example its seconds"),
        (r"[+-]?\d+\*[+-]?[\d.].*", "write a repeated number as often as it stands"),
        (r"=.*", "a formula: save its value"),
        (r"[+-]?[\d.,]*(?![0-9])\d[\d.,]*", "write numbers with the digits 0 to 9"),
        (
            rf"\(?{_REAL}(e[+-]?\d+)?\s*[+-]\s*[\d.]*(e[+-]?\d+)?[ij]\)?|[+-]?[\d.]+(e[+-]?\d+)?[ij]|[+-]?(nan|inf)[+-].*[ij]",
            "complex numbers are not read",
        ),
        (rf"\(\s*{_MONEY}?[\d.,]+\s*\)", "write a minus for brackets around a negative number"),
        (r"[\[({]+\s*[+-]?[\d.][^a-z]*|[+-]?[\d.][^a-z]*[])}]+", "numbers stand without brackets: JSON has them"),
        (rf"[+-]?\s*{_MONEY}\s*[+-]?[\d.,'\s]+|[+-]?\d[\d.,'\s]*{_MONEY}", "write the number without its currency"),
        (r"[+-]?[\d.,]+\s*[%\u2030]", "write a percentage as a number: 0.25, or 25"),
        (r"[\u2212\u2013\u2014][\d.].*", "write a minus as the hyphen -"),
        (r"[+-]\s+[\d.].*", "no blank stands between a sign and its number"),
        (r"[<>~\u2248\u2264\u2265]=?\s*[+-]?[\d.].*", "a bound is no number: write the number alone, or nan"),
        (_REAL + r"\s*(\u00b1|\+/?-|\(\d+\)).*", "write the number without its uncertainty"),
        (_REAL + r"(e[+-]?\d+)?(f|l|lf|u|ul|ll)", "write the number without a letter behind it"),
        (r"'.*\d'|'\d.*", "write numbers without quotes or apostrophes"),
        (r"[+-]?\d+,\d+", "write a point in a decimal number, not a comma"),
        (
            "[+-]?[\\d.][\\d.,;'_\u2019\u00a0\u202f\u2009\\s]*(e[+-]?\\d+)?",
            "write a number without marks between its digits",
        ),
        (r"[+-]*\.?\d+[^\w]*[-+]?|[+-]+\.?\d[^a-z]*|[+-]?[\d.]+([e^\u00b2\u00b3].*)", "write a plain decimal number"),
    )
)


class NoNumberError(Exception):
    """What is wrong with a cell, and what to do about it; None where its text does not tell."""

    def __init__(self, reason: str, help: str | None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.help = help


def number(cell: str) -> float:
    """The number that a cell stands for, nan for an empty one. Raises NoNumberError."""
    cell = cell.strip()
    if _NUMBER.fullmatch(cell):
        value = float(cell)
        if math.isinf(value):
            raise NoNumberError(OVERFLOW, "write inf for an infinite number")
        if abs(value) >= EXACT and _INTEGER.fullmatch(cell) and int(cell.lstrip("+-0")) > EXACT:
            raise NoNumberError(BEYOND, "a decimal point says that its last digits do not matter")
        return value
    word = math.nan if not cell else spelled(cell)
    if word is None:
        dated = "write a date as a number, for example its days" if _DATE.fullmatch(cell) else ""
        raise NoNumberError("not a number", dated or meant(cell) or None)
    return word


def readable(cell: str) -> bool:
    """Whether a cell is empty or spells a number, were it too large for float64."""
    cell = cell.strip()
    return not cell or _NUMBER.fullmatch(cell) is not None or spelled(cell) is not None


def meant(cell: str) -> str:
    """How to write what looks like a number and is none; an empty text for other words, and for dates."""
    cell = cell.strip()
    if not 0 < len(cell) <= _LONGEST or _DATE.fullmatch(cell):
        return ""
    return next((help for pattern, help in _LOOKS if pattern.fullmatch(cell)), "")
