"""What is given to a mode: names in any iterable, mappings, words of the language, and arguments of the wrong kind."""

import copy
import io
import pickle
import subprocess
import sys
from types import MappingProxyType

import numpy as np
import pytest

import gradcli
from gradcli import GradcliError
from gradcli.errors import BadArgument, MissingValue, UsageProblem
from gradcli.lowering import WORDS

AT = {"x": [1.0, 2.0], "y": [3.0, 4.0]}
TANGENT = {"x": [1.0, 0.0]}

MODES = {
    "diff": {},
    "jacobian": {},
    "sparse_jacobian": {},
    "jacobian_pattern": {},
    "jacobian_stream": {},
    "hessian": {},
    "sparse_hessian": {},
    "hessian_diagonal": {},
    "vjp": {},
    "check": {},
    "graph": {},
}
"""The modes that take `wrt`."""

DIRECTED = {"hvp": {"tangent": TANGENT}, "jvp": {"tangent": TANGENT}}


def names_of(result):
    for found in ("gradient", "jacobian", "pattern", "hessian", "diagonal", "variables"):
        if hasattr(result, found):
            return list(getattr(result, found))
    if hasattr(result, "nodes"):
        return [node.variable for node in result.nodes if node.variable]
    return [name for name in result.shape if name != "output"]


ITERABLES = {
    "list": lambda: ["y", "x"],
    "tuple": lambda: ("y", "x"),
    "iterator": lambda: iter(["y", "x"]),
    "generator": lambda: (name for name in "yx"),
    "map": lambda: map(str, ["y", "x"]),
    "filter": lambda: filter(None, ["y", "", "x"]),
    "dict": lambda: {"y": 1, "x": 2},
    "keys": lambda: {"y": 1, "x": 2}.keys(),
    "array": lambda: np.array(["y", "x"]),
    "text of one-letter names": lambda: list("yx"),
    "twice": lambda: ["y", "y", "x"],
}


@pytest.mark.parametrize("given", ITERABLES.values(), ids=ITERABLES)
@pytest.mark.parametrize("mode", MODES)
def test_names_in_any_iterable_in_their_order(mode, given):
    f = gradcli.parse("sum(x*y)")
    for _ in range(1 if mode == "check" else 4):
        found = names_of(getattr(f, mode)(AT, wrt=given()))
        assert found == ["y", "x"] if mode != "graph" else sorted(found) == ["x", "y"]


@pytest.mark.parametrize("given", [{"y", "x"}, frozenset(["x", "y"])], ids=["set", "frozenset"])
def test_a_set_of_names_is_sorted(given):
    assert list(gradcli.parse("sum(x*y)").diff(AT, wrt=given).gradient) == ["x", "y"]


def test_no_names_and_one_name():
    f = gradcli.parse("sum(x*y)")
    for _ in range(3):
        assert f.diff(AT, wrt=iter([])).gradient == {}
        assert list(f.diff(AT, wrt="y").gradient) == ["y"]
        assert f.diff(AT, wrt="y").gradient["y"].tolist() == [1, 2]


def test_texts_in_any_iterable():
    for texts in (["x*y", "x+y"], ("x*y", "x+y"), iter(["x*y", "x+y"]), (t for t in ("x*y", "x+y"))):
        assert gradcli.parse(texts).jacobian({"x": 2.0, "y": 3.0}).jacobian["x"].tolist() == [3, 1]


def test_values_in_any_mapping(tmp_path):
    np.savez(tmp_path / "data.npz", x=1.0, y=2.0)
    f = gradcli.parse("x*y")
    with np.load(tmp_path / "data.npz") as archive:
        assert f.diff(archive).gradient == {"x": 2, "y": 1}
    assert f.diff(MappingProxyType({"x": 1.0, "y": 2.0})).gradient == {"x": 2, "y": 1}


