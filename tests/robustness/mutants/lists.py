"""What is written down by hand beside the tool: wrong mechanisms, and mutants that are the same function."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.robustness.mutants.mutant import ROOT, Mutant
from tests.robustness.mutants.sources import Source

GROUP = "mechanisms"
HERE = Path(__file__).parent


def mechanisms() -> Iterator[Mutant]:
    """Of mechanisms.toml: in `file`, the text `old`, which stands there once, becomes `new`; `what` says what breaks.

    Raises ValueError where the text is not found, or not once: a list that is out of date.
    """
    sources: dict[str, Source] = {}
    for number, entry in enumerate(tomllib.loads((HERE / "mechanisms.toml").read_text("utf-8"))["mechanism"]):
        name, old = entry["file"], entry["old"]
        source = sources.setdefault(name, Source(ROOT / name))
        if source.text.count(old) != 1:
            raise ValueError(f"mechanisms.toml, number {number + 1}: {name} has {source.text.count(old)} times {old!r}")
        first = source.text[: source.text.index(old)].count("\n") + 1
        lines = frozenset((name, first + i) for i in range(old.rstrip("\n").count("\n") + 1))
        begin = partial(source.rewritten, old, entry["new"])
        yield Mutant(GROUP, name, source.function_at(first), entry["what"], (lines,), begin)


def equivalent() -> dict[tuple[str, str, str], str]:
    """Of equivalent.toml: mutants that are the same function for every input, or differ in rounding or in speed alone;
    by file, function and change, with the reason."""
    entries = tomllib.loads((HERE / "equivalent.toml").read_text("utf-8"))["equivalent"]
    return {(entry["file"], entry["owner"], entry["what"]): entry["why"] for entry in entries}
