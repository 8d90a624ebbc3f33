"""Errors of names, arguments and values: the class, what the message says, and the text that it points at."""

import numpy as np
import pytest

import gradcli
from gradcli.errors import (
    BadArgument,
    BadIndex,
    BadInput,
    Caution,
    GradcliError,
    InplaceWrite,
    LimitExceeded,
    MissingValue,
    NotDifferentiable,
    ShapeMismatch,
    UnknownName,
)

M23, V3 = np.ones((2, 3)), np.ones(3)

CASES = [
    # names
    ("x + y", {"x": 1}, MissingValue, "no value for y", "y"),
    ("x + y", {}, MissingValue, "no value for x and y", "x"),
    ("zin(x)", {"x": 1}, UnknownName, "no function called zin", "zin"),
    ("np.sum(x)", {"x": V3}, UnknownName, "need no prefix", "np"),
    ("np = 3; np.sin(x)", {"x": 1}, BadArgument, "at most 1 argument", "np.sin(x)"),
    ("F.sum()", {}, MissingValue, "no value for F", "F"),
    ("x.summ()", {"x": 1}, UnknownName, "no function called summ", "summ"),
    ("f(x) + 1", {"x": 1}, UnknownName, "no function called f", "f"),
    ("f(2); f(a) = a", {}, GradcliError, "", None),
    # calls
    ("sin()", {}, BadArgument, "needs a value for x", "sin()"),
    ("sin(1, 2)", {}, BadArgument, "at most 1 argument", "sin(1, 2)"),
    ("sum(x, axes=0)", {"x": V3}, BadArgument, "no argument called axes", "sum(x, axes=0)"),
    ("sum(x, axis=0, dim=0)", {"x": V3}, BadArgument, "axis twice", "sum(x, axis=0, dim=0)"),
    ("max(x, 2)", {"x": V3}, BadArgument, "max", "max(x, 2)"),
    ("f(a, b) = a; f(1)", {}, BadArgument, "f takes 2 arguments, 1 given", "f(1)"),
    ("f(a) = a; f(a=1)", {}, BadArgument, "of your own functions are written without names", "f(a=1)"),
    ("f(a) = a; f(1, b=1)", {}, BadArgument, "of your own functions are written without names", "f(1, b=1)"),
    ("sum(1, 2, 3)", {}, BadArgument, "keepdims must be True or False, not 3", "sum(1, 2, 3)"),
    ("norm(x, x > 0)", {"x": 1}, BadArgument, "ord must be one number, not True", "norm(x, x > 0)"),
    ('d["x"]', {"d": 1}, BadIndex, "an index must be one integer, not 'x'", 'd["x"]'),
    ("svd(X)[0:1]", {"X": M23}, BadArgument, "must be one integer, not a slice", "svd(X)[0:1]"),
    ("pi *= 2; pi", {}, InplaceWrite, "pi is a constant: it cannot be written to", "pi"),
    ("pi[0] = 2; pi", {}, InplaceWrite, "pi is a constant: it cannot be written to", "pi"),
    ("pi *= 2; pi", {"pi": 3}, InplaceWrite, "pi is an input: it cannot be written to", "pi"),
    ("f(a) = f(a - 1); f(3)", {}, BadArgument, "calls itself", "f"),
    ("f(a) = g(a); g(a) = f(a); f(3)", {}, BadArgument, "calls itself", "f"),
    ("sum(x, axis=3)", {"x": V3}, BadArgument, "no axis 3", "sum(x, axis=3)"),
    ("sum(x, axis=0.5)", {"x": V3}, BadArgument, "integer", "sum(x, axis=0.5)"),
    ("sum(x, keepdims=2)", {"x": V3}, BadArgument, "True or False", "sum(x, keepdims=2)"),
    ("zeros(-1)", {}, BadArgument, "negative", "zeros(-1)"),
    ("zeros(1.5)", {}, BadArgument, "integer", "zeros(1.5)"),
    ("transpose(X, 1, 0)", {"X": M23}, BadArgument, "transpose", "transpose(X, 1, 0)"),
    ("sin(None)", {}, BadArgument, "None is not a number", "None"),
    ('sin("a")', {}, BadArgument, "is not a number", '"a"'),
    ("(1, 2) + 1", {}, BadArgument, "a tuple is no value", "(1, 2)"),
    ("x & y", {"x": 1, "y": 1}, BadArgument, "masks only", "x & y"),
    ("~x", {"x": 1}, BadArgument, "masks only", "~x"),
    # shapes
    ("a + b", {"a": M23, "b": np.ones(2)}, ShapeMismatch, "do not broadcast", "a + b"),
    ("1 + a@b", {"a": M23, "b": M23}, ShapeMismatch, "inner sizes differ, 3 and 2", "a@b"),
    ("[x, [x, x]]", {"x": 1}, ShapeMismatch, "scalar and 2", "[x, [x, x]]"),
    ("[[1, 2], [3]]", {}, ShapeMismatch, "2 and 1", "[[1, 2], [3]]"),
    ("[v, 1]", {"v": V3}, ShapeMismatch, "3 and scalar", "[v, 1]"),
    ("concatenate([v, 1])", {"v": V3}, ShapeMismatch, "do not fit", "concatenate([v, 1])"),
    ("reshape(v, 2, 2)", {"v": V3}, ShapeMismatch, "invalid for input of size 3", "reshape(v, 2, 2)"),
    ("a = zeros(2); a += [1, 2, 3]; a", {}, ShapeMismatch, "", "a += [1, 2, 3]"),
    ("a = zeros(2); a += ones(2, 2); a", {}, ShapeMismatch, "cannot change the shape", "a += ones(2, 2)"),
    ("a = zeros(2); a[:] = [1, 2, 3]; a", {}, ShapeMismatch, "", "a[:] = [1, 2, 3]"),
    # indices
    ("v[3]", {"v": V3}, BadIndex, "index 3 is out of bounds", "v[3]"),
    ("v[0, 0]", {"v": V3}, BadIndex, "too many indices", "v[0, 0]"),
    ("v[0.5]", {"v": V3}, BadIndex, "integer", "v[0.5]"),
    ("v[::0]", {"v": V3}, BadIndex, "step 0", "v[::0]"),
    ("v[[0.5]]", {"v": V3}, BadIndex, "a mask or whole numbers", "v[[0.5]]"),
    ("v[5] = 1", {"v": V3}, GradcliError, "", None),
    # writes
    ("x[0] = 1; x", {"x": V3}, InplaceWrite, "x is an input", "x"),
    ("x += 1; x", {"x": V3}, InplaceWrite, "x is an input", "x"),
    ("y = x; y[0] = 1; y", {"x": V3}, InplaceWrite, "y is the input x", "y"),
    ("n[0] = 1; n", {}, MissingValue, "no value for n", "n"),
    ("pi += 1; pi", {}, InplaceWrite, "pi", "pi"),
    # limits
    ("zeros(10**5, 10**5)", {}, LimitExceeded, "100000x100000", "zeros(10**5, 10**5)"),
    ("x[:, None] + x", {"x": np.zeros(10**5)}, LimitExceeded, "100000x100000", "x[:, None] + x"),
]


