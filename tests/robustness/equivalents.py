"""Mutants that are the same function for every input, or differ in rounding alone: file, owner, change -> why."""

EQUIVALENT: dict[tuple[str, str, str], str] = {}
