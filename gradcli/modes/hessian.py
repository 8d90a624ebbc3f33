"""Hessians by forward over reverse: the recorded gradient, pushed forward along every unit direction at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.engine.backward import grad
from gradcli.engine.record import call
from gradcli.engine.state import enable_grad
from gradcli.engine.tensor import Tensor
from gradcli.errors import NotDifferentiable
from gradcli.lowering import Plan, located
from gradcli.modes.inputs import Values, value_of
from gradcli.modes.jacobian import one_hot, rows_at_once
from gradcli.modes.session import Session, open_session
from gradcli.modes.tangent import push
from gradcli.primitives import TABLE, budget
from gradcli.primitives.budget import shape_text
from gradcli.results import Array, Hessian


def hessian(plan: Plan, at: Values, wrt: Sequence[str] | None) -> Hessian:
    """Value, gradient, and for each pair of variables a block of shape first + second.

    Raises NotDifferentiable for a non-scalar, LimitExceeded where the whole does not fit.
    """
    session = open_session([plan], at, wrt)
    if session.output.array.size != 1:
        raise NotDifferentiable(
            f"the result has shape {shape_text(session.output.shape)}, a Hessian needs a scalar",
            span=plan.result_span,
            source=plan.source,
            help="take sum(...), or ask for the jacobian of the gradient",
        )
    gradients = recorded_gradients(session)
    blocks = _blocks(session, second_derivatives(session, list(gradients.values())))
    found = {name: value_of(g.array.copy()) for name, g in gradients.items()}
    session.pull(np.ones(session.output.shape))
    return Hessian(plan.source.text, session.value, session.point, found, blocks, session.notes())


def recorded_gradients(session: Session) -> dict[str, Tensor]:
    leaves = [session.at[name] for name in session.names]
    if not session.output.requires_grad or not leaves:
        return {name: Tensor(np.zeros(session.at[name].shape)) for name in session.names}
    with located(session.plans[0].source):
        found = grad(session.output, leaves, create_graph=True, materialize_grads=True)
    return {name: g for name, g in zip(session.names, found, strict=True) if g is not None}


def second_derivatives(session: Session, gradients: Sequence[Tensor]) -> Array:
    """The square matrix over all variables, flattened side by side. Symmetric: its upper half is computed."""
    size = sum(g.array.size for g in gradients)
    budget.require("hessian", (size, size))
    if not any(g.requires_grad for g in gradients):
        return np.zeros((size, size))
    with enable_grad():
        flat = call(TABLE["concatenate"], [g.reshape(-1) for g in gradients])
    along = Session(session.plans, session.at, session.names, flat, [])
    matrix = np.zeros((size, size))
    rows = rows_at_once(along)
    for first in range(0, size, rows):
        seeds = one_hot(size, first, min(rows, size - first))
        matrix[first : first + len(seeds)] = push(along, dict(_split(session, seeds)), lead=1)
    return np.triu(matrix) + np.triu(matrix, 1).T


def _split(session: Session, seeds: Array) -> Iterator[tuple[str, Array]]:
    """Stacked directions over all variables, cut into one stack for each."""
    start = 0
    for name in session.names:
        shape = session.at[name].shape
        stop = start + int(np.prod(shape, dtype=int))
        yield name, seeds[:, start:stop].reshape(len(seeds), *shape)
        start = stop


def _blocks(session: Session, matrix: Array) -> dict[str, dict[str, Any]]:
    blocks: dict[str, dict[str, Any]] = {}
    for a, rows in _split(session, matrix.T):
        size = session.at[a].array.size
        flat = rows.reshape(len(matrix), size).T
        shape = session.at[a].shape
        blocks[a] = {b: value_of(block.reshape(shape + session.at[b].shape)) for b, block in _split(session, flat)}
    return blocks
