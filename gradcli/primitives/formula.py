"""Derivatives in words: the rules of the table run on an array namespace that only writes down what they do."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.primitives.table import Primitive

_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(5)

_BY_KIND = {
    "linear": "linear: the transposed map of the cotangent",
    "constant": "none",
}


class Formula:
    """A text, and how tightly its outermost operator binds."""

    __array_ufunc__ = None

    def __init__(self, text: str, binds: int = _ATOM) -> None:
        self.text = text
        self.binds = binds

    def within(self, level: int) -> str:
        return self.text if self.binds >= level else f"({self.text})"


_KNOWN = {
    float(value): (text, level)
    for value, text, level in (
        (np.log(2.0), "log(2)", _ATOM), (np.log(10.0), "log(10)", _ATOM),
        (1 / np.log(2.0), "1/log(2)", _PRODUCT), (1 / np.log(10.0), "1/log(10)", _PRODUCT),
        (0.4342944819032518, "1/log(10)", _PRODUCT),
        (np.pi / 180, "pi/180", _PRODUCT), (180 / np.pi, "180/pi", _PRODUCT), (1 / 6, "1/6", _PRODUCT),
    )
}  # fmt: skip
"""Numbers whose digits say less than how they are made."""


def _formula(value: Any) -> Formula:
    if isinstance(value, Formula):
        return value
    if isinstance(value, float | int):
        if float(value) in _KNOWN:
            return Formula(*_KNOWN[float(value)])
        return Formula(str(float(value)).removesuffix(".0"))
    return Formula(str(value))


def _binary(sign: str, level: int, right_level: int) -> tuple[Any, Any]:
    def forward(a: Any, b: Any) -> Formula:
        if sign == " + " and _formula(b).text == "0":
            return _formula(a)  # it only turns -0 into 0
        return Formula(f"{_formula(a).within(level)}{sign}{_formula(b).within(right_level)}", level)

    return forward, lambda a, b: forward(b, a)


for _dunder, _sign, _level, _right in (
    ("add", " + ", _SUM, _SUM),
    ("sub", " - ", _SUM, _PRODUCT),
    ("mul", "*", _PRODUCT, _PRODUCT),
    ("truediv", "/", _PRODUCT, _SIGN),
    ("matmul", "@", _PRODUCT, _SIGN),
    ("pow", "**", _POWER, _POWER),
    ("lt", " < ", _SUM, _SUM),
    ("le", " <= ", _SUM, _SUM),
    ("gt", " > ", _SUM, _SUM),
    ("ge", " >= ", _SUM, _SUM),
    ("eq", " == ", _SUM, _SUM),
    ("ne", " != ", _SUM, _SUM),
):
    _forward, _reflected = _binary(_sign, _level, _right)
    setattr(Formula, f"__{_dunder}__", _forward)
    setattr(Formula, f"__r{_dunder}__", _reflected)
setattr(Formula, "__neg__", lambda x: Formula(f"-{x.within(_SIGN)}", _SIGN))  # noqa: B010  # as its siblings above


class Writer:
    """`xp` that writes: every call becomes its own text. Plain parameters go without saying."""

    def __getattr__(self, name: str) -> Any:
        return lambda *operands, **params: Formula(f"{name}({', '.join(_formula(x).text for x in operands)})")


def derivative_text(entry: Primitive) -> str:
    """One formula per operand of an elementwise entry; what its author wrote, or its kind, for all others."""
    if entry.derivative:
        return entry.derivative
    if entry.kind == "elementwise":
        names = [p.name for p in entry.signature.parameters if p.type == "value"]
        operands = [Formula(name) for name in names]
        out = Formula("out")
        texts = []
        for name, rule in zip(names, entry.rules, strict=True):
            partial = rule if isinstance(rule, int) else rule(Writer(), out, *operands)
            texts.append(f"d/d{name} = {_formula(partial).text}")
        return "; ".join(texts)
    return _BY_KIND.get(entry.kind, "")
