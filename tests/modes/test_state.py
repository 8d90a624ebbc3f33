"""Every mode gives the same whatever surrounds the call: grad modes, hooks, threads, errors before it, earlier calls of
the same Expression with other values, and arrays of every make. What a result holds is nobody else's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import fields, is_dataclass
from threading import Barrier
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli import GradcliError, no_grad, set_grad_enabled, tensor
from gradcli.results import JacobianStream

TEXT = (
    "y = sort(x)*w; y[0] = tanh(x[1]); s = where(x > w, x*w, x**2) + maximum(x, 0.5); sum(y*s) + ((x > 0) + (x > 1))@w"
)
"""Orders, branches, masks that are added, a write and a tie."""
AT = {"x": [3.0, 1.5, -2.0], "w": [0.5, 4.0, 1.0]}
TANGENT = {"x": [1.0, 0.25, 2.0]}

Mode = Callable[[Any, Mapping[str, Any]], Any]

QUICK: dict[str, Mode] = {
    "evaluate": lambda f, at: f.evaluate(at),
    "diff": lambda f, at: f.diff(at),
    "diff by a generator": lambda f, at: f.diff(at, wrt=(name for name in ("w", "x"))),
    "diff with a cotangent": lambda f, at: f.diff(at, grad_output=2.0),
    "vjp": lambda f, at: f.vjp(at, cotangent=-1.5),
    "jvp": lambda f, at: f.jvp(at, {"x": np.ones(np.shape(at["x"]))}),
    "hvp": lambda f, at: f.hvp(at, {"x": np.ones(np.shape(at["x"]))}),
    "jacobian": lambda f, at: f.jacobian(at),
    **{f"jacobian by {m}": lambda f, at, m=m: f.jacobian(at, mode=m) for m in ("rows", "stacked", "columns", "sparse")},
    "sparse_jacobian": lambda f, at: f.sparse_jacobian(at),
    "jacobian_pattern": lambda f, at: f.jacobian_pattern(at),
    "jacobian_stream": lambda f, at: f.jacobian_stream(at),
    "hessian": lambda f, at: f.hessian(at),
    "sparse_hessian": lambda f, at: f.sparse_hessian(at),
    "hessian_diagonal": lambda f, at: f.hessian_diagonal(at),
    "graph": lambda f, at: f.graph(at),
}
MODES = {**QUICK, "check": lambda f, at: f.check(at, wrt="x")}


def parts(result: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Everything that a result holds, by where it lies; a stream is read to its end."""
    if isinstance(result, JacobianStream):
        yield from parts([*result.blocks], f"{path}.blocks")
        yield from parts((result.value, result.shape, result.notes()), path)
    elif is_dataclass(result):
        for field in fields(result):
            yield from parts(getattr(result, field.name), f"{path}.{field.name}")
    elif isinstance(result, Mapping):
        for name, value in result.items():
            yield from parts(value, f"{path}[{name}]")
    elif isinstance(result, tuple | list):
        yield f"{path} length", len(result)
        for number, value in enumerate(result):
            yield from parts(value, f"{path}[{number}]")
    else:
        yield path, result


def arrays(result: Any) -> list[Any]:
    return [value for _, value in parts(result) if isinstance(value, np.ndarray)]


def assert_same(found: Any, wanted: Mapping[str, Any], rtol: float = 0.0) -> None:
    """Alike in every part; `rtol` for what may be rounded in another order."""
    mine = dict(parts(found))
    assert mine.keys() == wanted.keys()
    for path, value in wanted.items():
        if isinstance(value, float | np.ndarray):
            np.testing.assert_allclose(mine[path], value, rtol=rtol, atol=rtol, err_msg=path)
            assert np.shape(mine[path]) == np.shape(value)
        else:
            assert mine[path] == value, path


def first(mode: str, text: str, at: Mapping[str, Any]) -> dict[str, Any]:
    """What a mode gives of a fresh Expression."""
    return dict(parts(MODES[mode](gradcli.parse(text), at)))


@pytest.fixture(scope="module")
def fresh() -> dict[str, Any]:
    """What each mode gives with nothing around it."""
    return {mode: first(mode, TEXT, AT) for mode in MODES}


# Around the call


def within_no_grad(call: Callable[[], Any]) -> Any:
    with no_grad():
        return call()


def within_set_grad_enabled(call: Callable[[], Any]) -> Any:
    with set_grad_enabled(False):
        return call()


def decorated(call: Callable[[], Any]) -> Any:
    return no_grad(call)()


