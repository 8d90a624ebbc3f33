"""NAME=VALUE: constants of the language, files, stdin, and the numbers that JSON spells as text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from gradcli.cli import files, reporting
from gradcli.errors import BadInput, UsageProblem
from gradcli.span import Source

if TYPE_CHECKING:
    from gradcli.results import Array, Value

# FILE.npz:KEY, @-:path and FILE.json:path.to.key; the path may hold colons itself.
_PICK = re.compile(r"(?P<path>.+\.(?:npz|json)|-|/dev/(?:stdin|fd/\d+)):(?P<key>(?<=\.npz:).*|[^/]*)", re.DOTALL)
_LOOKS_LIKE_A_FILE = re.compile(r"[^\s()*+,;]+\.(npy|npz|csv|tsv|json|txt)", re.IGNORECASE)
_SECOND_NAME = re.compile(r"[,;]\s*[^\W\d]\w*\s*=(?!=)")
_NAMED = re.compile(r"\s*[^\W\d]\w*\s*=(?!=)")
_STRING = re.compile(r'\s*"[^"\n]*"\s*')
_SUFFIXES = ".npy, .npz, .csv, .tsv, .json or .txt"


def pairs(words: Iterable[str], option: str) -> dict[str, str]:
    """NAME=VALUE words as a dictionary in their order. Raises UsageProblem."""
    from gradcli.modes.given import names as checked

    found: dict[str, str] = {}
    for word in words:
        name, equals, text = word.partition("=")
        name = name.strip()
        if not equals or not name:
            json = word.lstrip().startswith("{")
            help = "names and values as JSON: --data FILE.json" if json else f"for example {option} x=2"
            raise UsageProblem(f"{option} takes NAME=VALUE, not {word!r}", help=help)
        if not name.isidentifier():
            raise UsageProblem(
                f"{option} takes NAME=VALUE, and {name!r} is not a name",
                help="a name is a letter or _, then letters, digits and _",
            )
        checked([name])
        if name in found:
            raise UsageProblem(f"{option} gives {name} twice")
        found[name] = text
    return found


def reads_stdin(text: str) -> bool:
    """Whether a VALUE is `@-`, by whatever name, or picks from it."""
    pick = _PICK.fullmatch(text[1:])
    return text.startswith("@") and files.is_stdin(pick["path"] if pick else text[1:])


def value(text: str, name: str) -> Value:
    """The value that `text` stands for; errors call it `name`. Raises BadInput."""
    if text == "@":
        raise BadInput(f"{name}: no file after @", help="a file is written @FILE, stdin @-")
    if text.startswith("@"):
        return _from_file(text[1:])
    if not text.strip():
        raise BadInput(f"{name}: no value", help=f"for example {name}=2" if " " in name else "")
    found = _from_json(text, name)
    if found is not None:
        return found
    from gradcli.lowering import constant

    try:
        return constant(text, name=name)
    except BadInput as error:
        error.help = _slip(text, name) or error.help
        raise


def _slip(text: str, option: str) -> str:
    """What was probably meant by a VALUE of `option` that is none."""
    if text.strip() == "-":
        return "stdin is written @-"
    if _LOOKS_LIKE_A_FILE.fullmatch(text):
        return f"a file is written with an @: @{text}"
    if text.startswith("="):
        return "one = is enough, between NAME and VALUE"
    if _SECOND_NAME.search(text):
        return "each name has an option of its own: --at x=1 --at y=2"
    if _NAMED.match(text):
        spelling, _, name = option.partition(" ")
        return f"each {spelling} takes one NAME=VALUE" if name else f"{spelling} takes VALUE alone"
    return ""


def table(path: str, needed: Iterable[str]) -> tuple[dict[str, Value], tuple[str, ...]]:
    """The values of a .json object, or those of a .npz that are `needed`, and the names of all that it gives.

    What is no array matters only where it is needed. Raises BadInput, and UsageProblem for a name that is a word of
    the language.
    """
    from gradcli.modes.given import names as checked

    if path.startswith("@") and not os.path.exists(path):
        raise BadInput(f"{path}: no such file", help=f"without an @: --data {path[1:]}")
    wanted = set(needed)
    found: dict[str, Value] = {}
    if path.lower().endswith(".npz"):
        from gradcli.cli import arrayfiles

        with files.open_binary(path) as file:
            arrays, names = arrayfiles.npz(file, path, wanted)
        checked(names)
        return found | arrays, names
    if not path.lower().endswith(".json") and not files.is_stream(path):
        raise BadInput(f"{path}: --data reads a .json object or a .npz file")
    from gradcli.cli import jsondata

    document = jsondata.load(files.read_source(path))
    if not isinstance(document.data, dict):
        raise document.error(f"{document.name}: not a JSON object of names and values")
    checked(document.data)
    for name in document.data:
        try:
            found[name] = jsondata.array(document.member(name))
        except BadInput:
            if name in wanted:
                raise
    return found, tuple(found)


def _from_json(text: str, name: str) -> Array | None:
    """What `jq` prints: JSON with "NaN" and the like for numbers; None if it is not that."""
    from gradcli.cli import jsondata
    from gradcli.lowering import rounded

    if jsondata.spelled(text) is not None:
        text = f'"{text.strip()}"'  # as `jq -r` prints it
    elif text.lstrip()[:1] not in ("[", '"', "t", "f"):
        return None
    source = Source(text, name)
    try:
        part = jsondata.load(Source(rounded.sub(source, reporting.warn), name))
        return jsondata.array(part)
    except BadInput:
        return None


def _from_file(target: str) -> Array:
    pick = _PICK.fullmatch(target)
    path, key = (pick["path"], pick["key"]) if pick else (target, "")
    suffix = "." + path.rpartition(".")[2].lower()
    if suffix in (".npy", ".npz"):
        from gradcli.cli import arrayfiles

        with files.open_binary(path) as file:
            return arrayfiles.npy(file, path) if suffix == ".npy" else arrayfiles.npz_member(file, key, path)
    if suffix not in (".csv", ".tsv", ".txt", ".json"):
        if not files.is_stream(path):
            # Before the suffix is blamed: what cannot be read at all is the better message.
            files.open_binary(path).close()
            raise BadInput(f"{path}: the name does not end in {_SUFFIXES}")
        suffix = ""
    return _from_text(files.read_source(path), suffix, key)


def _from_text(source: Source, suffix: str, key: str) -> Array:
    """JSON, or rows; without a suffix the first character tells."""
    from gradcli.cli import jsondata, textdata

    first = source.text.lstrip()[:1]
    json = suffix == ".json" or (not suffix and (first in ("[", "{") or _is_string(source.text))) or key
    if json:
        document = jsondata.load(source)
        return jsondata.array(jsondata.descend(document, key) if key else document)
    return textdata.array(source, textdata.SEPARATORS[suffix] if suffix else textdata.separator_of(source))


def _is_string(text: str) -> bool:
    """Whether it is one string of JSON, not the quoted cells of a table."""
    return _STRING.fullmatch(text) is not None
