"""The table of primitives, filled by the modules beside it."""

from gradcli.primitives import (
    arithmetic,
    choice,
    creation,
    exponential,
    indexing,
    linalg,
    random,
    reductions,
    shapes,
    trigonometric,
)
from gradcli.primitives.table import TABLE

__all__ = [
    "TABLE",
    "arithmetic",
    "choice",
    "creation",
    "exponential",
    "indexing",
    "linalg",
    "random",
    "reductions",
    "shapes",
    "trigonometric",
]
