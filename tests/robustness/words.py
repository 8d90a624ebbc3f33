"""Random programs in the words that array libraries share. All that happens follows from a `Random`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import numpy as np

from tests.robustness.dialects import ALONG, LOSSES, RUNNING, plain

Shape = tuple[int, ...]
Typed = tuple[str, Shape]

SIZES = (1, 2, 2, 3, 3, 3)
ONE, TWO = plain(1), plain(2)
MATRIX = "det inv slogdet_ logdet trace tril triu svdvals pinv expm nuclear_norm".split()
SIGNS = "+ + - - * * * /".split()
NAMED = {"add", "sub", "mul", "div", "pow", "neg", "pos", "ldexp", "nextafter", "floor_divide", "polygamma", "clip"}
"""Written with operators, or with arguments that have no slope."""
REAL_ORDER = {"gammainc", "gammaincc"}


@dataclass
class Program:
    """Statements in the words of all dialects: `name = text`, or a write `name[index] sign= text`."""

    lines: list[tuple[str, str, str, str]] = field(default_factory=list)
    result: str = ""
    shape: Shape = ()

    def __str__(self) -> str:
        return "; ".join([*(f"{a}{f'[{i}]' if i else ''} {sign}= {b}" for a, i, sign, b in self.lines), self.result])


class Words:
    """Expressions over names with the shapes of `shapes`; each comes with its shape."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        empty = rng.random() < 0.03
        n, m = 0 if empty else rng.choice(SIZES), rng.choice(SIZES)
        self.shapes: dict[str, Shape] = {
            "x": (n,), "y": (n,), "s": (), "A": (m, n), "B": (n, n), "z": (m,), "T": (2, m, n), "r": (m, 1),
        }  # fmt: skip

    def program(self, scalar: bool) -> Program:
        made = Program()
        for i in range(self.rng.choice([0, 0, 0, 1, 2])):
            text, shape = self.expression(2)
            made.lines.append((f"v{i}", "", "", f"1.0*({text})"))
            self.shapes[f"v{i}"] = shape
            if shape and min(shape) and self.rng.random() < 0.7:
                made.lines.append(self._write(f"v{i}", shape))
        made.result, made.shape = self.expression(self.rng.choice([1, 2, 3, 4]))
        if scalar and made.shape:
            made.result, made.shape = f"sum({made.result})", ()
        return made

    def _write(self, name: str, shape: Shape) -> tuple[str, str, str, str]:
        index = self.rng.choice([str(self.rng.randrange(shape[0])), "0:1", ":", "1:"])
        left = shape[1:] if index.isdigit() else (len(range(shape[0])[_slice(index)]), *shape[1:])
        fitting = [n for n, s in self.shapes.items() if n != name and s in ((), left)]
        return name, index, self.rng.choice(["", "", "+", "*"]), f"{self.rng.choice(fitting)} + 0.5"

    def expression(self, depth: int) -> Typed:
        if depth == 0:
            name = self.rng.choice([*self.shapes])
            return name, self.shapes[name]
        make: Callable[[int], Typed] = self.rng.choice(
            [
                *3 * [self._one],
                *3 * [self._two],
                self._along,
                self._running,
                self._matrix,
                self._number,
                self._cut,
                self._shaped,
                self._loss,
                self._chosen,
            ]
        )
        return make(depth - 1)

    def _one(self, depth: int) -> Typed:
        text, shape = self.expression(depth)
        name = self.rng.choice(ONE)
        return (f"(-({text}))" if name in NAMED else f"{name}({text})"), shape

    def _number(self, depth: int) -> Typed:
        text, shape = self.expression(depth)
        number = self.rng.choice(["2", "0.5", "3", "-1.5"])
        forms = [f"({text})**2", f"({text})**{number}", f"({text})*{number}", f"{number}/({text})", f"2**({text})",
                 f"{number} - ({text})", f"clip({text}, 0.4, 1.1)", f"polygamma(1, {text})"]  # fmt: skip
        return self.rng.choice(forms), shape

    def _two(self, depth: int) -> Typed:
        a, first = self.expression(depth)
        b, second = self.expression(depth)
        try:
            shape = np.broadcast_shapes(first, second)
        except ValueError:
            return a, first
        name = self.rng.choice([*SIGNS, *TWO, "**", "slope_"])
        if name in REAL_ORDER:
            return f"{name}(1.5, {b})", second
        return (f"(({a}) {name} ({b}))" if not name.isidentifier() else
                f"({a} + {b})" if name in NAMED else f"{name}({a}, {b})"), shape  # fmt: skip

    def _along(self, depth: int) -> Typed:
        text, shape = self.expression(depth)
        if not shape:
            return text, shape
        axis = self.rng.choice([None, *range(-len(shape), len(shape))])
        keep, name = self.rng.random() < 0.3, self.rng.choice(ALONG)
        if name == "norm" and axis is None:
            name = "sum"
        left = [1 if keep else -1 if axis is None or i == axis % len(shape) else n for i, n in enumerate(shape)]
        if keep:
            left = [1 if axis is None or i == axis % len(shape) else n for i, n in enumerate(shape)]
        options = ", keepdims=True" if keep else ""
        return f"{name}({text}, axis={axis}{options})", tuple(n for n in left if n >= 0)

    def _running(self, depth: int) -> Typed:
        text, shape = self.expression(depth)
        if not shape:
            return text, shape
        return f"{self.rng.choice(RUNNING)}({text}, axis={self.rng.randrange(-len(shape), len(shape))})", shape

    def _matrix(self, depth: int) -> Typed:
        a, first = self.expression(depth)
        b, second = self.expression(depth)
        if first and second and first[-1] == second[0] and len(first) + len(second) < 5:
            return f"(({a}) @ ({b}))", first[:-1] + second[1:]
        if len(first) == 2 and first[0] == first[1]:
            name = self.rng.choice(MATRIX)
            kept = first if name in ("inv", "tril", "triu", "pinv", "expm") else first[:1] if name == "svdvals" else ()
            return f"{name}({a})", kept
        if len(first) == 2:
            return f"({a}).T", first[::-1]
        return (f"outer({a}, {a})", first * 2) if len(first) == 1 else (a, first)

    def _cut(self, depth: int) -> Typed:
        text, shape = self.expression(depth)
        if not shape or not shape[0]:
            return text, shape
        rest, last = shape[1:], shape[0] - 1
        return self.rng.choice(
            [(f"({text})[0]", rest), (f"({text})[-1]", rest), (f"({text})[1:]", (last, *rest)),
             (f"({text})[None]", (1, *shape)), (f"({text})[[0, {last}, 0]]", (3, *rest)),
             (f"({text})[..., 0]", shape[:-1]) if shape[-1] else (text, shape)]
        )  # fmt: skip

    def _shaped(self, depth: int) -> Typed:
        text, shape = self.expression(depth)
        if not shape:
            return f"expand_dims({text}, 0)", (1,)
        n, size = shape[0], int(np.prod(shape))
        return self.rng.choice(
            [(f"ravel({text})", (size,)), (f"reshape({text}, (-1, 1))", (size, 1)), (f"roll({text}, 1, 0)", shape),
             (f"repeat({text}, 2, 0)", (2 * n, *shape[1:])), (f"concatenate([{text}, {text}])", (2 * n, *shape[1:])),
             (f"stack([{text}, {text}])", (2, *shape)), (f"diff({text}, axis=0)", (max(n - 1, 0), *shape[1:])),
             (f"swapaxes({text}, 0, -1)", (shape[-1], *shape[1:-1], shape[0]) if len(shape) > 1 else shape)]
        )  # fmt: skip

    def _loss(self, depth: int) -> Typed:
        a, first = self.expression(depth)
        b, second = self.expression(depth)
        if first != second:
            return a, first
        name, reduction = self.rng.choice(LOSSES), self.rng.choice(["mean", "sum", "none"])
        if name.startswith("binary"):
            b = f"sigmoid({b})"
        if name == "binary_cross_entropy":
            a = f"sigmoid({a})"
        return f'{name}({a}, {b}, "{reduction}")', first if reduction == "none" else ()

    def _chosen(self, depth: int) -> Typed:
        a, shape = self.expression(depth)
        return f"where({a} > 0.7, {a}, {self.rng.choice(['0', '1.0', f'({a})**2'])})", shape


def _slice(text: str) -> slice:
    return slice(*(int(part) if part else None for part in text.split(":")))
