"""Which names a misspelled one is taken for, and which are too far from any."""

import pytest

from gradcli.errors import closest
from gradcli.lowering.synonyms import _KNOWN, _PHRASES
from gradcli.primitives import TABLE

FUNCTIONS = [name for name in TABLE if not TABLE[name].hidden]


@pytest.mark.parametrize(
    ("name", "guess"),
    [
        ("Sin", "sin"),
        ("tahn", "tanh or tan"),
        ("softm", "softmax"),
        ("concat", "concatenate"),
        ("matmull", "matmul"),
        ("sine", "sin"),
        ("norma", "normalize, normal or norm"),
        *[(name, "") for name in ("foo", "real", "nosuch", "frobnicate", "f", "xy")],
    ],
)
def test_guess(name, guess):
    assert closest(name, FUNCTIONS) == guess


def test_the_names_of_elsewhere_are_not_ours_and_stand_for_ours():
    assert not [name for name in {**_KNOWN, **_PHRASES} if name in FUNCTIONS]
    assert set(_KNOWN.values()) <= set(FUNCTIONS)
