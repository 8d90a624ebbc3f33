"""Mutants of derivative rules: a sign flipped, a factor dropped, arguments swapped, in one place of one rule.

A rule is a function whose first argument is `xp`. Of rules that are numbers, 1 and -1 change places and 0 becomes 1.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

from gradcli.primitives import TABLE
from gradcli.primitives.table import Primitive
from tests.robustness.mutants.mutant import ROOT, Lines, Mutant
from tests.robustness.mutants.operators import in_place_of
from tests.robustness.mutants.sources import Source

GROUP = "rules"
TABLE_FILE = "primitives/table.py"
SYMMETRIC = {
    "logical_and",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "add",
    "mul",
    "hypot",
    "equal",
    "broadcast_shapes",
}


def is_rule(node: ast.AST) -> bool:
    arguments = node.args.args if isinstance(node, ast.Lambda | ast.FunctionDef) else []
    return bool(arguments) and arguments[0].arg == "xp"


def variants(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """What is done to an expression, and what comes of it."""
    match node:
        case ast.BinOp(left, op, right):
            if isinstance(op, ast.Mult | ast.Div):
                yield "drop the right", in_place_of(left, right)
            if isinstance(op, ast.Mult):
                yield "drop the left", in_place_of(right, left)
            if isinstance(op, ast.Sub | ast.Div | ast.Pow):
                yield "swap", ast.BinOp(right, op, left)
            if isinstance(op, ast.Add | ast.Sub):
                yield "flip", ast.BinOp(left, ast.Sub() if isinstance(op, ast.Add) else ast.Add(), right)
        case ast.UnaryOp(ast.USub(), operand):
            if not (isinstance(operand, ast.Constant) and isinstance(operand.value, int)):  # -1 is mostly an axis
                yield "flip", operand
        case ast.Call(function, [one, other], []):
            if not (isinstance(function, ast.Attribute) and function.attr in SYMMETRIC):
                yield "swap arguments", ast.Call(function, [other, one], [])


def places(rule: ast.AST) -> Iterator[tuple[str, ast.expr, Any, Any, ast.expr]]:
    """What is done, to which expression, where that stands (in a list or in a field), and what takes its place."""
    for parent in ast.walk(rule):
        fields = vars(parent)
        name = "body" if isinstance(parent, ast.Lambda) else "value"
        if (parent is rule and name in fields) or (isinstance(parent, ast.Return) and parent.value):
            yield "negate", fields[name], fields, name, ast.UnaryOp(ast.USub(), fields[name])
        for name, value in ast.iter_fields(parent):
            several: list[tuple[Any, Any]] = [(value, i) for i in range(len(value))] if isinstance(value, list) else []
            for holder, key in several or [(fields, name)]:
                for what, new in variants(holder[key]):
                    yield what, holder[key], holder, key, new


def owner(statement: ast.stmt) -> str:
    """A name for what stands in one statement of a module."""
    if isinstance(statement, ast.FunctionDef):
        return statement.name
    words = (node.value for node in ast.walk(statement) if isinstance(node, ast.Constant))
    return next((word for word in words if isinstance(word, str)), "")


def mutants(source: Source) -> Iterator[Mutant]:
    for statement in source.tree.body:
        rules = [node for node in ast.walk(statement) if is_rule(node)]
        inner = {node for rule in rules for node in ast.walk(rule) if node is not rule and is_rule(node)}
        for rule in rules:
            if rule in inner:
                continue
            for what, old, holder, key, new in list(places(rule)):
                where = (source.lines(old), source.lines(rule))
                begin = partial(source.edited, holder, key, new)
                yield Mutant(GROUP, source.name, owner(statement), f"{what}: {ast.unparse(old)}", where, begin)


def lines_of(entry: Primitive) -> Lines:
    """Where the rules of an entry stand."""
    codes = [rule.__code__ for rule in (*entry.rules, *entry.pushes) if isinstance(rule, FunctionType)]
    own = [code for code in codes if code.co_filename.startswith(str(ROOT))]
    spots = {(code.co_filename, line) for code in own for *_, line in code.co_lines() if line}
    return frozenset((Path(file).relative_to(ROOT).as_posix(), line) for file, line in spots)


def numbers() -> Iterator[Mutant]:
    """The rules that are numbers, with the tests that name their entries or run other rules of theirs."""
    for entry in dict.fromkeys(TABLE.values()):
        for i, rule in enumerate(entry.rules):
            if isinstance(rule, int):
                rules = (*entry.rules[:i], -rule or 1, *entry.rules[i + 1 :])
                begin = partial(told, entry, "rules", rules)
                what = f"rule {i} as {rules[i]}"
                yield Mutant(GROUP, TABLE_FILE, entry.name, what, (lines_of(entry),), begin, frozenset([entry.name]))


def told(entry: Primitive, fact: str, value: Any) -> bool:
    """Let an entry hold something else."""
    setattr(entry, fact, value)
    return True


def all_mutants() -> Iterator[Mutant]:
    for path in sorted((ROOT / "primitives").glob("*.py")):
        yield from mutants(Source(path))
    yield from numbers()
