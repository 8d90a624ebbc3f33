"""Structural zeros over the table: what cannot change an output contributes nothing to its derivative, whatever it is.

For every entry and every element of its operands: nan, both infinities and 1e300 are put there. An output whose value
an element cannot reach must have the same row of the Jacobian as with any other number in that place, bit for bit or
nearly so, backward and forward, alone and in a stack. And no live lane leads there, so that what stands behind the
element cannot spoil the row either.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from gradcli import sqrt
from gradcli.engine import Tensor
from gradcli.errors import GradcliError
from gradcli.primitives import TABLE
from gradcli.primitives.table import Primitive
from tests.primitives.samples import DIFFERENTIABLE, SAMPLES, Sample, each, pull, push, tangents_of
from tests.primitives.samples import samples as samples_of

BAD = (np.nan, np.inf, -np.inf, 1e300)
PROBES = (-3.3, 0.2, 7.7, 55.0)
MOST = 18
"""Elements of a result, and of an operand, up to which a sample is tried: each pair of them is a case."""


def at(sample: Sample, operand: int, element: int, number: float) -> tuple[Tensor, list[Tensor]] | None:
    """The call with one element replaced; None where it is refused."""
    operands = [np.array(x) for x in sample.operands]
    operands[operand].flat[element] = number
    leaves = Sample(sample.name, tuple(operands), sample.params).leaves()
    try:
        return sample(*leaves), leaves
    except GradcliError:
        return None


def alike(a: Any, b: Any) -> Any:
    return (a == b) | (np.isnan(a) & np.isnan(b))


def untouched(sample: Sample, operand: int, element: int, value: Any) -> Any:
    """Which results keep their value whatever number stands in the element."""
    same = np.ones(value.shape, dtype=bool)
    for number in PROBES:
        found = at(sample, operand, element, number)
        if found is None or found[0].shape != value.shape:
            return np.zeros(value.shape, dtype=bool)
        same &= alike(found[0].array, value)
    return same


WHOLE = {"qr", "slogdet"}
"""Functions of a whole matrix some of whose results happen to be the same for all: each element counts for each."""


def places(sample: Sample) -> Iterator[tuple[int, int]]:
    for i, x in enumerate(map(np.asarray, sample.operands)):
        whole = sample.name in WHOLE and x.ndim == 2
        if x.dtype.kind == "f" and 0 < x.size <= MOST and not whole:
            alike = TABLE[sample.name].kind == "elementwise"
            yield from ((i, k) for k in (sorted({0, x.size - 1}) if alike else range(x.size)))


class Derivatives:
    """Those rows of the Jacobian, and what one tangent of ones gives them, in all the ways there are."""

    def __init__(self, y: Tensor, leaves: list[Tensor], rows: Any) -> None:
        seeds = np.eye(y.array.size)[rows].reshape(len(rows), *y.shape)
        self.stacked = [g.reshape(len(rows), -1) for g in pull(y, leaves, seeds, lead=1) if g is not None]
        self.alone = [np.ravel(g) for g in pull(y, leaves, seeds[0]) if g is not None]
        sizes = [x.array.size for x in leaves]
        basis = np.split(np.eye(sum(sizes)), np.cumsum(sizes)[:-1], axis=1)
        tangents = [t.reshape(len(t), *x.shape) for t, x in zip(basis, leaves, strict=True)]
        self.columns = push(y, leaves, tangents, lead=1).reshape(sum(sizes), -1)[:, rows]
        self.direction = np.ravel(push(y, leaves, [np.ones(x.shape) for x in leaves]))[rows]


def compare(found: Derivatives, expected: Derivatives, rows: Any, told: str) -> None:
    close = partial(np.testing.assert_allclose, rtol=1e-9, atol=1e-12)
    for a, b in zip(found.stacked, expected.stacked, strict=True):
        close(a, b[rows], err_msg=f"{told}, backward")
    for a, b in zip(found.alone, expected.stacked, strict=True):
        close(a, b[rows[0]], err_msg=f"{told}, one row")
    close(found.columns, expected.columns[:, rows], err_msg=f"{told}, columns")
    close(found.direction, expected.direction[rows], err_msg=f"{told}, forward")


def check(sample: Sample, operand: int, element: int) -> None:
    y = sample(*sample.leaves())
    free = untouched(sample, operand, element, y.array)
    good = at(sample, operand, element, PROBES[1])
    if good is None or not free.any():
        return
    expected = Derivatives(*good, np.arange(y.array.size))
    for number in BAD:
        bad = at(sample, operand, element, number)
        if bad is not None and bad[0].requires_grad:
            rows = np.flatnonzero(free.ravel() & alike(bad[0].array, good[0].array).ravel())
            if rows.size:
                told = f"{sample}: {number} in element {element} of operand {operand}"
                compare(Derivatives(*bad, rows), expected, rows, told)


CANCELLING = {"corrcoef", "det", "eigh", "log_softmax", "qr", "softmax", "std", "svd", "var"}
"""Whose results may stay the same because their terms cancel, or a cofactor is 0, not because nothing was selected."""


def behind(sample: Sample) -> tuple[list[Any], list[Any]]:
    """The Jacobian by what stands behind each operand at an infinite slope, backward and forward: nan or an infinity
    wherever a live lane leads."""
    zeros = [Tensor(np.zeros(x.shape), requires_grad=x.requires_grad) for x in sample.leaves()]
    y = sample(*(x.detach() + sqrt(z) if z.requires_grad else x for x, z in zip(sample.leaves(), zeros, strict=True)))
    size, sizes = y.array.size, [z.array.size for z in zeros]
    pulled = pull(y, zeros, np.eye(size).reshape(size, *y.shape), lead=1)
    basis = np.split(np.eye(sum(sizes)), np.cumsum(sizes)[:-1], axis=1)
    pushed = push(y, zeros, [t.reshape(len(t), *z.shape) for t, z in zip(basis, zeros, strict=True)], lead=1)
    backward = [np.zeros((size, n)) if g is None else g.reshape(size, n) for g, n in zip(pulled, sizes, strict=True)]
    return backward, np.split(pushed.reshape(-1, size).T, np.cumsum(sizes)[:-1], axis=1)


def samples() -> list[Sample]:
    found = []
    for sample in SAMPLES:
        y = sample(*sample.leaves())
        if y.requires_grad and 1 < y.array.size <= MOST:
            found.append(sample)
    return found


@each(samples())
def test_what_cannot_reach_an_output_leaves_its_derivative_alone(sample: Sample) -> None:
    for operand, element in places(sample):
        check(sample, operand, element)


@each(x for x in samples() if x.name not in CANCELLING)
def test_no_live_lane_leads_to_what_cannot_reach_an_output(sample: Sample) -> None:
    backward, forward = behind(sample)
    value = sample(*sample.leaves()).array
    for operand, element in places(sample):
        rows = np.flatnonzero(untouched(sample, operand, element, value))
        told = f"element {element} of operand {operand}"
        np.testing.assert_array_equal(backward[operand][rows, element], 0.0, f"{told}, backward")
        np.testing.assert_array_equal(forward[operand][rows, element], 0.0, f"{told}, forward")


@each(SAMPLES)
def test_rules_are_linear_in_their_flow(sample: Sample) -> None:
    """What lanes rest on: whatever entry a flow goes through, it goes through linearly."""
    leaves = sample.leaves()
    y = sample(*leaves)
    if not y.requires_grad:
        return
    first, second = np.random.default_rng(5).normal(size=(2, *y.shape))
    pulled = [pull(y, leaves, v) for v in (first, second, 2.0 * first + second)]
    for a, b, both in zip(*pulled, strict=True):
        if both is not None:
            scale = 1e-12 * np.max(np.abs(a) + np.abs(b), initial=1.0)
            np.testing.assert_allclose(both, 2.0 * a + b, rtol=1e-10, atol=scale)
    t, s = tangents_of(leaves, 6), tangents_of(leaves, 7)
    a, b, both = (push(y, leaves, v) for v in (t, s, [2.0 * x + z for x, z in zip(t, s, strict=True)]))
    np.testing.assert_allclose(both, 2.0 * a + b, rtol=1e-10, atol=1e-12 * np.max(np.abs(a) + np.abs(b), initial=1.0))


GRID = [-np.inf, -800.0, -3.0, -1.0, -0.2, 0.0, 0.2, 1.0, 3.0, 800.0, np.inf]
CHOOSING = {"relu", "maximum", "minimum", "clip", "fmax", "fmin", "nan_to_num", "smoothstep", "relu6", "hardtanh",
            "hardsigmoid", "softshrink", "hardshrink", "threshold"}  # fmt: skip
BETWEEN = {"leaky_relu", "prelu", "elu", "celu", "hardswish"}
"""Which choose in places, or another operand: `test_no_live_lane_leads` has them."""
SLOPED = [
    entry for entry in DIFFERENTIABLE if entry.kind == "elementwise" and not entry.hidden and callable(entry.rules[0])
]


@pytest.mark.parametrize("entry", SLOPED, ids=lambda entry: entry.name)
def test_a_slope_of_0_is_a_choice_only_where_the_entry_selects(entry: Primitive) -> None:
    """`relu` below 0 does not choose its operand; the slope of `sigmoid` at -800 is a number too small to hold."""
    others, params = [0.5] * (len(entry.rules) - 1), next(iter(samples_of(entry))).params
    call = Sample(entry.name, (GRID, *others), params)
    x, z = Tensor(GRID, requires_grad=True), Tensor(np.zeros(len(GRID)), requires_grad=True)
    (slope,) = pull(call(x, *map(Tensor, others)), [x], np.ones(len(GRID)))
    (behind,) = pull(call(Tensor(GRID) + sqrt(z), *map(Tensor, others)), [z], np.ones(len(GRID)))
    if entry.name in CHOOSING:
        np.testing.assert_array_equal(behind[slope == 0], 0.0)
    elif entry.name not in BETWEEN:
        assert np.isnan(behind[slope == 0]).all()
