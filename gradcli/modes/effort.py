"""How long one evaluation takes, foreseen from sizes and operations: what follows from it is the same in every run."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.lowering import Run
from gradcli.lowering.plan import Apply, Step
from gradcli.modes.session import Session
from gradcli.primitives.table import Primitive

STEP, ROUTINE, TERM = 600, 8_000, 1_000
"""What any step takes besides its elements, what a routine of several steps takes more, and each term of a long series;
in elements passed over once."""
PASSES = 4
"""What an element takes in a function that is not one of NumPy's own."""
PRODUCTS = 50
"""Operations of linear algebra in the time of one element."""


def effort(session: Session) -> int:
    """That of the first program of a session, in elements passed over once: some 20 ns each in extended precision."""
    total = session.work // PRODUCTS

    def measure(step: Step, value: Any) -> None:
        nonlocal total
        total += STEP
        if isinstance(step, Apply) and isinstance(value, Tensor):
            total += _cost(step.primitive, value.array.size)

    Run(session.plans[0], session.at, session.draws, on_step=measure).result()
    return total


def _cost(primitive: Primitive, size: int) -> int:
    routine = ROUTINE if primitive.kind == "general" or primitive.group == "special" else 0
    passes = 1 if isinstance(primitive.forward, np.ufunc) else PASSES
    return routine + TERM * primitive.terms + passes * size
