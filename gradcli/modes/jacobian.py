"""Jacobians as a stream of blocks of rows: by one-hot rows, or by stacks of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np

from gradcli.engine.record import edge_of
from gradcli.engine.reverse import reachable
from gradcli.errors import UnknownName, UsageProblem
from gradcli.lowering import Plan
from gradcli.modes.inputs import Values, value_of
from gradcli.modes.session import Session, open_session
from gradcli.primitives import budget
from gradcli.results import Array, Jacobian, JacobianBlock, JacobianStream, Method

MODES = ("auto", "rows", "stacked")
# A sweep holds a few cotangents of its largest node at a time.
LIVE_COTANGENTS = 4


def stream(plans: Sequence[Plan], at: Values, wrt: Sequence[str] | None, mode: str) -> JacobianStream:
    """What is known at once, and the blocks as they come; each block is one sweep.

    `rows` sends one one-hot cotangent at a time, `stacked` as many as fit a quarter of the memory budget. Raises
    UsageProblem for an unknown mode, UnknownName for a variable called `output`.
    """
    if mode not in MODES:
        raise UsageProblem(f"there is no mode {mode}", help=f"modes: {', '.join(MODES)}")
    session = open_session(plans, at, wrt)
    if "output" in session.names:
        raise UnknownName("a variable called output cannot be told from the output of a Jacobian", help="rename it")
    size = session.output.array.size
    block = 1 if mode == "rows" else rows_at_once(session)
    method = Method("rows" if mode == "rows" else "stacked", -(-size // block))
    shape = {"output": session.output.shape, **{name: session.at[name].shape for name in session.names}}
    texts = tuple(plan.source.text for plan in plans)
    return JacobianStream(
        texts[0] if len(texts) == 1 else texts, session.value, shape, method, blocks(session, block), session.notes
    )


def rows_at_once(session: Session) -> int:
    """How many rows fit a quarter of the memory budget."""
    root = edge_of(session.output)
    size = session.output.array.size
    nodes = reachable([root]) if root is not None else []
    largest = max((max(prod(node.core_shape), *map(prod, node.core_shapes), 1) for node in nodes), default=1)
    row = budget.ITEM * (LIVE_COTANGENTS * largest + sum(session.at[name].array.size for name in session.names))
    return max(1, min(size, budget.limit() // 4 // row))


def blocks(session: Session, rows: int) -> Iterator[JacobianBlock]:
    shape, size = session.output.shape, session.output.array.size
    for first in range(0, size, rows):
        count = min(rows, size - first)
        if rows == 1:
            found = session.pull(one_hot(size, first, 1).reshape(shape))
            yield JacobianBlock(first, {name: g[None] for name, g in found.items()})
        else:
            yield JacobianBlock(first, session.rows(first, count))


def one_hot(size: int, first: int, count: int) -> Array:
    """Rows `first`, `first + 1`, ... of the identity of `size`."""
    seeds = np.zeros((count, size))
    seeds[np.arange(count), np.arange(first, first + count)] = 1.0
    return seeds


def collect(coming: JacobianStream) -> Jacobian:
    """The whole Jacobian, each variable's block in the shape output + variable. Raises LimitExceeded beforehand."""
    names = [name for name in coming.shape if name != "output"]
    output = coming.shape["output"]
    for name in names:
        budget.require("jacobian", output + coming.shape[name])
    whole = {name: np.concatenate(rows) if len(rows) != 1 else rows[0] for name, rows in _gathered(coming).items()}
    jacobian = {name: value_of(rows.reshape(output + coming.shape[name])) for name, rows in whole.items()}
    return Jacobian(coming.expression, coming.value, coming.shape, jacobian, coming.method, coming.notes())


def _gathered(coming: JacobianStream) -> dict[str, list[Array]]:
    rows: dict[str, list[Array]] = {name: [] for name in coming.shape if name != "output"}
    for block in coming.blocks:
        for name, part in block.rows.items():
            rows[name].append(part)
    return {name: parts or [np.zeros((0, *coming.shape[name]))] for name, parts in rows.items()}
