"""Arguments of the wrong kind, everywhere: what is not taken is refused by a GradcliError, never a bare exception."""

import inspect
import warnings
from contextlib import suppress

import numpy as np
import pytest

import gradcli
from gradcli import GradcliError, Tensor, tensor
from gradcli.primitives import TABLE
from tests.primitives.samples import SAMPLES


class Plain:
    pass


class Refusing:
    """It has neither an array nor a truth."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("no array")

    def __bool__(self):
        raise RuntimeError("no truth")

    def __len__(self):
        raise RuntimeError("no length")


def holding_itself():
    made = [1.0]
    made.append(made)
    return made


def deep():
    made = [1.0]
    for _ in range(3000):
        made = [made]
    return made


WRONG = {
    "None": None,
    "text": "a",
    "bytes": b"a",
    "set": {1, 2},
    "mapping": {"a": 1},
    "object": Plain(),
    "class": Plain,
    "module": np,
    "function": len,
    "refusing": Refusing(),
    "holding itself": holding_itself(),
    "deep": deep(),
    "complex": 1j,
    "huge": 2**80,
    "fraction": 2.5,
    "nan": np.nan,
    "negative": -3,
    "ragged": [[1], [1, 2]],
    "slice": slice("a", "b"),
    "slices in a list": [slice(0, 1), 0],
    "None in a list": [None],
    "text in a list": ["a"],
    "ellipsis": ...,
    "objects": np.array([None, 1]),
    "date": np.datetime64("2020-01-01"),
    "record": np.zeros(2, dtype=[("a", float)]),
    "masked": np.ma.array([1.0, 2.0], mask=[False, True]),
    "matrix": np.ones((2, 2)),
    "mask": np.array([True, False]),
    "leaf": tensor([1.0, 2.0], requires_grad=True),
    "expression": gradcli.parse("x"),
}


def attempt(call):
    """Any answer will do, and any GradcliError."""
    with warnings.catch_warnings(), suppress(GradcliError):
        warnings.simplefilter("ignore", UserWarning)
        call()


CALLS = {sample.name: sample for sample in reversed(SAMPLES) if not TABLE[sample.name].hidden}


@pytest.mark.parametrize("sample", CALLS.values(), ids=CALLS)
def test_every_parameter_of_every_function(sample):
    entry = TABLE[sample.name]
    places = [p for p in entry.signature.parameters if p.type in ("value", "sequence")]
    given = [list(sample.operands)] if entry.variadic else sample.operands
    call = {**{p.name: x for p, x in zip(places, given, strict=False)}, **sample.params}
    function = getattr(gradcli, sample.name)
    for parameter in entry.signature.parameters:
        for wrong in WRONG.values():
            attempt(lambda name=parameter.name, wrong=wrong: function(**{**call, name: wrong}))
            if parameter.type == "sequence":
                attempt(lambda name=parameter.name, wrong=wrong: function(**{**call, name: [wrong]}))
    attempt(lambda: function(*[Plain()] * 9))
    attempt(lambda: function(**call, nonsense=1))


OWN = [name for name, attribute in inspect.getmembers(Tensor) if callable(attribute) and not name.startswith("_")]
OPERATORS = [
    "__add__", "__rsub__", "__mul__", "__rtruediv__", "__pow__", "__rpow__", "__matmul__", "__and__", "__lt__",
    "__eq__", "__iadd__", "__imul__", "__getitem__",
]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_methods_operators_and_attributes_of_tensors(wrong):
    for name in (*OWN, *OPERATORS):
        x = tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        for t in (x * 1, x):
            method = getattr(t, name)
            if name in OPERATORS or len(inspect.signature(method).parameters) > 0:
                attempt(lambda method=method: method(wrong))
    for name in ("grad", "data", "requires_grad"):
        attempt(lambda name=name: setattr(tensor([1.0, 2.0]), name, wrong))
    for index in (wrong, (wrong, 0), (wrong, wrong), [wrong, 0]):
        attempt(lambda index=index: tensor(np.ones((2, 2)))[index])
        attempt(lambda index=index: tensor(np.ones((2, 2))).__setitem__(index, 1.0))
    attempt(lambda: tensor([1.0]).__setitem__(0, wrong))


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_functions_of_the_engine(wrong):
    x = tensor([1.0, 2.0], requires_grad=True)
    options = ("retain_graph", "create_graph", "allow_unused", "is_grads_batched", "materialize_grads")
    for outputs, inputs, cotangents in ((wrong, x, None), (x * x, wrong, None), (x * x, x, wrong)):
        attempt(lambda a=outputs, b=inputs, c=cotangents: gradcli.grad(a, b, c))
        attempt(lambda a=outputs, b=inputs, c=cotangents: gradcli.grad([a], [b], [c]))
        attempt(lambda a=outputs, b=inputs, c=cotangents: gradcli.backward([a], [c], inputs=[b]))
        attempt(lambda a=outputs, b=inputs, c=cotangents: gradcli.backward(a, c, inputs=b))
    for name in options:
        attempt(lambda name=name: gradcli.grad((x * x).sum(), x, **{name: wrong}))
    for name in ("retain_graph", "create_graph", "inputs", "gradient"):
        attempt(lambda name=name: (x * x).sum().backward(**{name: wrong}))
    for make in (tensor, Tensor, gradcli.Variable, gradcli.FloatTensor):
        attempt(lambda make=make: make(wrong))
        attempt(lambda make=make: make([1.0], requires_grad=wrong))
    attempt(lambda: gradcli.ones(2, requires_grad=wrong))
    try:
        attempt(lambda: gradcli.manual_seed(wrong))
        attempt(lambda: gradcli.rand(1))
        attempt(lambda: gradcli.set_grad_enabled(wrong))
    finally:
        gradcli.manual_seed(0)
        gradcli.set_grad_enabled(True)


@pytest.mark.parametrize("empty", [[], (), iter([])], ids=["list", "tuple", "iterator"])
def test_nothing_to_differentiate_by(empty):
    x = tensor(2.0, requires_grad=True)
    with pytest.raises(GradcliError, match="must not be empty"):
        gradcli.grad(x * x, list(empty))
    with pytest.raises(GradcliError, match="must not be empty"):
        (x * x).backward(inputs=list(empty))


@pytest.mark.parametrize("seed", [None, -1, 1.5, True, "1", holding_itself(), [1], np.float64(2)], ids=repr)
def test_what_is_no_seed(seed):
    with pytest.raises(GradcliError, match="a seed is a whole number"):
        gradcli.manual_seed(seed)


@pytest.mark.parametrize("seed", [0, 2**70, np.int64(7)])
def test_a_seed_repeats_the_numbers(seed):
    try:
        gradcli.manual_seed(seed)
        first = gradcli.rand(3).tolist()
        gradcli.manual_seed(seed)
        assert gradcli.rand(3).tolist() == first
    finally:
        gradcli.manual_seed(0)
