"""How much a call of a user's function comes to, before it is written out: bodies that call others double each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from gradcli.syntax import nodes


def expanded_size(name: str, functions: Mapping[str, nodes.Define], most: int) -> int:
    """The operations and calls of a call of a function, or some number above `most` where there are more.

    A function that calls itself counts as what it is besides: the lowering finds the call.
    """
    own: dict[str, tuple[int, Counter[str]]] = {}
    sizes: dict[str, int] = {}
    waiting = [name]
    while waiting:
        current = waiting[-1]
        if current not in own:
            own[current] = _census(functions[current].body, functions)
            waiting.extend(called for called in own[current][1] if called not in own)
        else:
            waiting.pop()
            count, calls = own[current]
            inner = sum(times * sizes.get(called, 0) for called, times in calls.items())
            sizes[current] = min(1 + count + inner, most + 1)
    return sizes[name]


def _census(body: nodes.Node, functions: Mapping[str, nodes.Define]) -> tuple[int, Counter[str]]:
    """How many operations a body writes out itself, at least, and how often it calls which functions."""
    count, calls = 0, Counter[str]()
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, nodes.Call) and node.function in functions:
            calls[node.function] += 1
        elif not isinstance(node, nodes.Name):
            count += 1
        waiting.extend(nodes.children(node))
    return count, calls
