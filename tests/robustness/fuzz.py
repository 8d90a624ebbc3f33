"""A long run of random command lines: python -m tests.robustness.fuzz --runs N --seed S.

Each line runs in a forked process that is replaced after some hundred lines, or when it hangs or grows. A find is
printed with its number; --only NUMBER runs it again, in this process and with its output.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import mmap
import os
import shlex
import signal
import struct
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tests.robustness.outcome import MEBIBYTES, Line, Outcome, checked, complaint, disagreement, line, peak, run
from tests.robustness.settled import discord, settled

CHUNK = 400
HANGS = 120.0


class Series(NamedTuple):
    """Where the command lines come from, and what there is to complain about."""

    line: Callable[[int, int], Line]
    complaint: Callable[[Sequence[str], Outcome], str]


SERIES = {
    "lines": Series(line, complaint),
    "checks": Series(checked, disagreement),
    "numbers": Series(settled, discord),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument(
        "--series", choices=SERIES, default="lines", help="what is drawn: any line, checks, or such as have an answer"
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return _series(asked)


def _series(asked: argparse.Namespace) -> int:
    series = SERIES[asked.series]
    if asked.only is not None:
        return _again(series, asked.seed, asked.only)
    finds = codes = 0
    tally: Counter[str] = Counter()
    number, stop = asked.first, asked.first + asked.runs
    while number < stop:
        number, found = _chunk(series, asked.seed, number, min(stop, number + CHUNK), tally)
        for at, what in found:
            finds += 1
            print(f"{at}: {what}: {shlex.join(series.line(asked.seed, at).words)}", flush=True)
    codes = ", ".join(f"{code}: {count}" for code, count in sorted(tally.items()))
    print(f"seed {asked.seed}, {asked.runs} runs from {asked.first}: {finds} finds; exit codes {codes}")
    return 1 if finds else 0


def _again(series: Series, seed: int, number: int) -> int:
    again = series.line(seed, number)
    print(shlex.join(again.words), again.stdin)
    done = run(*again)
    print(done, f"{peak():.0f} MiB", series.complaint(again.words, done))
    return 0


def _chunk(series: Series, seed: int, first: int, stop: int, tally: Counter[str]) -> tuple[int, list[tuple[int, str]]]:
    """Runs `first` to `stop` in a child. Returns where to go on, and the finds."""
    progress = mmap.mmap(-1, 8)
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        status = 1
        try:
            _work(series, seed, first, stop, progress, writing)
            status = 0
        finally:  # what is open here belongs to the parent
            os._exit(status)
    os.close(writing)
    hung = _wait(child, progress)
    with os.fdopen(reading) as pipe:
        said = [json.loads(text) for text in pipe]
    tally.update(dict(said.pop()["tally"]) if said and "tally" in said[-1] else {})
    found = [(one["number"], one["what"]) for one in said]
    at = struct.unpack("q", progress[:])[0]
    if hung:
        found.append((at, hung))
    return at + 1, found


def _work(series: Series, seed: int, first: int, stop: int, progress: mmap.mmap, writing: int) -> None:
    tally: Counter[str] = Counter()
    with os.fdopen(writing, "w") as pipe:
        for number in range(first, stop):
            progress[:] = struct.pack("q", number)
            again = series.line(seed, number)
            done = run(*again)
            tally[str(done.code)] += 1
            what = series.complaint(again.words, done)
            grown = peak() > MEBIBYTES
            what = what or (f"{peak():.0f} MiB" if grown else "")
            if what:
                pipe.write(json.dumps({"number": number, "what": what}) + "\n")
                pipe.flush()
            if grown:
                break
        pipe.write(json.dumps({"tally": list(tally.items())}) + "\n")


def _wait(child: int, progress: mmap.mmap) -> str:
    """Until the child ends; one that stands still is ended. Returns what went wrong."""
    seen, since = progress[:], time.monotonic()
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return f"died with status {status}" if status else ""
        if progress[:] != seen:
            seen, since = progress[:], time.monotonic()
        elif time.monotonic() - since > HANGS:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return f"no answer within {HANGS:.0f} seconds"
        time.sleep(0.05)


if __name__ == "__main__":
    raise SystemExit(main())
