"""Which calls are laid out by shapes alone, so that a layout made once can serve for all values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.errors import GradcliError
from gradcli.primitives.layouts import broadcasting
from gradcli.primitives.table import Layout, Primitive
from gradcli.results import Array


class Unsteady(Exception):
    """The plan has a step whose layout can change between runs of the same shapes."""


def steady_layout(primitive: Primitive, given: Sequence[Array], params: Mapping[str, Any]) -> Layout:
    """The layout of a call, if it is the same for other values in arrays of the same shapes. Raises Unsteady."""
    prepare = primitive.prepare
    if prepare is None:
        return broadcasting(primitive.name, given, **params)
    found = prepare(primitive.name, given, **params)
    for others in ([_blank(x) for x in given], [_falling(x) for x in given]):
        try:
            same = _same(tuple(prepare(primitive.name, others, **params)), tuple(found))
        except GradcliError:
            same = False
        if not same:
            raise Unsteady
    return found


def _blank(x: Array) -> Array:
    return np.broadcast_to(np.array(False if x.dtype == bool else np.nan), x.shape)


def _falling(x: Array) -> Array:
    return np.arange(x.size, 0, -1).reshape(x.shape).astype(x.dtype)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return type(a) is type(b) and np.array_equal(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    return bool(a == b)
