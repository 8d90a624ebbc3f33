"""The one generator that all random numbers come from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from gradcli.errors import BadArgument
from gradcli.primitives import layouts
from gradcli.primitives.table import Layout, Shape, constant

GROUP = "random"

if TYPE_CHECKING:
    from numpy.random import Generator

_seed = 0


def manual_seed(seed: int) -> None:
    """Start the random numbers anew; without a call the seed is 0. Raises BadArgument unless it is a whole number, at
    least 0."""
    global _seed
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        given = repr(seed) if isinstance(seed, int | float | np.generic) else type(seed).__name__
        raise BadArgument(f"manual_seed: a seed is a whole number from 0 on, not {given}")
    _seed = int(seed)
    generator.cache_clear()


@cache
def generator() -> Generator:
    """Made when the first number is drawn: numpy.random is a tenth of the start-up time."""
    return np.random.default_rng(_seed)


def _rand(*, shape: Shape) -> object:
    return generator().random(shape)


def _randn(*, shape: Shape) -> object:
    return generator().standard_normal(shape)


def _sized(name: str, operands: Sequence[object], *, shape: Shape, **params: float) -> Layout:
    return layouts.with_shape(name, (), shape, **params)


def _whole(name: str, operands: Sequence[object], *, low: int, high: int, shape: Shape) -> Layout:
    if low >= high:
        raise BadArgument(f"{name}: there is no whole number from {low} to below {high}")
    return layouts.with_shape(name, (), shape, low=low, high=high)


def _uniform(*, low: float, high: float, shape: Shape) -> object:
    return low + (high - low) * generator().random(shape)


def _normal(*, mean: float, std: float, shape: Shape) -> object:
    return mean + std * generator().standard_normal(shape)


def _randint(*, low: int, high: int, shape: Shape) -> object:
    return generator().integers(low, high, shape).astype(np.float64)


constant("rand", "shape: shape = ()", _rand, draws=True, prepare=layouts.with_shape, group=GROUP,
         summary="Random numbers, even between 0 and 1.", example="rand(2, 3)")  # fmt: skip
constant("randn", "shape: shape = ()", _randn, draws=True, prepare=layouts.with_shape, group=GROUP,
         summary="Random numbers, normal with mean 0 and deviation 1.", example="randn(2, 3)")  # fmt: skip
constant("uniform", "low: number = 0.0, high: number = 1.0, shape: shape = ()", _uniform, draws=True, prepare=_sized,
         group=GROUP, summary="Random numbers, even between two constants.", example="uniform(-1, 1, 3)",
         edge="no gradient by the ends: low + (high - low)*rand(3) has one")  # fmt: skip
constant("normal", "mean: number = 0.0, std: number = 1.0, shape: shape = ()", _normal, draws=True, prepare=_sized,
         group=GROUP, summary="Random numbers, normal with a constant mean and deviation.", example="normal(10, 2, 3)",
         edge="no gradient by mean and std: mean + std*randn(3) has one")  # fmt: skip
constant("randint", "low: integer, high: integer, shape: shape = ()", _randint, draws=True, prepare=_whole, group=GROUP,
         summary="Random whole numbers, at least low and below high.", example="randint(1, 7, 3)")  # fmt: skip
