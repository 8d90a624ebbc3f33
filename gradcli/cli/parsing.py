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

from gradcli.cli.options import ONE
from gradcli.errors import UsageProblem, closest

# Words for commands that are called otherwise.
_MEANT = {
    "grad": "diff",
    "gradient": "diff",
    "derivative": "diff",
    "derive": "diff",
    "differentiate": "diff",
    "evaluate": "eval",
    "jac": "jacobian",
    "version": "--version",
    "-V": "--version",
}
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
        found = list(words(args, declared))
        options: list[str] = []
        for word in found:
            if word.option is not None:
                self._check(word, declared)
                options += _canonical(word)
        self._check_once(found, declared)
        texts = [word.value or "" for word in found if word.option is None]
        if len(texts) > 1 or any(word.option in ("-f", "--file") for word in found):
            self._check_texts(found, texts, declared)
        return super().parse_args(ctx, [*options, "--", *texts])

    def _check_texts(self, found: Sequence[Word], texts: Sequence[str], declared: Declared) -> None:
        """Raise UsageProblem where words that are no options were not meant as so many expressions."""
        from gradcli.cli import advice  # needed by few command lines

        advice.require_whole(found, [p.opts[0] for p in self.params if p.metavar == "NAME=VALUE"])
        single = any(p.metavar == ONE for p in self.params)
        advice.require_options_first(texts, declared, single)
        if len(texts) > 1 and single:
            raise advice.too_many(found, declared)
        advice.require_options_of_values(found)

    def _check(self, word: Word, declared: Declared) -> None:
        """Raise UsageProblem for an option that does not exist, or whose value cannot be one."""
        option = word.option or ""
        if option not in declared:
            from gradcli.cli import advice

            raise advice.unknown_option(word, self.name or "", declared, _having)
        if declared[option] and word.value is None:
            raise UsageProblem(f"{option} takes a value, and none follows")
        numbers = {p.opts[0]: p.type for p in self.params if hasattr(p.type, "min")}
        _check_number(word, numbers.get(option))

    def _check_once(self, found: Sequence[Word], declared: Declared) -> None:
        """Raise UsageProblem for a second value of an option that has one. A flag says the same twice."""
        given = [word.option for word in found]
        for parameter in self.params:
            spelled = [option for option in given if option in parameter.opts]
            if len(spelled) > 1 and declared[spelled[0]] and not parameter.multiple:
                raise UsageProblem(f"{spelled[-1]} is given twice")


class Commands(TyperGroup):
    """The program: an unknown command gets advice, and so does an option before it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        option = args[0].partition("=")[0] if args else ""
        own = [spelling for parameter in self.get_params(ctx) for spelling in parameter.opts]
        if option[:1] != "-" or option in ("--", *own) or ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        near = _MEANT.get(option) or closest(option, own)
        if near:
            raise UsageProblem(f"no such option: {option}", help=f"did you mean {near}?")
        if option[:2] != "--" and not _having(option):
            raise UsageProblem("no command", help=_after_command(args[0]))
        raise UsageProblem(
            f"no such option: {option}", help=f"options come after the command: gradcli diff EXPR {option} ..."
        )

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name = args[0]
        if name in self.commands or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        near = _MEANT.get(name) or closest(name, self.commands)
        help = f"did you mean {near}?" if near else "gradcli --help lists the commands; EXPR follows a command"
        if not near and not name.isidentifier():
            help = _after_command(name)
        raise UsageProblem(f"no such command: {name}", help=help)


def _after_command(text: str) -> str:
    return f"an expression follows a command: gradcli eval '{text}', gradcli diff '{text}'"


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


def _having(option: str) -> list[str]:
    """The commands that have an option."""
    from typer.main import get_command

    from gradcli.cli.app import app  # which imports this module

    commands = vars(get_command(app))["commands"].items()
    return [name for name, command in commands if isinstance(command, Command) and option in command.declared()]
