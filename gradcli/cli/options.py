"""Every option, declared once. Two groups are shared by the commands: what goes in, and how it comes out.

A command takes a group as one parameter of that class; `grouped` shows Typer the options instead.
(No postponed annotations here: Typer reads them as objects.)
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from typer import Argument, Option

ONE = "EXPR"
"""Marks the commands that take one expression."""
OneExpression = Annotated[
    list[str] | None,
    Argument(metavar=ONE, help="The expression; - reads it from stdin.", show_default=False),
]
Expressions = Annotated[
    list[str] | None,
    Argument(metavar="EXPR...", help="The expression; several are the rows of one vector.", show_default=False),
]


def _names(given: list[str] | None) -> list[str] | None:
    """`x,y` as two names; what is no list of names is left as it is, for an error that quotes it."""
    if not given:
        return None
    names: list[str] = []
    for word in given:
        parts = [part.strip() for part in word.split(",")]
        names += parts if all(map(str.isidentifier, parts)) else [word]
    return names


Wrt = Annotated[
    list[str] | None,
    Option("--wrt", metavar="NAME", callback=_names, help="Differentiate with respect to this name. Repeatable."),
]
GradOutput = Annotated[
    str | None, Option("--grad-output", metavar="VALUE", help="Weights of a result that is not a scalar.")
]
Cotangent = Annotated[
    str | None,
    Option("--cotangent", metavar="VALUE", help="What to pull back: of the result's shape; 1 for a scalar."),
]
Tangents = Annotated[
    list[str] | None,
    Option("--tangent", metavar="NAME=VALUE", help="The direction in a variable, of its shape. Repeatable."),
]
Claims = Annotated[
    list[str] | None,
    Option("--against", metavar="NAME=VALUE", help="Check this derivative, a block of the Jacobian. Repeatable."),
]
Order = Annotated[int, Option("--order", metavar="N", min=1, max=1000, help="N-th derivative in one scalar variable.")]
MODES = ("auto", "rows", "stacked", "columns", "sparse")
HESSIAN_MODES = ("auto", "sparse")
HessianMode = Annotated[str, Option("--mode", metavar="MODE", help=f"How it is given: {', '.join(HESSIAN_MODES)}.")]
Mode = Annotated[str, Option("--mode", metavar="MODE", help=f"How it is made: {', '.join(MODES)}.")]
Pattern = Annotated[bool, Option("--pattern", help="Only where the Jacobian can differ from 0.")]
Diagonal = Annotated[bool, Option("--diag", help="Only the diagonal of the Hessian.")]
FunctionName = Annotated[str | None, Argument(metavar="NAME", help="A function.", show_default=False)]
Topic = Annotated[str | None, Argument(metavar="TOPIC", help="A topic.", show_default=False)]
Shell = Annotated[str | None, Argument(metavar="SHELL", help="bash, zsh, fish or powershell.", show_default=False)]


@dataclass(frozen=True)
class Inputs:
    """Where the expression and the values come from."""

    file: Annotated[
        str | None, Option("-f", "--file", metavar="FILE", help="Read the expression from a file; - is stdin.")
    ] = None
    at: Annotated[
        list[str] | None,
        Option("--at", metavar="NAME=VALUE", help="Value of a variable: a number, an array, @FILE or @-. Repeatable."),
    ] = None
    data: Annotated[
        str | None, Option("--data", metavar="FILE", help="Values from a .json object or .npz; - is stdin.")
    ] = None
    seed: Annotated[int, Option("--seed", metavar="N", min=0, help="Seed of rand and randn.")] = 0
    max_memory: Annotated[str, Option("--max-memory", metavar="SIZE", help="Bound of every allocation.")] = "2G"


@dataclass(frozen=True)
class Output:
    """How the result is written, and where."""

    strict: Annotated[bool, Option("--strict", help="A result that is not finite is an error.")] = False
    format: Annotated[
        str | None, Option("--format", metavar="FORMAT", help="See `gradcli help formats`. Default: auto.")
    ] = None
    json: Annotated[bool, Option("--json", help="The same as --format json.")] = False
    plain: Annotated[bool, Option("--plain", help="The same as --format plain.")] = False
    output: Annotated[
        str | None, Option("-o", "--output", metavar="FILE", help="Write to a file; its suffix picks the format.")
    ] = None
    color: Annotated[str, Option("--color", metavar="WHEN", help="auto, always or never.")] = "auto"
    digits: Annotated[
        int, Option("--digits", metavar="N", min=1, max=17, help="Significant digits of tables and trees.")
    ] = 6


_GROUPS: tuple[type[Any], ...] = (Inputs, Output)


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """`command` with each parameter that is a group replaced by the options of the group."""
    groups: dict[str, tuple[type[Any], list[str]]] = {}
    flat: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
        options = [parameter]
        if parameter.annotation in _GROUPS:
            options = list(inspect.signature(parameter.annotation).parameters.values())
            groups[name] = parameter.annotation, [option.name for option in options]
        flat.extend(option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in options)

    def shown(**given: Any) -> None:
        filled = {
            name: group(**{option: given.pop(option) for option in options})
            for name, (group, options) in groups.items()
        }
        command(**given, **filled)

    shown.__name__, shown.__doc__ = command.__name__, command.__doc__
    shown.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    return shown
