"""Mutants of the derivative table: python -m tests.robustness.mutants [FILE ...]

Every rule (a function whose first argument is `xp`) is made wrong in one place at a time: a sign flipped, a factor
dropped, arguments swapped. The tests of tests/primitives are collected once; each mutant lives in a forked process that
runs those of its entry until one fails. What no test notices is printed.
"""

from __future__ import annotations

import ast
import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from _pytest.runner import runtestprotocol

import gradcli
from gradcli.primitives import TABLE

FOLDER = Path(gradcli.__file__).parent / "primitives"
PATIENCE = 20.0
SYMMETRIC = {"logical_and", "logical_or", "logical_xor", "maximum", "minimum", "add", "mul", "hypot", "equal"}


def is_rule(node: ast.AST) -> bool:
    arguments = node.args.args if isinstance(node, ast.Lambda | ast.FunctionDef) else []
    return bool(arguments) and arguments[0].arg == "xp"


def symmetric(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in SYMMETRIC


def places(rule: ast.AST) -> Iterator[tuple[str, ast.AST, str, object]]:
    """What to do, at which node, to which of its fields: a change and its description."""
    for node in ast.walk(rule):
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Mult | ast.Div):
                yield "drop the right", node, "op", ast.Pow()
                if isinstance(node.op, ast.Mult):
                    yield "drop the left", node, "op", ast.FloorDiv()
            if isinstance(node.op, ast.Sub | ast.Div | ast.Pow):
                yield "swap", node, "op", ast.Mod()
            if isinstance(node.op, ast.Add | ast.Sub):
                yield "flip", node, "op", ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        elif (
            isinstance(node, ast.UnaryOp)
            and isinstance(node.op, ast.USub)
            and not isinstance(node.operand, ast.Constant)
        ):
            yield "flip", node, "op", ast.UAdd()
        elif isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords and not symmetric(node):
            yield "swap arguments", node, "args", node.args[::-1]
    if isinstance(rule, ast.Lambda):
        yield "negate", rule, "body", ast.UnaryOp(ast.USub(), rule.body)


class Replace(ast.NodeTransformer):
    """Spells the operators that stand for dropped and swapped operands."""

    def __init__(self, what: str, target: ast.AST) -> None:
        self.what, self.target = what, target

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if node is not self.target or self.what == "flip":
            return node
        if self.what == "drop the right":
            return node.left
        if self.what == "drop the left":
            return node.right
        node.left, node.right = node.right, node.left
        return node


def mutants(tree: ast.Module) -> Iterator[tuple[str, int, ast.Module]]:
    """Description, line, and the module with one change."""
    rules = [node for node in ast.walk(tree) if is_rule(node)]
    for number, rule in enumerate(rules):
        for which in range(sum(1 for _ in places(rule))):
            copy = deepcopy(tree)
            mine = [node for node in ast.walk(copy) if is_rule(node)][number]
            what, node, field, value = list(places(mine))[which]
            line, text = node.lineno, ast.unparse(node)
            if what in ("flip", "negate", "swap arguments"):
                setattr(node, field, value)
            else:
                copy = Replace(what, node).visit(copy)
            yield f"{what}: {text[:90]}", line, ast.fix_missing_locations(copy)


def codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def changed(path: Path, before: CodeType, after: ast.Module) -> list[tuple[CodeType, CodeType]]:
    pairs = zip(codes(before), codes(compile(after, str(path), "exec")), strict=False)
    return [(old, new) for old, new in pairs if old.co_code != new.co_code or old.co_consts != new.co_consts][1:]


def entries_of(path: Path) -> dict[str, set[CodeType]]:
    """Entries with a rule in the file, and the code of their rules."""
    found: dict[str, set[CodeType]] = {}
    for name, entry in TABLE.items():
        rules = [f for f in (*entry.rules, *entry.pushes) if isinstance(f, FunctionType)]
        own = {f.__code__ for f in rules} | {
            cell.cell_contents.__code__
            for f in rules
            for cell in f.__closure__ or ()
            if isinstance(cell.cell_contents, FunctionType)
        }
        if any(code.co_filename == str(path) for code in own):
            found[name] = own
    return found


