"""What was probably meant by a command line that is wrong: for the help of usage errors."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Sequence
from itertools import dropwhile, takewhile
from typing import TYPE_CHECKING

from gradcli.errors import BadInput, LimitExceeded, SyntaxProblem, UsageProblem, closest

if TYPE_CHECKING:
    from gradcli.cli.parsing import Declared, Word

# Words for options that are called otherwise here.
_SAME = {
    "precision": "--digits",
    "sparse": "--mode sparse",
    "vector": "--tangent",
    "direction": "--tangent",
    "point": "--at",
    "value": "--at",
    "values": "--at",
}
_PLAIN_WORD = re.compile(r"--[A-Za-z][\w-]+")
_PAIR = re.compile(r"[^\W\d]\w*=(?!=).+", re.DOTALL)
_AROUND_EQUALS = re.compile(r"^(\w+)\s*[=\s]\s*")
_LONGEST = 60


def unknown_option(word: Word, command: str, declared: Declared, having: Callable[[str], list[str]]) -> UsageProblem:
    """The error for an option that a command lacks; `having` tells the commands that have one."""
    option = word.option or ""
    same = _SAME.get(option[2:], option)
    spelling = same.partition(" ")[0]
    others = having(spelling)
    near = same if spelling in declared else closest(option, declared)
    whole = option if word.value is None else f"{option}={word.value}"
    if others and spelling not in declared:
        help = f"{'it' if same == option else same} is an option of {', '.join(others)}"
    elif near and len(option) > len("--x"):
        help = f"did you mean {near}?"
    elif word.value and option[2:].isidentifier() and "--at" in declared:
        help = f"a value is given with --at: --at {_shown(whole[2:])}"
    elif _PLAIN_WORD.fullmatch(whole):
        help = f"gradcli {command} --help lists the options"
    else:
        help = f"an expression that begins with -- comes last, after the options and a separate --: -- {_shown(whole)}"
    return UsageProblem(f"no such option: {option}", help=help)


def require_whole(found: Sequence[Word], pairs: Collection[str]) -> None:
    """Raise UsageProblem for a value that the shell has cut into words; `pairs` are options that take NAME=VALUE."""
    several = sum(word.option is None for word in found) > 1
    for number, word in enumerate(found):
        if word.option is None or not word.value:
            continue
        pair = several and word.option in pairs and (word.value.isidentifier() or word.value.endswith("="))
        if not pair and _depth(word.value) <= 0:
            continue
        parts = _parts(word.value, _texts_after(found, number))
        if len(parts) > 1:
            whole = " ".join(parts)
            if word.option in pairs:
                whole = _AROUND_EQUALS.sub(r"\1=", whole)
            help = "quote it" if shlex.quote(whole) != whole else "no blanks around ="
            raise UsageProblem(
                f"{word.option} takes one word, not {len(parts)}", help=f"{help}: {word.option} {_shown(whole)}"
            )


def require_options_first(texts: Sequence[str], declared: Declared, single: bool) -> None:
    """Raise UsageProblem for a text that is an option, as those behind -- may be, unless the command takes it so."""
    if len(texts) < 2:
        return
    for text, after in zip(texts, [*texts[1:], ""], strict=True):
        if text.startswith("--") and text in declared and (single or _PAIR.fullmatch(after)):
            raise UsageProblem(
                f"{text} stands behind --", help="after -- everything is an expression: put the options before it"
            )


def require_options_of_values(found: Sequence[Word]) -> None:
    """Raise UsageProblem for a text behind --at that is NAME=CONSTANT: a value, not a row."""
    for word in dropwhile(lambda word: word.option != "--at", found):
        if word.option is None and word.value and _PAIR.fullmatch(word.value) and _is_value(word.value):
            raise UsageProblem(
                f"{_shown(word.value)} would be an expression here",
                help=f"a value is given with --at: --at {_shown(word.value)}",
            )


def _is_value(pair: str) -> bool:
    from gradcli.cli.values import value

    text = pair.partition("=")[2].strip()
    try:
        return text.startswith("@") or value(text, "") is not None
    except LimitExceeded:
        return True
    except BadInput:
        return False


def too_many(found: Sequence[Word], declared: Declared) -> UsageProblem:
    """The error for several expressions where one is taken."""
    texts = [word.value or "" for word in found if word.option is None]
    for number, text in enumerate(texts):
        near = closest(f"-{text}", declared) if re.fullmatch(r"-[A-Za-z-]{2,}", text) else ""
        if near or (number and re.fullmatch(r"-[A-Za-z]+", text)):
            help = f"did you mean {near}?" if near else f"in an expression with blanks, quote it: {_joined(texts)}"
            return UsageProblem(f"no such option: {text}", help=help)
    return UsageProblem(f"{len(texts)} expressions where one is taken", help=_each_name(found) or _apart(texts))


def _each_name(found: Sequence[Word]) -> str:
    """The help for names behind the first one of --wrt."""
    for number, word in enumerate(found):
        if word.option == "--wrt" and word.value:
            names = [word.value, *takewhile(str.isidentifier, _texts_after(found, number))]
            if len(names) > 1:
                return "each name has an option of its own: " + " ".join(f"--wrt {name}" for name in names)
    return ""


def _apart(texts: Sequence[str]) -> str:
    """The help for words that are all text."""
    pair = next((text for text in texts if _PAIR.fullmatch(text)), None)
    if pair is not None:
        return f"a value is given with --at: --at {_shown(pair)}"
    if sum(map(len, texts)) <= _LONGEST:
        if _parses(" ".join(texts)):
            return f"quote it: {_joined(texts)}"
        if all(map(_parses, texts)):
            return "jacobian takes several; one that holds blanks needs quotes"
    return "quote it, the shell reads * and blanks itself: 'x + 2'"


def _parses(text: str) -> bool:
    from gradcli.span import Source
    from gradcli.syntax import parse

    try:
        parse(Source(text))
    except SyntaxProblem:
        return False
    return True


def _texts_after(found: Sequence[Word], number: int) -> list[str]:
    return [word.value or "" for word in takewhile(lambda word: word.option is None, found[number + 1 :])]


def _parts(value: str, texts: Sequence[str]) -> list[str]:
    """`value` and those of the words behind it that make it whole; alone where none do."""
    depth = _depth(value)
    for number, text in enumerate(texts, start=1):
        depth += _depth(text)
        if depth <= 0 and text != "=":
            return [value, *texts[:number]]
    return [value]


def _depth(text: str) -> int:
    """How many brackets it opens more than it closes."""
    return sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))


def _joined(texts: Sequence[str]) -> str:
    return _shown(" ".join(texts))


def _shown(word: str) -> str:
    """As it is typed in a shell; of a long one the beginning."""
    return shlex.quote(word if len(word) <= _LONGEST else word[: _LONGEST - 3] + "...")
