"""What callers give as data, read by NumPy: numbers, nested lists, arrays of any library."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.errors import BadInput
from gradcli.results import Array

# What NumPy raises, and what other libraries do when asked for an array: one on a device, one that requires grad.
_REFUSALS = (AttributeError, BufferError, NotImplementedError, RuntimeError, TypeError, ValueError)


def read(data: Any) -> Array:
    """The array that NumPy makes of `data`, of any dtype. Raises BadInput where it refuses, or the object itself does,
    and for masked elements, which have no value."""
    try:
        array = np.asarray(data)
    except _REFUSALS as error:
        if isinstance(data, list | tuple) and isinstance(error, ValueError):
            raise BadInput("the rows of an array must have equal lengths") from None
        raise BadInput(f"{type(data).__name__} cannot be read as an array: {error}") from None
    if isinstance(data, np.ndarray) and np.any(getattr(data, "mask", False)):
        raise BadInput("masked elements have no value", help="filled(nan) puts nan in their place")
    return array


def is_read(data: Any, kinds: str, ndim: int = 0) -> bool:
    """Whether `data` is no list, and an array of `ndim` axes whose dtype is of one of these kinds."""
    if isinstance(data, tuple | list):
        return False
    try:
        array = read(data)
    except BadInput:
        return False
    return array.ndim == ndim and array.dtype.kind in kinds
