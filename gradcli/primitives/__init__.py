"""The table of primitives, filled by the modules beside it."""

from gradcli.primitives import arithmetic, choice, indexing, linalg, reductions, shapes
from gradcli.primitives.table import TABLE

__all__ = ["TABLE", "arithmetic", "choice", "indexing", "linalg", "reductions", "shapes"]
