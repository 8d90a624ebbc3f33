"""One command line run in this process, and what there is to complain about."""

from __future__ import annotations

import contextlib
import io
import json
import resource
import sys
import time
import warnings
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from gradcli.cli.main import main
from tests.robustness.generator import NAMES, around, checked_line, command_line
from tests.robustness.mutator import mutated, raw

SECONDS = 2.0
MEBIBYTES = 300
CODES = {0, 1, 2, 3, 4, 5}
STDERR_LINES = 60


class Outcome(NamedTuple):
    code: int
    out: str
    err: str
    seconds: float


class Line(NamedTuple):
    words: list[str]
    stdin: bytes


def line(seed: int, number: int) -> Line:
    """Run `number` of the series `seed`: always the same."""
    rng = Random(f"{seed}/{number}")
    kind = rng.random()
    if kind < 0.6:
        return Line(command_line(rng), b"")
    if kind < 0.9:
        return Line(around(rng, mutated(rng), [name for name in NAMES if rng.random() < 0.8]), b"")
    return Line(around(rng, "-", NAMES[:2]), raw(rng)) if kind < 0.96 else _value_line(rng)


def _value_line(rng: Random) -> Line:
    """Nearly right or raw data for --at @- and --data -."""
    data = raw(rng) if rng.random() < 0.5 else mutated(rng).encode("utf-8", "surrogatepass")
    words = rng.choice([["--at", "x=@-"], ["--at", "x=@-:a.0"], ["--data", "-"]])
    return Line(["diff", "sum(x)", *words, "--max-memory", "200M"], data)


def checked(seed: int, number: int) -> Line:
    """Run `number` of the differential series."""
    return Line(checked_line(Random(f"check {seed}/{number}")), b"")


def disagreement(words: Sequence[str], done: Outcome) -> str:
    return "reverse, forward and differences disagree" if done.code == 1 else complaint(words, done)


def run(words: Sequence[str], stdin: bytes = b"") -> Outcome:
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
    if "json" in words and done.code < 2:
        return _json_complaint(done.out)
    return ""


def _json_complaint(text: str) -> str:
    try:
        json.loads(text, parse_constant=lambda word: 1 / 0)
    except (ValueError, ZeroDivisionError):
        return "not JSON on stdout"
    return "" if text.isascii() and text.count("\n") == 1 else "not one line of ASCII"


def peak() -> float:
    """The most memory that this process ever had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
