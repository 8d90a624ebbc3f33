"""Command lines that have an answer, and whether every other way to it gives the same numbers.

The formats say what JSON says; the second to fifth run of one parse are as the first of another; and the value is what
NumPy makes of the program by itself.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

import gradcli
from gradcli.errors import GradcliError
from tests.robustness import agreement, forward
from tests.robustness.generator import LARGE, NAMES, Programs, value
from tests.robustness.outcome import Line, Outcome, complaint, run

CLOSE = 1e-11
"""Of the largest number: another order of summation."""
TRIES = 40
DENSE = 10**6
"""Entries up to which a Jacobian is compared: large ones are sparse."""
RANDOM = ("rand", "normal", "uniform")

At = dict[str, np.ndarray]


def settled(seed: int, number: int) -> Line:
    """A line of the series: a program with a value, and a command that fits it, in JSON."""
    rng = Random(f"numbers {seed}/{number}")
    for _ in range(TRIES):
        size = rng.choice(LARGE) if rng.random() < 0.03 else rng.choice([None, 1, 2, 2, 3, 3, 4])
        program = Programs(rng, depth=rng.choice([1, 2, 3, 3, 4])).program()
        at = {name: value(rng, size) for name in NAMES if name in program}
        try:
            shape = np.shape(gradcli.parse(program).evaluate(_point(at)).value)
        except GradcliError:
            continue
        break
    else:
        program, at, shape = "x", {"x": "2"}, ()
    given = [word for name, text in at.items() for word in ("--at", f"{name}={text}")]
    digits = rng.choice(["1", "4", "6", "6", "17"])
    words = [*_command(rng, shape, at), "--max-memory", "200M", "--digits", digits, "--format", "json", *given]
    return Line([*words, "--", program])


def _command(rng: Random, shape: tuple[int, ...], at: dict[str, str]) -> list[str]:
    if shape:
        weights = f"linspace(-1, 2, {int(np.prod(shape))}).reshape({', '.join(map(str, shape))})"
        modes = ["rows", "stacked", "columns", "sparse"]
        return rng.choice(
            [["eval"], ["jacobian"], ["jacobian", "--mode", rng.choice(modes)], ["vjp", "--cotangent", weights]]
        )
    name = rng.choice([*at, ""])
    along = ["--tangent", f"{name}={at[name]}"] if name else []
    kinds = [["eval"], ["diff"], ["diff"], ["hessian"], ["hessian", "--diag"]]
    return rng.choice([*kinds, ["jvp", *along], ["hvp", *along]] if along else kinds)


def _point(at: dict[str, str]) -> At:
    return {name: np.asarray(gradcli.parse(text).evaluate({}).value) for name, text in at.items()}


def discord(words: Sequence[str], done: Outcome) -> str:
    """What else there is to complain about a line of this series that has an answer."""
    found = complaint(words, done)
    if found or done.code:
        return found
    document = json.loads(done.out)
    formats = _formats(list(words), document) if _entries(words, document) <= DENSE else ""
    return formats or _runs(words) or _value(words, document)


def _entries(words: Sequence[str], document: Any) -> int:
    """Of the largest Jacobian that a line may print."""
    return np.size(document["value"]) * max((x.size for x in _point(given(words)).values()), default=0)


def _formats(words: list[str], document: Any) -> str:
    place = words.index("json")
    true, named = agreement.answer(document), words[0] in ("diff", "vjp", "hvp", "jvp") or "--diag" in words

    def said(form: str) -> str:
        return run([*words[:place], form, *words[place + 1 :]]).out

    if not _same(true, _stored(words)):
        return "-o .npy"
    if "sparse" in words:
        return ""
    table = agreement.misprinted(said("table"), document, int(words[words.index("--digits") + 1]))
    if table:
        return f"table: {table}"
    for form, read in (
        ("csv", agreement.from_csv),
        ("plain", lambda text: agreement.from_plain(text, named)),
        ("jsonl", agreement.from_lines),
    ):
        if not _same(true, read(said(form))):
            return form
    return ""


def _stored(words: list[str]) -> np.ndarray:
    place = words.index("--format")
    run([*words[:place], "-o", "numbers.npy", *words[place + 2 :]])
    try:
        return np.load("numbers.npy").ravel()
    finally:
        os.unlink("numbers.npy")


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return np.array_equal(a, b, equal_nan=True)


def given(words: Sequence[str]) -> dict[str, str]:
    return dict(words[i + 1].split("=", 1) for i, word in enumerate(words) if word == "--at")


def _runs(words: Sequence[str]) -> str:
    """The same Expression again and again, at other points between, and each time a new one."""
    program, at = words[-1], _point(given(words))
    if any(word in program for word in RANDOM):
        return ""
    f = gradcli.parse(program)
    for i, factor in enumerate((1, -1, 0.5, 2, 1)):
        point = {name: np.flip(x) * factor if i == 1 else x * factor for name, x in at.items()}
        if not _alike(_outcome(f, point), _outcome(gradcli.parse(program), point)):
            return f"run {i + 1}"
    return ""


def _outcome(f: Any, point: At) -> dict[str, Any]:
    try:
        found = f.evaluate(point)
        if np.size(found.value) * max((x.size for x in point.values()), default=0) > DENSE:
            return {"value": found.value}
        return {"value": found.value} | (
            f.diff(point).gradient if np.ndim(found.value) == 0 else f.jacobian(point).jacobian
        )
    except GradcliError as error:
        return {str(error): np.zeros(0)}


def _alike(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return list(a) == list(b) and all(close(a[name], b[name]) for name in a)


def close(a: Any, b: Any) -> bool:
    """Up to rounding in units of the largest number; what is not finite is the same."""
    if np.shape(a) != np.shape(b):
        return False
    largest = np.max(np.abs(b), where=np.isfinite(b), initial=0)
    with np.errstate(all="ignore"):
        return bool(np.allclose(a, b, rtol=CLOSE, atol=CLOSE * largest, equal_nan=True))


def decided(words: Sequence[str]) -> bool:
    """Whether NumPy has a value of its own for a line."""
    try:
        by_numpy(words)
    except forward.Undecided:
        return False
    return True


def by_numpy(words: Sequence[str]) -> np.ndarray:
    """Raises forward.Undecided."""
    return forward.value(words[-1], {name: forward.value(text, {}) for name, text in given(words).items()})


def _value(words: Sequence[str], document: Any) -> str:
    try:
        other = by_numpy(words)
    except forward.Undecided:
        return ""
    own = np.asarray(document["value"], dtype=np.float64)
    empty = own.size == other.size == 0  # JSON does not tell the shape of nothing
    return "" if empty or close(own, other) else "NumPy's value"
