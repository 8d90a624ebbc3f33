"""Hessians by forward over reverse: the recorded gradient, pushed forward along every unit direction at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.backward import grad
from gradcli.engine.onehot import one_hot
from gradcli.engine.record import call
from gradcli.engine.standing import generic
from gradcli.engine.state import enable_grad
from gradcli.engine.tensor import Tensor
from gradcli.errors import NotDifferentiable
from gradcli.lowering import Plan, located
from gradcli.modes import sparse
from gradcli.modes.inputs import Values, value_of, with_named
from gradcli.modes.jacobian import compressed, require_whole, rows_at_once
from gradcli.modes.session import Session, open_session
from gradcli.modes.sides import meet_sides
from gradcli.modes.tangent import directions, push, require_direction
from gradcli.primitives import TABLE
from gradcli.primitives.budget import shape_text
from gradcli.results import (
    Array,
    Hessian,
    HessianDiagonal,
    HessianProduct,
    Method,
    Note,
    Sparse,
    SparseHessian,
)


def hessian(plan: Plan, at: Values, wrt: Sequence[str] | None) -> Hessian:
    """Value, gradient, and for each pair of variables a block of shape first + second.

    Raises NotDifferentiable for a non-scalar, LimitExceeded where the whole does not fit.
    """
    session = scalar_session(plan, at, wrt)
    gradients = recorded_gradients(session)
    size = sum(g.array.size for g in gradients.values())
    require_whole("hessian", (size, size), "--diag those of the diagonal")
    blocks = _blocks(session, second_derivatives(along_gradient(session, gradients)))
    return Hessian(plan.source.text, session.value, session.point, _values(gradients), blocks, notes(session))


def sparse_hessian(plan: Plan, at: Values, wrt: Sequence[str] | None) -> SparseHessian:
    """The second derivatives that are not structurally 0. Raises NotDifferentiable for a non-scalar, LimitExceeded
    where the pattern is too dense."""
    session = scalar_session(plan, at, wrt)
    gradients = recorded_gradients(session)
    along = along_gradient(session, gradients)
    found = compressed(along, demanded=True)
    assert found is not None
    compression, entries = found
    blocks = {
        name: sparse.by_variable(session, band) for name, band in sparse.by_rows(session, _symmetric(entries)).items()
    }
    method = Method("sparse", compression.passes)
    return SparseHessian(
        plan.source.text, session.value, session.point, _values(gradients), blocks, method, notes(session)
    )


def _symmetric(entries: Sparse) -> Sparse:
    """The upper half and its mirror image, by rows."""
    upper, above = entries.rows <= entries.columns, entries.rows < entries.columns
    rows = np.concatenate([entries.rows[upper], entries.columns[above]])
    columns = np.concatenate([entries.columns[upper], entries.rows[above]])
    order = np.lexsort((columns, rows))
    values = np.concatenate([entries.values[upper], entries.values[above]])
    return Sparse(rows[order], columns[order], values[order], entries.shape)


def diagonal(plan: Plan, at: Values, wrt: Sequence[str] | None) -> HessianDiagonal:
    """The second derivatives by each entry alone, in the shape of each variable; raises as `hessian`."""
    session = scalar_session(plan, at, wrt)
    gradients = recorded_gradients(session)
    along = along_gradient(session, gradients)
    found = compressed(along, demanded=False)
    if found is not None:
        _, entries = found
        values = np.zeros(entries.shape[0])
        mine = entries.rows == entries.columns
        values[entries.rows[mine]] = entries.values[mine]
    else:
        rows = ((first, block) for first, block in _row_stacks(along))
        values = np.concatenate([np.zeros(0), *(np.diagonal(block, first) for first, block in rows)])
    parts = {name: value_of(part[0]) for name, part in _split(session, values[None])}
    return HessianDiagonal(plan.source.text, session.value, session.point, _values(gradients), parts, notes(session))


def product(plan: Plan, at: Values, tangent: Mapping[str, Any]) -> HessianProduct:
    """The Hessian times a direction, without the Hessian: the derivative of the gradient along `tangent`.

    By the variables of a gradient, and those of `tangent` besides. Raises UsageProblem, UnknownName and ShapeMismatch
    as `jvp`, NotDifferentiable for a non-scalar.
    """
    require_direction(tangent)
    session = scalar_session(plan, at, with_named(plan, at, tangent))
    seeds = directions(session, tangent)
    gradients = recorded_gradients(session)
    moved = push(along_gradient(session, gradients), seeds)
    parts = {name: value_of(part[0]) for name, part in _split(session, moved[None])}
    return HessianProduct(
        plan.source.text, session.value, session.point, _values(gradients), parts, notes(session, seeds)
    )


def scalar_session(plan: Plan, at: Values, wrt: Sequence[str] | None) -> Session:
    session = open_session([plan], at, wrt)
    if session.output.array.size != 1:
        raise NotDifferentiable(
            f"the result has shape {shape_text(session.output.shape)}, a Hessian needs a scalar",
            span=plan.result_span,
            source=plan.source,
            help="take sum(...), or ask for the jacobian of the gradient",
        )
    return session


def _values(gradients: Mapping[str, Tensor]) -> dict[str, Any]:
    return {name: value_of(g.array.copy()) for name, g in gradients.items()}


def notes(session: Session, seeds: Mapping[str, Array] | None = None) -> tuple[Note, ...]:
    """What a gradient at this point must be read with, and its derivative along `seeds`, or along no matter what."""
    session.order = 2
    session.pull(np.ones(session.output.shape))
    found = seeds or {name: generic(session.at[name].shape) for name in session.names}

    def derivatives(one: Session) -> Array:
        along = along_gradient(one, recorded_gradients(one))
        return np.concatenate([along.output.array, push(along, found)])

    meet_sides(session, derivatives)
    return session.notes()


def recorded_gradients(session: Session) -> dict[str, Tensor]:
    leaves = [session.at[name] for name in session.names]
    if not session.output.requires_grad or not leaves:
        return {name: Tensor(np.zeros(session.at[name].shape)) for name in session.names}
    with located(session.plans[0].source):
        found = grad(session.output, leaves, create_graph=True, materialize_grads=True)
    return {name: g for name, g in zip(session.names, found, strict=True) if g is not None}


def along_gradient(session: Session, gradients: Mapping[str, Tensor]) -> Session:
    """The same leaves with the gradient, flattened side by side, for the output."""
    with enable_grad():
        flat = call(TABLE["concatenate"], [Tensor(np.zeros(0)), *(g.reshape(-1) for g in gradients.values())])
    return replace(session, output=flat, awkward=[], met={})


def second_derivatives(along: Session) -> Array:
    """The square matrix over all variables, flattened side by side. Symmetric: its upper half is computed."""
    found = compressed(along, demanded=False)
    if found is not None:
        return _symmetric(found[1]).dense()
    size = along.output.array.size
    matrix = np.zeros((size, size))
    for first, block in _row_stacks(along):
        matrix[first : first + len(block)] = block
    return np.triu(matrix) + np.triu(matrix, 1).T


def _row_stacks(along: Session) -> Iterator[tuple[int, Array]]:
    """Stacks of rows of the Hessian and the number of the first, each by one forward sweep."""
    size, rows = along.output.array.size, rows_at_once(along)
    for first in range(0, size, rows):
        seeds = one_hot(size, first, min(rows, size - first))
        yield first, push(along, dict(_split(along, seeds)), lead=1)


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
