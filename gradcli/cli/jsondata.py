"""Numbers from JSON: strict about shapes, types and duplicate keys; never repeats what it read."""

from __future__ import annotations

import json
import math
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.cli.files import listed
from gradcli.errors import BadInput

if TYPE_CHECKING:
    from gradcli.results import Array

# Integers up to here are float64 numbers without loss.
EXACT = 2**53
MAX_DEPTH = 64
_SPELLINGS = {
    "nan": math.nan,
    "inf": math.inf,
    "infinity": math.inf,
    "+inf": math.inf,
    "+infinity": math.inf,
    "-inf": -math.inf,
    "-infinity": -math.inf,
}


def spelled(text: str) -> float | None:
    """The number that `NaN`, `Infinity`, `-inf` and the like spell, in any case."""
    return _SPELLINGS.get(text.strip().lower())


def load(text: str, where: str) -> Any:
    """The JSON document. Raises BadInput that names `where`, the line and the column."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise BadInput(f"{where}: the key {twice!r} occurs twice")
        return found

    try:
        return json.loads(text, object_pairs_hook=unique, parse_constant=str)
    except json.JSONDecodeError as error:
        what = f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise BadInput(f"{where}, line {error.lineno}, column {error.colno}: {what}") from None
    except RecursionError:
        raise BadInput(f"{where}: nested too deeply") from None
    except BadInput:
        raise
    except ValueError:  # Python bounds the digits of an integer
        raise BadInput(f"{where}: an integer has too many digits") from None


def descend(document: Any, path: str, where: str) -> Any:
    """What stands at `path.to.key`; a number picks from a list."""
    passed: list[str] = []
    for key in path.split("."):
        if isinstance(document, dict) and key in document:
            document = document[key]
        elif isinstance(document, list) and key.isascii() and key.isdigit() and int(key) < len(document):
            document = document[int(key)]
        else:
            help = "the path is written FILE.json:path.to.key"
            if isinstance(document, dict):
                help = f"{'.'.join(passed) or 'it'} holds {listed(document)}"
            raise BadInput(f"{where}: there is nothing at {path!r}", help=help)
        passed.append(key)
    return document


def array(data: Any, where: str) -> Array:
    """Numbers, truth values or nested lists of them as float64 or bool."""
    if isinstance(data, dict):
        raise BadInput(
            f"{where}: an object, not an array", help=f"pick from it, as FILE.json:path.to.key: it holds {listed(data)}"
        )
    shape: list[int] = []
    flat = [data]
    while flat and isinstance(flat[0], list):
        if len(shape) == MAX_DEPTH:
            raise BadInput(f"{where}: lists nested deeper than {MAX_DEPTH} levels")
        if not all(isinstance(item, list) and len(item) == len(flat[0]) for item in flat):
            raise BadInput(f"{where}: ragged lists, {_at(flat, shape)} differs in length from the first")
        shape.append(len(flat[0]))
        flat = list(chain.from_iterable(flat))
    return _typed(flat, shape, where).reshape(shape)


def _typed(flat: list[Any], shape: list[int], where: str) -> Array:
    kinds = set(map(type, flat))
    if kinds == {bool}:
        return np.array(flat, dtype=np.bool_)
    if kinds <= {float, int} and not _doubtful(flat, kinds):
        return np.array(flat, dtype=np.float64)
    return np.array([_number(item, i, shape, where) for i, item in enumerate(flat)], dtype=np.float64)


def _doubtful(flat: list[Any], kinds: set[type]) -> bool:
    """Whether an integer is too large, or a number so large that it has become infinite."""
    largest, smallest = max(flat, default=0), min(flat, default=0)
    bound = EXACT if int in kinds else math.inf
    return bool(largest > bound or smallest < -bound or math.inf in (largest, -smallest))


def _number(item: Any, position: int, shape: list[int], where: str) -> float:
    reason = "not a number"
    if isinstance(item, str):
        value = spelled(item)
        if value is not None:
            return value
    elif isinstance(item, int) and not isinstance(item, bool):
        if abs(item) <= EXACT:
            return float(item)
        reason = "an integer beyond 2**53, which float64 would round"
    elif isinstance(item, float):
        if math.isfinite(item):
            return item
        reason = "too large for float64"
    elif isinstance(item, list):
        reason = "a list where its neighbours are numbers"
    index = np.unravel_index(position, shape) if shape else ()
    place = f" at {[int(i) for i in index]}" if shape else ""
    raise BadInput(f"{where}: the entry{place} is {reason}")


def _at(rows: list[Any], shape: list[int]) -> str:
    position = next(i for i, item in enumerate(rows) if not isinstance(item, list) or len(item) != len(rows[0]))
    return str([int(i) for i in np.unravel_index(position, shape)]) if shape else "an entry"
