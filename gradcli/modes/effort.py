"""How long one evaluation takes, foreseen from sizes and calls: what follows from it is the same in every run."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.lowering import Run
from gradcli.lowering.plan import Apply, Step
from gradcli.modes.session import Session

STEP, USUAL, CALL = 600, 110, 60
"""What a step takes besides its elements, in elements passed over once; it makes so many calls of Python functions as a
rule, and each of more calls takes so much."""
PASSES = 4
"""What an element takes in a function that is not one of NumPy's own."""
PRODUCTS = 50
"""Operations of linear algebra in the time of one element."""


def effort(session: Session) -> int:
    """That of the first program of a session, in elements passed over once: some 20 ns each in extended precision.

    Calls are counted, not timed: a series of a thousand terms makes some thousands of them.
    """
    calls = steps = elements = 0

    def tally(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    def measure(step: Step, value: Any) -> None:
        nonlocal elements, steps
        steps += 1
        if isinstance(step, Apply) and isinstance(value, Tensor):
            elements += value.array.size * (1 if isinstance(step.primitive.forward, np.ufunc) else PASSES)

    run = Run(session.plans[0], session.at, session.draws, on_step=measure)
    before = sys.getprofile()
    sys.setprofile(tally)
    try:
        run.result()
    finally:
        sys.setprofile(before)
    return STEP * steps + CALL * max(0, calls - USUAL * steps) + elements + session.work // PRODUCTS
