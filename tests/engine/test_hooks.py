"""Hooks on tensors and nodes: order, what they see, what they may return. Behaviour as PyTorch's."""

import pytest

import gradcli
from gradcli import GradcliError, tensor


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


# What a hook does to the hooks


def test_a_hook_that_removes_itself_lets_the_next_one_run():
    a = leaf(1.0)
    b = a * 3
    calls = []
    handle = b.register_hook(lambda g: (calls.append("first"), handle.remove())[1])
    b.register_hook(lambda g: g * 10)
    b.backward(retain_graph=True)
    b.backward()
    assert calls == ["first"]
    assert a.grad.item() == 60


def test_a_hook_that_removes_another_does_so_from_the_next_pass_on():
    # As in PyTorch: the pass that runs has seen the hooks already.
    a = leaf(1.0)
    b = a * 3
    handles = []
    handles.append(b.register_hook(lambda g: handles[1].remove()))
    handles.append(b.register_hook(lambda g: g * 10))
    b.backward(retain_graph=True)
    assert a.grad.item() == 30
    b.backward()
    assert a.grad.item() == 33


@pytest.mark.parametrize("register", ["tensor", "pre", "post", "accumulated"])
def test_a_hook_that_adds_a_hook(register):
    a = leaf(1.0)
    b = a * 3
    add = {
        "tensor": b.register_hook,
        "pre": b.grad_fn.register_prehook,
        "post": b.grad_fn.register_hook,
        "accumulated": a.register_post_accumulate_grad_hook,
    }[register]
    calls = []
    add(lambda *flows: (calls.append("old"), add(lambda *flows: calls.append("new")))[0])
    b.backward(retain_graph=True)
    assert calls == ["old"]
    b.backward()
    assert calls == ["old", "old", "new"]


def test_one_hook_under_two_handles():
    a = leaf(1.0)
    calls = []

    def ten(g):
        calls.append("ten")
        return g * 10

    def one(g):
        calls.append("one")
        return g + 1

    _, _, last = a.register_hook(ten), a.register_hook(one), a.register_hook(ten)
    last.remove()
    (a * 1).backward()
    assert calls == ["ten", "one"]
    assert a.grad.item() == 11


def test_hooks_added_after_all_others_were_removed():
    a = leaf(1.0)
    a.register_hook(lambda g: g * 10).remove()
    kept = a * 1  # the node of the leaf lives on
    a.register_hook(lambda g: g + 1)
    kept.backward()
    assert a.grad.item() == 2


# After accumulation


def test_a_hook_after_accumulation_may_update_the_leaf():
    w = leaf(1.0)

    def step(leaf):
        leaf -= 0.1 * leaf.grad
        leaf.grad = None

    w.register_post_accumulate_grad_hook(step)
    for _ in range(3):
        (w**2).backward()
    assert w.item() == pytest.approx(0.8**3, rel=1e-15)
    assert w.requires_grad
    assert w.is_leaf


def test_a_hook_after_accumulation_runs_without_recording_and_leaves_the_mode_as_it_was():
    w, seen = leaf(1.0), []
    w.register_post_accumulate_grad_hook(lambda leaf: seen.append(gradcli.is_grad_enabled()))
    (w**2).backward()
    with pytest.warns(UserWarning, match="reference cycle"):
        (w**2).backward(create_graph=True)
    assert seen == [False, False]
    assert gradcli.is_grad_enabled()


def test_what_a_hook_after_accumulation_returns_is_refused():
    w = leaf(1.0)
    w.register_post_accumulate_grad_hook(lambda leaf: leaf.grad)
    with pytest.raises(GradcliError, match="should return None, not Tensor"):
        (w**2).backward()


def test_an_error_in_a_hook_leaves_everything_as_it_was():
    a = leaf(3.0)
    b = a * a
    handle = b.register_hook(lambda g: {}["missing"])
    with pytest.raises(KeyError):
        b.backward()
    assert gradcli.is_grad_enabled()
    handle.remove()
    b.backward()
    assert a.grad.item() == 6


# retain_grad and writes


@pytest.mark.parametrize(
    ("write", "gradient"),
    [
        (lambda y: y.mul_(3), [5, 5]),
        (lambda y: y.__setitem__(0, 7.0), [5, 5]),
        (lambda y: y.zero_(), [5, 5]),
        (lambda y: y.exp_(), [5, 5]),
    ],
    ids=["mul_", "setitem", "zero_", "exp_"],
)
def test_retain_grad_keeps_the_gradient_of_the_value_that_was_written(write, gradient):
    x = leaf([1.0, 2.0])
    y = x * 2
    y.retain_grad()
    write(y)
    assert y.retains_grad
    (y * 5).sum().backward()
    assert y.grad.tolist() == gradient


def test_retain_grad_of_a_value_written_twice_counts_its_gradient_once():
    x = leaf(2.0)
    y = x * 1
    y.retain_grad()
    y *= 3
    y.retain_grad()
    y += 1
    (y * y).backward()
    assert y.grad.item() == 14
    assert x.grad.item() == 42
