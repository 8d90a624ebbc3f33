"""Jacobians by columns: stacks of unit tangents pushed forward, for when the inputs are fewer than the outputs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.engine.onehot import OneHot
from gradcli.modes.session import Session
from gradcli.modes.tangent import meet_kinks, push
from gradcli.results import Array, JacobianBlock


def column_block(session: Session, at_once: int, at_most: int) -> Iterator[JacobianBlock]:
    """Blocks of `at_most` rows, all of them after the last column: no row is known before."""
    size = session.output.array.size
    found: dict[str, Array] = {}
    for name in session.names:
        shape, width = session.at[name].shape, session.at[name].array.size
        whole = np.empty((size, width))
        for first in range(0, width, at_once):
            count = min(at_once, width - first)
            seeds = OneHot(first, np.ones(count), shape)
            whole[:, first : first + count] = push(session, {name: seeds}, lead=1).reshape(count, size).T
        found[name] = whole.reshape(size, *shape)
    meet_kinks(session, all(np.isfinite(rows).all() for rows in found.values()))
    for first in range(0, size, at_most):
        yield JacobianBlock(first, {name: rows[first : first + at_most] for name, rows in found.items()})


def sweeps(session: Session, at_once: int) -> int:
    return sum(-(-session.at[name].array.size // at_once) for name in session.names)
