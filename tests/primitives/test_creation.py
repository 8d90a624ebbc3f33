"""Constructors, random numbers, questions about shapes, optional values; and that nothing big is made unasked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradcli.engine import Tensor, function, grad
from gradcli.errors import BadArgument, EvaluationError, LimitExceeded
from gradcli.primitives import TABLE, random


def f(name: str) -> Any:
    return function(TABLE[name])


@pytest.mark.parametrize("spelling", [(2, 3), ((2, 3),), ([2, 3],), (np.array([2.0, 3.0]),)])
@pytest.mark.parametrize("name", ["zeros", "ones", "rand", "randn"])
def test_spellings_of_a_shape(name: str, spelling: tuple[Any, ...]) -> None:
    assert f(name)(*spelling).shape == (2, 3)


def test_constants() -> None:
    np.testing.assert_array_equal(f("zeros")(2).array, [0, 0])
    np.testing.assert_array_equal(f("ones")(()).array, 1)
    np.testing.assert_array_equal(f("eye")(2, 3).array, np.eye(2, 3))
    np.testing.assert_array_equal(f("eye")(2).array, np.eye(2))
    np.testing.assert_array_equal(f("zeros_like")([[1, 2]]).array, [[0, 0]])
    np.testing.assert_array_equal(f("ones_like")(np.array([True])).array, [1])
    np.testing.assert_array_equal(f("shape")(np.ones((2, 3))).array, [2, 3])
    assert f("shape")(1).shape == (0,)
    assert f("size")(np.ones((2, 3))).item() == 6
    assert f("ndim")(np.ones((2, 3))).item() == 2


def test_what_only_asks_for_a_shape_has_no_gradient() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    for name in ("zeros_like", "ones_like", "shape", "size", "ndim", "detach"):
        result = f(name)(x)
        assert not result.requires_grad
        assert not np.shares_memory(result.array, x.array)


@pytest.mark.parametrize(
    "arguments", [(5,), (-1,), (2, 5), (5, 2), (5, 2, -1), (0, 1, 0.25), (0.5, 3), (1, None), (3, None, 2), (0, 1, 0.1)]
)
def test_arange_is_that_of_numpy(arguments: tuple[Any, ...]) -> None:
    np.testing.assert_allclose(f("arange")(*arguments).array, np.arange(*arguments), rtol=1e-15, atol=1e-16)


@pytest.mark.parametrize("arguments", [(0, 1, 5), (2, -3, 7), (0, 100, 101), (1, 1, 3), (0, 1), (3, 4, 1), (3, 4, 0)])
def test_linspace_is_that_of_numpy(arguments: tuple[Any, ...]) -> None:
    np.testing.assert_array_equal(f("linspace")(*arguments).array, np.linspace(*arguments))


def test_ranges_are_differentiable() -> None:
    a, b, c = (Tensor(v, requires_grad=True) for v in (1.0, 2.0, 0.25))
    assert [g.item() for g in grad(f("arange")(a, b, c).sum(), [a, b, c]) if g is not None] == [4, 0, 6]
    assert [g.item() for g in grad(f("linspace")(a, b, 5).sum(), [a, b]) if g is not None] == [2.5, 2.5]
    (g,) = grad(f("full")((2, 3), a).sum(), a)
    assert g is not None
    assert g.item() == 6


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [((-1, 1), [-1, 0, 1]), ((None, 1), [-2, 0, 1]), ((-1,), [-1, 0, 2]), ((-1, None), [-1, 0, 2]), ((), [-2, 0, 2])],
)
def test_a_bound_of_clip_may_be_missing(arguments: tuple[Any, ...], expected: list[float]) -> None:
    x = Tensor([-2.0, 0.0, 2.0], requires_grad=True)
    y = f("clip")(x, *arguments)
    np.testing.assert_array_equal(y.array, expected)
    (g,) = grad(y.sum(), x)
    assert g is not None
    np.testing.assert_array_equal(g.array, y.array == x.array)


def test_bounds_of_clip_by_keyword() -> None:
    np.testing.assert_array_equal(f("clip")([-2, 2], hi=1).array, [-2, 1])
    assert str(TABLE["clip"].signature) == "clip(x, lo=-inf, hi=inf)"


def test_random_numbers_follow_the_seed() -> None:
    random.manual_seed(7)
    first = [f("rand")(3).array, f("randn")(2, 2).array, f("rand")().array]
    random.manual_seed(7)
    again = [f("rand")(3).array, f("randn")(2, 2).array, f("rand")().array]
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)
    random.manual_seed(7)
    np.testing.assert_array_equal(np.random.default_rng(7).random(3), first[0])
    assert first[2].shape == ()


BOMBS: dict[str, Callable[[], Any]] = {
    "eye(100000)": lambda: f("eye")(100000),
    "linspace(0, 1, 1e9)": lambda: f("linspace")(0, 1, 1e9),
    "arange(1e12)": lambda: f("arange")(1e12),
    "arange(0, 1, 1e-300)": lambda: f("arange")(0, 1, 1e-300),
    "zeros((1,)*100)": lambda: f("zeros")((1,) * 100),
    "zeros((1e9, 1e9))": lambda: f("zeros")((1e9, 1e9)),
    "ones(40000, 40000)": lambda: f("ones")(40000, 40000),
    "rand(100000, 10000)": lambda: f("rand")(100000, 10000),
    "full((2**31, 2**31), 1)": lambda: f("full")((2**31, 2**31), 1),
    "outer": lambda: f("outer")(np.zeros(10**5), np.zeros(10**5)),
    "diag": lambda: f("diag")(np.zeros(10**5)),
    "diag k": lambda: f("diag")([1], 10**6),
    "broadcast": lambda: f("add")(np.zeros((10**5, 1)), np.zeros((1, 10**5))),
    "broadcast_to": lambda: f("broadcast_to")(0, (100000, 100000)),
    "matmul": lambda: f("matmul")(np.zeros((10**5, 1)), np.zeros((1, 10**5))),
    "inner": lambda: f("inner")(np.zeros((10**5, 1)), np.zeros((10**5, 1))),
}


@pytest.mark.parametrize("name", BOMBS)
def test_too_much_memory(name: str) -> None:
    with pytest.raises(LimitExceeded):
        BOMBS[name]()


REFUSED: dict[str, Callable[[], Any]] = {
    "zeros((2**62, 4))": lambda: f("zeros")((2**62, 4)),
    "zeros((-1, 3))": lambda: f("zeros")((-1, 3)),
    "zeros(1.5)": lambda: f("zeros")(1.5),
    "eye(-1)": lambda: f("eye")(-1),
    "linspace num -1": lambda: f("linspace")(0, 1, -1),
    "linspace of a vector": lambda: f("linspace")([0, 1], 1),
    "arange by 0": lambda: f("arange")(0, 1, 0),
    "arange to inf": lambda: f("arange")(np.inf),
    "arange of nan": lambda: f("arange")(np.nan),
    "full of a vector": lambda: f("full")((2,), [1, 2, 3]),
    "trace of a vector": lambda: f("trace")([1, 2]),
    "diag of a scalar": lambda: f("diag")(1),
    "dot of stacks": lambda: f("dot")(np.ones((2, 2, 2)), np.ones((2, 2))),
    "dot sizes": lambda: f("dot")([1], [1, 2]),
    "inner sizes": lambda: f("inner")([1, 2], [1, 2, 3]),
    "cumsum of a scalar": lambda: f("cumsum")(1),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        REFUSED[name]()
    assert not isinstance(caught.value, LimitExceeded)
    assert caught.value.message.split(":")[0] in TABLE


def test_none_is_not_a_value_that_is_needed() -> None:
    with pytest.raises(BadArgument):
        f("arange")()
