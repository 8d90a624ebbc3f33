"""Literals that float64 does not hold: an integer that is rounded, a number that becomes infinite or 0.

Rounding is what every decimal fraction suffers and no reason to speak. An integer whose digits are all written out was
meant exactly, and a number beyond the range is another one altogether.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal

from gradcli.errors import Caution
from gradcli.span import Source, Span

EXACT = 2**53
"""Integers up to here are float64 numbers without loss."""
_LONGEST = 40
# A number of JSON that may be one of these: many digits, or a long exponent.
_SUSPECT = re.compile(
    r"(?<![\w.])(?=[0-9.]{16}|[0-9.]+[eE][-+]?[0-9]{3})[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![\w.])"
)


def loss(literal: str, source: Source, span: Span) -> Caution | None:
    """The warning about a literal at `span`, or None where float64 stands for what is written."""
    value, plain = float(literal), literal.replace("_", "")
    if 0 < value < EXACT or (value == 0 and not re.search("[1-9]", re.split("[eE]", plain)[0])):
        return None
    if math.isinf(value):
        what = "is too large for float64, and becomes infinite"
    elif value == 0:
        what = "is too small for float64, and becomes 0"
    else:
        number = Decimal(plain)
        # With its last digit beyond the units it is no more exact than a measurement.
        if number == Decimal(value) or int(number.as_tuple().exponent) > 0:
            return None
        what = f"is not held by float64, and becomes {value:.0f}"
    shown = plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}..."
    where = "" if source.name.startswith("expression") else f"{source.name}: "
    # One line: the literal is quoted, so that its place need not be drawn.
    return Caution(f"{where}{shown} {what}", source=Source(source.text, source.name, quoted=False), span=span)


def sub(source: Source, warn: Callable[[Caution], None]) -> str:
    """The JSON text of `source` with such literals replaced by what stands for them, each told to `warn`."""

    def replaced(found: re.Match[str]) -> str:
        caution = loss(found[0], source, Span(*found.span()))
        if caution is not None:
            warn(caution)
        value = float(found[0])
        return repr(value) if math.isfinite(value) else "Infinity"

    return _SUSPECT.sub(replaced, source.text)
