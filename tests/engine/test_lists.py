"""Lists with tensors among their items, and arrays of other libraries: read as what NumPy would read, and recorded."""

import numpy as np
import pytest

import gradcli
from gradcli import GradcliError, Tensor, tensor
from gradcli.primitives import TABLE
from tests.primitives.samples import SAMPLES

X = 0.5


@pytest.fixture
def x():
    return tensor(X, requires_grad=True)


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (lambda x: x * gradcli.mean([x, x + 2]), 2 * X + 1),
        (lambda x: gradcli.sum([x, x, 1.0]), 2),
        (lambda x: gradcli.sum([[x, 1], [x * x, x]]), 2 + 2 * X),
        (lambda x: gradcli.sum(([x, 1], (x, np.float64(2)))), 2),
        (lambda x: gradcli.norm([3 * x, 4 * x]), 5),
        (lambda x: gradcli.maximum([x, 1.0], [0.0, x]).sum(), 1),
        (lambda x: gradcli.where([True, False], [x, x], [1.0, x * x]).sum(), 1 + 2 * X),
        (lambda x: gradcli.select([[True, False]], [[x, x]]).sum(), 1),
        (lambda x: gradcli.concatenate([[x, 1.0], [x * 3]]).sum(), 4),
        (lambda x: gradcli.stack([[x, 1.0], (x * 3, x)]).sum(), 5),
        (lambda x: gradcli.einsum("i,i", [x, x], [x, 2.0]), 2 * X + 2),
        (lambda x: gradcli.det([[x, 1.0], [2.0, x]]), 2 * X),
        (lambda x: ([x, x] * gradcli.ones(2)).sum(), 2),
        (lambda x: (gradcli.ones(2) * [x, x]).sum(), 2),
        (lambda x: ([1.0, x] - gradcli.ones(2)).sum(), 1),
        (lambda x: gradcli.tensor([1.0, 2.0]) @ [x, x], 3),
        (lambda x: [[x, 0.0], [0.0, x]] @ gradcli.tensor([1.0, 2.0]) @ gradcli.ones(2), 3),
        (lambda x: (gradcli.ones(2) ** [x, 2 * x]).sum(), 0),
        (lambda x: gradcli.clip([x, 2.0], [x, x], [3.0, 3 * x]).sum(), 1 + 3),
    ],
    ids=range(19),
)
def test_lists_of_tensors_are_recorded(function, slope, x):
    (g,) = gradcli.grad(function(x), x)
    assert g.item() == pytest.approx(slope, rel=1e-14)


def as_list(array):
    """The array as a nested list of tensors that require grad, and those."""
    if array.ndim == 0:
        leaf = tensor(array, requires_grad=True)
        return leaf, [leaf]
    parts = [as_list(row) for row in array]
    return [part for part, _ in parts], [leaf for _, leaves in parts for leaf in leaves]


LISTED = {
    sample.name: sample
    for sample in SAMPLES
    if TABLE[sample.name].rules
    and not TABLE[sample.name].hidden
    and not TABLE[sample.name].symmetric
    and all(np.asarray(x).dtype == float and np.size(x) for x in sample.operands)
}


@pytest.mark.parametrize("sample", LISTED.values(), ids=LISTED)
def test_every_function_takes_lists_of_tensors_for_its_arrays(sample):
    """The gradient by the items of a list is that by the elements of the array."""
    plain = sample.leaves()
    listed = [as_list(x.detach().numpy()) if x.requires_grad else (x, []) for x in plain]

    def gradients(operands, leaves):
        y = sample(*operands)
        if not y.requires_grad:
            return None
        found = gradcli.grad(y, leaves, np.cos(np.arange(y.numel())).reshape(y.shape), materialize_grads=True)
        return np.concatenate([g.numpy().ravel() for g in found])

    found = gradients([part for part, _ in listed], [leaf for _, leaves in listed for leaf in leaves])
    np.testing.assert_array_equal(found, gradients(plain, [x for x in plain if x.requires_grad]))


def test_a_list_without_gradients_is_plain_data(x):
    assert gradcli.sum([x.detach(), 1.0]).grad_fn is None
    with gradcli.no_grad():
        assert not gradcli.sum([x, 1.0]).requires_grad
    assert (gradcli.tensor([1.0, 2.0]) == [tensor(1.0), x]).tolist() == [True, False]


def test_a_tensor_made_of_a_list_is_a_leaf_as_in_pytorch(x):
    made = tensor([x, x])
    assert made.is_leaf
    assert not made.requires_grad


def test_a_list_of_tensors_as_a_cotangent(x):
    y = x * gradcli.ones(2)
    (g,) = gradcli.grad(y, x, [x, 3.0], create_graph=True)
    assert g.item() == 3.5
    (second,) = gradcli.grad(g, x)
    assert second.item() == 1


def test_a_list_of_tensors_written_into_an_array(x):
    y = gradcli.zeros(3)
    y[:2] = [x, 2 * x]
    y.sum().backward()
    assert x.grad.item() == 3


