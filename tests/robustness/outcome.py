"""One command line run in this process, and what there is to complain about."""

from __future__ import annotations

import contextlib
import io
import json
import resource
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from gradcli.cli.main import main
from tests.robustness.generator import NAMES, around, checked_line, command_line
from tests.robustness.mutator import mutated, raw

SECONDS = 2.0
MEBIBYTES = 300
CODES = {0, 1, 2, 3, 4, 5, 74}
STDERR_LINES = 60
NONE: Mapping[str, bytes] = {}


class Outcome(NamedTuple):
    code: int
    out: str
    err: str
    seconds: float


class Line(NamedTuple):
    words: list[str]
    stdin: bytes = b""
    files: Mapping[str, bytes] = NONE


def line(seed: int, number: int) -> Line:
    """Run `number` of the series `seed`: always the same."""
    rng = Random(f"{seed}/{number}")
    kind = rng.random()
    if kind < 0.6:
        return Line(command_line(rng)) if kind < 0.5 else _from_a_file(rng)
    if kind < 0.9:
        return Line(around(rng, mutated(rng), [name for name in NAMES if rng.random() < 0.8]), b"")
    return Line(around(rng, "-", NAMES[:2]), raw(rng)) if kind < 0.96 else _value_line(rng)


def _value_line(rng: Random) -> Line:
    """Nearly right or raw data for --at @- and --data -."""
    data = raw(rng) if rng.random() < 0.5 else mutated(rng).encode("utf-8", "surrogatepass")
    words = rng.choice([["--at", "x=@-"], ["--at", "x=@-:a.0"], ["--data", "-"]])
    return Line(["diff", "sum(x)", *words, "--max-memory", "200M"], data)


def _from_a_file(rng: Random) -> Line:
    """All values of a command line in one file, as --data reads it."""
    words = command_line(rng)
    place = len(words) - words[::-1].index("--") - 1
    at = [i for i in range(place) if words[i] == "--at"]
    shape = rng.choice([(), (2,), (3,), (2, 2)])
    values = {words[i + 1].partition("=")[0]: np.array(_numbers(rng, shape)) for i in at}
    kept = [word for i, word in enumerate(words) if not {i, i - 1} & set(at)]
    name, data = rng.choice([("data.json", _json(values)), ("data.npz", _npz(values)), ("data.json", raw(rng))])
    return Line([kept[0], "--data", name, *kept[1:]], files={name: data})


def _numbers(rng: Random, shape: tuple[int, ...]) -> Any:
    if not shape:
        return rng.choice([0.0, -1.0, 2.5, 1e300, 5e-324, float("inf"), float("nan"), rng.gauss(0, 2)])
    return [_numbers(rng, shape[1:]) for _ in range(shape[0])]


def _json(values: Mapping[str, np.ndarray]) -> bytes:
    """As Python writes it, with NaN and Infinity."""
    return json.dumps({name: x.tolist() for name, x in values.items()}).encode()


def _npz(values: Mapping[str, np.ndarray]) -> bytes:
    whole = io.BytesIO()
    np.savez(whole, **values)
    return whole.getvalue()


def checked(seed: int, number: int) -> Line:
    """Run `number` of the differential series."""
    return Line(checked_line(Random(f"check {seed}/{number}")))


def disagreement(words: Sequence[str], done: Outcome) -> str:
    """A nan in all three answers is no find: random programs leave domains."""
    if done.code != 1:
        return complaint(words, done)
    numbers = [[one[key] for key in ("reverse", "forward", "numeric")] for one in _failed(json.loads(done.out))]
    alike = all("NaN" in told and (told[0] == told[1] or "NaN" not in told[:2]) for told in numbers)
    return "" if alike else "reverse, forward and differences disagree"


def _failed(document: Any) -> list[Any]:
    return [one for one in document["variables"].values() if not one["passed"]]


def run(words: Sequence[str], stdin: bytes = b"", files: Mapping[str, bytes] = NONE) -> Outcome:
    """In the working directory, where the files lie and are left."""
    for name, data in files.items():
        Path(name).write_bytes(data)
    out, err, before = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
    start = time.process_time()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
            warnings.simplefilter("error")
            code = main(words)
    finally:
        sys.stdin = before
    return Outcome(code, out.getvalue(), err.getvalue(), time.process_time() - start)


def complaint(words: Sequence[str], done: Outcome) -> str:
    """What is wrong with an outcome, or an empty text. Memory is for the caller to watch."""
    if done.code not in CODES:
        return f"exit code {done.code}"
    if done.seconds > SECONDS:
        return f"{done.seconds:.1f} seconds"
    if done.err.count("\n") > STDERR_LINES:
        return f"{done.err.count(chr(10))} lines on stderr"
    if not all(character.isprintable() or character == "\n" for character in done.err):
        return "a control character on stderr"
    if done.code > 1 and not done.err.strip():
        return "no message"
    if "-o" in words:
        return _file_complaint(words[words.index("-o") + 1], done)
    if "json" in words and done.code < 2:
        return _json_complaint(done.out)
    return ""


def _file_complaint(name: str, done: Outcome) -> str:
    """A file is whole or not there, nothing else is left beside it, and stdout is empty."""
    file = Path(name)
    there = file.is_file()
    file.unlink(missing_ok=True)
    if there != (done.code < 2) or done.out:
        return "no file" if done.code < 2 else "a file in spite of the error" if there else "output on stdout"
    return "something else is left" if list(Path().glob(".gradcli*")) else ""


def _json_complaint(text: str) -> str:
    try:
        json.loads(text, parse_constant=lambda word: 1 / 0)
    except (ValueError, ZeroDivisionError):
        return "not JSON on stdout"
    return "" if text.isascii() and text.count("\n") == 1 else "not one line of ASCII"


def peak() -> float:
    """The most memory that this process ever had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
