"""Strict JSON: shortest round-trip numbers, non-finite ones as strings, big arrays in pieces."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from gradcli.results import Array, Value

# Elements encoded at a time: the text of one piece stays near a megabyte.
BLOCK = 1 << 16

_strict = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode


class Encoder:
    """Writes JSON and remembers in `finite` whether every number so far was finite."""

    def __init__(self) -> None:
        self.finite = True

    def text(self, value: object) -> str:
        """One value as JSON. ASCII only, so that the text is the same in every locale."""
        try:
            return _strict(value)
        except ValueError:  # nan or inf: rare, so numbers are looked at only then
            self.finite = False
            return _strict(_spelled(value))

    def array(self, array: Value) -> Iterator[str]:
        """Nested lists, in pieces."""
        if array.size <= BLOCK:
            yield self.text(array.tolist())
        else:
            yield from self._pieces(cast("Array", array))

    def _pieces(self, array: Array) -> Iterator[str]:
        row_size = array.size // len(array)
        step = max(1, BLOCK // row_size)
        for first in range(0, len(array), step):
            yield "," if first else "["
            if row_size > BLOCK:
                yield from self._pieces(array[first])
            else:
                yield self.text(array[first : first + step].tolist())[1:-1]
        yield "]"


def _spelled(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, list):
        return [_spelled(item) for item in value]
    if isinstance(value, dict):
        return {key: _spelled(item) for key, item in value.items()}
    return value