def in_a_hook(call: Callable[[], Any]) -> Any:
    found = []
    y = tensor(1.0, requires_grad=True) * 2
    y.register_hook(lambda g: found.append(call()))
    y.backward()
    return found[0]


def in_a_hook_of_a_recorded_pass(call: Callable[[], Any]) -> Any:
    found = []
    x = tensor(1.0, requires_grad=True)
    y = x * 2
    y.grad_fn.register_hook(lambda inputs, outputs: found.append(call()))
    gradcli.grad(y, x, create_graph=True)
    return found[0]


def after_accumulation(call: Callable[[], Any]) -> Any:
    found: list[Any] = []
    x = tensor(1.0, requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda leaf: found.append(call()))
    (x * 2).backward()
    return found[0]


def after_a_generator_that_waits_within_no_grad(call: Callable[[], Any]) -> Any:
    def waiting() -> Iterator[None]:
        with no_grad():
            yield

    generator = waiting()
    next(generator)
    try:
        return call()
    finally:
        generator.close()


def with_errors_for_floating_point(call: Callable[[], Any]) -> Any:
    with np.errstate(all="raise"):
        return call()


def after_an_error(call: Callable[[], Any]) -> Any:
    x = tensor(1.0, requires_grad=True) * 1
    x.register_hook(lambda g: {}["missing"])
    with suppress(KeyError):
        x.backward()
    return call()


AROUND = [
    within_no_grad, within_set_grad_enabled, decorated, in_a_hook, in_a_hook_of_a_recorded_pass, after_accumulation,
    after_a_generator_that_waits_within_no_grad, with_errors_for_floating_point, after_an_error,
]  # fmt: skip


@pytest.mark.parametrize("around", AROUND, ids=lambda around: around.__name__)
def test_around_a_call(around: Callable[[Callable[[], Any]], Any], fresh: dict[str, Any]) -> None:
    f = gradcli.parse(TEXT)
    modes = MODES if around in (within_no_grad, in_a_hook) else QUICK
    for mode, call in modes.items():
        for _ in range(1 if mode == "check" else 3):
            assert_same(around(lambda call=call: call(f, AT)), fresh[mode], rtol=1e-13)
    assert gradcli.is_grad_enabled()


@pytest.mark.parametrize(
    "around", [within_no_grad, in_a_hook, with_errors_for_floating_point], ids=lambda a: a.__name__
)
def test_a_stream_made_and_read_within(around: Callable[[Callable[[], Any]], Any]) -> None:
    f = gradcli.parse("[x*w, sqrt(x - 3), 1/x]")
    expected = first("jacobian_stream", f.text, AT)
    made = around(lambda: f.jacobian_stream(AT))
    assert_same(around(lambda: [*parts(made)]), dict(parts([*expected.items()])))


def test_after_errors_of_every_kind_in_the_same_expression(fresh: dict[str, Any]) -> None:
    f = gradcli.parse(TEXT)
    wrong = [{"x": AT["x"]}, {**AT, "x": [1.0, 2.0]}, {**AT, "x": "a"}, {**AT, "x": np.ones((2, 2))}, {}, None]
    for mode, call in QUICK.items():
        for at in wrong:
            with pytest.raises(GradcliError):
                call(f, at if mode not in ("jvp", "hvp") else {"x": 1.0})
        assert_same(call(f, AT), fresh[mode], rtol=1e-13)


def test_other_threads_keep_their_grad_mode() -> None:
    ready, f = Barrier(2, timeout=20), gradcli.parse("sum(x**2)")

    def without() -> list[bool]:
        with no_grad():
            ready.wait()
            seen = [f.diff({"x": [1.0, 2.0]}).gradient["x"].tolist() == [2, 4], gradcli.is_grad_enabled()]
            ready.wait()
        return seen

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(without)
        ready.wait()
        assert gradcli.is_grad_enabled()
        ready.wait()
        assert other.result() == [True, False]


def test_eight_threads_on_one_expression_with_many_shapes() -> None:
    """More shapes than an Expression keeps ready, each in every thread, at the same time."""
    text = "sum(sort(x)*where(x > 0, x, 2*x)*arange(size(x)))"
    points = [{"x": np.cos(np.arange(n) * 1.7)} for n in range(1, 13)]
    modes = ("evaluate", "diff", "vjp", "jvp", "hessian_diagonal")
    expected = [[first(mode, text, at) for mode in modes] for at in points]
    f, start = gradcli.parse(text), Barrier(8, timeout=20)

    def work(thread: int) -> list[tuple[int, list[Any]]]:
        start.wait()
        order = [(thread * 5 + i) % len(points) for i in range(len(points))] * 2
        return [(n, [QUICK[mode](f, points[n]) for mode in modes]) for n in order]

    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(work, range(8)):
            for n, results in found:
                for result, wanted in zip(results, expected[n], strict=True):
                    assert_same(result, wanted, rtol=1e-13)


