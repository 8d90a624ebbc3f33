"""Random programs in the words that array libraries share: python -m tests.robustness.peers --runs N --seed S.

The gradient of each is compared with that of its own second and third run, with forward mode, and with PyTorch and JAX
where the `bench` extra is installed. A point at a kink, where the answer is a convention, is passed over.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import numpy as np

import gradcli
from gradcli.errors import GradcliError
from tests.benchmarks.peers import jax, torch

RELATIVE, FLAT = 1e-9, 1e-5
"""How far gradients may be apart, in units of the largest entry, or of FLAT where all are smaller: rounding of 0."""
SIZES = (2, 3)
ONE = (
    "exp log sqrt sin cos tan tanh sinh cosh arcsin arctan arcsinh expm1 log1p square abs sigmoid relu softplus silu "
    "erf lgamma digamma log2 exp2 sinc logsigmoid"
).split()
TWO = "maximum minimum arctan2 hypot logaddexp where_ multiply subtract".split()
ALONG = "sum mean prod max min logsumexp softmax log_softmax cumsum var std cumprod sort flip".split()
SAME = {"softmax", "log_softmax", "cumsum", "cumprod", "sort", "flip"}
MATRIX = "det inv slogdet_ trace tril triu".split()
Point = Mapping[str, np.ndarray]


class Words:
    """Programs of `names` with the shapes of `shapes`; expressions come with their shape."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        n, m = rng.choice(SIZES), rng.choice(SIZES)
        self.shapes = {"x": (n,), "y": (n,), "s": (), "A": (m, n), "B": (n, n), "z": (m,)}

    def program(self) -> str:
        text, shape = self.expression(self.rng.choice([2, 3, 4, 5]))
        return text if shape == () else f"sum({text})"

    def expression(self, depth: int) -> tuple[str, tuple[int, ...]]:
        if depth == 0:
            name = self.rng.choice([*self.shapes])
            return name, self.shapes[name]
        make: Callable[[int], tuple[str, tuple[int, ...]]] = self.rng.choice(
            [self._one, self._one, self._two, self._two, self._two, self._along, self._matrix, self._number, self._cut]
        )
        return make(depth - 1)

    def _one(self, depth: int) -> tuple[str, tuple[int, ...]]:
        text, shape = self.expression(depth)
        return f"{self.rng.choice(ONE)}({text})", shape

    def _number(self, depth: int) -> tuple[str, tuple[int, ...]]:
        text, shape = self.expression(depth)
        number = self.rng.choice(["2", "0.5", "3", "-1.5"])
        return self.rng.choice(
            [f"({text})**2", f"({text})*{number}", f"{number}/({text})", f"{number} - ({text})"]
        ), shape

    def _two(self, depth: int) -> tuple[str, tuple[int, ...]]:
        a, first = self.expression(depth)
        b, second = self.expression(depth)
        try:
            shape = np.broadcast_shapes(first, second)
        except ValueError:
            return a, first
        kind = self.rng.choice(["+", "-", "*", "/", *TWO])
        return f"{kind}({a}, {b})" if kind in TWO else f"(({a}) {kind} ({b}))", shape

    def _along(self, depth: int) -> tuple[str, tuple[int, ...]]:
        text, shape = self.expression(depth)
        if not shape:
            return text, shape
        name, axis = self.rng.choice(ALONG), self.rng.randrange(len(shape))
        return f"{name}({text}, axis={axis})", shape if name in SAME else shape[:axis] + shape[axis + 1 :]

    def _matrix(self, depth: int) -> tuple[str, tuple[int, ...]]:
        a, first = self.expression(depth)
        b, second = self.expression(depth)
        if first and second and first[-1] == second[0] and len(first) + len(second) < 5:
            return f"(({a}) @ ({b}))", first[:-1] + second[1:]
        if len(first) == 2 and first[0] == first[1]:
            name = self.rng.choice(MATRIX)
            return f"{name}({a})", first if name in ("inv", "tril", "triu") else ()
        return (
            (f"({a}).T", first[::-1]) if len(first) == 2 else (f"outer({a}, {a})", first * 2) if first else (a, first)
        )

    def _cut(self, depth: int) -> tuple[str, tuple[int, ...]]:
        text, shape = self.expression(depth)
        if not shape:
            return text, shape
        return self.rng.choice([(f"({text})[0]", shape[1:]), (f"({text})[1:]", (shape[0] - 1, *shape[1:]))])


