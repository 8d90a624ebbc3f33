"""Random programs in the words that array libraries share: python -m tests.robustness.peers --runs N --seed S.

Each is asked for what `QUESTIONS` holds, at the last of five points of one Expression: gradients and Jacobians by every
mode, products, Hessians. Judges are a fresh run, the other modes, and PyTorch, or JAX where PyTorch has no answer or
another one (`bench` extra). A point at a kink, where the answer is a convention, is passed over. `holes` has
programs on data that hold nan and infinities.
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
from tests.robustness.dialects import JAX, PEERS_ARE_WRONG, PRELUDE, TORCH
from tests.robustness.words import Program, Words

RELATIVE, FLAT = 1e-9, 1e-3
"""How far answers may be apart, in units of the largest entry, or of FLAT where all are smaller: rounding of 0."""
Point = Mapping[str, Any]
Answer = dict[str, Any]

NO_ANSWER = (NameError, AttributeError, TypeError, NotImplementedError, RuntimeError, ValueError)
"""What peers raise for functions that they lack, operands that they refuse and slopes that they do not know."""


def as_gradcli(program: Program | str) -> str:
    return f"{PRELUDE}; {program}"


def drawn(rng: Random, shapes: Mapping[str, tuple[int, ...]], kind: str) -> Answer:
    """A point: plain numbers, numbers with ties and zeros of both signs, float32 or integers."""
    draw = np.random.default_rng(rng.randrange(2**32))
    at = {name: draw.uniform(0.3, 1.5, shape) for name, shape in shapes.items()}
    if kind == "signed":
        return {name: draw.normal(size=x.shape) for name, x in at.items()}
    if kind == "whole":
        return {name: np.copysign(np.floor(3 * x), draw.uniform(-0.3, 1, x.shape)) for name, x in at.items()}
    return {name: x.astype(np.float32) for name, x in at.items()} if kind == "single" else at


def run(program: Program, words: Mapping[str, Any], names: Point, written: Callable[..., Any]) -> Any:
    """The program by Python itself, with the words of a peer."""
    scope = {**words, **names}
    for name, index, sign, text in program.lines:
        value = eval(text, scope)
        if index:
            place = eval(f"_[{index}]", {"_": _Index()})
            before = scope[name][place]
            value = written(scope[name], place, eval(f"_ {sign} v", {"_": before, "v": value}) if sign else value)
        scope[name] = value
    return eval(program.result, scope)


class _Index:
    def __getitem__(self, index: Any) -> Any:
        return index


def _write_torch(x: Any, place: Any, value: Any) -> Any:
    x[place] = value
    return x


def direction(x: Any) -> Any:
    """Not ones: what is the same for all x + c would leave rounding only."""
    return np.linspace(0.6, 1.3, int(np.prod(np.shape(x)))).reshape(np.shape(x))


def by_torch(program: Program, at: Point, order: int) -> Answer:
    """`value`, the Jacobian by each name and, for `order` 2, the Hessian times `direction`s."""
    leaves = {name: torch.tensor(np.asarray(x, float), requires_grad=True) for name, x in at.items()}
    inputs = [*leaves.values()]

    def pulled(result: Any, seed: Any = None) -> list[Any]:
        if not result.requires_grad:
            return [torch.zeros_like(x) for x in inputs]
        return list(
            torch.autograd.grad(result, inputs, seed, create_graph=order > 1, retain_graph=True, materialize_grads=True)
        )

    result = run(program, TORCH, leaves, _write_torch)
    rows = [pulled(part) for part in result.ravel()]
    found: Answer = {"value": result.detach().numpy()}
    for i, (name, x) in enumerate(leaves.items()):
        blocks = [row[i].detach().numpy() for row in rows]
        found[name] = np.array(blocks).reshape(tuple(result.shape) + tuple(x.shape))
    if order > 1:
        along = sum(((g * torch.tensor(direction(g))).sum() for g in rows[0]), torch.zeros(()))
        found |= {f"H {name}": h.detach().numpy() for name, h in zip(leaves, pulled(along), strict=True)}
    return found


def by_jax(program: Program, at: Point, order: int) -> Answer:
    def f(point: Point) -> Any:
        return run(program, JAX, point, lambda x, place, value: x.at[place].set(value))

    point = {name: jax.numpy.asarray(np.asarray(x, float)) for name, x in at.items()}
    value, pull = jax.vjp(f, point)  # row by row: a stack would be compiled anew for each program
    seeds = np.eye(value.size).reshape(-1, *value.shape)
    rows = [pull(jax.numpy.asarray(seed))[0] for seed in seeds]
    found = {"value": np.asarray(value)}
    for name, x in point.items():
        found[name] = np.array([row[name] for row in rows]).reshape(value.shape + x.shape)
    if order > 1:
        along = jax.jvp(jax.grad(f), (point,), ({name: jax.numpy.asarray(direction(x)) for name, x in point.items()},))[
            1
        ]
        found |= {f"H {name}": np.asarray(h) for name, h in along.items()}
    return found


def asked(text: str, points: list[Answer], ask: Callable[..., Any]) -> tuple[gradcli.Expression, Any, Any]:
    """An Expression, what a new one says at the last point, and what this one says there at its fifth call."""
    f, fresh = gradcli.parse(text), ask(gradcli.parse(text), points[-1], [*points[-1]])
    again = [ask(f, at, [*at]) for at in points]
    return f, fresh, again[-1]


def gradient(text: str, points: list[Answer]) -> dict[str, Answer]:
    f, fresh, again = asked(text, points, lambda f, at, names: f.diff(at, wrt=names))
    if fresh.notes:
        return {}
    own = {"gradcli": {"value": fresh.value, **fresh.gradient}, "the fifth call": again.gradient}
    return own | {mode: blocks(f, points[-1], mode) for mode in ("columns", "rows")}


def jacobian(text: str, points: list[Answer]) -> dict[str, Answer]:
    f, fresh, again = asked(text, points, lambda f, at, names: f.jacobian(at, wrt=names))
    if fresh.notes:
        return {}
    own = {"gradcli": {"value": fresh.value, **fresh.jacobian}, "the fifth call": again.jacobian}
    return own | {mode: blocks(f, points[-1], mode) for mode in ("rows", "stacked", "columns")}


def blocks(f: gradcli.Expression, at: Answer, mode: str) -> Answer:
    found: Answer = f.jacobian(at, wrt=[*at], mode=mode).jacobian
    return found


def hessian(text: str, points: list[Answer]) -> dict[str, Answer]:
    """The Hessian times `direction`s; `hvp` says it directly."""
    at = points[-1]
    f, fresh, again = asked(text, points, lambda f, at, names: f.hessian(at, wrt=names))
    if fresh.notes:
        return {}

    def product_of(found: Any) -> Answer:
        return {f"H {a}": sum(np.tensordot(h, direction(at[b]), np.ndim(at[b])) for b, h in row.items())
                for a, row in found.hessian.items()}  # fmt: skip

    product = f.hvp(at, tangent={name: direction(x) for name, x in at.items()}).product
    own = {"value": fresh.value, **fresh.gradient, **product_of(fresh)}
    return {"gradcli": own, "the fifth call": product_of(again), "hvp": {f"H {n}": x for n, x in product.items()}}


QUESTIONS = {"gradient": (gradient, 1), "jacobian": (jacobian, 1), "hessian": (hessian, 2)}


def judged(program: Program, question: str, points: list[Answer], often: bool) -> tuple[str, str]:
    """Who disagrees with the fresh run, and who judged it; JAX takes a second or so, and is not asked `often`."""
    ask, order = QUESTIONS[question]
    try:
        answers = ask(as_gradcli(program), points)
    except GradcliError:
        return "", "refused"
    if not answers:
        return "", "at a kink"
    own = answers.pop("gradcli")
    finds = [who for who, other in answers.items() if not agrees(own, other)]
    judge, peers = "nobody", []
    for name, peer in (("PyTorch", by_torch if torch else None), ("JAX", by_jax if jax else None)):
        if peer is None or any(word in str(program) for word in (f"{w}(" for w in PEERS_ARE_WRONG[name])):
            continue
        if name == "JAX" and not (peers or often):
            continue
        try:
            other = peer(program, points[-1], order)
        except NO_ANSWER:
            continue
        if not any(np.isfinite(x).any() for x in other.values()):
            continue
        judge = name
        if agrees(own, other):
            peers = []
            break
        peers.append(name)
    return ", ".join([*finds, *peers]), judge


def agrees(own: Answer, other: Answer) -> bool:
    """A peer that has no number is no judge."""
    return all(_close(own[name], x) for name, x in other.items())


def _close(own: Any, other: Any) -> bool:
    own, other = np.asarray(own, float), np.asarray(other, float)
    if own.shape != other.shape:
        return False
    known = np.isfinite(other)
    size = np.max(np.abs(other), where=known, initial=FLAT)
    return bool(np.all(np.abs(own[known] - other[known]) <= RELATIVE * size))


def one(seed: int, number: int) -> tuple[str, str]:
    """What is wrong with a program, and who judged it."""
    rng = Random(f"{seed}/{number}")
    question = rng.choice([*QUESTIONS])
    words = Words(rng)
    inputs = dict(words.shapes)
    program = words.program(scalar=question != "jacobian")
    read = gradcli.parse(as_gradcli(program)).names
    inputs = {name: shape for name, shape in inputs.items() if name in read}
    kinds = [rng.choice(["plain", "plain", "plain", "signed", "whole", "single"]) for _ in range(5)]
    found, judge = judged(program, question, [drawn(rng, inputs, kind) for kind in kinds], rng.random() < 0.1)
    return found and f"{found}: {question} of {program}", judge


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--from", type=int, default=0, dest="first", help="number of the first program")
    given = parser.parse_args()
    judges: Counter[str] = Counter()
    finds = 0
    for number in range(given.first, given.first + given.runs):
        found, judge = one(given.seed, number)
        judges[judge] += 1
        if found:
            finds += 1
            print(f"{number}: {found}", flush=True)
    told = ", ".join(f"{count} judged by {who}" if who not in ("refused", "at a kink") else f"{count} {who}"
                     for who, count in judges.most_common())  # fmt: skip
    print(f"seed {given.seed}, {given.runs} programs: {finds} finds; {told}")
    return 1 if finds else 0


if __name__ == "__main__":
    raise SystemExit(main())