# One call after the other


CHANGING = [
    ("sum(sort(x)*w)", "order"),
    ("sum(sort(x, descending=True)*w)", "descending order"),
    ("sum(topk(x, 2)*[1, 3])", "largest"),
    ("median(x)*w[0] + quantile(x, 0.3)", "middle"),
    ("max(x)*x[argmax(x)] + min(x*w)", "extremes"),
    ("sum(where(x > w, x*w, x**3)) + sum(x[x > 0]**2)", "branches"),
    ("sum(((x > 0) + (x > 1))*w*x)", "added masks"),
    ("y = x*1; y[1] = w[0]**2; y *= x; sum(y*tanh(y))", "writes"),
    ("sum(abs(x)*relu(w - 1)) + norm(x)", "kinks"),
    ("a = outer(x, w) + 9*eye(size(x)); sum(inv(a)) + det(a)", "matrices"),
    ("sum(cumsum(x)*maximum(x, w)) + x[0]*0.5", "ties"),
]
POINTS = [
    {"x": [3.0, 1.5, -2.0], "w": [0.5, 4.0, 1.0]},
    {"x": [3.25, 1.75, -1.5], "w": [0.75, 4.5, 1.25]},
    {"x": [2.75, 1.25, -2.5], "w": [0.25, 4.0, 1.5]},
    {"x": [-1.0, 2.5, 0.75], "w": [0.5, 4.0, 1.0]},
    {"x": [1.0, 1.0, 2.0], "w": [1.0, 1.0, 2.0]},
    {"x": [0.25, -3.0, 5.0], "w": [-2.0, 7.0, 0.5]},
    {"x": [2.0, 0.0, 1.0], "w": [2.0, 2.0, 0.0]},
    {"x": [3.0, 1.5, -2.0], "w": [0.5, 4.0, 1.0]},
]


@pytest.mark.parametrize(("text", "what"), CHANGING, ids=[what for _, what in CHANGING])
def test_eight_times_in_a_row_with_other_values(text: str, what: str) -> None:
    """Three times with one order and one branch, then with others, ties and kinks: each as the first of a fresh one."""
    modes = ("evaluate", "diff", "vjp", "jvp", "jacobian", "hessian", "hvp")
    for mode in modes:
        f = gradcli.parse(text)
        for at in POINTS:
            assert_same(QUICK[mode](f, at), first(mode, text, at), rtol=1e-12)


