"""One Expression in several threads: tapes are shared by nobody who could tell."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gradcli
from gradcli.modes import replay
from tests.modes.test_replay import assert_equal


def test_threads_that_share_an_expression_do_not_meet():
    f = gradcli.parse("sum(tanh(x*y) + x**2)")
    points = [{"x": np.full(500, k / 10), "y": np.arange(500.0) / 100} for k in range(8)]
    expected = [gradcli.parse(f.text).diff(at).gradient["x"] for at in points]

    def work(k):
        return all(np.array_equal(f.diff(points[k]).gradient["x"], expected[k]) for _ in range(40))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))


@pytest.mark.parametrize("text", ["sum(tanh(x)*exp(x))", "sum(sort(x)*x)", "mean(x*y + x**2)"])
def test_threads_that_run_one_expression_on_more_shapes_than_are_kept(text):
    f, draw = gradcli.parse(text), np.random.default_rng(1)
    sizes = (*range(1, 3 * replay.Replay.MOST), replay.LARGE)
    points = {n: {name: draw.standard_normal(n) for name in f.names} for n in sizes}
    expected = {n: gradcli.parse(text).diff(at) for n, at in points.items()}

    def work(seed):
        for n in np.random.default_rng(seed).choice(sizes, 60):
            assert_equal(f.diff(points[n]), expected[n])
            np.testing.assert_allclose(f.evaluate(points[n]).value, expected[n].value, rtol=1e-14)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
    finally:
        sys.setswitchinterval(before)
    assert len(f._replay._known) <= replay.Replay.MOST


def test_one_thread_at_a_time_changes_which_tapes_are_known():
    class Watched(dict):
        def __iter__(self):
            assert f._replay._keeping.locked()
            return super().__iter__()

        def __setitem__(self, key, player):
            assert f._replay._keeping.locked()
            super().__setitem__(key, player)

    f = gradcli.parse("sum(x)")
    f.evaluate({"x": [1.0]})
    f.evaluate({"x": [1.0]})
    f._replay._known = Watched()
    for n in range(1, 3 * replay.Replay.MOST):
        f.evaluate({"x": np.ones(n)})
    assert len(f._replay._known) == replay.Replay.MOST


def test_threads_with_expressions_of_their_own_do_not_meet():
    x = np.linspace(0.1, 1, 300)

    def work(_):
        return all(np.array_equal(gradcli.parse("sum(x**2)").vjp({"x": x}).gradient["x"], 2 * x) for _ in range(30))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))
