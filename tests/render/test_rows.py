"""csv and plain rows."""

from dataclasses import replace

import numpy as np
import pytest

from gradcli.render import rows
from gradcli.results import Check, Evaluation, Tangent, VariableCheck


@pytest.mark.parametrize(
    ("value", "csv", "plain"),
    [
        (np.float64(19), "value\n19.0\n", "19.0\n"),
        (np.array([1.0, np.nan]), "value\n1.0\nnan\n", "1.0 nan\n"),
        (np.array([[1.0, 2.0], [3.0, -np.inf]]), "value[0],value[1]\n1.0,2.0\n3.0,-inf\n", "1.0 2.0\n3.0 -inf\n"),
        (np.array([[[1.0], [2.0]]]), "value[0]\n1.0\n2.0\n", "1.0\n2.0\n"),
        (np.array([True, False]), "value\n1\n0\n", "1 0\n"),
        (np.zeros((0, 2)), "value[0],value[1]\n", ""),
    ],
)
def test_evaluation(value: np.ndarray, csv: str, plain: str) -> None:
    result = Evaluation("x", value)
    assert "".join(rows.evaluation_csv(result)) == csv
    assert "".join(rows.evaluation_plain(result)) == plain


def test_gradient(mixed) -> None:
    assert "".join(rows.gradient_csv(mixed)) == 'k,"x[0,0]","x[0,1]","x[1,0]","x[1,1]"\n3.0,2.0,0.0,-2.0,0.5\n'
    assert "".join(rows.gradient_plain(mixed)) == "k 3.0\nx 2.0 0.0 -2.0 0.5\n"


def test_derivatives(decay) -> None:
    result = replace(decay, gradient={"x": np.float64(12)}, derivatives=(np.float64(12), np.float64(6)))
    assert "".join(rows.gradient_csv(result)) == "x\n12.0\n6.0\n"
    assert "".join(rows.gradient_plain(result)) == "x 12.0 6.0\n"


def test_jacobian_csv(stream) -> None:
    assert "".join(rows.jacobian_csv(stream)) == '"x[0,0]","x[0,1]",y\n4.0,1.0,3.0\n2.0,0.0,6.0\ninf,0.0,1.0\n'


def test_jacobian_plain(stream) -> None:
    assert "".join(rows.jacobian_plain(stream)) == "4.0 1.0 3.0\n2.0 0.0 6.0\ninf 0.0 1.0\n"


def test_hessian(curved) -> None:
    rows_of_it = "6.0,4.0,1.0,1.0\n4.0,0.0,0.0,0.0\n1.0,0.0,0.0,0.0\n1.0,0.0,0.0,0.0\n"
    assert "".join(rows.hessian_csv(curved)) == "x,y,w[0],w[1]\n" + rows_of_it
    assert "".join(rows.hessian_plain(curved)) == rows_of_it.replace(",", " ")


def test_hessian_of_an_empty_variable(curved) -> None:
    none = np.zeros(0)
    blocks = {"x": {"x": np.float64(6), "w": none}, "w": {"x": none, "w": np.zeros((0, 0))}}
    empty = replace(curved, gradient={"x": np.float64(1), "w": none}, hessian=blocks)
    assert "".join(rows.hessian_csv(empty)) == "x\n6.0\n"


def test_tangent() -> None:
    result = Tangent("f", np.ones((1, 2)), np.array([[1.0, np.nan]]))
    assert "".join(rows.tangent_csv(result)) == '"tangent[0,0]","tangent[0,1]"\n1.0,nan\n'
    assert "".join(rows.tangent_plain(result)) == "tangent 1.0 nan\n"


def test_check() -> None:
    x, y = VariableCheck(0.0, (), 1.0, 1.0, None, True), VariableCheck(2.0, (1, 0), 1.0, 1.0, 3.0, False)
    result = Check("f", False, {"x": x, "y": y}, None)
    assert "".join(rows.check_csv(result)) == (
        'variable,max_error,reverse,forward,numeric,passed,worst\nx,0.0,1.0,1.0,nan,1,[]\ny,2.0,1.0,1.0,3.0,0,"[1,0]"\n'
    )
    assert "".join(rows.check_plain(result)).splitlines()[1] == "y 2.0 1.0 1.0 3.0 0 [1,0]"
