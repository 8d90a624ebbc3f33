"""Errors about shapes and indices, and how tensors are printed. Key phrases and texts as PyTorch's."""

import numpy as np
import pytest

import gradcli
from gradcli import GradcliError, tensor


def leaf(data):
    return tensor(data, requires_grad=True)


ONES = gradcli.ones


@pytest.mark.parametrize(
    ("act", "kind", "phrase"),
    [
        (lambda: ONES(2, 3) @ ONES(2, 3), RuntimeError, r"shapes .*2x3 and 2x3\)? cannot be multiplied"),
        (lambda: ONES(2) + ONES(3), RuntimeError, r"the size of axis 0 \(2\) must match the size .*3"),
        (lambda: ONES(2)[5], IndexError, "index 5 is out of bounds"),
        (lambda: ONES(2)[0, 0], IndexError, "too many indices"),
        (lambda: ONES(6).view(4), RuntimeError, r"shape \[4\] is invalid for input of size 6"),
        (lambda: tensor(1.0) @ tensor(1.0), RuntimeError, "both operands need at least 1 axis"),
        (lambda: gradcli.zeros(-1), TypeError, "negative"),
        (lambda: gradcli.cat([ONES(2), ONES(2, 2)]), RuntimeError, "do not fit together"),
        (lambda: gradcli.stack([ONES(2), ONES(3)]), RuntimeError, "do not fit together"),
        (lambda: ONES(2).sum(dim=1), TypeError, "no axis 1"),
    ],
    ids=["matmul", "add", "index", "indices", "view", "0-d matmul", "zeros", "cat", "stack", "axis"],
)
def test_errors_about_shapes(act, kind, phrase):
    with pytest.raises(kind, match=phrase) as caught:
        act()
    assert isinstance(caught.value, GradcliError)


def test_a_helpful_error_knows_a_remedy():
    with pytest.raises(GradcliError) as caught:
        ONES(2, 3) @ ONES(2, 3)
    assert caught.value.help == "did you mean a@b.T ?"


def test_no_axes_differ_from_one():
    assert tensor(2.0).shape == ()
    assert tensor([2.0]).shape == (1,)
    assert tensor(2.0).ndim == 0
    with pytest.raises(TypeError, match="0-d"):
        len(tensor(2.0))


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (tensor(2.0), "tensor(2.)"),
        (tensor(1.5), "tensor(1.5000)"),
        (tensor([2]), "tensor([2.])"),
        (tensor([[1.5]]), "tensor([[1.5000]])"),
        (tensor([[1, 2], [3, 4]]), "tensor([[1., 2.],\n        [3., 4.]])"),
        (tensor([0.1, 20.0]), "tensor([ 0.1000, 20.0000])"),
        (tensor([-1.0, 2.0]), "tensor([-1.,  2.])"),
        (tensor([True, False]), "tensor([ True, False])"),
        (leaf(2.0), "tensor(2., requires_grad=True)"),
        (leaf(1.0) * 2, "tensor(2., grad_fn=<MulBackward0>)"),
        ((leaf(1.0) * 2).detach(), "tensor(2.)"),
        (tensor([float("nan"), float("inf"), 1.0]), "tensor([nan, inf,  1.])"),  # not aligned in PyTorch
        (tensor([]), "tensor([])"),
        (tensor(1e-10), "tensor(1.0000e-10)"),
        (tensor([1e-10, 1.0]), "tensor([1.0000e-10, 1.0000e+00])"),
        (tensor([1e10, 1.0]), "tensor([1.0000e+10, 1.0000e+00])"),
    ],
    ids=lambda value: value.replace("\n", " ") if isinstance(value, str) else "",
)
def test_repr(x, text):
    assert repr(x) == text


def test_format():
    assert f"{tensor(2.5):.2f}" == "2.50"
    assert f"{tensor([2.0])}" == "tensor([2.])"


def test_numbers_are_float64():
    for data in (1, True, [1, 2], np.float32(1.5), np.arange(3), np.array([1, 2], dtype=np.uint8)):
        made = gradcli.zeros(1) + tensor(data)
        assert made.array.dtype == np.float64


@pytest.mark.parametrize(
    "data",
    [1j, "text", [1, [2, 3]], object(), np.array([1, None])],
    ids=["complex", "text", "ragged", "object", "array of objects"],
)
def test_other_data_is_refused(data):
    with pytest.raises(ValueError, match=r"real numbers|equal lengths") as caught:
        tensor(data)
    assert isinstance(caught.value, GradcliError)


@pytest.mark.parametrize("data", [2**53 + 1, [1, -(2**60)], np.array([2**63], dtype=np.uint64)], ids=repr)
def test_integers_that_float64_does_not_hold_are_refused(data):
    with pytest.raises(GradcliError, match=r"2\*\*53"):
        tensor(data)
    assert tensor(2**53).item() == 2.0**53
    assert tensor(2.0**60).item() == 2.0**60
