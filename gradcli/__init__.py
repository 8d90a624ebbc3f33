"""gradcli: gradients and Jacobians of expressions, in the shell and in Python.

Importing the package alone is cheap: the engine, and NumPy with it, comes with the first name that is asked for (see
`gradcli.python` for what there is).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradcli.python import *  # noqa: F403  # for type checkers: at run time the names come one by one

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        value = import_module("gradcli.python").NAMES[name]
    except KeyError:
        raise AttributeError(f"module 'gradcli' has no attribute {name!r}") from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*import_module("gradcli.python").NAMES, "__version__"])