MAKES: dict[str, Callable[[Any], Any]] = {
    "lists": lambda x: x.tolist(),
    "tuples": lambda x: tuple(map(tuple, x.tolist())),
    "rows": list,
    "numpy numbers": lambda x: [[np.float64(a), np.float32(b)] for a, b in x],
    "float32": lambda x: x.astype(np.float32),
    "float16": lambda x: x.astype(np.float16),
    "int64": lambda x: x.astype(np.int64),
    "int8": lambda x: x.astype(np.int8),
    "uint8": lambda x: np.abs(x).astype(np.uint8),
    "Fortran order": np.asfortranarray,
    "strided": lambda x: np.repeat(np.repeat(x, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "byte-swapped": lambda x: x.astype(x.dtype.newbyteorder()),
    "read-only": lambda x: np.lib.stride_tricks.as_strided(x, writeable=False),
    "broadcast": lambda x: np.broadcast_to(x[:1], x.shape),
    "float128": lambda x: x.astype(np.longdouble),
    "tensor": tensor,
    "tensor that requires grad": lambda x: tensor(x, requires_grad=True),
    "matrix": np.asmatrix,
    "masks": lambda x: x > 2,
}


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_arrays_of_every_make_one_after_the_other() -> None:
    """The same Expression meets them in turn, twice, and gives what float64 arrays in C order give."""
    text = "sum(x@v * sort(x, axis=0)) + sum(v*x[x > 1].sum())"
    x, v = np.array([[1.0, 4.0], [3.0, 2.0]]), np.array([[2.0, 1.0], [0.0, 5.0]])
    shared = gradcli.parse(text)
    for mode in ("evaluate", "diff", "vjp", "jacobian", "hessian_diagonal"):
        for make in (*MAKES.values(), *MAKES.values()):
            given = make(x)
            plain = np.array(given.detach() if isinstance(given, gradcli.Tensor) else given)
            plain = plain if plain.dtype == bool else plain.astype(np.float64)
            assert_same(QUICK[mode](shared, {"x": given, "v": v}), first(mode, text, {"x": plain, "v": v}), rtol=1e-13)


def test_numbers_of_every_make() -> None:
    f = gradcli.parse("x**2 + sin(x)")
    numbers = [
        2,
        2.0,
        np.float64(2),
        np.float32(2),
        np.int8(2),
        np.uint64(2),
        np.array(2),
        np.array(2, ">i2"),
        tensor(2.0),
    ]
    for x in (*numbers, np.longdouble(2), *numbers):
        found = f.diff({"x": x})
        assert (found.value, found.gradient["x"]) == (4 + np.sin(2.0), 4 + np.cos(2.0))
        assert type(found.value) is type(found.gradient["x"]) is np.float64


# Whose the arrays are


@pytest.mark.parametrize("text", ["x", "[x, w]", "x.T", "x*1", "x + w", "x.ravel()", "where(x > 0, x, w)", "x@w", "-x"])
@pytest.mark.parametrize("mode", ["evaluate", "jacobian", "vjp", "graph", "jvp"])
def test_a_result_is_not_touched_by_what_happens_to_the_inputs(mode: str, text: str) -> None:
    """Nothing in it lies in the caller's storage, nor twice in the same, nor in that of the next call."""
    f = gradcli.parse(text)
    at = {"x": np.array([[3.0, 1.0], [-2.0, 5.0]]), "w": np.array([[1.0, 0.0], [2.0, -1.0]])}
    cotangent = np.cos(np.arange(f.evaluate(at).value.size)).reshape(f.evaluate(at).value.shape)
    calls: dict[str, Mode] = {
        **QUICK, "vjp": lambda f, at: f.vjp(at, cotangent), "graph": lambda f, at: f.graph(at, None, cotangent),
    }  # fmt: skip
    for _ in range(4):
        result = calls[mode](f, at)
        before = [array.copy() for array in arrays(result)]
        for given in (*at.values(), cotangent):
            assert not any(np.shares_memory(array, given) for array in arrays(result))
        kept = {name: x.copy() for name, x in at.items()}
        seed = cotangent.copy()
        for given in (*at.values(), cotangent):
            given.fill(-7.0)
        calls[mode](f, at)
        for array, copy in zip(arrays(result), before, strict=True):
            np.testing.assert_array_equal(array, copy)
        cotangent[...] = seed
        for name, x in kept.items():
            at[name][...] = x


def test_gradients_of_one_result_share_no_storage() -> None:
    for text in ("sum(x + w)", "sum(x - w)", "sum([x, w])", "sum(x) + sum(w)"):
        f = gradcli.parse(text)
        for _ in range(4):
            found = f.diff({"x": np.ones(3), "w": np.ones(3)})
            found.gradient["x"][...] = 9.0
            assert found.gradient["w"].tolist() in ([1, 1, 1], [-1, -1, -1])


def test_a_stream_reads_the_values_that_it_was_made_with() -> None:
    x = np.array([1.0, 2.0, 3.0])
    made = gradcli.parse("x**2").jacobian_stream({"x": x})
    x.fill(0.0)
    assert np.concatenate([block.rows["x"] for block in made.blocks]).tolist() == np.diag([2.0, 4.0, 6.0]).tolist()


# Several roots


def test_one_root_given_twice_counts_twice() -> None:
    x = tensor(2.0, requires_grad=True)
    y = x**2
    assert gradcli.grad([y, y], x, retain_graph=True)[0].item() == 8
    assert gradcli.grad([y, y], x, [tensor(1.0), tensor(-3.0)], retain_graph=True)[0].item() == -8
    assert gradcli.grad([y, y * y, y], x, create_graph=True)[0].item() == 8 + 4 * 2.0**3
    (first,) = gradcli.grad([y, y], x, create_graph=True)
    assert gradcli.grad(first, x, retain_graph=True)[0].item() == 4
    gradcli.backward([y, y], retain_graph=True)
    gradcli.backward([y, y], [tensor(1.0), tensor(2.0)])
    assert x.grad.item() == 8 + 12
    assert gradcli.grad([x, x], x)[0].item() == 2
