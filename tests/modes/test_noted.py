"""What a traceback shows of an error, besides its message."""

import numpy as np
import pytest

import gradcli
from gradcli.errors import GradcliError


def _notes(text, at):
    with pytest.raises(GradcliError) as caught:
        gradcli.parse(text).diff(at)
    assert str(caught.value) == caught.value.message
    return getattr(caught.value, "__notes__", [])


def test_shapes():
    notes = _notes("1 +x@w", {"x": np.ones((2, 3)), "w": np.ones((4, 3))})
    assert notes == ["  | 1 +x@w", "  |    ^^^ x is 2x3, w is 4x3", "  = help: did you mean x@w.T ?"]


def test_the_line_of_a_text_with_several():
    assert _notes("a = x\nb = sinn(a)\nb", {"x": 1})[:2] == ["  | b = sinn(a)", "  |     ^^^^"]


def test_syntax():
    assert _notes("2x", {}) == ["  | 2x", "  |  ^ expected an operator", "  = help: a product is written `2*x`"]


@pytest.mark.parametrize("text", ["x+" * 200 + "*", "x \x1b[31m"])
def test_neither_long_lines_nor_what_steers_a_terminal(text):
    assert not [note for note in _notes(text, {}) if "|" in note]


def test_an_error_is_noted_once():
    f = gradcli.parse("x + y")
    for _ in range(2):
        with pytest.raises(GradcliError) as caught:
            f.check({"x": 1})
        assert len(caught.value.__notes__) == 3