class Hunt:
    """A pytest plugin that takes the collected tests and runs them on mutants."""

    def __init__(self, wanted: list[str]) -> None:
        self.wanted = wanted
        self.tally: Counter[str] = Counter()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for path in sorted(FOLDER.glob("*.py")):
            if not self.wanted or path.name in self.wanted:
                self._file(path, session.items)
        print(f"mutants: {dict(self.tally)}", flush=True)
        return True

    def _file(self, path: Path, items: list[pytest.Item]) -> None:
        source = path.read_text(encoding="utf-8")
        before = compile(source, str(path), "exec")
        entries = entries_of(path)
        functions = [f for f in gc.get_objects() if isinstance(f, FunctionType) and f.__code__.co_filename == str(path)]
        for what, line, tree in mutants(ast.parse(source)):
            swaps = changed(path, before, tree)
            direct = {name for name, own in entries.items() if any(old in own for old, _ in swaps)}
            chosen = _about(items, direct) + _about(items, entries.keys() - direct)
            outcome = _tried(functions, swaps, chosen)
            if outcome in ("not tried", "no tests"):
                outcome = _in_a_copy(path, tree, direct or set(entries))
            self.tally[outcome] += 1
            if outcome != "killed":
                print(f"{outcome}: {path.name}:{line}: {what}", flush=True)


def _about(items: list[pytest.Item], names: set[str]) -> list[pytest.Item]:
    words = {item: set(item.name.replace("[", "-").replace("]", "-").replace("(", "-").split("-")) for item in items}
    return [item for item in items if words[item] & names]


def _tried(functions: list[FunctionType], swaps: list[tuple[CodeType, CodeType]], items: list[pytest.Item]) -> str:
    """What became of a mutant."""
    child = os.fork()
    if not child:
        signal.alarm(int(2 * PATIENCE))  # a mutant may run forever: that counts as noticed
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os._exit(_life(functions, swaps, items))
    status = os.waitpid(child, 0)[1]
    words = {0: "alive", 1: "killed", 2: "not tried", 3: "alive (out of time)", 4: "no tests"}
    return words.get(os.waitstatus_to_exitcode(status), "killed")


def _in_a_copy(path: Path, tree: ast.Module, names: set[str]) -> str:
    """The slow way, for what cannot be changed in place: another process on a copy of the package."""
    root = FOLDER.parents[1]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(root / "gradcli", Path(folder) / "gradcli")
        shutil.copytree(root / "tests", Path(folder) / "tests")
        (Path(folder) / "gradcli" / "primitives" / path.name).write_text(ast.unparse(tree), encoding="utf-8")
        words = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", "tests/primitives"]
        if names:
            words += ["-k", " or ".join(sorted(names))]
        done = subprocess.run(
            words, cwd=folder, capture_output=True, check=False, env={**os.environ, "PYTHONPATH": folder}
        )
    return "alive (in a copy)" if done.returncode in (0, 5) else "killed"


def _life(functions: list[FunctionType], swaps: list[tuple[CodeType, CodeType]], items: list[pytest.Item]) -> int:
    # The last of the changed codes is the innermost: what is around it only makes it.
    old, new = swaps[-1]
    mine = [function for function in functions if function.__code__ == old]
    if not mine or old.co_freevars != new.co_freevars:
        return 2
    for function in mine:
        function.__code__ = new
    if not items:
        return 4
    until = time.monotonic() + PATIENCE
    for item in items:
        if any(report.failed for report in runtestprotocol(item, log=False, nextitem=None)):
            return 1
        if time.monotonic() > until:
            return 3
    return 0


if __name__ == "__main__":
    tests = [str(Path(__file__).parents[1] / "primitives")]
    raise SystemExit(pytest.main([*tests, "-q", "-p", "no:cacheprovider"], plugins=[Hunt(sys.argv[1:])]))
