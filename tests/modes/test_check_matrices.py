"""Functions of symmetric matrices are checked entry by entry, as functions of the symmetric part."""

from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.errors import BadArgument
from gradcli.primitives import TABLE

X = np.array([[2.0, 1.0, 0.3], [1.0, 3.0, 0.2], [0.3, 0.2, 4.0]])


@pytest.mark.parametrize(
    "text", ["cholesky(x)", "eigvalsh(x)", "eigh(x)[0]", "eigh(x)[1]", "sum(cholesky(x)**3)", "logdet(cholesky(x))"]
)
def test_right_derivatives_pass(text: str) -> None:
    assert gradcli.parse(text).check({"x": X}).passed


@pytest.mark.parametrize("name", ["cholesky", "eigvalsh"])
@pytest.mark.parametrize("side", ["rules", "pushes"])
def test_a_wrong_rule_is_found_and_blamed(name: str, side: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = TABLE[name]
    (right,) = getattr(entry, side)

    def wrong(xp: Any, flow: Any, out: Any, x: Any) -> Any:
        return 1.001 * right(xp, flow, out, x)

    monkeypatch.setattr(entry, side, (wrong,))
    monkeypatch.delitem(entry.__dict__, "_needs", raising=False)
    found = gradcli.parse(f"{name}(x)").check({"x": X})
    monkeypatch.undo()
    entry.__dict__.pop("_needs", None)
    assert not found.passed
    assert found.culprit is not None
    assert found.culprit.operation == name


def test_a_claim_that_counts_one_triangle_only_is_wrong() -> None:
    program = gradcli.parse("sum(cholesky(x))")
    right = np.asarray(program.diff({"x": X}).gradient["x"])
    assert program.check({"x": X}, against={"x": right}).passed
    assert not program.check({"x": X}, against={"x": 2 * np.tril(right)}).passed


def test_a_matrix_that_is_not_symmetric_is_still_refused() -> None:
    program = gradcli.parse("cholesky(x)")
    program.check({"x": X})
    for method in (program.check, program.evaluate):
        with pytest.raises(BadArgument, match="not symmetric"):
            method({"x": X + np.eye(3, k=1)})


@pytest.mark.parametrize("text", ["eigvalsh(x)", "svdvals(x)"])
def test_repeated_values_are_no_disagreement(text: str) -> None:
    found = gradcli.parse(text).check({"x": np.eye(3)})
    assert found.passed
    assert found.notes
    assert "tie" in found.variables["x"].note or "kink" in found.variables["x"].note


def test_equal_elements_in_order_are_no_disagreement() -> None:
    assert gradcli.parse("sort(x)").check({"x": [1.0, 1.0, 1.0]}).passed
