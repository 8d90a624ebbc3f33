"""no_grad, enable_grad, set_grad_enabled and detach."""

import pytest

import gradcli
from gradcli import enable_grad, is_grad_enabled, no_grad, set_grad_enabled, tensor


def leaf(data):
    return tensor(data, requires_grad=True)


def test_no_grad_records_nothing():
    x = leaf(2.0)
    with no_grad():
        y = x * 2
    assert not y.requires_grad
    assert y.is_leaf
    assert y.grad_fn is None
    assert (x * 2).requires_grad


def test_a_leaf_made_within_no_grad_still_requires_grad():
    with no_grad():
        x = leaf(2.0)
        y = gradcli.ones(2, requires_grad=True)
    assert x.requires_grad
    assert y.requires_grad


def test_modes_nest():
    x = leaf(2.0)
    with no_grad():
        with enable_grad():
            inner = x * 2
            with no_grad():
                innermost = x * 2
        outer = x * 2
    assert [t.requires_grad for t in (inner, innermost, outer)] == [True, False, False]
    assert is_grad_enabled()


def test_set_grad_enabled_as_a_block_and_as_a_switch():
    x = leaf(2.0)
    with set_grad_enabled(False):
        assert not (x * 2).requires_grad
    assert (x * 2).requires_grad
    set_grad_enabled(False)
    try:
        assert not (x * 2).requires_grad
    finally:
        set_grad_enabled(True)
    assert (x * 2).requires_grad


def test_no_grad_as_a_decorator():
    @no_grad()
    def double(x):
        return x * 2

    assert not double(leaf(2.0)).requires_grad
    assert is_grad_enabled()


def test_an_error_within_leaves_the_mode_as_it_was():
    with pytest.raises(KeyError), no_grad():
        raise KeyError
    assert is_grad_enabled()


def test_one_object_entered_twice():
    mode = no_grad()
    with mode:
        with mode:
            pass
        assert not is_grad_enabled()
    assert is_grad_enabled()


def test_detach_is_a_constant():
    x = leaf(3.0)
    (x * x.detach()).backward()
    assert x.grad.item() == 3


def test_backward_within_no_grad_still_accumulates():
    x = leaf(3.0)
    y = x**2
    with no_grad():
        y.backward()
    assert x.grad.item() == 6
