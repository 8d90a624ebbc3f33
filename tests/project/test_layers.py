"""One direction of flow: who may import whom, and which third-party package, read from the code itself."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).parents[2] / "gradcli"


class Layer(NamedTuple):
    may_import: frozenset[str]
    third_party: frozenset[str]


def _layer(may_import: str, third_party: str = "") -> Layer:
    return Layer(frozenset(may_import.split()), frozenset(third_party.split()))


_DATA = "errors span results likeness"
_BELOW_MODES = f"{_DATA} primitives syntax engine lowering"

# A part may import from itself and from what is named here. `primitives` and `syntax` do not know each other.
LAYERS = {
    "errors": _layer(_DATA),
    "likeness": _layer(""),
    "span": _layer(_DATA),
    "results": _layer(_DATA, "numpy"),
    "primitives": _layer(_DATA, "numpy"),
    "syntax": _layer(_DATA, "lark"),
    "engine": _layer(f"{_DATA} primitives", "numpy"),
    "lowering": _layer(f"{_DATA} primitives syntax engine", "numpy"),
    "modes": _layer(_BELOW_MODES, "numpy"),
    "render": _layer(_DATA, "rich"),
    "cli": _layer(f"{_BELOW_MODES} modes render __init__", "typer numpy"),  # numpy: it reads values from files
    # The faces of the package. `__init__` itself imports nothing before it is asked for a name.
    "python": _layer(f"{_BELOW_MODES} modes autograd", "numpy"),
    "autograd": _layer("engine"),
    "__init__": _layer("python"),
    "__main__": _layer("cli"),
}


class Import(NamedTuple):
    file: Path
    line: int
    module: str

    def __str__(self) -> str:
        return f"{self.file.relative_to(PACKAGE.parent)}:{self.line} imports {self.module}"


def _files(part: str = "") -> list[Path]:
    folder = PACKAGE / part
    files = folder.rglob("*.py") if folder.is_dir() else [PACKAGE / f"{part}.py"]
    return sorted(file for file in files if file.name != "_tables.py")


def _part_of(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def _imports(file: Path) -> Iterator[Import]:
    """Every import of a file: those inside functions, for type checkers, and of modules that a string names, too."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.Import():
                yield from (Import(file, node.lineno, name.name) for name in node.names)
            case ast.ImportFrom():
                assert node.module is not None
                assert node.level == 0, f"{file}:{node.lineno}: a relative import"
                yield from (Import(file, node.lineno, _meant(node.module, name.name)) for name in node.names)
            case ast.Constant(value=str(name)) if "." in name and name in MODULES:
                yield Import(file, node.lineno, name)
            case ast.JoinedStr(values=[ast.Constant(value=str(start)), *_]) if start.startswith("gradcli."):
                yield from (Import(file, node.lineno, name) for name in MODULES if name.startswith(start))
            case ast.JoinedStr(values=[ast.FormattedValue(value=ast.Name(id="__name__")), *_]):
                yield from (Import(file, node.lineno, name) for name in MODULES if name.startswith(f"{_module(file)}."))


def _meant(module: str, name: str) -> str:
    """`from gradcli.engine import node` is an import of the module node; of a function, one of the package."""
    return f"{module}.{name}" if module == "gradcli" or f"{module}.{name}" in MODULES else module


def _module(file: Path) -> str:
    return ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


MODULES = {_module(file): file for file in _files()}


def _imported_part(module: str) -> str:
    """The part of gradcli that `module` names; what is not a part is an attribute of the package itself."""
    part = module.split(".")[1] if "." in module else "__init__"
    return part if part in LAYERS else "__init__"


def test_every_part_of_the_package_has_its_layer() -> None:
    assert {_part_of(file) for file in _files()} <= set(LAYERS)


@pytest.mark.parametrize("part", LAYERS)
def test_imports_keep_to_the_layers(part: str) -> None:
    allowed = LAYERS[part].may_import | {part}
    imports = [found for file in _files() if _part_of(file) == part for found in _imports(file)]
    own = [found for found in imports if found.module.split(".")[0] == "gradcli"]
    assert not [str(found) for found in own if _imported_part(found.module) not in allowed]


@pytest.mark.parametrize("part", LAYERS)
def test_third_party_packages_keep_to_their_layers(part: str) -> None:
    allowed = LAYERS[part].third_party | sys.stdlib_module_names | {"gradcli"}
    imports = [found for file in _files() if _part_of(file) == part for found in _imports(file)]
    assert not [str(found) for found in imports if found.module.split(".")[0] not in allowed]


# ---- no circles inside a part either

CIRCULAR = ("cli", "lowering", "primitives", "syntax")
"""Parts that are not held to it yet: take out the name of one that is mended."""


def _circle(graph: Mapping[str, set[str]]) -> list[str]:
    """The modules that import themselves, perhaps through others."""

    def reached(module: str) -> set[str]:
        found: set[str] = set()
        waiting = [module]
        while waiting:
            new = graph[waiting.pop()] - found
            found |= new
            waiting.extend(new)
        return found

    return sorted(module for module in graph if module in reached(module))


def _graph(part: str) -> dict[str, set[str]]:
    modules = {name: file for name, file in MODULES.items() if _part_of(file) == part}
    return {name: {i.module for i in _imports(file)} & (modules.keys() - {name}) for name, file in modules.items()}


@pytest.mark.parametrize("part", [part for part in LAYERS if part not in CIRCULAR])
def test_no_circle(part: str) -> None:
    assert _circle(_graph(part)) == []


@pytest.mark.parametrize("part", CIRCULAR)
def test_a_part_without_a_circle_is_held_to_it(part: str) -> None:
    assert _circle(_graph(part))


def test_what_makes_a_circle_is_found() -> None:
    assert _circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["b", "c"]


# ---- an expression cannot run code

_RUNS_CODE = frozenset(
    {"eval", "exec", "compile", "getattr", "setattr", "delattr", "__import__", "globals", "locals", "open"}
)
_LOADS_CODE = frozenset({"pickle", "marshal", "shelve", "importlib", "builtins", "subprocess", "os", "ctypes", "runpy"})


def _forbidden(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name) if name in _RUNS_CODE:
                yield f"line {node.lineno}: {name}"
            case ast.Attribute(attr=name) if name in ("__dict__", "__globals__", "__class__", "__subclasses__"):
                yield f"line {node.lineno}: {name}"
            case ast.Import(names=names):
                yield from (f"line {node.lineno}: {n.name}" for n in names if n.name.split(".")[0] in _LOADS_CODE)
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] in _LOADS_CODE:
                yield f"line {node.lineno}: {module}"


@pytest.mark.parametrize("part", ["syntax", "lowering"])
def test_nothing_between_a_text_and_its_graph_can_run_code(part: str) -> None:
    found = {str(file): list(_forbidden(file.read_text(encoding="utf-8"))) for file in _files(part)}
    assert not {file: lines for file, lines in found.items() if lines}


@pytest.mark.parametrize("line", ["eval(x)", "f = getattr", "import pickle", "from os import path", "x.__class__"])
def test_what_could_run_code_would_be_found(line: str) -> None:
    assert list(_forbidden(line))
    assert not list(_forbidden("import re\nre.compile(x)"))
