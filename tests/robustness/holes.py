"""Random programs on data with holes: python -m tests.robustness.holes --runs N --seed S.

A third of all numbers are nan or infinite. Rows, stacks and sparse Jacobians must agree in every element. Reverse and
forward mode must agree where both are finite; where they do not (nan here, an infinity or 0 there: honest arithmetic
associates differently), both must see a live path: what is structurally 0 for one of them is 0 for both. And where a
bad element cannot reach a finite result, its first and second derivatives are those with any other number there.
"""

from __future__ import annotations

import argparse
import re
import warnings
from collections import Counter
from random import Random
from typing import Any

import numpy as np

import gradcli
from gradcli.engine.forward import Forward
from gradcli.engine.lanes import Pair, entering, live_lanes
from gradcli.engine.record import edge_of
from gradcli.engine.reverse import Reverse, leading_to, reachable
from gradcli.errors import GradcliError
from gradcli.lowering import lower
from gradcli.modes.session import open_session
from gradcli.primitives import TABLE
from gradcli.primitives.table import arrays
from gradcli.span import Source
from gradcli.syntax import parse
from tests.robustness.peers import Point, as_gradcli
from tests.robustness.words import Words

MODES = ("rows", "stacked", "sparse", "columns")
SHARE = 1 / 3
RELATIVE, FLAT = 1e-9, 1e-3
"""How far numbers may be apart, in units of the largest finite one of their row, or of FLAT where all are smaller."""
LARGEST = 1e8
"""Larger numbers come of matrices that are singular but for rounding, and have few digits."""


PROBES = (-3.3, 0.2, 7.7, 55.0)
UNTOLD = ("refused", "blurred")


class Holes(Words):
    """Programs that also drop what is no number, in all the ways that people do it."""

    def expression(self, depth: int) -> tuple[str, tuple[int, ...]]:
        if depth and self.rng.random() < 0.25:
            return self._dropped(depth - 1)
        return super().expression(depth)

    def _dropped(self, depth: int) -> tuple[str, tuple[int, ...]]:
        text, shape = self.expression(depth)
        if not shape:
            return f"where(isfinite({text}), {text}, 0)", shape
        axis = self.rng.randrange(len(shape))
        rest = shape[:axis] + shape[axis + 1 :]
        return self.rng.choice([
            (f"where(isnan({text}), 0, {text})", shape), (f"where(isfinite({text}), {text}, 1)", shape),
            (f"nansum({text}, axis={axis})", rest), (f"nanmean({text}, axis={axis})", rest),
            (f"sum(({text})[isfinite({text})])", ()), (f"nan_to_num({text})", shape),
            (f"fmax({text}, 0)", shape), (f"clip({text}, -1, 1)", shape), (f"relu({text})", shape),
            (f"take({text}, {self.rng.randrange(max(shape[axis], 1))}, axis={axis})", rest),
        ])  # fmt: skip


DEFINITE = """\
definite_(a) = a + 5*diag(ones_like(diag(a)))
inv_(a) = inv(definite_(a))
log_(a) = slogdet(definite_(a))[1]
det_(a) = det(definite_(a))
"""


def definite(text: str) -> str:
    """The program with functions of matrices that are not singular: those of others are rounding."""
    for name, other in {"p?inv": "inv_", "slogdet_|logdet": "log_", "det": "det_"}.items():
        text = re.sub(rf"\b({name})\(", f"{other}(", text)
    return DEFINITE + as_gradcli(text)


def with_holes(draw: Any, shape: tuple[int, ...]) -> Any:
    bad = draw.choice([np.nan, np.inf, -np.inf], shape)
    return np.where(draw.random(shape) < SHARE, bad, draw.normal(size=shape))


def matrix(blocks: dict[str, Any], size: int) -> Any:
    return np.concatenate([np.reshape(block, (size, -1)) for block in blocks.values()], axis=1)


