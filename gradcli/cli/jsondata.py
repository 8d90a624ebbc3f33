"""Numbers from JSON: strict about shapes, types and duplicate keys; never repeats what it read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.cli.files import listed
from gradcli.errors import BadInput
from gradcli.lowering.rounded import EXACT
from gradcli.span import Span

if TYPE_CHECKING:
    from gradcli.results import Array
    from gradcli.span import Source

BEYOND = "an integer beyond 2**53, which float64 would round"
OVERFLOW = "too large for float64"
MAX_DEPTH = 64
_SPELLINGS = {
    sign + word: value if sign != "-" else -value
    for sign in ("", "+", "-")
    for word, value in (("nan", math.nan), ("inf", math.inf), ("infinity", math.inf))
}
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:"\s]+')

Path = tuple[str | int, ...]


def spelled(text: str) -> float | None:
    """The number that `NaN`, `Infinity`, `-inf` and the like spell, in any case."""
    return _SPELLINGS.get(text.strip().lower())


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a JSON text: its data, the keys that lead to it, and what errors call it."""

    source: Source
    data: Any
    path: Path
    name: str

    def member(self, key: str) -> Part:
        """A member of an object, by its key."""
        return Part(self.source, self.data[key], (*self.path, key), f"{self.source.name}:{key}")

    def error(self, message: str, *within: str | int, help: str = "") -> BadInput:
        """An error at this part, or at what lies `within`."""
        return BadInput(message, source=self.source, span=_span(self.source.text, (*self.path, *within)), help=help)


def _whole(text: str) -> int | float:
    return -0.0 if text == "-0" else int(text)


