"""The silent broadcast: a column and a vector of one length that make a matrix, as in `mean(y - x@w)`."""

from __future__ import annotations

from gradcli.errors import Caution
from gradcli.lowering.plan import Apply, Plan
from gradcli.primitives.budget import shape_text
from gradcli.primitives.table import Shape
from gradcli.span import Span

_ON_PURPOSE = ("shape", "indexing")
"""Groups of functions with which a column is made by hand: `x[:, None]`, `reshape(x, (3, 1))`, `[[1], [2]]`."""


def is_spread(shapes: tuple[Shape, Shape]) -> bool:
    """Whether elementwise operands of these shapes are a column and a vector of one length above 1."""
    vector, column = sorted(shapes, key=len)
    return len(vector) == 1 and len(column) == 2 and column[1] == 1 and column[0] == vector[0] > 1


def spread_caution(plan: Plan, step: Apply, shapes: tuple[Shape, Shape]) -> Caution | None:
    """The warning; None where the column was made by hand, which asks for a matrix."""
    place = 0 if len(shapes[0]) == 2 else 1
    if _by_hand(plan, step.operands[place]):
        return None
    texts = [plan.source.excerpt(span) for span in step.spans]
    label = ", ".join(f"{text} is {shape_text(shape)}" for text, shape in zip(texts, shapes, strict=True))
    n = shape_text((shapes[0][0],) * 2)
    column, vector = (text if text.isidentifier() else f"({text})" for text in (texts[place], texts[1 - place]))
    return Caution(
        f"a column and a vector make a {n} matrix here",
        span=Span(*step.span),
        source=plan.source,
        label=label,
        help=f"{column}[:, 0] is the column as a vector; if a matrix is meant, {vector}[None, :] says so",
    )


def _by_hand(plan: Plan, register: int) -> bool:
    """Whether shape functions made the column, or elementwise ones from such a column."""
    waiting = [register]
    while waiting:
        step = plan.steps[waiting.pop()]
        if isinstance(step, Apply):
            if step.primitive.group in _ON_PURPOSE:
                return True
            if step.primitive.kind == "elementwise":
                waiting.extend(step.operands)
    return False
