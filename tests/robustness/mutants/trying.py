"""What becomes of a mutant: a forked process is turned into it and runs tests until one fails."""

from __future__ import annotations

import os
import resource
import signal
import time

import pytest

from tests.robustness.mutants.mutant import Mutant
from tests.robustness.mutants.reach import Reach, fails

PATIENCE = 10.0
"""Seconds of processor time for the tests of one mutant."""
HANGS = 240.0
"""Seconds by the clock after which a process that needs no processor time is taken for one that waits forever."""
MEMORY = 4 << 30
KILLED, ALIVE, TIRED, UNCHANGED = 1, 0, 3, 4
WORDS = {ALIVE: "alive", TIRED: "alive (out of time)", UNCHANGED: "equivalent (the same code)"}


def outcome(mutant: Mutant, reach: Reach) -> str:
    tests = reach.tests(mutant)
    if not tests:
        return "alive (not run by any test)"
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os._exit(_life(tests, reach) if mutant.begin() else UNCHANGED)
    code = _waited(child)
    if code in (-signal.SIGPROF, None):
        return "hung"
    return WORDS.get(code, "killed")


def _life(tests: list[pytest.Item], reach: Reach) -> int:
    start = time.process_time()
    for test in tests:
        # The default of this signal ends the process: a mutant may run forever.
        signal.setitimer(signal.ITIMER_PROF, 3.0 + 5 * reach.seconds[test])
        if fails(test):
            return KILLED
        if time.process_time() - start > PATIENCE:
            return TIRED
    return ALIVE


def _waited(child: int) -> int | None:
    """How the process ended; None if it had to be ended."""
    start = time.monotonic()
    pause = 0.001
    while time.monotonic() - start < HANGS:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(pause)
        pause = min(2 * pause, 0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None
