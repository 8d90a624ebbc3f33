"""Random draws: seeded, drawn once, the same in every later pass."""

import numpy as np

import gradcli


def seeded(act):
    gradcli.manual_seed(3)
    return act()


def test_the_same_seed_gives_the_same_numbers():
    f = gradcli.parse("rand(2, 3) + randn(2, 3)")
    first = seeded(lambda: f.evaluate({}).value)
    again = seeded(lambda: f.evaluate({}).value)
    assert first.tolist() == again.tolist()
    assert f.evaluate({}).value.tolist() != first.tolist()


def test_draws_come_in_the_order_of_evaluation():
    found = seeded(lambda: gradcli.parse("a = rand(); b = randn(2); [a, b[0], b[1]]").evaluate({}).value)
    rng = np.random.default_rng(3)
    assert found.tolist() == [rng.random(), *rng.standard_normal(2)]


def test_python_draws_from_the_same_generator():
    found = seeded(lambda: (gradcli.rand(2).tolist(), gradcli.parse("rand(2)").evaluate({}).value.tolist()))
    rng = np.random.default_rng(3)
    assert found == (rng.random(2).tolist(), rng.random(2).tolist())


def test_all_passes_of_one_call_meet_the_same_draws():
    f = gradcli.parse("sum(x**2*rand(3))")
    at = {"x": [1.0, 2.0, 3.0]}
    drawn = np.random.default_rng(3).random(3)
    found = seeded(lambda: f.hessian(at))
    np.testing.assert_allclose(found.gradient["x"], 2 * drawn * [1, 2, 3], rtol=1e-15)
    np.testing.assert_allclose(found.hessian["x"]["x"], np.diag(2 * drawn), rtol=1e-15)
    rows = seeded(lambda: gradcli.parse("x*rand(3)").jacobian(at, mode="rows"))
    np.testing.assert_allclose(rows.jacobian["x"], np.diag(drawn), rtol=1e-15)


def test_no_gradient_flows_into_a_draw():
    found = seeded(lambda: gradcli.parse("x*rand() + randn()").diff({"x": 2.0}))
    assert found.gradient["x"] == np.random.default_rng(3).random()
