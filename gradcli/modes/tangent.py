"""Directional derivatives: one forward sweep over the recorded value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradcli.engine.forward import Forward
from gradcli.engine.node import Node
from gradcli.engine.onehot import OneHot
from gradcli.engine.record import edge_of
from gradcli.engine.standing import generic
from gradcli.engine.state import no_grad
from gradcli.errors import UsageProblem
from gradcli.lowering import located
from gradcli.modes.inputs import shaped
from gradcli.modes.session import Session
from gradcli.primitives import budget
from gradcli.results import Array


def meet_kinks(session: Session, finite: bool) -> None:
    """A reverse sweep tells which of the kinks have a part in the result, and where it stops to be `finite`."""
    if session.awkward or not finite:
        session.pull(generic(session.output.shape))


def require_direction(tangent: Mapping[str, Any]) -> None:
    """Raise UsageProblem where no variable is to move."""
    if not tangent:
        raise UsageProblem("a directional derivative needs a direction", help="add --tangent NAME=VALUE")


def directions(session: Session, tangent: Mapping[str, Any]) -> dict[str, Array]:
    """The given tangents in the shapes of their variables. Raises ShapeMismatch."""
    return {name: shaped(t, session.at[name].shape, f"the tangent of {name}", name) for name, t in tangent.items()}


def tangent_of(session: Session, node: Node, seeds: Mapping[str, Array | OneHot], lead: int = 0) -> Any:
    """The tangent, lead + shape, of what a node of the session made; None where none of the seeds reaches it."""
    entering = {edge_of(session.at[name]): seed for name, seed in seeds.items()}
    with no_grad(), located(session.plans[0].source), budget.held(session.held):
        return Forward(node, {node: seed for node, seed in entering.items() if node is not None}, lead).run()


def push(session: Session, seeds: Mapping[str, Array | OneHot], lead: int = 0) -> Array:
    """The tangent of the output, lead + shape, when `seeds` (lead + shape of each variable) enter at the variables."""
    root = edge_of(session.output)
    found = None
    if root is not None:
        session.require_room(lead)
        found = tangent_of(session, root, seeds, lead)
    if found is None:
        stack = next(iter(seeds.values())).shape[:lead]
        return np.zeros(stack + session.output.shape)
    return np.array(found)
