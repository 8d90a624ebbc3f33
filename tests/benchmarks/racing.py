"""Contenders timed side by side: each gets its turn again and again, so that a busy moment hits all of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

Run = Callable[[], object]

_SAMPLE = 2e-3
"""Seconds of one sample at least: a shorter run is repeated."""
_ROUNDS = 200


@dataclass
class Contender:
    """`run` returns the derivative alone, as `flat` can compare it; `first` is the first call, compiling and all."""

    name: str
    run: Run
    best: float = float("inf")
    first: float = 0.0


@dataclass
class Target:
    """The time of `own` divided by that of `against` is to be at most `bound`."""

    against: str
    bound: float
    own: str = "gradcli"


@dataclass
class Workload:
    name: str
    contenders: list[Contender]
    targets: list[Target] = field(default_factory=list)
    remark: str = ""

    def time_of(self, name: str) -> float | None:
        return next((one.best for one in self.contenders if one.name == name), None)


def race(workload: Workload, seconds: float) -> None:
    """The best time of each contender; their results are compared with those of the first."""
    results = []
    for one in workload.contenders:
        begun = time.perf_counter()
        results.append(flat(one.run()))
        one.first = time.perf_counter() - begun
    for one, result in zip(workload.contenders, results, strict=True):
        np.testing.assert_allclose(result, results[0], rtol=1e-7, atol=1e-9, err_msg=f"{workload.name}: {one.name}")
    del results
    loops = {one.name: _loops(one.run) for one in workload.contenders}
    end = time.perf_counter() + seconds * len(workload.contenders)
    for _ in range(_ROUNDS):
        for one in workload.contenders:
            one.best = min(one.best, _sample(one.run, loops[one.name]))
        if time.perf_counter() > end:
            break


def flat(result: object) -> np.ndarray:
    parts = result if isinstance(result, tuple | list) else [result]
    return np.concatenate([np.reshape(np.asarray(part), -1) for part in parts])


def _loops(run: Run) -> int:
    # The second run too may be a slow one, that makes ready for many.
    return max(1, int(_SAMPLE / min(_sample(run, 1) for _ in range(3))))


def _sample(run: Run, loops: int) -> float:
    begun = time.perf_counter()
    for _ in range(loops):
        run()
    return (time.perf_counter() - begun) / loops