def _by_torch() -> dict[str, Any]:
    t = torch
    same = {name: getattr(t, name) for name in (*ONE, *TWO, *MATRIX, "outer") if hasattr(t, name)}
    along = {name: getattr(t, name) for name in ALONG if hasattr(t, name)} | {"max": t.amax, "min": t.amin}
    placed = {name: lambda x, axis=None, f=f: f(x) if axis is None else f(x, axis) for name, f in along.items()}
    activations = {name: getattr(t.nn.functional, name) for name in ("softplus", "silu", "logsigmoid")}
    return same | placed | activations | {
        "sort": lambda x, axis: t.sort(x, axis).values, "flip": lambda x, axis: t.flip(x, (axis,)),
        "var": lambda x, axis: t.var(x, axis, correction=0), "std": lambda x, axis: t.std(x, axis, correction=0),
        "where_": lambda a, b: t.where(a > b, a, b * 2), "inv": t.linalg.inv,
        "slogdet_": lambda x: t.linalg.slogdet(x)[1],
    }  # fmt: skip


def _by_jax() -> dict[str, Any]:
    j = jax.numpy
    found = {name: getattr(j, name) for name in (*ONE, *TWO, *ALONG, *MATRIX, "outer") if hasattr(j, name)}
    activations = ("sigmoid", "relu", "softplus", "silu", "softmax", "log_softmax")
    found |= {name: getattr(jax.nn, name) for name in activations}
    special = jax.scipy.special
    return found | {
        "erf": special.erf, "lgamma": special.gammaln, "digamma": special.digamma, "logsumexp": special.logsumexp,
        "logsigmoid": jax.nn.log_sigmoid, "where_": lambda a, b: j.where(a > b, a, b * 2), "det": j.linalg.det,
        "inv": j.linalg.inv, "slogdet_": lambda x: j.linalg.slogdet(x)[1],
    }  # fmt: skip


def as_gradcli(text: str) -> str:
    return f"where_(a, b) = where(a > b, a, b*2)\nslogdet_(a) = slogdet(a)[1]\n{text}"


def torch_gradient(text: str, at: Point) -> dict[str, np.ndarray]:
    leaves = {name: torch.tensor(x, requires_grad=True) for name, x in at.items()}
    result = eval(text, {**_by_torch(), **leaves})
    found = torch.autograd.grad(result, [*leaves.values()], allow_unused=True)
    return {n: np.zeros(at[n].shape) if g is None else g.numpy() for n, g in zip(leaves, found, strict=True)}


def jax_gradient(text: str, at: Point) -> dict[str, np.ndarray]:
    words = _by_jax()
    found = jax.grad(lambda point: eval(text, {**words, **point}))({n: jax.numpy.asarray(x) for n, x in at.items()})
    return {name: np.asarray(g) for name, g in found.items()}


def own_gradients(text: str, at: Point) -> dict[str, dict[str, np.ndarray]] | None:
    """By a recorded run, by a tape, and by forward mode; None at a kink or where the program is refused."""
    f, names = gradcli.parse(as_gradcli(text)), [*at]
    try:
        first = f.diff(at, wrt=names)
        for factor in (1.1, 0.9):
            f.diff({name: factor * x for name, x in at.items()}, wrt=names)
        again = gradcli.parse(as_gradcli(text)).jacobian(at, wrt=names, mode="columns").jacobian
    except GradcliError:
        return None
    if first.notes:
        return None
    return {"gradcli": first.gradient, "a tape": f.diff(at, wrt=names).gradient, "forward mode": again}


def different(text: str, at: Point) -> str:
    """Who disagrees with the recorded run, if anybody does."""
    answers = own_gradients(text, at)
    if answers is None:
        return ""
    own = answers.pop("gradcli")
    if torch is not None:
        answers["PyTorch"] = torch_gradient(text, at)
    if jax is not None:
        answers["JAX"] = jax_gradient(text, at)
    return ", ".join(who for who, other in answers.items() if not all(_close(own[n], other[n]) for n in own))


def _close(own: Any, other: Any) -> bool:
    """A peer that has no number is no judge."""
    known = np.isfinite(other)
    size = np.max(np.abs(other), where=known, initial=FLAT)
    return bool(np.all(np.abs(np.asarray(own)[known] - np.asarray(other)[known]) <= RELATIVE * size))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    tally: Counter[str] = Counter()
    for number in range(asked.runs):
        rng = Random(f"{asked.seed}/{number}")
        words = Words(rng)
        text = words.program()
        draw = np.random.default_rng(rng.randrange(2**32))
        at = {name: draw.uniform(0.3, 1.5, shape) for name, shape in words.shapes.items()}
        found = different(text, at)
        tally[found] += 1
        if found:
            print(f"{number}: {found}: {text}", flush=True)
    print(f"seed {asked.seed}, {asked.runs} programs: {tally.total() - tally['']} finds")
    return 1 if tally.total() > tally[""] else 0


if __name__ == "__main__":
    raise SystemExit(main())
