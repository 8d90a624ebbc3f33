"""Subscripts are read as NumPy reads them: what is read, what is written, and where the gradients go."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import gradcli
from gradcli.errors import GradcliError

ARRAYS = {"a": np.arange(1.0, 5).reshape(2, 2), "b": np.arange(1.0, 13).reshape(2, 3, 2), "v": np.arange(1.0, 4)}
GIVEN = {
    "m": np.array([True, False]), "i": np.array([1, 0]), "k": np.array(1), "mm": np.array([[True, False], [True, True]])
}  # fmt: skip
PARTS = (
    "0 -1 1 2 -3 1.5 None True False ... : 1: ::-1 -1:0:-1 0:2 [0,1] [1,1] [-1,0] [[0],[1]] [True,False] [] [5] [k,0] "
    "(0,1) (1,0) (0,) () ((0,1),(1,0)) (True,False) (i,i) (k,k) ([0],[1]) (0,[1,0]) (None,0) m i k mm i[0]"
).split()
INSIDE = [part for part in PARTS if ":" not in part and part != "..."]


def subscripts() -> list[str]:
    """Parts alone, in twos and threes, in brackets, with a comma at the end."""
    draw = Random(7)
    found = [form.format(part) for part in PARTS for form in ("{}", "{},")]
    found += [form.format(part) for part in INSIDE for form in ("({})", "({},)", "(({}),)", "({},),")]
    for size in [2] * 150 + [3] * 50:
        parts = ",".join(draw.choices(PARTS, k=size))
        inside = ",".join(draw.choices(INSIDE, k=size))
        found.append(draw.choice([parts, parts, f"{parts},", f"({inside})", f"({inside},)", f"({inside}),"]))
    return list(dict.fromkeys(found))


def positions(text: str, x: np.ndarray) -> np.ndarray | None:
    """Which elements NumPy reads, None where it refuses."""
    try:
        return np.asarray(eval(f"x[{text}]", {}, {**GIVEN, "x": np.arange(x.size).reshape(x.shape)}))
    except (IndexError, TypeError, ValueError):
        return None


def differentiated(program: str, result: np.ndarray, **values: np.ndarray) -> gradcli.results.Gradient:
    f = gradcli.parse(program)
    at = {name: {**GIVEN, **values}[name] for name in f.names}
    weight = np.arange(1.0, 1 + result.size).reshape(result.shape)
    return f.diff(at, wrt=[*values], grad_output=weight)


@pytest.mark.parametrize("name", ARRAYS)
def test_a_subscript_is_read_as_numpy_reads_it(name: str) -> None:
    x = ARRAYS[name]
    for text in subscripts():
        read = positions(text, x)
        if read is None:
            with pytest.raises(GradcliError):
                differentiated(f"x[{text}]", x, x=x)
            continue
        found = differentiated(f"x[{text}]", read, x=x)
        np.testing.assert_array_equal(found.value, x.ravel()[read], err_msg=text)
        gradient = np.bincount(read.ravel(), np.arange(1.0, 1 + read.size), x.size).reshape(x.shape)
        np.testing.assert_array_equal(found.gradient["x"], gradient, err_msg=text)


@pytest.mark.parametrize("name", ARRAYS)
def test_a_subscript_is_written_as_numpy_writes_it(name: str) -> None:
    x = ARRAYS[name]
    for text in subscripts():
        read = positions(text, x)
        if read is None:
            continue
        value = 10.0 * np.arange(1.0, 1 + read.size).reshape(read.shape)
        found = differentiated(f"y = 1*x; y[{text}] = w; y", x, x=x, w=value)
        last = {place: number for number, place in enumerate(read.ravel())}
        result, left, right = x.ravel().copy(), np.arange(1.0, 1 + x.size), np.zeros(read.size)
        for place, number in last.items():
            result[place], left[place], right[number] = value.ravel()[number], 0.0, 1.0 + place
        np.testing.assert_array_equal(np.ravel(found.value), result, err_msg=text)
        np.testing.assert_array_equal(np.ravel(found.gradient["x"]), left, err_msg=text)
        np.testing.assert_array_equal(np.ravel(found.gradient["w"]), right, err_msg=text)


def test_a_tuple_before_a_comma_is_a_list_of_positions() -> None:
    f, at = gradcli.parse("sum(T[(0, 1),])"), {"T": np.ones((2, 2))}
    assert f.evaluate(at).value == 4
    assert f.diff(at).gradient["T"].tolist() == [[1, 1], [1, 1]]
    assert gradcli.parse("a = zeros(2, 2); a[(0, 1),] = 9; sum(a)").evaluate({}).value == 36
    assert gradcli.parse("a = zeros(2, 2); a[(0, 1),] += 9; sum(a)").evaluate({}).value == 36
    assert gradcli.parse("a = zeros(2, 2); a[(0, 1)] = 9; sum(a)").evaluate({}).value == 9