def differing(a: Any, b: Any, only_finite: bool = False) -> Any:
    """Which elements are not the same number, or not the same nan or infinity."""
    largest = np.max(np.abs(a), axis=1, keepdims=True, where=np.isfinite(a), initial=FLAT)
    finite = np.isfinite(a) & np.isfinite(b)
    with np.errstate(invalid="ignore"):
        apart = finite & ~(np.abs(a - b) <= RELATIVE * largest)
    if only_finite:
        return apart
    return apart | (~finite & ~((a == b) | (np.isnan(a) & np.isnan(b))))


def live_paths(text: str, at: Point) -> tuple[Any, Any]:
    """Which elements of the Jacobian a live path leads to, by the reverse and by the forward sweep."""
    session = open_session([lower(parse(Source(text, "expression"), TABLE))], at, [*at])
    xs, y = {name: session.at[name] for name in at}, session.output
    size = y.array.size
    leaves = {name: edge_of(x) for name, x in xs.items()}
    eye = np.eye(size).reshape(size, *y.shape)
    nodes = reachable([y.grad_fn])
    needed = leading_to(nodes, set(leaves.values()))
    reverse = Reverse({y.grad_fn: eye}, set(leaves.values()), 1)
    with np.errstate(all="ignore"):
        found = reverse._sweep(
            [n for n in nodes if n in needed], needed, {y.grad_fn: entering(arrays, eye)}, live_lanes(arrays)
        )
    none = {name: np.zeros((size, *x.shape), dtype=bool) for name, x in xs.items()}
    back = {name: lanes(found[node]) if node in found else none[name] for name, node in leaves.items()}
    return matrix(back, size), forward_paths(y, xs, leaves)


def lanes(flow: Pair) -> Any:
    return np.ones(flow.shape, dtype=bool) if flow.live is None else flow.live


def forward_paths(y: Any, xs: dict[str, Any], leaves: dict[str, Any]) -> Any:
    width = sum(x.array.size for x in xs.values())
    seeds, start = {}, 0
    for name, x in xs.items():
        seed = np.zeros((width, *x.shape))
        seed.reshape(width, -1)[start : start + x.array.size] = np.eye(x.array.size)
        seeds[leaves[name]] = seed
        start += x.array.size
    forward = Forward(y.grad_fn, seeds, 1)
    order = [node for node in reversed(reachable([y.grad_fn])) if node in leading_to(reachable([y.grad_fn]), seeds)]
    with np.errstate(all="ignore"):
        pushed = forward._sweep(
            order, {node: entering(arrays, seed) for node, seed in seeds.items()}, live_lanes(arrays)
        )
    return lanes(pushed).reshape(width, -1).T


def judged(text: str, at: Point) -> str:
    """What is wrong, "" where nothing is, one of UNTOLD where there is nothing to compare."""
    f, names = gradcli.parse(definite(text)), [*at]
    try:
        found = {mode: f.jacobian(at, wrt=names, mode=mode) for mode in MODES}
    except GradcliError:
        return "refused"
    size = np.size(found["rows"].value)
    if not size:
        return ""
    blocks = {mode: matrix(dict(answer.jacobian), size) for mode, answer in found.items()}
    rows = blocks["rows"]
    if any(np.max(np.abs(block), where=np.isfinite(block), initial=0.0) > LARGEST for block in blocks.values()):
        return "blurred"
    for mode in ("stacked", "sparse"):
        if differing(rows, blocks[mode]).any():
            return f"rows and {mode} differ"
    if differing(rows, blocks["columns"], only_finite=True).any():
        return "reverse and forward differ in finite numbers"
    apart = differing(rows, blocks["columns"])
    if apart.any():
        back, forth = live_paths(definite(text), at)
        if (apart & ~(back & forth)).any():
            return "reverse and forward differ where no live path leads"
    return ""


