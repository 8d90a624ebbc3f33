"""Functions whose derivative the result would tell, as it does in PyTorch: their operand may be written to before."""

import numpy as np
import pytest

import gradcli
from gradcli import tensor
from gradcli.primitives import TABLE
from tests.primitives.samples import SAMPLES

BY_RESULT = {entry.name: entry for entry in TABLE.values() if entry.by_result}
SAMPLE = {sample.name: sample for sample in reversed(SAMPLES)}


def test_functions_that_pytorch_differentiates_by_their_result():
    assert {"tanh", "sigmoid", "relu", "rsqrt", "log_softmax", "expm1", "ndtr", "max", "min", "qr", "svd"} <= {
        *BY_RESULT
    }


WRITES = {
    "zero_": lambda y: y.zero_(),
    "element": lambda y: y.__setitem__(0, 7.0),
    "twice": lambda y: y.mul_(3).add_(1),
    "by an alias": lambda y: y.detach().fill_(9),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize("name", BY_RESULT)
def test_the_operand_may_be_written_to_before_the_backward_pass(name, write):
    """First and second derivatives are those at the values that the function saw."""
    sample = SAMPLE[name]
    cotangent = tensor(1.0)

    def derivatives(written):
        (x,) = (tensor(operand, requires_grad=True) for operand in sample.operands)
        y = x * 1
        out = sample(y)
        if written:
            write(y)
        (first,) = gradcli.grad((out * out).sum(), x, cotangent, create_graph=True)
        if written:
            write(y)
        (second,) = gradcli.grad(first.sum(), x, materialize_grads=True)
        return first.detach().numpy(), second.numpy()

    for found, expected in zip(derivatives(True), derivatives(False), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("x", [20.0, -40.0, 0.3])
def test_the_derivative_is_as_accurate_as_without_the_write(x):
    """1 - tanh(20)**2 is 0 in double precision; the derivative is not (values by mpmath)."""
    exact = {20.0: 1.6993417021166355e-17, -40.0: 7.219404910719234e-35, 0.3: 0.9151369618266292}
    leaf = tensor(x, requires_grad=True)
    y = leaf * 1
    out = gradcli.tanh(y)
    y.zero_()
    out.backward()
    assert leaf.grad.item() == pytest.approx(exact[x], rel=1e-15)


def test_a_leaf_updated_between_two_backward_passes():
    w = tensor(0.5, requires_grad=True)
    y = gradcli.sigmoid(w)
    y.backward(retain_graph=True)
    first = w.grad.item()
    with gradcli.no_grad():
        w -= 0.25
    y.backward()
    assert w.grad.item() == 2 * first
    w.grad = None
    gradcli.sigmoid(w).backward()
    assert w.grad.item() > first


def test_a_write_costs_nothing_once_the_graph_is_gone():
    y = tensor([1.0, 2.0], requires_grad=True) * 1
    for _ in range(3):
        gradcli.tanh(y)  # nobody keeps the node
    assert not y.version.borrowers
    kept = gradcli.tanh(y)
    assert len(y.version.borrowers) == 1
    kept.sum().backward()
    y.zero_()
    assert y.version.borrowers is None


def test_in_a_program_a_write_after_a_function_by_its_result():
    f = gradcli.parse("y = 1*x; z = tanh(y) + sigmoid(y); y[0] = 9; sum(z) + y[1]")
    plain = gradcli.parse("sum(tanh(x) + sigmoid(x)) + x[1]")
    for x in ([0.5, 20.0], [1.0, -3.0], [0.5, 20.0], [2.0, 2.0]):
        np.testing.assert_array_equal(f.diff({"x": x}).gradient["x"], plain.diff({"x": x}).gradient["x"])
