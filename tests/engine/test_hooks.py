"""Hooks on tensors and nodes: order, what they see, what they may return. Behaviour as PyTorch's."""

import pytest

import gradcli
from gradcli import tensor


def leaf(data):
    return tensor(data, requires_grad=True)


def test_hooks_run_from_the_root_down():
    a = leaf(2.0)
    b = a * 3
    seen = []
    a.register_hook(lambda g: seen.append(("a", g.item())))
    b.register_hook(lambda g: seen.append(("b", g.item())))
    (b * b).backward()
    assert seen == [("b", 12.0), ("a", 36.0)]


def test_what_a_hook_returns_takes_the_place_of_the_gradient():
    a = leaf([1.0, 2.0])
    b = a * 3
    b.register_hook(lambda g: g * 10)
    b.sum().backward()
    assert a.grad.tolist() == [30, 30]


def test_hooks_of_one_tensor_run_in_the_order_of_registration():
    a = leaf(1.0)
    b = a * 1
    b.register_hook(lambda g: g + 1)
    b.register_hook(lambda g: g * 10)
    b.backward()
    assert a.grad.item() == 20


def test_a_hook_on_a_leaf_changes_what_is_accumulated():
    a = leaf(1.0)
    a.register_hook(lambda g: g * 2)
    (a * 3).backward()
    assert a.grad.item() == 6


def test_retain_grad_sees_the_gradient_after_all_hooks():
    a = leaf(1.0)
    b = a * 3
    b.retain_grad()
    b.register_hook(lambda g: g * 10)
    b.backward()
    assert b.grad.item() == 10
    assert a.grad.item() == 30


def test_a_hook_can_be_removed():
    a = leaf(1.0)
    b = a * 3
    handle = b.register_hook(lambda g: g * 10)
    handle.remove()
    handle.remove()  # once more does no harm
    b.backward()
    assert a.grad.item() == 3


def test_a_hook_must_keep_the_shape():
    b = leaf([1.0, 2.0]) * 3
    b.register_hook(lambda g: g.sum())
    with pytest.raises(RuntimeError, match=r"hook .*has changed the size of value"):
        b.sum().backward()


def test_no_hook_on_a_constant():
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't require gradient"):
        tensor(1.0).register_hook(lambda g: None)


def test_hooks_of_a_node_see_what_goes_in_and_out():
    a = leaf([1.0, 1.0])
    b = a * 2
    seen = []
    b.grad_fn.register_prehook(lambda outputs: seen.append(("pre", [g.tolist() for g in outputs])))
    b.grad_fn.register_hook(
        lambda inputs, outputs: seen.append(
            ("post", [None if g is None else g.tolist() for g in inputs], [g.tolist() for g in outputs])
        )
    )
    b.sum().backward()
    assert seen == [("pre", [[1, 1]]), ("post", [[2, 2], None], [[1, 1]])]


def test_hooks_of_a_node_may_replace_gradients():
    a = leaf([1.0, 1.0])
    b = a * 2
    b.grad_fn.register_prehook(lambda outputs: (outputs[0] * 10,))
    b.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] + 1, None))
    b.sum().backward()
    assert a.grad.tolist() == [21, 21]


def test_a_hook_after_accumulation_sees_the_leaf():
    a = leaf(2.0)
    seen = []
    a.register_post_accumulate_grad_hook(lambda t: seen.append((t is a, t.grad.item())))
    (a * 3).backward()
    (a * 3).backward()
    assert seen == [(True, 3.0), (True, 6.0)]


@pytest.mark.parametrize("make", [lambda: leaf(1.0) * 2, lambda: tensor(1.0)], ids=["result", "constant"])
def test_a_hook_after_accumulation_is_for_leaves_only(make):
    with pytest.raises(RuntimeError, match="post accumulate grad hooks cannot be registered on non-leaf tensors"):
        make().register_post_accumulate_grad_hook(lambda t: None)


def test_hooks_are_called_once_where_live_lanes_matter():
    x = leaf([0.0, 4.0])
    root = gradcli.sqrt(x)
    calls = []
    root.register_hook(lambda g: calls.append(g.tolist()))
    root[1].backward()
    assert calls == [[0, 1]]
    assert x.grad.tolist() == [0, 0.25]
