"""How long one evaluation takes, foreseen from sizes alone: what follows from it is the same in every run."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.lowering import Run
from gradcli.lowering.plan import Apply, Step
from gradcli.modes.session import Session

STEP = 600
"""What a step takes besides its elements, in elements passed over once by a function of NumPy."""
PASSES, SPECIAL = 4, 150
"""What an element takes in a function written in Python, and in one of the special ones."""
SERIES = 100_000
"""What a step takes besides in one of the special ones, many passes even over a single element."""
PRODUCTS = 50
"""Operations of linear algebra in the time of one element."""


def effort(session: Session) -> int:
    """That of the first program of a session, in elements passed over once: some 20 ns each in extended precision."""
    total = session.work // PRODUCTS

    def count(step: Step, value: Any) -> None:
        nonlocal total
        if isinstance(step, Apply):
            entry = step.primitive
            special = entry.group == "special"
            passes = 1 if isinstance(entry.forward, np.ufunc) else SPECIAL if special else PASSES
            size = value.array.size if isinstance(value, Tensor) else 0
            total += STEP + special * SERIES + passes * size

    Run(session.plans[0], session.at, session.draws, on_step=count).result()
    return total
