"""Errors of names and calls, and what was probably meant: imported only where an error is made."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from gradcli.errors import BadArgument, GradcliError, InplaceWrite, UnknownName, closest
from gradcli.lowering.synonyms import surplus, synonym
from gradcli.primitives import TABLE
from gradcli.span import Source, Span
from gradcli.syntax import nodes

# A method, with its arguments where they are short.
_NEARBY = 60
_SINGLE = re.compile(r"[\w.]+")
_CALLED = re.compile(r"\s*\.\s*(\w+)\s*(?!\(\s*\))(?:(\([^()\n]*\))|\()")


def unknown_function(node: nodes.Call, known: Sequence[str], values: Collection[str]) -> UnknownName:
    """`values` are the names that stand for values: `y(2)` may have meant a product."""
    name = node.function
    if name in values:
        help = f"{name} is a value: a product is written {name}*(...), an element {name}[...]"
    else:
        like = closest(name, [other for other in known if other not in TABLE or not TABLE[other].hidden])
        help = f"did you mean {like}?" if like else "`gradcli functions` lists what there is"
        help = synonym(name) or help
    return UnknownName(f"there is no function called {name}", span=node.name_span, help=help)


def misfit(node: nodes.Call, error: BadArgument, source: Source, values: Collection[str]) -> GradcliError:
    """Arguments that do not fit, at the place of the call."""
    error.span = node.span
    first = node.arguments[0] if node.arguments else None
    if isinstance(first, nodes.Name) and first.name not in values:
        prefixed = needless_prefix(source, first.name, first.span)
        if prefixed is not None:
            return prefixed
    if len(node.arguments) == 2 and not node.keywords:
        spans = [argument.span for argument in node.arguments]
        x, n = (source.cut(span) for span in spans)
        left, right = (operand_text(source, span) for span in spans)
        error.help = surplus(TABLE[node.function].name, (x, n), (left, right)) or error.help
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


def operand_text(source: Source, span: Span) -> str:
    """The text of an operand as it can stand beside `.T` or `@`."""
    text = source.cut(span)
    return text if _SINGLE.fullmatch(text) else f"({text})"
