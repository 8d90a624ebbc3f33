"""Leaves, the grad attribute and its accumulation. Values as PyTorch gives them."""

import copy

import numpy as np
import pytest

import gradcli
from gradcli import GradcliError, tensor


def leaf(data):
    return tensor(data, requires_grad=True)


@pytest.mark.parametrize(
    ("made", "is_leaf"),
    [
        (tensor(1.0), True),
        (leaf(1.0), True),
        (leaf(1.0) * 2, False),
        (tensor(1.0) * 2, True),
        ((leaf(1.0) * 2).detach(), True),
        ((leaf(1.0) * 2).requires_grad_(True), False),
    ],
    ids=["plain", "requires grad", "result", "result of constants", "detached", "result that requires grad"],
)
def test_is_leaf(made, is_leaf):
    assert made.is_leaf is is_leaf


def test_grad_is_none_then_a_tensor_of_the_same_shape_that_adds_up():
    x = leaf([[1.0, 2.0]])
    assert x.grad is None
    (x * 3).sum().backward()
    assert x.grad.tolist() == [[3, 3]]
    (x * 3).sum().backward()
    assert x.grad.tolist() == [[6, 6]]
    x.grad.zero_()
    assert x.grad.tolist() == [[0, 0]]
    (x * 3).sum().backward()
    assert x.grad.tolist() == [[3, 3]]


def test_the_gradient_of_a_scalar_is_an_array_after_every_pass():
    x = leaf(2.0)
    for expected in (3, 6):
        (x * 3).backward()
        assert isinstance(x.grad.array, np.ndarray)
        assert x.grad.item() == expected
    x.grad.zero_()
    assert x.grad.item() == 0


def test_zeroing_through_data_as_older_tutorials_do():
    x = leaf([1.0, 2.0])
    (x * x).sum().backward()
    x.grad.data.zero_()
    assert x.grad.tolist() == [0, 0]


def test_a_gradient_of_zero_is_zero_not_none():
    x = leaf(2.0)
    (x * 0).backward()
    assert x.grad.item() == 0


def test_grad_can_be_set_to_none_and_to_a_tensor():
    x = leaf([1.0, 2.0])
    (x * x).sum().backward()
    x.grad = None
    assert x.grad is None
    x.grad = tensor([5.0, 5.0])
    (x * x).sum().backward()
    assert x.grad.tolist() == [7, 9]


@pytest.mark.parametrize("value", [tensor([1.0, 2.0, 3.0]), 1.0], ids=["wrong shape", "a float"])
def test_assigning_something_else_to_grad_is_an_error(value):
    x = leaf([1.0, 2.0])
    with pytest.raises(GradcliError, match="assigned grad"):
        x.grad = value


def test_requires_grad_of_a_result_cannot_be_taken_away():
    y = leaf(1.0) * 2
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        y.requires_grad = False


def test_a_mask_cannot_require_grad():
    # PyTorch's rule for integers; here every number is a float64, and only masks are not.
    with pytest.raises(RuntimeError, match="can require gradients"):
        (tensor(1.0) > 0).requires_grad_()
    with pytest.raises(RuntimeError, match="can require gradients"):
        tensor([True, False], requires_grad=True)


def test_reading_grad_of_a_result_warns_and_gives_none():
    y = leaf(1.0) * 2
    with pytest.warns(UserWarning, match="not a leaf"):
        assert y.grad is None


def test_retain_grad_keeps_the_gradient_of_a_result():
    x = leaf(1.0)
    z = x * 2
    z.retain_grad()
    assert z.retains_grad
    (z**2).sum().backward()
    assert z.grad.item() == 4
    assert x.grad.item() == 8


def test_retain_grad_on_a_constant_is_an_error():
    with pytest.raises(RuntimeError, match=r"can't retain_grad on Tensor that has requires_grad=False"):
        tensor(1.0).retain_grad()


def test_numpy_of_a_tensor_that_requires_grad_is_an_error_that_says_detach():
    with pytest.raises(RuntimeError, match=r"detach\(\)"):
        leaf(1.0).numpy()
    with pytest.raises(RuntimeError, match=r"detach\(\)"):
        np.asarray(leaf(1.0))
    assert leaf([1.0, 2.0]).detach().numpy().tolist() == [1, 2]


def test_numpy_shares_storage():
    x = tensor([1.0, 2.0])
    x.numpy()[0] = 5
    assert x.tolist() == [5, 2]
    assert np.asarray(x) is x.numpy() or np.shares_memory(np.asarray(x), x.numpy())


def test_deepcopy_of_a_leaf_copies_grad_too():
    x = leaf([1.0, 2.0])
    (x * x).sum().backward()
    twin = copy.deepcopy(x)
    x.grad.zero_()
    assert twin.grad.tolist() == [2, 4]
    assert twin.requires_grad
    assert not np.shares_memory(twin.array, x.array)


def test_deepcopy_of_a_result_is_an_error():
    with pytest.raises(RuntimeError, match="deepcopy"):
        copy.deepcopy(leaf(1.0) * 2)


@pytest.mark.parametrize("name", ["ones_like", "zeros_like"])
def test_like_functions_do_not_inherit_requires_grad(name):
    made = getattr(gradcli, name)(leaf([1.0, 2.0]))
    assert not made.requires_grad
    assert made.shape == (2,)
    assert getattr(gradcli, name)(leaf([1.0, 2.0]), requires_grad=True).requires_grad


def test_rand_lies_between_0_and_1_and_repeats_with_its_seed():
    gradcli.manual_seed(7)
    first = gradcli.rand(50, 4)
    gradcli.manual_seed(7)
    assert gradcli.rand(50, 4).tolist() == first.tolist()
    assert gradcli.rand(50, 4).tolist() != first.tolist()
    assert first.min().item() >= 0
    assert first.max().item() < 1
