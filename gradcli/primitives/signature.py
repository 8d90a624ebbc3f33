"""Signatures: what a function takes, how a call's arguments are matched to it, and what its plain parameters may be.

A signature is written `x, axis: axis = None, keepdims: flag = False`. A bare name is a value: differentiable, an
operand of the rules. A name with a type is a plain parameter: `axis`, `shape`, `integer`, `flag`, `number`, `string`;
`sequence` stands for any number of values in a list, or for bare ones where it comes last; `*operands` are bare ones
only. What follows a bare `*` is given by keyword only. `lo = None or -inf` is a value that may be missing, and the
number that then stands in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.errors import BadArgument
from gradcli.primitives.reading import is_read, read

REQUIRED = object()
"""The default of a parameter that has none."""

OTHER_SPELLINGS = {"dim": "axis", "keepdim": "keepdims", "min": "lo", "max": "hi"}  # PyTorch's words for ours

MAX_INTEGER = 2**31


@dataclass(slots=True, eq=False)
class Parameter:
    name: str
    type: str = "value"
    default: object = REQUIRED
    keyword_only: bool = False
    stand_in: float | None = None
    rest: bool = False


@dataclass(slots=True, eq=False)
class Signature:
    function: str
    parameters: tuple[Parameter, ...]

    def __str__(self) -> str:
        parts: list[str] = []
        for p in self.parameters:
            if p.keyword_only and "*" not in parts:
                parts.append("*")
            name = f"*{p.name}" if p.rest else p.name
            shown = repr(p.default) if p.stand_in is None else f"{p.stand_in:g}"
            parts.append(name if p.default is REQUIRED else f"{name}={shown}")
        return f"{self.function}({', '.join(parts)})"

    def default(self, name: str) -> object:
        return next(p.default for p in self.parameters if p.name == name)

    def bind(self, args: Sequence[Any], keywords: dict[str, Any], misuse: str = "") -> dict[str, Any]:
        """Match arguments of any kind to parameters, in the order of the signature; absent ones get their default.

        A `shape` or `sequence` that comes last takes all the bare arguments that are left. Raises BadArgument.
        """
        bound: dict[str, Any] = {}
        places = [p for p in self.parameters if not p.keyword_only]
        for i, argument in enumerate(args):
            if i >= len(places):
                most = f"at most {len(places)}" if len(self.parameters) > 0 else "no"
                raise BadArgument(
                    f"{self.function} takes {most} argument{'s' * (len(places) != 1)}, {len(args)} given",
                    help=misuse or str(self),
                )
            place = places[i]
            many = place.type in ("shape", "sequence") and place is places[-1] and len(args) > len(places)
            if many or place.rest:
                bound[place.name] = tuple(args[i:])
                break
            bound[place.name] = argument
        for name, argument in keywords.items():
            self._bind_keyword(bound, name, argument, misuse)
        missing = [p.name for p in self.parameters if p.name not in bound and p.default is REQUIRED]
        if missing:
            raise BadArgument(f"{self.function} needs a value for {' and '.join(missing)}", help=misuse or str(self))
        return {p.name: bound.get(p.name, p.default) for p in self.parameters}

    def _bind_keyword(self, bound: dict[str, Any], name: str, argument: Any, misuse: str) -> None:
        names = {p.name for p in self.parameters}
        target = name if name in names else OTHER_SPELLINGS.get(name, name)
        if target not in names:
            raise BadArgument(f"{self.function} has no argument called {name}", help=misuse or str(self))
        if target in bound:
            raise BadArgument(f"{self.function} got {target} twice", help=str(self))
        bound[target] = argument


def parse_signature(function: str, text: str) -> Signature:
    parameters: list[Parameter] = []
    keyword_only = False
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        if part == "*":
            keyword_only = True
            continue
        if part.startswith("*"):
            parameters.append(Parameter(part[1:], "sequence", rest=True))
            continue
        head, _, default = part.partition("=")
        name, _, kind = head.partition(":")
        default, _, stand_in = default.partition(" or ")
        parameters.append(
            Parameter(
                name.strip(),
                kind.strip() or "value",
                _default(default.strip()),
                keyword_only,
                float(stand_in) if stand_in else None,
            )
        )
    return Signature(function, tuple(parameters))


def _default(text: str) -> object:
    words: dict[str, object] = {"": REQUIRED, "None": None, "True": True, "False": False, "()": ()}
    if text in words:
        return words[text]
    if text.startswith('"'):
        return text.strip('"')
    return float(text) if "." in text else int(text)


def integer(value: Any, what: str) -> int:
    """An exact integer, at most 2**31 in magnitude. Raises BadArgument."""
    if not is_read(value, "iuf"):
        raise BadArgument(f"{what} must be one integer, not {_describe(value)}")
    number = float(value)
    if number != np.floor(number):
        raise BadArgument(f"{what} must be an integer, not {number:.17g}")
    if abs(number) > MAX_INTEGER:
        raise BadArgument(f"{what} must be an integer of at most 2**31, not {number!r}")
    return int(number)


def integers(value: Any, what: str) -> tuple[int, ...]:
    """One integer, or a tuple, list or vector of them."""
    if isinstance(value, tuple | list):
        return tuple(integer(item, what) for item in value)
    if is_read(value, "iuf", ndim=1):
        return tuple(integer(item, what) for item in read(value))
    return (integer(value, what),)


def shape(value: Any, what: str) -> tuple[int, ...]:
    """Sizes of axes; -1 is left to those who allow it, and refused by `sizes`."""
    if isinstance(value, tuple) and len(value) == 1 and isinstance(value[0], tuple | list):
        value = value[0]
    return integers(value, what)


def axis(value: Any, what: str) -> int | tuple[int, ...] | None:
    if value is None:
        return None
    if isinstance(value, tuple | list) or is_read(value, "iuf", ndim=1):
        return integers(value, what)
    return integer(value, what)


def flag(value: Any, what: str) -> bool:
    if isinstance(value, bool):
        return value
    if is_read(value, "bif") and value in (0, 1):
        return bool(value)
    raise BadArgument(f"{what} must be True or False, not {_describe(value)}")


def number(value: Any, what: str) -> float | None:
    if value is None:
        return None
    if is_read(value, "iuf"):
        return float(value)
    raise BadArgument(f"{what} must be one number, not {_describe(value)}")


def string(value: Any, what: str) -> Any:
    """A word, or the number or None that the function takes as well."""
    return value if isinstance(value, str) else number(value, what)


def _describe(value: Any) -> str:
    if value is None or isinstance(value, str | bool):
        return repr(value)
    if isinstance(value, tuple | list):
        return "a list"
    if is_read(value, "biufc"):
        item = read(value).item()
        return f"{item:.17g}" if isinstance(item, float) else str(item)
    found = value.shape if isinstance(value, np.ndarray) else ()
    return f"an array of shape {'x'.join(map(str, found))}" if found else f"a {type(value).__name__}"


COERCE: dict[str, Callable[[Any, str], Any]] = {
    "axis": axis,
    "shape": shape,
    "integer": integer,
    "flag": flag,
    "number": number,
    "string": string,
}
"""What turns a given argument into the plain parameter of each type."""
