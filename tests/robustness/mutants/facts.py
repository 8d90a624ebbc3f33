"""Mutants of what is written down beside the code: facts of entries of the table, and constants of modules."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from types import FunctionType
from typing import Any

from gradcli.primitives import TABLE
from gradcli.primitives.table import Primitive
from tests.robustness.mutants.mutant import ROOT, Lines, Mutant
from tests.robustness.mutants.operators import constant
from tests.robustness.mutants.rules import TABLE_FILE, lines_of, told
from tests.robustness.mutants.sources import Source

GROUP = "facts"
HARMLESS = {"by_values", "by_result", "spread", "draws", "variadic"}
"""What may be said of any entry at the price of time or of a warning alone, or is read together with other facts."""


def untruths(entry: Primitive) -> Iterator[tuple[str, str, Any]]:
    """What is changed, the attribute that holds it, and another value."""
    for field in fields(entry):
        value = getattr(entry, field.name)
        if field.name == "selects" and not (entry.kind == "elementwise" and any(map(callable, entry.rules))):
            continue  # read beside a slope alone
        if isinstance(value, bool) and (value or field.name not in HARMLESS):
            yield f"{field.name} as {not value}", field.name, not value
    for i in range(len(entry.kinks)):
        yield f"no kink {i}", "kinks", (*entry.kinks[:i], *entry.kinks[i + 1 :])
    if entry.one_hot is not None:
        yield "one_hot the other way", "one_hot", partial(_other_way, entry.one_hot)
    for position, rule in enumerate(entry.rules):
        if isinstance(rule, FunctionType):
            out, read = entry.needs(position, len(entry.rules))
            if out:
                yield f"rule {position} does not need out", "needs", partial(_needs, entry.needs, position, None)
            for i in sorted(read):
                yield f"rule {position} does not need {i}", "needs", partial(_needs, entry.needs, position, i)


def _other_way(one_hot: Any, position: int, forward: bool, *rest: Any) -> Any:
    return one_hot(position, not forward, *rest)


def _needs(needs: Any, at: int, lost: int | None, position: int, count: int) -> tuple[bool, frozenset[int]]:
    out, read = needs(position, count)
    if position != at:
        return out, read
    return (False, read) if lost is None else (out, read - {lost})


def of_entries() -> Iterator[Mutant]:
    for entry in dict.fromkeys(TABLE.values()):
        words = frozenset([entry.name, *entry.aliases])
        for what, fact, value in untruths(entry):
            begin = partial(told, entry, fact, value)
            yield Mutant(GROUP, TABLE_FILE, entry.name, what, (lines_of(entry),), begin, words)


def read_by(sources: list[Source]) -> dict[str, Lines]:
    """The lines of functions that read a global name, alone or as a module's attribute."""
    found: dict[str, set[tuple[str, int]]] = {}
    for source in sources:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                name = node.id if isinstance(node, ast.Name) else node.attr
                if name.isupper():
                    found.setdefault(name, set()).add((source.name, node.lineno))
    return {name: frozenset(lines) for name, lines in found.items()}


def of_modules() -> Iterator[Mutant]:
    """Numbers that modules of all packages but the table keep under a name."""
    sources = [Source(path) for path in sorted(ROOT.glob("*/*.py")) if path.parent.name != "primitives"]
    lines = read_by(sources)
    for source in sources:
        module = "gradcli." + source.name.removesuffix(".py").replace("/", ".")
        for statement in source.tree.body:
            match statement:
                case ast.Assign([ast.Name(name)]) if name in lines:
                    value = getattr(sys.modules[module], name)
                    for what, new in constant(ast.Constant(value)):
                        group = source.name.split("/")[0]
                        begin = partial(known_as, name, value, new.value)
                        text = f"{what}: {ast.unparse(statement)}"
                        yield Mutant(group, source.name, name, text, (lines[name],), begin)


def known_as(name: str, value: object, other: object) -> bool:
    """Let all modules that know a constant have another one."""
    holders = [module for key, module in sys.modules.items() if key.startswith("gradcli.")]
    found = [module for module in holders if vars(module).get(name) is value]
    for module in found:
        setattr(module, name, other)
    return bool(found)


def all_mutants() -> Iterator[Mutant]:
    yield from of_entries()
    yield from of_modules()
