"""What a gradient keeps in memory, and how long a command takes to come up."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable

import numpy as np

import gradcli
from tests.benchmarks.racing import Contender, Target, Workload

MEMORY_BOUND = 1.2


def memory(operations: int = 1000, size: int = 100_000) -> dict[str, float]:
    """Peaks of a chain of sines, in units of the values that a reverse sweep by hand must keep: each operand."""
    chain = "y = x\n" + "y = sin(y)\n" * operations
    at = {"x": np.linspace(-1, 1, size)}
    summed, whole = gradcli.parse(chain + "sum(y)"), gradcli.parse(chain + "y")
    runs = {
        "gradcli, of the sum": lambda: summed.diff(at),
        "gradcli, with a --grad-output": lambda: whole.diff(at, grad_output=np.ones(size)),
    }
    return {name: peak(run) / (operations * size * 8) for name, run in runs.items()}


def peak(run: Callable[[], object]) -> int:
    """Bytes in use at the most while it runs."""
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    run()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most - before


def start_up(rounds: int = 20) -> Workload:
    """CPU time of processes, with compiled modules at hand as after an installation."""
    lines = {
        'python -c "import numpy, typer"': ["-c", "import numpy, typer"],
        "gradcli": ["-m", "gradcli", "diff", "(x+2)**2+3", "--at", "x=2", "--json"],
        "gradcli --help": ["-m", "gradcli", "--help"],
    }
    contenders = [Contender(name, lambda: None) for name in lines]
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = folder
        for _ in range(rounds):
            for one in contenders:
                one.best = min(one.best, _cpu_time([sys.executable, *lines[one.name]], environment))
    base = contenders[0].name
    return Workload("start of a command", contenders, [Target(base, 1.5), Target(base, 0.75, own="gradcli --help")])


def _cpu_time(command: list[str], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
