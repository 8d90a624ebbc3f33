"""The one generator that all random numbers come from."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from gradcli.primitives import layouts
from gradcli.primitives.table import Shape, constant

GROUP = "random"

if TYPE_CHECKING:
    from numpy.random import Generator

_seed = 0


def manual_seed(seed: int) -> None:
    """Start the random numbers anew; without a call the seed is 0."""
    global _seed
    _seed = seed
    generator.cache_clear()


@cache
def generator() -> Generator:
    """Made when the first number is drawn: numpy.random is a tenth of the start-up time."""
    return np.random.default_rng(_seed)


def _rand(*, shape: Shape) -> object:
    return generator().random(shape)


def _randn(*, shape: Shape) -> object:
    return generator().standard_normal(shape)


constant("rand", "shape: shape = ()", _rand, draws=True, prepare=layouts.with_shape, group=GROUP,
         summary="Random numbers, even between 0 and 1.", example="rand(2, 3)")  # fmt: skip
constant("randn", "shape: shape = ()", _randn, draws=True, prepare=layouts.with_shape, group=GROUP,
         summary="Random numbers, normal with mean 0 and deviation 1.", example="randn(2, 3)")  # fmt: skip
