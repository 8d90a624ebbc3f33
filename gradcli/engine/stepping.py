"""Functions run within a context. A generator or a coroutine is within it while one of its steps runs, not while it is
suspended: whoever resumes it keeps a state of their own."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import AbstractContextManager
from functools import wraps
from inspect import isasyncgenfunction, isclass, iscoroutinefunction, isgeneratorfunction
from typing import Any

from gradcli.errors import BadArgument

Context = Callable[[], AbstractContextManager[Any]]
Function = Callable[..., Any]


def within(context: Context, function: Function) -> Function:
    """`function`, each call of which enters a `context()` of its own. Raises BadArgument for what is no function."""
    if isclass(function):
        raise BadArgument(f"functions are decorated, {function.__name__} is a class", help="decorate its methods")
    if not callable(function):
        raise BadArgument(f"functions are decorated, {type(function).__name__} cannot be called")
    called: Function
    if isgeneratorfunction(function):

        @wraps(function)
        def called(*args: Any, **keywords: Any) -> Any:
            return (yield from _Steps(context, function(*args, **keywords)))

    elif iscoroutinefunction(function):

        @wraps(function)
        async def called(*args: Any, **keywords: Any) -> Any:
            return await _Awaited(context, function(*args, **keywords))

    elif isasyncgenfunction(function):

        @wraps(function)
        def called(*args: Any, **keywords: Any) -> Any:
            return _AsyncSteps(context, function(*args, **keywords))

    else:

        @wraps(function)
        def called(*args: Any, **keywords: Any) -> Any:
            with context():
                return function(*args, **keywords)

    return called


class _Steps(Generator[Any, Any, Any]):
    """What a generator, or an awaited coroutine, does between two suspensions, in the context."""

    def __init__(self, context: Context, steps: Any) -> None:
        self._context = context
        self._steps = steps

    def send(self, value: Any) -> Any:
        with self._context():
            return self._steps.send(value)

    def throw(self, *error: Any) -> Any:
        with self._context():
            return self._steps.throw(*error)


class _Awaited(Awaitable[Any]):
    def __init__(self, context: Context, awaitable: Awaitable[Any]) -> None:
        self._context = context
        self._awaitable = awaitable

    def __await__(self) -> Generator[Any, Any, Any]:
        return _Steps(self._context, self._awaitable.__await__())


class _AsyncSteps(AsyncGenerator[Any, Any]):
    def __init__(self, context: Context, steps: AsyncGenerator[Any, Any]) -> None:
        self._context = context
        self._steps = steps

    async def asend(self, value: Any) -> Any:
        return await _Awaited(self._context, self._steps.asend(value))

    async def athrow(self, *error: Any) -> Any:
        return await _Awaited(self._context, self._steps.athrow(*error))
