"""Every entry of the table: derivatives against central differences, forward against reverse, stacks against rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine import Tensor, grad
from gradcli.primitives.table import Primitive
from tests.primitives.samples import DIFFERENTIABLE, SAMPLES, Sample, each, pull, push, samples, tangents_of

each_sample = each(SAMPLES)
each_entry = pytest.mark.parametrize("entry", DIFFERENTIABLE, ids=lambda entry: entry.name)


@each_entry
def test_every_entry_has_samples(entry: Primitive) -> None:
    assert list(samples(entry))


def difference(f: Any, operands: tuple[Any, ...], i: int, t: Any, h: float) -> Any:
    """The directional derivative along `t` in operand i, by central differences."""
    ahead, behind = ([x + s * h * t if j == i else x for j, x in enumerate(operands)] for s in (1, -1))
    return (f(*ahead) - f(*behind)) / (2 * h)


@each_sample
def test_derivative_is_the_limit_of_differences(sample: Sample) -> None:
    leaves = sample.leaves()
    y = sample(*leaves)
    for i, x in enumerate(leaves):
        if not x.requires_grad or np.isnan(x.array).any():
            continue
        t = tangents_of([x], 1)[0]
        numeric = difference(lambda *xs: 1.0 * sample(*xs).array, sample.operands, i, t, 1e-6)
        alone = [x if j == i else Tensor(z.array) for j, z in enumerate(leaves)]
        np.testing.assert_allclose(push(sample(*alone), [x], [t]), numeric, rtol=1e-6, atol=1e-8)
    assert y.requires_grad


@each_sample
def test_forward_and_reverse_are_transposes(sample: Sample) -> None:
    """And results are no views of operands; a gradient has the shape of its operand, whatever was broadcast."""
    leaves = sample.leaves()
    y = sample(*leaves)
    assert y.array.flags.writeable
    assert not any(np.shares_memory(y.array, x.array) for x in leaves)
    tangents, v = tangents_of(leaves, 2), np.random.default_rng(3).normal(size=y.shape)
    flows = pull(y, leaves, v)
    assert all(g is None or g.shape == x.shape for g, x in zip(flows, leaves, strict=True))
    forward = np.sum(v * push(y, leaves, tangents))
    reverse = sum(np.sum(g * t) for g, t in zip(flows, tangents, strict=True) if g is not None)
    np.testing.assert_allclose(reverse, forward, rtol=1e-11, atol=1e-12)


@each_sample
def test_a_stack_of_cotangents_is_its_rows(sample: Sample) -> None:
    leaves = sample.leaves()
    y = sample(*leaves)
    stack = np.random.default_rng(4).normal(size=(3, *y.shape))
    together = pull(y, leaves, stack, lead=1)
    for i, v in enumerate(stack):
        for whole, row in zip(together, pull(y, leaves, v), strict=True):
            if row is not None:
                np.testing.assert_allclose(whole[i], row, rtol=1e-13, atol=1e-14)


@each_sample
def test_a_stack_of_tangents_is_its_rows(sample: Sample) -> None:
    leaves = sample.leaves()
    y = sample(*leaves)
    stacks = tangents_of(leaves, 5, (3,))
    together = push(y, leaves, stacks, lead=1)
    assert together.shape == (3, *y.shape)
    for i in range(3):
        row = push(y, leaves, [t[i] for t in stacks])
        np.testing.assert_allclose(together[i], row, rtol=1e-13, atol=1e-14)


def weighted_gradient(sample: Sample, leaves: list[Tensor], weights: Any) -> list[Tensor]:
    wanted = [x for x in leaves if x.requires_grad]
    total = (sample(*leaves) * weights * sample(*leaves)).sum()
    return list(grad(total, wanted, create_graph=True, materialize_grads=True, allow_unused=True))


@each_sample
def test_second_derivative_is_symmetric_and_the_limit_of_differences(sample: Sample) -> None:
    """Of a weighted sum of squares, so that linear entries have one as well."""
    leaves = sample.leaves()
    weights = np.random.default_rng(6).normal(size=sample(*leaves).shape)
    t, s = ([d for d, x in zip(tangents_of(leaves, k), leaves, strict=True) if x.requires_grad] for k in (7, 8))
    slopes = weighted_gradient(sample, leaves, weights)
    inputs = [x for x in leaves if x.requires_grad]

    def curvature(along: list[Any]) -> list[Any]:
        inner = sum(((g * a).sum() for g, a in zip(slopes, along, strict=True)), Tensor(0.0))
        if not inner.requires_grad:
            return [np.zeros(x.shape) for x in inputs]
        return [g.array for g in grad(inner, inputs, retain_graph=True, materialize_grads=True, allow_unused=True)]

    along_t, along_s = curvature(t), curvature(s)
    one = sum(np.sum(a * b) for a, b in zip(along_t, s, strict=True))
    other = sum(np.sum(a * b) for a, b in zip(along_s, t, strict=True))
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-10)

    h = 1e-6
    directions = iter(t)
    steps = [next(directions) if x.requires_grad else None for x in leaves]

    def moved(sign: float) -> list[Any]:
        pairs = zip(leaves, steps, strict=True)
        xs = [x if d is None else Tensor(x.array + sign * h * d, requires_grad=True) for x, d in pairs]
        return [g.array for g in weighted_gradient(sample, xs, weights)]

    for exact, ahead, behind in zip(along_t, moved(1), moved(-1), strict=True):
        np.testing.assert_allclose(exact, (ahead - behind) / (2 * h), rtol=1e-5, atol=1e-6)
