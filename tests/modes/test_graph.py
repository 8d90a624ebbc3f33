"""The graph as data: ids, names, texts, values, gradients and edges."""

import numpy as np
import pytest

import gradcli


def rows(graph):
    return [(n.id, n.name, n.source, n.next) for n in graph.nodes]


def test_the_sample():
    found = gradcli.parse("(x+2)**2+3").graph({"x": 2})
    assert rows(found) == [
        (0, "AddBackward0", "(x+2)**2+3", ((1, 0), (None, 0))),
        (1, "PowBackward0", "(x+2)**2", ((2, 0), (None, 0))),
        (2, "AddBackward0", "x+2", ((3, 0), (None, 0))),
        (3, "AccumulateGrad", "x", ()),
    ]
    assert [n.span for n in found.nodes] == [(0, 10), (0, 8), (1, 4), (1, 2)]
    assert [n.value for n in found.nodes] == [19, 16, 4, 2]
    assert [n.gradient for n in found.nodes] == [1, 1, 8, 8]
    assert [n.variable for n in found.nodes] == [None, None, None, "x"]
    assert {n.shape for n in found.nodes} == {()}
    assert found.value == 19


def test_mean_residual():
    at = {"x": np.ones((10, 20)), "w": np.ones((20, 5)), "y": np.ones((10, 5))}
    found = gradcli.parse("mean(y - x@w)").graph(at)
    assert [(n.name, n.source, n.shape) for n in found.nodes] == [
        ("MeanBackward0", "mean(y - x@w)", ()),
        ("SubBackward0", "y - x@w", (10, 5)),
        ("AccumulateGrad", "y", (10, 5)),
        ("MatmulBackward0", "x@w", (10, 5)),
        ("AccumulateGrad", "x", (10, 20)),
        ("AccumulateGrad", "w", (20, 5)),
    ]
    np.testing.assert_array_equal(found.nodes[1].gradient, 0.02)
    np.testing.assert_array_equal(found.nodes[3].gradient, -0.02)


def test_nodes_come_depth_first_and_shared_ones_once():
    found = gradcli.parse("y = x*x; y*y + y").graph({"x": 3})
    assert rows(found) == [
        (0, "AddBackward0", "y*y + y", ((1, 0), (2, 0))),
        (1, "MulBackward0", "y*y", ((2, 0), (2, 0))),
        (2, "MulBackward0", "x*x", ((3, 0), (3, 0))),
        (3, "AccumulateGrad", "x", ()),
    ]
    assert [n.gradient for n in found.nodes] == [1, 1, 19, 114]


def test_the_span_of_a_leaf_is_its_first_use():
    nodes = gradcli.parse("y = 2*x\nx + y").graph({"x": 1}).nodes
    (leaf,) = [n for n in nodes if n.variable == "x"]
    assert leaf.span == (6, 7)


def test_writes_are_nodes_with_the_values_of_their_time():
    text = "n = zeros(2); n[0] = m[0]**2; n[1] = m[1]**3; n"
    found = gradcli.parse(text).graph({"m": [2, 3]}, grad_output=[1, 1])
    copies = [n for n in found.nodes if n.name == "CopySlices"]
    assert [n.source for n in copies] == ["n[1] = m[1]**3", "n[0] = m[0]**2"]
    assert [n.value.tolist() for n in copies] == [[4, 27], [4, 0]]
    assert found.nodes[0].next[0] == (copies[1].id, 0)
    (leaf,) = [n for n in found.nodes if n.variable]
    assert leaf.gradient.tolist() == [4, 27]


def test_a_root_that_is_no_scalar_has_no_gradient_unless_one_is_given():
    f = gradcli.parse("x**2")
    assert [n.gradient for n in f.graph({"x": [1, 2]}).nodes] == [None, None]
    given = f.graph({"x": [1, 2]}, grad_output=[1, 10]).nodes
    assert [n.gradient.tolist() for n in given] == [[1, 10], [2, 40]]


def test_constants_have_no_node():
    found = gradcli.parse("a*x + sin(3)").graph({"x": 1.0, "a": 2.0}, wrt=["x"])
    assert [n.name for n in found.nodes] == ["AddBackward0", "MulBackward0", "AccumulateGrad"]
    assert found.nodes[1].next == ((None, 0), (2, 0))


def test_a_single_variable():
    (node,) = gradcli.parse("x").graph({"x": 2}).nodes
    assert (node.name, node.source, node.span, node.value, node.gradient) == ("AccumulateGrad", "x", (0, 1), 2, 1)


def test_the_body_of_a_function_is_where_its_nodes_stand():
    nodes = gradcli.parse("f(t) = t**2\nf(x) + f(2*x)").graph({"x": 1}).nodes
    assert [n.source for n in nodes if n.name == "PowBackward0"] == ["t**2", "t**2"]


@pytest.mark.parametrize("terms", [1, 3000])
def test_edges_point_to_nodes(terms):
    found = gradcli.parse("+".join(["x**2"] * terms)).graph({"x": 1.0})
    ids = [n.id for n in found.nodes]
    assert ids == list(range(len(ids)))
    assert all(to is None or (to in ids) for n in found.nodes[:50] for to, _ in n.next)
    assert found.nodes[-1].gradient is not None
