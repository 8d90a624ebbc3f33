"""Whether operations are recorded, and which piece of text they belong to."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ContextDecorator, contextmanager
from types import TracebackType

from gradcli.errors import LimitExceeded
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


class set_grad_enabled:  # noqa: N801  # PyTorch's name
    """Record operations, or do not, from here on; as the head of a `with` block, until its end."""

    def __init__(self, mode: bool) -> None:
        self._previous = state.recording
        state.recording = mode

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        state.recording = self._previous


class _Mode(ContextDecorator):
    """A block with recording on or off; blocks nest, and one object may be entered again while it is open."""

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


class no_grad(_Mode):  # noqa: N801  # PyTorch's name
    """Within, results do not require grad and leave no nodes. Also a decorator."""

    _recording = False


class enable_grad(_Mode):  # noqa: N801  # PyTorch's name
    """Within, operations are recorded again, inside of `no_grad` too. Also a decorator."""

    _recording = True