def load(source: Source) -> Part:
    """The JSON document. Raises BadInput that names the source, the line and the column."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            span, key = _repeated(source.text)
            raise BadInput(f"{source.name}: the key {key!r} occurs twice", source=source, span=span)
        return found

    start = Span(0, 0)
    try:
        document = json.loads(source.text, object_pairs_hook=unique, parse_constant=str, parse_int=_whole)
    except json.JSONDecodeError as error:
        what = f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise BadInput(
            f"{source.name}, line {error.lineno}, column {error.colno}: {what}",
            source=source,
            span=Span(error.pos, min(error.pos + 1, len(source.text))),
        ) from None
    except RecursionError:
        raise BadInput(f"{source.name}: nested too deeply", source=source, span=start) from None
    except BadInput:
        raise
    except ValueError:  # Python bounds the digits of an integer
        raise BadInput(f"{source.name}: an integer has too many digits", source=source, span=start) from None
    return Part(source, document, (), source.name)


def descend(part: Part, path: str) -> Part:
    """What stands at `path.to.key`; a number picks from a list."""
    data = part.data
    passed: list[str | int] = []
    for key in path.split("."):
        if isinstance(data, dict) and key in data:
            passed.append(key)
        elif isinstance(data, list) and key.isascii() and key.isdigit() and int(key) < len(data):
            passed.append(int(key))
        else:
            help = "the path is written FILE.json:path.to.key"
            if isinstance(data, dict):
                help = f"{'.'.join(map(str, passed)) or 'it'} holds {listed(data)}"
            raise part.error(f"{part.name}: there is nothing at {path!r}", *passed, help=help)
        data = data[passed[-1]]
    return Part(part.source, data, (*part.path, *passed), part.name)


def array(part: Part) -> Array:
    """Numbers, truth values or nested lists of them as float64 or bool; a result of gradcli gives its value."""
    data = part.data
    if isinstance(data, dict):
        if str(data.get("schema")).startswith("gradcli.") and "value" in data:
            return array(part.member("value"))
        help = f"pick from it, as FILE.json:path.to.key: it holds {listed(data)}"
        raise part.error(f"{part.name}: an object, not an array", help=help)
    shape: list[int] = []
    flat = [data]
    while flat and isinstance(flat[0], list):
        if len(shape) == MAX_DEPTH:
            raise part.error(f"{part.name}: lists nested deeper than {MAX_DEPTH} levels")
        for position, item in enumerate(flat):
            if not isinstance(item, list) or len(item) != len(flat[0]):
                index = _index(position, shape)
                where = str(index) if shape else "an entry"
                raise part.error(f"{part.name}: ragged lists, {where} differs in length from the first", *index)
        shape.append(len(flat[0]))
        flat = list(chain.from_iterable(flat))
    return _typed(part, flat, shape).reshape(shape)


def _typed(part: Part, flat: list[Any], shape: list[int]) -> Array:
    kinds = set(map(type, flat))
    if kinds == {bool}:
        return np.array(flat, dtype=np.bool_)
    if kinds <= {float, int} and not _doubtful(flat, kinds):
        return np.array(flat, dtype=np.float64)
    numbers = np.empty(len(flat))
    beside = bool(kinds & {float, int, str})
    for position, item in enumerate(flat):
        value = _number(item, beside)
        if isinstance(value, str):
            index = _index(position, shape)
            place = f" at {index}" if shape else ""
            help = "null is a missing number, where numbers stand beside it" if item is None else ""
            raise part.error(f"{part.name}: the entry{place} is {value}", *index, help=help)
        numbers[position] = value
    return numbers


def _doubtful(flat: list[Any], kinds: set[type]) -> bool:
    """Whether an integer is too large, or a number so large that it has become infinite."""
    largest, smallest = max(flat, default=0), min(flat, default=0)
    bound = EXACT if int in kinds else math.inf
    return bool(largest > bound or smallest < -bound or math.inf in (largest, -smallest))


def _number(item: Any, beside: bool) -> float | str:
    """The number, or what it is instead; null is nan `beside` numbers."""
    if isinstance(item, str):
        value = spelled(item)
        return "not a number" if value is None else value
    if item is None and beside:
        return math.nan
    if isinstance(item, int) and not isinstance(item, bool):
        return float(item) if abs(item) <= EXACT else BEYOND
    if isinstance(item, float):
        return item if math.isfinite(item) else OVERFLOW
    return "a list where its neighbours are numbers" if isinstance(item, list) else "not a number"


def _index(position: int, shape: list[int]) -> list[int]:
    return [int(i) for i in np.unravel_index(position, shape)] if shape else []


def _walk(text: str) -> Iterator[tuple[Path, bool, Span]]:
    """Every key, and every value by its first token, of a valid JSON text, with the path that leads to it."""
    path: list[str | int] = []
    opened: list[str] = []
    key = False
    for token in _TOKEN.finditer(text):
        sign, span = token[0], Span(*token.span())
        if sign in ("]", "}"):
            opened.pop()
            path.pop()
        elif sign == ",":
            key = opened[-1] == "{"
            path[-1] = path[-1] + 1 if isinstance(path[-1], int) else ""
        elif sign == ":":
            key = False
        elif key and opened[-1] == "{":
            path[-1] = str(json.loads(sign))
            yield tuple(path), True, span
        else:
            yield tuple(path), False, span
            if sign in ("[", "{"):
                opened.append(sign)
                path.append(0 if sign == "[" else "")
                key = sign == "{"


def _span(text: str, path: Path) -> Span:
    """Where the value at `path` begins: looked for only when something is wrong with it."""
    return next((span for at, key, span in _walk(text) if at == path and not key), Span(0, 0))


def _repeated(text: str) -> tuple[Span, str]:
    """The first key that an object holds a second time."""
    seen: set[tuple[Path, int]] = set()
    objects: dict[Path, int] = {}
    for at, key, span in _walk(text):
        if not key:
            objects[at] = span.start
        elif (at, objects[at[:-1]]) in seen:
            return span, str(at[-1])
        else:
            seen.add((at, objects[at[:-1]]))
    raise AssertionError(text)
