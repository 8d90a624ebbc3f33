"""Mutants of the derivative table: python -m tests.robustness.mutants [FILE ...]

Every rule (a function whose first argument is `xp`) is made wrong in one place at a time: a sign flipped, a factor
dropped, arguments swapped. Of rules that are numbers, 1 and -1 change places and 0 becomes 1. The tests of
tests/primitives run once, to see which of them run which rule; each mutant lives in a forked process that runs those of
its rule, the quick ones first, until one fails. What no test notices is printed, but for what `EQUIVALENT` lists as the
same function.
"""

from __future__ import annotations

import ast
import gc
import os
import pickle
import re
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

import numpy.testing  # noqa: F401  # which NumPy loads late: once, not in every forked process
import pytest
from _pytest.runner import runtestprotocol

import gradcli
from gradcli.primitives import TABLE

FOLDER = Path(gradcli.__file__).parent / "primitives"
PATIENCE = 20.0
FINE = {"killed", "killed (ran on)", "equivalent"}
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


EQUIVALENT = {
    ("alternatives.py", "select", "negate: xp.sum(t * 0.0, axis=axis)"): "-0 is 0",
    ("bessel.py", "bessel_i", "swap: n - 1"): "abs(1 - n) is abs(n - 1)",
    ("classes.py", "nll_loss", "negate: xp.sum(t * 0.0, axis=axis)"): "-0 is 0",
    (
        "determinants.py",
        "cofactors",
        "flip: xp.scatter(x, index=inside, shape=(size, size)) + border.whole",
    ): "D M D with D = diag(I, -I) has the determinant and the diagonal blocks of the inverse that M has; what it "
    "turns round, the blocks beside them, comes in pairs",
    ("order.py", "_still", "negate: t * 0.0"): "-0 is 0",
    ("spectral.py", "unknown", "negate: xp.where(xp.abs(e) <= REPEATED * size, 0.0, undefined)"): "0 or nan: no sign",
    ("statistics.py", "_x_vjp", "negate: 0.0 * g"): "-0 is 0",
    ("statistics.py", "_x_jvp", "negate: 0.0 * t"): "-0 is 0",
}
"""Mutants that are the same function for every input, or differ in rounding alone: file, owner, change -> why."""


class Mutant(NamedTuple):
    """`owner` is the function that holds the rule, or the entry."""

    owner: str
    what: str
    line: int


def is_rule(node: ast.AST) -> bool:
    arguments = node.args.args if isinstance(node, ast.Lambda | ast.FunctionDef) else []
    return bool(arguments) and arguments[0].arg == "xp"


def first(left: ast.expr, right: ast.expr) -> ast.expr:
    """`left`, in an expression that reads the same variables as before: else the code would not fit its function."""
    return ast.Subscript(ast.Tuple([left, right], ast.Load()), ast.Constant(0), ast.Load())


