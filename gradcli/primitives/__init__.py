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

_RARER = (
    "alternatives",
    "bessel",
    "classes",
    "determinants",
    "differences",
    "distances",
    "elementary",
    "errorfunctions",
    "factor",
    "gammas",
    "gates",
    "glu",
    "incomplete",
    "losses",
    "matrixfunctions",
    "matrixnorms",
    "order",
    "patterns",
    "pieces",
    "products",
    "rearrange",
    "running",
    "selecting",
    "shrinking",
    "singular",
    "solving",
    "special",
    "spectral",
    "statistics",
)

TABLE.rarer = tuple(f"{__name__}.{module}" for module in _RARER)

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
