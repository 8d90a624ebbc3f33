"""The Python interface: PyTorch's words, operators with NumPy arrays, methods from the table."""

import operator
import sys

import numpy as np
import pytest

import gradcli
from gradcli import GradcliError, Tensor, Variable, tensor
from gradcli.primitives import TABLE
from tests.processes import run


def leaf(data):
    return tensor(data, requires_grad=True)


def test_the_sample_of_the_interface():
    x = gradcli.tensor(2.0, requires_grad=True)
    z = (x + 2) ** 2 + 3
    z.backward()
    assert repr(x.grad) == "tensor(8.)"
    assert [g.item() for g in gradcli.grad((x + 2) ** 2 + 3, x)] == [8]


def test_every_function_of_the_table_is_a_function_of_the_module():
    for name, entry in TABLE.items():
        assert hasattr(gradcli, name) is not entry.hidden
        assert name in dir(gradcli) or entry.hidden


def test_a_name_that_does_not_exist():
    with pytest.raises(AttributeError, match="no_such_thing"):
        gradcli.no_such_thing  # noqa: B018


def test_submodule_for_older_imports():
    import gradcli.autograd as autograd

    assert gradcli.autograd is autograd
    assert autograd.Variable is gradcli.Variable
    assert autograd.grad is gradcli.grad


def test_older_constructors():
    assert gradcli.Tensor([2]).tolist() == [2]
    assert gradcli.FloatTensor([[2, 3]]).shape == (1, 2)
    x = Variable(gradcli.FloatTensor([[2, 3]]), requires_grad=True)
    assert x.requires_grad
    assert x.is_leaf
    assert not Variable(tensor(1.0)).requires_grad
    assert Variable([1, 2]).tolist() == [1, 2]


def test_a_variable_shares_the_storage_of_its_tensor():
    t = gradcli.ones(2)
    v = Variable(t, requires_grad=True)
    v.data[0] = 5
    assert t.tolist() == [5, 1]
    assert not t.requires_grad


def test_sizes_are_no_data():
    with pytest.raises(TypeError):
        Tensor(2, 3)


def test_tensor_copies_its_data():
    array = np.ones(2)
    x = tensor(array)
    array[0] = 5
    assert x.tolist() == [1, 1]
    assert tensor(x).array is not x.array


def test_tensors_within_lists():
    assert tensor([tensor(1.0), 2.0, tensor(3.0)]).tolist() == [1, 2, 3]


OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.mod, operator.floordiv]


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
@pytest.mark.parametrize(
    "other", [np.array([3.0, 4.0]), np.float64(3), 3, 3.5, np.int64(2), [1.0, 2.0], True], ids=lambda o: repr(o)
)
def test_operators_with_others_on_either_side(op, other):
    data = np.array([2.0, 5.0])
    x, plain = leaf(data), np.asarray(other, dtype=float)
    assert op(x, other).tolist() == op(data, plain).tolist()
    assert op(other, x).tolist() == op(plain, data).tolist()
    assert isinstance(op(other, x), Tensor)
    assert op(other, x).requires_grad


def test_matrix_products_with_arrays_on_either_side():
    a, data = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.0, 1.0], [1.0, 1.0]])
    x = leaf(data)
    assert (a @ x).tolist() == (a @ data).tolist()
    assert (x @ a).tolist() == (data @ a).tolist()


def test_an_array_is_not_updated_by_a_tensor():
    """NumPy refuses, rather than to make an array of objects."""
    y = np.ones(2)
    with pytest.raises(TypeError, match="Tensor"):
        y += leaf([1.0, 2.0])


@pytest.mark.parametrize("op", [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne])
@pytest.mark.parametrize("other", [np.array([3.0, 4.0]), 3, np.float64(5)], ids=lambda o: repr(o))
def test_comparisons_on_either_side(op, other):
    data = np.array([3.0, 5.0])
    assert op(tensor(data), other).tolist() == op(data, other).tolist()
    assert op(other, tensor(data)).tolist() == op(other, data).tolist()


def test_a_tensor_is_not_none_and_no_text():
    x = tensor([1.0])
    assert (x == None) is False  # noqa: E711
    assert (x != None) is True  # noqa: E711
    assert (x == "x") is False


def test_tensors_are_keys():
    x, y = tensor(1.0), tensor(1.0)
    assert {x: 1, y: 2}[x] == 1


