"""What a tape makes of a program: few calls, in few arrays, to the last bit what the calls written out would give."""

import numpy as np
import pytest

import gradcli
from gradcli.lowering.tape import Tape
from gradcli.lowering.trace import Tracer, Unsteady


def tape(text, at, names):
    return Tape(gradcli.parse(text)._plans[0], {name: np.asarray(x, dtype=float) for name, x in at.items()}, names)


def calls(player):
    return [getattr(function, "__name__", "other") for function, _, _ in player._program._steps]


def kept(player):
    arrays = [x for x in player._program._contents if isinstance(x, np.ndarray) and x.size > 1]
    return {id(x if x.base is None else x.base) for x in arrays}


def test_equal_calls_are_made_once():
    made = calls(tape("sum(exp(x)*exp(x) + exp(x))", {"x": np.ones(3)}, ("x",)))
    assert made.count("exp") == 1
    assert calls(tape("sum(x*y + y*x)", {"x": np.ones(3), "y": np.ones(3)}, ())).count("multiply") == 1


def test_signs_and_squares_cost_nothing():
    at = {"x": np.ones(3), "y": np.ones(3)}
    assert "negative" not in calls(tape("sum((y - x)*x)", at, ("x",)))
    made = calls(tape("sum(exp(-x**2)*sin(3*x) + sqrt(1 + x*x))", at, ("x",)))
    assert made.count("square") == 1
    assert "power" not in made
    assert len(made) <= 25


def test_results_share_arrays():
    chain = "y = 2*x\n" + "y = y + x\n" * 50 + "sum(y)"
    assert len(kept(tape(chain, {"x": np.ones(100)}, ("x",)))) <= 2
    # Every operand of a sine is needed for its derivative.
    assert len(kept(tape("y = 2*x\n" + "y = sin(y)\n" * 50 + "sum(y)", {"x": np.ones(100)}, ("x",)))) >= 50


@pytest.mark.parametrize(
    "text", ["y + -x", "-x + y", "y - -x", "-x - y", "x*1", "1*x", "(-x)*y", "-x*-y", "x**2", "x*x"]
)
@pytest.mark.parametrize("x", [0.0, -0.0, np.nan, np.inf, 1e200, 3.0])
def test_cheaper_calls_give_the_same_bits(text, x):
    at = {"x": [x, 1.0], "y": [2.0, -0.0]}
    one = tape(text, at, None)
    [value] = one.run({name: np.asarray(v, dtype=float) for name, v in at.items()}) or [None]
    with np.errstate(all="ignore"):
        expected = eval(text, {name: np.array(v) for name, v in at.items()})
    if value is None:
        assert not np.isfinite(np.sum(expected))
    else:
        np.testing.assert_array_equal(value, expected)
        np.testing.assert_array_equal(np.signbit(value), np.signbit(expected))


def test_results_are_in_arrays_of_their_own():
    at = {"x": np.arange(4.0), "A": np.ones((2, 2))}
    for text in ("x", "x.reshape((2, 2))", "exp(x)[1:]", "A.T", "x + 1", "exp(x).reshape((2, 2)).T"):
        player = tape(text, at, None)
        (first,) = player.run(at)
        copy = first.copy()
        (second,) = player.run({name: x + 1 for name, x in at.items()})
        assert not np.shares_memory(first, second)
        assert not any(np.shares_memory(first, x) for x in at.values())
        np.testing.assert_array_equal(first, copy)


def test_a_choice_by_value_is_nothing_for_a_tape():
    at = {"x": np.ones(3)}
    for text in ("sum(x[x > 0])", "y = 1*x; y[0] = 2; sum(y)", "sum(x*rand(3))", "x[x[0]]"):
        with pytest.raises(Unsteady):
            tape(text, at, ("x",))


def test_no_traced_number_decides_anything():
    tracer = Tracer()
    with pytest.raises(Unsteady):
        bool(tracer.input("x", np.array(1.0)))
