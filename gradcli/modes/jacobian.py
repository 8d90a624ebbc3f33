"""Jacobians as a stream of blocks of rows: by one-hot rows, stacks of them, columns, or compressed by their pattern."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from math import prod

import numpy as np

from gradcli.engine.node import Node
from gradcli.engine.onehot import one_hot
from gradcli.engine.record import edge_of
from gradcli.engine.reverse import reachable
from gradcli.engine.standing import generic
from gradcli.errors import InternalError, LimitExceeded, UnknownName, UsageProblem
from gradcli.lowering import Plan
from gradcli.modes import sparse
from gradcli.modes.columns import column_block, sweeps
from gradcli.modes.inputs import Values, value_of
from gradcli.modes.session import Session, open_session
from gradcli.modes.sides import meet_jumps
from gradcli.modes.sparsity import TooDense
from gradcli.primitives import budget
from gradcli.results import (
    Array,
    Jacobian,
    JacobianBlock,
    JacobianPattern,
    JacobianStream,
    Method,
    Note,
    Sparse,
    SparseJacobian,
)

MODES = ("auto", "rows", "stacked", "columns", "sparse")
LIVE_COTANGENTS = 4
"""A sweep holds a few cotangents of its largest node at a time."""
LARGE = 500
"""Rows and columns from which on it pays to look for a sparse pattern."""
BY_ROWS = "--format jsonl and -o J.npy take row by row"
STREAMED = 64
"""Rows of one block of a stream: enough to keep a sweep busy, few enough that the first is there at once."""
PAYS = 8
"""How many times fewer passes than by rows must do to be chosen."""
BYTES_PER_ENTRY = 128
"""What an entry of a pattern takes while it is made and coloured."""


def stream(
    plans: Sequence[Plan], at: Values, wrt: Sequence[str] | None, mode: str, at_most: int = STREAMED
) -> JacobianStream:
    """What is known at once, and the blocks of rows as they come, each of `at_most` rows.

    `rows` sends one one-hot cotangent at a time, `stacked` as many as fit a quarter of the memory budget, `columns`
    pushes unit tangents forward, `sparse` compresses by colours; `auto` takes the cheapest. Raises UsageProblem for an
    unknown mode, UnknownName for a variable called `output`.
    """
    session = opened(plans, at, wrt, mode)
    method, blocks = _chosen(session, mode, at_most)
    return JacobianStream(_texts(session), session.value, _shapes(session), method, blocks, partial(_notes, session))


def jacobian(plans: Sequence[Plan], at: Values, wrt: Sequence[str] | None, mode: str) -> Jacobian:
    """Every block whole, in as few sweeps as the memory allows; raises as `stream`, and LimitExceeded beforehand."""
    return collect(stream(plans, at, wrt, mode, at_most=sys.maxsize))


def opened(plans: Sequence[Plan], at: Values, wrt: Sequence[str] | None, mode: str) -> Session:
    if not isinstance(mode, str) or mode not in MODES:
        given = mode if isinstance(mode, str) else type(mode).__name__
        raise UsageProblem(f"there is no mode {given}", help=f"modes: {', '.join(MODES)}")
    session = open_session(plans, at, wrt)
    if "output" in session.names:
        raise UnknownName("a variable called output cannot be told from the output of a Jacobian", help="rename it")
    return session


def _texts(session: Session) -> str | tuple[str, ...]:
    texts = tuple(plan.source.text for plan in session.plans)
    return texts[0] if len(texts) == 1 else texts


def _shapes(session: Session) -> dict[str, tuple[int, ...]]:
    return {"output": session.output.shape, **{name: session.at[name].shape for name in session.names}}


def _chosen(session: Session, mode: str, at_most: int) -> tuple[Method, Iterator[JacobianBlock]]:
    size, width = session.output.array.size, sparse.width(session)
    fitting = rows_at_once(session)
    at_once = 1 if mode == "rows" else min(fitting, at_most, max(1, size))
    if mode in ("auto", "sparse"):
        found = compressed(session, demanded=mode == "sparse")
        if found is not None:
            compression, entries = found
            return Method("sparse", compression.passes), _compressed_blocks(session, entries, at_once)
    if mode == "columns" or (mode == "auto" and _narrow(width, size, whole=at_most >= size)):
        require_whole("jacobian", (size, width))
        _require_work(session, width)
        return _in_blocks("columns", sweeps(session, fitting), fitting), column_block(session, fitting, at_most)
    _require_work(session, size)
    passes = -(-size // at_once)
    method = Method("rows", passes) if mode == "rows" else _in_blocks("stacked", passes, at_once)
    return method, row_blocks(session, at_once)


def _in_blocks(mode: str, passes: int, block: int) -> Method:
    return Method(mode, passes, block if passes > 1 else None)


def _require_work(session: Session, sweeps: int) -> None:
    """Refuse sweeps that would repeat the work of the evaluation too often. Raises LimitExceeded."""
    budget.require_work(f"jacobian: {sweeps} sweeps", sweeps * (session.work + session.held // budget.ITEM))


def require_whole(what: str, shape: tuple[int, ...], parts: str = BY_ROWS) -> None:
    """Refuse a matrix that does not fit, with a word on those parts of it that may. Raises LimitExceeded."""
    try:
        budget.require(what, shape)
    except LimitExceeded as error:
        error.help = f"--mode sparse gives the entries that are not 0, {parts}"
        raise


def _narrow(width: int, size: int, whole: bool) -> bool:
    """Whether columns are cheaper. They hold back every row until the last column, so a stream asks for more: that they
    save much, and that the matrix is small beside the memory."""
    if whole:
        return width < size
    return width * PAYS <= size and size * width * budget.ITEM <= budget.limit() // PAYS


def _compression(session: Session, demanded: bool) -> sparse.Compression | None:
    """How the Jacobian can be compressed, where that was asked for or pays.

    Raises LimitExceeded where it was asked for and the pattern is too dense.
    """
    size, width = session.output.array.size, sparse.width(session)
    if not demanded and min(size, width) < LARGE:
        return None
    most = budget.limit() // BYTES_PER_ENTRY
    try:
        pattern = sparse.structure(session, most if demanded else min(most, size * width // PAYS))
    except TooDense:
        if demanded:
            raise LimitExceeded(
                "the Jacobian is too dense for mode sparse", help="use mode stacked or columns"
            ) from None
        return None
    if not demanded and sparse.fewest(pattern, width) * PAYS > min(size, width):
        return None
    found = sparse.compression(pattern, width, session.pushable)
    return found if demanded or found.passes * PAYS <= min(size, width) else None


def compressed(session: Session, demanded: bool) -> tuple[sparse.Compression, Sparse] | None:
    """The compressed Jacobian, where that was asked for or pays; raises as `_compression`."""
    compression = _compression(session, demanded)
    if compression is None:
        return None
    _require_work(session, compression.passes)
    try:
        return compression, sparse.compressed(session, compression)
    except InternalError:
        if demanded:
            raise
        return None  # other modes need no pattern


def _compressed_blocks(session: Session, entries: Sparse, at_once: int) -> Iterator[JacobianBlock]:
    parts = sparse.by_variable(session, entries)
    for first in range(0, session.output.array.size, at_once):
        yield JacobianBlock(first, {n: _dense(part, first, at_once, session.at[n].shape) for n, part in parts.items()})


def _dense(part: Sparse, first: int, count: int, shape: tuple[int, ...]) -> Array:
    count = min(count, part.shape[0] - first)
    mine = slice(*np.searchsorted(part.rows, [first, first + count]))
    rows = np.zeros((count, part.shape[1]))
    rows[part.rows[mine] - first, part.columns[mine]] = part.values[mine]
    return rows.reshape(count, *shape)


def _notes(session: Session) -> tuple[Note, ...]:
    meet_jumps(session, generic(session.output.shape))
    return session.notes()


def coordinates(plans: Sequence[Plan], at: Values, wrt: Sequence[str] | None) -> SparseJacobian:
    """The Jacobian as sparse matrices, one for each variable. Raises LimitExceeded where the pattern is too dense."""
    session, compression, entries = _demanded(plans, at, wrt)
    parts = sparse.by_variable(session, entries)
    method = Method("sparse", compression.passes)
    return SparseJacobian(_texts(session), session.value, _shapes(session), parts, method, _notes(session))


def pattern(plans: Sequence[Plan], at: Values, wrt: Sequence[str] | None) -> JacobianPattern:
    """Where the Jacobian can differ from 0, and how it would be compressed; raises as `coordinates`."""
    session, compression, _ = _demanded(plans, at, wrt)
    places = sparse.by_variable(session, sparse.places(compression.pattern, sparse.width(session)))
    method = Method("sparse", compression.passes)
    return JacobianPattern(_texts(session), session.value, _shapes(session), places, method)


def _demanded(
    plans: Sequence[Plan], at: Values, wrt: Sequence[str] | None
) -> tuple[Session, sparse.Compression, Sparse]:
    session = opened(plans, at, wrt, "sparse")
    found = compressed(session, demanded=True)
    assert found is not None
    return session, *found


def rows_at_once(session: Session) -> int:
    """How many rows, or columns, of one sweep fit a quarter of the memory budget."""
    root = edge_of(session.output)
    nodes = reachable([root]) if root is not None else []
    largest = max((prod(shape) for node in nodes for shape in _stacked_shapes(node)), default=1)
    row = budget.ITEM * (LIVE_COTANGENTS * largest + sum(session.at[name].array.size for name in session.names))
    return max(1, budget.limit() // 4 // max(row, 1))


def _stacked_shapes(node: Node) -> Iterator[tuple[int, ...]]:
    """Shapes of what a sweep carries through a node: its result, and the operands that lead to a variable."""
    yield node.core_shape
    yield from (shape for shape, edge in zip(node.core_shapes, node.edges, strict=True) if edge is not None)


def row_blocks(session: Session, rows: int) -> Iterator[JacobianBlock]:
    shape, size = session.output.shape, session.output.array.size
    for first in range(0, size, rows):
        count = min(rows, size - first)
        if rows == 1:
            found = session.pull(one_hot(size, first, 1).reshape(shape))
            yield JacobianBlock(first, {name: g[None] for name, g in found.items()})
        else:
            yield JacobianBlock(first, session.rows(first, count))


def collect(coming: JacobianStream) -> Jacobian:
    """The whole Jacobian, each variable's block in the shape output + variable. Raises LimitExceeded beforehand."""
    names = [name for name in coming.shape if name != "output"]
    output = coming.shape["output"]
    for name in names:
        require_whole("jacobian", output + coming.shape[name])
    whole = {name: np.concatenate(rows) if len(rows) != 1 else rows[0] for name, rows in _gathered(coming).items()}
    jacobian = {name: value_of(rows.reshape(output + coming.shape[name])) for name, rows in whole.items()}
    return Jacobian(coming.expression, coming.value, coming.shape, jacobian, coming.method, coming.notes())


def _gathered(coming: JacobianStream) -> dict[str, list[Array]]:
    rows: dict[str, list[Array]] = {name: [] for name in coming.shape if name != "output"}
    for block in coming.blocks:
        for name, part in block.rows.items():
            rows[name].append(part)
    return {name: parts or [np.zeros((0, *coming.shape[name]))] for name, parts in rows.items()}
