"""The table of primitives, filled by the modules beside it."""

from gradcli.primitives import (
    activations,
    arithmetic,
    choice,
    creation,
    exponential,
    indexing,
    linalg,
    norms,
    random,
    reductions,
    shapes,
    trigonometric,
)
from gradcli.primitives.table import TABLE

__all__ = [
    "TABLE",
    "activations",
    "arithmetic",
    "choice",
    "creation",
    "exponential",
    "indexing",
    "linalg",
    "norms",
    "random",
    "reductions",
    "shapes",
    "trigonometric",
]
