"""Every parameter of every function with values at the ends of what may be written: an answer or a refusal."""

import re
from contextlib import suppress

import pytest

import gradcli
from gradcli.errors import GradcliError
from gradcli.primitives import TABLE, budget

ODD = (
    "2**31",
    "-2**31",
    "2**31 - 1",
    "2**40",
    "(2**31, -2**31)",
    "[2**31]",
    "(0, 0)",
    "None",
    "True",
    "0.5",
    "nan",
    "'x'",
)
PARAMETERS = [
    (entry, parameter.name)
    for entry in dict.fromkeys(TABLE.values())
    if not entry.hidden
    for parameter in entry.signature.parameters
    if parameter.type not in ("value", "sequence")
]


@pytest.mark.parametrize(("entry", "name"), PARAMETERS, ids=lambda value: getattr(value, "name", value))
def test_odd_values(entry, name):
    budget.set_limit(10**8)
    for value in ODD:
        value = value.replace("'", '"')
        text, count = re.subn(rf"\b{name}=[^,()\[\]]+", f"{name}={value}", entry.example)
        text = text if count else f"{entry.example[:-1]}, {name}={value})"
        with suppress(GradcliError):  # anything else is a bug
            gradcli.parse(text).evaluate({})
