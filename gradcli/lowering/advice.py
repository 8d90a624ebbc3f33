"""Errors of names and calls, and what was probably meant: imported only where an error is made."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from gradcli.errors import BadArgument, GradcliError, InplaceWrite, UnknownName, closest
from gradcli.lowering.plan import Apply, Plan
from gradcli.lowering.synonyms import surplus, synonym
from gradcli.primitives import TABLE
from gradcli.primitives.table import Primitive
from gradcli.span import Source, Span
from gradcli.syntax import nodes

# A method, with its arguments where they are short.
_NEARBY = 60
_SINGLE = re.compile(r"[\w.]+")
_BY_NAME = re.compile(r"\b(?:axis|dim|keepdims?)\s*=")
_INTEGERS = re.compile(r"[-+0-9.,()\s]+")
_CALLED = re.compile(r"\s*\.\s*(\w+)\s*(?!\(\s*\))(?:(\([^()\n]*\))|\()")


def unknown_function(node: nodes.Call, known: Sequence[str], source: Source) -> UnknownName:
    """No function of that name: often a name that stands for a value, and a product was meant."""
    name = node.function
    like = closest(name, [other for other in known if other not in TABLE or not TABLE[other].hidden])
    help = synonym(name) or (f"did you mean {like}?" if like else "`gradcli functions` lists what there is")
    product = f"a product is written {name}*(...), an element {name}[...]"
    if re.search(rf"(?<![\w.]){name}(?!\w|[ \t]*\()", source.text):
        help = f"{name} is a value: {product}"
    elif len(name) == 1 and node.name_span.start == node.span.start and not synonym(name):
        help = f"{product}; {name}(a) = ... defines a function"
    return UnknownName(f"there is no function called {name}", span=node.name_span, help=help)


def misfit(node: nodes.Call, error: BadArgument, source: Source, values: Collection[str]) -> GradcliError:
    """Arguments that do not fit, at the place of the call."""
    error.span = node.span
    first = node.arguments[0] if node.arguments else None
    if isinstance(first, nodes.Name) and first.name not in values:
        prefixed = needless_prefix(source, first.name, first.span)
        if prefixed is not None:
            return prefixed
    spans = [argument.span for argument in node.arguments]
    texts = [source.cut(span) for span in spans]
    primitive = TABLE[node.function]
    if len(texts) > 2 and _reduces(primitive) and not node.keywords and not primitive.misuse:
        error.help = several(primitive, texts)
    if len(texts) == 2 and not node.keywords:
        left, right = (operand_text(source, span) for span in spans)
        error.help = surplus(primitive.name, (texts[0], texts[1]), (left, right)) or error.help
    return error


def _reduces(primitive: Primitive) -> bool:
    """Whether this takes one array, and an axis next."""
    names = [parameter.name for parameter in primitive.signature.parameters]
    return names[1:2] == ["axis"] and "keepdims" in names


def several(primitive: Primitive, texts: Sequence[str]) -> str:
    """The help for a function of one array that got several values."""
    listed = f"{primitive.name}([{', '.join(texts)}])"
    if primitive.name == "sum":
        listed = f"{' + '.join(texts)}, or {listed}"
    return f"{listed}; an axis is written axis=0"


def argument_help(plan: Plan, step: Apply, registers: Sequence[Any]) -> str:
    """The help where a plain parameter is what it cannot be: `diff(x**2, x)`, `sum(x, y)`; or an empty text."""
    operand = plan.source.cut(step.spans[0]) if step.spans else ""
    if step.primitive in (TABLE["diff"], TABLE["gradient"]):
        return f"{step.primitive.name} subtracts neighbours; the derivative is what `gradcli diff '{operand}'` gives"
    given = [register for name, _, register in step.params if name in ("axis", "keepdims")]
    if not given or not _reduces(step.primitive) or _BY_NAME.search(plan.source.cut(step.span)):
        return ""
    texts = [operand, *(plan.source.cut(plan.steps[register].span) for register in given)]
    numbers = np.ndim(registers[step.operands[0]]) > 0 and all(map(_INTEGERS.fullmatch, texts[1:]))
    return "" if numbers else several(step.primitive, texts)


def needless_prefix(source: Source, name: str, span: Span) -> UnknownName | None:
    """The error for `np.sin(x)`, which reads as the method of a value called np; `span` is the place of that name."""
    from gradcli.syntax.slips import MODULES, NO_PREFIX  # only ever needed for an error

    called = _CALLED.match(source.text, span.stop, span.stop + _NEARBY) if name in MODULES else None
    if called is None:
        return None
    meant = f"{called[1]}{called[2] or '(...)'}"
    return UnknownName(NO_PREFIX, span=span, source=source, help=f"write {meant}")


def written_input(name: str, target: str, span: Span) -> InplaceWrite:
    """A write into the input `name`, which the program may call `target`."""
    if name == target:
        message, help = f"{name} is an input: it cannot be written to", f"write into a copy: y = 1*{name}"
    else:
        message, help = f"{target} is the input {name}: it cannot be written to", f"{target} = 1*{name} makes a copy"
    return InplaceWrite(message, span=span, help=help)


def written_constant(name: str, span: Span) -> InplaceWrite:
    """A write into a constant of the language."""
    message = f"{name} is a constant: it cannot be written to"
    return InplaceWrite(message, span=span, help=f"write into a copy: y = 1*{name}")


def target_span(source: Source, statement: Span) -> Span:
    """The name that a statement writes to."""
    name = _SINGLE.match(source.text, *statement)
    assert name is not None
    return Span(*name.span())


def operand_text(source: Source, span: Span) -> str:
    """The text of an operand as it can stand beside `.T` or `@`."""
    text = source.cut(span)
    return text if _SINGLE.fullmatch(text) else f"({text})"
