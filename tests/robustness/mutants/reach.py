"""Which tests run which lines, from one run of all of them; and which of them to try on a mutant, in which order."""

from __future__ import annotations

import os
import pickle
import re
import sys
import threading
import time
from collections import defaultdict
from functools import cached_property
from types import CodeType, FrameType
from typing import Any, NamedTuple

import pytest
from _pytest.runner import runtestprotocol

from tests.robustness.mutants.mutant import ROOT, Mutant

OFTEN = 300
"""Calls of a function in one test after which its lines are no longer watched: what is new by then is rare."""


class Run(NamedTuple):
    """One test without mutants: the processor time that it took while it was watched, the lines by file."""

    passed: bool
    seconds: float
    lines: dict[str, set[int]]


class Watch:
    """The lines of the program that are run between `begin` and `end`."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[CodeType, set[int], list[int]] | None] = {}

    def begin(self) -> None:
        for known in self._known.values():
            if known is not None:
                known[1].clear()
                known[2][0] = 0
        threading.settrace(self._call)
        sys.settrace(self._call)

    def end(self) -> dict[str, set[int]]:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        found: dict[str, set[int]] = defaultdict(set)
        for known in self._known.values():
            if known is not None and known[1]:
                found[known[0].co_filename[len(str(ROOT)) + 1 :]] |= known[1]
        return dict(found)

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        if id(code) not in self._known:  # not by the code itself: to hash that takes its time
            inside = code.co_filename.startswith(str(ROOT))
            self._known[id(code)] = (code, set(), [0]) if inside else None
        known = self._known[id(code)]
        if known is None:
            return None
        _, lines, calls = known
        lines.add(frame.f_lineno)
        calls[0] += 1
        if calls[0] > OFTEN:
            return None

        def line(frame: FrameType, event: str, argument: Any) -> Any:
            lines.add(frame.f_lineno)
            return line

        return line


def watched(items: list[pytest.Item]) -> list[Run]:
    """Every test run once, in a forked process, so that nothing is cached in this one."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        watch = Watch()
        with os.fdopen(writer, "wb") as pipe:
            pickle.dump([_watched(item, watch) for item in items], pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        runs: list[Run] = pickle.load(pipe)
    os.waitpid(child, 0)
    return runs


def _watched(item: pytest.Item, watch: Watch) -> Run:
    start = time.process_time()
    watch.begin()
    failed = fails(item)
    lines = watch.end()
    if failed:
        print(f"fails without any mutant, and is left out: {item.nodeid}", file=sys.stderr, flush=True)
    return Run(not failed, time.process_time() - start, lines)


def fails(item: pytest.Item) -> bool:
    return any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))


class Reach:
    """What `watched` found, turned round: from lines to tests."""

    def __init__(self, items: list[pytest.Item], runs: list[Run]) -> None:
        passed = [(item, run) for item, run in zip(items, runs, strict=True) if run.passed]
        self.seconds = {item: run.seconds for item, run in passed}
        self._items = [item for item, _ in passed]
        self._by_line: dict[tuple[str, int], list[int]] = defaultdict(list)
        for number, (_, run) in enumerate(passed):
            for file, lines in run.lines.items():
                for line in lines:
                    self._by_line[file, line].append(number)

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for number, item in enumerate(self._items):
            for word in set(re.split(r"\W+", item.name)):
                found[word].append(number)
        return found

    def tests(self, mutant: Mutant) -> list[pytest.Item]:
        """Those that may notice a mutant, in the order in which to try them."""
        chosen = {number for word in mutant.words for number in self._by_word.get(word, ())}
        for lines in mutant.where:
            found = {number for line in lines for number in self._by_line.get(line, ())}
            if found:
                chosen |= found
                break
        return self._ordered([self._items[number] for number in chosen], mutant.group)

    def _ordered(self, items: list[pytest.Item], group: str) -> list[pytest.Item]:
        """The quick ones first, but by turns of all test functions, which look at different things; and of these
        first the ones that stand in the package's own folder."""
        turns: dict[str, int] = defaultdict(int)
        order: list[tuple[int, bool, float, int]] = []
        for number, item in enumerate(sorted(items, key=lambda item: self.seconds[item])):
            function = item.nodeid.split("[")[0]
            turns[function] += 1
            order.append((turns[function], f"/{group}/" not in item.nodeid, self.seconds[item], number))
        quick = sorted(items, key=lambda item: self.seconds[item])
        return [quick[number] for *_, number in sorted(order)]
