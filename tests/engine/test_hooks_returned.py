"""What hooks return: what takes a gradient's place, what is refused, and what is no hook at all."""

import numpy as np
import pytest

from gradcli import GradcliError, tensor


def leaf(data):
    return tensor(data, requires_grad=True)


@pytest.mark.parametrize(
    ("returned", "error", "phrase"),
    [
        (np.ones(2), TypeError, "expected a Tensor or None, but hook returned ndarray"),
        (3.0, TypeError, "hook returned float"),
        ([1.0, 1.0], TypeError, "hook returned list"),
        (tensor([1.0, 1.0]) > 0, TypeError, "hook has changed the type of value"),
        (tensor(1.0), RuntimeError, "hook has changed the size of value"),
        (tensor([[1.0], [1.0]]), RuntimeError, "hook has changed the size of value"),
    ],
    ids=["ndarray", "number", "list", "mask", "scalar", "column"],
)
@pytest.mark.parametrize("kind", ["tensor", "pre", "post", "leaf"])
def test_what_a_hook_must_not_return(kind, returned, error, phrase):
    a = leaf([1.0, 2.0])
    b = a * 3
    if kind == "tensor":
        b.register_hook(lambda g: returned)
    elif kind == "leaf":
        a.register_hook(lambda g: returned)
    elif kind == "pre":
        b.grad_fn.register_prehook(lambda outputs: (returned,))
    else:
        b.grad_fn.register_hook(lambda inputs, outputs: (returned, None))
    with pytest.raises(error, match=phrase) as caught:
        b.sum().backward()
    assert isinstance(caught.value, GradcliError)


@pytest.mark.parametrize(
    ("returned", "phrase"),
    [(5, "expected a tuple or None"), ((), "incorrect number"), ((tensor(1.0),) * 3, "incorrect number")],
    ids=["number", "empty", "three"],
)
@pytest.mark.parametrize("kind", ["pre", "post"])
def test_a_hook_of_a_node_returns_a_tuple_of_the_right_length(kind, returned, phrase):
    b = leaf(1.0) * leaf(3.0)
    if kind == "pre":
        b.grad_fn.register_prehook(lambda outputs: returned)
    else:
        b.grad_fn.register_hook(lambda inputs, outputs: returned)
    with pytest.raises(GradcliError, match=phrase):
        b.backward()


def test_a_hook_of_a_node_stops_a_gradient_with_none():
    a, c = leaf(2.0), leaf(5.0)
    b = a * c
    b.grad_fn.register_hook(lambda inputs, outputs: (None, inputs[1]))
    b.backward()
    assert a.grad is None
    assert c.grad.item() == 2


@pytest.mark.parametrize("hook", [None, 5, "f", [print]], ids=repr)
@pytest.mark.parametrize(
    "register",
    [
        lambda a: a.register_hook,
        lambda a: (a * 2).register_hook,
        lambda a: (a * 2).grad_fn.register_hook,
        lambda a: (a * 2).grad_fn.register_prehook,
        lambda a: a.register_post_accumulate_grad_hook,
    ],
    ids=["leaf", "result", "node", "pre", "accumulated"],
)
def test_what_is_no_function_is_refused_as_a_hook(register, hook):
    a = leaf(1.0)
    with pytest.raises(GradcliError, match="cannot be called"):
        register(a)(hook)
    (a * 1).backward()
    assert a.grad.item() == 1
