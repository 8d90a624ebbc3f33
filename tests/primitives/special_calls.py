"""Calls of special functions, activations and losses, and what mpmath, math and NumPy make of them."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np

Call = tuple[str, tuple[Any, ...], dict[str, Any]]


def draw(seed: str, low: float, high: float, *shape: int) -> Any:
    return np.random.default_rng(zlib.crc32(f"{seed}{shape}".encode())).uniform(low, high, shape)


PARAMETERS: dict[str, dict[str, Any]] = {
    "polygamma": {"n": 1}, "polygamma_gap": {"n": 1}, "bessel_i": {"n": 2}, "bessel_j": {"n": 2}, "i0e_slope": {"m": 1},
    "erfc_integral": {"n": 1}, "erfc_ratio": {"n": 1}, "gaussian": {"scale": 0.5, "n": 1}, "sinc_slope": {"n": 2},
    "exprel_slope": {"n": 1}, "preference": {"base": 2.0},
}  # fmt: skip
"""Plain parameters of elementwise entries that have no default."""

FIXED = {("gammainc", 0), ("gammaincc", 0), ("gammainc_order", 0)}
"""Operands without a second derivative; `test_incomplete` tries the first."""

_PAIRS = (((3,), (3,)), ((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 1), (3,)), ((), ()))
_RANGES = {
    "mse_loss": (-2, 2, -2, 2), "l1_loss": (1, 2, -1, 0.5), "huber_loss": (-2, 2, -2, 2),
    "kl_div": (-2, -0.5, 0.2, 0.8),
    "smooth_l1_loss": (-2, 2, -2, 2), "binary_cross_entropy": (0.2, 0.8, 0.2, 0.8), "hinge_loss": (-2, 2, -1, 1),
    "binary_cross_entropy_with_logits": (-2, 2, 0.2, 0.8),
}  # fmt: skip
_NUMBERS = np.array([2, 0])

CALLS: list[Call] = [
    *((name, (draw("a", low, high, *a), draw("b", least, most, *b)), {"reduction": reduction})
      for name, (low, high, least, most) in _RANGES.items()
      for a, b in _PAIRS for reduction in ("mean", "sum", "none")),
    *((name, (draw("a", -2, 2, 3), draw("b", -2, 2, 3)), {key: 0.5})
      for name, key in (("huber_loss", "delta"), ("smooth_l1_loss", "beta"))),
    ("smooth_l1_loss", (draw("a", -2, 2, 3), draw("b", -2, 2, 3)), {"beta": 0.0}),
    *((name, (draw("a", -2, 2, 2, 3), draw("b", -2, 2, 3), np.array(0.7)), {})
      for name in ("huber_loss", "smooth_l1_loss")),
    ("kl_div", (draw("a", -2, 2, 2, 3), draw("b", -2, 2, 2, 3)), {"reduction": "batchmean", "log_target": True}),
    *(("glu", (draw("a", -2, 2, *shape),), {"axis": axis})
      for shape, axis in (((4,), -1), ((2, 3), 0), ((2, 4, 3), 1))),
    *(("cosine_similarity", (draw("a", 0.5, 2, *a), draw("b", -2, 2, *b)), {"axis": axis})
      for a, b, axis in (((3,), (3,), -1), ((2, 3), (3,), 1), ((2, 3), (2, 1), 0))),
    *((name, (draw("a", -2, 2, *shape), target), {"reduction": reduction})
      for name in ("cross_entropy", "nll_loss") for reduction in ("mean", "sum", "none")
      for shape, target in (((2, 3), _NUMBERS), ((3,), np.array(1)), ((2, 3, 2), np.array([[0, 1], [2, 0]])))),
    *(("cross_entropy", (draw("a", -2, 2, *shape), draw("b", 0.2, 0.8, *shape)), {"reduction": reduction})
      for reduction in ("mean", "sum", "none") for shape in ((2, 3), (3,), (2, 3, 2))),
]  # fmt: skip

Reference = Callable[..., Any]


def exact(f: Callable[..., Any]) -> Reference:
    """A function of mpmath numbers, element by element."""
    return lambda *xs, **params: np.vectorize(lambda *vs: float(f(*map(mp.mpf, vs), **params)), otypes=[float])(*xs)


def reduced(term: Reference) -> Reference:
    def loss(*operands: Any, reduction: str = "mean", **params: Any) -> Any:
        terms = term(*operands, **params)
        if reduction == "batchmean":
            return np.sum(terms) / len(terms)
        return terms if reduction == "none" else np.mean(terms) if reduction == "mean" else np.sum(terms)

    return loss


def huber(a: Any, b: Any, delta: float = 1.0) -> Any:
    gap = np.abs(a - b)
    return np.minimum(gap, delta) * (gap - np.minimum(gap, delta) / 2)


def chosen(scores: Any, target: Any, reduction: str) -> Any:
    axis = min(1, scores.ndim - 1)
    if target.shape != scores.shape:
        target = np.moveaxis(np.eye(scores.shape[axis])[target.astype(int)], -1, axis)
    terms = -np.sum(target * scores, axis=axis)
    return terms if reduction == "none" else np.mean(terms) if reduction == "mean" else np.sum(terms)


def entropy(scores: Any, target: Any, reduction: str) -> Any:
    axis = min(1, scores.ndim - 1)
    return chosen(scores - np.log(np.sum(np.exp(scores), axis=axis, keepdims=True)), target, reduction)


def i_scaled(m: int) -> Reference:
    return exact(lambda x, m=m: mp.diff(lambda t: mp.exp(-t) * mp.besseli(0, t), x, m))


def repeated(n: int, x: Any) -> Any:
    return mp.exp(x * x) * 2 / mp.sqrt(mp.pi) * mp.quad(
        lambda t: (t - x) ** n / mp.factorial(n) * mp.exp(-t * t), [x, x + 2, x + 8]
    )  # fmt: skip


phi = exact(mp.npdf)

REFERENCES: dict[str, Reference] = {
    "erf": exact(mp.erf), "erfc": exact(mp.erfc), "erfcx": lambda x: np.exp(x * x) * exact(mp.erfc)(x),
    "erfinv": exact(mp.erfinv), "erfinv_slope": exact(lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(mp.erfinv(x) ** 2)),
    "gaussian": lambda x, scale, n: (-2 * scale * x) ** n * np.exp(-scale * x * x), "ndtr": exact(mp.ncdf),
    "hazard": lambda x: phi(x) / exact(mp.ncdf)(x),
    "log_ndtr": lambda x: np.log(exact(mp.ncdf)(x)), "erfc_integral": exact(lambda x, n: repeated(n, x)),
    "erfc_ratio": exact(lambda x, n: repeated(n, x) / repeated(n - 1, x)), "gamma": exact(mp.gamma),
    "lgamma": exact(mp.loggamma), "digamma": exact(mp.digamma), "polygamma": exact(lambda x, n: mp.psi(n, x)),
    "polygamma_gap": exact(lambda a, b, n: mp.psi(n, a + b) - mp.psi(n, a)), "beta": exact(mp.beta),
    "betaln": lambda a, b: np.log(exact(mp.beta)(a, b)),
    "gammainc": exact(lambda a, x: mp.gammainc(a, 0, x, regularized=True)),
    "gammaincc": exact(lambda a, x: mp.gammainc(a, x, regularized=True)),
    "gammainc_order": exact(lambda a, x: mp.diff(lambda t: mp.gammainc(t, 0, x, regularized=True), a)),
    "gamma_density": exact(lambda a, x: x ** (a - 1) * mp.exp(-x) / mp.gamma(a)),
    "i0": exact(lambda x: mp.besseli(0, x)), "i1": exact(lambda x: mp.besseli(1, x)),
    "j0": exact(mp.j0), "j1": exact(mp.j1), "bessel_i": exact(lambda x, n: mp.besseli(n, x)),
    "bessel_j": exact(lambda x, n: mp.besselj(n, x)), "i0e": i_scaled(0), "i0e_slope": lambda x, m: i_scaled(m)(x),
    "i1e": lambda x: i_scaled(0)(x) + i_scaled(1)(x), "xlogy": lambda x, y: x * np.log(y),
    "xlog1py": lambda x, y: x * np.log(1 + y), "entr": lambda x: -x * np.log(x),
    "rel_entr": lambda x, y: x * np.log(x / y),
    "log_quotient": lambda x, y: np.log(x) - np.log(y), "logit": lambda x: np.log(x / (1 - x)), "sinc": np.sinc,
    "sinc_slope": exact(lambda x, n: mp.diff(mp.sinc, mp.pi * x, n)),
    "exprel": lambda x: np.expm1(x) / x, "exprel_slope": exact(lambda x, n: mp.diff(lambda t: mp.expm1(t) / t, x, n)),
    "log1mexp": lambda x: np.log(1 - np.exp(-x)), "logcosh": lambda x: np.log(np.cosh(x)),
    "logaddexp": lambda a, b: np.log(np.exp(a) + np.exp(b)), "logaddexp2": lambda a, b: np.log2(2**a + 2**b),
    "preference": lambda a, b, base: base**a / (base**a + base**b),
    "rsqrt": lambda x: x**-0.5, "cube": lambda x: x**3, "exp10": lambda x: 10.0**x, "sec": exact(mp.sec),
    "csc": exact(mp.csc), "cot": exact(mp.cot), "asec": exact(mp.asec), "acsc": exact(mp.acsc), "acot": exact(mp.acot),
    "haversine": lambda x: (1 - np.cos(x)) / 2, "deg2rad": lambda x: x * np.pi / 180,
    "rad2deg": lambda x: x * 180 / np.pi,
    "frac": lambda x: np.modf(x)[0], "fmod": np.vectorize(math.fmod, otypes=[float]),
    "lerp": lambda a, b, w: (1 - w) * a + w * b, "ldexp": lambda x, e: x * 2**e, "nextafter": lambda x, y: x + 0 * y,
    "fmax": np.maximum, "fmin": np.minimum, "heaviside": lambda x, m: (x > 0) + 0.0 * m,
    "copysign": lambda x, s: abs(x) * np.sign(s), "nan_to_num": lambda x: x,
    "smoothstep": lambda x: x * x * (3 - 2 * x),
    "leaky_relu": lambda x, a: np.maximum(x, 0) + a * np.minimum(x, 0),
    "prelu": lambda x, a: np.maximum(x, 0) + a * np.minimum(x, 0),
    "elu": lambda x, a: np.maximum(x, 0) + a * (np.exp(np.minimum(x, 0)) - 1),
    "celu": lambda x, a: np.maximum(x, 0) + a * (np.exp(np.minimum(x / a, 0)) - 1),
    "celu_slope": lambda x: np.exp(x) - 1 - x * np.exp(x),
    "selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * (np.exp(x) - 1)),
    "gelu": lambda x: x * exact(mp.ncdf)(x), "silu": lambda x: x / (1 + np.exp(-x)),
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "mish": lambda x: x * np.tanh(np.log(1 + np.exp(x))), "softsign": lambda x: x / (1 + abs(x)),
    "logsigmoid": lambda x: -np.log(1 + np.exp(-x)), "tanhshrink": lambda x: x - np.tanh(x),
    "relu6": lambda x: np.clip(x, 0, 6), "hardtanh": lambda x, lo, hi: np.clip(x, lo, hi),
    "hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1), "hardswish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "softshrink": lambda x, k: np.sign(x) * np.maximum(abs(x) - k, 0), "hardshrink": lambda x, k: x * (abs(x) > k),
    "threshold": lambda x, t, v: np.where(x > t, x, v),
    "mse_loss": reduced(lambda a, b: (a - b) ** 2), "l1_loss": reduced(lambda a, b: abs(a - b)),
    "huber_loss": reduced(huber), "smooth_l1_loss": reduced(
        lambda a, b, beta=1.0: huber(a, b, beta) / beta if beta else np.abs(a - b)),
    "binary_cross_entropy": reduced(lambda p, y: -y * np.log(p) - (1 - y) * np.log(1 - p)),
    "binary_cross_entropy_with_logits": reduced(lambda x, y: np.log(1 + np.exp(x)) - y * x),
    "kl_div": reduced(lambda x, y, log_target=False: np.exp(y) * (y - x) if log_target else y * (np.log(y) - x)),
    "hinge_loss": reduced(lambda x, y: np.maximum(1 - x * y, 0)), "cross_entropy": entropy, "nll_loss": chosen,
    "glu": lambda x, axis: np.split(x, 2, axis)[0] / (1 + np.exp(-np.split(x, 2, axis)[1])),
    "csch": exact(mp.csch), "coth": exact(mp.coth),
    "cosine_similarity": lambda a, b, axis: np.sum(a * b, axis) / np.sqrt(
        np.sum(a * a + 0 * b, axis) * np.sum(b * b + 0 * a, axis)),
}  # fmt: skip
