"""Whether the formats of a command line say the same numbers: csv, plain, JSON lines, files, tables against JSON."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

Document = Mapping[str, Any]
_TITLE = re.compile(r"(\S.*)  \([\dx]+\)")
_TABLE = re.compile(r"^  (?:variable|hessian|derivative)   (?P<columns>.*)\n(?P<rows>(?:  .+\n?)+)", re.M)
_TITLES = {"gradient": "gradient of", "jacobian": "jacobian of", "diagonal": "second derivative of", "hvp": "hvp of"}
_COLUMNS = {"gradient": "gradient", "jacobian": "derivative", "diagonal": "second derivative", "hvp": "hvp"}


def answer(document: Document) -> np.ndarray:
    """What was asked for as the rows of csv and plain, flat; sparse ones are the triples."""
    if "derivatives" in document:
        return _flat(document["derivatives"])
    if document["schema"] == "gradcli.eval/1":
        return _flat(document["value"])
    key = next(key for key in ("jacobian", "hessian", "diagonal", "hvp", "tangent", "gradient") if key in document)
    found = document[key]
    if key == "jacobian":
        return _side_by_side(found, _flat(document["value"]).size).ravel()
    if key == "hessian":
        sizes = [_flat(block).size for block in document["gradient"].values()]
        return _joined(_side_by_side(row, n).ravel() for n, row in zip(sizes, found.values(), strict=True))
    return _flat(found) if key == "tangent" else _joined(map(_flat, found.values()))


def _joined(parts: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(0), *parts])


def _side_by_side(blocks: Mapping[str, Any], rows: int) -> np.ndarray:
    return np.hstack(
        [np.zeros((rows, 0)), *(_dense(block).reshape(rows, -1 if rows else 0) for block in blocks.values())]
    )


def _dense(block: Any) -> np.ndarray:
    if not isinstance(block, dict):
        return _flat(block)
    whole = np.zeros(block["shape"])
    whole[block["rows"], block["cols"]] = _flat(block["values"])
    return whole


def _flat(nested: Any) -> np.ndarray:
    """JSON spells what it has no numbers for, as Python does."""
    return np.array([float(leaf) for leaf in _leaves(nested)])


def _leaves(nested: Any) -> Iterator[Any]:
    if isinstance(nested, list):
        for item in nested:
            yield from _leaves(item)
    else:
        yield nested


def from_csv(text: str) -> np.ndarray:
    return _flat([cell for row in list(csv.reader(text.splitlines()))[1:] for cell in row])


def from_plain(text: str, named: bool) -> np.ndarray:
    """`named`: each line begins with the name of a variable."""
    return _flat([word for line in text.splitlines() for word in line.split()[named:]])


def from_lines(text: str) -> np.ndarray:
    """Rows of a Jacobian, or the one line of another command; no line is a Jacobian of no rows."""
    documents = [json.loads(line) for line in text.splitlines()]
    if documents and "row" not in documents[0]:
        return answer(documents[0])
    blocks = [block for document in documents for block in document["jacobian"].values()]
    return _joined(map(_flat, blocks))


def misprinted(table: str, document: Document, digits: int) -> str:
    """The first title or name of a table whose numbers are not those of the document, in so many digits."""
    expected = dict(_expected(document))
    for title, words in _blocks(table):
        if title in expected and not _starts(words, _rounded(expected[title], digits)):
            return title
    for column, name, word in _cells(table):
        true = expected.get(f"{column} {name}")
        if true is not None and _rounded(true, digits) != [word]:
            return f"{column} {name}"
    return ""


def _expected(document: Document) -> Iterator[tuple[str, Any]]:
    for key, title in _TITLES.items():
        for name, block in document.get(key, {}).items():
            yield f"{title} {name}", block
            yield f"{_COLUMNS[key]} {name}", block
    for a, row in document.get("hessian", {}).items():
        for b, block in row.items():
            yield f"hessian of {a}, {b}", block
            yield f"{b} {a}", block
    for n, number in enumerate(document.get("derivatives", ()), start=1):
        power = n if n > 1 else ""
        yield f"value d{power}/d{next(iter(document['gradient']))}{power}", number
    if "tangent" in document:
        yield "tangent", document["tangent"]
    if "\n" not in str(document["expression"]):
        yield str(document["expression"]), document["value"]


def _blocks(table: str) -> Iterator[tuple[str, list[str]]]:
    """Titles of arrays, and the words in their brackets."""
    lines = iter(table.splitlines())
    for line in lines:
        title = _TITLE.fullmatch(line)
        body = ""
        while title and (not body or body.count("[") > body.count("]")):
            body += next(lines) + " "
        if title:
            yield title[1], re.sub(r"[\[\]]", " ", body).split()


def _cells(table: str) -> Iterator[tuple[str, str, str]]:
    """Column, name and word of each cell of the tables of scalars."""
    for match in _TABLE.finditer(table):
        columns = re.split(r"   +", match["columns"].strip())
        for row in match["rows"].splitlines():
            name, *words = row.split()
            yield from ((column, name, word) for column, word in zip(columns, words, strict=True))


def _rounded(nested: Any, digits: int) -> list[str]:
    leaves = list(_leaves(nested))
    return [str(leaf) if isinstance(leaf, bool) else f"{float(leaf) or 0.0:.{digits}g}" for leaf in leaves]


def _starts(shown: Sequence[str], true: Sequence[str]) -> bool:
    """All of them, or what stands before the first that was left out."""
    first = shown.index("...") if "..." in shown else None
    return list(shown[:first]) == list(true[: len(true) if first is None else first])
