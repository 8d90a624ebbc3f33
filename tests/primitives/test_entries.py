"""What the table promises about its entries: documents, examples, and what the rules read."""

from __future__ import annotations

import ast
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from gradcli import primitives
from gradcli.engine import Tensor, function
from gradcli.primitives import TABLE
from gradcli.primitives.formula import derivative_text
from gradcli.primitives.table import Primitive, Table
from tests.primitives.samples import DIFFERENTIABLE, ENTRIES, SAMPLES

each_entry = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
SHOWN = [entry for entry in ENTRIES if not entry.hidden]
PRIMITIVES = Path(primitives.__file__).parent
NAMES = {"pi": np.pi, "nan": np.nan, "inf": np.inf, "True": True, "False": False}


def value_of(node: ast.expr) -> Any:
    """An example, run through the Python functions."""
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return NAMES[node.id]
        case ast.List() | ast.Tuple():
            return [value_of(item) for item in node.elts]
        case ast.UnaryOp(op=ast.USub()):
            return -value_of(node.operand)
        case ast.BinOp(op=ast.Div()):
            return value_of(node.left) / value_of(node.right)
        case ast.Subscript():
            base = value_of(node.value)
            return (base if isinstance(base, tuple) else Tensor(base))[value_of(node.slice)]
        case ast.Call(func=ast.Name(id=name)):
            keywords = {str(k.arg): value_of(k.value) for k in node.keywords}
            return function(TABLE[name])(*map(value_of, node.args), **keywords)
    raise ValueError(ast.dump(node))


TRIED = {sample.name for sample in SAMPLES}
"""Entries that `test_derivatives` tries, to second order: every sample goes through every test there."""


def lacks(entry: Primitive) -> list[str]:
    """What an entry of the language does not have and must."""
    kinked = bool(entry.kinks)
    wanted = {
        "a group": bool(entry.group),
        "a summary": bool(entry.summary) and entry.summary[-1] in ".)",
        "an example": bool(entry.example),
        "a derivative in words": bool(derivative_text(entry)),
        "a sample, and so a check to second order": not entry.rules or entry.name in TRIED,
        "the convention at its kinks": bool(entry.edge) or not kinked,
        "a reason for each kink": all(kink.reason for kink in entry.kinks),
    }
    return [what for what, there in wanted.items() if not there]


@pytest.mark.parametrize("entry", SHOWN, ids=lambda entry: entry.name)
def test_nothing_is_lacking(entry: Primitive) -> None:
    assert not lacks(entry)


def test_what_is_lacking_is_found() -> None:
    bare = Primitive(name="bare", text="x", kind="linear", forward=np.array, rules=(1,), kinks=TABLE["abs"].kinks)
    assert lacks(bare) == ["a group", "a summary", "an example", "a sample, and so a check to second order",
                           "the convention at its kinks"]  # fmt: skip


@each_entry
def test_hidden_entries_have_a_summary_and_are_tried(entry: Primitive) -> None:
    assert entry.summary
    assert entry not in DIFFERENTIABLE or entry.name in TRIED


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e.example], ids=lambda entry: entry.name)
def test_example_runs(entry: Primitive) -> None:
    result = value_of(ast.parse(entry.example, mode="eval").body)
    assert isinstance(result, Tensor)
    assert entry.name in entry.example or entry.name == "index"


@each_entry
def test_domain_fits_the_operands(entry: Primitive) -> None:
    assert len(entry.domain) in (1, len(entry.rules))
    assert all(low < high for low, high in entry.domain)


@each_entry
def test_one_rule_per_operand(entry: Primitive) -> None:
    operands = [p for p in entry.signature.parameters if p.type in ("value", "sequence")]
    assert len(entry.rules) in (0, len(operands))
    assert len(entry.pushes) == (len(entry.rules) if entry.kind == "general" else 0)


def misnamed(source: str) -> list[str]:
    """The functions of (xp, ...), as rules are, whose underscored arguments are not just those that they never read."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Lambda() | ast.FunctionDef():
                first, *named = [argument.arg for argument in node.args.args] or [""]
                body = node.body if isinstance(node.body, list) else [node.body]
                read = {name.id for part in body for name in ast.walk(part) if isinstance(name, ast.Name)}
                if first == "xp" and [name for name in named if name.startswith("_") == (name in read)]:
                    found.append(f"line {node.lineno}: {', '.join(named)}")
    return found


def test_underscored_arguments_are_those_not_read() -> None:
    """By this the engine knows what to save for the backward pass."""
    sources = {path: path.read_text(encoding="utf-8") for path in PRIMITIVES.rglob("*.py")}
    assert not {str(path): wrong for path, source in sources.items() if (wrong := misnamed(source))}


@each_entry
def test_a_rule_takes_its_namespace_first(entry: Primitive) -> None:
    for rule in (*entry.rules, *entry.pushes):
        if not isinstance(rule, int):
            assert rule.__code__.co_varnames[0] == "xp"
            assert PRIMITIVES in Path(rule.__code__.co_filename).parents


@pytest.mark.parametrize(
    "source", ["lambda xp, g, out: g", "def f(xp, g, _x): return g*_x", "lambda xp, _g, *, _n: _g"]
)
def test_misnamed_arguments_are_found(source: str) -> None:
    assert misnamed(source)
    assert not misnamed("lambda xp, g, _out, x, *, n: g*x; lambda x, out: x")


def test_a_thread_that_misses_a_name_waits_for_the_imports_of_another(monkeypatch: Any, tmp_path: Any) -> None:
    table = Table()
    (tmp_path / "a_rare_module.py").write_text(
        "import time\ntime.sleep(0.2)\nfrom a_common_module import table, entry\ntable.add('late', entry)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    common = ModuleType("a_common_module")
    vars(common).update(table=table, entry=TABLE["sin"])
    monkeypatch.setitem(sys.modules, "a_common_module", common)
    table.rarer = ("a_rare_module",)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(table.__getitem__, ["late"] * 4)) == [TABLE["sin"]] * 4
    assert not table.rarer