@pytest.mark.parametrize(("text", "at", "kind", "phrase", "culprit"), CASES, ids=[case[0] for case in CASES])
def test_error(text, at, kind, phrase, culprit):
    with pytest.raises(kind) as caught:
        gradcli.parse(text).diff(at)
    error = caught.value
    assert phrase in error.message
    if culprit is not None:
        assert error.source.cut(error.span) == culprit
        assert error.source.text == text
        assert error.exit_code == 4


def test_the_last_of_two_equal_texts_is_meant():
    with pytest.raises(BadIndex) as caught:
        gradcli.parse("v[0] + v[3]").evaluate({"v": V3})
    assert caught.value.span == (7, 11)


def test_a_missing_value_names_all_and_suggests():
    with pytest.raises(MissingValue) as caught:
        gradcli.parse("weight*x + b").evaluate({"wieght": 1, "x": 2})
    error = caught.value
    assert error.message == "no value for weight and b"
    assert "did you mean wieght for weight?" in error.help
    assert "--at b=..." in error.help
    assert [span for span, _ in error.related] == [(11, 12)]


def test_did_you_mean():
    with pytest.raises(UnknownName) as caught:
        gradcli.parse("lgo(x)").evaluate({"x": 1})
    assert caught.value.help == "did you mean log?"
    with pytest.raises(UnknownName) as caught:
        gradcli.parse("area(r) = r**2; aera(2)")
    assert caught.value.help == "did you mean area?"