def test_mask_operators():
    a, b = tensor([1.0, 2.0]) > 1, tensor([1.0, 2.0]) < 2
    assert (a & b).tolist() == [False, False]
    assert (a | b).tolist() == [True, True]
    assert (~a).tolist() == [True, False]
    with pytest.raises(GradcliError, match="masks only"):
        tensor(1.0) & tensor(2.0)


X = [[1.0, 2.0], [3.0, 4.0]]
METHODS = [
    (lambda x: x.sum(), 10),
    (lambda x: x.sum(0), [4, 6]),
    (lambda x: x.sum(dim=1, keepdim=True), [[3], [7]]),
    (lambda x: x.sum(axis=(0, 1)), 10),
    (lambda x: x.mean(dim=0), [2, 3]),
    (lambda x: x.max(), 4),
    (lambda x: x.min(dim=0), [1, 2]),
    (lambda x: x.prod(), 24),
    (lambda x: x.t(), [[1, 3], [2, 4]]),
    (lambda x: x.T, [[1, 3], [2, 4]]),
    (lambda x: x.transpose(0, 1), [[1, 3], [2, 4]]),
    (lambda x: x.permute(1, 0), [[1, 3], [2, 4]]),
    (lambda x: x.permute((1, 0)), [[1, 3], [2, 4]]),
    (lambda x: x.view(-1), [1, 2, 3, 4]),
    (lambda x: x.view(4, 1), [[1], [2], [3], [4]]),
    (lambda x: x.reshape((1, 4)), [[1, 2, 3, 4]]),
    (lambda x: x.flatten(), [1, 2, 3, 4]),
    (lambda x: x.unsqueeze(0), [X]),
    (lambda x: x[None].squeeze(0), X),
    (lambda x: x[0].expand(2, 2), [[1, 2], [1, 2]]),
    (lambda x: x.matmul(x), [[7, 10], [15, 22]]),
    (lambda x: x.pow(2), [[1, 4], [9, 16]]),
    (lambda x: x.add(1).sub(1).mul(2).div(2), X),
    (lambda x: x.clamp(2, 3), [[2, 2], [3, 3]]),
    (lambda x: x.clamp(2), [[2, 2], [3, 4]]),
    (lambda x: x.clamp(min=2), [[2, 2], [3, 4]]),
    (lambda x: x.clamp(max=2), [[1, 2], [2, 2]]),
    (lambda x: x.neg().abs(), X),
    (lambda x: x.clone(), X),
    (lambda x: x.norm() ** 2 - 30, 0),
    (lambda x: x.diag(), [1, 4]),
    (lambda x: x.cumsum(0), [[1, 2], [4, 6]]),
    (lambda x: x.detach().requires_grad_(), X),
    (lambda x: x.where(x.detach() > 2, 0.0), [[0, 0], [3, 4]]),
    (lambda x: x.where(b=[[9.0, 9.0]], condition=x.detach() > 2), [[9, 9], [3, 4]]),
    (lambda x: x.lerp(2 * x, 0.5), [[1.5, 3], [4.5, 6]]),
    (lambda x: x.lerp_(2 * x, 0.5) if not x.is_leaf else (1 * x).lerp_(2 * x, 0.5), [[1.5, 3], [4.5, 6]]),
    (lambda x: x.atan2(x), [[np.pi / 4] * 2] * 2),
    (lambda x: x.arctan2(x * 0), [[np.pi / 2] * 2] * 2),
    (lambda x: (x * 1).atan2_(x), [[np.pi / 4] * 2] * 2),
    (lambda x: x[0, 0].polygamma(1) * 6, np.pi**2),
    (lambda x: x[0, 0].polygamma(n=1) * 6, np.pi**2),
]


@pytest.mark.parametrize(("method", "value"), METHODS, ids=range(len(METHODS)))
def test_methods(method, value):
    x = leaf(X)
    result = method(x)
    np.testing.assert_allclose(result.detach().numpy(), value, rtol=1e-15, atol=1e-13)
    assert result.requires_grad


def test_methods_whose_tensor_is_not_the_first_argument_write_nothing_in_place():
    """`x.where_` would take x for the condition."""
    assert {"where", "lerp", "lerp_", "atan2", "arctan2_", "polygamma"} <= {*dir(leaf(X))}
    for name in ("where_", "polygamma_"):
        assert name not in dir(leaf(X))
        with pytest.raises(AttributeError, match=name):
            getattr(leaf(X), name)


