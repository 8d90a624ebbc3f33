"""Whether operations are recorded, and which piece of text they belong to."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from gradcli.engine.stepping import Function, within
from gradcli.errors import BadArgument, LimitExceeded
from gradcli.span import Span

MAX_NODES = 10**6


class _State(threading.local):
    """What is true for one thread. `recording`: operations on tensors that require grad leave nodes. `span`: the text
    now being evaluated. `last`: the highest number that a node may have, None for no bound.

    The numbers of nodes are those of the whole program: a graph may be begun in one thread and finished in another.
    """

    sequence = 0

    def __init__(self) -> None:
        self.recording = True
        self.span: Span | None = None
        self.last: int | None = None

    def tick(self) -> int:
        """A number larger than all before: nodes are numbered in the order of their making. Raises LimitExceeded."""
        number = _State.sequence = _State.sequence + 1
        if self.last is not None and number > self.last:
            raise LimitExceeded(f"the graph grows past {MAX_NODES} nodes", span=self.span)
        return number


state = _State()


def is_grad_enabled() -> bool:
    return state.recording


@contextmanager
def node_limit() -> Iterator[None]:
    """Within, at most MAX_NODES nodes are made."""
    outer = state.last
    state.last = state.sequence + MAX_NODES
    try:
        yield
    finally:
        state.last = outer


class _Mode:
    """A block with recording on or off; blocks nest, and one object may be entered again while it is open. Around a
    function, each call, and each step of a generator or coroutine, is such a block."""

    _recording: bool

    def __init__(self) -> None:
        self._previous: list[bool] = []

    def __enter__(self) -> None:
        self._previous.append(state.recording)
        state.recording = self._recording

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        state.recording = self._previous.pop()


class set_grad_enabled(_Mode):  # noqa: N801  # PyTorch's name
    """Record operations, or do not, from here on; as the head of a `with` block, until its end; as a decorator, in the
    function alone. Raises BadArgument unless `mode` is True or False."""

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise BadArgument(f"set_grad_enabled: mode must be True or False, not {type(mode).__name__}")
        super().__init__()
        self._recording = mode
        self._before = state.recording
        state.recording = mode

    def __enter__(self) -> None:
        state.recording = self._before
        super().__enter__()

    def __call__(self, function: Function) -> Function:
        state.recording = self._before
        return within(_MODES[self._recording], function)


class _Lasting(_Mode):
    """`no_grad()` for a block; `@no_grad()` and `@no_grad` for a function, as PyTorch has it. Raises BadArgument for
    what is no function."""

    def __new__(cls, function: Function | None = None) -> Any:
        return super().__new__(cls) if function is None else within(cls, function)

    def __call__(self, function: Function) -> Function:
        return within(type(self), function)


class no_grad(_Lasting):  # noqa: N801  # PyTorch's name
    """Within, results do not require grad and leave no nodes. Also a decorator."""

    _recording = False


class enable_grad(_Lasting):  # noqa: N801  # PyTorch's name
    """Within, operations are recorded again, inside of `no_grad` too. Also a decorator."""

    _recording = True


_MODES = {False: no_grad, True: enable_grad}
