"""Names: the constants of the language, and the known name that an unknown one may stand for."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from gradcli.errors import BadArgument, InplaceWrite, UnknownName
from gradcli.primitives import TABLE
from gradcli.span import Span
from gradcli.syntax import nodes

CONSTANTS = {"pi": np.pi, "π": np.pi, "e": np.e, "inf": np.inf, "nan": np.nan}
"""Names with a value until an assignment or an input takes them."""

MODULES = frozenset(("np", "numpy", "math", "torch", "jnp", "scipy"))
STAND_ALONE = "functions stand alone: sin(x), not np.sin(x)"

# What Python and its libraries call otherwise, or a calculator does not need.
_ELSEWHERE = {
    "print": "the result is shown by itself",
    "len": "size(x) counts elements, shape(x) those of each axis",
    "range": "arange(n) counts from 0",
    "array": "a list is an array: [1, 2]",
    "tensor": "a list is an array: [1, 2]",
    "float": "every number is one",
    "grad": "`gradcli diff` gives the gradient",
    "backward": "`gradcli diff` gives the gradient",
    "factorial": "gamma(n + 1)",
}


def closest(name: str, known: Sequence[str]) -> str:
    """The known name most like `name`, or an empty text."""
    import difflib  # only ever needed for an error

    same = [other for other in known if other.casefold() == name.casefold()]
    found = same or difflib.get_close_matches(name, known, 1) or difflib.get_close_matches(name.lower(), known, 1)
    return found[0] if found else ""


def unknown_function(node: nodes.Call, known: Sequence[str], values: Collection[str]) -> UnknownName:
    """`values` are the names that stand for values: `y(2)` may have meant a product."""
    name = node.function
    like = closest(name, [other for other in known if other not in TABLE or not TABLE[other].hidden])
    help = f"did you mean {like}?" if like else "`gradcli functions` lists what there is"
    if name in values:
        help = f"{name} is a value: a product is written {name}*(...), an element {name}[...]"
    elif _of_module(node):
        help = STAND_ALONE
    return UnknownName(f"there is no function called {name}", span=node.name_span, help=_ELSEWHERE.get(name, help))


def misfit(node: nodes.Call, error: BadArgument) -> BadArgument:
    """Arguments that do not fit, at the place of the call."""
    error.span = node.span
    if _of_module(node):
        error.help = STAND_ALONE
    return error


def _of_module(node: nodes.Call) -> bool:
    """Whether a call is spelled `np.sin(x)`, which reads as the method of a value called np."""
    first = node.arguments[0] if node.arguments else None
    return isinstance(first, nodes.Name) and first.name in MODULES


def missing_help(missing: Sequence[str], at: Sequence[str]) -> str:
    """What to do about names without a value; `at` are those given that nothing reads."""
    if MODULES.intersection(missing):
        return STAND_ALONE
    functions = [name for name in missing if name in TABLE and not TABLE[name].hidden]
    if functions:
        return f"{functions[0]} is a function: {functions[0]}(x); or add --at {functions[0]}=..."
    like = {name: closest(name, at) for name in missing}
    meant = [f"did you mean {found} for {name}?" for name, found in like.items() if found]
    return "; ".join([*meant, "add " + " ".join(f"--at {name}=..." for name in missing)])


def written_input(name: str, span: Span) -> InplaceWrite:
    return InplaceWrite(
        f"{name} is an input: it cannot be written to", span=span, help=f"write into a copy: y = 1*{name}"
    )
