"""Tapes and pieces give what a recorded run gives: on programs run again, at other points, on large sums."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import gradcli
from gradcli.errors import GradcliError, MissingValue, ShapeMismatch
from gradcli.lowering.tape import Tape
from gradcli.modes import replay
from gradcli.primitives import TABLE
from tests.modes.test_gradients import POINT, PROGRAMS
from tests.primitives.samples import SAMPLES


def assert_equal(found, expected):
    np.testing.assert_allclose(found.value, expected.value, rtol=1e-14)
    assert found.gradient.keys() == expected.gradient.keys()
    for name, gradient in expected.gradient.items():
        assert np.shape(found.gradient[name]) == np.shape(gradient)
        np.testing.assert_allclose(found.gradient[name], gradient, rtol=1e-13, atol=1e-15, err_msg=name)
    assert [note.reason for note in found.notes] == [note.reason for note in expected.notes]


@pytest.mark.parametrize("text", PROGRAMS)
def test_a_program_that_runs_again_gives_what_it_gives_the_first_time(text):
    again = gradcli.parse(text)
    for factor in (1.0, 1.01, 0.97):
        at = {name: np.multiply(POINT[name], factor) for name in again.names}
        assert_equal(again.diff(at), gradcli.parse(text).diff(at))


def as_text(sample):
    """A call as a program of the inputs x0, x1, ... that weighs each element of the result in its own way, None where
    the parameters cannot be written."""
    entry, names = TABLE[sample.name], [f"x{i}" for i in range(len(sample.operands))]
    operands = [p.name for p in entry.signature.parameters if p.type in ("value", "sequence")]
    given = [f"[{', '.join(names)}]"] if entry.variadic else names
    params = [f"{name}={value!r}".replace("'", '"') for name, value in sample.params.items()]
    if entry.hidden or sample.name in ("index", "assign") or any("slice" in p or "array" in p for p in params):
        return None
    words = [f"{name}={x}" for name, x in zip(operands, given, strict=False)]
    return f"y = ravel({sample.name}({', '.join(words + params)})); sum(cumsum(y*y)) + sum(y)"


CALLS = {text: sample for sample in SAMPLES if (text := as_text(sample)) is not None}


def in_order(step):
    """An operand's elements in falling (-1) or rising order along each axis."""
    return lambda x: np.sort(np.ravel(x))[::step].reshape(np.shape(x))


def tied(x):
    return np.full(np.shape(x), np.ravel(x)[-1]) if np.size(x) else np.asarray(x)


FALLING, RISING = in_order(-1), in_order(1)
ORDERS = (FALLING, FALLING, FALLING, RISING, np.asarray, tied)
"""What the operands of one call after the other are like: the third makes the tape, the others meet it."""


@pytest.mark.parametrize("text", CALLS)
def test_a_call_that_runs_again_gives_what_it_gives_the_first_time(text):
    operands = {f"x{i}": x for i, x in enumerate(CALLS[text].operands)}
    again = gradcli.parse(text)
    for order in ORDERS:
        at = {name: order(x) for name, x in operands.items()}
        try:
            expected = gradcli.parse(text).diff(at)
        except GradcliError as error:
            with pytest.raises(type(error)):
                again.diff(at)
            continue
        assert_equal(again.diff(at), expected)


def tapes_made(monkeypatch):
    made = []
    build = Tape.__init__

    def counted(self, *args):
        made.append(self)
        build(self, *args)

    monkeypatch.setattr(Tape, "__init__", counted)
    return made


def test_a_tape_is_made_for_the_second_run_and_kept(monkeypatch):
    made = tapes_made(monkeypatch)
    f = gradcli.parse("sum(x**2)")
    for k in range(5):
        assert f.diff({"x": [1.0, k]}).gradient["x"].tolist() == [2, 2 * k]
    assert len(made) == 1
    f.diff({"x": [1.0, 2.0, 3.0]})
    f.diff({"x": [1.0, 2.0, 4.0]})
    assert len(made) == 2


