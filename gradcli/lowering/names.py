"""Names: the constants of the language, and the known name that an unknown one may stand for."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np

from gradcli.errors import BadArgument, GradcliError, InplaceWrite, UnknownName, closest
from gradcli.primitives import TABLE
from gradcli.span import Source, Span
from gradcli.syntax import nodes

CONSTANTS = {"pi": np.pi, "π": np.pi, "e": np.e, "inf": np.inf, "nan": np.nan}
"""Names with a value until an assignment or an input takes them."""

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


# A method, with its arguments where they are short.
_NEARBY = 60
_CALLED = re.compile(r"\s*\.\s*(\w+)\s*(?!\(\s*\))(?:(\([^()\n]*\))|\()")


def unknown_function(node: nodes.Call, known: Sequence[str], values: Collection[str]) -> UnknownName:
    """`values` are the names that stand for values: `y(2)` may have meant a product."""
    name = node.function
    like = closest(name, [other for other in known if other not in TABLE or not TABLE[other].hidden])
    help = f"did you mean {like}?" if like else "`gradcli functions` lists what there is"
    if name in values:
        help = f"{name} is a value: a product is written {name}*(...), an element {name}[...]"
    return UnknownName(f"there is no function called {name}", span=node.name_span, help=_ELSEWHERE.get(name, help))


def misfit(node: nodes.Call, error: BadArgument, source: Source, values: Collection[str]) -> GradcliError:
    """Arguments that do not fit, at the place of the call."""
    error.span = node.span
    first = node.arguments[0] if node.arguments else None
    if isinstance(first, nodes.Name) and first.name not in values:
        return needless_prefix(source, first.name, first.span) or error
    return error


def missing_help(missing: Sequence[str], at: Sequence[str]) -> str:
    """What to do about names without a value; `at` are those given that nothing reads."""
    functions = [name for name in missing if name in TABLE and not TABLE[name].hidden]
    if functions:
        return f"{functions[0]} is a function: {functions[0]}(x); or add --at {functions[0]}=..."
    like = {name: closest(name, at) for name in missing}
    meant = [f"did you mean {found} for {name}?" for name, found in like.items() if found]
    return "; ".join([*meant, "add " + " ".join(f"--at {name}=..." for name in missing)])


def needless_prefix(source: Source, name: str, span: Span) -> UnknownName | None:
    """The error for `np.sin(x)`, which reads as the method of a value called np; `span` is the place of that name."""
    from gradcli.syntax.slips import MODULES, NO_PREFIX  # only ever needed for an error

    called = _CALLED.match(source.text, span.stop, span.stop + _NEARBY) if name in MODULES else None
    if called is None:
        return None
    meant = f"{called[1]}{called[2] or '(...)'}"
    return UnknownName(NO_PREFIX, span=span, source=source, help=f"write {meant}")


def written_input(name: str, span: Span) -> InplaceWrite:
    return InplaceWrite(
        f"{name} is an input: it cannot be written to", span=span, help=f"write into a copy: y = 1*{name}"
    )
