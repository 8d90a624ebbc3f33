"""What a program is worth by NumPy alone: a second reading of the syntax tree, which shares nothing with the engine.

Whatever NumPy does not say in the same words, or refuses, is Undecided.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradcli.primitives import TABLE
from gradcli.primitives.table import Primitive
from gradcli.span import Source
from gradcli.syntax import nodes, parse

Values = dict[str, Any]


class Undecided(Exception):
    """NumPy has no answer of its own."""


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return np.logaddexp.reduce(x, axis=tuple(range(np.ndim(x))) if axis is None else axis, keepdims=keepdims)


def _softmax(x: Any, axis: Any = -1) -> Any:
    weights = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return weights / np.sum(weights, axis=axis, keepdims=True)


def _lgamma(x: float) -> float:
    return math.inf if x <= 0 and x == math.floor(x) else math.lgamma(x)


_WRITTEN: Mapping[str, Callable[..., Any]] = {
    "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative, "pos": np.positive, "sgn": np.sign,
    "clamp": np.clip, "cat": np.concatenate, "ln": np.log, "flatten": np.ravel, "unsqueeze": np.expand_dims,
    "permute": np.transpose, "expand": np.broadcast_to, "detach": np.copy, "clone": np.copy,
    "sigmoid": _sigmoid, "softplus": lambda x: np.logaddexp(x, 0), "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6), "silu": lambda x: x * _sigmoid(x), "tanhshrink": lambda x: x - np.tanh(x),
    "logsigmoid": lambda x: -np.logaddexp(0, -x), "frac": lambda x: np.fmod(x, 1), "rsqrt": lambda x: 1 / np.sqrt(x),
    "cube": lambda x: x**3, "exp10": lambda x: 10.0**x, "sec": lambda x: 1 / np.cos(x), "csc": lambda x: 1 / np.sin(x),
    "cot": lambda x: 1 / np.tan(x), "sech": lambda x: 1 / np.cosh(x), "csch": lambda x: 1 / np.sinh(x),
    "coth": lambda x: 1 / np.tanh(x), "erf": np.vectorize(math.erf, otypes=[float]),
    "erfc": np.vectorize(math.erfc, otypes=[float]), "lgamma": np.vectorize(_lgamma, otypes=[float]),
    "logsumexp": _logsumexp, "softmax": _softmax, "log_softmax": lambda x, axis=-1: np.log(_softmax(x, axis)),
    "mse_loss": lambda x, y: np.mean((x - y) ** 2), "l1_loss": lambda x, y: np.mean(np.abs(x - y)),
}  # fmt: skip
_ROUGH = ("sinc",)
"""NumPy rounds pi*x before it takes the sine of it."""
_RENAMED = {"dim": "axis", "keepdim": "keepdims"}
_BINARY = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "@": operator.matmul, "**": operator.pow, "and": np.logical_and, "or": np.logical_or,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


def value(text: str, at: Mapping[str, np.ndarray]) -> np.ndarray:
    """The value of the program. Raises Undecided, and SyntaxProblem."""
    reading = _Reading(at)
    with np.errstate(all="ignore"):
        try:
            return np.asarray(reading.program(parse(Source(text))), dtype=np.float64)
        except (ArithmeticError, LookupError, TypeError, ValueError, np.linalg.LinAlgError, RecursionError) as error:
            raise Undecided(str(error)) from None


class _Reading:
    def __init__(self, at: Mapping[str, np.ndarray]) -> None:
        self.values: Values = {"pi": np.pi, "e": np.e, "inf": np.inf, "nan": np.nan} | dict(at)
        self.functions: dict[str, nodes.Define] = {}

    def program(self, program: nodes.Program) -> Any:
        shown: Any = None
        for statement in program.statements:
            match statement:
                case nodes.Define(function=name):
                    self.functions[name] = statement
                case nodes.Result(value=result):
                    shown = self.number(result)
                case nodes.Assign(target=target, value=result):
                    shown = self.values[target.name] = self.number(result)
                case nodes.AssignIndex(target=target, value=result):
                    shown = self.write(target, self.number(result))
                case nodes.Augment(target=target, operator=sign, value=result):
                    changed = _BINARY[sign](self.number(target), self.number(result))
                    if isinstance(target, nodes.Name):
                        if np.shape(changed) != np.shape(self.number(target)):
                            raise Undecided("a write changes no shape")
                        shown = self.values[target.name] = changed
                    else:
                        shown = self.write(target, changed)
        return shown

    def write(self, target: nodes.Index, written: Any) -> Any:
        """Names hold values: what was read before keeps its numbers."""
        assert isinstance(target.base, nodes.Name)
        changed = np.array(self.number(target.base), dtype=np.float64)
        changed[self.index(target)] = written
        self.values[target.base.name] = changed
        return changed

    def number(self, node: nodes.Expression) -> Any:
        """The value with truth values as numbers, as all arithmetic sees them."""
        found = self.read(node)
        return np.asarray(found, dtype=np.float64) if not isinstance(found, tuple | list) else found

    def read(self, node: nodes.Expression) -> Any:
        match node:
            case nodes.Number(value=number):
                return np.float64(number)
            case nodes.Literal(value=word) | nodes.String(value=word):
                return word
            case nodes.Name(name=name):
                return self.values[name]
            case nodes.Unary(operator=sign, operand=operand):
                return self.unary(sign, operand)
            case nodes.Binary(operator="&" | "|"):
                raise Undecided("masks have their own rules")
            case nodes.Binary(operator=sign, left=left, right=right):
                return _BINARY[sign](self.number(left), self.number(right))
            case nodes.Comparison(operators=signs, operands=operands):
                seen = [self.number(operand) for operand in operands]
                pairs = zip(signs, seen, seen[1:], strict=False)
                return np.logical_and.reduce([_BINARY[sign](a, b) for sign, a, b in pairs])
            case nodes.List(items=items):
                return np.stack([self.number(item) for item in items]) if items else np.zeros(0)
            case nodes.Index(base=base):
                read = self.read(base)
                return (
                    read[self.plain(node.items[0])] if isinstance(read, tuple) else np.asarray(read)[self.index(node)]
                )
            case nodes.Call():
                return self.call(node)
        raise Undecided(type(node).__name__)

    def unary(self, sign: str, operand: nodes.Expression) -> Any:
        if sign == "~":
            raise Undecided("masks have their own rules")
        seen = self.number(operand)
        return np.logical_not(seen) if sign == "not" else -seen if sign == "-" else +seen

    def plain(self, node: nodes.Expression | None) -> Any:
        """A parameter or a part of an index: whole numbers are integers."""
        match node:
            case None:
                return None
            case nodes.Tuple(items=items):
                return tuple(map(self.plain, items))
            case nodes.Slice(start=start, stop=stop, step=step):
                return slice(self.plain(start), self.plain(stop), self.plain(step))
        found = self.read(node)
        if found is None or found is Ellipsis or isinstance(found, str | bool) or np.asarray(found).dtype == bool:
            return found
        whole = np.asarray(found)
        return whole.astype(np.int64)[()] if np.all(whole == np.round(whole)) and whole.size else found

    def index(self, node: nodes.Index) -> Any:
        return tuple(map(self.plain, node.items))

    def call(self, node: nodes.Call) -> Any:
        if node.function in self.functions:
            return self.user(self.functions[node.function], node)
        entry = TABLE[node.function]
        kinds = {parameter.name: parameter.type for parameter in entry.signature.parameters}
        given = [self.argument(entry, i, argument) for i, argument in enumerate(node.arguments)]
        if len(given) > len(kinds) and "shape" in kinds.values():
            first = list(kinds.values()).index("shape")
            given[first:] = [tuple(given[first:])]
        named = {
            _RENAMED.get(name, name): self.number(argument) if kinds.get(name) == "value" else self.plain(argument)
            for name, argument in node.keywords
        }
        return _by_numpy(entry.name)(*given, **named)

    def argument(self, entry: Primitive, position: int, node: nodes.Expression) -> Any:
        parameters = entry.signature.parameters
        kind = parameters[min(position, len(parameters) - 1)].type
        if kind == "sequence":
            if not isinstance(node, nodes.List | nodes.Tuple):
                raise Undecided("a sequence that is one array")
            return [self.number(item) for item in node.items]
        return self.number(node) if kind == "value" else self.plain(node)

    def user(self, function: nodes.Define, node: nodes.Call) -> Any:
        inner = _Reading(
            {**self.values, **dict(zip(function.parameters, map(self.number, node.arguments), strict=True))}
        )
        inner.functions = self.functions
        return inner.number(function.body)


def _sorted(function: Callable[..., Any]) -> Callable[..., Any]:
    def checked(x: Any, axis: Any = -1, **more: Any) -> Any:
        if np.ndim(x) == 0:
            raise Undecided("NumPy sorts no single number without giving it an axis")
        return function(x, axis, **more)

    return checked


def _finite(function: Callable[..., Any]) -> Callable[..., Any]:
    def checked(*operands: Any, **more: Any) -> Any:
        if not all(np.isfinite(x).all() for x in operands):
            raise Undecided("NumPy's pinv of an infinity does not end, others tell nothing")
        return function(*operands, **more)

    return checked


def _by_numpy(name: str) -> Callable[..., Any]:
    found = _WRITTEN.get(name) or getattr(np, name, None)
    if found is None and hasattr(np.linalg, name):
        found = _finite(getattr(np.linalg, name))
    if found is None or name in _ROUGH:
        raise Undecided(f"NumPy has no {name}")
    return _sorted(found) if name in ("sort", "argsort") else found
