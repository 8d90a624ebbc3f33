"""A tie is told where the result treats tied elements differently, and nowhere else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli

I = [[1, 0], [0, 1]]  # noqa: E741  # as mathematics calls it

NOTED: list[tuple[str, Any]] = [
    ("eigvalsh(x)[0]", I), ("sum(eigvalsh(x)*[1, 2])", I), ("eigh(x)[0][1]", I), ("svdvals(x)[0]", I),
    ("svd(x)[1][0]", I), ("sum(svdvals(x))", [[1, 0], [0, 0]]), ("svdvals(x)[1]", [[1, 1], [1, 1]]),
    ("sort(x)[0]", [1, 1, 2]), ("sum(sort(x)*[1, 2, 3])", [1, 1, 2]), ("sum(topk(x, 1)**2)", [3, 3, 1]),
    ("topk(x, 2)[0]", [3, 3, 1]), ("partition(x, 1)[0]", [1, 1, 3]), ("sum(cummax(x))", [2, 2, 1]),
    ("median(x)", [1, 2, 2]), ("median(x)", [1, 2, 2, 2]), ("quantile(x, 0.4)", [1, 1]), ("sort(x)", [1, 1]),
]  # fmt: skip
SMOOTH: list[tuple[str, Any]] = [
    ("sum(eigvalsh(x)**2)", I), ("sum(exp(eigvalsh(x)))", I), ("sum(eigh(x)[0]**3)", I), ("sum(svdvals(x)**2)", I),
    ("sum(svd(x)[1]**2)", I), ("sum(svdvals(x)**2)", [[1, 1], [1, 1]]), ("sum(svdvals(x)**2)", [[0, 0], [0, 0]]),
    ("eigvalsh(x)[2]", np.diag([1, 1, 2])), ("sum(sort(x)**2)", [1, 1, 2]), ("sort(x)[2]", [1, 1, 2]),
    ("sum(topk(x, 2)**2)", [3, 3, 1]), ("sum(partition(x, 1))", [3, 3, 1]), ("cummax(x)[0]", [2, 2, 1]),
    ("median(x)", [1, 2, 2, 3]), ("quantile(x, 0.25)", [1, 3, 4, 4, 5]),
    ("sum(eigvalsh(x)**2)", np.stack([np.eye(2), 2 * np.eye(2)])),
]  # fmt: skip


def found(text: str, x: Any) -> Any:
    program = gradcli.parse(text)
    at = {"x": np.asarray(x, float)}
    return program.diff(at) if not program.evaluate(at).value.shape else program.jacobian(at)


@pytest.mark.parametrize(("text", "x"), NOTED)
def test_where_a_tie_matters_there_is_a_note(text: str, x: Any) -> None:
    assert len(found(text, x).notes) == 1


@pytest.mark.parametrize(("text", "x"), SMOOTH)
def test_what_is_smooth_has_no_note(text: str, x: Any) -> None:
    assert not found(text, x).notes


@pytest.mark.parametrize(("text", "x"), SMOOTH)
def test_what_has_no_note_is_what_differences_say(text: str, x: Any) -> None:
    checked = gradcli.parse(text).check({"x": np.asarray(x, float)})
    assert checked.passed
    assert checked.variables["x"].left is None