@pytest.mark.parametrize("word", sorted(WORDS))
@pytest.mark.parametrize("mode", [*MODES, *DIRECTED, "evaluate"])
def test_words_of_the_language_are_no_names(mode, word):
    f = gradcli.parse("sum(x*y)")
    with pytest.raises(UsageProblem, match=f"{word} is a word of the language"):
        getattr(f, mode)({**AT, word: 3.0}, **DIRECTED.get(mode, {}))
    if mode in MODES:
        with pytest.raises(UsageProblem, match=f"{word} is a word of the language"):
            getattr(f, mode)(AT, wrt=[word])
    if mode in DIRECTED:
        with pytest.raises(UsageProblem, match=f"{word} is a word of the language"):
            getattr(f, mode)(AT, tangent={word: 1.0})


def test_the_words_are_those_of_the_grammar():
    for word in WORDS:
        with pytest.raises(GradcliError):
            gradcli.parse(f"{word} = 1; {word}")
    for name in ("true", "is", "in", "if", "lambda", "And", "nan", "T", "Trues", "nothing"):
        assert gradcli.parse(f"{name} = 1; {name}").evaluate({}).value == 1


# Arguments of the wrong kind


def holding_itself():
    made = [1.0]
    made.append(made)
    return made


class Plain:
    pass


WRONG = {
    "int": 5,
    "float": 2.5,
    "bool": True,
    "text": "a",
    "bytes": b"x",
    "set": {1, 2},
    "object": Plain(),
    "class": Plain,
    "function": len,
    "itself": holding_itself(),
    "complex": 1j,
    "mapping of numbers": {1: 2.0},
    "mapping of None": {None: 2.0},
    "pairs": [("x", 1.0)],
    "ragged": [[1.0], [1.0, 2.0]],
    "objects": np.array([None, 1]),
    "texts": np.array(["a", "b"]),
    "ellipsis": ...,
    "slice": slice(0, 1),
    "date": np.datetime64("2020-01-01"),
    "expression": gradcli.parse("x"),
}


EVERY_MODE = [*MODES, *DIRECTED, "evaluate", "masks"]


@pytest.mark.parametrize("wrong", [None, 5, "x", ["x"]], ids=repr)
def test_warnings_about_values_that_are_none(wrong):
    with pytest.raises(BadArgument, match="at must be a mapping"):
        gradcli.parse("x = y; x").cautions(wrong)


@pytest.mark.parametrize(
    ("mode", "wrong"),
    [
        *(pytest.param("diff", wrong, id=f"diff {kind}") for kind, wrong in WRONG.items()),
        *(pytest.param("jvp", wrong, id=f"jvp {kind}") for kind, wrong in WRONG.items()),
        *(pytest.param(mode, wrong, id=f"{mode} {wrong}") for mode in EVERY_MODE for wrong in (None, 5, {1: 2.0})),
    ],
)
class TestWrongKinds:
    def test_in_place_of_the_values(self, mode, wrong):
        f = gradcli.parse("sum(x*y)")
        with pytest.raises(GradcliError):
            getattr(f, mode)(wrong, **DIRECTED.get(mode, {}))

    def test_for_a_value(self, mode, wrong):
        if isinstance(wrong, int | float):
            wrong = [wrong, None]
        f = gradcli.parse("sum(x*y)")
        f.diff(AT)
        with pytest.raises(GradcliError, match=r"x[: ]"):
            getattr(f, mode)({**AT, "x": wrong}, **DIRECTED.get(mode, {}))

    def test_for_the_names(self, mode, wrong):
        f = gradcli.parse("sum(x*y)")
        for given in (wrong, [wrong], iter([wrong])):
            if mode in MODES and given is not None:
                with pytest.raises(GradcliError):
                    getattr(f, mode)(AT, wrt=given)

    def test_for_the_direction(self, mode, wrong):
        f = gradcli.parse("sum(x*y)")
        if mode in DIRECTED:
            for given in (wrong, {"x": wrong}):
                with pytest.raises(GradcliError):
                    getattr(f, mode)(AT, tangent=given)


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_wrong_kinds_elsewhere(wrong):
    f = gradcli.parse("sum(x*y)")
    for _ in range(3):
        calls = [
            lambda: f.jacobian(AT, mode=wrong),
            lambda: f.check(AT, against=wrong),
            lambda: f.graph(AT, None, [wrong]),
        ]
        calls += [lambda: f.diff(AT, grad_output=[wrong]), lambda: f.vjp(AT, cotangent=[wrong])]
        if not isinstance(wrong, str):
            calls += [
                lambda: gradcli.parse([wrong]),
                lambda: gradcli.parse("x", name=wrong),
            ]
        if not isinstance(wrong, int) or isinstance(wrong, bool):
            calls += [lambda: f.diff(AT, order=wrong)]
        for call in calls:
            with pytest.raises(GradcliError):
                call()


