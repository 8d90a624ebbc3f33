"""Large graphs, memory and reference counts."""

import gc
import weakref

import numpy as np
import pytest

import gradcli
from gradcli import tensor

LENGTH = 100_000


def leaf(data):
    return tensor(data, requires_grad=True)


def chain(x, length):
    y = x
    for _ in range(length):
        y = y + 1.0
    return y


def test_a_chain_of_100_000_nodes_is_differentiated_and_dropped():
    x = leaf(0.0)
    y = chain(x, LENGTH)
    y.backward()
    assert y.item() == LENGTH
    assert x.grad.item() == 1
    root = weakref.ref(y.grad_fn)
    del y  # must not recurse
    assert root() is None


def test_a_chain_that_saved_values_is_dropped_undifferentiated():
    x = leaf(1.0)
    y = x
    for _ in range(LENGTH // 2):
        y = y * 1.0
    del y
    assert x.grad is None


def test_second_derivative_through_a_long_chain():
    x = leaf(1.0)
    y = x * x
    for _ in range(10_000):
        y = y * 1.0 + x
    (first,) = gradcli.grad(y, x, create_graph=True)
    (second,) = gradcli.grad(first, x)
    assert (first.item(), second.item()) == (10_002, 2)
    del y, first


def test_a_long_chain_of_writes_is_dropped():
    x = leaf(1.0)
    y = x * 1.0
    for _ in range(20_000):
        y += 1.0
    y.backward()
    del y
    assert x.grad.item() == 1


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


PROGRAMS = {
    "arithmetic": lambda x: ((x + 2) ** 2 * x).sum(),
    "matmul": lambda x: (x @ x).mean(),
    "result saved": lambda x: gradcli.exp(x).sum(),
    "index": lambda x: x[0, 1] * x[1, 0],
    "stack": lambda x: gradcli.stack([x, x * 2]).sum(),
}


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("how", ["dropped", "backward", "retained", "grad of grad"])
def test_reference_counts_alone_free_a_graph(name, how):
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    y = PROGRAMS[name](x)
    root, saved = weakref.ref(y.grad_fn), weakref.ref(y)
    if how in ("backward", "retained"):
        y.backward(retain_graph=how == "retained")
    elif how == "grad of grad":
        (g,) = gradcli.grad(y, x, create_graph=True)
        if g.requires_grad:
            gradcli.grad(g.sum(), x)
        del g
    del y
    assert root() is None
    assert saved() is None


@pytest.mark.usefixtures("no_collector")
def test_a_written_tensor_makes_no_cycle():
    x = leaf([1.0, 2.0])
    n = gradcli.zeros(2)
    n[0] = x[0] ** 2
    n[1] = n[0] * x[1]
    n *= 2
    alive = weakref.ref(n.grad_fn)
    n.sum().backward()
    del n
    assert alive() is None


@pytest.mark.usefixtures("no_collector")
def test_a_leaf_is_freed_with_its_graph():
    x = leaf([1.0, 2.0])
    y = (x * x).sum()
    y.backward()
    alive = weakref.ref(x)
    del x, y
    assert alive() is None


def test_saved_values_are_let_go_after_backward():
    x = leaf(np.ones(4))
    y = x * x
    z = y.sum()
    array = weakref.ref(y.grad_fn.saved[0])
    z.backward()
    assert y.grad_fn.saved == (None, None)
    assert array() is x.array
