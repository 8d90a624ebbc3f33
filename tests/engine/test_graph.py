"""The recorded graph: nodes, names, edges and what they save. Values as PyTorch gives them.

Where PyTorch has several node names for one operation (Mm, Mv, Bmm, Dot; Select, Slice, View, Permute ...), gradcli has
one per function of its table, and the suffix is always 0.
"""

import numpy as np
import pytest

import gradcli
from gradcli import tensor
from gradcli.errors import GraphFreed


def leaf(data):
    return tensor(data, requires_grad=True)


def chain(node):
    """Names along the first operands, root to leaf."""
    names = []
    while node is not None:
        names.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return names


def test_value_repr_gradient_and_chain_of_a_small_polynomial():
    x = leaf(2.0)
    z = (x + 2) ** 2 + 3
    assert z.item() == 19
    assert repr(z) == "tensor(19., grad_fn=<AddBackward0>)"
    assert chain(z.grad_fn) == ["AddBackward0", "PowBackward0", "AddBackward0", "AccumulateGrad"]
    z.backward()
    assert x.grad.item() == 8


def test_mean_of_a_product_over_a_matrix():
    x = gradcli.ones(2, 2, requires_grad=True)
    y = x + 2
    z = y * y * 3
    out = z.mean()
    assert out.item() == 27
    assert [t.grad_fn.name() for t in (y, z, out)] == ["AddBackward0", "MulBackward0", "MeanBackward0"]
    (product, number), constant = z.grad_fn.next_functions
    assert (product.name(), number, constant) == ("MulBackward0", 0, (None, 0))
    out.backward()
    assert x.grad.tolist() == [[4.5, 4.5], [4.5, 4.5]]


def test_a_leaf_stands_behind_an_accumulate_node():
    x = leaf(3.0)
    y = x * x
    (first, _), (second, _) = y.grad_fn.next_functions
    assert x.grad_fn is None
    assert first is second
    assert type(first).__name__ == first.name() == "AccumulateGrad"
    assert first.variable is x
    y.backward()
    assert x.grad.item() == 6


X = leaf([[1.0, 2.0], [3.0, 4.0]])
V = leaf([1.0, 2.0])
NAMES = [
    ("x + 1", X + 1, "AddBackward0"),
    ("1 - x", 1 - X, "SubBackward0"),  # RsubBackward1 in PyTorch
    ("x * x", X * X, "MulBackward0"),
    ("1 / x", 1 / X, "DivBackward0"),  # MulBackward0 over ReciprocalBackward0 in PyTorch
    ("-x", -X, "NegBackward0"),
    ("x**2", X**2, "PowBackward0"),
    ("x**x", X**X, "PowBackward0"),
    ("2**x", 2**X, "PowBackward0"),
    ("square", gradcli.square(X), "SquareBackward0"),  # PowBackward0 in PyTorch
    ("matrix @ matrix", X @ X, "MatmulBackward0"),
    ("matrix @ vector", X @ V, "MatmulBackward0"),
    ("vector @ vector", V @ V, "MatmulBackward0"),
    ("stack of matrices", gradcli.ones(3, 2, 2) @ X, "MatmulBackward0"),
    (".T", X.T, "TransposeBackward0"),
    ("transpose", X.transpose(0, 1), "TransposeBackward0"),
    ("reshape", X.reshape(4), "ReshapeBackward0"),
    ("view", X.view(4), "ReshapeBackward0"),
    ("sum", X.sum(), "SumBackward0"),
    ("sum of rows", X.sum(dim=1), "SumBackward0"),
    ("mean", X.mean(), "MeanBackward0"),
    ("mean of rows", X.mean(dim=1), "MeanBackward0"),
    ("prod", X.prod(), "ProdBackward0"),
    ("max", X.max(), "MaxBackward0"),
    ("maximum", gradcli.maximum(X, 2.0), "MaximumBackward0"),
    ("norm", gradcli.norm(V), "NormBackward0"),
    ("x[0]", X[0], "IndexBackward0"),
    ("x[0, 0]", X[0, 0], "IndexBackward0"),
    ("x[:, 1:]", X[:, 1:], "IndexBackward0"),
    ("x[[0, 1]]", X[[0, 1]], "IndexBackward0"),
    ("x[mask]", X[X > 1], "IndexBackward0"),
    ("x[None]", X[None], "IndexBackward0"),
    ("cat", gradcli.cat([X, X]), "ConcatenateBackward0"),
    ("stack", gradcli.stack([X, X]), "StackBackward0"),
    ("where", gradcli.where(X > 1, X, 0.0), "WhereBackward0"),
    ("clamp", X.clamp(1, 2), "ClampBackward0"),
    ("exp", X.exp(), "ExpBackward0"),
    ("log", X.log(), "LogBackward0"),
    ("sqrt", X.sqrt(), "SqrtBackward0"),
    ("tanh", X.tanh(), "TanhBackward0"),
    ("relu", gradcli.relu(X), "ReluBackward0"),
    ("clone", X.clone(), "PosBackward0"),  # CloneBackward0 in PyTorch: one function of the table, +x
    ("amax", gradcli.amax(X), "MaxBackward0"),  # AmaxBackward0 in PyTorch: one function of the table
    ("broadcast_to", V.broadcast_to((3, 2)), "BroadcastToBackward0"),  # ExpandBackward0 in PyTorch
]


