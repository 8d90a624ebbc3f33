"""Value and gradient by one backward pass, higher derivatives in one variable, products by one sweep either way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.engine.backward import grad
from gradcli.engine.standing import generic
from gradcli.engine.state import MAX_NODES, node_limit, state
from gradcli.engine.tensor import Tensor
from gradcli.errors import LimitExceeded, NotDifferentiable, UsageProblem
from gradcli.lowering import Plan, located
from gradcli.modes.inputs import Values, shaped, value_of
from gradcli.modes.session import Session, open_session
from gradcli.modes.sides import meet_jumps, meet_sides
from gradcli.modes.tangent import directions, meet_kinks, push, require_direction
from gradcli.primitives.budget import shape_text
from gradcli.results import Array, Gradient, Tangent, Value

TRUSTED = 10_000
"""Nodes of one order, from which on the growth to the next is foreseen."""


def diff(plan: Plan, at: Values, wrt: Sequence[str] | None, grad_output: Any, order: int) -> Gradient:
    """The gradient of a scalar, or of a non-scalar contracted with `grad_output`; with `order` > 1 f', f'', ... too.

    Raises NotDifferentiable for a non-scalar without `grad_output`, or an order for other than one scalar variable.
    """
    if order < 1:
        raise UsageProblem(f"there is no derivative of order {order}", help="1 or more")
    if order > 1 and grad_output is not None:
        raise UsageProblem("--order takes no --grad-output", help="multiply the expression by the weight")
    session = open_session([plan], at, wrt)
    seed = seed_for(session, grad_output)
    higher = derivatives(session, order) if order > 1 else ()
    gradient = {name: value_of(g) for name, g in session.pull(seed).items()}
    if order > 1:
        session.order = order
        meet_sides(session, lambda one: np.array(derivatives(one, order)))
    else:
        meet_jumps(session, seed)
    return Gradient(plan.source.text, session.value, gradient, session.point, higher, session.notes())


def vjp(plan: Plan, at: Values, wrt: Sequence[str] | None, cotangent: Any) -> Gradient:
    """The cotangent of the value pulled back to the variables; that of a scalar is 1 where none is given."""
    session = open_session([plan], at, wrt)
    seed = seed_for(session, cotangent, "cotangent")
    gradient = session.pull(seed)
    meet_jumps(session, seed)
    found = {name: value_of(g) for name, g in gradient.items()}
    return Gradient(plan.source.text, session.value, found, session.point, notes=session.notes())


def jvp(plan: Plan, at: Values, tangent: Mapping[str, Any]) -> Tangent:
    """The derivative of the value along `tangent`, which has the shape of each variable it names; others stand still.

    Raises UsageProblem without a tangent, UnknownName and ShapeMismatch (nothing is broadcast) for a wrong one.
    """
    require_direction(tangent)
    session = open_session([plan], at, list(tangent))
    found = push(session, directions(session, tangent))
    meet_kinks(session, bool(np.isfinite(found).all()))
    meet_jumps(session, generic(session.output.shape))
    return Tangent(plan.source.text, session.value, value_of(found), session.notes())


def seed_for(session: Session, given: Any, option: str = "grad-output") -> Array:
    """The cotangent that enters at the output: 1 for a scalar, else what was given as `option`, never broadcast."""
    shape = session.output.shape
    if given is None:
        if session.output.array.size != 1:
            raise NotDifferentiable(
                f"the result has shape {shape_text(shape)}, a gradient needs a scalar",
                label=f"shape {shape_text(shape)}",
                span=session.plans[0].result_span,
                source=session.plans[0].source,
                help=f"add --{option} VALUE of that shape, take sum(...), or ask for the jacobian",
            )
        return np.ones(shape)
    return shaped(given, shape, option, "the result")


def derivatives(session: Session, order: int) -> tuple[Value, ...]:
    """f', f'', ... of a scalar result in one scalar variable; 0 from where the result no longer depends on it."""
    _require_one_scalar(session)
    x = session.at[session.names[0]]
    found: list[Value] = []
    y = session.output
    with node_limit(), located(session.plans[0].source):
        made: list[int] = []
        for k in range(order):
            before = state.sequence
            y = _derivative(y, x, last=k == order - 1)
            found.append(value_of(y.array))
            made.append(state.sequence - before)
            require_room(made, order)
    return tuple(found)


def require_room(made: Sequence[int], order: int) -> None:
    """Refuse orders that would pass the node limit before their graphs are built; `made` counts nodes by order so far.

    Graphs of nested derivatives grow by a steady factor, which is trusted once they are large. Raises LimitExceeded.
    """
    if len(made) < 2 or made[-1] < TRUSTED:
        return
    growth, size, total = made[-1] / made[-2], float(made[-1]), float(sum(made))
    for k in range(len(made) + 1, order):  # the last order is not recorded
        size *= growth
        total += size
        if total > MAX_NODES:
            raise LimitExceeded(
                f"the derivative of order {order} would take more than {MAX_NODES} nodes",
                help=f"order {k} or so is within reach",
            )


def _require_one_scalar(session: Session) -> None:
    what = "a derivative of higher order needs one scalar variable and a scalar result"
    if len(session.names) != 1:
        count = f"{len(session.names)} variables: {', '.join(session.names)}" if session.names else "no variable"
        raise NotDifferentiable(f"{what}, here is {count}", help="name one with --wrt" if session.names else "")
    name = session.names[0]
    for called, shape in ((name, session.at[name].shape), ("the result", session.output.shape)):
        if shape != ():
            text = called == name and shape == (1,)
            help = f"a number read from text is a vector of one; --at {name}=NUMBER is a scalar" if text else ""
            raise NotDifferentiable(f"{what}, {called} has shape {shape_text(shape)}", help=help)


def _derivative(y: Tensor, x: Tensor, last: bool) -> Tensor:
    if not y.requires_grad:
        return Tensor(0.0)
    (g,) = grad(y, x, retain_graph=True, create_graph=not last, materialize_grads=True)
    assert g is not None
    return g
