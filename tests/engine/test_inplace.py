"""Writing into tensors: CopySlices, version counters, and what may no longer be differentiated. Values as PyTorch's."""

import numpy as np
import pytest

import gradcli
from gradcli import GradcliError, tensor


def leaf(data):
    return tensor(data, requires_grad=True)


def next_names(x):
    return tuple(None if node is None else node.name() for node, _ in x.grad_fn.next_functions)


@pytest.fixture
def m():
    return leaf([[2.0, 3.0]])


@pytest.fixture
def written(m):
    """n = [[m0**2, m1**3]], written element by element."""
    n = gradcli.zeros(1, 2)
    n[0, 0] = m[0, 0] ** 2
    n[0, 1] = m[0, 1] ** 3
    return n


def test_writes_are_recorded(m):
    n = gradcli.zeros(1, 2)
    assert n.is_leaf
    assert n._version == 0
    n[0, 0] = m[0, 0] ** 2
    assert n.tolist() == [[4, 0]]
    assert n.requires_grad
    assert not n.is_leaf
    assert n._version == 1
    assert repr(n) == "tensor([[4., 0.]], grad_fn=<CopySlices>)"
    assert next_names(n) == (None, "PowBackward0")
    n[0, 1] = m[0, 1] ** 3
    assert n.tolist() == [[4, 27]]
    assert n._version == 2
    assert next_names(n) == ("CopySlices", "PowBackward0")


@pytest.mark.parametrize(
    ("v", "gradient"), [([[1, 0]], [[4, 0]]), ([[0, 1]], [[0, 27]]), ([[1, 1]], [[4, 27]])], ids=str
)
def test_gradients_through_writes(m, written, v, gradient):
    written.backward(v, retain_graph=True)
    assert m.grad.tolist() == gradient


def test_jacobian_row_by_row(m, written):
    rows = np.zeros((2, 2))
    for i, v in enumerate([[[1.0, 0.0]], [[0.0, 1.0]]]):
        written.backward(tensor(v), retain_graph=True)
        rows[i] = m.grad.numpy()
        m.grad.zero_()
    assert rows.tolist() == [[4, 0], [0, 27]]
    (stacked,) = gradcli.grad(written, m, tensor(np.eye(2).reshape(2, 1, 2)), is_grads_batched=True)
    assert stacked.tolist() == [[[4, 0]], [[0, 27]]]


def coupled(m):
    k = gradcli.zeros(1, 2)
    k[0, 0] = m[0, 0] ** 2 + 3 * m[0, 1]
    k[0, 1] = m[0, 1] ** 2 + 2 * m[0, 0]
    return k


def test_coupled_rows_with_the_gradient_zeroed_between(m):
    k = coupled(m)
    assert k.tolist() == [[13, 13]]
    k.backward(tensor([[1.0, 0.0]]), retain_graph=True)
    first = m.grad.tolist()
    m.grad.zero_()
    k.backward(tensor([[0.0, 1.0]]))
    assert (first, m.grad.tolist()) == ([[4, 3]], [[2, 6]])


def test_coupled_rows_add_up_where_it_is_forgotten(m):
    k = coupled(m)
    k.backward(tensor([[1.0, 0.0]]), retain_graph=True)
    k.backward(tensor([[0.0, 1.0]]))
    assert m.grad.tolist() == [[6, 9]]


def test_rows_written_as_columns_give_the_transpose():
    m = leaf([[2.0, 3.0]])
    k = coupled(m)
    j = gradcli.zeros(2, 2)
    for i, v in enumerate(([[1.0, 0.0]], [[0.0, 1.0]])):
        k.backward(tensor(v), retain_graph=True)
        j[:, i] = m.grad[0]
        m.grad.zero_()
    assert j.tolist() == [[4, 2], [3, 6]]


# Overwriting


def test_an_overwritten_element_gets_nothing():
    m = leaf([2.0, 3.0])
    n = m * 1
    n[0] = m[1] ** 2
    n.sum().backward()
    assert m.grad.tolist() == [0, 7]


def test_the_later_of_two_writes_counts():
    m = leaf([2.0, 3.0])
    n = m * 1
    n[0] = m[0] ** 2
    n[0] = m[1] ** 3
    n[0].backward()
    assert m.grad.tolist() == [0, 27]


def test_a_constant_cuts_the_path():
    m = leaf([2.0, 3.0])
    n = m * 1
    n[0] = 5.0
    n.sum().backward()
    assert n.tolist() == [5, 3]
    assert m.grad.tolist() == [0, 1]


def test_augmented_elements():
    m = leaf([2.0, 3.0])
    n = gradcli.zeros(2)
    n[0] = m[0] ** 2
    n[0] += m[1]
    n[1] -= m[0]
    assert n.tolist() == [7, -2]
    n.sum().backward()
    assert m.grad.tolist() == [3, 1]


