"""The table of primitives as documentation."""

from __future__ import annotations

from dataclasses import replace

from gradcli.modes.expression import parse
from gradcli.primitives import TABLE
from gradcli.primitives.formula import derivative_text
from gradcli.primitives.table import Primitive
from gradcli.results import FunctionEntry


def functions() -> tuple[FunctionEntry, ...]:
    """Every function of the language, in the order of the table."""
    return tuple(_described(entry) for entry in dict.fromkeys(TABLE.values()) if not entry.hidden)


def function_names() -> tuple[str, ...]:
    """Every name of every function."""
    return tuple(name for name, entry in TABLE.items() if not entry.hidden)


def function(name: str) -> FunctionEntry | None:
    """One function by any of its names, with the result of its example; None where there is no such function."""
    entry = TABLE.get(name)
    if entry is None or entry.hidden:
        return None
    return replace(_described(entry), result=parse(entry.example).evaluate({}).value)


def _described(entry: Primitive) -> FunctionEntry:
    return FunctionEntry(
        name=entry.name,
        aliases=entry.aliases,
        group=entry.group,
        signature=str(entry.signature),
        summary=entry.summary,
        derivative=derivative_text(entry),
        edge=entry.edge,
        example=entry.example,
    )
