"""Results made by hand: the renderers are tested without an engine."""

import numpy as np
import pytest

from gradcli.results import (
    Gradient,
    Graph,
    GraphNode,
    Hessian,
    Jacobian,
    JacobianBlock,
    JacobianStream,
    Method,
    Note,
)
from gradcli.span import Span


def scalar(value: float) -> np.float64:
    return np.float64(value)


@pytest.fixture
def decay() -> Gradient:
    """The sample of the contract."""
    return Gradient(
        expression="a*exp(-b*t)",
        value=scalar(0.44626032029685964),
        gradient={
            "a": scalar(0.22313016014842982),
            "b": scalar(-1.338780960890579),
            "t": scalar(-0.22313016014842982),
        },
        point={"a": scalar(2), "b": scalar(0.5), "t": scalar(3)},
    )


@pytest.fixture
def mixed() -> Gradient:
    """A scalar, an array and a note."""
    return Gradient(
        expression="k*sum(abs(x))",
        value=scalar(6),
        gradient={"k": scalar(3), "x": np.array([[2.0, 0.0], [-2.0, 0.5]])},
        point={"k": scalar(2), "x": np.array([[1.0, 0.0], [-2.0, 0.25]])},
        notes=(Note("abs", "abs(x)", Span(6, 12), (0, 1), "kink, 0 is used"),),
    )


@pytest.fixture
def square() -> Jacobian:
    return Jacobian(
        expression=("x**2+3*y", "2*x+y**2"),
        value=np.array([13.0, 13.0]),
        shape={"output": (2,), "x": (), "y": ()},
        jacobian={"x": np.array([4.0, 2.0]), "y": np.array([3.0, 6.0])},
        method=Method("stacked", 1),
    )


@pytest.fixture
def curved() -> Hessian:
    """x**2*y + x*sum(w) at x = 2, y = 3, w = [1, 2]."""
    point = {"x": scalar(2), "y": scalar(3), "w": np.array([1.0, 2.0])}
    return Hessian(
        expression="x**2*y + x*sum(w)",
        value=scalar(18),
        point=point,
        gradient={"x": scalar(15), "y": scalar(4), "w": np.array([2.0, 2.0])},
        hessian={
            "x": {"x": scalar(6), "y": scalar(4), "w": np.ones(2)},
            "y": {"x": scalar(4), "y": scalar(0), "w": np.zeros(2)},
            "w": {"x": np.ones(2), "y": np.zeros(2), "w": np.zeros((2, 2))},
        },
    )


@pytest.fixture
def stream() -> JacobianStream:
    blocks = [
        JacobianBlock(0, {"x": np.array([[[4.0, 1.0]], [[2.0, 0.0]]]), "y": np.array([3.0, 6.0])}),
        JacobianBlock(2, {"x": np.array([[[np.inf, 0.0]]]), "y": np.array([1.0])}),
    ]
    return JacobianStream(
        expression="f",
        value=np.array([13.0, 13.0, 1.0]),
        shape={"output": (3,), "x": (1, 2), "y": ()},
        method=Method("stacked", 2),
        blocks=iter(blocks),
    )


@pytest.fixture
def residual() -> Graph:
    """mean(y - x@w) with x used a second time."""
    big = np.zeros((10, 5))
    even = np.full((10, 5), 0.02)
    return Graph(
        expression="mean(y - x@w)",
        value=scalar(0.0283),
        nodes=(
            GraphNode(0, "MeanBackward0", "mean(y - x@w)", Span(0, 13), (), scalar(0.0283), scalar(1), ((1, 0),)),
            GraphNode(1, "SubBackward0", "y - x@w", Span(5, 12), (10, 5), big, even, ((2, 0), (3, 0))),
            GraphNode(2, "AccumulateGrad", "y", Span(5, 6), (10, 5), big, even, (), "y"),
            GraphNode(3, "MatmulBackward0", "x@w", Span(9, 12), (10, 5), big, None, ((4, 0), (5, 0), (5, 0))),
            GraphNode(4, "AccumulateGrad", "x", Span(9, 10), (), scalar(3), scalar(8), (), "x"),
            GraphNode(5, "ExpBackward0", "e", Span(11, 12), (), scalar(1), scalar(2), ((4, 0), (None, 0))),
        ),
    )