@pytest.mark.parametrize("texts", [None, [], (), 5, [None], ["x", 5], {}], ids=repr)
def test_what_is_no_text(texts):
    with pytest.raises(BadArgument):
        gradcli.parse(texts)


# Copies


@pytest.mark.parametrize("ran", [0, 1, 3])
@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, *(lambda f, p=p: pickle.loads(pickle.dumps(f, p)) for p in range(6))],
    ids=["copy", "deepcopy", *(f"pickle {p}" for p in range(6))],
)
def test_copies_of_an_expression(ran, copied):
    f = gradcli.parse("sum(a*x**2)", name="mine")
    at = {"a": 3.0, "x": np.arange(3.0)}
    for _ in range(ran):
        f.diff(at)
    g = copied(f)
    assert (g.text, g.names, repr(g)) == (f.text, f.names, repr(f))
    for _ in range(3):
        assert g.diff(at).gradient["x"].tolist() == [0, 6, 12]
    with pytest.raises(GradcliError) as caught:
        g.evaluate({"a": 1.0, "x": {}})
    with pytest.raises(GradcliError) as caught:
        g.evaluate({"a": 1.0})
    assert caught.value.source.name == "mine"


def test_a_copy_of_several_expressions():
    f = copy.deepcopy(gradcli.parse(["x*y", "x+y"]))
    assert f.text == ("x*y", "x+y")
    assert f.jacobian({"x": 2.0, "y": 3.0}).jacobian["y"].tolist() == [2, 1]


@pytest.mark.parametrize("mode", [*(m for m in MODES if m != "jacobian_stream"), *DIRECTED, "evaluate"])
def test_results_pickle(mode):
    result = getattr(gradcli.parse("sum(sqrt(abs(x))*y)"), mode)({**AT, "x": [0.0, 4.0]}, **DIRECTED.get(mode, {}))
    assert repr(pickle.loads(pickle.dumps(result))) == repr(result)


@pytest.mark.parametrize("text", ["sin(", "A@x", "sin(y)", "sqrt(x", "x[7]"])
def test_errors_pickle(text):
    with pytest.raises(GradcliError) as caught:
        gradcli.parse(text).evaluate({"x": [1.0, 2.0], "A": np.ones((2, 3))})
    error = caught.value
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (again.message, again.span, again.source, again.help) == (
        error.message,
        error.span,
        error.source,
        error.help,
    )
    assert str(again) == str(error)


def test_methods_tensors_results_and_errors_go_to_another_process_and_back():
    child = """
import pickle, sys
for call, argument in pickle.load(sys.stdin.buffer):
    try:
        found = call(argument)
    except Exception as error:
        found = error
    pickle.dump(found, sys.stdout.buffer)
"""
    f = gradcli.parse("x**2*y")
    f.diff({"x": 1.0, "y": 1.0})
    calls = [
        (f.diff, {"x": 3.0, "y": 2.0}),
        (gradcli.exp, gradcli.tensor([0.0], requires_grad=True)),
        (f.diff, {"x": 1.0}),
    ]
    done = subprocess.run([sys.executable, "-c", child], input=pickle.dumps(calls), capture_output=True, check=True)
    answers = io.BytesIO(done.stdout)
    assert pickle.load(answers).gradient == {"x": 12, "y": 9}
    assert repr(pickle.load(answers)) == "tensor([1.], requires_grad=True)"
    assert isinstance(pickle.load(answers), MissingValue)
