"""An expression cannot run code, reach Python's objects, or touch a file."""

import ast
import json
from pathlib import Path

import pytest

import gradcli

AT = ("--at", "x=[1, 2, 3]")

HOSTILE = [
    ("().__class__.__bases__[0].__subclasses__()", 3, 4),
    ('__import__("os").system("touch pwned")', 4, 18),
    ("x.__init__.__globals__", 3, 3),
    ("print.__reduce__()", 4, 7),
    ("(lambda: 0)()", 3, 2),
    ("[c for c in x]", 3, 4),
    ('f"{x.__class__}"', 3, 2),
    ('"{0.__class__}".format(x)', 4, 17),
    ('x.tofile("pwned")', 4, 3),
    ("sum.__self__", 3, 5),
    ('numpy.load("a")', 4, 7),
    ('open("/etc/passwd")', 4, 1),
    ("exec", 4, 1),
    ('eval("1")', 4, 1),
    ("x.T.__class__", 3, 5),
    (r"\u005f\u005fclass\u005f\u005f", 3, 1),
    ("\uff45\uff56\uff41\uff4c(1)", 3, 1),
    ('einsum("i,i->;import os", x, x)', 4, 1),
    ('norm(x, "__class__")', 4, 1),
    ("x[__import__]", 4, 3),
    ("x if x else x", 3, 3),
    ("a := 1", 3, 3),
    ("@x", 3, 1),
    ("del x", 3, 1),
    ("import os", 3, 1),
]


@pytest.mark.parametrize(("text", "code", "column"), HOSTILE)
@pytest.mark.parametrize("command", ["eval", "diff"])
def test_refused_at_its_place(run, tmp_path, command, text, code, column):
    done = run(command, text, *AT, "--json")
    assert (done.code, done.out) == (code, "")
    error = json.loads(done.err.splitlines()[-1])
    assert (error["line"], error["column"]) == (1, column)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("text", "code", "column"), HOSTILE)
def test_refused_as_a_value(run, text, code, column):
    assert run("eval", "y", "--at", f"y={text}", *AT).code == 5


FORBIDDEN = {"getattr", "setattr", "eval", "exec", "compile", "open", "__import__", "globals", "vars", "import_module"}


@pytest.mark.parametrize("package", ["syntax", "lowering"])
def test_no_way_from_text_to_python(package):
    """What reads expressions calls nothing that could reach Python's own objects by name."""
    for path in (Path(gradcli.__file__).parent / package).glob("*.py"):
        if path.name in ("tables.py", "_tables.py"):  # the grammar's own, read before any expression is
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        called = {
            node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        assert not called & FORBIDDEN, path
        assert not imported & {"pickle", "marshal", "importlib", "builtins", "subprocess", "os"}, path