@pytest.mark.parametrize(("result", "name"), [(r, n) for _, r, n in NAMES], ids=[t for t, _, _ in NAMES])
def test_nodes_are_named_after_their_operation(result, name):
    assert result.grad_fn.name() == name
    assert type(result.grad_fn).__name__ == name
    assert repr(result.grad_fn) == f"<{name}>"
    assert all(number == 0 for _, number in result.grad_fn.next_functions)


def test_det_and_its_kin_have_plain_names():
    m = leaf([[2.0, 1.0], [1.0, 3.0]])
    names = [gradcli.det(m), gradcli.inv(m), gradcli.solve(m, gradcli.ones(2))]
    assert [t.grad_fn.name() for t in names] == ["DetBackward0", "InvBackward0", "SolveBackward0"]


@pytest.mark.parametrize("name", ["exp", "sqrt"])
def test_some_operations_save_their_result(name):
    y = getattr(gradcli, name)(leaf([1.0, 4.0]))
    assert y.grad_fn._saved_result.tolist() == y.tolist()
    assert y.grad_fn._saved_self is None


def test_tanh_saves_its_result_and_where_that_is_too_flat_needs_its_operand():
    y = leaf([1.0, 4.0]).tanh()
    assert y.grad_fn._saved_result.tolist() == y.tolist()
    assert y.grad_fn._saved_self.tolist() == [1.0, 4.0]


@pytest.mark.parametrize("name", ["sigmoid", "relu"])
def test_these_save_operand_or_result_or_both(name):
    """PyTorch's save their result. Here they save what gives the derivative to the last digits."""
    node = getattr(gradcli, name)(leaf([1.0, 4.0])).grad_fn
    assert node._saved_self is not None or node._saved_result is not None


@pytest.mark.parametrize("name", ["log", "sin"])
def test_others_save_their_operand(name):
    y = getattr(gradcli, name)(leaf([1.0, 4.0]))
    assert y.grad_fn._saved_self.tolist() == [1.0, 4.0]
    assert y.grad_fn._saved_result is None


def test_a_power_saves_base_and_exponent():
    y = leaf(3.0) ** 2
    assert y.grad_fn._saved_self.item() == 3
    assert y.grad_fn._saved_exponent.item() == 2
    assert y.grad_fn._saved_result is None


def test_a_product_saves_only_what_is_needed():
    y = leaf(2.0) * 3.0
    assert y.grad_fn._saved_self is None
    assert y.grad_fn._saved_other.item() == 3


@pytest.mark.parametrize("result", [X + X, X - X, -X, X.sum(), X.mean()], ids=["add", "sub", "neg", "sum", "mean"])
def test_sums_save_nothing(result):
    node = result.grad_fn
    assert node.saved == (None,) * len(node.edges)
    assert node._saved_result is None


def test_an_attribute_that_no_node_has():
    with pytest.raises(AttributeError, match="_saved_thing"):
        X.sum().grad_fn._saved_thing  # noqa: B018


def test_saved_values_cannot_be_read_once_freed():
    y = leaf(3.0) ** 2
    y.backward()
    with pytest.raises(GraphFreed, match="second time"):
        y.grad_fn._saved_self  # noqa: B018


def test_nodes_run_in_the_reverse_order_of_their_making():
    x = leaf(1.0)
    order = []
    a = x * 2
    b = x + 1
    c = a * b
    for name, made in (("a", a), ("b", b), ("c", c)):
        made.register_hook(lambda g, name=name: order.append(name))
    c.backward()
    assert order == ["c", "b", "a"]


def test_a_shared_value_is_pulled_back_once_with_all_of_its_gradient():
    x = leaf(3.0)
    y = x * x
    calls = []
    y.register_hook(lambda g: calls.append(g.item()))
    z = y * y + y
    z.backward()
    assert calls == [19.0]
    assert x.grad.item() == 114


def test_requires_grad_is_any_of_the_operands():
    x, c = leaf([1.0, 2.0]), tensor([1.0, 2.0])
    assert (x + c).requires_grad
    assert (c + x).requires_grad
    assert not (c + c).requires_grad
    assert (c + c).grad_fn is None


@pytest.mark.parametrize("result", [X > 1, X == X, gradcli.isnan(X)], ids=["greater", "equal", "isnan"])
def test_masks_have_no_graph(result):
    assert result.grad_fn is None
    assert not result.requires_grad
    assert np.asarray(result).dtype == bool
