"""Source files as trees that can be changed in one place, and the change brought into the functions in memory."""

from __future__ import annotations

import ast
import gc
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from inspect import CO_OPTIMIZED
from pathlib import Path
from pkgutil import walk_packages
from types import CodeType, FunctionType
from typing import Any

import gradcli
from tests.robustness.mutants.mutant import ROOT, Lines

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Source:
    """One file of the program. `name` is its path from ROOT."""

    def __init__(self, path: Path) -> None:
        self.name = path.relative_to(ROOT).as_posix()
        self._path = str(path)
        self.text = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text)

    @cached_property
    def _before(self) -> CodeType:
        return self._compiled(ast.parse(self.text))

    def _compiled(self, tree: ast.Module) -> CodeType:
        return compile(tree, self._path, "exec", dont_inherit=True)

    def lines(self, first: ast.AST, last: ast.AST | None = None) -> Lines:
        """From the first line of one node to the last of another."""
        numbers = range(first.lineno, (last or first).end_lineno + 1)  # type: ignore[attr-defined]
        return frozenset((self.name, number) for number in numbers)

    def function_at(self, line: int) -> str:
        """The innermost function around a line, with those around it."""
        found = [owner for f, owner in _functions(self.tree, "") if f.lineno <= line <= (f.end_lineno or 0)]
        return found[-1] if found else ""

    def edited(self, holder: Any, key: Any, new: ast.AST) -> bool:
        """Put `new` in its place in the tree and into the functions in memory. Says whether that changed any."""
        holder[key] = ast.fix_missing_locations(ast.copy_location(new, holder[key]))
        return self._swapped(self.tree)

    def rewritten(self, old: str, new: str) -> bool:
        """The same with a piece of text."""
        return self._swapped(ast.parse(self.text.replace(old, new)))

    def _swapped(self, tree: ast.Module) -> bool:
        changed = False
        for before, after in zip(outermost(self._before), outermost(self._compiled(tree)), strict=True):
            if shown(before) != shown(after):
                new = named(after)
                for name, code in named(before).items():
                    for function in functions()[place(code)]:
                        if name in new and function.__code__.co_freevars == new[name].co_freevars:
                            function.__code__ = new[name]
                            changed = True
        return changed


def outermost(code: CodeType) -> Iterator[CodeType]:
    """The functions of a module and of its classes, without those inside of functions."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from [constant] if constant.co_flags & CO_OPTIMIZED else outermost(constant)


def named(code: CodeType) -> dict[tuple[str, int], CodeType]:
    """A function's code and all code inside, by name and, where names are the same, number."""
    found: dict[tuple[str, int], CodeType] = {}
    stack = [code]
    while stack:
        one = stack.pop()
        count = sum(name == one.co_qualname for name, _ in found)
        found[one.co_qualname, count] = one
        stack += [constant for constant in one.co_consts if isinstance(constant, CodeType)]
    return found


def shown(code: CodeType) -> tuple[Any, ...]:
    """What tells code from other code, wherever it stands in its file."""
    constants = [shown(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars, code.co_exceptiontable


def place(code: CodeType) -> tuple[Any, ...]:
    """Where code stands in its file, to the column: what is read from a tree stands where the imported one does."""
    return code.co_filename, code.co_qualname, code.co_firstlineno, code.co_linetable


@cache
def functions() -> dict[tuple[Any, ...], list[FunctionType]]:
    """The program's functions in memory by their place, those inside of others too where these have made some."""
    for module in walk_packages(gradcli.__path__, "gradcli."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    found = defaultdict(list)
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename.startswith(str(ROOT)):
            found[place(thing.__code__)].append(thing)
    return found


@dataclass(frozen=True, slots=True)
class Spot:
    """A node inside of a function, and where it hangs: `holder[key]` is `node`, in a field of its parent.

    `statement` is the innermost one around it, itself if it is one; None in a lambda. `function` is the outermost.
    """

    node: ast.AST
    holder: Any
    key: Any
    statement: ast.stmt | None
    function: Function
    owner: str
    field: str


OUTSIDE = {"annotation", "returns", "decorator_list", "args", "type_params"}
"""What stands in a function and is not run by it."""


def spots(tree: ast.Module) -> Iterator[Spot]:
    """Every node that functions run, in the order of the text."""
    for node, owner in _functions(tree, ""):
        yield from _inside(node, node, owner, None)


def _functions(node: ast.AST, owner: str) -> Iterator[tuple[Function, str]]:
    for child in ast.iter_child_nodes(node):
        name = f"{owner}.{child.name}".lstrip(".") if isinstance(child, ast.ClassDef | ast.FunctionDef) else owner
        if isinstance(child, Function):
            yield child, name
        else:
            yield from _functions(child, name)


def _inside(node: ast.AST, function: Function, owner: str, statement: ast.stmt | None) -> Iterator[Spot]:
    for field, value in ast.iter_fields(node):
        if field in OUTSIDE and not (field == "args" and isinstance(node, ast.Call)):
            continue
        places = enumerate(value) if isinstance(value, list) else [(field, value)]
        holder = value if isinstance(value, list) else vars(node)
        for key, child in list(places):
            if isinstance(child, ast.AST):
                around = child if isinstance(child, ast.stmt) else statement
                yield Spot(child, holder, key, around, function, owner, field)
                deeper = isinstance(child, ast.FunctionDef)
                yield from _inside(child, function, f"{owner}.{child.name}" if deeper else owner, around)
