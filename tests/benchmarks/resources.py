"""What a gradient keeps in memory, and how long a command takes to come up."""

from __future__ import annotations

import subprocess
import sys
import time
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
    return {name: _peak(run) / (operations * size * 8) for name, run in runs.items()}


def _peak(run: Callable[[], object]) -> int:
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    run()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most - before


def start_up(rounds: int = 15) -> Workload:
    lines = {
        'python -c "import numpy, typer"': ["-c", "import numpy, typer"],
        "gradcli": ["-m", "gradcli", "diff", "x**2", "--at", "x=2", "--json"],
        "gradcli --version": ["-m", "gradcli", "--version"],
        'python -c ""': ["-c", ""],
    }
    contenders = [Contender(name, lambda: None) for name in lines]
    for _ in range(rounds):
        for one in contenders:
            begun = time.perf_counter()
            subprocess.run([sys.executable, *lines[one.name]], check=True, stdout=subprocess.DEVNULL)
            one.best = min(one.best, time.perf_counter() - begun)
    return Workload("start of a command (diff x**2)", contenders, [Target(contenders[0].name, 1.5)])