def test_a_whole_slice_written_with_its_own_mirror_image():
    m = leaf([2.0, 3.0])
    n = m * 1
    n[:] = gradcli.flip(n) * 2
    assert n.tolist() == [6, 4]
    n.sum().backward()
    assert m.grad.tolist() == [2, 2]


def test_reading_and_writing_one_array_in_turn():
    # PyTorch refuses this: n[0] is a view there, and the product saved it. Indexing here copies.
    m = leaf([2.0, 3.0])
    n = gradcli.zeros(2)
    n[0] = m[0] ** 2
    n[1] = n[0] * m[1]
    assert n.tolist() == [4, 12]
    n.sum().backward()
    assert m.grad.tolist() == [16, 4]


def test_reading_and_writing_where_nothing_is_saved():
    m = leaf([2.0, 3.0])
    n = gradcli.zeros(2)
    n[0] = m[0] ** 2
    n[1] = n[0] * 5
    n.sum().backward()
    assert m.grad.tolist() == [24, 0]


def test_repeated_positions_the_last_write_wins():
    v = leaf([1.0, 2.0, 3.0])
    n = gradcli.zeros(2)
    n[[0, 0, 1]] = v
    assert n.tolist() == [2, 3]
    n.sum().backward()
    assert v.grad.tolist() == [0, 1, 1]


def test_masked_write():
    x = leaf([1.0, -2.0, 3.0])
    y = x * 1
    y[x < 0] = 0.0
    y.sum().backward()
    assert y.tolist() == [1, 0, 3]
    assert x.grad.tolist() == [1, 0, 1]


def test_a_broadcast_write_sums_its_gradient():
    x = leaf(3.0)
    n = gradcli.zeros(2, 2)
    n[:, 0] = x
    n.sum().backward()
    assert n.tolist() == [[3, 0], [3, 0]]
    assert x.grad.item() == 2


def test_second_derivative_through_a_write():
    x = leaf(2.0)
    n = gradcli.zeros(2)
    n[1] = x**3
    (first,) = gradcli.grad(n.sum(), x, create_graph=True)
    (second,) = gradcli.grad(first, x)
    assert (first.item(), second.item()) == (12, 12)


# Updates


@pytest.mark.parametrize(
    ("write", "name", "value"),
    [
        (lambda x: x.__imul__(2), "MulBackward0", [4, 6]),
        (lambda x: x.mul_(2), "MulBackward0", [4, 6]),
        (lambda x: x.add_(1), "AddBackward0", [3, 4]),
        (lambda x: x.sub_(1), "SubBackward0", [1, 2]),
        (lambda x: x.div_(2), "DivBackward0", [1, 1.5]),
        (lambda x: x.neg_(), "NegBackward0", [-2, -3]),
        (lambda x: x.zero_(), "ZeroBackward0", [0, 0]),
        (lambda x: x.fill_(7), "FillBackward0", [7, 7]),  # FillBackward in PyTorch
        (lambda x: x.clamp_(0, 2.5), "ClampBackward0", [2, 2.5]),
    ],
    ids=["*=", "mul_", "add_", "sub_", "div_", "neg_", "zero_", "fill_", "clamp_"],
)
def test_updates_keep_the_storage_and_are_recorded(write, name, value):
    x = leaf([2.0, 3.0])
    y = x * 1
    same, storage = y, y.array
    assert write(y) is y
    assert y.array is storage
    assert same.tolist() == value
    assert y.grad_fn.name() == name
    assert y._version == 1


def test_exp_in_place():
    x = leaf([0.0, 0.0])
    y = x * 1
    y.exp_()
    assert y.grad_fn.name() == "ExpBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [1, 1]


def test_zero_in_place_cuts_the_path():
    x = leaf([2.0, 3.0])
    y = x * 1
    y.zero_()
    y.sum().backward()
    assert x.grad.tolist() == [0, 0]


def test_a_power_in_place_saves_the_value_before():
    x = leaf([2.0, 3.0])
    y = x * 1
    y **= 2
    y.sum().backward()
    assert x.grad.tolist() == [4, 6]


def test_an_update_by_itself_reads_first():
    x = leaf([2.0, 3.0])
    y = x * 1
    y *= y
    y += y
    y.sum().backward()
    assert y.tolist() == [8, 18]
    assert x.grad.tolist() == [8, 12]


def test_an_update_cannot_change_the_shape():
    y = leaf([2.0, 3.0]) * 1
    with pytest.raises(GradcliError, match="cannot change the shape"):
        y += tensor([[1.0], [2.0]])


def test_a_write_of_the_wrong_shape():
    y = gradcli.zeros(2)
    with pytest.raises(RuntimeError, match=r"assignment: .*3.*2"):
        y[:] = tensor([1.0, 2.0, 3.0])


def test_a_matrix_plus_its_own_transpose_reads_first():
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    y = x * 1
    y += y.T
    assert y.tolist() == [[2, 5], [5, 8]]
    y[0, 1].backward()
    assert x.grad.tolist() == [[0, 1], [1, 0]]
