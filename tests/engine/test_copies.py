"""copy, deepcopy and pickle of tensors, as PyTorch has them."""

import copy
import pickle

import pytest

import gradcli
from gradcli import GradcliError, tensor


def leaf(data):
    return tensor(data, requires_grad=True)


def made(kind):
    x = leaf([1.0, 2.0])
    x.grad = gradcli.ones(2)
    return {"leaf": x, "result": x * 2, "constant": x.detach(), "mask": x > 1, "scalar": leaf(3.0)}[kind]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("kind", ["leaf", "result", "constant", "mask", "scalar"])
def test_what_was_pickled_is_a_leaf(kind, protocol):
    """PyTorch keeps `requires_grad`, also that of a result, and neither graph nor `grad`."""
    x = made(kind)
    again = pickle.loads(pickle.dumps(x, protocol))
    assert again.is_leaf
    assert again.grad is None
    assert again.requires_grad is x.requires_grad
    assert again.array.dtype == x.array.dtype
    assert again.tolist() == x.tolist()
    if again.requires_grad:
        (again * 3).sum().backward()
        assert again.grad.tolist() == ([3, 3] if x.ndim else 3)


@pytest.mark.parametrize("kind", ["leaf", "result", "constant", "mask"])
def test_a_copy_shares_the_storage_and_its_version(kind):
    x = made(kind)
    again = copy.copy(x)
    assert again is not x
    assert again.is_leaf
    assert again.grad is None
    assert again.requires_grad is x.requires_grad
    with gradcli.no_grad():
        again[0] = 0.0
    assert x.tolist()[0] == 0
    assert x._version == 1


def test_a_deep_copy_of_leaves_with_their_gradients():
    x = made("leaf")
    first, gradient, second = copy.deepcopy([x, x.grad, x])
    assert first is second
    assert first.grad is gradient
    assert gradient.tolist() == [1, 1]
    with gradcli.no_grad():
        first[0] = 5.0
    assert x.tolist() == [1, 2]
    (first * 1).sum().backward()
    assert (first.grad.tolist(), x.grad.tolist()) == ([2, 2], [1, 1])


def test_a_deep_copy_has_no_hooks():
    x = leaf(1.0)
    x.register_hook(lambda g: g * 10)
    again = copy.deepcopy(x)
    (again * 2).backward()
    assert again.grad.item() == 2


def test_no_deep_copy_of_a_result():
    with pytest.raises(GradcliError, match="created explicitly by the user"):
        copy.deepcopy({"y": made("result")})