@pytest.mark.parametrize(
    "text",
    ["y = 1*x; y[0] = x[1]; sum(y)", "x[i]*x[0]", "sum(x*rand(2))", "sum(arange(0, x[1], x[0]))", "sum(x[x > 1])"],
)
def test_what_depends_on_more_than_shapes_is_recorded_every_time(text):
    f = gradcli.parse(text)
    for first in (1.5, 2.5, 0.5):
        at = {"x": [first, 2.0], **({"i": float(first > 2)} if "i" in f.names else {})}
        gradcli.manual_seed(3)
        found = f.diff(at)
        gradcli.manual_seed(3)
        assert_equal(found, gradcli.parse(text).diff(at))


def test_a_kink_is_still_noted_when_a_tape_meets_it():
    f = gradcli.parse("abs(x)")
    assert [len(f.diff({"x": x}).notes) for x in (1.0, 2.0, 0.0, -1.0, 0.0)] == [0, 0, 1, 0, 1]


def test_a_lane_that_is_not_selected_stays_zero_when_a_tape_meets_it():
    f = gradcli.parse("sum(where(x > 0, sqrt(x), 0))")
    for _ in range(3):
        assert f.diff({"x": [0.0, -1.0, 4.0]}).gradient["x"].tolist() == [0, 0, 0.25]


def test_an_error_is_the_same_again():
    f = gradcli.parse("x@y")
    for _ in range(3):
        with pytest.raises(gradcli.GradcliError) as caught:
            f.diff({"x": [1.0, 2.0], "y": [1.0]})
        assert caught.value.span == (0, 3)


def test_results_of_two_runs_share_nothing():
    f = gradcli.parse("sum(x*y)")
    at = {"x": np.array([1.0, 2.0]), "y": np.array([3.0, 4.0])}
    f.diff(at)
    first, second = f.diff(at), f.diff(at)
    first.gradient["x"][0] = 99.0
    assert second.gradient["x"].tolist() == [3, 4]
    assert at["y"].tolist() == [3, 4]


LARGE = [
    "sum(exp(-x**2)*sin(3*x) + sqrt(1+x*x))",
    "mean((a*x + b - y)**2)",
    "sum(where(x > 0, x, 0.1*x)*y)",
    "mean(tanh(x) + 2)",
    "sum(sqrt(abs(x)))",
]


WHOLE = [
    "sum(sort(x)*y)",
    "sum(x[::-1]*y)",
    "mean(cumsum(x)*y)",
    "sum(x - max(x))",
    "sum(x*mean(y))",
    "s = sum(x*y); s*s",
]


