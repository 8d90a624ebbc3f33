"""The table of primitives as documentation."""

from __future__ import annotations

from gradcli.primitives import TABLE
from gradcli.primitives.formula import derivative_text
from gradcli.results import FunctionEntry


def functions() -> tuple[FunctionEntry, ...]:
    """Every function of the language, in the order of the table."""
    entries = {id(entry): entry for entry in TABLE.values() if not entry.hidden}
    return tuple(
        FunctionEntry(
            name=entry.name,
            aliases=entry.aliases,
            group=entry.group,
            signature=str(entry.signature),
            summary=entry.summary,
            derivative=derivative_text(entry),
            edge=entry.edge,
            example=entry.example,
        )
        for entry in entries.values()
    )
