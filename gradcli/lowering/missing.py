"""Names without a value, and what was probably meant by them: imported only where an error is made."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from gradcli.engine.tensor import Tensor
from gradcli.errors import GradcliError, MissingValue, closest
from gradcli.lowering.advice import needless_prefix
from gradcli.lowering.names import CONSTANTS
from gradcli.lowering.plan import Load, Plan, Update, Write
from gradcli.primitives import TABLE
from gradcli.span import Source

# How constants are written elsewhere.
_SPELLINGS = {
    "pi": "PI Pi Π",
    "e": "E",
    "inf": "Inf INF infinity Infinity",
    "nan": "NaN NAN null NULL nil NA undefined",
    "True": "true TRUE",
    "False": "false FALSE",
    "None": "none newaxis",
}
_WRITTEN_AS = {other: name for name, others in _SPELLINGS.items() for other in others.split()}

_NAMED = 5  # names that an error tells; of more than these only the first two are marked in the text
_SHORT = 6  # letters of a name that may be a product
_NEARBY = 60
_NUMBERED = re.compile(r"(\w*?[^\W\d_])_?(\d{1,3})")
_FRACTION = re.compile(r"\b(d\w?)[ \t]*/[ \t]*(d\w)\b")
_INDEXED = re.compile(r"(\w+)[ \t]*\[[^]\[\n]*$")
_DEFINED = re.compile(r"(?m)(?:^|;)[ \t]*(\w+)[ \t]*\([^()\n]*\)[ \t]*=(?!=)")
_RAISED = re.compile(r"([\w.]+|\))[ \t]*(?:\^|\*\*)[ \t]*$")


def missing_value(plan: Plan, missing: Sequence[Load], at: Mapping[str, Tensor]) -> GradcliError:
    """The error for these inputs; `at` are the values that there are."""
    for step in missing:
        prefix = needless_prefix(plan.source, step.name, step.span)
        if prefix is not None:
            return prefix
    more = len(missing) > _NAMED
    names = [step.name for step in missing[:_NAMED]]
    listed = " and ".join(names) if len(names) < 3 else ", ".join(names)
    return MissingValue(
        f"no value for {listed}" + f" and {len(missing) - _NAMED:,} more" * more,
        span=missing[0].span,
        source=plan.source,
        related=tuple((step.span, "") for step in missing[1 : 2 if more else None]),
        help=_help(plan, missing, at),
    )


def _help(plan: Plan, missing: Sequence[Load], at: Mapping[str, Tensor]) -> str:
    written = {step.base: type(step) for step in plan.steps if isinstance(step, Write | Update)}
    lacking = {step.name for step in missing}
    for number, kind in written.items():
        step = plan.steps[number]
        if isinstance(step, Load) and step.name in lacking:
            return f"{step.name} = {'zeros(...)' if kind is Write else '0'} first"
    defined = {found[1] for found in _DEFINED.finditer(plan.source.text)}
    for step in missing:
        if step.name in TABLE and not TABLE[step.name].hidden:
            return f"{step.name} is a function: {step.name}(x); or add --at {step.name}=..."
        if step.name in defined:
            return f"{step.name} is a function: {step.name}(x)"
    read = frozenset(plan.names())
    unread = [name for name in at if name not in read]
    named = missing[:_NAMED]
    meant = {step.name: _meant(plan.source, step, at) or _misspelled(step.name, unread) for step in named}
    rest = " ".join(f"--at {name}=..." for name, found in meant.items() if not found or found.startswith("did"))
    known = dict.fromkeys(filter(None, meant.values()))
    return "; ".join([*known, *([f"add {rest}" + " ..." * (len(missing) > _NAMED)] if rest else [])])


def _misspelled(name: str, unread: Collection[str]) -> str:
    like = closest(name, unread)
    return f"did you mean {like} for {name}?" if like else ""


def _meant(source: Source, step: Load, at: Mapping[str, Tensor]) -> str:
    """How what the name seems to say is written, or an empty text."""
    name, before = step.name, source.text[max(0, step.span.start - _NEARBY) : step.span.start]
    indexed, raised = _INDEXED.search(before), _RAISED.search(before)
    if name == "end" and indexed:
        return f"the last element is {indexed[1]}[-1]"
    if name == "T" and raised:
        return f"the transpose is written {raised[1] if raised[1] != ')' else '(...)'}.T"
    if name in _WRITTEN_AS:
        return f"write {_WRITTEN_AS[name]} for {name}" + (f", or add --at {name}=..." if len(name) == 1 else "")
    if any(name in found.groups() for found in _FRACTION.finditer(source.text)):
        return "`gradcli diff` gives the derivative"
    numbered = _NUMBERED.fullmatch(name)
    if numbered and numbered[1] in at and at[numbered[1]].shape:
        return f"write {numbered[1]}[{int(numbered[2])}] for {name}; the first element is {numbered[1]}[0]"
    if 1 < len(name) <= _SHORT and all(letter in at for letter in name):
        return f"write {'*'.join(name)} for {name}"
    return _unbracketed(name, at)


def _unbracketed(name: str, at: Collection[str]) -> str:
    """`sinx`: a function and its argument."""
    for i in range(len(name) - 1, 1, -1):
        function, argument = name[:i], name[i:]
        if function in TABLE and not TABLE[function].hidden and (argument in at or argument in CONSTANTS):
            return f"write {function}({argument}) for {name}"
    return ""
