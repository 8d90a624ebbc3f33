"""NAME=VALUE: constants of the language, files, stdin, and the numbers that JSON spells as text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gradcli.cli import files
from gradcli.errors import BadInput, UsageProblem

if TYPE_CHECKING:
    from gradcli.results import Array, Value

# FILE.npz:KEY and FILE.json:path.to.key; the path may hold colons itself.
_PICK = re.compile(r"(?P<path>.+\.(?:npz|json)|-):(?P<key>[^/]*)", re.DOTALL)
_LOOKS_LIKE_A_FILE = re.compile(r"[^\s()*+,;]+\.(npy|npz|csv|tsv|json|txt)", re.IGNORECASE)
_SECOND_NAME = re.compile(r"[,;]\s*[^\W\d]\w*\s*=(?!=)")
_NAMED = re.compile(r"\s*[^\W\d]\w*\s*=(?!=)")
_SUFFIXES = ".npy, .npz, .csv, .tsv, .json or .txt"


def pairs(words: Iterable[str], option: str) -> dict[str, str]:
    """NAME=VALUE words as a dictionary in their order. Raises UsageProblem."""
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
        if name in found:
            raise UsageProblem(f"{option} gives {name} twice")
        found[name] = text
    return found


def reads_stdin(text: str) -> bool:
    """Whether a VALUE is `@-`, or picks from it."""
    return text == "@-" or text.startswith("@-:")


def value(text: str, name: str) -> Value:
    """The value that `text` stands for; errors call it `name`. Raises BadInput."""
    if text == "@":
        raise BadInput(f"{name}: no file after @", help="a file is written @FILE, stdin @-")
    if text.startswith("@"):
        return _from_file(text[1:])
    if not text.strip():
        raise BadInput(f"{name}: no value", help=f"for example {name}=2" if " " in name else "")
    found = _from_json(text)
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


def table(path: str, needed: Iterable[str]) -> dict[str, Value]:
    """Every name of a .json object or a .npz; what is no array matters only if it is `needed`."""
    if path.startswith("@") and not os.path.exists(path):
        raise BadInput(f"{path}: no such file", help=f"without an @: --data {path[1:]}")
    if path != "-" and path.lower().endswith(".npz"):
        from gradcli.cli import arrayfiles

        with files.open_regular(path) as file:
            return dict(arrayfiles.npz(file, path))
    if path != "-" and not path.lower().endswith(".json"):
        raise BadInput(f"{path}: --data reads a .json object or a .npz file")
    from gradcli.cli import jsondata

    where = "stdin" if path == "-" else path
    document = jsondata.load(files.read_stdin() if path == "-" else files.read_text(path), where)
    if not isinstance(document, dict):
        raise BadInput(f"{where}: not a JSON object of names and values")
    return _arrays(document, set(needed), where)


def _arrays(document: dict[str, Any], needed: set[str], where: str) -> dict[str, Value]:
    from gradcli.cli import jsondata

    found: dict[str, Value] = {}
    for name, data in document.items():
        try:
            found[name] = jsondata.array(data, f"{where}:{name}")
        except BadInput:
            if name in needed:
                raise
    return found


def _from_json(text: str) -> Array | None:
    """What `jq` prints: JSON with "NaN" and the like for numbers; None if it is not that."""
    from gradcli.cli import jsondata

    if jsondata.spelled(text) is not None:
        text = f'"{text.strip()}"'  # as `jq -r` prints it
    elif text.lstrip()[:1] not in ("[", '"', "t", "f"):
        return None
    try:
        return jsondata.array(jsondata.load(text, ""), "")
    except BadInput:
        return None


def _from_file(target: str) -> Array:
    pick = _PICK.fullmatch(target)
    path, key = (pick["path"], pick["key"]) if pick else (target, "")
    suffix = "." + path.rpartition(".")[2].lower()
    if path == "-":
        return _from_text(files.read_stdin(), "stdin", "", key)
    if suffix in (".npy", ".npz"):
        from gradcli.cli import arrayfiles

        with files.open_regular(path) as file:
            return arrayfiles.npy(file, path) if suffix == ".npy" else arrayfiles.npz_member(file, key, path)
    if suffix not in (".csv", ".tsv", ".txt", ".json"):
        # Before the suffix is blamed: what cannot be read at all is the better message.
        files.open_regular(path).close()
        raise BadInput(f"{path}: the name does not end in {_SUFFIXES}")
    return _from_text(files.read_text(path), path, suffix, key)


def _from_text(text: str, where: str, suffix: str, key: str) -> Array:
    """JSON, or rows; without a suffix the first character tells."""
    from gradcli.cli import jsondata, textdata

    if suffix == ".json" or (not suffix and text.lstrip()[:1] in ("[", "{", '"')) or key:
        document = jsondata.load(text, where)
        return jsondata.array(jsondata.descend(document, key, where) if key else document, where)
    return textdata.array(text, textdata.SEPARATORS.get(suffix), where)