def test_the_array_of_a_tensor_that_requires_grad():
    x = leaf([1.0, 2.0])
    for t in (x, x * 1):
        for read in (lambda t: t.numpy(), np.asarray, np.array, lambda t: np.add(t.__array__(), 1)):
            with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
                read(t)
    with gradcli.no_grad():
        assert x.numpy() is x.array
        assert np.asarray(x * 1).tolist() == [1, 2]
        with gradcli.enable_grad(), pytest.raises(RuntimeError):
            x.numpy()
    seen = []
    y = x * 1
    y.register_hook(lambda g: seen.append(x.numpy().tolist()))
    y.sum().backward()
    assert seen == [[1, 2]]
    assert x.detach().numpy().tolist() == [1, 2]


@pytest.mark.parametrize("name", ["argmax", "argmin", "argsort", "count_nonzero", "any", "all"])
def test_positions_counts_and_truths_need_no_gradient(name):
    x = leaf([3.0, 1.0, 0.0])
    for result in (getattr(gradcli, name)(x), getattr(x, name)(), getattr(gradcli, name)([x[0], x[1]])):
        assert result.grad_fn is None
        assert not result.requires_grad
        assert result.is_leaf
    (x * gradcli.argmax(x)).sum().backward()
    assert x.grad.tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match="does not require grad"):
        getattr(gradcli, name)(x).sum().backward()


def test_the_rank_of_a_matrix_needs_no_gradient():
    assert not gradcli.matrix_rank(leaf(X)).requires_grad
    assert gradcli.floor(leaf(X)).grad_fn.name() == "FloorBackward0"  # PyTorch records jumps


def test_a_tensor_as_a_sequence_and_as_a_number():
    x = tensor(X)
    assert len(x) == 2
    assert [row.tolist() for row in x] == X
    assert (x.size(), x.size(0), x.dim(), x.ndim, x.numel()) == ((2, 2), 2, 2, 2, 4)
    assert (float(tensor(2.5)), int(tensor(2.5)), bool(tensor(0.0)), tensor([3.0]).item()) == (2.5, 2, False, 3.0)
    with pytest.raises(GradcliError, match="one-element"):
        x.item()
    with pytest.raises(GradcliError, match="one-element"):
        bool(x)


@pytest.mark.parametrize("name", ["zeros", "ones", "rand", "randn"])
@pytest.mark.parametrize("sizes", [(2, 3), ((2, 3),), ([2, 3],)], ids=["bare", "tuple", "list"])
def test_constructors_take_sizes_in_all_spellings(name, sizes):
    made = getattr(gradcli, name)(*sizes, requires_grad=True)
    assert made.shape == (2, 3)
    assert made.requires_grad
    assert made.is_leaf


def test_errors_carry_span_and_help():
    with pytest.raises(GradcliError) as caught:
        gradcli.parse("a + sin(b@b)").evaluate({"a": 1, "b": np.ones((2, 3))})
    assert caught.value.span == (8, 11)
    assert caught.value.source.cut(caught.value.span) == "b@b"
    assert caught.value.help == "did you mean b@b.T ?"


@pytest.mark.parametrize(
    ("act", "phrase"),
    [
        (lambda x: x.sum(axis=7), "no axis 7"),
        (lambda x: x.sum(what=1), "no argument called what"),
        (lambda x: gradcli.sin(), "needs a value for x"),
        (lambda x: gradcli.sin(x, x), "at most 1 argument"),
        (lambda x: x.reshape(2.5), "integer"),
        (lambda x: x + 1j, "real numbers"),
        (lambda x: x + "a", "real numbers"),
        (lambda x: x["a"], "index"),
    ],
)
def test_errors_in_arguments_are_gradcli_errors(act, phrase):
    with pytest.raises(GradcliError, match=phrase):
        act(leaf(X))


def test_importing_is_light():
    """Neither typer nor rich comes with the engine, and not even NumPy with the bare package."""
    code = (
        "import sys, gradcli; bare = set(sys.modules); gradcli.tensor(1.0) + 1; gradcli.parse('x'); "
        "print('numpy' in bare, 'typer' in sys.modules, 'rich' in sys.modules)"
    )
    done = run([sys.executable, "-c", code])
    assert done.stdout.split() == ["False", "False", "False"]