@pytest.mark.parametrize("text", WHOLE)
def test_what_is_no_elementwise_sum_is_not_cut(text, monkeypatch):
    draw = np.random.default_rng(6)
    at = {name: draw.standard_normal(130_000) for name in gradcli.parse(text).names}
    found = gradcli.parse(text).diff(at)
    monkeypatch.setattr(replay, "LARGE", 10**9)
    expected = gradcli.parse(text).diff(at)
    np.testing.assert_allclose(found.value, expected.value, rtol=1e-11)
    for name, gradient in expected.gradient.items():
        np.testing.assert_allclose(found.gradient[name], gradient, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("text", LARGE)
def test_large_sums_by_pieces(text, monkeypatch):
    draw = np.random.default_rng(5)
    at = {"x": draw.standard_normal((300, 401)), "y": draw.standard_normal((300, 401)), "a": 1.5, "b": 0.25}
    f = gradcli.parse(text)
    at = {name: at[name] for name in f.names}
    assert f.text.startswith(("sum", "mean"))
    found = f.diff(at)
    monkeypatch.setattr(replay, "LARGE", 10**9)
    expected = gradcli.parse(text).diff(at)
    assert abs(found.value - expected.value) <= 4 * np.spacing(abs(expected.value))
    for name, gradient in expected.gradient.items():
        np.testing.assert_allclose(found.gradient[name], gradient, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("text", ["y = x*2; sum(k*k)", "y = x*2; mean(k*k)", "y = x > 0; sum(k)"])
def test_a_large_input_that_does_not_reach_the_sum(text):
    at = {"x": np.ones(200_000), "k": 3.0}
    small = gradcli.parse(text).diff({**at, "x": np.ones(3)}, wrt=["k"])
    assert_equal(gradcli.parse(text).diff(at, wrt=["k"]), small)


def test_a_value_that_is_missing_is_missed_every_time():
    f = gradcli.parse("x*y")
    for _ in range(3):
        with pytest.raises(MissingValue, match="no value for y"):
            f.diff({"x": 1.0})
    assert f.diff({"x": 1.0, "y": 2.0}).gradient == {"x": 2, "y": 1}


def test_shapes_that_do_not_fit_once_do_not_cost_the_tape(monkeypatch):
    made = tapes_made(monkeypatch)
    f = gradcli.parse("sum(x*y)")
    for _ in range(3):
        with pytest.raises(ShapeMismatch):
            f.diff({"x": [1.0, 2.0], "y": [1.0, 2.0, 3.0]})
    for _ in range(3):
        assert f.diff({"x": [1.0, 2.0], "y": [1.0, 2.0]}).value == 5
    assert len(made) == 2


def test_results_do_not_change_with_their_inputs():
    x = np.array([1.0, 2.0])
    f = gradcli.parse("sum(x**2)")
    for _ in range(3):
        found = f.diff({"x": x})
        x[:] = 0.0
        assert found.point["x"].tolist() == [1, 2]
        x[:] = [1.0, 2.0]
    stream = gradcli.parse("x**2").jacobian_stream({"x": x})
    x[:] = 100.0
    assert [block.rows["x"].tolist() for block in stream.blocks] == [[[2, 0], [0, 4]]]


def test_no_more_than_a_few_tapes_are_kept():
    f = gradcli.parse("sum(x)")
    for n in range(1, 3 * replay.Replay.MOST):
        f.diff({"x": np.ones(n)})
    assert len(f._replay._known) == replay.Replay.MOST


@pytest.mark.parametrize("text", ["tanh(x)*y", "x[:, None]*y", "sum(x*y)", "x", "[x[0], y[1]**2]"])
def test_cotangents_are_pulled_back_by_tapes_too(text, monkeypatch):
    made = tapes_made(monkeypatch)
    f = gradcli.parse(text)
    for k in range(4):
        at = {"x": np.array([0.5, 1.0 + k]), "y": np.array([2.0, -1.0])}
        weight = np.arange(1.0 + k, np.size(f.evaluate(at).value) + 1 + k).reshape(np.shape(f.evaluate(at).value))
        fresh = gradcli.parse(text)
        assert_equal(f.vjp(at, weight), fresh.vjp(at, weight))
        assert_equal(f.diff(at, grad_output=weight), fresh.diff(at, grad_output=weight))
        weight[...] = 7.0
        assert_equal(f.vjp(at, weight), fresh.vjp(at, weight))
    assert made
    with pytest.raises(ShapeMismatch):
        f.vjp(at, [1.0, 2.0, 3.0])


def test_many_shapes_in_turn_do_not_lock_out_a_new_one(monkeypatch):
    f = gradcli.parse("sum(x)")
    for n in range(1, 12):
        f.diff({"x": np.ones(n)})
    made = tapes_made(monkeypatch)
    for _ in range(3):
        f.diff({"x": np.ones(99), "unread": np.ones(len(made) + 1)})
    assert len(made) == 1


def test_a_name_that_is_not_read_has_a_gradient_of_its_shape():
    f = gradcli.parse("sum(y)")
    for n in (2, 2, 2, 3, 3):
        assert f.diff({"y": [1.0], "unread": np.ones(n)}, wrt="unread").gradient["unread"].tolist() == [0.0] * n


def test_a_warning_comes_every_time():
    f, at = gradcli.parse("mean(x - y)"), {"x": np.arange(3.0), "y": np.ones((3, 1))}
    for _ in range(4):
        with pytest.warns(gradcli.errors.Caution):
            f.evaluate(at)
        with pytest.warns(gradcli.errors.Caution):
            f.diff(at)


def test_large_programs_keep_little():
    chain = "y = x\n" + "y = sin(y)\n" * 90 + "y@y"
    f, at = gradcli.parse(chain), {"x": np.linspace(0, 1, 100_000)}
    f.diff(at)
    tracemalloc.start()
    for _ in range(3):
        f.diff(at)
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 70 * 2**20
    assert peak < 2.0 * 90 * at["x"].nbytes
