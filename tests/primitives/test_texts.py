"""What the page of a function says of its derivative is true: formulas in it are of the language, and give what the
engine does. In them stand the operands and parameters, `out` for the value and, where a result has several elements,
`g` for the cotangent.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.engine import Tensor, function
from gradcli.primitives import TABLE
from gradcli.primitives.formula import derivative_text
from gradcli.primitives.table import Primitive
from tests.primitives.samples import ENTRIES, pull
from tests.primitives.special_calls import PARAMETERS

PART = re.compile(r"d/d(\w+) = ([^;]+)")
WORDS = {("gammainc", "a"), ("gammaincc", "a")}
"""Derivatives of elementwise functions that are no formula of the language: integrals."""

SHOWN = [entry for entry in ENTRIES if not entry.hidden]
ELEMENTWISE = [entry for entry in SHOWN if entry.kind == "elementwise"]
FORMULAS = [
    entry for entry in SHOWN if entry.kind not in ("elementwise", "linear") and PART.search(derivative_text(entry))
]

SHAPES: dict[str, list[tuple[int, ...]]] = {
    "matmul": [(2, 3), (3, 2)], "dot": [(2, 3), (3, 2)], "inner": [(2, 3), (4, 3)], "outer": [(3,), (2,)],
    "cross": [(3,), (3,)], "inv": [(3, 3)], "solve": [(3, 3), (3, 2)], "logdet": [(3, 3)], "lstsq": [(4, 2), (4, 2)],
}  # fmt: skip


def values(entry: Primitive, shapes: list[tuple[int, ...]]) -> list[Any]:
    bounds = entry.domain * len(shapes) if len(entry.domain) == 1 else entry.domain
    drawn = [np.random.default_rng(61 + i).uniform(*bounds[i], shape) for i, shape in enumerate(shapes)]
    return [x + 3 * np.eye(*x.shape) if entry.name in ("inv", "solve", "logdet") and x.ndim == 2 else x for x in drawn]


def check(entry: Primitive, shapes: list[tuple[int, ...]], params: dict[str, Any]) -> set[str]:
    """Hold each formula of the text to the engine; the names of the operands that have one."""
    names = [p.name for p in entry.signature.parameters if p.type == "value"]
    leaves = [Tensor(x, requires_grad=True) for x in values(entry, shapes)]
    y = function(entry)(**dict(zip(names, leaves, strict=True)), **params)
    g = np.random.default_rng(60).uniform(0.5, 1.5, y.shape)
    slopes = dict(zip(names, pull(y, leaves, g), strict=True))
    plain = {p.name: p.default for p in entry.signature.parameters if isinstance(p.default, int | float)}
    at = {**plain, **params, **{n: x.array for n, x in zip(names, leaves, strict=True)}, "out": y.array, "g": g}
    told = set()
    for name, text in PART.findall(derivative_text(entry)):
        used = {word: at[word] for word in set(re.findall(r"[a-z_]\w*(?!\w|\()", text)) & at.keys()}
        found = np.asarray(gradcli.parse(text).evaluate(used).value)
        flow = found if "g" in used else found * g
        wanted = slopes[name]
        np.testing.assert_allclose(flow * np.ones(np.shape(wanted)), wanted, rtol=1e-11, atol=1e-14, err_msg=text)
        told.add(name)
    return told


@pytest.mark.parametrize("entry", ELEMENTWISE, ids=lambda entry: entry.name)
def test_formula_of_each_operand(entry: Primitive) -> None:
    names = [p.name for p in entry.signature.parameters if p.type == "value"]
    told = check(entry, [(4,)] * len(names), PARAMETERS.get(entry.name, {}))
    assert told == {name for name in names if (entry.name, name) not in WORDS}


@pytest.mark.parametrize("entry", FORMULAS, ids=lambda entry: entry.name)
def test_formulas_of_other_functions(entry: Primitive) -> None:
    names = [p.name for p in entry.signature.parameters if p.type == "value"]
    check(entry, SHAPES.get(entry.name, [(4,)] * len(names)), {})


@pytest.mark.parametrize("entry", SHOWN, ids=lambda entry: entry.name)
def test_no_text_names_what_nobody_can_call(entry: Primitive) -> None:
    hidden = {e.name for e in ENTRIES if e.hidden}
    words = re.findall(r"\b([a-z_]\w*)\(", " ".join((derivative_text(entry), entry.edge, entry.summary)))
    assert not hidden & set(words)


def test_numbers_are_not_rounded() -> None:
    assert derivative_text(TABLE["exp2"]) == "d/dx = log(2)*out"
    assert derivative_text(TABLE["deg2rad"]) == "d/dx = pi/180"
    for entry in ELEMENTWISE:
        assert not re.search(
            r"\d\.\d{4,6}(?!\d)", derivative_text(entry).replace("0.044715", "").replace("0.134145", "")
        )
