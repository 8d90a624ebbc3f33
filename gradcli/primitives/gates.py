"""Smooth activations, and those that are smooth on either side of 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.primitives.numerics import ROOT_2PI, by_regions
from gradcli.primitives.table import Kink, arrays, elementwise

GROUP = "activation"

SELU_SCALE, SELU_ALPHA = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
GELU_SLOPE, GELU_CUBE = 2.0 * np.sqrt(2.0 / np.pi), 0.044715  # D. Hendrycks and K. Gimpel (2016)


def _negative(xp: Any, x: Any) -> Any:
    """x below 0, 0 above: what goes into an exponential that counts below 0 only."""
    return xp.where(x > 0, 0.0, x)


def _at_most_0(xp: Any, x: Any, _slope: Any) -> Any:
    """Where the parameter of the other side counts."""
    return xp.logical_not(x > 0)


_BEND = "the curvature jumps at 0"
_CORNER = Kink(lambda x, *others: x == 0, "a corner: the slope changes at 0")

elementwise(
    "leaky_relu", "x, negative_slope = None or 0.01", lambda x, slope: np.where(x > 0, x, slope * x),
    lambda xp, _out, x, slope: xp.where(x > 0, 1.0, slope),
    lambda xp, _out, x, _slope: _negative(xp, x),
    selects=(False, _at_most_0), group=GROUP, summary="x where it is positive, negative_slope*x elsewhere.",
    example="leaky_relu([1, -2], 0.1)",
    edge="at 0 the gradient is negative_slope", kinks=(_CORNER,),
)  # fmt: skip
elementwise(
    "prelu", "x, weight", lambda x, slope: np.where(x > 0, x, slope * x),
    lambda xp, _out, x, slope: xp.where(x > 0, 1.0, slope),
    lambda xp, _out, x, _slope: _negative(xp, x),
    selects=(False, _at_most_0), group=GROUP, summary="leaky_relu with a slope to be learnt.",
    example="prelu([1, -2], 0.25)",
    edge="at 0 the gradient is the weight", kinks=(_CORNER,),
)  # fmt: skip
elementwise(
    "elu", "x, alpha = None or 1.0", lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0.0))),
    lambda xp, _out, x, alpha: xp.where(x > 0, 1.0, alpha * xp.exp(_negative(xp, x))),
    lambda xp, _out, x, _alpha: xp.expm1(_negative(xp, x)),
    selects=(False, _at_most_0), group=GROUP, summary="x where it is positive, alpha*(exp(x) - 1) elsewhere.",
    example="elu([1, -2])",
    edge="at 0 the gradient is alpha", kinks=(Kink(lambda x, alpha: (x == 0) & (alpha != 1), "a corner at 0"),
           Kink(lambda x, alpha: (x == 0) & (alpha == 1), _BEND, order=2)),
)  # fmt: skip
elementwise(
    "celu", "x, alpha = None or 1.0", lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0.0) / alpha)),
    lambda xp, _out, x, alpha: xp.where(x > 0, 1.0, xp.exp(_negative(xp, x) / alpha)),
    lambda xp, _out, x, alpha: xp.where(x > 0, 0.0, xp.celu_slope(_negative(xp, x) / alpha)),
    derivative="d/dx = where(x > 0, 1, exp(x/alpha)); "
               "d/dalpha = where(x > 0, 0, expm1(x/alpha) - x/alpha*exp(x/alpha))",
    selects=(False, _at_most_0), group=GROUP, summary="x where it is positive, alpha*(exp(x/alpha) - 1) elsewhere.",
    example="celu([1, -2])",
    edge="at 0 the second derivative is that from below",
    domain=((-2.0, 2.0), (0.5, 2.0)), kinks=(Kink(lambda x, alpha: x == 0, _BEND, order=2),),
)  # fmt: skip


def _celu_slope(z: Any) -> Any:
    """expm1(z) - z*exp(z) for z <= 0, near 0 by its series -z^2 (1/2 + z/3 + z^2/8 + ...), terms 1/((k+2) k!)."""
    terms = [1.0 / 2]
    for k in range(1, 18):
        terms.append(terms[-1] * (k + 1) / (k * (k + 2)))
    near = -z * z * np.polynomial.polynomial.polyval(z, terms)
    return np.where(np.abs(z) < 1, near, np.expm1(z) - np.maximum(z, -1000.0) * np.exp(z))


elementwise("celu_slope", "x", _celu_slope, lambda xp, _out, x: -_near(xp, x, 1000.0) * xp.exp(x), hidden=True,
            group=GROUP, summary="expm1(x) - x*exp(x), the derivative of celu in alpha.")  # fmt: skip
elementwise(
    "selu", "x", lambda x: SELU_SCALE * np.where(x > 0, x, SELU_ALPHA * np.expm1(np.minimum(x, 0.0))),
    lambda xp, _out, x: xp.where(x > 0, SELU_SCALE, SELU_SCALE * SELU_ALPHA * xp.exp(_negative(xp, x))),
    group=GROUP, summary="elu, scaled so that layers normalise themselves.", example="selu([1, -2])",
    edge="at 0 the gradient is that of the left side, 1.7581", kinks=(_CORNER,),
)  # fmt: skip

# Further out than some bound each of these is 0 or x to the last digit: there x, which may be infinite, is not
# multiplied by what has become 0.


def _near(xp: Any, x: Any, bound: float) -> Any:
    return xp.clip(x, -bound, bound)


elementwise(
    "gelu", "x", lambda x: np.maximum(x, -50.0) * arrays.ndtr(x),
    lambda xp, _out, x: xp.ndtr(x) + _near(xp, x, 50.0) * xp.gaussian(x, scale=0.5, n=0) / ROOT_2PI,
    derivative="d/dx = ndtr(x) + x*exp(-x**2/2)/sqrt(2*pi)", group=GROUP,
    summary="x*ndtr(x), in its exact form with erf.", example="gelu([0, 1])",
)  # fmt: skip


def _tanh_argument(x: Any) -> Any:
    return GELU_SLOPE * (x + GELU_CUBE * x * x * x)


def _gelu_tanh_slope(xp: Any, x: Any) -> Any:
    x = _near(xp, x, 50.0)
    u = _tanh_argument(x)
    return xp.sigmoid(u) * (1.0 + x * xp.sigmoid(-u) * (GELU_SLOPE * (1.0 + 3.0 * GELU_CUBE * x * x)))


elementwise(
    "gelu_tanh", "x", lambda x: np.maximum(x, -50.0) * arrays.sigmoid(_tanh_argument(x)),
    lambda xp, _out, x: _gelu_tanh_slope(xp, x),
    derivative="d/dx = sigmoid(sqrt(8/pi)*(x + 0.044715*x**3))"
               "*(1 + x*sigmoid(-sqrt(8/pi)*(x + 0.044715*x**3))*sqrt(8/pi)*(1 + 0.134145*x**2))",
    group=GROUP, summary="gelu in its approximate form with tanh.", example="gelu_tanh([0, 1])",
)  # fmt: skip
elementwise(
    "silu", "x", lambda x: np.maximum(x, -1000.0) * arrays.sigmoid(x),
    lambda xp, _out, x: xp.sigmoid(x) * (1.0 + _near(xp, x, 1000.0) * xp.sigmoid(-x)),
    derivative="d/dx = sigmoid(x)*(1 + x*sigmoid(-x))",
    aliases=("swish",), group=GROUP, summary="x*sigmoid(x).", example="silu([0, 1])",
)  # fmt: skip


def _mish_slope(xp: Any, x: Any) -> Any:
    rise = xp.softplus(x)
    return xp.tanh(rise) + _near(xp, x, 1000.0) * xp.square(xp.sech(rise)) * xp.sigmoid(x)


elementwise("mish", "x", lambda x: np.maximum(x, -1000.0) * np.tanh(np.logaddexp(0.0, x)),
            lambda xp, _out, x: _mish_slope(xp, x),
            derivative="d/dx = tanh(softplus(x)) + x*sech(softplus(x))**2*sigmoid(x)", group=GROUP,
            summary="x*tanh(softplus(x)).", example="mish([0, 1])")  # fmt: skip
elementwise("softsign", "x", lambda x: np.where(np.isinf(x), np.sign(x), x / (1.0 + np.abs(x))),
            lambda xp, _out, x: xp.square(1.0 / (1.0 + xp.abs(x))),
            group=GROUP, summary="x/(1 + abs(x)).", example="softsign([0, 1])",
            edge="at 0 the second derivative is 0, the mean of the sides",
            kinks=(Kink(lambda x: x == 0, _BEND, order=2),))  # fmt: skip
elementwise("logsigmoid", "x", lambda x: -np.logaddexp(0.0, -x), lambda xp, _out, x: xp.sigmoid(-x),
            aliases=("log_sigmoid", "log_expit"), group=GROUP, summary="log(sigmoid(x)), without overflow.",
            example="logsigmoid([0, -1000])")  # fmt: skip


def _tanhshrink(x: Any) -> Any:
    """x - tanh(x); near 0, where it cancels, by J. H. Lambert's fraction tanh(x) = x/(1 + x^2/(3 + x^2/(5 + ...)))."""

    def near(x: Any) -> Any:
        square, rest = x * x, np.zeros(x.shape)
        for k in range(23, 1, -2):
            rest = square / (k + rest)
        return x * rest / (1.0 + rest)

    return by_regions((x,), (True, lambda x: x - np.tanh(x)), (np.abs(x) < 2, near))


elementwise("tanhshrink", "x", _tanhshrink, lambda xp, _out, x: xp.square(xp.tanh(x)), group=GROUP,
            by_result=True, summary="x - tanh(x).", example="tanhshrink([0.001, 2])")  # fmt: skip
