"""Jacobians: shapes, modes that agree, blocks under a memory budget, several expressions."""

import numpy as np
import pytest

import gradcli
from gradcli.errors import LimitExceeded, UnknownName, UsageProblem
from gradcli.modes.jacobian import MODES, STREAMED
from gradcli.modes.session import Session
from gradcli.primitives import budget

A = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
V = np.array([1.0, 2.0])


def test_the_samples():
    found = gradcli.parse(["x**2+3*y", "2*x+y**2"]).jacobian({"x": 2, "y": 3})
    assert found.expression == ("x**2+3*y", "2*x+y**2")
    assert found.value.tolist() == [13, 13]
    assert found.shape == {"output": (2,), "x": (), "y": ()}
    assert {name: j.tolist() for name, j in found.jacobian.items()} == {"x": [4, 2], "y": [3, 6]}
    assert found.method.mode == "stacked"
    assert found.method.passes == 1


def test_one_vector_valued_expression():
    found = gradcli.parse("[x[0]**2 + 3*x[1], 2*x[0] + x[1]**2]").jacobian({"x": [2, 3]})
    assert found.jacobian["x"].tolist() == [[4, 3], [2, 6]]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("text", "at", "shapes"),
    [
        ("x", {"x": 2.0}, {"x": ()}),
        ("x*v", {"x": 2.0, "v": V}, {"x": (2,), "v": (2, 2)}),
        ("sum(v)", {"v": V}, {"v": (2,)}),
        ("A@v", {"A": A, "v": V}, {"A": (3, 3, 2), "v": (3, 2)}),
        ("A.T", {"A": A}, {"A": (2, 3, 3, 2)}),
        ("A[0:0]", {"A": A}, {"A": (0, 2, 3, 2)}),
        ("v[v > 9]", {"v": V}, {"v": (0, 2)}),
        ("zeros(2, 2)", {}, {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_block_has_the_output_s_shape_and_then_the_variable_s(mode, text, at, shapes):
    found = gradcli.parse(text).jacobian(at, mode=mode)
    assert {name: np.shape(block) for name, block in found.jacobian.items()} == shapes
    assert found.shape == {"output": np.shape(found.value), **{name: np.shape(at[name]) for name in shapes}}


PROGRAMS = [
    "A@v",
    "v*sum(A)",
    "A.T@A",
    "A - mean(A, axis=0)",
    "softmax(A, axis=1)",
    "exp(v)[:, None]*v",
    "A[[0, 0, 2]]@v",
    "cumsum(A)",
    "concatenate([A@v, v])",
    "stack([v, v**2], axis=1)",
    "where(A > 2, A**2, v)",
    "y = zeros(3); y[0] = v[0]**2; y[1] = y[0]*v[1]; y[2] = sum(A); y",
    "y = 1*A; y += v; y *= y; y",
    "norm(A, axis=1)",
    "max(A, axis=0)",
    "outer(v, v)",
    "A / (1 + v**2)",
    "v**v",
    "log(A)@[1, 2]",
    "reshape(A, 2, 3)@A",
    "flip(A, axis=0)*A",
    "f(t) = t*tanh(t); f(A) + f(v)",
    "prod(A, axis=1)",
    "std(A, axis=0)",
    "sqrt(A - 1)[1:]",
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_the_modes_agree(text):
    f = gradcli.parse(text)
    at = {name: value for name, value in (("A", A), ("v", V)) if name in f.names}
    found = {mode: f.jacobian(at, mode=mode) for mode in MODES}
    rows = found["rows"]
    assert rows.method.passes == np.size(rows.value)
    for mode, other in found.items():
        assert other.method.mode == mode or mode == "auto"
        for name in at:
            np.testing.assert_allclose(other.jacobian[name], rows.jacobian[name], rtol=1e-12, atol=1e-14, err_msg=mode)


def random_program(rng):
    """A few statements that grow an array `y` out of A and v, elementwise and not."""
    steps = """
        y = y*tanh(y)
        y = y + v
        y = y@(y.T@y)
        y = exp(-y**2)
        y = 1*y; y[{i}] = v
        y = 1*y; y[{i}, {j}] += sum(v)*y[{j}, {j}]
        y = 1*y; y *= v
        y = 1*y; y *= y
        y = y[::-1]*2
        y = where(y > 0.3, y, v)
        y = y/sum(abs(y))
        y = concatenate([y[1:], y[:1]])
        y = maximum(y, v - 1)
        y = softmax(y)
        y = cumsum(y, axis=1)
        y = y - mean(y, axis=0)
    """.strip().splitlines()
    chosen = [str(rng.choice(steps)).format(i=rng.integers(3), j=rng.integers(2)) for _ in range(6)]
    return "\n".join(["y = A*1", *chosen, "y"])


@pytest.mark.parametrize("seed", range(25))
def test_the_modes_agree_on_random_programs(seed):
    rng = np.random.default_rng(seed)
    f = gradcli.parse(random_program(rng))
    at = {"A": rng.standard_normal((3, 2)), "v": rng.standard_normal(2)}
    found = {mode: f.jacobian(at, wrt=["A", "v"], mode=mode) for mode in MODES}
    for mode, other in found.items():
        for name in at:
            np.testing.assert_allclose(
                other.jacobian[name], found["rows"].jacobian[name], rtol=1e-11, atol=1e-13, err_msg=mode
            )


def test_a_small_budget_makes_several_passes_with_the_same_result():
    f = gradcli.parse("softmax(x)*sum(x)")
    at = {"x": np.linspace(-1, 1, 40)}
    whole = f.jacobian(at)
    budget.set_limit(40 * 40 * 8)
    parts = f.jacobian(at)
    assert whole.method.passes == 1
    assert parts.method.passes == -(-40 // parts.method.block) > 4
    assert whole.method.block is None
    assert gradcli.parse("softmax(x)*sum(x)").jacobian(at, mode="rows").method.block is None
    np.testing.assert_array_equal(whole.jacobian["x"], parts.jacobian["x"])


def test_a_jacobian_that_does_not_fit_is_refused_beforehand():
    budget.set_limit(10_000)
    with pytest.raises(LimitExceeded, match="jacobian: an array of shape 40x40 needs"):
        gradcli.parse("x**2").jacobian({"x": np.ones(40)})


def test_but_its_rows_can_be_streamed():
    budget.set_limit(10_000)
    coming = gradcli.parse("x**2").jacobian_stream({"x": np.arange(40.0)})
    assert coming.shape == {"output": (40,), "x": (40,)}
    blocks = list(coming.blocks)
    assert len(blocks) == coming.method.passes > 1
    assert [block.first for block in blocks] == list(np.cumsum([0, *[len(b.rows["x"]) for b in blocks[:-1]]]))
    assert np.concatenate([block.rows["x"] for block in blocks]).tolist() == np.diag(2 * np.arange(40.0)).tolist()


def test_a_stream_comes_in_small_blocks_each_when_it_is_asked_for(monkeypatch):
    swept = []
    pull = Session.rows
    monkeypatch.setattr(Session, "rows", lambda session, *block: swept.append(block) or pull(session, *block))
    coming = gradcli.parse("x*sum(x)").jacobian_stream({"x": np.ones(2000)}, mode="stacked")
    assert swept == []
    assert len(next(coming.blocks).rows["x"]) == STREAMED
    assert swept == [(0, STREAMED)]
    assert (coming.method.passes, coming.method.block) == (-(-2000 // STREAMED), STREAMED)


@pytest.mark.parametrize(("width", "mode"), [(1, "columns"), (99, "stacked")])
def test_a_stream_holds_rows_back_only_where_columns_are_far_cheaper(width, mode):
    text = "(x[None]*v[:, None]).ravel()"
    at = {"x": np.ones(width), "v": np.ones(200 // width)}
    coming = gradcli.parse(text).jacobian_stream(at, wrt=["x"])
    blocks = list(coming.blocks)
    assert (coming.method.mode, {len(block.rows["x"]) for block in blocks[:-1]}) == (mode, {STREAMED})
    whole = gradcli.parse(text).jacobian(at, wrt=["x"])
    assert (whole.method.mode, whole.method.passes) == ("columns", 1)
    rows = np.concatenate([block.rows["x"] for block in blocks])
    np.testing.assert_array_equal(rows, whole.jacobian["x"])


def test_rows_of_several_expressions_must_have_one_shape():
    found = gradcli.parse(["v*2", "v**2"]).jacobian({"v": V})
    assert found.jacobian["v"].tolist() == [[[2, 0], [0, 2]], [[2, 0], [0, 4]]]
    with pytest.raises(Exception, match="their shapes differ: 2 and scalar"):
        gradcli.parse(["v*2", "sum(v)"]).jacobian({"v": V})


def test_what_is_refused():
    with pytest.raises(UsageProblem, match="no mode sideways"):
        gradcli.parse("x").jacobian({"x": 1.0}, mode="sideways")
    with pytest.raises(UnknownName, match="output"):
        gradcli.parse("output*2").jacobian({"output": 1.0})


def test_one_hot_zeros_meet_infinite_slopes():
    found = gradcli.parse("sqrt(x)").jacobian({"x": [0.0, 1.0]})
    assert found.jacobian["x"].tolist() == [[np.inf, 0], [0, 0.5]]


def test_notes_of_all_rows():
    found = gradcli.parse("abs(x)").jacobian({"x": [1.0, 0.0]})
    assert [(note.source, note.index) for note in found.notes] == [("abs(x)", (1,))]


INFINITE = [
    "sqrt(x)*[1, 2]",
    "diag(outer(sqrt(x), sqrt(x)))",
    "A@sqrt(x)",
    "log(x)*x[::-1]",
    'einsum("i,i->i", sqrt(x), x)',
]


@pytest.mark.parametrize("text", INFINITE)
@pytest.mark.parametrize("mode", ["stacked", "columns", "sparse"])
def test_modes_agree_where_slopes_are_infinite_and_say_why(text, mode):
    f = gradcli.parse(text)
    at = {"x": [0.0, 1.0], **({"A": [[1.0, 0.0], [0.0, 1.0]]} if "A" in f.names else {})}
    rows, other = (f.jacobian(at, wrt=["x"], mode=m) for m in ("rows", mode))
    np.testing.assert_array_equal(rows.jacobian["x"], other.jacobian["x"])
    assert not np.isfinite(rows.jacobian["x"]).all()
    assert {note.span for note in rows.notes} == {note.span for note in other.notes} != set()
