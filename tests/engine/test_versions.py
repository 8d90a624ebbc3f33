"""What may not be written to, and what may no longer be differentiated after a write. Behaviour as PyTorch's."""

import pytest

import gradcli
from gradcli import no_grad, tensor
from gradcli.errors import InplaceWrite


def leaf(data):
    return tensor(data, requires_grad=True)


# Leaves


def write_add(x):
    x += 1


WRITES = {
    "x += 1": (write_add, "a leaf Variable that requires grad is being used in an in-place operation"),
    "x.add_(1)": (lambda x: x.add_(1), "a leaf Variable that requires grad is being used in an in-place operation"),
    "x[0] = 5": (
        lambda x: x.__setitem__(0, 5.0),
        "a view of a leaf Variable that requires grad is being used in an in-place operation",
    ),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_leaf_that_requires_grad_cannot_be_written_to(name):
    write, phrase = WRITES[name]
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match=phrase) as caught:
        write(x)
    assert isinstance(caught.value, InplaceWrite)
    assert "1*x" in caught.value.help
    assert x.tolist() == [1, 2]


@pytest.mark.parametrize("name", WRITES)
def test_but_under_no_grad_it_can(name):
    write, _ = WRITES[name]
    x = leaf([1.0, 2.0])
    with no_grad():
        write(x)
    assert x._version == 1
    assert x.is_leaf
    assert x.requires_grad


def test_an_index_is_a_copy_and_can_be_written_to():
    """In PyTorch it is a view: there this is an error, and of a result the base would become CopySlices."""
    x = leaf([1.0, 2.0])
    part = x[0:1]
    part[0] = 5.0
    assert (x.tolist(), part.tolist()) == ([1, 2], [5])
    base = x * 1
    base[0:1].mul_(3)
    assert base.grad_fn.name() == "MulBackward0"
    assert base._version == 0


def test_a_step_of_gradient_descent():
    x = leaf([1.0, 2.0])
    for _ in range(3):
        (x**2).sum().backward()
        with no_grad():
            x -= 0.25 * x.grad
        x.grad.zero_()
    assert x.tolist() == [0.125, 0.25]


# Saved values


def test_a_saved_operand_changed():
    a = leaf([1.0, 2.0, 3.0])
    b = a * 1
    c = b**2
    b[0] = 3.0
    with pytest.raises(
        RuntimeError,
        match=r"one of the variables needed for gradient computation has been modified by an inplace operation: "
        r".*is at version 1; expected version 0 instead",
    ):
        c.sum().backward()


@pytest.mark.parametrize("name", ["exp", "sqrt"])
def test_a_saved_result_changed(name):
    y = getattr(gradcli, name)(leaf([1.0, 4.0]))
    y[0] = 5.0
    with pytest.raises(InplaceWrite, match="modified by an inplace operation"):
        y.sum().backward()


def test_the_result_of_a_power_may_change():
    m = leaf([2.0, 3.0])
    n = m**2
    n[0] = 5.0
    n.sum().backward()
    assert m.grad.tolist() == [0, 6]


@pytest.mark.parametrize("operation", [lambda b: b + 2, lambda b: b * 2, lambda b: -b], ids=["add", "mul", "neg"])
def test_an_operand_that_was_not_saved_may_change(operation):
    a = leaf([1.0, 2.0])
    b = a * 1
    c = operation(b)
    b[0] = 7.0
    c.sum().backward()
    assert a.grad.tolist() == operation(tensor([1.0, 1.0]) * 1).sub(operation(tensor([0.0, 0.0]) * 1)).tolist()


def test_a_constant_operand_changed():
    a, w = gradcli.ones(3, requires_grad=True), gradcli.ones(3)
    b = a * w
    w[0] = 3.0
    with pytest.raises(InplaceWrite):
        b.sum().backward()


def test_through_data_nobody_notices():
    a, w = gradcli.ones(3, requires_grad=True), gradcli.ones(3)
    b = a * w
    w.data[0] = 3.0
    b.sum().backward()
    assert a.grad.tolist() == [3, 1, 1]  # wrong, as the documentation of `data` says


def test_detach_shares_storage_and_version():
    a = leaf([1.0, 2.0, 3.0])
    b = a * 1
    d = b.detach()
    c = b**2
    d[0] = 9.0
    assert b.tolist() == [9, 2, 3]
    assert b._version == d._version == 1
    with pytest.raises(InplaceWrite):
        c.sum().backward()


@pytest.mark.parametrize("function", [lambda y: y**3, gradcli.sin, lambda y: y * y * y, gradcli.cumprod], ids=range(4))
def test_a_write_between_the_first_and_the_second_derivative_is_noticed(function):
    """What a derivative saves again is watched as what the function saved."""
    x = tensor([2.0, 3.0], requires_grad=True)
    y = x * 1
    (first,) = gradcli.grad(function(y).sum(), x, create_graph=True)
    y.zero_()
    with pytest.raises(InplaceWrite):
        gradcli.grad(first.sum(), x)


def test_a_leaf_written_between_the_first_and_the_second_derivative_is_noticed():
    x = tensor(2.0, requires_grad=True)
    (first,) = gradcli.grad(x**3, x, create_graph=True)
    with gradcli.no_grad():
        x.zero_()
    with pytest.raises(InplaceWrite):
        gradcli.grad(first, x)
