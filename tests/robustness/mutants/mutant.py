"""What a mutant is: a name, the lines that a test must run to notice it, and what makes the running program be it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import gradcli

ROOT = Path(gradcli.__file__).parent
TESTS = Path(__file__).parents[2]

Lines = frozenset[tuple[str, int]]
"""Lines of the program: a file, by its path from ROOT, and a number."""


@dataclass(frozen=True, slots=True, eq=False)
class Mutant:
    """`group` is the package that is changed, or the kind of the change; `owner` the function or the entry.

    `where` holds sets of lines, the narrowest first: the tests to try are those that run a line of the first set that
    any test runs at all, and those that have one of `words` in their name. `begin` turns the running program into the
    mutant, and says whether that changed anything.
    """

    group: str
    file: str
    owner: str
    what: str
    where: tuple[Lines, ...]
    begin: Callable[[], bool]
    words: frozenset[str] = frozenset()

    @property
    def key(self) -> tuple[str, str, str]:
        return self.file, self.owner, self.what

    def __str__(self) -> str:
        line = min((number for lines in self.where[:1] for _, number in lines), default=0)
        return f"{self.file}:{line}: {self.owner}: {self.what}"


def numbered(mutants: Iterable[Mutant]) -> Iterator[Mutant]:
    """Each with a name of its own: the same change to the same words further down in a function becomes `... #2`."""
    seen: dict[tuple[str, str, str], int] = {}
    for mutant in mutants:
        count = seen[mutant.key] = seen.get(mutant.key, 0) + 1
        yield mutant if count == 1 else replace(mutant, what=f"{mutant.what} #{count}")


def sample(mutants: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """`count` mutants, as many of each group as there are; whether one is drawn hangs on its name and its group's
    others alone, not on what the rest of the program looks like."""
    groups: dict[str, list[Mutant]] = {}
    for mutant in sorted(mutants, key=lambda mutant: Random(f"{seed} {mutant.key}").random()):
        groups.setdefault(mutant.group, []).append(mutant)
    drawn = [(place, mutant) for group in groups.values() for place, mutant in enumerate(group)]
    return [mutant for _, mutant in sorted(drawn, key=lambda pair: pair[0])[:count]]
