"""Hatch build hook: writes the LALR tables of expression.lark to gradcli/syntax/_tables.py.

By hand, in a checkout: `python grammar/build.py`.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

GRAMMAR = "grammar/expression.lark"
TABLES = "gradcli/syntax/_tables.py"


class TablesHook(BuildHookInterface[Any]):
    """Runs before a wheel is put together, an editable one too."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        write_tables(Path(self.root))
        build_data["artifacts"].append(TABLES)


def write_tables(root: Path) -> None:
    # Loaded by path: gradcli and what it needs are not installed while it is being built.
    location = importlib.util.spec_from_file_location("tables", root / "gradcli/syntax/tables.py")
    assert location is not None
    assert location.loader is not None
    tables = importlib.util.module_from_spec(location)
    location.loader.exec_module(tables)
    text = (root / GRAMMAR).read_text(encoding="utf-8")
    (root / TABLES).write_text(tables.dump(text), encoding="utf-8")


if __name__ == "__main__":
    write_tables(Path(__file__).resolve().parent.parent)