def out_of_reach(text: str, at: Point, rng: Random) -> str:
    """What is wrong where a bad element cannot reach a result: first and second derivatives must be those with any
    number in its place."""
    f = gradcli.parse(definite(text))
    name = rng.choice([n for n in at if not np.isfinite(at[n]).all()] or ["x"])
    places = np.flatnonzero(~np.isfinite(at[name]))
    if not places.size:
        return ""
    place = rng.choice(places.tolist())
    try:
        points = [at, *(replaced(at, name, place, number) for number in PROBES)]
        values = [np.ravel(f.evaluate(point).value) for point in points]
        # Neither as it is, nor where all other data are sound: an infinity beside it may swallow what it does.
        sound = {n: np.where(np.isfinite(x), x, 0.7) for n, x in at.items()}
        others = [np.ravel(f.evaluate(replaced(sound, name, place, number)).value) for number in PROBES]
        if any(v.shape != values[0].shape for v in (*values, *others)):
            return ""
        free = [same(v, values[0]) for v in values] + [same(v, others[0]) for v in others]
        # A result of 0 tells nothing: a factor that happens to be 0 is a number, not a lane that was not selected.
        rows = np.flatnonzero(np.all(free, axis=0) & np.isfinite(values[0]) & (values[0] != 0))
        if not rows.size:
            return ""
        for mode in ("stacked", "columns"):
            bad, good = (
                matrix(dict(f.jacobian(point, wrt=[*at], mode=mode).jacobian), values[0].size)[rows]
                for point in (points[0], points[-1])
            )
            if np.max(np.abs(good), where=np.isfinite(good), initial=0.0) > LARGEST:
                return "blurred"
            if differing(good, bad).any():
                return f"{name}[{place}] cannot reach the result, but its derivative ({mode})"
        return second_order(text, points[0], points[-1], int(rows[0]), f"{name}[{place}]")
    except GradcliError:
        return "refused"


def second_order(text: str, bad: Point, good: Point, row: int, place: str) -> str:
    f = gradcli.parse(definite(f"h_ = {text}; ravel(h_)[{row}]"))
    first, second = ([matrix(dict(rows), 1) for rows in f.hessian(p, wrt=[*p]).hessian.values()] for p in (good, bad))
    a, b = np.concatenate(first, axis=1), np.concatenate(second, axis=1)
    if np.max(np.abs(a), where=np.isfinite(a), initial=0.0) > LARGEST:
        return "blurred"
    return f"{place} cannot reach the result, but its second derivative" if differing(a, b).any() else ""


def replaced(at: Point, name: str, place: int, number: float) -> Point:
    x = at[name].copy()
    x.flat[place] = number
    return {**at, name: x}


def same(a: Any, b: Any) -> Any:
    return (a == b) | (np.isnan(a) & np.isnan(b))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    tally: Counter[str] = Counter()
    warnings.simplefilter("error", RuntimeWarning)
    for number in range(asked.runs):
        rng = Random(f"{asked.seed}/{number}")
        words = Holes(rng)
        text, _ = words.expression(rng.choice([2, 3, 4, 5]))
        draw = np.random.default_rng(rng.randrange(2**32))
        at = {name: with_holes(draw, shape) for name, shape in words.shapes.items()}
        try:
            wrong = judged(text, at) or out_of_reach(text, at, rng)
        except Exception as error:  # anything: a warning too is a find
            wrong = repr(error)
        tally[wrong] += 1
        if wrong and wrong not in UNTOLD:
            print(f"{number}: {wrong}: {text} at { {n: x.tolist() for n, x in at.items()} }", flush=True)
    untold = sum(tally[word] for word in UNTOLD)
    finds = tally.total() - tally[""] - untold
    print(f"seed {asked.seed}, {asked.runs} programs, {untold} of them without an answer: {finds} finds")
    for wrong, count in tally.most_common():
        if wrong and wrong not in UNTOLD:
            print(f"{count} x {wrong}")
    return 1 if finds else 0


if __name__ == "__main__":
    raise SystemExit(main())
