"""Data from outside: numbers, nested lists and arrays, tensors among them or not, as arrays of float64 or masks."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.holder import Holder
from gradcli.errors import BadInput, LimitExceeded
from gradcli.primitives import budget
from gradcli.primitives.reading import read
from gradcli.primitives.table import Several
from gradcli.results import Array

_REAL_KINDS = "buif"
MAX_INTEGER = 2**53
_BEYOND = "integers beyond 2**53 cannot be told apart as float64"


def real_array(data: Any, copy: bool = True) -> Array:
    """`data` as float64, or bool if it is that: numbers, nested lists, arrays of any library that NumPy reads.

    Raises BadInput for complex, text, object and ragged data, and for integers that float64 does not hold.
    """
    if isinstance(data, Holder):
        data = data.array
    elif isinstance(data, list | tuple):
        data = plain(data)
        _require_room(data)
    array = read(data)
    if array.dtype.kind not in _REAL_KINDS:
        whole = isinstance(data, int)
        kind = array.dtype if array.dtype != object or array.ndim or whole else type(data).__name__
        raise BadInput(_BEYOND if whole else f"only real numbers can be used, not data of type {kind}")
    if array.dtype == bool:
        return np.array(array) if copy else array
    if array.dtype.kind in "iu" and np.any((array > MAX_INTEGER) | (array < -MAX_INTEGER)):
        raise BadInput(_BEYOND, help="write it as a float if that is fine")
    return np.array(array, dtype=np.float64) if copy else np.asarray(array, dtype=np.float64)


def _require_room(items: Any) -> None:
    """Refuse lists within lists that stand for more numbers than fit: one list may stand at many places."""
    shape = []
    while isinstance(items, list | tuple) and items:
        shape.append(len(items))
        items = items[0]
    budget.require("a list", tuple(shape))


def plain(value: Any) -> Any:
    """Tensors as arrays, within slices and nested lists and tuples too. Raises BadInput for lists that hold themselves,
    LimitExceeded for lists nested deeper than an array can be."""
    return _plain(value, {}, 0)


def _plain(value: Any, known: dict[int, Any], depth: int) -> Any:
    """`known` holds the lists that were met, each is walked once; None for those that are being walked."""
    if isinstance(value, Holder):
        return value.array
    if isinstance(value, slice):
        return slice(*(_plain(part, known, depth) for part in (value.start, value.stop, value.step)))
    if not isinstance(value, list | tuple):
        return value
    if not any(issubclass(kind, list | tuple | slice | Holder) for kind in set(map(type, value))):
        return value
    place = id(value)
    if place not in known:
        if depth > budget.MAX_RANK:
            raise LimitExceeded(f"lists are nested more than {budget.MAX_RANK} deep", help="an array has no more axes")
        known[place] = None
        items = [_plain(item, known, depth + 1) for item in value]
        known[place] = (
            items if isinstance(value, list) else Several(items) if isinstance(value, Several) else tuple(items)
        )
    if known[place] is None:
        raise BadInput("a list that holds itself is no array")
    return known[place]
