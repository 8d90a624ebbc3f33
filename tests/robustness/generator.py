"""Random programs by the grammar, and random command lines around them. All that happens follows from a `Random`."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from gradcli.primitives import TABLE
from gradcli.primitives.signature import REQUIRED, Parameter

NUMBERS = "0 1 -1 2 3 0.5 -2.5 1e-3 7 10 1e300 1e-300 -1e300 5e-324 1e400 inf nan pi e 1_000 0.1 100".split()
SIZES = "0 1 1 2 2 3 3 4 5".split()
ODD_INTEGERS = "-1 -2 0 1 2 3 7 64 65 1e9 -1e9 1e6 100000 2.5 nan inf 2**31 2**40 True None x".split()
BINARY = "+ + + - - * * * / / ** // % @ ** ^ < <= > >= == != & | and or × · ÷ −".split()
WORDS = '"fro" "nuc" "ij,jk->ik" "ii->" "i,i->i" "ij->ji" "full" "linear" "lower" "" "x" 2 1 inf -inf None'.split()
NAMES = "x y z A B w s t m".split()
COMMANDS = "eval diff jacobian hessian jvp vjp hvp check graph".split()
FILES = "out.json out.jsonl out.csv out.npy out.npz out.mtx out.dot out.x no/out.json".split()
FORMATS = "json json json jsonl csv plain table".split()

FUNCTIONS = sorted(name for name, entry in TABLE.items() if not entry.hidden)

PLAIN = [name for name in FUNCTIONS if TABLE[name].kind == "elementwise"]


class Programs:
    """Programs whose names all have a value; `depth` bounds how far an expression nests."""

    def __init__(self, rng: Random, depth: int = 4) -> None:
        self.rng = rng
        self.depth = depth
        self.names = rng.sample(NAMES, rng.randint(1, 4))
        self.functions: list[tuple[str, int]] = []

    def program(self) -> str:
        lines = [self._statement() for _ in range(self.rng.choice([0, 0, 0, 1, 1, 2, 4]))]
        return self.rng.choice(["\n", "; ", "\r\n"]).join([*lines, self.expression(self.depth)])

    def _statement(self) -> str:
        kind = self.rng.random()
        name = self.rng.choice([*self.names, "u", "v"])
        value = self.expression(self.depth - 1)
        if kind < 0.5:
            if name not in self.names:
                self.names.append(name)
            return f"{name} = {value}"
        if kind < 0.7:
            return f"{name}[{self.index()}] = {value}"
        if kind < 0.85:
            return f"{name} {self.rng.choice(['+=', '-=', '*=', '/=', '**='])} {value}"
        called = f"f{len(self.functions)}"
        parameters = ["a", "b"][: self.rng.randint(0, 2)]
        self.functions.append((called, len(parameters)))
        return f"{called}({', '.join(parameters)}) = {value}"

    def expression(self, depth: int) -> str:
        if depth <= 0 or self.rng.random() < 0.15:
            return self.rng.choice([self.rng.choice(self.names), self.rng.choice(NUMBERS)])
        make: Callable[[int], str] = self.rng.choice(
            [self._binary, self._binary, self._call, self._call, self._call, self._unary, self._index, self._list]
        )
        return make(depth - 1)

    def _binary(self, depth: int) -> str:
        left, right = self.expression(depth), self.expression(depth)
        text = f"{left} {self.rng.choice(BINARY)} {right}"
        return f"({text})" if self.rng.random() < 0.6 else text

    def _unary(self, depth: int) -> str:
        return f"{self.rng.choice(['-', '-', '+', 'not ', '~'])}{self.expression(depth)}"

    def _index(self, depth: int) -> str:
        base = self.rng.choice([self.rng.choice(self.names), f"({self.expression(depth)})"])
        return f"{base}.T" if self.rng.random() < 0.2 else f"{base}[{self.index()}]"

    def index(self) -> str:
        return ", ".join(self._subscript() for _ in range(self.rng.choice([1, 1, 1, 2, 3])))

    def _subscript(self) -> str:
        def part() -> str:
            return self.rng.choice(["", "", "0", "1", "-1", "2", "-7", self.rng.choice(ODD_INTEGERS)])

        name = self.rng.choice(self.names)
        slices = [f"{part()}:{part()}", f"{part()}:{part()}:{part()}", ":", "..."]
        return self.rng.choice(["0", "1", "-1", *slices, "None", "[0, 1]", "[[0], [-1]]", f"{name} > 0", name])

    def _list(self, depth: int) -> str:
        items = [self.expression(depth - 1) for _ in range(self.rng.choice([0, 1, 2, 2, 3]))]
        return f"[{', '.join(items)}]"

    def _call(self, depth: int) -> str:
        if self.functions and self.rng.random() < 0.2:
            name, count = self.rng.choice(self.functions)
            return f"{name}({', '.join(self.expression(depth - 1) for _ in range(count))})"
        name = self.rng.choice(FUNCTIONS if self.rng.random() < 0.6 else PLAIN)
        arguments = [
            self._named(parameter, depth)
            for parameter in TABLE[name].signature.parameters
            if parameter.default is REQUIRED or self.rng.random() < 0.4
        ]
        if self.rng.random() < 0.05:
            arguments = self.rng.sample(arguments, self.rng.randint(0, len(arguments)))
        arguments.sort(key=lambda text: "=" in text.partition("(")[0])
        return f"{name}({', '.join(arguments)})"

    def _named(self, parameter: Parameter, depth: int) -> str:
        text = self._argument(parameter.type, depth)
        keyword = parameter.keyword_only or (parameter.default is not REQUIRED and self.rng.random() < 0.7)
        return f"{parameter.name}={text}" if keyword else text

    def _argument(self, kind: str, depth: int) -> str:
        pick = self.rng.choice
        if kind == "value":
            return self.expression(depth)
        if self.rng.random() < 0.1:
            return pick(ODD_INTEGERS)
        if kind == "sequence":
            return f"[{', '.join(self.expression(depth - 1) for _ in range(self.rng.randint(1, 3)))}]"
        if kind == "shape":
            return pick([pick(SIZES), f"({pick(SIZES)}, {pick(SIZES)})", f"({pick(SIZES)}, -1)", "(30000, 30000)"])
        choices = {
            "axis": ["0", "1", "-1", "2", "None", "(0, 1)", "(1, 0)", "(0, 0)"],
            "integer": ["0", "1", "2", "-1", "3", "5"],
            "flag": ["True", "False", "0", "1"],
            "number": ["0.5", "2", "1", "0", "-1", "inf", "nan"],
            "string": WORDS,
        }
        return pick(choices.get(kind, ["0", "1", "x"]))


LARGE = (500, 16_384, 65_536, 65_537)
"""Sizes where another path begins: sparse matrices, blocks of rows, operands by blocks."""


def value(rng: Random, size: int | None = None) -> str:
    """A VALUE: any rank, finite numbers or not; with `size` one of the shapes that go together."""
    if size in LARGE:
        return rng.choice([f"linspace(-1, 2, {size})", f"rand({size})", f"randn({size})", "2", "0.5"])
    shape = (
        [size] * rng.choice([0, 0, 1, 1, 2, 2])
        if size is not None
        else [rng.choice([0, 1, 1, 2, 2, 3, 3, 4]) for _ in range(rng.choice([0, 0, 0, 1, 1, 2, 2, 2, 3]))]
    )
    kind = rng.random()
    if kind < 0.35 and shape:
        return f"{rng.choice(['randn', 'rand', 'ones', 'zeros'])}({', '.join(map(str, shape))})"
    if kind < 0.4 and size is None:
        return rng.choice(["eye(3)", "arange(5)", "linspace(0, 1, 7)", "[True, False]", "[[2, 1], [1, 3]]", "[nan, 1]"])
    return _nested(rng, shape)


def _nested(rng: Random, shape: list[int]) -> str:
    if not shape:
        return rng.choice([*NUMBERS, str(rng.randint(-5, 5)), f"{rng.gauss(0, 2):.3f}"])
    return f"[{', '.join(_nested(rng, shape[1:]) for _ in range(shape[0]))}]"


def command_line(rng: Random) -> list[str]:
    """A command on a random program, with a value for each of its names."""
    programs = Programs(rng, depth=rng.choice([1, 2, 3, 3, 4, 5]))
    return around(rng, programs.program(), [name for name in NAMES if rng.random() < 0.97])


def checked_line(rng: Random) -> list[str]:
    """A check of smooth functions at a plain point: derivatives against differences."""
    programs = Programs(rng, depth=rng.choice([2, 3, 3, 4]))
    size = rng.choice([1, 2, 3])
    program = programs.program()
    at = [f"{name}={rng.choice(['randn', 'rand'])}({shape})" for name in NAMES if name in program
          for shape in [", ".join([str(size)] * rng.choice([0, 1, 1, 2]))]]  # fmt: skip
    seed = ["--seed", str(rng.randrange(1000))]
    return ["check", "--max-memory", "200M", *seed, *(word for text in at for word in ("--at", text)), "--", program]


def around(rng: Random, program: str, names: list[str]) -> list[str]:
    command = rng.choice(COMMANDS)
    size = rng.choice(LARGE) if rng.random() < 0.03 else rng.choice([None, 1, 2, 2, 3, 3, 4])
    words = [command, "--max-memory", "200M", "--format", rng.choice(FORMATS)]
    words += [word for name in names if name in program for word in ("--at", f"{name}={value(rng, size)}")]
    words += _options(rng, command, size)
    return [*words, "--", program]


def _options(rng: Random, command: str, size: int | None) -> list[str]:
    options: list[str] = ["--strict"] if rng.random() < 0.05 else []
    if command in ("jvp", "hvp") or rng.random() < 0.02:
        options += ["--tangent", f"{rng.choice(NAMES[:3])}={value(rng, size)}"]
    if command in ("diff", "graph") and rng.random() < 0.3:
        options += ["--grad-output", value(rng, size)]
    if command == "vjp" and rng.random() < 0.6:
        options += ["--cotangent", value(rng, size)]
    if command == "diff" and rng.random() < 0.2:
        options += ["--order", rng.choice(["1", "2", "3", "4", "8", "0", "x"])]
    if command == "jacobian":
        options += ["--mode", rng.choice(["auto", "auto", "rows", "stacked", "columns", "sparse", "x"])]
        options += ["--pattern"] if rng.random() < 0.1 else []
    if command == "hessian" and rng.random() < 0.2:
        options += ["--diag"]
    if command not in ("eval", "jvp", "hvp") and rng.random() < 0.2:
        options += ["--wrt", rng.choice(NAMES)]
    if rng.random() < 0.1:
        options += ["--digits", rng.choice(["1", "3", "6", "12", "17", "0", "-1", "x"])]
    if rng.random() < 0.1:
        options += ["-o", rng.choice(FILES)]
    return options
