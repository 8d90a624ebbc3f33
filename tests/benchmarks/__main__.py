"""`python -m tests.benchmarks [--seconds S] [WORD ...]`: every workload whose name holds one of the words.

All in one run, on one thread, times as ratios: those of two runs or of two machines are not to be compared.
"""

import argparse
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"
if hasattr(os, "sched_setaffinity"):  # a library with threads of its own gets one processor all the same
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

from tests.benchmarks import gradients, jacobians, peers, resources  # noqa: E402
from tests.benchmarks.racing import Workload, race  # noqa: E402

WORKLOADS = {
    "jacobian": jacobians.two_layers,
    "hessian": jacobians.rosenbrock,
    "network": gradients.network,
    "elementwise": gradients.elementwise,
    "small": gradients.small,
    "missing": gradients.missing_rows,
    "tridiagonal-1000": lambda: jacobians.tridiagonal(1000),
    "tridiagonal-100000": lambda: jacobians.tridiagonal(100_000),
    "hessian-10000": jacobians.large_rosenbrock,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each contender")
    parser.add_argument("word", nargs="*", help="only what has one of these in its name")
    given = parser.parse_args()
    print(f"{peers.versions()}; one thread, best of many runs in turn, ratio to the first line")

    def wanted(name: str) -> bool:
        return not given.word or any(word in name for word in given.word)

    for name, make in WORKLOADS.items():
        if wanted(name):
            workload = make()
            race(workload, given.seconds)
            show(workload)
    if wanted("memory"):
        show_memory()
    if wanted("start"):
        show(resources.start_up())


def show(workload: Workload) -> None:
    base = workload.contenders[0].best
    print(f"\n{workload.name}" + (f" ({workload.remark})" if workload.remark else ""))
    for one in workload.contenders:
        first = f"   first call {_duration(one.first)}" if one.name.startswith("JAX") else ""
        print(f"  {one.name:34}{_duration(one.best):>12}{one.best / base:>10.2f}{first}")
    for target in workload.targets:
        own, other = workload.time_of(target.own), workload.time_of(target.against)
        if own is not None and other is not None:
            verdict = _verdict(own / other, target.bound)
            print(f"  target: {target.own} at most {target.bound:.2f} x {target.against}: {own / other:.2f}, {verdict}")


def show_memory() -> None:
    bound = resources.MEMORY_BOUND
    print("\nmemory: gradient of a chain of 1,000 operations on 10^5 numbers, peak against the saved values (800 MB)")
    for name, ratio in resources.memory().items():
        print(f"  {name:34}{ratio:22.2f}   target: at most {bound}, {_verdict(ratio, bound)}")


def _verdict(ratio: float, bound: float) -> str:
    return "met" if ratio <= bound else "MISSED"


def _duration(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} us"


if __name__ == "__main__":
    main()
