"""Products and sums that are not what they look like on paper.

The silent broadcast: a column and a vector of one length that make a matrix, as in `mean(y - x@w)`. The signs × and ·
between arrays: they multiply element by element, as `*` does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from gradcli.errors import Caution
from gradcli.lowering.plan import Apply, Plan
from gradcli.primitives import TABLE
from gradcli.primitives.budget import shape_text
from gradcli.primitives.table import Primitive, Shape
from gradcli.span import Span

_PRODUCT_SIGN = re.compile("[×·⋅]")
_ON_PURPOSE = ("shape", "indexing")
"""Groups of functions with which a column is made by hand: `x[:, None]`, `reshape(x, (3, 1))`, `[[1], [2]]`."""


def surprises(plan: Plan, step: Apply, shapes: Sequence[Shape]) -> Sequence[Caution]:
    """The warnings about a call with operands of these shapes; every run gives them."""
    if len(shapes) < 2 or not _broadcasts(step.primitive):
        return ()
    found = []
    if any(len(shape) != len(shapes[0]) for shape in shapes):
        found.append(_spread_caution(plan, step, shapes))
    if step.primitive is TABLE["mul"] and not plan.source.text.isascii():
        found.append(_sign_caution(plan, step, shapes))
    return [caution for caution in found if caution is not None]


def _broadcasts(primitive: Primitive) -> bool:
    """Whether NumPy's rule spreads the operands over one another, so that a result may be larger than each."""
    return primitive.prepare is None or primitive.spread


def _is_spread(shapes: Sequence[Shape]) -> bool:
    """Whether operands of these shapes, two of them, are a column and a vector of one length above 1."""
    vector, column = sorted(shapes, key=len)
    return len(vector) == 1 and len(column) == 2 and column[1] == 1 and column[0] == vector[0] > 1


def _spread_caution(plan: Plan, step: Apply, shapes: Sequence[Shape]) -> Caution | None:
    """The warning, where two operands are such a pair; None where a column made by hand asks for a matrix."""
    for pair in combinations(range(len(shapes)), 2):
        if _is_spread([shapes[i] for i in pair]):
            column, vector = sorted(pair, key=lambda i: -len(shapes[i]))
            if column == 0 and step.primitive is TABLE["where"]:
                continue  # a condition for each row is meant so
            return None if _by_hand(plan, step.operands[column]) else _caution(plan, step, shapes, column, vector)
    return None


def _sign_caution(plan: Plan, step: Apply, shapes: Sequence[Shape]) -> Caution | None:
    """The warning about × and · between two arrays."""
    left, right = step.spans
    sign = _PRODUCT_SIGN.search(plan.source.text, left.stop, right.start)
    if sign is None or not all(shapes):
        return None
    texts = ", ".join(plan.source.excerpt(span) for span in step.spans)
    return Caution(
        f"{sign[0]} multiplies element by element, as * does",
        span=Span(*sign.span()),
        source=plan.source,
        label="between two arrays",
        help=f"the products of vectors are dot({texts}) and cross({texts})",
    )


def _caution(plan: Plan, step: Apply, shapes: Sequence[Shape], column: int, vector: int) -> Caution:
    texts = {i: plan.source.excerpt(step.spans[i]) for i in sorted((column, vector))}
    n = shape_text(shapes[vector] * 2)
    long, flat = (texts[i] if texts[i].isidentifier() else f"({texts[i]})" for i in (column, vector))
    return Caution(
        f"a column and a vector make a {n} matrix here",
        span=Span(*step.span),
        source=plan.source,
        label=", ".join(f"{text} is {shape_text(shapes[i])}" for i, text in texts.items()),
        help=f"{long}[:, 0] is the column as a vector; if a matrix is meant, {flat}[None, :] says so",
    )


def _by_hand(plan: Plan, register: int) -> bool:
    """Whether shape functions made the column, or elementwise ones from such a column."""
    if plan.by_hand is None:
        found: set[int] = set()
        for number, step in enumerate(plan.steps):
            if isinstance(step, Apply) and (
                step.primitive.group in _ON_PURPOSE
                or (_broadcasts(step.primitive) and not found.isdisjoint(step.operands))
            ):
                found.add(number)
        plan.by_hand = frozenset(found)
    return register in plan.by_hand