def test_shapes_stand_beside_the_caret():
    with pytest.raises(ShapeMismatch) as caught:
        gradcli.parse("mean(y - x@w)").evaluate({"x": np.ones((10, 20)), "w": np.ones((5, 20)), "y": 0})
    error = caught.value
    assert error.message.startswith("matmul: inner sizes differ, 20 and 5")
    assert error.source.cut(error.span) == "x@w"
    assert error.label == "x is 10x20, w is 5x20"
    assert error.help == "did you mean x@w.T ?"


def test_an_overwritten_value_shows_both_places():
    with pytest.raises(InplaceWrite) as caught:
        gradcli.parse("y = 1*x; z = y**2; y[0] = 3; sum(z)").diff({"x": V3})
    error = caught.value
    assert error.source.cut(error.span) == "y[0] = 3"
    assert error.label == "overwritten here"
    ((span, label),) = error.related
    assert error.source.cut(span) == "y**2"
    assert label == "saved here for its derivative"


def test_writing_into_an_input_says_how_to():
    with pytest.raises(InplaceWrite) as caught:
        gradcli.parse("x[0] = 1; x").evaluate({"x": V3})
    assert "y = 1*x" in caught.value.help


def test_values_are_checked_in_python_too():
    for value in (1j, "a", [1, [2, 3]], object()):
        with pytest.raises(BadInput):
            gradcli.parse("x").evaluate({"x": value})
    assert gradcli.parse("x").evaluate({"x": np.float32(1.5)}).value == 1.5
    assert gradcli.parse("x").evaluate({"x": np.arange(2)}).value.dtype == np.float64


def test_a_real_parameter_without_a_rule_is_refused_not_zero():
    with pytest.raises(NotDifferentiable) as caught:
        gradcli.parse("norm(v, p)").diff({"v": V3, "p": 3}, wrt=["v", "p"])
    assert "no derivative is known with respect to ord" in caught.value.message
    assert gradcli.parse("norm(v, p)").diff({"v": V3, "p": 1}, wrt=["v"]).gradient["v"].tolist() == [1, 1, 1]


def test_the_name_of_a_text():
    with pytest.raises(GradcliError) as caught:
        gradcli.parse("1 +", "prog.txt")
    assert caught.value.source.name == "prog.txt"
    assert caught.value.exit_code == 3
    with pytest.raises(GradcliError) as caught:
        gradcli.parse(["x", "y + zin(1)"]).jacobian({"x": 1, "y": 1})
    assert caught.value.source.name == "expression 2"


@pytest.mark.parametrize(
    ("text", "pointed"),
    [
        ("a = 1; 2", ["a"]),
        ("a = 1; a = 2; a", ["a"]),
        ("a = x; b = a; a", ["b"]),
        ("a = 1; a", []),
        ("a = 1", []),
        ("a = x; a = a + 1; a", []),
        ("a = zeros(2); a[0] = x; a", []),
        ("f(k) = k; k = 1; f(x)", ["k"]),
        ("f(t) = t*k; k = 2; f(x)", []),
    ],
)
def test_names_that_are_assigned_and_never_read(text, pointed):
    cautions = gradcli.parse(text).cautions({"x": 1})
    assert [c.source.cut(c.span) for c in cautions] == pointed
    assert all("assigned and never read" in c.message for c in cautions)


COLUMN = {"p": [[0.1], [0.2], [0.3]], "y": [0.2, 0.3, 0.4]}


@pytest.mark.parametrize(
    "text",
    [f"{loss}(p, y)" for loss in ("mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss", "bce_loss", "kl_div", "hinge")]
    + ["where(y > 0, p, 1)", "clip(y, 0, p)", "p < y", "p and y", "isclose(p, y)", "lerp(y, p, 0.5)", "p*y"],
)
def test_a_column_and_a_vector_warn_wherever_they_broadcast(text):
    f = gradcli.parse(text)
    for _ in range(3):  # on a tape as well
        with pytest.warns(Caution, match="3x3 matrix"):
            f.evaluate(COLUMN)


@pytest.mark.parametrize(
    "text",
    [
        "cross_entropy(p, 0*y)",
        "y@p",
        "mse_loss(p[:, 0], y)",
        "where(y[:, None] < y, 0, 1)",
        "where(p > 1, y, 0)",
        "2·y",
    ],
)
def test_no_warning_where_nothing_is_spread_by_accident(text, recwarn):
    gradcli.parse(text).evaluate(COLUMN)
    assert not recwarn.list
