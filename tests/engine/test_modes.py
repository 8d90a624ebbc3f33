"""no_grad, enable_grad, set_grad_enabled and detach."""

import asyncio
import inspect
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import gradcli
from gradcli import GradcliError, enable_grad, is_grad_enabled, no_grad, set_grad_enabled, tensor


def leaf(data):
    return tensor(data, requires_grad=True)


def test_no_grad_records_nothing():
    x = leaf(2.0)
    with no_grad():
        y = x * 2
    assert not y.requires_grad
    assert y.is_leaf
    assert y.grad_fn is None
    assert (x * 2).requires_grad


def test_a_leaf_made_within_no_grad_still_requires_grad():
    with no_grad():
        x = leaf(2.0)
        y = gradcli.ones(2, requires_grad=True)
    assert x.requires_grad
    assert y.requires_grad


def test_modes_nest():
    x = leaf(2.0)
    with no_grad():
        with enable_grad():
            inner = x * 2
            with no_grad():
                innermost = x * 2
        outer = x * 2
    assert [t.requires_grad for t in (inner, innermost, outer)] == [True, False, False]
    assert is_grad_enabled()


def test_set_grad_enabled_as_a_block_and_as_a_switch():
    x = leaf(2.0)
    with set_grad_enabled(False):
        assert not (x * 2).requires_grad
    assert (x * 2).requires_grad
    set_grad_enabled(False)
    try:
        assert not (x * 2).requires_grad
    finally:
        set_grad_enabled(True)
    assert (x * 2).requires_grad


def test_no_grad_as_a_decorator():
    @no_grad()
    def double(x):
        return x * 2

    assert not double(leaf(2.0)).requires_grad
    assert is_grad_enabled()


def test_an_error_within_leaves_the_mode_as_it_was():
    with pytest.raises(KeyError), no_grad():
        raise KeyError
    assert is_grad_enabled()


def test_one_object_entered_twice():
    mode = no_grad()
    with mode:
        with mode:
            pass
        assert not is_grad_enabled()
    assert is_grad_enabled()


def test_detach_is_a_constant():
    x = leaf(3.0)
    (x * x.detach()).backward()
    assert x.grad.item() == 3


def test_backward_within_no_grad_still_accumulates():
    x = leaf(3.0)
    y = x**2
    with no_grad():
        y.backward()
    assert x.grad.item() == 6


# Decorators


@pytest.fixture(params=["bare", "called", "set"])
def decorator(request):
    made = {
        "bare": lambda: no_grad,
        "called": no_grad,
        "set": lambda: lambda function: set_grad_enabled(False)(function),
    }
    return made[request.param]()


class TestDecorators:
    """Functions of every kind in each form of the decorator. Modes seen are those in their steps."""

    def test_function(self, decorator):
        @decorator
        def double(x, *, factor=2):
            """Doc."""
            return x * factor

        assert (double.__name__, double.__doc__) == ("double", "Doc.")
        assert is_grad_enabled()
        assert not double(leaf(2.0), factor=3).requires_grad
        assert is_grad_enabled()

    def test_recursive_function(self, decorator):
        @decorator
        def down(n):
            return [is_grad_enabled()] if n == 0 else [*down(n - 1), is_grad_enabled()]

        assert down(3) == [False] * 4
        assert is_grad_enabled()

    def test_generator_function(self, decorator):
        @decorator
        def steps():
            seen = [is_grad_enabled()]
            try:
                while True:
                    try:
                        given = yield seen[-1]
                        seen.append(is_grad_enabled())
                        if given is not None:
                            return (given, seen)
                    except KeyError:
                        seen.append(is_grad_enabled())
            finally:
                seen.append(is_grad_enabled())

        assert inspect.isgeneratorfunction(steps)
        running = steps()
        assert next(running) is False
        assert is_grad_enabled()
        assert next(running) is False
        with enable_grad():
            assert running.throw(KeyError()) is False
            assert is_grad_enabled()
        with pytest.raises(StopIteration) as stopped:
            running.send("end")
        assert stopped.value.value == ("end", [False] * 5)
        closed = steps()
        next(closed)
        closed.close()
        assert is_grad_enabled()

    def test_coroutine_function(self, decorator):
        async def others():
            seen = []
            for _ in range(3):
                seen.append(is_grad_enabled())
                await asyncio.sleep(0)
            return seen

        @decorator
        async def mine(x):
            before = is_grad_enabled()
            await asyncio.sleep(0)
            return before, is_grad_enabled(), (x * 2).requires_grad

        async def both():
            return await asyncio.gather(mine(leaf(1.0)), others())

        assert inspect.iscoroutinefunction(mine)
        assert asyncio.run(both()) == [(False, False, False), [True, True, True]]

    def test_asynchronous_generator_function(self, decorator):
        @decorator
        async def items():
            given = None
            try:
                for _ in range(3):
                    await asyncio.sleep(0)
                    given = yield is_grad_enabled(), given
            except KeyError:
                yield "caught", is_grad_enabled()

        async def consume():
            found = [(item, is_grad_enabled()) async for item in items()]
            running = items()
            await running.asend(None)
            found += [await running.asend("sent"), await running.athrow(KeyError()), is_grad_enabled()]
            await running.aclose()
            return found

        assert asyncio.run(consume()) == [
            *[((False, None), True)] * 3, (False, "sent"), ("caught", False), True,
        ]  # fmt: skip

    def test_methods(self, decorator):
        class Model:
            @decorator
            def plain(self):
                return is_grad_enabled()

            @staticmethod
            @decorator
            def static():
                return is_grad_enabled()

            @classmethod
            @decorator
            def of_the_class(cls):
                return is_grad_enabled()

        assert (Model().plain(), Model.static(), Model.of_the_class()) == (False, False, False)

    def test_an_error_within(self, decorator):
        @decorator
        def fail():
            raise KeyError

        with pytest.raises(KeyError):
            fail()
        assert is_grad_enabled()

    @pytest.mark.parametrize("what", [5, "text", int, classmethod(len)], ids=repr)
    def test_what_is_no_function(self, decorator, what):
        with pytest.raises(GradcliError, match="functions are decorated"):
            decorator(what)


def test_set_grad_enabled_made_for_a_decorator_leaves_the_mode_as_it_was():
    with no_grad():

        @set_grad_enabled(True)
        def inside():
            return is_grad_enabled()

        assert not is_grad_enabled()
        assert inside()
        assert not is_grad_enabled()


@pytest.mark.parametrize("mode", [None, 0, 1, "False", [], no_grad, tensor(True)], ids=repr)
def test_a_mode_is_true_or_false(mode):
    with pytest.raises(GradcliError, match="True or False"):
        set_grad_enabled(mode)
    assert is_grad_enabled()


def test_one_decorated_function_in_many_threads():
    @no_grad
    def seen():
        time.sleep(0.001)
        return is_grad_enabled()

    def caller(number):
        with set_grad_enabled(number % 2 == 0):
            return [(seen(), is_grad_enabled()) for _ in range(5)]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(caller, range(8))) == [[(False, number % 2 == 0)] * 5 for number in range(8)]
