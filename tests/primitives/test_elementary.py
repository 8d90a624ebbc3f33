"""Exact derivatives of elementary functions and activations, for `accuracy`; kinks and poles by hand."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest

from gradcli.engine import Tensor, function
from gradcli.errors import BadArgument, ShapeMismatch
from gradcli.primitives import TABLE
from tests.primitives.samples import pull, push
from tests.primitives.test_accuracy import ABOVE_0, EVERYWHERE, TAILS, both_signs, even, positive

inf, nan, pi = np.inf, np.nan, np.pi


def f(name: str) -> Any:
    return function(TABLE[name])


OUTSIDE = np.concatenate([1 + positive(1e-15, 1e100), -1 - positive(1e-15, 1e100)])
WAVES = np.concatenate([both_signs(1e-100, 1e15), even(-10, 10)])

DERIVATIVES: dict[str, tuple[Any, Any]] = {
    "rsqrt": (lambda x: -1 / (2 * x * mp.sqrt(x)), positive(1e-200, 1e200)), "cube": (lambda x: 3 * x * x, WAVES),
    "exp10": (lambda x: mp.log(10) * mp.mpf(10) ** x, np.concatenate([both_signs(1e-300, 300), even(-10, 10)])),
    "sec": (lambda x: mp.sec(x) * mp.tan(x), WAVES), "csc": (lambda x: -mp.csc(x) * mp.cot(x), WAVES),
    "cot": (lambda x: -mp.csc(x) ** 2, WAVES), "acot": (lambda x: -1 / (1 + x * x), both_signs(1e-150, 1e150)),
    "asec": (lambda x: 1 / (abs(x) * mp.sqrt(x * x - 1)), OUTSIDE),
    "acsc": (lambda x: -1 / (abs(x) * mp.sqrt(x * x - 1)), OUTSIDE), "haversine": (lambda x: mp.sin(x) / 2, WAVES),
    "csch": (lambda x: -mp.csch(x) * mp.coth(x), both_signs(1e-150, 700)),
    "coth": (lambda x: -mp.csch(x) ** 2, both_signs(1e-150, 350)),
    "deg2rad": (lambda x: mp.pi / 180, WAVES), "rad2deg": (lambda x: 180 / mp.pi, WAVES),
    "smoothstep": (lambda x: 6 * x * (1 - x), positive(1e-300, 1)),
    "softsign": (lambda x: 1 / (1 + abs(x)) ** 2, EVERYWHERE), "logsigmoid": (lambda x: 1 / (1 + mp.exp(x)), TAILS),
    "elu": (lambda x: mp.exp(min(x, 0)), TAILS), "celu": (lambda x: mp.exp(min(x, 0)), TAILS),
    "selu": (lambda x: mp.mpf("1.0507009873554804934193349852946") * (
        1 if x > 0 else mp.mpf("1.6732632423543772848170429916717") * mp.exp(x)), TAILS),
    "entr": (lambda x: -mp.log(x) - 1, ABOVE_0[np.abs(np.log(ABOVE_0) + 1) > 0.3]),
    "logcosh": (mp.tanh, TAILS), "log1mexp": (lambda x: 1 / mp.expm1(x), positive(1e-300, 700)),
    "tanhshrink": (lambda x: mp.tanh(x) ** 2, both_signs(1e-150, 700)), "exprel": (
        lambda x: mp.exp(x) / x - mp.expm1(x) / x**2, np.concatenate([both_signs(1e-30, 700), even(-10, 10)])),
    "erf": (lambda x: 2 / mp.sqrt(mp.pi) * mp.exp(-x * x), np.concatenate([both_signs(1e-300, 26), even(-6, 6)])),
    "ndtr": (lambda x: mp.npdf(x), np.concatenate([both_signs(1e-300, 37), even(-6, 6)])),
}  # fmt: skip


# name, operands, value, gradient of each operand
POINTS: list[tuple[str, list[Any], Any, list[Any]]] = [
    ("rsqrt", [[0.0, -0.0, -1.0, 4.0]], [inf, inf, nan, 0.5], [[-inf, -inf, nan, -1 / 16]]),
    ("frac", [[2.0, 2.5, -2.5]], [0, 0.5, -0.5], [[1, 1, 1]]),
    ("csc", [[0.0]], [inf], [[-inf]]), ("cot", [[0.0]], [inf], [[-inf]]),
    ("asec", [[1.0, -1.0, 0.5, inf]], [0, pi, nan, pi / 2], [[inf, inf, nan, 0]]),
    ("acsc", [[1.0, -1.0, 0.5, -inf]], [pi / 2, -pi / 2, nan, 0], [[-inf, -inf, nan, 0]]),
    ("acot", [[0.0, -0.0]], [pi / 2, -pi / 2], [[-1, -1]]),
    ("fmod", [[5.0, -5.0, 6.0, 5.0], [3.0, 3.0, 3.0, 0.0]], [2, -2, 0, nan], [[1] * 4, [-1, 1, -2, -inf]]),
    ("fmod", [[-0.25, 0.3], [0.001, -0.1]], [-(0.25 % 0.001), 0.3 % 0.1], [[1, 1], [249, 2]]),  # a/b is rounded up
    ("fmax", [[1.0, nan, 3.0, nan], [1.0, 1.0, nan, nan]], [1, 1, 3, nan], [[0.5, 0, 1, nan], [0.5, 1, 0, nan]]),
    ("fmin", [[1.0, nan, 3.0, 0.0], [1.0, 1.0, nan, 2.0]], [1, 1, 3, 0], [[0.5, 0, 1, 1], [0.5, 1, 0, 0]]),
    ("heaviside", [[-1.0, 0.0, 2.0], [5.0, 5.0, 5.0]], [0, 5, 1], [[0, 0, 0], [0, 1, 0]]),
    ("copysign", [[0.0, 2.0, -2.0], [1.0, -1.0, -1.0]], [0, -2, -2], [[0, -1, 1], [0, 0, 0]]),
    ("nan_to_num", [[nan, inf, 1.0]], [0, np.finfo(float).max, 1], [[0, 0, 1]]),
    ("ldexp", [[3.0, 5e-324], [2.0, 1074.0]], [12, 1], [[4, inf], [12 * np.log(2), np.log(2)]]),
    ("ldexp", [[3.0, 3.0, 0.0], [inf, -inf, inf]], [inf, 0, nan], [[inf, 0, inf], [inf, 0, nan]]),
    ("nextafter", [[1.0], [2.0]], [1 + 2**-52], [[1], [0]]),
    ("smoothstep", [[-1.0, 0.0, 0.5, 1.0, 2.0]], [0, 0, 0.5, 1, 1], [[0, 0, 1.5, 0, 0]]),
    ("lerp", [[1.0], [5.0], [0.25]], [2], [[0.75], [0.25], [4]]),
    ("leaky_relu", [[0.0, -2.0, 3.0]], [0, -0.02, 3], [[0.01, 0.01, 1]]),
    ("prelu", [[0.0, -2.0], [0.25, 0.25]], [0, -0.5], [[0.25, 0.25], [0, -2]]),
    ("elu", [[0.0, -1000.0, 1000.0]], [0, -1, 1000], [[1, 0, 1]]), ("celu", [[0.0]], [0], [[1]]),
    ("selu", [[0.0]], [0], [[1.7580993408473766]]),
    ("gelu", [[0.0, 1.0]], [0, 0.8413447460685429], [[0.5, 1.083315470587]]),
    ("gelu_tanh", [[1.0]], [0.8411919906082768], [[1.0829640838457826]]), ("silu", [[0.0]], [0], [[0.5]]),
    *((name, [[inf, -inf, 1e300, -1e300]], [inf, 0, 1e300, 0], [[1, 0, 1, 0]])
      for name in ("silu", "gelu", "gelu_tanh", "mish")), ("softsign", [[inf, -inf]], [1, -1], [[0, 0]]),
    ("entr", [[-1.0, 0.0]], [-inf, 0], [[nan, inf]]),
    ("mish", [[0.0]], [0], [[0.6]]), ("softsign", [[0.0]], [0], [[1]]),
    ("logsigmoid", [[0.0, -1000.0, 1000.0]], [-np.log(2), -1000, 0], [[0.5, 1, 0]]),
    ("hardtanh", [[1.0, -1.0, 0.5]], [1, -1, 0.5], [[0, 0, 1]]),
    ("hardsigmoid", [[3.0, -3.0, 0.0]], [1, 0, 0.5], [[0, 0, 1 / 6]]),
    ("hardswish", [[3.0, -3.0, 0.0]], [3, 0, 0], [[1, 0, 0.5]]), ("relu6", [[0.0, 6.0, 3.0]], [0, 6, 3], [[0, 0, 1]]),
    ("softshrink", [[0.5, 2.0, -2.0], [0.5] * 3], [0, 1.5, -1.5], [[0, 1, 1], [0, -1, 1]]),
    ("hardshrink", [[0.5, 2.0]], [0, 2], [[0, 1]]),
    ("threshold", [[1.0, 2.0], [1.0, 1.0], [7.0, 7.0]], [7, 2], [[0, 1], [0, 0], [1, 0]]),
    ("erfinv", [[1.0, -1.0, 2.0, 0.0]], [inf, -inf, nan, 0], [[inf, inf, nan, pi**0.5 / 2]]),
    ("erfc", [[10.0, inf]], [2.088487583762545e-45, 0], [[-2 / pi**0.5 * np.exp(-100), 0]]),
    ("erfcx", [[0.0, inf, -30.0]], [1, 0, inf], [[-2 / pi**0.5, 0, -inf]]),
    ("log_ndtr", [[-30.0, inf]], [-454.32124395634315, 0], [[30.033259667433675, 0]]),
    ("gamma", [[0.0, 3.0, -1.0, 172.0]], [inf, 2, nan, inf],
     [[-inf, 1.845568670196934, nan, inf]]),
    ("lgamma", [[0.0, 1.0, -0.5, 2.0]], [inf, 0, 1.2655121234846454, 0],
     [[-inf, -0.5772156649015329, 0.03648997397857652, 0.4227843350984671]]),
    ("digamma", [[0.0, 1.0, -1.0]], [-inf, -0.5772156649015329, nan], [[inf, pi**2 / 6, inf]]),
    ("betaln", [[1.0], [2.0]], [-np.log(2)], [[-1.5], [-0.5]]),
    ("i0", [[0.0, 1.0]], [1, 1.2660658777520084], [[0, 0.565159103992485]]), ("i1", [[0.0]], [0], [[0.5]]),
    ("i0e", [[0.0, inf]], [1, 0], [[0, 0]]), ("i1e", [[0.0]], [0], [[0.5]]),
    ("j0", [[0.0, 1.0, inf]], [1, 0.7651976865579666, 0], [[0, -0.4400505857449335, 0]]),
    ("xlogy", [[0.0, 0.0, 0.0, 1.0], [0.0, 2.0, nan, -1.0]], [0, 0, nan, nan],
     [[-inf, np.log(2), nan, nan], [0, 0, nan, nan]]),
    ("xlog1py", [[0.0, 1.0, 1.0], [-1.0, 0.0, -2.0]], [0, 0, nan], [[-inf, 0, nan], [0, 1, nan]]),
    ("entr", [[0.0, -1.0, 1.0]], [0, -inf, 0], [[inf, nan, -1]]),
    ("logit", [[0.0, 1.0, 0.5, 2.0]], [-inf, inf, 0, nan], [[inf, inf, 4, nan]]),
    ("rel_entr", [[0.0, 1.0, -1.0, 1.0], [1.0, 1.0, 1.0, -1.0]], [0, 0, inf, inf],
     [[-inf, 1, nan, nan], [0, -1, nan, nan]]),
    ("logaddexp", [[0.0, -inf, -inf, 1000.0], [0.0, -inf, 0.0, 0.0]], [np.log(2), -inf, 0, 1000],
     [[0.5, 0, 0, 1], [0.5, 0, 1, 0]]),
    ("logaddexp2", [[3.0], [3.0]], [4], [[0.5], [0.5]]), ("sinc", [[0.0, 1.0, inf]], [1, 0, 0], [[0, -1, 0]]),
    ("exprel", [[0.0, -inf]], [1, 0], [[0.5, 0]]), ("log1mexp", [[0.0, -1.0, inf]], [-inf, nan, 0], [[inf, nan, 0]]),
    ("logcosh", [[0.0, 1000.0, 1e-10]], [0, 1000 - np.log(2), 5e-21], [[0, 1, 1e-10]]),
    ("gammainc", [1.0, [1.0, 0.0, inf, -1.0]], [1 - np.exp(-1), 0, 1, nan], [None, [np.exp(-1), 1, 0, nan]]),
    ("gammaincc", [1.0, [1.0, 0.0, inf]], [np.exp(-1), 1, 0], [None, [-np.exp(-1), -1, 0]]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "operands", "value", "gradients"), POINTS)
def test_point(name: str, operands: list[Any], value: Any, gradients: list[Any]) -> None:
    leaves = [Tensor(x, requires_grad=g is not None) for x, g in zip(operands, gradients, strict=True)]
    y = function(TABLE[name])(*leaves)
    np.testing.assert_allclose(y.array, value, rtol=2e-15)
    for found, expected in zip(pull(y, leaves, np.ones(y.shape)), gradients, strict=True):
        if expected is not None:
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-300)
    for i, (x, expected) in enumerate(zip(leaves, gradients, strict=True)):
        if expected is not None:
            alone = [x if j == i else Tensor(z.array) for j, z in enumerate(leaves)]
            np.testing.assert_allclose(
                push(function(TABLE[name])(*alone), [x], [np.ones(x.shape)]), expected, rtol=1e-12
            )


@pytest.mark.parametrize(
    "program",
    [
        lambda x: f("relu6")(f("log")(x)), lambda x: f("hardtanh")(f("log")(x)), lambda x: f("hardswish")(f("log")(x)),
        lambda x: f("softshrink")(f("sqrt")(x)), lambda x: f("threshold")(f("log")(x), -1, 3),
        lambda x: f("fmax")(f("log")(x), -1), lambda x: f("smoothstep")(f("log")(x)),
        lambda x: f("nan_to_num")(f("log")(x)), lambda x: f("hinge_loss")(f("log")(x), -1),
        lambda x: f("nll_loss")(f("log")(f("stack")([x, 1.0])), 1),
    ],
)  # fmt: skip
def test_what_is_not_selected_has_gradient_0(program: Any) -> None:
    x = Tensor(0.0, requires_grad=True)
    y = program(x)
    assert np.isfinite(y.array)
    assert pull(y, [x], np.ones(()))[0] == 0
    assert push(program(x), [x], [np.ones(())]) == 0


def test_polygamma_wants_an_order() -> None:
    polygamma = function(TABLE["polygamma"])
    np.testing.assert_allclose(polygamma(1, [1.0, 0.0, -1.0]).array, [pi**2 / 6, inf, inf], rtol=1e-12)
    np.testing.assert_allclose(polygamma(0, 1.0).array, function(TABLE["psi"])(1.0).array, rtol=1e-12)
    with pytest.raises(BadArgument, match="order must be between 0 and 100"):
        polygamma(-1, 1.0)


# ---- losses: values and gradients of PyTorch 2.13

X, Y = [[2.0, 1.0, 0.0], [0.0, 3.0, 0.0]], [0, 1]
LOSSES: list[tuple[str, list[Any], dict[str, Any], Any, Any]] = [
    ("mse_loss", [[1.0, 2.0], [0.0, 0.0]], {}, 2.5, [1, 2]), ("l1_loss", [[1.0, 0.0], [0.0, 0.0]], {}, 0.5, [0.5, 0]),
    ("smooth_l1_loss", [[1.0, 0.5], [0.0, 0.0]], {"reduction": "sum"}, 0.625, [1, 0.5]),
    ("huber_loss", [[2.0, 5.0], [0.0, 0.0]], {"reduction": "sum", "delta": 2.0}, 10, [2, 2]),
    ("bce", [[1.0, 0.0], [1.0, 1.0]], {}, 50, [0, -5e11]), ("bce", [[-0.5, 1.5], [1.0, 1.0]], {}, nan, [nan, nan]),
    ("bce_with_logits", [[-1000.0, 0.0], [1.0, 1.0]], {"reduction": "sum"}, 1000 + np.log(2), [-1, -0.5]),
    ("bce_with_logits", [[-40.0], [0.0]], {}, 4.248354255291589e-18, [4.248354255291589e-18]),
    ("hinge", [[1.0, 0.0], [1.0, -1.0]], {"reduction": "sum"}, 1, [-1, 1]),
    ("kl_div", [[-1.0, -2.0], [0.0, 0.5]], {"reduction": "sum"}, 1 - np.log(2) / 2, [0, -0.5]),
    ("nll_loss", [X, Y], {"reduction": "sum"}, -5, [[-1, 0, 0], [0, -1, 0]]),
    ("cross_entropy", [[1000.0, 0.0], 1.0], {}, 1000, [1, -1]),
    ("cross_entropy", [[0.0, 0.0], [0.25, 0.75]], {}, np.log(2), [0.25, -0.25]),
    ("cross_entropy", [[0.0, -inf], 0.0], {}, 0, [0, 0]),
    ("cosine_similarity", [[3.0, 0.0], [1.0, 1.0]], {}, 0.5**0.5, [0, 0.5**0.5 / 3]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "operands", "params", "value", "gradient"), LOSSES)
def test_loss(name: str, operands: list[Any], params: dict[str, Any], value: Any, gradient: Any) -> None:
    x, y = Tensor(operands[0], requires_grad=True), operands[1]
    loss = function(TABLE[name])(x, y, **params)
    np.testing.assert_allclose(loss.array, value, rtol=1e-14)
    (found,) = pull(loss, [x], np.ones(loss.shape))
    np.testing.assert_allclose(found, gradient, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", ["nll_loss", "cross_entropy"])
def test_class_numbers_have_gradient_0(name: str) -> None:
    numbers = Tensor([0.0, 2.0], requires_grad=True)
    loss = function(TABLE[name])([[2.0, 1.0, 0.0], [0.0, 3.0, 0.0]], numbers)
    np.testing.assert_array_equal(pull(loss, [numbers], np.ones(()))[0], [0, 0])
    assert push(loss, [numbers], [np.ones(2)]) == 0


def test_a_class_that_does_not_exist() -> None:
    for numbers in ([0, 3], [0, -1], [0, 0.5]):
        with pytest.raises(BadArgument, match="class numbers are whole and from 0 to 2"):
            function(TABLE["cross_entropy"])(X, numbers)
    with pytest.raises(ShapeMismatch, match="target has shape 3"):
        function(TABLE["nll_loss"])(X, [0, 1, 2])


def test_a_reduction_that_does_not_exist() -> None:
    with pytest.raises(BadArgument, match='the reduction is "mean", "sum" or "none"'):
        function(TABLE["mse_loss"])([1.0], [2.0], reduction="avg")
