"""Mutants of the program: python -m tests.robustness.mutants [NAME ...] [--sample N] [--seed S] [--list]

The program is made wrong in one place at a time: rules of derivatives (`rules`), facts of the table (`facts`), the code
of each package (`engine`, `lowering`, `modes`, `cli`, `render`, `syntax`: see operators.py), and mechanisms that were
chosen by hand (`mechanisms`). The tests run once, to see which of them run which lines; each mutant then lives in a
forked process that runs those of its lines, the quick ones first, until one fails. One that runs on and on counts as
noticed, as `hung`. What no test notices is printed, but for what equivalent.toml lists as the same function.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections import Counter
from itertools import chain

import numpy.testing  # noqa: F401  # which NumPy loads late: once, not in every forked process
import pytest

from tests.robustness.mutants import facts, lists, operators, rules
from tests.robustness.mutants.mutant import TESTS, Mutant, numbered, sample
from tests.robustness.mutants.reach import Reach, watched
from tests.robustness.mutants.sources import functions
from tests.robustness.mutants.trying import outcome

EQUIVALENT = "equivalent"


class Hunt:
    """A pytest plugin that takes the collected tests and runs them on mutants."""

    def __init__(self, mutants: list[Mutant], listed: dict[tuple[str, str, str], str]) -> None:
        self._mutants = mutants
        self._listed = listed
        self.tally: dict[str, Counter[str]] = {}

    @property
    def alive(self) -> int:
        return sum(count for tally in self.tally.values() for word, count in tally.items() if word.startswith("alive"))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        from hypothesis import settings  # its own plugin of pytest comes first

        settings.register_profile("mutants", database=None, derandomize=True)
        settings.load_profile("mutants")
        gc.freeze()  # or the collector of every forked process would write to, and so copy, what they share
        start = time.monotonic()
        reach = Reach(session.items, watched(session.items))
        print(f"{len(reach.seconds)} tests, watched in {time.monotonic() - start:.0f} s", flush=True)
        for mutant in self._mutants:
            word = EQUIVALENT if mutant.key in self._listed else outcome(mutant, reach)
            self.tally.setdefault(mutant.group, Counter())[word] += 1
            if word.startswith("alive"):
                print(f"{word}: {mutant}", flush=True)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
        """Without the text of a failure, which takes longer than most tests."""
        when = "call" if call.when == "collect" else call.when
        skipped = call.excinfo is not None and call.excinfo.errisinstance(pytest.skip.Exception)
        word = "skipped" if skipped else "failed" if call.excinfo else "passed"
        return pytest.TestReport(item.nodeid, item.location, {}, word, None, when)  # type: ignore[arg-type]


def wanted(mutant: Mutant, names: list[str]) -> bool:
    return not names or mutant.group in names or any(mutant.file.endswith(f"/{name}") for name in names)


def folders(mutants: list[Mutant]) -> list[str]:
    """Where the tests are: those of the table are many, and each is of one entry."""
    of_table = any(mutant.group in (rules.GROUP, facts.GROUP) for mutant in mutants)
    return [str(path) for path in sorted(TESTS.iterdir()) if path.is_dir() and (of_table or path.name != "primitives")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a package, rules, facts, mechanisms, or a file")
    parser.add_argument("--sample", type=int, metavar="N", help="N mutants, drawn evenly from all that are named")
    parser.add_argument("--seed", type=int, default=0, help="another sample")
    parser.add_argument("--list", action="store_true", help="print the mutants, and run nothing")
    parser.add_argument("--tests", nargs="+", metavar="PATH", help="the tests to run (default: all that can tell)")
    asked = parser.parse_args()
    functions()  # constants are found in modules that are loaded
    by_hand, stale = lists.mechanisms()
    every = list(numbered(chain(rules.all_mutants(), facts.all_mutants(), operators.all_mutants(), by_hand)))
    listed = lists.equivalent()
    missing = listed.keys() - {mutant.key for mutant in every}
    stale += [f"equivalent.toml: there is no such mutant: {key}" for key in sorted(missing)]
    print(*stale, sep="\n", end="\n" * bool(stale), file=sys.stderr)
    mutants = [mutant for mutant in every if wanted(mutant, asked.names)]
    if asked.sample is not None:
        mutants = sample(mutants, asked.sample, asked.seed)
    if asked.list:
        print(*mutants, sep="\n")
        return bool(stale)
    hunt = Hunt(mutants, listed)
    failed = pytest.main(
        [*(asked.tests or folders(mutants)), "-q", "--tb=no", "-p", "no:cacheprovider"], plugins=[hunt]
    )
    for group, tally in hunt.tally.items():
        print(f"{group}: {tally.total()} mutants, {', '.join(f'{count} {word}' for word, count in tally.items())}")
    print(f"all: {len(mutants)} mutants, {hunt.alive} alive")
    return bool(failed or stale or hunt.alive)


if __name__ == "__main__":
    raise SystemExit(main())
