"""Live lanes: what was not selected contributes exactly 0, in reverse and in forward sweeps.

The expressions each take an infinite slope in a lane that does not reach the result.
"""

import numpy as np
import pytest

import gradcli
from gradcli import tensor
from gradcli.engine.forward import Forward
from gradcli.engine.record import edge_of
from gradcli.engine.reverse import Reverse

CASES = {
    "sqrt(x)[1]": (lambda x: gradcli.sqrt(x)[1], [0.0, 4.0], [0, 0.25]),
    "max(sqrt(x))": (lambda x: gradcli.max(gradcli.sqrt(x)), [0.0, 1.0], [0, 0.5]),
    "clip(log(x), -1, 1)": (lambda x: gradcli.clip(gradcli.log(x), -1, 1), 0.0, 0),
    "relu(log(x))": (lambda x: gradcli.relu(gradcli.log(x)), 0.0, 0),
    "maximum(log(x), -1)": (lambda x: gradcli.maximum(gradcli.log(x), -1.0), 0.0, 0),
    "where(x > 0, sqrt(x), 0)": (lambda x: gradcli.where(x > 0, gradcli.sqrt(x), 0.0).sum(), [0, -1, 4], [0, 0, 0.25]),
    "sqrt(x)[[1, 1]]": (lambda x: gradcli.sqrt(x)[[1, 1]].sum(), [0.0, 4.0], [0, 0.5]),
    "sqrt(x)[x > 0]": (lambda x: gradcli.sqrt(x)[x > 0].sum(), [0.0, 4.0], [0, 0.25]),
    "min of three": (lambda x: gradcli.min(gradcli.stack([gradcli.sqrt(x), x + 9, x - 1])), 0.0, 1),
    "stack, then one": (lambda x: gradcli.stack([gradcli.sqrt(x), x])[1], 0.0, 1),
    "cat, then a part": (lambda x: gradcli.cat([gradcli.sqrt(x), x])[2:].sum(), [0.0, 1.0], [1, 1]),
    "overwritten": (None, [0.0, 4.0], [0, 0.25]),
}


def program(name):
    def copied(x):
        y = gradcli.sqrt(x) * 1
        y[0] = 0.0
        return y.sum()

    return CASES[name][0] or copied


@pytest.mark.parametrize("name", CASES)
def test_reverse(name):
    _, at, gradient = CASES[name]
    x = tensor(at, requires_grad=True)
    program(name)(x).backward()
    assert x.grad.tolist() == gradient


@pytest.mark.parametrize("name", CASES)
def test_forward_one_direction_at_a_time(name):
    _, at, gradient = CASES[name]
    x = tensor(at, requires_grad=True)
    y = program(name)(x)
    directions = np.eye(x.array.size).reshape(x.array.size, *x.shape)
    found = [np.asarray(Forward(y.grad_fn, {edge_of(x): t}).run()).item() for t in directions]
    assert found == np.ravel(gradient).tolist()


@pytest.mark.parametrize("name", CASES)
def test_forward_all_directions_in_one_stack(name):
    _, at, gradient = CASES[name]
    x = tensor(at, requires_grad=True)
    y = program(name)(x)
    directions = np.eye(x.array.size).reshape(x.array.size, *x.shape)
    assert Forward(y.grad_fn, {edge_of(x): directions}, lead=1).run().tolist() == np.ravel(gradient).tolist()


def test_the_zeros_of_a_one_hot_seed_are_structural():
    x = tensor([0.0, 1.0], requires_grad=True)
    (rows,) = gradcli.grad(gradcli.sqrt(x), x, np.eye(2), is_grads_batched=True)
    assert rows.tolist() == [[np.inf, 0], [0, 0.5]]


def test_a_zero_that_came_out_of_arithmetic_is_not():
    x = tensor(0.0, requires_grad=True)
    (gradcli.sqrt(x) ** 2).backward()
    assert np.isnan(x.grad.item())


def test_a_nan_that_is_real_stays():
    x = tensor([-1.0, 4.0], requires_grad=True)
    gradcli.sqrt(x).sum().backward()
    assert np.isnan(x.grad.tolist()[0])
    assert x.grad.tolist()[1] == 0.25


def test_higher_derivatives_keep_to_their_lanes():
    x = tensor([0.0, 4.0], requires_grad=True)
    (first,) = gradcli.grad(gradcli.sqrt(x)[1], x, create_graph=True)
    assert first.tolist() == [0, 0.25]
    (second,) = gradcli.grad(first[1], x)
    assert second.tolist() == [0, -1 / 32]


def test_forward_and_reverse_agree_on_a_larger_program():
    rng = np.random.default_rng(1)
    x = tensor(rng.standard_normal((3, 4)), requires_grad=True)
    w = tensor(rng.standard_normal((4, 2)), requires_grad=True)
    y = gradcli.tanh(x @ w)[:, 1:] * gradcli.exp(x[:, :1]) - gradcli.sum(w**2)
    tangents = {edge_of(x): rng.standard_normal((3, 4)), edge_of(w): rng.standard_normal((4, 2))}
    cotangent = rng.standard_normal(y.shape)
    pushed = np.vdot(cotangent, Forward(y.grad_fn, tangents).run())
    pulled, _ = Reverse({y.grad_fn: cotangent}, set(tangents)).run()
    assert pushed == pytest.approx(sum(np.vdot(tangents[n], pulled[n]) for n in tangents), rel=1e-12)
