"""Jacobians by columns: stacks of unit tangents pushed forward, for when the inputs are fewer than the outputs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.engine.onehot import one_hot
from gradcli.modes.session import Session
from gradcli.modes.tangent import push
from gradcli.results import Array, JacobianBlock


def column_block(session: Session, at_once: int, at_most: int) -> Iterator[JacobianBlock]:
    """Blocks of `at_most` rows, all of them after the last column: no row is known before."""
    size = session.output.array.size
    found: dict[str, Array] = {}
    for name in session.names:
        shape = session.at[name].shape
        columns = [
            push(session, {name: seeds.reshape(len(seeds), *shape)}, lead=1).reshape(len(seeds), size)
            for seeds in unit_stacks(session.at[name].array.size, at_once)
        ]
        whole = np.concatenate(columns) if columns else np.zeros((0, size))
        found[name] = np.ascontiguousarray(whole.T).reshape(size, *shape)
    for first in range(0, size, at_most):
        yield JacobianBlock(first, {name: rows[first : first + at_most] for name, rows in found.items()})


def unit_stacks(size: int, at_once: int) -> Iterator[Array]:
    """The identity of `size` in stacks of at most `at_once` rows."""
    for first in range(0, size, at_once):
        yield one_hot(size, first, min(at_once, size - first))


def sweeps(session: Session, at_once: int) -> int:
    return sum(-(-session.at[name].array.size // at_once) for name in session.names)