def test_a_sequence_may_be_any_iterable_with_an_order(x):
    parts = {"a": x.reshape(1), "b": x.reshape(1) + x.reshape(1)}
    for given in (
        iter(parts.values()),
        (p for p in parts.values()),
        map(gradcli.clone, parts.values()),
        parts.values(),
    ):
        (g,) = gradcli.grad(gradcli.concatenate(given).sum(), x)
        assert g.item() == 3
    (g,) = gradcli.grad((y for y in [x * x]), iter([x]), iter([tensor(2.0)]))
    assert g.item() == 2


@pytest.mark.parametrize("given", [5, None, "ab", {1.0}, {1.0: 2.0}, 2.0, tensor(1.0)], ids=repr)
def test_what_is_no_sequence(given):
    with pytest.raises(GradcliError, match="must be a list of arrays"):
        gradcli.concatenate(given)


# Lists that are no arrays


def holding_itself(*items):
    made = list(items)
    made.append(made)
    return made


def nested(depth):
    made = [1.0]
    for _ in range(depth):
        made = [made]
    return made


def doubled(depth, item):
    """2**depth times the item, in as many lists."""
    made = [item]
    for _ in range(depth):
        made = [made, made]
    return made


ONE = tensor(1.0, requires_grad=True)


@pytest.mark.parametrize(
    ("data", "phrase"),
    [
        (holding_itself(), "holds itself"),
        (holding_itself(1.0), "holds itself"),
        (holding_itself(ONE), "holds itself"),
        (holding_itself([holding_itself()]), "holds itself"),
        ([1.0, nested(3000)], "more than 64 deep"),
        (nested(3000), "more than 64"),
        (doubled(50, 1.0), "needs|more than"),
        (doubled(50, ONE), "needs|more than"),
        ([ONE, [ONE]], "equal lengths"),
        ([[ONE, 1.0], [ONE]], "equal lengths"),
        ([ONE, {1.0}], "real numbers"),
        ([ONE, None], "real numbers"),
        ([ONE, "a"], "real numbers"),
        ({1.0, 2.0}, "not data of type set"),
        ((n for n in [1.0]), "not data of type generator"),
        ([None], "not data of type object"),
        (2**70, r"2\*\*53"),
        (np.ma.array([1.0, 2.0], mask=[False, True]), "masked"),
    ],
    ids=range(18),
)
@pytest.mark.parametrize("use", [tensor, gradcli.sum, lambda d: ONE * d, lambda d: ONE.backward(d)], ids=range(4))
def test_what_is_no_array_is_refused_with_the_reason(use, data, phrase):
    with pytest.raises(GradcliError, match=phrase):
        use(data)


@pytest.mark.parametrize(
    "index",
    [
        [slice(0, 1), 0],
        [[0], [0, 1]],
        [None],
        ["a"],
        "a",
        {0},
        holding_itself(),
        holding_itself(0),
        nested(3000),
        slice("a", "b"),
        slice(None, None, holding_itself()),
        object(),
        iter([0]),
        1.5,
        [1.5],
        b"a",
        (0, [slice(1)]),
    ],
    ids=range(17),
)
@pytest.mark.parametrize("use", [lambda y, i: y[i], lambda y, i: y.__setitem__(i, 1.0)], ids=["read", "write"])
def test_what_is_no_index_is_refused_with_the_reason(use, index):
    with pytest.raises(GradcliError):
        use(tensor([[1.0, 2.0], [3.0, 4.0]]), index)


# Arrays of other libraries


class Foreign:
    """As other libraries' arrays are: `size` is a method, and NumPy reads it by one protocol alone."""

    def __init__(self, data):
        self.data_ = np.asarray(data)

    def size(self):
        return self.data_.size


class ByArray(Foreign):
    def __array__(self, dtype=None, copy=None):
        return np.array(self.data_, dtype=dtype)


class ByInterface(Foreign):
    @property
    def __array_interface__(self):
        return self.data_.__array_interface__


class ByStruct(Foreign):
    @property
    def __array_struct__(self):
        return self.data_.__array_struct__


class Refusing:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("this lies on a device")


FOREIGN = [ByArray, ByInterface, ByStruct, memoryview]


@pytest.mark.parametrize("kind", FOREIGN, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, ">f8", np.float16], ids=str)
def test_arrays_of_other_libraries(kind, dtype):
    data = np.array([1.0, 2.0], dtype=dtype)
    if kind is memoryview and data.dtype.byteorder == ">":
        data = data.astype(np.float64)  # a view of bytes in another order has no format that NumPy reads
    f = gradcli.parse("sum(x**2)")
    for _ in range(3):
        found = f.diff({"x": kind(data)})
        assert found.value == 5
        assert found.gradient["x"].tolist() == [2, 4]
    assert tensor(kind(data)).tolist() == [1, 2]
    assert (kind(data) + gradcli.ones(2) if kind is not memoryview else gradcli.ones(2) + kind(data)).tolist() == [2, 3]


@pytest.mark.parametrize("use", [tensor, lambda d: gradcli.parse("x").evaluate({"x": d}), lambda d: Tensor(1.0) + d])
def test_an_array_that_cannot_be_had_is_refused_with_its_reason(use):
    with pytest.raises(GradcliError, match="Refusing cannot be read as an array: this lies on a device"):
        use(Refusing())