def variants(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """What is done to an expression, and what comes of it."""
    match node:
        case ast.BinOp(left, op, right):
            if isinstance(op, ast.Mult | ast.Div):
                yield "drop the right", first(left, right)
            if isinstance(op, ast.Mult):
                yield "drop the left", first(right, left)
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


def mutants(tree: ast.Module) -> Iterator[Mutant]:
    """`tree` is changed while a mutant is looked at, and mended after."""
    for statement in tree.body:
        rules = [node for node in ast.walk(statement) if is_rule(node)]
        inner = {node for rule in rules for node in ast.walk(rule) if node is not rule and is_rule(node)}
        for rule in rules:
            if rule in inner:
                continue
            for what, old, holder, key, new in list(places(rule)):
                found = Mutant(owner(statement), f"{what}: {ast.unparse(old)}", old.lineno)
                holder[key] = ast.fix_missing_locations(ast.copy_location(new, old))
                yield found
                holder[key] = old


def codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


Swap = tuple[FunctionType, CodeType]
Change = Callable[[], None]
Reached = dict[int, list[pytest.Item]]


def swaps(functions: list[FunctionType], before: CodeType, after: CodeType) -> list[Swap]:
    """Functions that a mutant changes, and their new code."""
    pairs = zip(list(codes(before))[1:], list(codes(after))[1:], strict=True)
    changed = [(old, new) for old, new in pairs if old != new]
    return [(f, new) for old, new in changed for f in functions if f.__code__ == old]


def swap(changed: list[Swap]) -> None:
    for function, code in changed:
        function.__code__ = code


def numbers(items: list[pytest.Item], reached: Reached) -> Iterator[tuple[str, Change, list[pytest.Item]]]:
    """Mutants of the rules that are numbers, with the tests that name their entries or run other rules of theirs."""
    words = {item: set(re.split(r"\W+", item.name)) for item in items}
    for entry in dict.fromkeys(TABLE.values()):
        beside = {item for rule in entry.rules if not isinstance(rule, int) for item in reached[id(rule.__code__)]}
        chosen = [item for item in items if entry.name in words[item] or item in beside]
        for i, rule in enumerate(entry.rules):
            if isinstance(rule, int):
                rules = (*entry.rules[:i], -rule or 1, *entry.rules[i + 1 :])
                yield f"{entry.name}: rule {i} as {rules[i]}", partial(setattr, entry, "rules", rules), chosen


class Hunt:
    """A pytest plugin that takes the collected tests and runs them on mutants."""

    def __init__(self, wanted: list[str]) -> None:
        self.paths = [path for path in sorted(FOLDER.glob("*.py")) if not wanted or path.name in wanted]
        self.numbers = not wanted
        self.tally: Counter[str] = Counter()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        functions = (f for f in gc.get_objects() if isinstance(f, FunctionType))
        self.functions = [f for f in functions if Path(f.__code__.co_filename) in self.paths]
        gc.freeze()  # or the collector of every forked process would write to, and so copy, what they share
        reached = reach(session.items, {id(f.__code__) for f in self.functions})
        for path in self.paths:
            self._file(path, reached)
        for what, change, items in numbers(session.items, reached) if self.numbers else ():
            self._count(what, tried(change, items))
        print(f"mutants: {self.tally.total()}, {dict(self.tally)}", flush=True)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
        """Without the text of a failure, which takes longer than most tests."""
        when = "call" if call.when == "collect" else call.when
        return pytest.TestReport(item.nodeid, item.location, {}, "failed" if call.excinfo else "passed", None, when)

    def _file(self, path: Path, reached: Reached) -> None:
        start, tally = time.monotonic(), self.tally.copy()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        before = compile(tree, str(path), "exec")
        functions = [f for f in self.functions if f.__code__.co_filename == str(path)]
        stale = {key for key in EQUIVALENT if key[0] == path.name}
        for mutant in mutants(tree):
            key = (path.name, mutant.owner, mutant.what)
            stale.discard(key)
            outcome = "equivalent"
            if key not in EQUIVALENT:
                changed = swaps(functions, before, compile(tree, str(path), "exec"))
                chosen = {item: None for f, _ in changed for item in reached[id(f.__code__)]}
                outcome = tried(partial(swap, changed), list(chosen)) if chosen else "not run by any test"
            self._count(f"{path.name}:{mutant.line}: {mutant.owner}: {mutant.what}", outcome)
        for key in stale:
            self._count(str(key), "no such mutant")
        print(f"{path.name}: {dict(self.tally - tally)} in {time.monotonic() - start:.0f} s", flush=True)

    def _count(self, what: str, outcome: str) -> None:
        self.tally[outcome] += 1
        if outcome not in FINE:
            print(f"{outcome}: {what}", flush=True)


def fails(item: pytest.Item) -> bool:
    return any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))


def reach(items: list[pytest.Item], known: set[int]) -> Reached:
    """Which tests run which code (by its id), the quick ones first. In a forked process, so that nothing is cached."""
    reader, writer = os.pipe()
    if not os.fork():
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        with os.fdopen(writer, "wb") as pipe:
            pickle.dump([traced(item, known) for item in items], pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        runs = pickle.load(pipe)
    os.wait()
    reached = defaultdict(list)
    for (_, seen), item in sorted(zip(runs, items, strict=True), key=lambda run: run[0][0]):
        for code in seen:
            reached[code].append(item)
    return reached


def traced(item: pytest.Item, known: set[int]) -> tuple[float, set[int]]:
    seen: set[int] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        seen.add(id(frame.f_code))

    start = time.perf_counter()
    sys.settrace(note)
    failed = fails(item)
    sys.settrace(None)
    if failed:
        print(f"fails without any mutant, and is left out: {item.nodeid}", file=sys.stderr)
    return time.perf_counter() - start, set() if failed else seen & known


def tried(change: Change, items: list[pytest.Item]) -> str:
    """What became of a mutant."""
    child = os.fork()
    if not child:
        signal.alarm(int(2 * PATIENCE))  # a mutant may run forever: that counts as noticed
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        change()
        os._exit(life(items))
    status = os.waitpid(child, 0)[1]
    words = {0: "alive", 3: "alive (out of time)", -signal.SIGALRM: "killed (ran on)"}
    return words.get(os.waitstatus_to_exitcode(status), "killed")


def life(items: list[pytest.Item]) -> int:
    until = time.monotonic() + PATIENCE
    for item in items:
        if fails(item):
            return 1
        if time.monotonic() > until:
            return 3
    return 0


if __name__ == "__main__":
    hunt = Hunt(sys.argv[1:])
    tests = str(Path(__file__).parents[1] / "primitives")
    failed = pytest.main([tests, "-q", "--tb=no", "-p", "no:cacheprovider"], plugins=[hunt])
    raise SystemExit(failed or bool(set(hunt.tally) - FINE))
