"""From options to an expression and the values that it is taken at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradcli.cli import files, reporting, values
from gradcli.errors import Caution, LimitExceeded, UsageProblem, closest
from gradcli.primitives import budget

if TYPE_CHECKING:
    from gradcli.cli.options import Inputs
    from gradcli.modes import Expression
    from gradcli.results import Value

_SIZE = re.compile(r"(?P<number>[0-9]{1,15}(?:\.[0-9]{1,9})?) ?(?P<unit>[KMGT]?)(?:i?B)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Problem:
    """An expression, the values of its variables, and those of one more option, where it has any."""

    expression: Expression
    at: dict[str, Any]
    extra: Value | None
    named: dict[str, Value]


def problem(
    inputs: Inputs,
    texts: Sequence[str] | None,
    *,
    wrt: Sequence[str] | None = (),
    extra: tuple[str, str | None] = ("", None),
    named: tuple[str, Sequence[str] | None] = ("", None),
) -> Problem:
    """Read everything that the options name, in the order that random numbers are drawn in.

    `extra` is the name and the text of one more option that takes a VALUE, `named` of one that takes NAME=VALUE.
    `wrt` are the names to differentiate by, None for those that the values leave.
    """
    from gradcli.modes.inputs import no_gradient
    from gradcli.primitives.random import manual_seed

    bound = values.pairs(inputs.at or (), "--at")
    others = values.pairs(named[1] or (), named[0])
    _require_one_reader(inputs, texts or (), [*bound.values(), extra[1] or "", *others.values()])
    budget.set_limit(_size(inputs.max_memory))
    manual_seed(inputs.seed)
    expression = _expression(inputs, texts or ())
    needed = {*expression.names, *expression.constants, *(wrt or ()), *others}
    data, names = values.table(inputs.data, needed) if inputs.data is not None else ({}, ())
    at = {**data, **{name: values.value(text, f"--at {name}") for name, text in bound.items()}}
    more = None if extra[1] is None else values.value(extra[1], extra[0])
    given = {name: values.value(text, f"{named[0]} {name}") for name, text in others.items()}
    masks = expression.masks(at) if wrt is None else ()
    for caution in (
        *_lacking(inputs.data, names, [name for name in expression.names if name not in at]),
        *_unread([name for name in bound if name not in expression.assigned], needed),
        *expression.cautions(bound),
        *(Caution(no_gradient(name)) for name in masks),
        *(expression.left_out(at) if wrt is None else ()),
    ):
        reporting.warn(caution)
    return Problem(expression, at, more, given)


def _expression(inputs: Inputs, texts: Sequence[str]) -> Expression:
    from gradcli.modes import parse

    if inputs.file is not None:
        if texts:
            raise UsageProblem(
                "an expression and --file at once", help="the file holds the expression; give one of them"
            )
        if files.is_stdin(inputs.file):
            return parse(_program("-"))
        return parse(_program(inputs.file), name=inputs.file)
    if not texts:
        raise UsageProblem("no expression", help="for example gradcli diff 'x**2' --at x=3; - reads it from stdin")
    read = [_program(text) if text == "-" else text for text in texts]
    return parse(read if len(read) > 1 else read[0])


def _require_one_reader(inputs: Inputs, texts: Sequence[str], given: Iterable[str]) -> None:
    """Stdin can be read for one purpose only. Raises UsageProblem before anything is read."""
    readers = [f"--file {inputs.file}"] if files.is_stdin(inputs.file or "") else []
    readers += ["EXPR -" for text in texts if text == "-"]
    readers += [f"--data {inputs.data}"] if files.is_stdin(inputs.data or "") else []
    readers += [text for text in given if values.reads_stdin(text)]
    if len(readers) > 1:
        raise UsageProblem(f"stdin is wanted twice, for {readers[0]} and for {readers[1]}")


def _program(path: str) -> str:
    with files.open_binary(path, files.SOURCE_SIZE) as file:
        data = file.read(files.SOURCE_SIZE + 1)
    piped = files.is_stdin(path)
    if len(data) > files.SOURCE_SIZE:
        raise LimitExceeded(f"{'stdin' if piped else path}: too long for an expression")
    return files.text_of(data, "stdin").text if piped else files.decoded(data, path).text


def _lacking(path: str | None, data: Iterable[str], names: Iterable[str]) -> Iterable[Caution]:
    """Names without a value, where a file was to give them."""
    if path is not None:
        for name in names:
            yield Caution(f"{path} does not give {name}", help=f"it gives {files.listed(data)}")


def _unread(bound: Iterable[str], needed: Iterable[str]) -> Iterable[Caution]:
    """Names given with --at that nothing reads: most often a slip of the pen."""
    from gradcli.lowering import CONSTANTS

    read = {*needed, *CONSTANTS}
    for name in bound:
        if name not in read:
            near = closest(name, read)
            help = f"did you mean {near}?" if near else ""
            yield Caution(f"the expression does not read {name}, which --at gives", help=help)


def _size(text: str) -> int:
    match = _SIZE.fullmatch(text.strip())
    if match is None or not float(match["number"]):
        raise UsageProblem(f"--max-memory takes a size, not {text!r}", help="for example --max-memory 500M or 2G")
    return int(float(match["number"]) * 1024 ** " KMGT".index(match["unit"].upper() or " "))
