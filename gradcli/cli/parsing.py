"""Which word of a command line is an option, its value, or text.

A declared option takes its own following word whatever that looks like, `--` ends the options, any other
word that begins with `--` is an error, and everything else is text. So `gradcli diff '-x**2' --at x=2`
works, and so does `--grad-output -1`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from typer.core import TyperCommand, TyperGroup

from gradcli.errors import UsageProblem, closest

# Words for commands that are called otherwise.
_MEANT = {"grad": "diff", "gradient": "diff", "derivative": "diff", "evaluate": "eval", "jac": "jacobian"}
_WHOLE = re.compile(r"[+-]?[0-9]{1,40}")


class Word(NamedTuple):
    """An option as it is spelled and its value (None for a flag, or where it is missing), or text without option."""

    option: str | None
    value: str | None


Declared = Mapping[str, bool]
"""Spellings of options, and whether each takes a value."""


class Command(TyperCommand):
    """A command that reads its words by the rule above."""

    def declared(self, ctx: Any = None) -> Declared:
        parameters = self.get_params(ctx) if ctx else self.params
        return {
            spelling: not getattr(parameter, "is_flag", False)
            for parameter in parameters
            if parameter.param_type_name == "option"
            for spelling in parameter.opts
        }

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if ctx.resilient_parsing:  # while a shell completes a line, it may be wrong
            return super().parse_args(ctx, args)
        declared = self.declared(ctx)
        numbers = {p.opts[0]: p.type for p in self.params if hasattr(p.type, "min")}
        options: list[str] = []
        texts: list[str] = []
        for word in words(args, declared):
            if word.option is None:
                texts.append(word.value or "")
            elif word.option not in declared:
                raise UsageProblem(
                    f"no such option: {word.option}",
                    help=_elsewhere(word.option) or _advice(word.option, declared),
                )
            elif declared[word.option] and word.value is None:
                raise UsageProblem(f"{word.option} takes a value, and none follows")
            else:
                _check_number(word, numbers.get(word.option))
                options += _canonical(word)
        return super().parse_args(ctx, [*options, "--", *texts])


class Commands(TyperGroup):
    """The program: an unknown command gets advice."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name = args[0]
        if name in self.commands or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        near = _MEANT.get(name) or closest(name, self.commands)
        help = f"did you mean {near}?" if near else "gradcli --help lists the commands; EXPR follows a command"
        if not near and not name.isidentifier():
            help = f"an expression follows a command: gradcli eval '{name}', gradcli diff '{name}'"
        raise UsageProblem(f"no such command: {name}", help=help)


def words(args: Sequence[str], declared: Declared) -> Iterator[Word]:
    """The words of a command line; an option that is not declared is handed on as one without a value."""
    rest = iter(args)
    for word in rest:
        name, equals, value = word.partition("=")
        if word == "--":
            yield from (Word(None, text) for text in rest)
        elif word in declared:
            yield Word(word, next(rest, None) if declared[word] else None)
        elif not word.startswith("--"):
            yield Word(None, word)
        else:
            yield Word(name, value if equals else None)


def asked(args: Sequence[str], declared: Declared) -> dict[str, str]:
    """The options of a command line, which may be wrong elsewhere: the last value of each, empty for a flag."""
    return {word.option: word.value or "" for word in words(args, declared) if word.option is not None}


def _check_number(word: Word, bounds: Any) -> None:
    """Typer's own message is no sentence. Raises UsageProblem."""
    if bounds is None:
        return
    text = (word.value or "").strip()
    low, high = bounds.min, math.inf if bounds.max is None else bounds.max
    if _WHOLE.fullmatch(text) is None or not low <= int(text) <= high:
        most = "" if bounds.max is None else f" to {high:,}"
        least = f" from {low}{most}" if most else f", at least {low}"
        raise UsageProblem(f"{word.option} takes a whole number{least}, not {text!r}")


def _canonical(word: Word) -> list[str]:
    assert word.option is not None
    if word.value is None:
        return [word.option]
    return [f"{word.option}={word.value}"] if word.option.startswith("--") else [word.option, word.value]


def _elsewhere(option: str) -> str:
    """The other commands that have an option."""
    from typer.main import get_command

    from gradcli.cli.app import app  # which imports this module

    commands = vars(get_command(app))["commands"].items()
    having = [name for name, command in commands if isinstance(command, Command) and option in command.declared()]
    return f"it is an option of {', '.join(having)}" if having else ""


def _advice(option: str, declared: Declared) -> str:
    near = closest(option, declared)
    return (
        f"did you mean {near}?" if near else f"an expression that begins with -- follows a separate --: -- '{option}'"
    )
