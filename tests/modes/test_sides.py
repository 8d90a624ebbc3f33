"""Kinks that only a later derivative meets have their note, and smooth points have none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.results import Note

# Not smooth to second order at 0, where the first derivative has no part in the kink; and the operation to be named.
NOTED = [
    ("maximum(x, 0)**2", "maximum"), ("abs(x)*x", "abs"), ("relu(x)**2", "relu"), ("sign(x)*x**2", "sign"),
    ("maximum(0, 1 - (x + 1))**2", "maximum"), ("relu(x)*relu(x)", "relu"), ("max([x, 0])**2", "max"),
    ("floor(x)*x**2", "floor"), ("x//1*x**2", "floor_divide"), ("heaviside(x, 0.5)*x**2", "heaviside"),
    ("abs(sin(x))*sin(x)", "abs"), ("hinge_loss(x + 1, 1)**2", "hinge_loss"), ("leaky_relu(x)**2", "leaky_relu"),
    ("clip(x, 0, 1)**2", "clip"), ("(x % 1)*x", "remainder"), ("sort([x, 0])[0]**2", "sort"),
    ("sum(relu([x, 1 + x])**[2, 1])", "relu"), ("ceil(x)*x**2", "ceil"), ("relu(x)**2*exp(x)", "relu"),
    ("sum(maximum([0, 1]*x, 0)**2)", "maximum"), ("abs(x)*sinh(x)", "abs"), ("1e-20*relu(x)**2", "relu"),
    ("elu(x)", "elu"), ("celu(x, 0.5)", "celu"), ("softsign(x)", "softsign"), ("smoothstep(x)", "smoothstep"),
    ("smoothstep(1 - x)", "smoothstep"), ("huber_loss(x + 1, 0)", "huber_loss"), ("abs(x)**1.5", "pow"),
    ("huber_loss(0, [x - 2, 5], delta=2)", "huber_loss"), ("smooth_l1_loss(x + 1, 0)", "smooth_l1_loss"),
    ("nanmax([x, 0])**2", "nanmax"), ("nanmin([x, nan, 0])**2", "nanmin"),
]  # fmt: skip
SMOOTH = [
    "abs(x)**3", "relu(x)**3", "sign(x)*x**3", "maximum(x, 0)**3", "max([x, 0])**3", "abs(x)*abs(x)*abs(x)",
    "relu(x)*relu(-x)", "sum(sort([x, 0])**2)", "norm([x, 0])**2", "std([x, 0])**2", "round(x)*x**2", "sinc(x)",
    "elu(x)**3", "softsign(x)*x", "huber_loss(x + 0.5, 0)", "x**2.5",
    "where(x > 0.5, sqrt(x), x)", "floor(x)*x**3", "median([x, 0, 0])**2", "var([x, 0])", "x*x",
    "floor(x + 0.5)*x",
    "sum(eigvalsh([[1 + x, 0], [0, 1]])**2)",
]  # fmt: skip

Ask = Callable[[Any, dict[str, Any]], Any]
ASKED: list[Ask] = [
    lambda f, at: f.hessian(at),
    lambda f, at: f.hessian_diagonal(at),
    lambda f, at: f.sparse_hessian(at),
    lambda f, at: f.hvp(at, {"x": 1.0}),
    lambda f, at: f.diff(at, order=2),
]
IDS = ["hessian", "diagonal", "sparse", "hvp", "order"]


@pytest.mark.parametrize("ask", ASKED, ids=IDS)
@pytest.mark.parametrize(("text", "operation"), NOTED)
def test_a_kink_of_the_second_derivative_is_told(text: str, operation: str, ask: Ask) -> None:
    notes: tuple[Note, ...] = ask(gradcli.parse(text), {"x": 0.0}).notes
    assert operation in {note.operation for note in notes}


@pytest.mark.parametrize("ask", ASKED, ids=IDS)
@pytest.mark.parametrize("text", SMOOTH)
def test_what_is_smooth_to_second_order_has_no_note(text: str, ask: Ask) -> None:
    assert not ask(gradcli.parse(text), {"x": 0.0}).notes


@pytest.mark.parametrize("text", [text for text, _ in NOTED])
def test_neither_has_what_lies_beside_the_kink(text: str) -> None:
    for x in (0.3, -0.3, 1e-12):
        assert not gradcli.parse(text).hessian({"x": x}).notes


@pytest.mark.parametrize(
    ("text", "orders"), [("abs(x)**3", 3), ("relu(x)**4", 4), ("sign(x)*x**3", 3), ("abs(x)*x**3", 4)]
)
def test_the_order_that_meets_the_kink_is_the_first_to_tell(text: str, orders: int) -> None:
    f = gradcli.parse(text)
    told = [bool(f.diff({"x": 0.0}, order=order).notes) for order in range(1, orders + 1)]
    assert told == [False] * (orders - 1) + [True]


@pytest.mark.parametrize("text", ["x*sign(x)", "x*(x % 1)", "(x - 2)*floor(x - 2)", "x*heaviside(x, 0)", "x*(x//2)"])
def test_a_jump_beside_a_factor_of_0_is_told_by_the_first_derivative(text: str) -> None:
    at = {"x": 2.0 if "2)" in text and "//" not in text else 0.0}
    assert gradcli.parse(text).diff(at).notes
    assert gradcli.parse(text).vjp(at, 1.0).notes
    assert not gradcli.parse(text).diff({"x": 0.7}).notes


@pytest.mark.parametrize("text", ["floor(x)*x", "x*sign(x)", "remainder(x + 2, 2)**2", "argsort([x, 0])[0]*x", "x**x"])
def test_every_first_derivative_tells_the_same(text: str) -> None:
    f, at = gradcli.parse(text), {"x": 0.0}
    told = f.diff(at).notes
    assert len(told) == 1
    assert f.vjp(at).notes == told
    assert f.jvp(at, {"x": 1.0}).notes == told
    for mode in ("rows", "stacked", "columns", "sparse"):
        assert f.jacobian(at, mode=mode).notes == told


@pytest.mark.parametrize("text", ["elu(x)", "softsign(x)", "smoothstep(x)", "huber_loss(x + 1, 0)", "x**1.5"])
def test_a_first_derivative_does_not_tell_what_only_the_second_meets(text: str) -> None:
    f, at = gradcli.parse(text), {"x": 0.0}
    for found in (f.diff(at), f.diff(at), f.vjp(at), f.jvp(at, {"x": 1.0}), f.jacobian(at), f.check(at)):
        assert not found.notes


def test_the_note_names_the_element_that_matters() -> None:
    f = gradcli.parse("sum(abs(x)**[3, 2, 3, 2, 3])")
    (note,) = f.hessian({"x": np.zeros(5)}).notes
    assert (note.operation, note.index) == ("abs", (1,))


def test_a_product_tells_what_its_direction_meets() -> None:
    f, at = gradcli.parse("sum(abs(x)**[3, 2, 3]) + y**3"), {"x": np.zeros(3), "y": 1.0}
    assert f.hvp(at, {"x": [1.0, 1.0, 1.0]}).notes
    assert not f.hvp(at, {"x": [1.0, 0.0, 1.0]}).notes
    assert not f.hvp(at, {"y": 1.0}).notes


KINKED = ["abs({0})", "relu({0})", "maximum({0}, 0)", "sign({0})", "floor({0})", "leaky_relu({0})", "minimum({0}, 0)"]
PLAIN = [
    "sin({0})",
    "{0}",
    "{0}**2",
    "x*exp({0})",
    "({0} + x**2)",
    "x**2*{0}",
    "-{0}",
    "sinh({0})*x",
    "{0}*{1}",
    "{0} + {1}",
]


def random_program(rng: np.random.Generator, depth: int) -> str:
    if depth == 0:
        return "x"
    shapes = KINKED if rng.random() < 0.4 else PLAIN
    return str(rng.choice(shapes)).format(random_program(rng, depth - 1), random_program(rng, depth - 1))


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_are_noted_where_the_sides_differ(seed: int) -> None:
    """By derivatives at points on either side, near 0, where the programs have no other kinks."""
    text = random_program(np.random.default_rng(seed), 3)
    f, near = gradcli.parse(text), 1e-7
    if not f.names:
        return
    here = f.diff({"x": 0.0}, order=2)
    left, right = (f.diff({"x": side * near}, order=2).derivatives for side in (-1, 1))
    values = [float(f.evaluate({"x": x}).value) for x in (-near, 0.0, near)]
    smooth = np.allclose(np.ptp(values), 0, atol=1e-5)
    smooth &= all(np.allclose([a, c], b, atol=1e-4) for a, b, c in zip(left, here.derivatives, right, strict=True))
    assert smooth or here.notes, text
    if (
        here.notes and smooth
    ):  # a note without a kink in the result: only where a slope meets a convention and is undone
        first = f.diff({"x": 0.0}).notes
        assert first, text


def test_a_jump_from_one_end_of_the_numbers_to_the_other() -> None:
    found = gradcli.parse("copysign(1.5e308, floor(x))").jacobian({"x": 0.0})
    assert {note.operation for note in found.notes} == {"floor", "copysign"}
