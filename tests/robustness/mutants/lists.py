"""What is written down by hand beside the tool: wrong mechanisms, and mutants that are the same function."""

from __future__ import annotations

import tomllib
from functools import partial
from pathlib import Path

from tests.robustness.mutants.mutant import ROOT, Mutant
from tests.robustness.mutants.sources import Source

GROUP = "mechanisms"


def mechanisms() -> tuple[list[Mutant], list[str]]:
    """Of mechanisms.toml: in `file`, the text `old`, which stands there once, becomes `new`; `what` says what breaks.

    Those whose text is not found, or not once, come as messages: the list is out of date.
    """
    sources: dict[str, Source] = {}
    found: list[Mutant] = []
    stale: list[str] = []
    for entry in _entries("mechanism"):
        name, old = entry["file"], entry["old"]
        source = sources.setdefault(name, Source(ROOT / name))
        if source.text.count(old) != 1:
            stale.append(f"mechanisms.toml: {name} has {source.text.count(old)} times {old!r}")
            continue
        first = source.text[: source.text.index(old)].count("\n") + 1
        lines = frozenset((name, first + i) for i in range(old.count("\n") + 1))
        begin = partial(source.rewritten, old, entry["new"])
        found.append(Mutant(GROUP, name, source.function_at(first), entry["what"], (lines,), begin))
    return found, stale


def equivalent() -> dict[tuple[str, str, str], str]:
    """Of equivalent.toml: mutants that are the same function for every input, or differ in rounding, in speed or where
    only a process of its own can see it; by file, function and change, with the reason."""
    return {(entry["file"], entry["owner"], entry["what"]): entry["why"] for entry in _entries("equivalent")}


def _entries(kind: str) -> list[dict[str, str]]:
    path = Path(__file__).with_name("mechanisms.toml" if kind == "mechanism" else "equivalent.toml")
    entries: list[dict[str, str]] = tomllib.loads(path.read_text(encoding="utf-8"))[kind]
    return entries
