"""Which of the known names one was probably meant to be: imported only where an error is made."""

from __future__ import annotations

from collections.abc import Collection

MOST = 3
"""Of more names than this only one that stands at the beginning is a guess."""

_SHORTEST = 3  # of two letters any other two-letter name is half of them


def nearest(name: str, known: Collection[str]) -> list[str]:
    """Those that differ in case only; else those that `name` begins, or that are within a third of its letters."""
    folded = name.casefold()
    same = sorted({other for other in known if other.casefold() == folded})
    if same or len(name) < _SHORTEST:
        return same[:MOST]
    far = {other: _distance(folded, other.casefold()) for other in known}
    least = min(far.values(), default=len(name))
    found = sorted((other for other in far if far[other] == least), key=lambda other: (-len(other), other))
    if least > len(name) // 3:
        return []
    return found if len(found) <= MOST else [other for other in found if name.startswith(other)]


def _distance(a: str, b: str) -> int:
    """How many letters to insert, drop or replace, or neighbours to swap, until `a` is `b`; 1 where it begins `b`."""
    if b.startswith(a) and len(b) <= 2 * len(a) + 2:
        return 1
    if abs(len(a) - len(b)) > len(a) // 3:
        return len(a)
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        row = [i]
        for j, other in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and a[i - 2 : i] == other + b[j - 2]:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
