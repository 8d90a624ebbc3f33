"""What the caller of a mode gave, checked and made plain once: names with their values, and names alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gradcli.engine.data import real_array
from gradcli.errors import BadArgument, BadInput, UsageProblem
from gradcli.lowering import WORDS
from gradcli.results import Array


def values(given: Any, what: str = "at") -> dict[str, Array]:
    """A mapping of names to numbers, nested lists, or arrays of any library that NumPy reads, as float64 or masks, not
    copied where they are that already. Raises BadArgument for other than a mapping of names, BadInput for a value."""
    return {_name(name, what): _value(name, value) for name, value in mapping(given, what).items()}


def mapping(given: Any, what: str) -> Mapping[Any, Any]:
    """Raises BadArgument for other than a mapping."""
    if isinstance(given, Mapping):
        return given
    raise BadArgument(
        f"{what} must be a mapping of names to values, not {type(given).__name__}", help='for example {"x": 2.0}'
    )


def names(given: Any) -> tuple[str, ...] | None:
    """The names to differentiate by: one, or any iterable of them, in its order (a set has none: in that of the
    alphabet); None for those that the expression reads. Raises BadArgument."""
    if given is None:
        return None
    if isinstance(given, str):
        return (_name(given, "wrt"),)
    if not isinstance(given, Iterable) or isinstance(given, bytes | bytearray):
        raise BadArgument(f"wrt must be a name or names, not {type(given).__name__}", help='for example wrt=["x", "y"]')
    found = tuple(_name(name, "wrt") for name in given)
    return tuple(sorted(found)) if isinstance(given, set | frozenset) else found


def _name(name: Any, what: str) -> str:
    """Raises UsageProblem for a word that the language keeps for itself."""
    if not isinstance(name, str):
        raise BadArgument(f"{what} takes names as text, not {type(name).__name__}")
    if name in WORDS:
        raise UsageProblem(f"{name} is a word of the language, nothing can be called so", help="rename it")
    return name


def _value(name: str, value: Any) -> Array:
    try:
        return real_array(value, copy=False)
    except BadInput as error:
        error.message = f"{name}: {error.message}"
        error.args = (error.message,)
        raise
