"""Names: the constants of the language, and the known name that an unknown one may stand for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradcli.errors import InplaceWrite, UnknownName
from gradcli.primitives import TABLE
from gradcli.span import Span
from gradcli.syntax import nodes

CONSTANTS = {"pi": np.pi, "π": np.pi, "e": np.e, "inf": np.inf, "nan": np.nan}
"""Names with a value until an assignment or an input takes them."""


def closest(name: str, known: Sequence[str]) -> str:
    """The known name most like `name`, or an empty text."""
    import difflib  # only ever needed for an error

    same = [other for other in known if other.casefold() == name.casefold()]
    found = same or difflib.get_close_matches(name, known, 1) or difflib.get_close_matches(name.lower(), known, 1)
    return found[0] if found else ""


def unknown_function(node: nodes.Call, known: Sequence[str]) -> UnknownName:
    like = closest(node.function, [name for name in known if name not in TABLE or not TABLE[name].hidden])
    return UnknownName(
        f"there is no function called {node.function}",
        span=node.name_span,
        help=f"did you mean {like}?" if like else "`gradcli functions` lists what there is",
    )


def written_input(name: str, span: Span) -> InplaceWrite:
    return InplaceWrite(
        f"{name} is an input: it cannot be written to", span=span, help=f"write into a copy: y = 1*{name}"
    )
